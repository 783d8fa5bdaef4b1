r"""Choice of the steps of the mixed elements, and what lines that come taut ask of them.

An element that comes taut takes a velocity away within its damping time, far less than a step: no step resolves that,
and none has to, since the momentum that is lost does not depend on how long it takes. Generalised-alpha makes a rebound
of it (it leaves the velocity along the element with the opposite sign), by which the element is slack again, and comes
taut again; and its smoothed accelerations remember the blow for as long as steps grow. Backward Euler has neither:
positions that obey the length equation twice in a row leave no velocity along the element. So the step after the one
in which an element comes taut is one of backward Euler, as impulses are integrated in [Acary2008] and [Chen2013], and
so is that one itself if its error is too large; the accelerations after it are those before the blow.

The error of positions in such a step, :math:`c\, h\, \Delta v`, falls with h, but its ratio to h, which the tolerance
is about, does not. It may be as large as that of an ordinary step: what counts is the mean over the length of one.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import UNCOUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.solvers.mixed_mesh import SLACK

SAFETY = 0.85  # of the step that would just meet the tolerance
GROWTH, SHRINK = 1.6, 0.3  # limits of a change of step
BLOW = 1.0  # times the tolerance: the error by which coming taut is a blow
REJECT_ABOVE = 2.0  # times the tolerance: slightly bad steps are cheaper kept than repeated
LEAST_RATIO = 1e-6  # of error and tolerance: a line at rest has no error


@kernel(**UNCOUNTED)
def came_taut(element, before, after):
    """Whether an element that cannot push was slack before a step and is not after it.

    element : of the mesh    before, after : (n_elements,) tensions, N
    """
    count = 0
    for e in range(after.size):
        if before[e] <= 0.0 < after[e] and element[e, SLACK] > 0.0:
            count += 1
    return count > 0


@kernel(**UNCOUNTED)
def forget_blow(X, before):
    """Accelerations X[2:] of a step of impact (4, n, 3) become those before it: nearer to what follows."""
    for n in range(X.shape[1]):
        for c in range(3):
            X[2, n, c] = before[2, n, c]
            X[3, n, c] = before[2, n, c]


@kernel(**UNCOUNTED)
def allowed_ratio(h, ordinary, is_impact):
    """Error over tolerance above which a step is rejected.

    h : s    ordinary : the last step that was chosen without an impact, s
    """
    return REJECT_ABOVE * max(1.0, ordinary / h) if is_impact else REJECT_ABOVE


@kernel(**UNCOUNTED)
def shorter_step(h, ratio, ordinary, is_impact):
    """The step (s) after one that is rejected with this ratio of error and tolerance."""
    if is_impact:  # the ratio does not fall with h, the error does
        return h * max(SHRINK, SAFETY * max(1.0, ordinary / h) / ratio)
    return h * max(SHRINK, SAFETY / np.sqrt(ratio))


@kernel(**UNCOUNTED)
def next_step(h, ratio, wanted, least):
    """The step (s) after one of length h that was accepted; h may be shorter than wanted, to end at a given time."""
    step = h * max(SHRINK, SAFETY / np.sqrt(max(ratio, LEAST_RATIO)))
    return max(min(step, GROWTH * max(wanted, h)), least)
