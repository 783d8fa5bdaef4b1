"""Elliptical and rectangular sections cut by the water plane."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.physics.buoyancy import cut_ellipse, cut_square, disc_segment

EPS = np.finfo(float).eps


def by_quadrature(d: float) -> list[float]:
    """Moments of y < d of the unit disc by 40 Gauss points in the angle, y = -cos t."""
    x, w = np.polynomial.legendre.leggauss(40)
    top = np.arccos(-d)
    t, w = 0.5 * top * (1 + x), 0.5 * top * w
    y, chord = -np.cos(t), np.sin(t)
    dy = np.sin(t) * w
    return [
        np.sum(2 * chord * dy),
        np.sum(2 * chord * y * dy),
        np.sum(2 / 3 * chord**3 * dy),
        np.sum(2 * chord * y * y * dy),
    ]


@pytest.mark.parametrize("d", [-0.999, -0.4, 0.0, 0.3, 0.95])
def test_disc_segment_is_the_integral_over_the_segment(d):
    # entire integrand: what is left is round-off of 40 terms and of the tabulated weights
    assert_allclose(disc_segment(d), by_quadrature(d), rtol=0, atol=100 * EPS)


def test_disc_segment_ends_at_nothing_and_at_the_whole_disc():
    assert disc_segment(-1.0) == (0.0, 0.0, 0.0, 0.0)
    assert_allclose(disc_segment(2.0), [np.pi, 0.0, np.pi / 4, np.pi / 4], rtol=0, atol=0)


def half_height(r2, r3, a, b):
    """Half the vertical extent of an ellipse, Herault 2020, eq. (27)."""
    return float(np.hypot(a * r2, b * r3))


def wet_ellipse(p3, r2, r3, a, b):
    """Moments of the wet part of an ellipse that the surface cuts, its centre at the height p3."""
    w = half_height(r2, r3, a, b)
    return cut_ellipse(-p3 / w, a * r2 / w, b * r3 / w, a, b)


@pytest.mark.parametrize("angle", [0.0, 0.4, 2.0, -2.5])
@pytest.mark.parametrize("level", [-0.7, 0.0, 0.5])
def test_wet_ellipse_against_a_grid_of_its_points(angle, level):
    """Moments by counting cells; the ellipse turned by `angle`, its centre at `level` half heights."""
    a, b = 0.3, 0.7
    r2, r3 = 0.8 * np.sin(angle), 0.8 * np.cos(angle)
    p3 = level * half_height(r2, r3, a, b)
    n = 2000
    u, v = np.meshgrid((np.arange(n) + 0.5) / n * 2 - 1, (np.arange(n) + 0.5) / n * 2 - 1)
    q2, q3 = a * u, b * v
    inside = (u * u + v * v < 1) & (p3 + r2 * q2 + r3 * q3 < 0)
    cell = 4 * a * b / n**2
    counted = [np.sum(inside * f) * cell for f in (1, q2, q3, q2 * q2, q3 * q3, q2 * q3)]
    # cells along the border (about 6 n of them) count with a random half: error of order n^-3/2 of the area
    assert_allclose(wet_ellipse(p3, r2, r3, a, b), counted, rtol=0, atol=40 * a * b * n**-1.5)


def test_dry_part_and_wet_part_make_the_whole():
    """Turning the section upside down swaps them."""
    a, b, p3, r2, r3 = 0.02, 0.03, 0.005, 0.6, -0.5
    below = np.array(wet_ellipse(p3, r2, r3, a, b))
    above = np.array(wet_ellipse(-p3, -r2, -r3, a, b))
    area = np.pi * a * b
    whole = [area, 0.0, 0.0, area * a * a / 4, area * b * b / 4, 0.0]
    assert_allclose(below + above, whole, rtol=0, atol=10 * EPS * area)


@pytest.mark.parametrize("angle", [0.3, np.pi / 4, 1.4, 2.5, -2.0])
@pytest.mark.parametrize("share", [-0.99, -0.5, 0.0, 0.2, 0.9])
def test_cut_square_is_the_integral_over_the_wet_part(angle, share):
    """Moments by strips across axis 2, in Gauss points between the kinks of the strips' height."""
    n2, n3 = np.cos(angle), np.sin(angle)
    d = share * (abs(n2) + abs(n3))
    x, w = np.polynomial.legendre.leggauss(8)
    kinks = np.sort([-1.0, 1.0, *(q for q in ((d - n3) / n2, (d + n3) / n2) if -1 < q < 1)])
    expected = np.zeros(6)
    for low, high in pairwise(kinks):
        for q, weight in zip(0.5 * (low + high) + 0.5 * (high - low) * x, 0.5 * (high - low) * w, strict=True):
            level = np.clip((d - n2 * q) / n3, -1, 1)
            bottom, top = (-1.0, level) if n3 > 0 else (level, 1.0)
            one, two, three = (top**k - bottom**k for k in (1, 2, 3))
            expected += weight * np.array([one, q * one, two / 2, q * q * one, three / 3, q * two / 2])
    assert_allclose(cut_square(d, n2, n3)[:6], expected, rtol=0, atol=100 * EPS)


@pytest.mark.parametrize("angle", [0.0, 0.3, np.pi / 4, 2.5])
def test_chord_of_a_square_is_the_slope_of_its_wet_area(angle):
    n2, n3 = np.cos(angle), np.sin(angle)
    d, h = 0.4, 1e-5
    slope = (cut_square(d + h, n2, n3)[0] - cut_square(d - h, n2, n3)[0]) / (2 * h)
    *_, m2, m3, l2, l3 = cut_square(d, n2, n3)
    # the area is a polynomial of degree two between corners: only round-off over h
    assert_allclose(2 * np.hypot(l2, l3), slope, rtol=1e-9)
    for sign in (-1, 1):  # both ends lie on the line and on the outline
        end = np.array([m2 + sign * l2, m3 + sign * l3])
        assert_allclose(end @ [n2, n3], d, atol=4 * EPS)
        assert_allclose(np.abs(end).max(), 1.0, atol=4 * EPS)


@pytest.mark.parametrize("d", [-0.7, 0.0, 0.4])
def test_square_with_a_level_side_is_cut_into_rectangles(d):
    expected = [2 * (1 + d), d * d - 1, 0, 2 / 3 * (1 + d**3), 2 / 3 * (1 + d), 0, d, 0, 0, 1]
    assert_allclose(np.abs(cut_square(d, 1.0, 0.0)), np.abs(expected), rtol=0, atol=4 * EPS)


def test_cut_square_ends_at_nothing_and_at_the_whole_square():
    assert_allclose(cut_square(-1.5, 0.6, 0.8), [0.0] * 10, rtol=0, atol=0)
    assert_allclose(cut_square(1.5, 0.6, 0.8)[:6], [4, 0, 0, 4 / 3, 4 / 3, 0], rtol=1e-15, atol=EPS)
