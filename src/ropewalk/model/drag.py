"""Laws of drag coefficients in the form that kernels take."""

from __future__ import annotations

import math

import numpy as np

from ropewalk.physics.drag_law import CONSTANT, SINE, TABLE, Coefficient, pack_law
from ropewalk.physics.screens import RE_HIGH, RE_LOW, VISCOSITY, cylinder_drag
from ropewalk.spec import drag as spec

DEFAULT_SINE = 1.2  # [Otto2022], eq. (5.3)
CYLINDER_ROWS = 4001  # of the fit to measured cylinders: straight lines between them miss it by less than 1e-7


def drag_law(drag: spec.Drag, water_density: float) -> int:
    """Address of the law of a section's drag; 0 if its coefficients are constant."""
    if not drag.has_law or water_density <= 0.0:
        return 0
    parts = [_coefficient(one) for one in (drag.normal, drag.tangential, drag.along_flow)]
    return pack_law(parts[0], parts[1], parts[2], 2.0 / (water_density * VISCOSITY))


def _coefficient(one: spec.Coefficient) -> Coefficient:
    if isinstance(one, spec.DragTable):
        angle = tuple(math.radians(x) for x in one.angle or ())
        return Coefficient(TABLE, 0.0, angle, one.reynolds or (), one.rows)
    if isinstance(one, spec.DragLaw) and one.law == "sine":
        return Coefficient(SINE, DEFAULT_SINE if one.value is None else one.value)
    if isinstance(one, spec.DragLaw):
        reynolds = tuple(np.geomspace(RE_LOW, RE_HIGH, CYLINDER_ROWS))
        return Coefficient(TABLE, 0.0, (), reynolds, (tuple(float(cylinder_drag(re)) for re in reynolds),))
    return Coefficient(CONSTANT, float(one))
