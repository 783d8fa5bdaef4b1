"""Arrays of ropes with memory, and their static laws."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ropewalk.model.arrays import Array, Ints, Records, records
from ropewalk.physics.elasticity import Law, linear_law, table_law
from ropewalk.physics.ropes import (
    EXPONENTIAL_CURVE,
    LINEAR_CURVE,
    QUADRATIC_CURVE,
    ROPE,
    SYROPE,
    VISCOELASTIC,
    shape_of,
)
from ropewalk.spec.ropes import RopeLaw, SyropeLaw, ViscoelasticLaw
from ropewalk.spec.sections import Section

WORKING_POINTS = 129  # of a working curve as a table: its strains are then within 1e-5 of it
_FORMS = {"linear": LINEAR_CURVE, "quadratic": QUADRATIC_CURVE, "exponential": EXPONENTIAL_CURVE}


def static_law(law: RopeLaw) -> Law:
    """Strain against tension that has been held for long, for statics."""
    if isinstance(law, ViscoelasticLaw):
        return linear_law(law.static)
    assert isinstance(law, SyropeLaw)
    strain, tension = np.array(law.strain), np.array(law.tension)
    peak = law.highest_mean
    if peak <= 0.0:
        return table_law(strain, tension)
    top = float(np.interp(peak, tension, strain))
    foot = top - peak / law.slope if law.slope is not None else (law.residual or 0.0) * top
    rope = records(1, ROPE)
    _fill(rope[0], law)
    share = np.linspace(0.0, 1.0, WORKING_POINTS)
    working = foot + (top - foot) * np.array([shape_of(x, rope[0])[0] for x in share])
    above = tension > peak * (1.0 + 1e-9)  # entries nearer than that are the same one
    return table_law(np.concatenate([working, strain[above]]), np.concatenate([share * peak, tension[above]]))


def build_ropes(sections: Mapping[str, Section], law: Ints, law_start: Ints, law_data: Array) -> tuple[Records, Array]:
    """(n_sections,) of ROPE, and the numbers of the laws with those of original working curves added.

    law, law_start, law_data : of `pack_laws` for the static laws of the sections
    """
    rows = records(len(sections), ROPE)
    data = law_data
    for row, k, section in zip(rows, range(len(sections)), sections.values(), strict=True):
        given = section.axial_stiffness
        if not isinstance(given, RopeLaw):
            continue
        _fill(row, given)
        row.law, row.law_start, row.law_stop = law[k], law_start[k], law_start[k + 1]
        if isinstance(given, SyropeLaw):
            row.law, curve = table_law(given.strain, given.tension)
            row.law_start, row.law_stop = data.size, data.size + curve.size
            data = np.concatenate([data, curve])
    data.flags.writeable = rows.flags.writeable = False
    return rows, data


def _fill(row: Records, law: RopeLaw) -> None:
    """Numbers of a rope, but for its curve."""
    row.kind = VISCOELASTIC if isinstance(law, ViscoelasticLaw) else SYROPE
    for name in ("dynamic", "dynamic_slope", "viscosity", "dynamic_viscosity"):
        row[name] = getattr(law, name)
    if isinstance(law, SyropeLaw):
        row.form, row.bend, row.peak = _FORMS[law.working_curve], law.bend, law.highest_mean
        row.residual, row.slope = law.residual or 0.0, law.slope or 0.0
