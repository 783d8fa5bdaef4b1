"""Airy waves: dispersion, surface, kinematics, stretching."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.physics import waves
from ropewalk.physics.waves import ACCELERATION, COLUMNS, ELEVATION, PRESSURE, STRETCHING_NONE, STRETCHING_WHEELER

G = 9.80665


def sea(depth, n=40, seed=1):
    """A short-crested sea, components from 4 to 20 s."""
    rng = np.random.default_rng(seed)
    omega = np.linspace(0.3, 1.6, n)
    return waves.wave_table(rng.uniform(0.02, 0.1, n), omega, rng.normal(0, 0.5, n), rng.uniform(0, 6, n), depth, G)


def unstretched(wave):
    wave = wave.copy()
    waves.WaveRows(*wave).stretching[:] = STRETCHING_NONE
    return wave


def at(wave, position, t, depth, stretching=STRETCHING_NONE, ramp=1.0):
    wave = wave.copy()
    waves.WaveRows(*wave).stretching[:] = stretching
    waves.WaveRows(*wave).amplitude[:] *= ramp
    out = np.empty(COLUMNS)
    waves.kinematics_at(wave, np.asarray(position, float), t, depth, out)
    return out


def textbook(wave, position, t, depth):
    """The hyperbolic formulas of Dean and Dalrymple (1991), ch. 4, as printed, summed with numpy."""
    x, y, z = position
    a, omega, k, kx, ky, phase, dx, dy = wave[:8]
    theta = kx * x + ky * y - omega * t + phase
    c = np.exp(k * z) if np.isinf(depth) else np.cosh(k * (z + depth)) / np.sinh(k * depth)
    s = np.exp(k * z) if np.isinf(depth) else np.sinh(k * (z + depth)) / np.sinh(k * depth)
    u, w = a * omega * c * np.cos(theta), a * omega * s * np.sin(theta)
    au, aw = a * omega**2 * c * np.sin(theta), -a * omega**2 * s * np.cos(theta)
    p = a * omega**2 / k * c * np.cos(theta)
    eta = a * np.cos(theta)
    return np.array([np.sum(v) for v in (u * dx, u * dy, w, au * dx, au * dy, aw, p, eta)])


@pytest.mark.parametrize(
    ("depth", "period", "k"),
    [(10, 10, 0.068032372132), (50, 10, 0.041541000630), (200, 12, 0.027956876822), (np.inf, 10, 0.040256782494)],
)
def test_wavenumber_reference(depth, period, k):
    """Reference wave numbers computed to 11 digits, g = 9.80665."""
    # half a unit of the last digit printed
    assert_allclose(waves.wavenumber(2 * np.pi / period, float(depth), G), k, atol=5e-13, rtol=0)


def test_wavenumber_satisfies_dispersion_to_round_off():
    """omega^2 = g k tanh(k h) from kh = 1e-5 to 1e3, given k and asked back."""
    k = np.logspace(-5, 3, 400)
    omega = np.sqrt(G * k * np.tanh(k))
    found = np.array([waves.wavenumber(w, 1.0, G) for w in omega])
    # omega carries an ulp of its own and k responds to it by a factor of at most 2
    assert_allclose(found, k, rtol=1e-14)


def test_still_water_has_no_wavenumber():
    assert waves.wavenumber(0.0, 10.0, G) == 0.0


@pytest.mark.parametrize("depth", [8.0, 60.0, np.inf])
def test_kinematics_match_the_textbook(depth):
    """Dean and Dalrymple (1991), ch. 4: all eight columns at many points."""
    wave = sea(depth)
    rng = np.random.default_rng(2)
    points = rng.uniform([-300, -300, -8], [300, 300, 0], (50, 3))
    out = np.empty((50, COLUMNS))
    wave = unstretched(wave)
    waves.kinematics(wave, points, 123.4, depth, out)
    want = np.array([textbook(wave, p, 123.4, depth) for p in points])
    # the exponential is good to 5e-14 of each component; phases of 700 rad carry 1e-13
    assert_allclose(out, want, atol=5e-13 * np.abs(want).max())


def test_pressure_gradient_and_velocity_rate_agree_with_euler():
    """Linearised Euler equations: du/dt = -grad(p)/rho; and div u = 0, du/dt by differences."""
    depth, x, t, h = 30.0, np.array([12.0, -7.0, -4.0]), 3.3, 1e-3
    wave = sea(depth)
    here = at(wave, x, t, depth)
    gradient = [(at(wave, x + e, t, depth) - at(wave, x - e, t, depth)) / (2 * h) for e in h * np.eye(3)]
    # central differences: h^2 k^2 / 6 = 1e-8 of the value, round-off 1e-13 / h
    assert_allclose(here[ACCELERATION : ACCELERATION + 3], [-g[PRESSURE] for g in gradient], atol=1e-8)
    assert_allclose(sum(g[i] for i, g in enumerate(gradient)), 0.0, atol=1e-8)
    rate = (at(wave, x, t + h, depth) - at(wave, x, t - h, depth)) / (2 * h)
    assert_allclose(here[ACCELERATION : ACCELERATION + 3], rate[:3], atol=1e-7)


def test_surface_conditions_hold_at_still_water():
    """w = d(eta)/dt and p/rho = g eta at z = 0; slopes by differences."""
    depth, t, h = 15.0, 40.0, 1e-3
    wave = sea(depth)
    eta, eta_x, eta_y, eta_t = waves.surface(wave, 5.0, 9.0, t, 1.0)
    out = at(wave, [5.0, 9.0, 0.0], t, depth)
    assert_allclose([out[2], out[PRESSURE], out[ELEVATION]], [eta_t, G * eta, eta], rtol=1e-11)
    difference_x = (waves.elevation(wave, 5.0 + h, 9.0, t, 1.0) - waves.elevation(wave, 5.0 - h, 9.0, t, 1.0)) / (2 * h)
    difference_y = (waves.elevation(wave, 5.0, 9.0 + h, t, 1.0) - waves.elevation(wave, 5.0, 9.0 - h, t, 1.0)) / (2 * h)
    assert_allclose([eta_x, eta_y], [difference_x, difference_y], atol=1e-9)


def test_wave_travels_towards_its_heading():
    """Heading 90 degrees: the crest that is at the origin at t = 0 is at y = +c t later, on x = anything."""
    wave = waves.wave_table([1.0], [0.8], [np.pi / 2], [0.0], np.inf, G)
    celerity = G / 0.8
    for x in (0.0, 300.0):
        assert_allclose(waves.elevation(wave, x, celerity * 5.0, 5.0, 1.0), 1.0, atol=2.5e-14, rtol=0.0)


def test_phase_goes_with_exp_minus_i_omega_t():
    """eta(0, 0, t) = Re(a exp(i phase) exp(-i omega t))."""
    wave = waves.wave_table([2.0], [0.7], [0.3], [0.4], 50.0, G)
    want = (2.0 * np.exp(0.4j) * np.exp(-0.7j * 3.0)).real
    assert_allclose(waves.elevation(wave, 0.0, 0.0, 3.0, 1.0), want, atol=2 * 2.5e-14, rtol=0.0)


def test_nothing_overflows_in_very_deep_water():
    """10 km with 1 s waves: k h = 4e4, where cosh(k h) is infinite."""
    wave = waves.wave_table([0.1], [2 * np.pi], [0.0], [0.0], 1e4, G)
    deep = waves.wave_table([0.1], [2 * np.pi], [0.0], [0.0], np.inf, G)
    for z in (-1e4, -5000.0, -10.0, -0.3, 0.0, 50.0):
        for kind in (STRETCHING_NONE, STRETCHING_WHEELER):
            out = at(wave, [1.0, 0.0, z], 0.2, 1e4, kind)
            assert np.isfinite(out).all()
            # k(z) differs by the finite depth of Wheeler's map, eta / h = 1e-5
            assert_allclose(out, at(deep, [1.0, 0.0, z], 0.2, np.inf, kind), rtol=1e-4, atol=1e-15)


def test_components_left_out_at_depth_are_negligible():
    """Summed to k |z| = 32 only; the rest is below exp(-32) = 1e-14 of its surface value."""
    wave = sea(np.inf, n=400)
    out = at(wave, [3.0, 4.0, -200.0], 9.0, np.inf)
    assert_allclose(out, textbook(wave, [3.0, 4.0, -200.0], 9.0, np.inf), atol=1e-14)


def test_water_is_still_below_the_bed_and_fades_into_it():
    depth = 10.0
    wave = sea(depth)
    on_bed = at(wave, [0, 0, -depth], 2.0, depth)[:7]
    assert np.all(at(wave, [0, 0, -depth - 1.001 * waves.BED_FADE], 2.0, depth)[:7] == 0.0)
    assert_allclose(at(wave, [0, 0, -depth - 0.5 * waves.BED_FADE], 2.0, depth)[:7], 0.5 * on_bed, rtol=1e-12)
    assert on_bed[2] == pytest.approx(0.0, abs=1e-14)
    assert np.abs(on_bed[:2]).max() > 0.01


@pytest.mark.parametrize("depth", [12.0, np.inf])
def test_wheeler_moves_the_still_water_profile_to_the_surface(depth):
    """Wheeler (1970): the value at z = eta is Airy's at 0, at the bed Airy's at the bed."""
    wave = sea(depth)
    eta = waves.elevation(wave, 2.0, 3.0, 7.0, 1.0)
    assert abs(eta) > 0.05
    stretched = at(wave, [2.0, 3.0, eta], 7.0, depth, STRETCHING_WHEELER)
    assert_allclose(stretched, at(wave, [2.0, 3.0, 0.0], 7.0, depth), rtol=1e-12)
    # pressure at the free surface is that of the air: p / rho = g eta
    assert_allclose(stretched[PRESSURE], G * eta, rtol=1e-12)
    z = -4.0
    image = z - eta if np.isinf(depth) else depth * (z - eta) / (depth + eta)
    assert_allclose(
        at(wave, [2, 3, z], 7.0, depth, STRETCHING_WHEELER)[:7], at(wave, [2, 3, image], 7.0, depth)[:7], rtol=1e-12
    )
    if np.isfinite(depth):
        at_bed = at(wave, [2, 3, -depth], 7.0, depth, STRETCHING_WHEELER)
        assert_allclose(at_bed, at(wave, [2, 3, -depth], 7.0, depth), rtol=1e-12, atol=1e-15)


def test_ramp_scales_the_sea():
    """Without stretching every column is proportional to the ramp."""
    wave = sea(20.0)
    assert_allclose(at(wave, [1, 2, -3], 4.0, 20.0, ramp=0.25), 0.25 * at(wave, [1, 2, -3], 4.0, 20.0), rtol=1e-13)


def test_table_does_not_depend_on_the_order_of_components():
    a, omega, phase = np.array([0.3, 0.2, 0.1]), np.array([0.9, 0.4, 0.6]), np.array([1.0, 2.0, 3.0])
    table = waves.wave_table(a, omega, 0.0, phase, 20.0, G)
    assert np.array_equal(table, waves.wave_table(a[::-1], omega[::-1], 0.0, phase[::-1], 20.0, G))
    assert np.all(np.diff(waves.WaveRows(*table).wavenumber) > 0)


def test_no_components_is_still_water():
    wave = waves.wave_table([], [], [], [], 20.0, G)
    assert np.all(at(wave, [1, 2, -3], 4.0, 20.0, STRETCHING_WHEELER) == 0.0)
    assert waves.surface(wave, 0.0, 0.0, 0.0, 1.0) == (0.0, 0.0, 0.0, 0.0)


def test_a_component_without_frequency_is_refused():
    with pytest.raises(ValueError, match=r"positive omega; the lowest is 0\.0 rad/s"):
        waves.wave_table([1.0], [0.0], [0.0], [0.0], 20.0, G)


def test_own_sine_cosine_and_exponential_hold_their_stated_errors():
    """Against numpy's, good to an ulp, of the part of a turn that is left: taking off whole turns is exact."""
    turns = np.random.default_rng(3).uniform(-1e4, 1e4, 20_000)
    values = np.array([waves._sincos(v) for v in turns])
    angle = 2.0 * np.pi * (turns - np.rint(turns))
    assert_allclose(values, np.c_[np.sin(angle), np.cos(angle)], rtol=0.0, atol=2.5e-14)
    x = np.linspace(-waves.DEEPEST, 0.0, 20_000)
    decay = np.array([waves._decay(v) for v in x])
    assert_allclose(decay, np.exp(x), rtol=5e-13, atol=0.0)
    assert_allclose(decay, np.exp(x), rtol=0.0, atol=2.5e-14)


def test_waves_are_brought_on_over_their_ramp():
    """Nothing at t = 0, half (by symmetry) at half the ramp, all after it; every quantity by one factor."""
    args = (1.0, 0.8, 0.3, 0.4, 30.0, 9.81)
    at_once, ramped = waves.wave_table(*args), waves.wave_table(*args, ramp=10.0)
    place = np.array([[3.0, -2.0, -4.0]])
    full, part = np.zeros((1, COLUMNS)), np.zeros((1, COLUMNS))
    for t, share in ((0.0, 0.0), (5.0, 0.5), (10.0, 1.0), (25.0, 1.0)):
        waves.kinematics(unstretched(at_once), place, t, 30.0, full)
        waves.kinematics(unstretched(ramped), place, t, 30.0, part)
        assert_allclose(part, share * full, rtol=1e-15, atol=0.0)
        expected = share * np.array(waves.surface(at_once, 3.0, -2.0, t, 1.0))
        assert_allclose(waves.surface(ramped, 3.0, -2.0, t, 1.0), expected, rtol=1e-15)


@pytest.mark.parametrize("depth", [12.0, np.inf])
def test_extrapolated_kinematics_follow_the_tangent_above_still_water(depth):
    """u(z) = u(0) + z du/dz(0) up to the surface, Airy's below; the slope from differences below still water."""
    wave, h = sea(depth), 1e-4
    t = max(np.arange(0.0, 60.0, 0.5), key=lambda t: waves.elevation(wave, 2.0, 3.0, t, 1.0))
    eta = waves.elevation(wave, 2.0, 3.0, t, 1.0)
    z = 0.8 * eta
    profile = [at(wave, [2, 3, -d], t, depth)[:7] for d in (0.0, h, 2 * h)]
    slope = (1.5 * profile[0] - 2.0 * profile[1] + 0.5 * profile[2]) / h
    found = at(wave, [2, 3, z], t, depth, waves.STRETCHING_EXTRAPOLATED)[:7]
    # one-sided differences of second order: h^2 k^3 z, below 1e-8
    assert_allclose(found, profile[0] + z * slope, atol=1e-8 * np.abs(profile[0]).max())
    below = [2, 3, -1.0]
    assert_allclose(at(wave, below, t, depth, waves.STRETCHING_EXTRAPOLATED), at(wave, below, t, depth), rtol=0.0)
