"""Every random line is solved or truly refused, and its stiffness is the derivative of its forces."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.physics import catenary as cat
from ropewalk.physics.catenary_free import SOLUTION

N = 20_000


def random_lines(seed, n=N):
    """dx, dz, L, EA, w, CB, height over the whole range; L = 1."""
    rng = np.random.default_rng(seed)
    dx = rng.uniform(0.0, 1.2, n)
    dx[rng.random(n) < 0.05] = 0.0
    dz = rng.uniform(-1.0, 1.0, n)
    dz[rng.random(n) < 0.05] = 0.0
    near = rng.random(n) < 0.1  # within 1e-12 .. 1e-2 of taut
    scale = (1.0 + rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-12, -2, n)) / np.hypot(dx, dz + 1e-300)
    dx, dz = np.where(near, dx * scale, dx), np.where(near, dz * scale, dz)
    EA = np.where(rng.random(n) < 0.2, np.inf, 10.0 ** rng.uniform(1, 9, n))
    w = rng.choice([1.0, -1.0, 0.0], n, p=[0.6, 0.3, 0.1])
    low = np.maximum(-dz, 0.0) + np.where(rng.random(n) < 0.5, 0.0, rng.uniform(0, 0.5, n))
    height = np.where(rng.random(n) < 0.4, np.inf, low)
    return dx, dz, np.ones(n), EA, w, rng.choice([0.0, 0.3, 2.0], n), height


def test_twenty_thousand_random_lines():
    """Bar: end miss below 1e-9 L, recomputed from the shape, or inextensible and shorter than the span."""
    lines = random_lines(2024)
    dx, dz, L, EA, _, _, _ = lines
    result = cat.solve_lines(*lines)
    for array in result:
        assert np.isfinite(array).all()
    refused = result.status < 0
    assert (result.status[refused] == cat.TOO_SHORT).all()
    assert np.isinf(EA[refused]).all()
    assert (np.hypot(dx, dz)[refused] >= L[refused] * (1 - 1e-15)).all()
    assert not (np.isinf(EA) & (np.hypot(dx, dz) > L * (1 + 1e-15)) & ~refused).any()
    assert set(result.status) == {-1, 1, 2, 3, 4, 5}
    rows = np.hstack([result.force.reshape(N, 4), result.ground, result.miss[:, None], result.stiffness.reshape(N, 12)])
    solutions = rows.reshape(-1).view(SOLUTION)
    end = np.ones(1)
    worst = 0.0
    for i in np.flatnonzero(~refused):
        x, z = cat.line_shape(end, *(c[i] for c in lines[:6]), result.status[i], solutions[i])[0, :2]
        worst = max(worst, np.hypot(x - dx[i], z - dz[i]))
    assert worst < 1e-9
    assert result.miss.max() < 1e-12


def test_bed_is_never_penetrated():
    lines = random_lines(7, 1500)
    result = cat.solve_lines(*lines)
    s = np.linspace(0.0, 1.0, 41)
    touching = 0
    for i in np.flatnonzero((result.status > 0) & np.isfinite(lines[6])):
        row = np.concatenate([result.force[i].ravel(), result.ground[i], [0.0], result.stiffness[i].ravel()])
        shape = cat.line_shape(s, *(c[i] for c in lines[:6]), result.status[i], row.view(SOLUTION)[0])
        assert shape[:, 1].min() >= -max(lines[6][i], 0.0) - 1e-14 * (1.0 + abs(lines[1][i]))
        touching += result.status[i] in (cat.GROUNDED, cat.SLACK_ON_BED)
    assert touching > 100


def differences(lines, i, step):
    """Central differences of the four forces by dx, z_A, z_B, and whether the regime stayed the same."""
    dx, dz, L, EA, w, CB, height = (c[i] for c in lines)
    moves = step * np.array([[1, 0, 0], [0, -1, 1], [0, 1, 0]])  # dx; z_A (dz and height); z_B
    plus = cat.solve_lines(dx + moves[0], dz + moves[1], L, EA, w, CB, height + moves[2])
    minus = cat.solve_lines(dx - moves[0], dz - moves[1], L, EA, w, CB, height - moves[2])
    same = np.unique(np.concatenate([plus.status, minus.status])).size == 1
    return ((plus.force - minus.force) / (2 * step)).reshape(3, 4).T, same


@pytest.mark.parametrize("kind", ["suspended", "on the bed"])
def test_stiffness_is_the_derivative_of_the_forces(kind):
    """Two central differences, extrapolated; heights well above zero so that no end leaves the bed."""
    rng = np.random.default_rng(11)
    n = 300
    dz = rng.uniform(-0.5, 0.5, n)
    low = rng.uniform(0.02, 0.2, n)
    EA = np.where(rng.random(n) < 0.3, np.inf, 10.0 ** rng.uniform(1, 4, n))
    dx = rng.uniform(0.05, 0.8, n)
    w = np.where(rng.random(n) < 0.3, -1.0, 1.0) if kind == "suspended" else np.ones(n)
    height = np.full(n, np.inf) if kind == "suspended" else np.maximum(-dz, 0) + low
    lines = dx, dz, np.ones(n), EA, w, rng.choice([0.0, 0.3, 2.0], n), height
    result = cat.solve_lines(*lines)
    checked = 0
    for i in np.flatnonzero(result.status > 0):
        fine, same = differences(lines, i, 2e-5)
        coarse, also = differences(lines, i, 4e-5)
        if not (same and also):
            continue
        k = result.stiffness[i].reshape(4, 3)
        # step^4 times a fifth derivative that grows near taut; round-off 1e-16 / 2e-5
        assert_allclose((4 * fine - coarse) / 3, k, atol=1e-6 * np.abs(k).max())
        checked += 1
    assert checked > 200


def test_stiffness_with_an_end_on_the_bed():
    """By dx and by the height of the upper end; the lower one stays down."""
    for CB in (0.0, 0.1, 3.0):
        for dz in (0.3, -0.3):
            base = (0.85, dz, 1.0, 50.0, 1.0, CB, max(-dz, 0.0))
            k = cat.solve_lines(*base).stiffness[0].reshape(4, 3)
            e = 1e-5
            move = np.array([e, -e, 0, 0])
            lift = np.array([0, 0, e, -e])
            top_a = lift if dz < 0 else 0 * lift
            f = cat.solve_lines(
                0.85 + move, dz + (lift if dz > 0 else -lift), 1.0, 50.0, 1.0, CB, max(-dz, 0.0) + top_a
            ).force.reshape(4, 4)
            upper = 2 if dz > 0 else 1
            # second order in the step, 1e-10 times third derivatives near 1e3
            assert_allclose((f[0] - f[1]) / (2 * e), k[:, 0], rtol=1e-6, atol=1e-7)
            assert_allclose((f[2] - f[3]) / (2 * e), k[:, upper], rtol=1e-6, atol=1e-7)
            assert not k[:, 3 - upper].any()


def test_stiffness_is_symmetric_without_friction():
    """Held by a potential: d(-F_A, F_B) is symmetric in (z_A, dx, z_B)."""
    lines = list(random_lines(5, 2000))
    lines[5] = np.zeros(2000)
    result = cat.solve_lines(*lines)
    k = result.stiffness.reshape(-1, 4, 3)
    generalised = np.stack([k[:, 2], -k[:, 1], k[:, 3]], axis=1)  # H_B, -V_A, V_B by dx, z_A, z_B
    scale = np.abs(generalised).max(axis=(1, 2)) + 1e-300
    skew = np.abs(generalised - generalised.transpose(0, 2, 1)).max(axis=(1, 2)) / scale
    assert skew.max() < 1e-12  # round-off


def test_nearly_taut_inextensible_lines_keep_their_digits():
    """Level line: sinh(q)/q = L/dx, H = wL/(2 sinh q), dH/dx = w/(2 (q - tanh q)), all as series in q."""
    for deficit in (1e-5, 1e-7, 1e-11, 2.0**-45):
        dx = 1.0 - deficit
        excess = (1.0 - dx) / dx  # the difference is exact
        y = 6 * excess
        for _ in range(5):
            y = 6 * excess / (1 + y / 20 * (1 + y / 42))  # next term y^3/3e5 < 1e-18
        q = np.sqrt(y)
        got = cat.solve_lines(dx, 0.0, 1.0, np.inf, 1.0)
        assert_allclose(got.force[0, 1, 0], 0.5 / np.sinh(q), rtol=1e-14)
        assert_allclose(got.stiffness[0, 1, 0, 0], 1.5 / (q**3 * (1 - 0.4 * y + 17 / 105 * y**2)), rtol=1e-12)


def test_nearly_straight_lines_on_the_bed_keep_their_digits():
    """Inextensible, small slope a at the top: fall L - dx = h (sinh a - a)/(cosh a - 1), H = w h/(cosh a - 1)."""
    for a in (1e-2, 1e-4, 1e-6):
        h, L = 250.0 * a, 1000.0  # half of the line is lifted
        y = a * a
        dx = L - h * a / 3 * (1 + y / 20) / (1 + y / 12)  # next terms y^2/840 < 2e-11
        fall = L - dx  # exact, and the same as what the kernel sees
        a = 3 * fall / h * (1 + y / 30)
        got = cat.solve_lines(dx, h, L, np.inf, 1.0, 0.3, 0.0)
        # terms in y^2 are left out: 1e-8 over some hundreds
        assert_allclose(got.force[0, 1, 0], 2 * h / (a * a) / (1 + a * a / 12), rtol=1e-9)
        # dx/dH = (a - 2 tanh(a/2))/w
        assert_allclose(got.stiffness[0, 1, 0, 0], 12 / a**3 / (1 - a * a / 10), rtol=1e-8)


@pytest.mark.parametrize("height", [0.0, 0.05])
@pytest.mark.parametrize("EA", [np.inf, 300.0])
def test_forces_do_not_jump_where_the_line_leaves_the_bed(EA, height):
    """Frictionless: the span at which the touchdown vanishes, bisected, has one H and V from either side."""
    lo, hi = 0.5, 0.979 if np.isinf(EA) else 1.1
    for _ in range(60):
        middle = 0.5 * (lo + hi)
        if cat.solve_lines(middle, 0.2, 1.0, EA, 1.0, 0.0, height).status[0] == cat.SUSPENDED:
            hi = middle
        else:
            lo = middle
    below, above = (cat.solve_lines(x, 0.2, 1.0, EA, 1.0, 0.0, height) for x in (lo, hi))
    assert below.status[0] == cat.GROUNDED
    assert above.status[0] == cat.SUSPENDED
    assert_allclose(below.force, above.force, atol=1e-13)  # round-off of two formulas
    # the grounded length ends at zero like (change of span)^1, so that its stiffness may jump
    assert below.ground[0, 1] - below.ground[0, 0] < 1e-13
