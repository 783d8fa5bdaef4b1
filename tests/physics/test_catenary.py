"""One uniform line in gravity: closed forms, published numbers, symmetries, limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from ropewalk.physics import catenary as cat

INF = np.inf

H_A, V_A, H_B, V_B, GROUND_START, GROUND_END, MISS, STIFFNESS = range(8)  # numbers of a record of SOLUTION


def record(row):
    """A row of numbers as the record that kernels take, in the same memory."""
    return row.view(cat.SOLUTION)[0]


def solve(dx, dz, L, EA, w, CB=0.0, height=INF):
    """Status and solution row of one line."""
    row = np.empty(19)
    return cat.solve_line(
        float(dx), float(dz), float(L), float(EA), float(w), float(CB), float(height), record(row)
    ), row


def end_of(dx, dz, L, EA, w, CB, status, row):
    return cat.line_shape(np.array([float(L)]), dx, dz, L, EA, w, CB, status, record(row))[0]


# dx, dz, L, EA, w, CB, height, then H_B, V_B, H_A, V_A, grounded length as printed
EXACT = [
    (400, 200, 500, 7.51e12, 800, 0.0, 0, 96643.4535471, 237751.768034, 96643.4535471, 0, 202.810289957),
    (400, 200, 500, 7.51e12, 800, 0.1, 0, 96643.4541591, 237751.768446, 80418.6310038, 0, 202.810289442),
    (400, 200, 500, 7.51e12, 200, 0.0, INF, 43694.6046221, 77634.4105458, 43694.6046221, -22365.5894542, 0),
    (
        246.22420940032947,
        263.55766330843164,
        360.63566262396927,
        7e8,
        3.08735,
        0.0,
        INF,
        58377.2414227,
        63044.4129559,
        58377.2414227,
        61931.0044429,
        0,
    ),
]


@pytest.mark.parametrize("case", EXACT)
def test_exact_statics_of_single_lines(case):
    """Grounded without and with friction, suspended, nearly taut; 50-digit solutions of the closed form."""
    *line, h_b, v_b, h_a, v_a, grounded = case
    _, row = solve(*line)
    # twelve digits are printed
    got = [row[H_B], row[V_B], row[H_A], row[V_A], row[GROUND_END] - row[GROUND_START]]
    assert_allclose(got, [h_b, v_b, h_a, v_a, grounded], rtol=1e-11, atol=1e-9)


# depth, anchor radius, fairlead radius, fairlead z, L, D, mass, EA; H, V, tension, grounded, K11, K33, K66
MOORINGS = {
    "OC3": (
        (320, 853.87, 5.2, -70, 902.2, 0.09, 77.7066, 384.243e6),
        (736938.851, 535727.850, 911089.018, 134.785529),
        (41181.20446, 11941.51492, 1.156668628e7),
    ),
    "OC4": (
        (200, 837.6, 40.868, -14, 835.35, 0.0766, 113.35, 753.6e6),
        (907498.806, 631106.727, 1105373.142, 242.906870),
        (70836.04509, 19140.46953, 1.169701670e8),
    ),
}


@pytest.mark.parametrize("name", MOORINGS)
def test_reference_moorings(name):
    """OC3-Hywind and OC4 DeepCwind: fairlead force, grounded length, surge, heave and yaw stiffness of three lines."""
    (depth, anchor, fairlead, z, L, D, mass, EA), forces, stiffness = MOORINGS[name]
    w = 9.80665 * (mass - 1025 * np.pi / 4 * D**2)
    dx = anchor - fairlead
    _, row = solve(dx, z + depth, L, EA, w, 0.0, 0.0)
    H, V = row[H_B], row[V_B]
    # half a unit of the last digit printed
    assert_allclose([H, V, np.hypot(H, V)], forces[:3], atol=5e-4, rtol=0)
    assert_allclose(row[GROUND_END], forces[3], atol=5e-7, rtol=0)
    k = row[STIFFNESS:].reshape(4, 3)
    total = [1.5 * (k[2, 0] + H / dx), 3 * k[3, 2], 3 * H * fairlead * anchor / dx]
    assert_allclose(total, stiffness, rtol=1e-9)  # ten digits are printed


def test_static_numbers_of_three_experiments():
    """Exact statics printed with the Lindahl chain, the OrcaFlex chain and the Lowe & Langley jumper."""
    _, lindahl = solve(32.554, 3.3, 33.0, 1e4, 0.0818 * 9.81 * (1 - 1000 / 7800), 0.0, 0.0)
    top = np.hypot(lindahl[H_B], lindahl[V_B])
    # half a unit of the last digit printed, here and below
    assert_allclose([lindahl[H_B], top], [20.3830, 22.6866], atol=5e-5, rtol=0)
    assert_allclose(lindahl[GROUND_END], 18.762, atol=5e-4)
    w = 9.80665 * (390 - 1025 * np.pi / 4 * 0.252**2)
    for raised, numbers in ((0.0, (2070.11, 1406.15)), (0.2345, (2064.09, 1400.90))):
        _, chain = solve(700, 200 - raised, 760, 1.674e9, w, 0.0, 0.0)
        assert_allclose([np.hypot(chain[H_B], chain[V_B]), chain[H_A]], np.array(numbers) * 1e3, atol=5)
    _, jumper = solve(100, 50, 170, 500e6, 9.807 * (165 - 1000 * np.pi / 4 * 0.396**2))
    assert_allclose(jumper[[H_B, V_B]], [11472.3, 45722.2], atol=0.05)


def test_vertical_hang_under_a_tip_load():
    """L 1000, w 300, EA 5e7, 2e5 N at the tip: stretched by 7.0."""
    _, row = solve(0.0, 1007.0, 1000.0, 5e7, 300.0)
    assert_allclose(row[:4], [0.0, 2e5, 0.0, 5e5], rtol=1e-12)  # the stretch is a difference, 1e-16 * 1e3 / 7


@pytest.mark.parametrize("EA", [INF, 1e3, 20.0])
def test_level_catenary_against_its_textbook_form(EA):
    """Level ends: dx = 2 (H/w) asinh(wL/2H) + HL/EA."""
    w, L, H = 2.0, 10.0, 3.7
    dx = 2 * H / w * np.arcsinh(w * L / (2 * H)) + H * L / EA
    status, row = solve(dx, 0.0, L, EA, w)
    assert status == cat.SUSPENDED
    # round-off times a condition number near 5
    assert_allclose(row[: V_B + 1], [H, -w * L / 2, H, w * L / 2], rtol=1e-14)


@pytest.mark.parametrize("CB", [0.0, 0.2, 5.0])
@pytest.mark.parametrize("EA", [2e3, 1e9])
def test_grounded_line_against_its_equations(CB, EA):
    """The grounded equations of [Jonkman2007] hold for the forces found, evaluated with 64-bit mantissas."""
    dx, dz, L, w = 88.0, 30.0, 100.0, 7.0
    status, row = solve(dx, dz, L, EA, w, CB, 0.0)
    assert status == cat.GROUNDED
    H, V = np.longdouble(row[H_B]), np.longdouble(row[V_B])
    bed = L - V / w
    x = bed + H / w * np.arcsinh(V / H) + H * L / EA
    if CB > 0:
        xb = bed - H / (CB * w)
        x += CB * w / (2 * EA) * (-(bed**2) + xb * max(xb, 0))
    z = H / w * (np.sqrt(1 + (V / H) ** 2) - 1) + V**2 / (2 * EA * w)
    # a few units of round-off in H and V
    assert_allclose([float(x), float(z)], [dx, dz], rtol=2e-15)
    assert_allclose(row[H_A], max(row[H_B] - CB * w * row[GROUND_END], 0.0), rtol=1e-13)


def test_integration_of_the_line_arrives_at_b():
    """dr/ds = (1/T + 1/EA) n, dn/ds = (0, w): integrated from A by DOP853 with the forces found."""
    for dx, dz, EA, w in [(0.8, 0.3, 10.0, 1.0), (0.3, -0.6, INF, 1.0), (0.9, 0.2, 1e3, -2.0), (1.1, 0.4, 30.0, 1.0)]:
        _, row = solve(dx, dz, 1.0, EA, w)

        def slope(s, y, H=row[H_A], V=row[V_A], w=w, EA=EA):
            n = np.array([H, V + w * s])
            return n * (1 / np.hypot(*n) + 1 / EA)

        end = solve_ivp(slope, (0, 1), [0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        assert_allclose(end, [dx, dz], atol=1e-11)  # the integrator's tolerance times ten


def test_swapping_the_ends_mirrors_the_solution():
    """H_A <-> H_B and V_A <-> -V_B when dz changes sign and the height is that of the other end."""
    rng = np.random.default_rng(3)
    n = 400
    dx, dz, h = rng.uniform(0, 1.1, n), rng.uniform(-1, 1, n), rng.uniform(0, 0.4, n) * rng.integers(0, 2, n)
    EA, w, CB = 10.0 ** rng.uniform(1, 6, n), rng.choice([-1.0, 1.0], n), rng.choice([0.0, 0.4], n)
    height = np.maximum(-dz, 0.0) + h
    one = cat.solve_lines(dx, dz, 1.0, EA, w, CB, height)
    two = cat.solve_lines(dx, -dz, 1.0, EA, w, CB, height + dz)
    assert set(one.status) == {cat.SUSPENDED, cat.GROUNDED, cat.SLACK_ON_BED}
    assert_allclose(one.status, two.status)
    scale = np.abs(one.force).max(axis=(1, 2)) + 1.0
    back = two.force[:, ::-1] * [1.0, -1.0]
    # heights differ by round-off, which nearly taut lines (EA up to 1e6 wL) magnify as much
    assert np.max(np.abs(one.force - back).max(axis=(1, 2)) / scale) < 1e-9


def test_a_buoyant_line_is_a_heavy_one_upside_down():
    heavy = solve(0.7, 0.4, 1.0, 50.0, 1.3)[1]
    light = solve(0.7, -0.4, 1.0, 50.0, -1.3, 0.5, 0.4)[1]  # the bed touches it nowhere
    assert_allclose(light[:4], heavy[:4] * [1, -1, 1, -1], rtol=1e-15)
    k = heavy[STIFFNESS:].reshape(4, 3) * np.outer([1, -1, 1, -1], [1, -1, -1])
    assert_allclose(light[STIFFNESS:].reshape(4, 3), k, rtol=1e-14)


@pytest.mark.parametrize("CB", [0.0, 0.3, 4.0])
def test_level_u_on_the_bed_is_two_half_lines(CB):
    """By symmetry each half is a line anchored on the bed in the middle, pulled from its own end."""
    dx, L, EA, w, h = 95.0, 100.0, 5e3, 10.0, 6.0
    status, row = solve(dx, 0.0, L, EA, w, CB, h)
    _, half = solve(dx / 2, h, L / 2, EA, w, CB, 0.0)
    assert status == cat.GROUNDED
    assert_allclose(row[[H_A, H_B, V_B]], half[[H_B, H_B, V_B]], rtol=1e-13)
    assert_allclose(row[V_A], -row[V_B], rtol=1e-13)
    assert_allclose(row[GROUND_END] - row[GROUND_START], 2 * half[GROUND_END], rtol=1e-13)


def test_slack_line_on_the_bed_hangs_straight_down():
    """Longer than the L-shape: the hanging part is h long and stretched by its own weight."""
    h, w, EA = 20.0, 5.0, 1e4
    status, row = solve(10.0, h, 100.0, EA, w, 0.5, 0.0)
    length = row[V_B] / w
    assert status == cat.SLACK_ON_BED
    assert_allclose(length + w * length**2 / (2 * EA), h, rtol=1e-14)
    assert_allclose(row[[H_A, V_A, H_B, GROUND_END]], [0, 0, 0, 100 - length], rtol=1e-14)


def test_line_lying_on_the_bed():
    """Slack if longer than the span, else a bar; friction lessens what the bar's middle carries."""
    assert solve(10.0, 0.0, 11.0, INF, 5.0, 0.5, 0.0)[0] == cat.SLACK_ON_BED
    assert solve(11.0, 0.0, 11.0, INF, 5.0, 0.5, 0.0)[0] == cat.SLACK_ON_BED
    assert solve(11.1, 0.0, 11.0, INF, 5.0, 0.5, 0.0)[0] == cat.TOO_SHORT
    _, row = solve(11.1, 0.0, 11.0, 1e4, 5.0, 0.0, 0.0)
    assert_allclose(row[H_A], 1e4 * 0.1 / 11, rtol=1e-12)  # 0.1 is a difference of numbers near 11
    _, row = solve(11.1, 0.0, 11.0, 1e4, 5.0, 0.5, 0.0)
    assert_allclose(row[H_A], 1e4 * 0.1 / 11 + 0.5 * 5.0 * 11 / 4, rtol=1e-12)


def test_vertical_lines():
    """A loop of two legs when slack; hanging by its weight; taut: V = EA e -+ wL/2."""
    w, L, EA = 3.0, 10.0, 100.0
    status, row = solve(0.0, 0.0, L, EA, w)
    assert status == cat.SLACK_HANGING
    assert_allclose(row[:4], [0, -w * L / 2, 0, w * L / 2])
    status, row = solve(0.0, 10.0, L, INF, w)
    assert_allclose(row[:4], [0, 0, 0, w * L], atol=1e-14)
    status, row = solve(0.0, -15.0, L, EA, w)
    assert status == cat.SUSPENDED
    assert_allclose(row[:4], [0, -50 - w * L / 2, 0, -50 + w * L / 2], rtol=1e-14)
    assert solve(0.0, 10.01, L, INF, w)[0] == cat.TOO_SHORT
    # with the bed 2 m below both ends, 4 m hang and 6 m lie
    status, row = solve(0.0, 0.0, L, INF, w, 0.0, 2.0)
    assert status == cat.SLACK_ON_BED
    assert_allclose(row[:6], [0, -6, 0, 6, 2, 8], rtol=1e-14)


def test_nearly_vertical_lines_approach_the_vertical_one():
    for dz in (-0.5, 0.0, 0.9):
        limit = solve(0.0, dz, 1.0, 40.0, 1.0)[1]
        near = solve(1e-280, dz, 1.0, 40.0, 1.0)[1]
        assert_allclose(near[:4], limit[:4], atol=1e-15)
    limit = solve(0.0, 1.3, 1.0, 40.0, 1.0)[1]
    near = solve(1e-9, 1.3, 1.0, 40.0, 1.0)[1]
    # second order in the slope, except that H is first order
    assert_allclose(near[:4], limit[:4], atol=1e-7)
    assert_allclose(near[STIFFNESS:], limit[STIFFNESS:], atol=1e-6)


def test_weightless_line():
    """Straight bar when taut, reported slack otherwise; the limit of a small weight of either sign."""
    status, row = solve(3.0, 4.0, 5.5, 100.0, 0.0)
    assert status == cat.SLACK_NEUTRAL
    assert not row.any()
    assert solve(3.0, 4.0, 4.5, INF, 0.0)[0] == cat.TOO_SHORT
    status, bar = solve(3.0, 4.0, 4.5, 100.0, 0.0)
    assert status == cat.SUSPENDED
    assert_allclose(bar[:4], np.array([0.6, 0.8, 0.6, 0.8]) * 100 * 0.5 / 4.5, rtol=1e-14)
    for w in (1e-9, -1e-9):
        near = solve(3.0, 4.0, 4.5, 100.0, w)[1]
        assert_allclose(near[:4], bar[:4], rtol=1e-9)  # first order in wL/T = 4e-10
        assert_allclose(near[STIFFNESS:], bar[STIFFNESS:], rtol=1e-8)


def test_inextensible_line_is_the_limit_of_a_stiff_one():
    stiff = solve(0.7, 0.5, 1.0, 1e12, 1.0)[1]
    rigid = solve(0.7, 0.5, 1.0, INF, 1.0)[1]
    assert_allclose(stiff, rigid, rtol=1e-9, atol=1e-12)  # first order in wL/EA = 1e-12


def test_refusals_say_why():
    assert solve(0.9, 0.5, 1.0, INF, 1.0)[0] == cat.TOO_SHORT
    assert "not longer" in cat.MEANING[cat.TOO_SHORT]
    for bad in [(-1, 0, 1, 1, 1), (1, 0, 0, 1, 1), (1, 0, 1, -1, 1), (1, np.nan, 1, 1, 1), (1, 0, 1, 1, np.nan)]:
        status, row = solve(*bad)
        assert status == cat.BAD_INPUT
        assert not row.any()
    assert solve(1, 0, 1, 1, 1, -0.1)[0] == cat.BAD_INPUT
    assert solve(1, 0, 1, 1, INF)[0] == cat.BAD_INPUT


def test_shape_is_continuous_and_in_balance():
    """Along the line: no jump of position, n rises by w per metre off the bed, the bed part lies at its height."""
    dx, dz, L, EA, w, CB, h = 95.0, 6.0, 100.0, 3e3, 10.0, 0.1, 5.0
    status, row = solve(dx, dz, L, EA, w, CB, h)
    assert status == cat.GROUNDED
    s = np.linspace(0, L, 2001)
    shape = cat.line_shape(s, dx, dz, L, EA, w, CB, status, record(row))
    strain = np.hypot(shape[:, 2], shape[:, 3]).max() / EA
    assert np.hypot(*np.diff(shape[:, :2], axis=0).T).max() <= (1 + strain) * (s[1] - s[0]) * (1 + 1e-12)
    on_bed = (s > row[GROUND_START]) & (s < row[GROUND_END])
    assert_allclose(shape[on_bed, 1], -h, rtol=1e-13)
    assert shape[:, 1].min() >= -h * (1 + 1e-13)
    assert_allclose(shape[~on_bed, 2], row[H_B], rtol=1e-15)
    assert shape[on_bed, 2].min() < row[H_B] - 0.4 * CB * w * on_bed.sum() * (s[1] - s[0])
    slope = np.gradient(shape[:, 0], s)[on_bed][2:-2]
    assert_allclose(slope, 1 + shape[on_bed, 2][2:-2] / EA, atol=1e-5)  # kink of the friction in the middle
    assert_allclose(end_of(dx, dz, L, EA, w, CB, status, row)[:2], [dx, dz], rtol=1e-14)
