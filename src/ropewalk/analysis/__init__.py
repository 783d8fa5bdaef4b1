"""Questions asked of a model: its rest, its motion in time, and what follows from them."""
