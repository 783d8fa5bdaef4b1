r"""Newton's method for one unknown inside a bracket: the step that every such loop takes.

The residual rises with the unknown, so that its sign at x makes x an end of the bracket [lo, hi]. Newton's step is
taken where it stays inside, and the middle of the bracket elsewhere: a monotone equation is always solved. A kernel
cannot take a function and be kept on disk, so each loop evaluates its own residual, and ends by its own test. It is
over, too, once the new value is an end of the bracket: no number is left between.
"""

from __future__ import annotations

import math

from ropewalk.numerics.compile import UNCOUNTED, kernel


@kernel(forceinline=True, **UNCOUNTED)
def bracketed(x, f, step, lo, hi):
    """The next x after a residual f was found at x, and the ends of the bracket.

    Source: Newton's method with a bracket, x_1 = x + step or (lo + hi)/2, [Press2007], sec. 9.4.

    f : rising with x    step : Newton's, -f/f', not a number where there is none    lo, hi : may be infinite; the new x
    then is no number, or infinite, where the step is not taken
    """
    if f > 0.0:
        hi = x
    else:
        lo = x
    new = x + step
    if not (lo < new < hi or new == x):
        new = 0.5 * (lo + hi)
    return new, lo, hi


@kernel(forceinline=True, **UNCOUNTED)
def bracketed_positive(x, f, step, lo, hi, growth):
    r"""As :func:`bracketed`, of a positive unknown with a relative step, which keeps it positive.

    .. math:: x \to x (1 + \sigma) \ (\sigma > 0), \qquad x \to \frac{x}{1 - \sigma} \ (\sigma < 0), \qquad
              \text{else } \sqrt{\mathrm{lo}\,\mathrm{hi}}

    Source: Newton's method for ln x with a bracket, [Press2007], sec. 9.4.

    step : Newton's over x    lo : 0 or more    growth : factor on x where the step is not taken and hi is infinite
    """
    if f > 0.0:
        hi = x
    else:
        lo = x
    new = x * (1.0 + step) if step > 0.0 else x / (1.0 - step)
    if not (lo < new < hi or new == x):
        new = math.sqrt(lo) * math.sqrt(hi) if hi < math.inf else growth * x
    return new, lo, hi
