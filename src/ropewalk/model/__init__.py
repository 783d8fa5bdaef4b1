"""System to arrays: the input of kernels."""
