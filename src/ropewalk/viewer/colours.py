"""Colour maps ordered by lightness alone, so that they can be read in grey and by the colour-blind.

Colours are laid out in Oklab [Ottosson2020], where equal steps look equal.
"""

from __future__ import annotations

import numpy as np

from ropewalk.viewer.packing import Array

STEPS = 256
# lightness, green to red, blue to yellow of the corners of each map
SEQUENTIAL = ((0.30, 0.02, -0.13), (0.45, 0.00, -0.13), (0.60, -0.06, -0.04), (0.75, -0.06, 0.07), (0.90, -0.01, 0.15))
DIVERGING = ((0.42, -0.02, -0.15), (0.68, -0.03, -0.09), (0.93, 0.00, 0.00), (0.72, 0.06, 0.11), (0.48, 0.12, 0.09))


def colour_map(corners: tuple[tuple[float, float, float], ...], steps: int = STEPS) -> Array:
    """(steps, 3) bytes, red, green, blue; straight in Oklab between the corners."""
    lab = np.array(corners)
    at = np.linspace(0.0, len(lab) - 1.0, steps)
    path = np.stack([np.interp(at, np.arange(len(lab)), lab[:, k]) for k in range(3)], axis=1)
    return np.round(255.0 * np.clip(oklab_to_srgb(path), 0.0, 1.0)).astype(np.uint8)


def oklab_to_srgb(lab: Array) -> Array:
    """Oklab to sRGB in 0 to 1; outside where the screen has no such colour.  Source: [Ottosson2020]."""
    to_cones = np.array(
        [[1.0, 0.3963377774, 0.2158037573], [1.0, -0.1055613458, -0.0638541728], [1.0, -0.0894841775, -1.2914855480]]
    )
    to_linear = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ]
    )
    linear = (lab @ to_cones.T) ** 3 @ to_linear.T
    low = 12.92 * linear
    high = 1.055 * np.maximum(linear, 0.0) ** (1.0 / 2.4) - 0.055
    return np.where(linear <= 0.0031308, low, high)
