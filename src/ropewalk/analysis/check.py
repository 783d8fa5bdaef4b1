"""What a right case may still get wrong: remarks, not errors."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

import numpy as np

from ropewalk.analysis.case_doubts import case_doubts
from ropewalk.analysis.reach import WAY_OUT
from ropewalk.analysis.record_times import refuse_records
from ropewalk.analysis.start import refuse_start
from ropewalk.errors import InputError, Problem, told_apart
from ropewalk.model.arrays import Array, Flags
from ropewalk.model.bodies import axes_across, hull_rings, quaternion_of
from ropewalk.model.environment import bed_under
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.lines import BODY, ROD
from ropewalk.model.model import Model, build
from ropewalk.model.payout import lengths_at
from ropewalk.model.pegs import over_positions
from ropewalk.model.state import end_positions, rotation_matrix
from ropewalk.physics.elasticity import INEXTENSIBLE
from ropewalk.physics.motion import motion
from ropewalk.spec.hulls import Displacing, SphereHull
from ropewalk.spec.system import System

ROUND_OFF = 1e-12  # of the length: a taut line given by printed digits is let through
OFF_BED = 0.05  # of the depth: how far an anchor may be from the bed, or a fairlead from the surface
OUTSIDE = 0.5  # of a hull's largest radius: how far arms and fairleads stand off
MOMENTS = 100  # of a run, at which the ends of inextensible lines are looked at
ALONG, AROUND = 25, 24  # places along and around a hull at which it is looked for in another hull
FINE = 96  # places around a hull, for its width to any side
TOUCH = 1e-6  # of the largest radius: hulls that share less only touch
LONGEST_PLAUSIBLE_STRETCH = 0.1  # of the length: more between fixed ends is more likely a slip of the pen


def remarks(system: System) -> list[str]:
    """Sentences about things that are allowed but look wrong."""
    return [*_unused(system), *doubts(system), *_off_bed(system), *_hulls(system), *_rods(system)]


def doubts(system: System) -> list[str]:
    """Those of the remarks that make the numbers doubtful."""
    return [*(doubt.sentence for doubt in case_doubts(system)), *_lengths(build(system))]


def refuse_unsolvable(system: System, model: Model) -> None:
    """Raise InputError if statics or the run name a solver that there is not, or that does not do the case."""
    from ropewalk.analysis.run import solver_for  # solvers are loaded only where they are looked at
    from ropewalk.analysis.statics import AUTO, NOT_STATIC, candidates
    from ropewalk.methods.claims import refuse_unclaimed
    from ropewalk.methods.protocol import Claim
    from ropewalk.methods.registry import solver_class

    method = system.statics.method
    if method != AUTO:
        for name in candidates(model, method):
            refuse_unclaimed(solver_class(name), model, NOT_STATIC)
    if system.run is not None:
        refuse_records(system.run.duration, system.record.every)
        solver = solver_for(system, model, None)
        refuse_unclaimed(solver, model, frozenset() if Claim.DYNAMICS in solver.claims else NOT_STATIC)
        refuse_start(system, model)
        refuse_pulled_apart(model, system.run.duration)
    _refuse_settings(system, model)


def _refuse_settings(system: System, model: Model) -> None:
    """Raise InputError for settings of elements that do not go with the case."""
    if system.run is not None and system.run.integrator == "leapfrog":
        from ropewalk.methods.mixed import refuse_leapfrog  # loads compiled code, as does the other

        refuse_leapfrog(model)
    order = system.statics.options.get("order") if system.statics.method == "fem" else None
    if order is not None and tuple(order) != (1, 0):
        from ropewalk.methods.mixed import refuse_high_order

        refuse_high_order(model, tuple(order))


def _unused(system: System) -> list[str]:
    used = {piece.section for line in system.lines.values() for piece in line.pieces}
    used |= {net.section for net in system.nets.values()}
    ends = {end for line in system.lines.values() for end in (line.from_, *line.over, line.to)}
    for net in system.nets.values():
        ends |= {*net.fastened.values(), *net.rim, *(tie.to for tie in getattr(net.panel, "ties", ()))}
    bed = system.environment.seabed
    idle = () if bed.friction else {"pulled", "friction_stiffness"} & bed.model_fields_set
    return [
        *(f"section '{name}' is not used" for name in system.sections if name not in used),
        *(f"point '{name}' has no line or net" for name in system.points if name not in ends),
        *(f"environment.seabed.{name} has no effect on a bed without friction" for name in sorted(idle)),
    ]


def _rods(system: System) -> list[str]:
    """What building the rods warns of; rods that cannot float are refused with InputError."""
    if not system.rods:
        return []
    from ropewalk.model.rod_fields import build_rod  # splines and quadrature, which most cases never need
    from ropewalk.model.rods import RodWarning

    found = []
    for name, rod in system.rods.items():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", RodWarning)
            build_rod(rod, system.environment, name)
        found += [str(warning.message) for warning in told if issubclass(warning.category, RodWarning)]
    return found


def refuse_unreachable(model: Model, time: float = 0.0) -> None:
    """Raise InputError for inextensible lines shorter than the distance between their held ends."""
    problems = []
    for name, long, far in _unreachable(model, time):
        length, apart = told_apart(long, far)
        text = f"line '{name}': length {length} m is shorter than the {apart} m between its ends; {WAY_OUT}"
        problems.append(Problem(text))
    if problems:
        raise InputError(problems)


def pulled_apart(model: Model, time: float) -> str:
    """A sentence if motions or winches make an inextensible line shorter at `time` (s) than its ends are apart."""
    for name, length, apart in _unreachable(model, time):
        far = f"at t = {time:g} s the ends of line '{name}' are {apart:.6g} m apart"
        return f"{far}, more than its {length:.6g} m; {WAY_OUT}"
    return ""


def refuse_pulled_apart(model: Model, duration: float) -> None:
    """Raise InputError if motions or winches pull an inextensible line apart on the way of a run of `duration` (s).

    Lines that are to part are left to the run.
    """
    is_moved = bool(np.any(model.points.motion >= 0) or np.any(model.bodies.motion >= 0))
    is_moved |= model.lines.winches.line.size > 0
    if not is_moved or INEXTENSIBLE not in model.sections.law or model.lines.breaks.line.size:
        return
    for time in np.linspace(0.0, duration, MOMENTS + 1)[1:].tolist():
        if sentence := pulled_apart(model, time):
            raise InputError(f"{sentence}; or end the run before that")


def _unreachable(model: Model, time: float) -> Iterator[tuple[str, float, float]]:
    """Inextensible lines that are too short for their held ends: name, length (m), distance (m)."""
    if INEXTENSIBLE not in model.sections.law:
        return
    fixed, lines = _held(model) & _rigid(model), model.lines
    length = lengths_at(lines.winches, model.functions, lines.length, time)
    for k, apart in enumerate(_distances(model, time)):
        if fixed[k] and apart > length[k] * (1.0 + ROUND_OFF):
            yield model.names.lines[k], float(length[k]), float(apart)


def _lengths(model: Model) -> list[str]:
    return _too_short(model, _held(model) & ~_rigid(model), _distances(model, 0.0))


def _too_short(model: Model, of: Flags, reached: Iterable[float]) -> list[str]:
    """A sentence for every line of those that is stretched implausibly far."""
    length = model.lines.length
    return [
        f"line '{model.names.lines[k]}' is stretched from {length[k]:.6g} m to {far:.6g} m between its ends; "
        "is it long enough?"
        for k, far in enumerate(reached)
        if of[k] and far > (1.0 + LONGEST_PLAUSIBLE_STRETCH) * length[k]
    ]


def _held(model: Model) -> Flags:
    """(n_lines,) true where both ends, and what the line runs over, are held or moved, not free."""
    points = np.all(model.points.joint == HELD, axis=1)
    bodies = model.bodies.joint != LOOSE
    lines = model.lines
    held: Flags = np.ones(lines.length.size, dtype=np.bool_)
    for k in range(held.size):
        for kind, index in zip(lines.end_kind[k], lines.end_index[k], strict=True):
            held[k] &= kind != ROD and (bodies[index] if kind == BODY else points[index])
        for p in range(lines.over_start[k], lines.over_start[k + 1]):
            held[k] &= bodies[lines.over_index[p]] if lines.over_kind[p] == BODY else points[lines.over_index[p]]
    return held


def _rigid(model: Model) -> Flags:
    """(n_lines,) true where no piece of the line can stretch."""
    stretches = model.sections.law[model.lines.piece_section] != INEXTENSIBLE
    rigid: Flags = np.array([not np.any(stretches[a:b]) for a, b in pairwise(model.lines.piece_start)], dtype=np.bool_)
    return rigid


def _distances(model: Model, time: float) -> Array:
    """(n_lines,) distance between the ends, by way of what the line runs over, at `time`, m."""
    moved = np.zeros((3, 3))
    points, bodies = model.points.position.copy(), model.bodies.position.copy()
    for positions, motions in ((points, model.points.motion), (bodies, model.bodies.motion)):
        for k, index in enumerate(motions):
            motion(time, index, model.motions, moved)
            positions[k] += moved[0]
    ends = end_positions(model, points, bodies, model.bodies.quaternion)
    over = over_positions(model, points, bodies, model.bodies.quaternion)
    distances: Array = np.zeros(ends.shape[0])
    for k, (a, b) in enumerate(ends):
        way = np.array([a, *over[model.lines.over_start[k] : model.lines.over_start[k + 1]], b])
        distances[k] = np.linalg.norm(np.diff(way, axis=0), axis=1).sum()
    return distances


def _off_bed(system: System) -> list[str]:
    """Anchors that hang in the water: fixed points that lines to free parts leave, far above the bed."""
    sea = system.environment
    if not sea.has_seabed or sea.depth is None:
        return []
    loose = {name for name, body in system.bodies.items() if body.joint == "free"}
    loose |= {name for name, point in system.points.items() if point.joint == "free"}
    found = {}
    for line in system.lines.values():
        for end, other in ((line.from_, line.to), (line.to, line.from_)):
            point = system.points.get(end)
            if point is None or point.joint != "fixed" or other.partition(".")[0] not in loose:
                continue
            up = point.position[2] - bed_under(sea, point.position)
            if OFF_BED * sea.depth < up < (1.0 - OFF_BED) * sea.depth:
                found[end] = f"point '{end}' is fixed {up:.4g} m above the seabed; an anchor lies on it"
    return list(found.values())


def _hulls(system: System) -> list[str]:
    """Attachments far from their hull, hulls that share water, windage that meets no wind."""
    found, calm = [], system.environment.wind is None
    for name, body in system.bodies.items():
        turn = rotation_matrix(quaternion_of(body.attitude))
        for i, windage in enumerate(body.windage):
            if body.position[2] + float((turn @ np.array(windage.position))[2]) <= 0.0:
                found.append(f"body '{name}': windage[{i}] lies under water at the given position; no wind acts on it")
            elif calm:
                found.append(f"body '{name}': windage[{i}] has no effect; environment.wind is not given")
        for (i, one), (j, other) in combinations(enumerate(body.all_hulls), 2):
            if _share_water(one, other) or _share_water(other, one):
                found.append(f"body '{name}': hulls[{i}] and hulls[{j}] overlap; their common volume is counted twice")
        for attachment, place in body.attachments.items():
            if body.all_hulls and all(_outside(hull, np.array([place]))[0] for hull in body.all_hulls):
                found.append(f"body '{name}': attachment '{attachment}' lies far outside the hull")
    return found


def _share_water(hull: Displacing, other: Displacing) -> bool:
    """True if a place on the axis or the surface of a hull lies inside the other; hulls that touch share nothing."""
    return not np.all(_outside(other, _places_of(hull), -TOUCH))


def _places_of(hull: Displacing) -> Array:
    """(n, 3) places on the axis and the surface of a hull, in the body frame, m."""
    rings = hull_rings(hull, AROUND)
    steps = max(2, ALONG // (rings.shape[0] - 1))
    share = np.linspace(0.0, 1.0, steps)[:, None, None, None]
    between = (rings[:-1] + share * (rings[1:] - rings[:-1])).reshape(-1, AROUND, 3)
    return np.concatenate([between.mean(axis=1), between.reshape(-1, 3)])


def _outside(hull: Displacing, places: Array, room: float = OUTSIDE) -> Flags:
    """(n,) whether places of the body frame (m) lie outside a hull by more than some room, of its largest radius."""
    if isinstance(hull, SphereHull):
        return np.linalg.norm(places - np.array(hull.centre), axis=1) > hull.radius * (1.0 + room)
    rings = hull_rings(hull, FINE)
    middle = rings.mean(axis=1)
    axis = (middle[-1] - middle[0]) / np.linalg.norm(middle[-1] - middle[0])
    heights, arm = (middle - middle[0]) @ axis, places - middle[0]
    z = arm @ axis
    across = arm - z[:, None] * axis
    radius = np.linalg.norm(across, axis=1)
    spokes = rings - middle[:, None]
    widest = float(np.linalg.norm(spokes, axis=2).max())
    way = np.where(radius[:, None] > 0.0, across / np.maximum(radius, 1e-300)[:, None], axes_across(axis)[0])
    wide = np.max(spokes @ way.T, axis=1)  # (k, n) of each section to the side of each place
    here = np.array([np.interp(height, heights, own) for height, own in zip(z, wide.T, strict=True)])
    room *= widest
    found: Flags = (z < -room) | (z > heights[-1] + room) | (radius > here + room)
    return found
