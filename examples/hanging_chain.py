"""Modes of a hanging chain against the zeros of the Bessel function J0."""

from pathlib import Path

import numpy as np
from scipy.special import jn_zeros

from ropewalk.analysis.modes import modes
from ropewalk.spec.system import System

system = System.from_file(Path(__file__).with_suffix(".yaml"))
result = modes(system, 8)  # in pairs: x and y
found = result.omega.values[::2]
exact = 0.5 * jn_zeros(0, 4) * np.sqrt(9.81 / 10.0)

if __name__ == "__main__":
    for k in range(4):
        print(f"mode {k + 1}: {found[k]:.6f} rad/s, exact {exact[k]:.6f}, off by {found[k] / exact[k] - 1:+.1e}")
    print(f"equilibrium {result.attrs['stability']}")
