"""Results and cases in 3D, in the browser."""
