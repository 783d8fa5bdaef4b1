"""System to arrays: what kernels read."""
