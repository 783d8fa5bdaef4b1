r"""Choice of the steps of the mixed elements, and the impacts of lines that come taut.

A damped element that comes taut takes a velocity away within its damping time, far less than a step: no step resolves
that, and none has to, since the momentum that is lost does not depend on how long it takes. Generalised-alpha makes a
rebound of it (it leaves the velocity along the element with the opposite sign), by which the element is slack again,
and comes taut again; and its smoothed accelerations remember the blow for as long as steps grow. Backward Euler has
neither: positions that obey the length equation twice in a row leave no velocity along the element. So where the step
in which an element comes taut, or the one after it, has too large an error, it is repeated by backward Euler, as
impulses are integrated in [Acary2008] and [Chen2013]; the accelerations after it are those before the blow.

The error of positions in such a step, :math:`c\, h\, \Delta v`, falls with h, but its ratio to h, which the tolerance
is about, does not. It may be as large as that of an ordinary step: what counts is the mean over the length of one.

The shortest step is repeated by backward Euler, too, where its error is too large: waves along stiff lines that no step
resolves die out by it. Generalised-alpha takes the acceleration at the start of a step for half of it, and gave a node
that a stretched line lets go twice the energy that the line had. A step in which no wave passes an element keeps that
energy, and stays as it is; where a stretched line parts, steps become so short until the wave from there has passed.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.element import slack_strain
from ropewalk.numerics.blockelimination import UNCOUNTED
from ropewalk.numerics.compile import kernel

SAFETY = 0.85  # of the step that would just meet the tolerance
GROWTH, SHRINK = 1.6, 0.3  # limits of a change of step
REJECT_ABOVE = 2.0  # times the tolerance: slightly bad steps are cheaper kept than repeated
FADING = 0.7  # by which the error of steps of impact falls from one to the next, at least; else it is no blow
BLOW, CALM = 1.0, 2.0  # kinds of steps by backward Euler: of impact; the shortest one, whose error is still too large
WILD_GAIN = 2.0  # of kinetic energy in a step of recovery, beyond which it is another root than that of the motion
LEAST_RATIO = 1e-6  # of error and tolerance: a line at rest has no error


@kernel(forceinline=True, **UNCOUNTED)
def came_taut(mesh, before, after):
    r"""Whether an element that cannot push was slack before a step, is not after it, and does not rebound by itself.

    Source: critical damping of two masses joined by a spring and a damper.

    It does not if its damping is above the critical one of its two nodes,

    .. math:: \tau^2 \left(\frac1{m_1} + \frac1{m_2}\right) \ge 4 L \frac{de}{dT};

    others are springs, and have to be resolved.    before, after : (n_elements,) tensions, N
    """
    element, node, law_data = mesh.element, mesh.node, mesh.law_data
    count = 0
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for e in range(e0, mesh.element_start[line + 1]):
            if before[e] <= 0.0 < after[e] and element[e].slack > 0.0:
                m1, m2 = node[n0 + e - e0].mass, node[n0 + e - e0 + 1].mass
                el = element[e]
                give = el.length * slack_strain(after[e], el, law_data, 0.0)[1]
                if element[e].damping ** 2 * (m1 + m2) >= 4.0 * give * m1 * m2:
                    count += 1
    return count > 0


@kernel(forceinline=True, **UNCOUNTED)
def _passage(e, i, mesh, T):
    r"""Time (s) in which an axial wave passes element e, which begins at node i; 0 if it has no mass or stretch.

    .. math:: \tau = \sqrt{\frac{2 m_1 m_2}{m_1 + m_2} L \frac{de}{dT}} = \frac{L}{c} \text{ of a uniform line}

    Source: two masses joined by a spring, which swing with the frequency sqrt(2)/tau.

    T : (n_elements,) N; slack elements are taken as taut ones without tension
    """
    element, m1, m2 = mesh.element[e], mesh.node[i].mass, mesh.node[i + 1].mass
    if m1 + m2 <= 0.0:
        return 0.0
    give = slack_strain(max(T[e], 0.0), element, mesh.law_data, 0.0)[1]
    return np.sqrt(2.0 * m1 * m2 / (m1 + m2) * element.length * max(give, 0.0))


@kernel(**UNCOUNTED)
def passages(line, mesh, T):
    """Least time (s) in which an axial wave passes an element of a line, and the time (s) for all of them; 0 if none.

    Source: tau = L/c of :func:`_passage`, and its sum.
    """
    least, total, first = np.inf, 0.0, mesh.node_start[line] - mesh.element_start[line]
    for e in range(mesh.element_start[line], mesh.element_start[line + 1]):
        time = _passage(e, first + e, mesh, T)
        total += time
        if time > 0.0:
            least = min(least, time)
    return least, total


@kernel(**UNCOUNTED)
def resolves_waves(h, mesh, before, after, level):
    """Whether a step of h (s) is short enough for the axial waves in all lines: h <= tau of :func:`_passage`.

    Source: tau = L/c of :func:`_passage`; docs/theory/mixed_elements.md, Steps.

    before, after : (n_elements,) tensions, N; where they change by less than `level` (N) there is no wave
    """
    for line in range(mesh.line.shape[0]):
        first = mesh.node_start[line] - mesh.element_start[line]
        for e in range(mesh.element_start[line], mesh.element_start[line + 1]):
            if abs(after[e] - before[e]) > level and _passage(e, first + e, mesh, after) < h:
                return False
    return True


@kernel(**UNCOUNTED)
def is_wild(mesh, X, Y, speed):
    r"""Whether a step of recovery from X to Y made kinetic energy out of nothing.

    .. math:: \sum m v_1^2 > g \sum m \left(v_0^2 + u^2\right)

    Source: balance of energy: a step that short lets no force do such work; g is WILD_GAIN.

    Elements that may push for one step are made as long as they are unstrained; those that lie in folds then throw
    their nodes about.    X, Y : (4, n, 3) before and after    speed : u, largest recent mean speed, m/s
    """
    before = 0.0
    after = 0.0
    for n in range(mesh.node.shape[0]):
        m = mesh.node[n].mass
        before += m * (X[1, n, 0] ** 2 + X[1, n, 1] ** 2 + X[1, n, 2] ** 2 + speed * speed)
        after += m * (Y[1, n, 0] ** 2 + Y[1, n, 1] ** 2 + Y[1, n, 2] ** 2)
    return after > WILD_GAIN * before


@kernel(**UNCOUNTED)
def keep_memory(X, Y):
    """After an impact step from X to Y: the scheme continues with its accelerations before the impact, X[3].

    Bookkeeping: the accelerations of the impact itself stay in Y[2], for forces and the ledger.
    """
    for n in range(X.shape[1]):
        for c in range(3):
            Y[3, n, c] = X[3, n, c]


@kernel(**UNCOUNTED)
def blow_goes_on(ratio, before):
    """Whether the step after an impact step is one, too: its error is large, and decreases.

    Source: docs/theory/mixed_elements.md, Impacts: e > REJECT_ABOVE and (first or e < FADING e_before), as shares.

    ratio, before : error over tolerance of this step and of the impact step before it, 0 if there was none
    """
    return ratio > REJECT_ABOVE and (before == 0.0 or ratio < FADING * before)


@kernel(**UNCOUNTED)
def allowed_ratio(h, ordinary, is_impact):
    """Error over tolerance above which a step is rejected: REJECT_ABOVE, or REJECT_ABOVE max(1, h_o/h) after an impact.

    Source: docs/theory/mixed_elements.md, Impacts: error c h dv <= that of an ordinary step h_o.

    h : s    ordinary : h_o, the step that the motion would allow without impacts, s
    """
    return REJECT_ABOVE * max(1.0, ordinary / h) if is_impact else REJECT_ABOVE


@kernel(**UNCOUNTED)
def shorter_step(h, ratio, ordinary, is_impact):
    r"""The step (s) after one that is rejected with this ratio of error and tolerance.

    .. math:: h \to h \max\left(s_0,\; \frac{c}{\sqrt{q}}\right), \qquad q = \text{error over tolerance}

    Source: step control for an error of second order, [Hairer1993], sec. II.4; after a blow the heading of this file.
    """
    if is_impact:  # the ratio does not fall with h, the error does
        return h * max(SHRINK, SAFETY * max(1.0, ordinary / h) / ratio)
    return h * max(SHRINK, SAFETY / np.sqrt(ratio))


@kernel(**UNCOUNTED)
def next_step(h, ratio, wanted, least):
    """The step (s) after one of length h that was accepted; h may be shortened to end at a given time.

    Source: h = h c / sqrt(q), [Hairer1993], sec. II.4, within SHRINK and GROWTH.
    """
    step = h * max(SHRINK, SAFETY / np.sqrt(max(ratio, LEAST_RATIO)))
    return max(min(step, GROWTH * max(wanted, h)), least)


@kernel(**UNCOUNTED)
def worst_element(trial, now):
    """The element whose tension (N) Newton's method changed most, max |dT|, for the message. Bookkeeping."""
    worst = 0
    largest = -1.0
    for e in range(now.size):
        d = abs(trial[e] - now[e])
        if not np.isfinite(d):
            return e
        if d > largest:
            largest = d
            worst = e
    return worst
