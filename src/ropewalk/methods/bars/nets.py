"""What is read of nets: knots, tensions, forces of the water, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.methods.bars.arrays import make_field
from ropewalk.methods.bars.hull_arrays import without
from ropewalk.methods.bars.loads import loads
from ropewalk.model.arrays import Array, floats
from ropewalk.model.net_measures import flow_direction, measure
from ropewalk.model.nets import MORISON, Nets

if TYPE_CHECKING:
    from ropewalk.methods.bars.work import BarsWork
    from ropewalk.model.model import Model

OF_BARS = ("node", "length", "compliance", "push", "rod", "member", "contact_radius", "contact_width")
OF_HINGES = ("hinge", "hinge_law", "tie", "tie_stiffness", "footing", "spring")  # no net has any
OF_SCREENS = ("screen",)
OF_NODES = ("mass", "volume", "drag_area", "added", "force")  # none of it belongs to the netting


def read_nets(model: Model, work: BarsWork) -> dict[str, Array]:
    """The fields of a State that belong to nets; none where there are no nets."""
    nets = model.nets
    if not nets.names:
        return {}
    steps, node = work.steps, work.places.knot
    position, velocity = steps.r[node], steps.v[node]
    own = [slice(int(a), int(b)) for a, b in zip(nets.knot_start[:-1], nets.knot_start[1:], strict=True)]
    sizes = measure(nets, position, np.array([flow_direction(model.sea, velocity[part]) for part in own]))
    return {
        "net_position": position,
        "net_velocity": velocity,
        "net_tension": steps.tension[int(work.places.net_bar_start[0]) : int(work.places.net_bar_start[-1])].copy(),
        "net_force": np.array([water_force(nets, i, work) for i in range(len(nets.names))]),
        "net_mouth_area": sizes.mouth_area,
        "net_mouth_width": sizes.mouth_width,
        "net_projected_area": sizes.projected_area,
        "net_volume": sizes.volume,
    }


def water_force(nets: Nets, i: int, work: BarsWork) -> Array:
    """(3,) force of the water on the twines or screens of net i at their present motion, without buoyancy, N."""
    bars = work.bars
    own = slice(int(work.places.net_bar_start[i]), int(work.places.net_bar_start[i + 1]))
    with_screens = np.where(nets.kind != MORISON, np.diff(nets.screen_start), 0)
    before = int(with_screens[:i].sum())
    screens = slice(before, before + int(with_screens[i]))
    changes: dict[str, Any] = {name: getattr(bars, name)[own] for name in OF_BARS}
    changes |= {name: getattr(bars, name)[screens] for name in OF_SCREENS}
    changes |= {name: floats(np.zeros_like(getattr(bars, name))) for name in OF_NODES}
    changes |= {name: getattr(bars, name)[:0] for name in OF_HINGES}
    field = make_field(bars.mass.size, changes["length"].size, without(work.field.hulls))
    field = field._replace(flow=work.field.flow)
    field.direction[:] = work.field.direction[own]
    medium = work.medium._replace(gravity=0.0, damping=0.0, has_bed=False)
    loads(bars._replace(**changes), medium, field, work.steps.r, work.steps.v)
    force: Array = field.force.sum(axis=0)
    return force
