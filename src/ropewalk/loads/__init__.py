"""Forces of the surroundings on the parts of a system: one home for each, called by every method."""
