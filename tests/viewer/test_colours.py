"""Colour maps that can be read without seeing colours."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.viewer.colours import DIVERGING, SEQUENTIAL, STEPS, colour_map, oklab_to_srgb


def luminance(colours):
    """Relative luminance of sRGB bytes, as WCAG 2 and IEC 61966-2-1 define it."""
    c = colours / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_oklab_has_the_published_colours():
    """White, black, and the blue of sRGB: Ottosson's L = 0.452, a = -0.032, b = -0.312, printed to three digits."""
    assert_allclose(oklab_to_srgb(np.array([1.0, 0.0, 0.0])), 1.0, atol=1e-4)
    assert_allclose(oklab_to_srgb(np.zeros(3)), 0.0, atol=1e-12)
    assert_allclose(oklab_to_srgb(np.array([0.452, -0.032, -0.312])), [0.0, 0.0, 1.0], atol=0.02)


def test_brightness_tells_the_order():
    bright = luminance(colour_map(SEQUENTIAL))
    assert (np.diff(bright) > -1e-3).all()  # a byte more or less
    assert bright[-1] > 15.0 * bright[0]


def test_a_change_of_sign_is_brightest_in_the_middle():
    bright = luminance(colour_map(DIVERGING))
    assert abs(int(np.argmax(bright)) - STEPS // 2) <= 1
    assert max(bright[0], bright[-1]) < 0.25 * bright.max()


@pytest.mark.parametrize("corners", [SEQUENTIAL, DIVERGING])
def test_corners_are_colours_that_a_screen_has(corners):
    inside = oklab_to_srgb(np.array(corners))
    assert (inside > -0.01).all() and (inside < 1.01).all()
