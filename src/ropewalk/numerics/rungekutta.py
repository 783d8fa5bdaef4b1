"""Explicit Runge-Kutta pairs as arrays, their error estimates, step control and dense output.

A kernel that steps an equation calls its right-hand side by name, so the loop over the stages stands
with the equation; what is common to all of them is here: coefficients, the weighted sums and the rule
for the next step.

Two pairs: Fehlberg 4(5) [Fehlberg1969] and Dormand-Prince 8(5,3) [Hairer1993], the coefficients as
published with the code DOP853.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import UNCOUNTED, kernel

FEHLBERG, DORMAND_PRINCE = 0, 1  # kinds of pair
STAGES = 16  # rows a stage memory needs: 13 with the first of the next step, 3 for dense output
DENSE_ROWS = 7  # rows of the dense output of DORMAND_PRINCE

SAFETY = 0.9  # of the step that would just meet the tolerance
SHRINK, GROW = 0.2, 8.0  # limits of the change of step, so that one odd estimate cannot ruin the next
SHRINK_AT_REJECT = 0.1  # lower limit after a rejected step

# Fehlberg 4(5): node, row of A; the step uses the fifth-order weights (local extrapolation).
F_C = np.array([0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0])
F_A = np.zeros((6, 6))
F_A[1, :1] = 1.0 / 4.0
F_A[2, :2] = 3.0 / 32.0, 9.0 / 32.0
F_A[3, :3] = 1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0
F_A[4, :4] = 439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0
F_A[5, :5] = -8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0
F_B = np.array([16.0 / 135.0, 0.0, 6656.0 / 12825.0, 28561.0 / 56430.0, -9.0 / 50.0, 2.0 / 55.0])
F_E = np.array([1.0 / 360.0, 0.0, -128.0 / 4275.0, -2197.0 / 75240.0, 1.0 / 50.0, 2.0 / 55.0])  # fifth minus fourth

# Dormand-Prince 8(5,3). Stage 12 is the derivative at the end of the step; 13 to 15 are for dense output.
D_C = np.zeros(STAGES)
D_A = np.zeros((STAGES, STAGES))
D_E3 = np.zeros(13)
D_E5 = np.zeros(13)
D_D = np.zeros((4, STAGES))
D_C[1] = 0.05260015195876773
D_C[2] = 0.0789002279381516
D_C[3] = 0.1183503419072274
D_C[4] = 0.2816496580927726
D_C[5] = 0.3333333333333333
D_C[6] = 0.25
D_C[7] = 0.3076923076923077
D_C[8] = 0.6512820512820513
D_C[9] = 0.6
D_C[10] = 0.8571428571428571
D_C[11] = 1.0
D_C[12] = 1.0
D_C[13] = 0.1
D_C[14] = 0.2
D_C[15] = 0.7777777777777778
D_A[1, [0]] = 0.05260015195876773
D_A[2, [0, 1]] = 0.0197250569845379, 0.0591751709536137
D_A[3, [0, 2]] = 0.02958758547680685, 0.08876275643042054
D_A[4, [0, 2, 3]] = 0.2413651341592667, -0.8845494793282861, 0.924834003261792
D_A[5, [0, 3, 4]] = 0.037037037037037035, 0.17082860872947386, 0.12546768756682242
D_A[6, [0, 3, 4, 5]] = 0.037109375, 0.17025221101954405, 0.06021653898045596, -0.017578125
D_A[7, [0, 3, 4, 5, 6]] = (
    0.03709200011850479,
    0.17038392571223998,
    0.10726203044637328,
    -0.015319437748624402,
    0.008273789163814023,
)
D_A[8, [0, 3, 4, 5, 6, 7]] = (
    0.6241109587160757,
    -3.3608926294469414,
    -0.868219346841726,
    27.59209969944671,
    20.154067550477894,
    -43.48988418106996,
)
D_A[9, [0, 3, 4, 5, 6, 7, 8]] = (
    0.47766253643826434,
    -2.4881146199716677,
    -0.590290826836843,
    21.230051448181193,
    15.279233632882423,
    -33.28821096898486,
    -0.020331201708508627,
)
D_A[10, [0, 3, 4, 5, 6, 7, 8, 9]] = (
    -0.9371424300859873,
    5.186372428844064,
    1.0914373489967295,
    -8.149787010746927,
    -18.52006565999696,
    22.739487099350505,
    2.4936055526796523,
    -3.0467644718982196,
)
D_A[11, [0, 3, 4, 5, 6, 7, 8, 9, 10]] = (
    2.273310147516538,
    -10.53449546673725,
    -2.0008720582248625,
    -17.9589318631188,
    27.94888452941996,
    -2.8589982771350235,
    -8.87285693353063,
    12.360567175794303,
    0.6433927460157636,
)
D_A[12, [0, 5, 6, 7, 8, 9, 10, 11]] = (
    0.054293734116568765,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    0.3111643669578199,
    -0.1521609496625161,
    0.20136540080403034,
    0.04471061572777259,
)
D_A[13, [0, 6, 7, 8, 9, 10, 11, 12]] = (
    0.056167502283047954,
    0.25350021021662483,
    -0.2462390374708025,
    -0.12419142326381637,
    0.15329179827876568,
    0.00820105229563469,
    0.007567897660545699,
    -0.008298,
)
D_A[14, [0, 5, 6, 7, 10, 11, 12, 13]] = (
    0.03183464816350214,
    0.028300909672366776,
    0.053541988307438566,
    -0.05492374857139099,
    -0.00010834732869724932,
    0.0003825710908356584,
    -0.00034046500868740456,
    0.1413124436746325,
)
D_A[15, [0, 5, 6, 7, 8, 12, 13, 14]] = (
    -0.42889630158379194,
    -4.697621415361164,
    7.683421196062599,
    4.06898981839711,
    0.3567271874552811,
    -0.0013990241651590145,
    2.9475147891527724,
    -9.15095847217987,
)
D_E3[[0, 5, 6, 7, 8, 9, 10, 11]] = (
    -0.18980075407240762,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    -0.4226823213237919,
    -0.1521609496625161,
    0.20136540080403034,
    0.02265179219836082,
)
D_E5[[0, 5, 6, 7, 8, 9, 10, 11]] = (
    0.01312004499419488,
    -1.2251564463762044,
    -0.4957589496572502,
    1.6643771824549864,
    -0.35032884874997366,
    0.3341791187130175,
    0.08192320648511571,
    -0.022355307863886294,
)
D_D[0, [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]] = (
    -8.428938276109013,
    0.5667149535193777,
    -3.0689499459498917,
    2.38466765651207,
    2.117034582445028,
    -0.871391583777973,
    2.2404374302607883,
    0.6315787787694688,
    -0.08899033645133331,
    18.148505520854727,
    -9.194632392478356,
    -4.436036387594894,
)
D_D[1, [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]] = (
    10.427508642579134,
    242.28349177525817,
    165.20045171727028,
    -374.5467547226902,
    -22.113666853125306,
    7.733432668472264,
    -30.674084731089398,
    -9.332130526430229,
    15.697238121770845,
    -31.139403219565178,
    -9.35292435884448,
    35.81684148639408,
)
D_D[2, [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]] = (
    19.985053242002433,
    -387.0373087493518,
    -189.17813819516758,
    527.8081592054236,
    -11.57390253995963,
    6.8812326946963,
    -1.0006050966910838,
    0.7777137798053443,
    -2.778205752353508,
    -60.19669523126412,
    84.32040550667716,
    11.99229113618279,
)
D_D[3, [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]] = (
    -25.69393346270375,
    -154.18974869023643,
    -231.5293791760455,
    357.6391179106141,
    93.40532418362432,
    -37.45832313645163,
    104.0996495089623,
    29.8402934266605,
    -43.53345659001114,
    96.32455395918828,
    -39.17726167561544,
    -149.72683625798564,
)
for _table in (F_C, F_A, F_B, F_E, D_C, D_A, D_E3, D_E5, D_D):
    _table.flags.writeable = False


@kernel(**UNCOUNTED)
def stage_state(y, h, K, row, n, m, out):
    r"""State at which a stage's derivative is taken: :math:`y + h \sum_{j<n} a_j K_j`, the first m entries.

    Source: [Hairer1993], sec. II.1: Y_n = y + h sum a_nj K_j.

    y : (>= m,)    K : (STAGES, >= m) derivatives so far    row : coefficients a_j    out : filled
    """
    for i in range(m):
        out[i] = 0.0
    for j in range(n):
        a = row[j]
        if a != 0.0:
            k = K[j]
            for i in range(m):
                out[i] += a * k[i]
    for i in range(m):
        out[i] = y[i] + h * out[i]


@kernel(**UNCOUNTED)
def error_norm(K, h, scale, kind):
    r"""Estimated error of a step over the tolerance; at most 1 is good enough.

    Fehlberg: the largest :math:`|h \sum e_j K_j| / \mathrm{scale}`. Dormand-Prince 8(5,3): the combination
    of the fifth- and third-order estimates of [Hairer1993], sec. II.10,
    :math:`h\, e_5^2 / \sqrt{e_5^2 + 0.01\, e_3^2}`, in root mean square.

    K : (STAGES, >= m)    scale : (m,) tolerance of each entry    kind : FEHLBERG or DORMAND_PRINCE
    """
    m = scale.size
    if kind == FEHLBERG:
        worst = 0.0
        for i in range(m):
            e = 0.0
            for j in range(6):
                e += F_E[j] * K[j, i]
            worst = max(worst, abs(h * e) / scale[i])
        return worst
    e5, e3 = 0.0, 0.0
    for i in range(m):
        a, b = 0.0, 0.0
        for j in range(13):
            a += D_E5[j] * K[j, i]
            b += D_E3[j] * K[j, i]
        e5 += (a / scale[i]) ** 2
        e3 += (b / scale[i]) ** 2
    if e5 == 0.0:
        return 0.0
    return abs(h) * e5 / np.sqrt((e5 + 0.01 * e3) * m)


@kernel(**UNCOUNTED)
def step_factor(error, accepted, kind):
    """Factor of the next step from the error of this one: SAFETY error^(-1/p), p = 5 or 8, within limits.

    Source: [Hairer1993], sec. II.4.
    """
    if error <= 0.0:
        return GROW
    power = -0.2 if kind == FEHLBERG else -0.125
    factor = SAFETY * error**power
    if accepted:
        return min(GROW, max(SHRINK, factor))
    return min(SAFETY, max(SHRINK_AT_REJECT, factor)) if np.isfinite(error) else SHRINK_AT_REJECT


@kernel(**UNCOUNTED)
def dense_rows(y0, y1, h, K, m, F):
    r"""Fill the rows F of the seventh-order interpolant over a Dormand-Prince step.

    .. math:: F_0 = y_1 - y_0, \quad F_1 = h k_1 - F_0, \quad F_2 = 2 F_0 - h (k_1 + k_{13}), \quad
              F_{3+i} = h \sum_j d_{ij} k_j

    Source: [Hairer1993], sec. II.10, as in the published code.

    y0, y1 : state before and after    K : all 16 stages    m : entries    F : (DENSE_ROWS, >= m), filled
    """
    for i in range(m):
        dy = y1[i] - y0[i]
        F[0, i] = dy
        F[1, i] = h * K[0, i] - dy
        F[2, i] = 2.0 * dy - h * (K[12, i] + K[0, i])
        for k in range(4):
            value = 0.0
            for j in range(STAGES):
                value += D_D[k, j] * K[j, i]
            F[3 + k, i] = h * value


@kernel(**UNCOUNTED)
def dense_value(y0, F, x, m, out):
    """The interpolant at y0 + x of the step, 0 <= x <= 1, from the rows of :func:`dense_rows`.

    Source: y = y_0 + x (F_0 + (1 - x) (F_1 + x (F_2 + ...))), [Hairer1993], sec. II.10.
    """
    for i in range(m):
        value = 0.0
        for k in range(DENSE_ROWS):
            value += F[DENSE_ROWS - 1 - k, i]
            value *= x if k % 2 == 0 else 1.0 - x
        out[i] = y0[i] + value
