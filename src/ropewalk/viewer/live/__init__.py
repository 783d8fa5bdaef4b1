"""A simulation in real time, in the browser."""
