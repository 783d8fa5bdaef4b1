"""Waves of finite height: raschii, orders of Stokes' expansions, the equations of potential flow."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.physics import waves
from ropewalk.physics.steady_waves import highest, stokes, stream

G = 9.81
SEAS = [(2.0, 8.0, 20.0), (6.0, 10.0, 30.0), (3.0, 12.0, 8.0), (18.0, 12.0, 200.0)]  # height, period, depth


def kinematics(wave, depth, place, t, heading=0.0, phase=0.0):
    out = np.empty(waves.COLUMNS)
    waves.kinematics_at(waves.steady_table(wave, heading, phase, depth), np.asarray(place, float), t, depth, out)
    return out


@pytest.mark.parametrize(("height", "period", "depth"), SEAS)
def test_stream_function_is_that_of_raschii(height, period, depth):
    raschii = pytest.importorskip("raschii")
    wave = stream(height, period, depth, G)
    peer = raschii.FentonWave(height, depth, period=period, N=min(wave.elevation.size, 25), g=G)
    # raschii stops its Newton at about 1e-8
    assert_allclose(wave.wavenumber, 2.0 * np.pi / peer.length, rtol=1e-7)
    assert_allclose(wave.crest, np.ravel(peer.surface_elevation(0.0))[0] - depth, rtol=1e-6)
    for x, z in ((0.0, 0.8 * wave.crest), (0.1 * peer.length, -0.3 * depth), (0.3 * peer.length, -0.7 * depth)):
        found = kinematics(wave, depth, [x, 0.0, z], 0.0)
        u, w = np.ravel(peer.velocity(x, z + depth))
        assert_allclose([found[0], found[2]], [u, w], rtol=1e-5, atol=1e-6 * wave.velocity[0])


@pytest.mark.parametrize("depth", [30.0, np.inf])
def test_stokes_fifth_order_misses_by_the_sixth(depth):
    """Wave number to H^6, velocities to H^6, surface over height to H^5, against the stream function."""
    misses = []
    for height in (2.0, 4.0):
        five, exact = stokes(height, 10.0, depth, G, 5), stream(height, 10.0, depth, G)
        misses.append([
            abs(five.wavenumber / exact.wavenumber - 1.0),
            np.max(np.abs(five.velocity - exact.velocity[:5])),
            np.max(np.abs(five.elevation - exact.elevation[:5])) / height,
        ])  # fmt: skip
    order = np.log2(np.divide(misses[1], misses[0]))
    assert_allclose(order, [6.0, 6.0, 5.0], atol=0.25)  # higher orders still show at a steepness of 3 %


def test_stokes_second_order_is_the_textbook():
    """eta_2 = k H^2 / 16 cosh kh (2 + cosh 2kh) / sinh^3 kh, u_2 = 3 k H^2 omega / 16 cosh 2k(z+h) / sinh^4 kh."""
    height, period, depth = 1.0, 9.0, 15.0
    wave = stokes(height, period, depth, G, 2)
    k, kh = wave.wavenumber, wave.wavenumber * depth
    assert_allclose(k, waves.wavenumber(wave.omega, depth, G), rtol=1e-10)
    assert_allclose(wave.elevation[1], k * height**2 / 16 * np.cosh(kh) * (2 + np.cosh(2 * kh)) / np.sinh(kh) ** 3)
    assert_allclose(wave.velocity[1], 3 / 16 * k * height**2 * wave.omega * np.cosh(2 * kh) / np.sinh(kh) ** 4)


@pytest.mark.parametrize(("height", "period", "depth"), SEAS)
def test_surface_is_a_streamline_of_constant_pressure(height, period, depth):
    """Kinematic and dynamic conditions on the surface, from the kernels alone."""
    wave = stream(height, period, depth, G)
    c = wave.omega / wave.wavenumber
    table = waves.steady_table(wave, 0.0, 0.0, depth)
    heads = []
    for x in np.linspace(0.0, np.pi / wave.wavenumber, 17):
        eta, slope, _, rate = waves.surface(table, x, 0.0, 0.0, 1.0)
        u, _, w = kinematics(wave, depth, [x, 0.0, eta], 0.0)[:3]
        # harmonics left out are below 1e-7 of the height, times the highest wave number kept
        assert w == pytest.approx(rate + u * slope, abs=1e-4 * wave.velocity[0])
        heads.append(0.5 * ((u - c) ** 2 + w**2) + G * eta)
    assert np.ptp(heads) < 1e-4 * G * height


def test_deep_water_is_the_limit_of_depth():
    deep, finite = stream(10.0, 12.0, np.inf, G), stream(10.0, 12.0, 2000.0, G)
    assert_allclose(deep.elevation, finite.elevation, atol=1e-12)
    place = [3.0, 0.0, -20.0]
    assert_allclose(kinematics(deep, np.inf, place, 1.0), kinematics(finite, 2000.0, place, 1.0), atol=1e-11)


def test_wave_travels_towards_its_heading_with_its_crest_at_its_phase():
    wave = stream(3.0, 8.0, 25.0, G)
    table = waves.steady_table(wave, np.pi / 2, 0.7, 25.0)
    t = 0.7 / wave.omega  # crest at the origin
    assert waves.elevation(table, 0.0, 0.0, t, 1.0) == pytest.approx(wave.crest, rel=1e-12)
    later = t + 2.0
    y = 2.0 * wave.omega / wave.wavenumber
    assert waves.elevation(table, 55.0, y, later, 1.0) == pytest.approx(wave.crest, rel=1e-12)


def test_wave_above_the_highest_is_refused():
    with pytest.raises(ValueError, match="of the highest wave"):
        stream(7.5, 12.0, 8.0, G)


def test_lowest_waves_are_linear():
    wave = stream(1e-10, 10.0, 30.0, G)
    assert_allclose(wave.elevation, [0.5e-10])
    assert_allclose(wave.wavenumber, waves.wavenumber(wave.omega, 30.0, G), rtol=1e-12)
    low, higher = stream(2.4e-5, 10.0, 30.0, G), stream(2.6e-5, 10.0, 30.0, G)  # on both sides of the limit
    assert_allclose(low.velocity[0] / 2.4, higher.velocity[0] / 2.6, rtol=1e-6)


def test_solitary_waves_are_refused():
    with pytest.raises(ValueError, match="give a shorter period"):
        stream(5.0, 60.0, 20.0, G)


def test_highest_wave_in_deep_water_is_a_seventh_of_its_length():
    assert highest(2.0 * np.pi / 100.0, np.inf) == pytest.approx(14.1, abs=0.1)
