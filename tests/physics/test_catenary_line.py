"""Lines of several pieces with point loads: closed forms, balance, agreement with the uniform line."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from ropewalk.physics import catenary as cat
from ropewalk.physics import catenary_line as pieces
from ropewalk.physics.catenary_free import PENETRATES

INF = np.inf

H_A, V_A, H_B, V_B, GROUND_START, GROUND_END, MISS, STIFFNESS = range(8)  # numbers of a record of SOLUTION


def record(row):
    """A row of numbers as the record that kernels take, in the same memory."""
    return row.view(cat.SOLUTION)[0]


def solve(dx, dz, L, EA, w, load, CB=0.0, height=INF):
    """Status and solution row of one line; the arguments may be lists."""
    row = np.empty(19)
    arrays = [np.array(a, dtype=float) for a in (L, EA, w, load)]
    return pieces.solve_pieces(float(dx), float(dz), tuple(arrays), float(CB), float(height), record(row)), row


def shape(s, dx, dz, L, EA, w, load, CB, status, row):
    arrays = [np.array(a, dtype=float) for a in (L, EA, w, load)]
    return pieces.pieces_shape(np.atleast_1d(np.array(s, dtype=float)), dx, dz, tuple(arrays), CB, status, record(row))


def test_point_load_in_the_middle():
    """w 50, EA 1e7, L 100, 2000 N down at s = 50, level ends 80 m apart: H 2992.11600645298."""
    status, row = solve(80.0, 0.0, [50.0, 50.0], [1e7, 1e7], [50.0, 50.0], [2000.0])
    assert status == cat.SUSPENDED
    assert_allclose(row[H_A], 2992.11600645298, rtol=1e-14)  # fifteen digits are printed
    assert_allclose(row[[V_A, V_B]], [-3500.0, 3500.0], rtol=1e-14)


def random_uniform(rng):
    """dx, dz, EA, w, CB, height of a line of unit length."""
    dx, dz = rng.uniform(0, 1.2) * (rng.random() > 0.05), rng.uniform(-1, 1) * (rng.random() > 0.05)
    EA = INF if rng.random() < 0.2 else 10 ** rng.uniform(1, 6)
    low = max(0.0, -dz) + rng.choice([0.0, rng.uniform(0, 0.4)])
    height = INF if rng.random() < 0.3 else low
    return dx, dz, EA, rng.choice([1.0, -1.0, 0.0], p=[0.7, 0.2, 0.1]), rng.choice([0.0, 0.3, 2.0]), height


def test_a_cut_uniform_line_is_the_uniform_line():
    """Forces, stiffness, touchdown, status and shape in every regime; two different ways of solving."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(1500):
        dx, dz, EA, w, CB, height = random_uniform(rng)
        parts = rng.dirichlet(np.ones(rng.integers(2, 5)))
        n = parts.size
        one = np.empty(19)
        first = cat.solve_line(dx, dz, 1.0, EA, w, CB, height, record(one))
        line = dx, dz, parts, np.full(n, EA), np.full(n, w), np.zeros(n - 1)
        status, row = solve(*line, CB, height)
        assert status == first
        seen.add(first)
        # measured 1e-13; round-off times the conditioning of nearly taut lines
        for part in (slice(0, 4), slice(GROUND_START, MISS), slice(STIFFNESS, None)):
            assert_allclose(row[part], one[part], rtol=0, atol=1e-10 * max(1.0, np.abs(one[part]).max()))
        if status > 0:
            a = shape([0.37, 1.0], *line, CB, status, row)
            b = cat.line_shape(np.array([0.37, 1.0]), dx, dz, 1.0, EA, w, CB, first, record(one))
            assert_allclose(a, b, rtol=1e-10, atol=1e-12 * max(1.0, np.abs(b).max()))
    assert seen == {-1, 1, 2, 3, 4, 5}


@pytest.mark.parametrize("deficit", [1e-2, 1e-5, 1e-9, 1e-13])
def test_nearly_taut_inextensible_pieces_keep_their_stiffness(deficit):
    """Cut in three, against the uniform line, whose determinant is a sum of positive terms."""
    dx, dz = 0.8 * (1 - deficit), 0.6 * (1 - deficit)
    one = np.empty(19)
    cat.solve_line(dx, dz, 1.0, INF, 1.0, 0.0, INF, record(one))
    _, row = solve(dx, dz, [0.25, 0.5, 0.25], [INF] * 3, [1.0] * 3, [0.0, 0.0])
    # the sum over pieces is right to 1e-15 of the length, so H to half of that over the deficit
    tolerance = 1e-13 + 2e-15 / deficit
    assert_allclose(row[:4], one[:4], rtol=tolerance)
    assert_allclose(row[STIFFNESS:], one[STIFFNESS:], rtol=1e-11 + 3 * tolerance)


def random_pieces(rng, floats):
    """dx, dz, L, EA, w, load, CB, height of a line of two to five pieces, unit length in all."""
    n = int(rng.integers(2, 6))
    dx, dz = rng.uniform(0, 1.2) * (rng.random() > 0.05), rng.uniform(-1, 1) * (rng.random() > 0.05)
    EA = 10 ** rng.uniform(1, 9, n)
    EA[rng.random(n) < (1.0 if rng.random() < 0.2 else 0.3)] = INF
    w = rng.uniform(0, 2, n)
    load = rng.choice([0.0, 1.0], n - 1) * rng.uniform(0, 1, n - 1)
    if floats:
        w *= rng.choice([-1, 1, 0], n)
        load *= rng.choice([-1, 1], n - 1)
    low = max(0.0, -dz) + rng.choice([0.0, rng.uniform(0, 0.4)])
    height = INF if rng.random() < 0.3 else low
    return dx, dz, rng.dirichlet(np.ones(n)), EA, w, load, rng.choice([0.0, 0.3, 2.0]), height


@pytest.mark.parametrize("floats", [False, True])
def test_random_lines_are_solved_or_truly_refused(floats):
    """Bar: end miss below 1e-9 L from the shape, forces in balance there, never below the bed."""
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(1500):
        *line, CB, height = random_pieces(rng, floats)
        dx, dz, L, EA, w, load = line
        status, row = solve(*line, CB, height)
        seen.add(status)
        assert np.isfinite(row).all()
        if status == cat.TOO_SHORT:
            assert np.isinf(EA).all()
            assert np.hypot(dx, dz) >= 1 - 1e-15
            continue
        if status == PENETRATES:
            assert floats
            assert np.isfinite(height)
            assert min(w.min(), load.min()) <= 0
            continue
        assert status > 0
        points = shape(np.linspace(0, L.sum(), 21), *line, CB, status, row)
        assert_allclose(points[-1, :2], [dx, dz], atol=1e-12)  # bar 1e-9, measured 1e-13
        assert_allclose(points[-1, 2:], row[[H_B, V_B]], rtol=1e-12, atol=1e-12)
        assert points[:, 1].min() >= -height - 1e-11
        if status == cat.SUSPENDED:
            assert_allclose(row[V_B] - row[V_A], w @ L + load.sum(), atol=1e-15 * (1 + abs(row[V_B])))
    assert seen >= ({-1, -4, 1, 3, 5} if floats else {-1, 1, 2, 3, 4})


def test_stiffness_is_the_derivative_of_the_forces():
    """Central differences, extrapolated; ends on the bed stay there."""
    rng = np.random.default_rng(2)
    checked = 0
    for _ in range(250):
        *line, CB, height = random_pieces(rng, False)
        status, row = solve(*line, CB, height)
        if status not in (cat.SUSPENDED, cat.GROUNDED) or line[0] < 1e-3:
            continue
        k = row[STIFFNESS:].reshape(4, 3)
        for q in range(3):
            if (q == 1 and height < 1e-3) or (q == 2 and height + line[1] < 1e-3):
                continue
            moved = {}
            for e in (-2e-5, -1e-5, 1e-5, 2e-5):
                there = (line[0] + e * (q == 0), line[1] + e * ((q == 2) - float(q == 1)), *line[2:])
                moved[e] = solve(*there, CB, height + e * (q == 1))
            if any(m[0] != status for m in moved.values()):
                continue
            fine = (moved[1e-5][1][:4] - moved[-1e-5][1][:4]) / 2e-5
            coarse = (moved[2e-5][1][:4] - moved[-2e-5][1][:4]) / 4e-5
            if np.abs(fine - coarse).max() > 1e-4 * np.abs(k).max():
                continue  # a kink: touchdown passes a junction, or friction uses up the tension
            assert_allclose((4 * fine - coarse) / 3, k[:, q], atol=2e-6 * np.abs(k).max())
            checked += 1
    assert checked > 150


def test_swapping_the_ends_mirrors_the_solution():
    rng = np.random.default_rng(4)
    for floats in (False, True):
        for _ in range(200):
            dx, dz, L, EA, w, load, CB, height = random_pieces(rng, floats)
            status, row = solve(dx, dz, L, EA, w, load, CB, height)
            other, back = solve(dx, -dz, L[::-1], EA[::-1], w[::-1], load[::-1], CB, height + dz)
            if {status, other} == {cat.SUSPENDED, cat.SLACK_HANGING}:
                continue  # no span: which name it gets is decided by round-off
            assert status == other
            scale = 1 + np.abs(row[:4]).max()
            # heights differ by round-off, which stiff lines magnify
            assert_allclose(back[:4][[2, 3, 0, 1]] * [1, -1, 1, -1], row[:4], atol=1e-7 * scale)


def test_clump_weight_on_the_bed_carries_its_share():
    """A clump at the touchdown: the bed bears what the leg does not lift, and friction counts it."""
    L, EA, w, load, CB = [60.0, 50.0], [INF, INF], [10.0, 10.0], [800.0], 0.2
    status, row = solve(99.0, 30.0, L, EA, w, load, CB, 0.0)
    assert status == cat.GROUNDED
    assert_allclose(row[GROUND_END], 60.0, rtol=1e-15)
    lifted = row[V_B] - 500.0
    assert 0.0 < lifted < 800.0
    assert_allclose(row[H_A], row[H_B] - CB * (600.0 + 800.0 - lifted), rtol=1e-13)
    # the leg alone: a uniform line from the clump to B
    leg = np.empty(19)
    cat.solve_line(39.0, 30.0, 50.0, INF, 10.0, 0.0, INF, record(leg))
    assert_allclose(row[[H_B, V_B]], leg[[H_B, V_B]], rtol=1e-12)


@pytest.mark.parametrize("CB", [0.0, 0.4, 6.0])
def test_symmetric_u_on_the_bed_is_two_half_lines(CB):
    """Chain in the middle, rope at both ends: each half is anchored on the bed in the middle."""
    L, EA, w = [20.0, 60.0, 20.0], [2e3, 9e3, 2e3], [3.0, 12.0, 3.0]
    status, row = solve(92.0, 0.0, L, EA, w, [5.0, 5.0], CB, 8.0)
    _, half = solve(46.0, 8.0, [30.0, 20.0], EA[1:], w[1:], [5.0], CB, 0.0)
    assert status == cat.GROUNDED
    assert_allclose(row[[H_A, H_B, V_B]], half[[H_B, H_B, V_B]], rtol=1e-12)
    assert_allclose(row[GROUND_END] - 50.0, half[GROUND_END], rtol=1e-12)


LAZY = (140.0, 90.0, [100.0, 40.0, 80.0], [1e5, 5e4, 1e5], [20.0, -15.0, 20.0], [0.0, -50.0])


def test_lazy_wave_with_its_foot_on_the_bed():
    """Integrated from the touchdown by DOP853: arrives at B, and the anchor has lost the friction."""
    dx, dz, L, EA, w, load = LAZY
    status, row = solve(*LAZY, 0.5, 0.0)
    assert status == cat.GROUNDED
    start = row[GROUND_END]
    assert 0.0 < start < 100.0
    s = np.cumsum([0.0, *L])
    y = np.array([start, 0.0])
    V = 0.0
    tensions = row[H_B] - 0.5 * 20.0 * (start - np.linspace(0, start, 100_001))
    y[0] += np.trapezoid(np.maximum(tensions, 0.0), dx=start / 100_000) / EA[0]
    for i in range(3):
        lo = max(s[i], start)

        def slope(t, _, V=V, lo=lo, i=i):
            n = np.array([row[H_B], V + w[i] * (t - lo)])
            return n * (1 / np.hypot(*n) + 1 / EA[i])

        y = solve_ivp(slope, (lo, s[i + 1]), y, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        V += w[i] * (s[i + 1] - lo) + (load[i] if i < 2 else 0.0)
    assert_allclose(y, [dx, dz], atol=1e-8)  # trapezium rule at the kink of the friction: 1e-5^2 * 1e2
    assert_allclose(V, row[V_B], rtol=1e-13)
    assert_allclose(row[H_A], max(row[H_B] - 0.5 * 20.0 * start, 0.0), rtol=1e-12)


def test_lazy_wave_from_either_end():
    dx, dz, L, EA, w, load = LAZY
    _, row = solve(*LAZY, 0.5, 0.0)
    _, back = solve(dx, -dz, L[::-1], EA[::-1], w[::-1], load[::-1], 0.5, dz)
    assert_allclose(back[:4][[2, 3, 0, 1]] * [1, -1, 1, -1], row[:4], rtol=1e-12)
    assert_allclose(sum(L) - back[[GROUND_END, GROUND_START]], row[[4, 5]], rtol=1e-12)
    k = row[STIFFNESS:].reshape(4, 3)
    turned = back[STIFFNESS:].reshape(4, 3)[[2, 3, 0, 1]][:, [0, 2, 1]] * [[1], [-1], [1], [-1]]
    assert_allclose(turned, k, rtol=1e-10)


def test_floats_that_let_the_line_down_elsewhere_are_refused():
    """The sag bend beyond the float reaches the bed: no closed form with two grounded parts is offered."""
    line = 170.0, 20.0, [60.0, 40.0, 120.0], [1e5] * 3, [20.0, -15.0, 20.0], [0.0, 0.0]
    assert solve(*line, 0.5, 0.0)[0] == PENETRATES
    assert "use another method" in cat.MEANING[PENETRATES]


def test_weightless_piece_goes_slack():
    """Two heavy ends hang straight down from A and B, the weightless rope between them carries nothing."""
    line = 4.0, 1.0, [2.0, 10.0, 3.0], [INF, 1e3, INF], [5.0, 0.0, 5.0], [7.0, 0.0]
    status, row = solve(*line)
    assert status == cat.SLACK_NEUTRAL
    assert_allclose(row[:4], [0.0, -17.0, 0.0, 15.0], rtol=1e-15)
    assert_allclose(shape([2.0, 12.0, 15.0], *line, 0.0, status, row)[:, :2], [[0, -2], [4, -2], [4, 1]], atol=1e-14)


def test_bad_input_is_refused():
    for change in ({"L": [1.0, 0.0]}, {"EA": [1.0, -1.0]}, {"w": [1.0, np.nan]}, {"load": [np.inf]}, {"dx": -1.0}):
        given = {"dx": 1.0, "dz": 0.0, "L": [1.0, 1.0], "EA": [9.0, 9.0], "w": [1.0, 1.0], "load": [0.0], **change}
        status, row = solve(**given)
        assert status == cat.BAD_INPUT
        assert not row.any()
