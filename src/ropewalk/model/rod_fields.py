"""The input of a rod, as functions of s."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array
from ropewalk.model.in_time import FunctionBook
from ropewalk.model.rods import PointMass, RodFields, RodModel, check, discretise
from ropewalk.physics.in_time import value_at
from ropewalk.physics.rod_shape import ELLIPSE, RECTANGLE, section_factors
from ropewalk.spec import rods as spec
from ropewalk.spec.environment import Environment
from ropewalk.spec.in_time import Value

Field = Callable[[Array], Array]
SPLINE_DEGREE = 5  # of a centreline: curvature stays twice differentiable
FRAME_TOLERANCE = 1e-12  # of the frame carried along a centreline
CLOSE_ENOUGH = 1e-3  # relative: length given against the length of the spline through a centreline
BELL = 8.0  # widths from its middle at which a Gaussian twist is below 1e-14 of its peak
POLYNOMIAL = 20  # degree of the curvature between two points of a centreline


def build_rod(
    rod: spec.Rod, environment: Environment, name: str = "rod", *, curved: bool = True, time: float = 0.0
) -> RodModel:
    """Arrays of a rod in its environment, checked; `curved=False` takes plane slices for comparison.

    time : s, at which the angles of its joints are taken
    """
    model = discretise(
        rod_fields(rod, name, time),
        gravity=environment.gravity,
        water_density=environment.water_density,
        curved=curved,
    )
    check(model, name)
    return model


def rod_fields(rod: spec.Rod, name: str = "rod", time: float = 0.0) -> RodFields:
    """The functions of s of a spec, at a time (s)."""
    length, kappa, breaks, jumps = _shape(rod, name)
    for joint in rod.joints:
        if joint.s >= length:
            raise InputError(
                f"rod '{name}': a joint at s = {joint.s} m has nothing beyond it; the rod is {length:.6g} m long"
            )
        turn = np.radians(angle_at(joint.angle, time)) * np.array(joint.axis) / np.linalg.norm(joint.axis)
        jumps = {**jumps, joint.s: (float(turn[0]), float(turn[1]), float(turn[2]))}
    density, density_breaks = _along(rod.density)
    sections, masses, section_breaks = _section(rod.section, density)
    supports = rod.held.supports if rod.held else ()
    return RodFields(
        length=length,
        kappa=kappa,
        sections=sections,
        line_mass=masses,
        # the curvature of an elastic rod has a kink at each support
        breaks=tuple(sorted({*breaks, *density_breaks, *section_breaks, *(support.s for support in supports)})),
        jumps=jumps,
        point_masses=tuple(PointMass(mass.s, mass.mass, mass.offset) for mass in rod.masses),
        name=name,
        section=RECTANGLE if isinstance(rod.section, spec.RectangleSection) else ELLIPSE,
    )


def angle_at(angle: Value, time: float) -> float:
    """A value of the case at a time (s)."""
    if isinstance(angle, float | int):
        return float(angle)
    book = FunctionBook()
    index = book.add_value(angle)
    return float(value_at(time, index, book.build())[0])


def _along(value: float | spec.AlongTable) -> tuple[Field, tuple[float, ...]]:
    if isinstance(value, spec.AlongTable):
        table = value
        return (lambda s: np.interp(s, table.s, table.value)), table.s
    number = value
    return (lambda s: np.full_like(s, number)), ()


def _slope(value: float | spec.AlongTable) -> Field:
    if not isinstance(value, spec.AlongTable):
        return np.zeros_like
    places, slopes = np.array(value.s), np.diff(value.value) / np.diff(value.s)
    padded = np.concatenate([[0.0], slopes, [0.0]])
    return lambda s: padded[np.searchsorted(places, s)]


def _half_sizes(
    section: spec.EllipseSection | spec.PipeSection | spec.RectangleSection,
) -> tuple[spec.Along, spec.Along, float]:
    """Input for the two directions, and the factor from it to a semi-axis or half side."""
    if isinstance(section, spec.RectangleSection):
        return section.width, section.height, 0.5
    if isinstance(section, spec.PipeSection) and section.diameter is not None:
        return section.diameter, section.diameter, 0.5
    assert section.a is not None and section.b is not None  # the spec has refused it
    return section.a, section.b, 1.0


def _section(
    section: spec.EllipseSection | spec.PipeSection | spec.RectangleSection, density: Field
) -> tuple[Callable[[Array], tuple[Array, Array, Array, Array]], Field, tuple[float, ...]]:
    """Semi-axes or half sides with slopes, mass with second moments, and where they are not smooth."""
    first, second, factor = _half_sizes(section)
    a, a_breaks = _along(first)
    b, b_breaks = _along(second)
    slope_a, slope_b = _slope(first), _slope(second)
    full, square = section_factors(RECTANGLE if isinstance(section, spec.RectangleSection) else ELLIPSE)
    wall = None if isinstance(section, spec.EllipseSection) else section.wall
    contents = 0.0 if isinstance(section, spec.EllipseSection) else section.contents

    def sizes(s: Array) -> tuple[Array, Array, Array, Array]:
        return factor * a(s), factor * b(s), factor * slope_a(s), factor * slope_b(s)

    def moments(p: Array, q: Array) -> Array:
        """Area and second moments of the whole outline."""
        return full * (p * q)[:, None] * np.stack([np.ones_like(p), square * p * p, square * q * q], -1)

    def masses(s: Array) -> Array:
        p, q, _, _ = sizes(s)
        solid = density(s)[:, None] * moments(p, q)
        if wall is None:
            return solid
        return solid + (contents - density(s))[:, None] * moments(np.maximum(p - wall, 0.0), np.maximum(q - wall, 0.0))

    return sizes, masses, (*a_breaks, *b_breaks)


def _shape(rod: spec.Rod, name: str) -> tuple[float, Field, tuple[float, ...], dict[float, tuple[float, float, float]]]:
    """Length, curvature, breaks and sharp twists."""
    c, length = rod.curvature, rod.length
    if isinstance(c, spec.Centreline):
        return _centreline(c, length, name)
    if isinstance(c, spec.PiecewiseCurvature):
        ends = np.cumsum([piece.length for piece in c.pieces])
        values = np.array([piece.kappa for piece in c.pieces])
        return float(ends[-1]), lambda s: values[np.searchsorted(ends[:-1], s)], tuple(ends[:-1].tolist()), {}
    assert length is not None  # the spec has refused it
    if isinstance(c, spec.TableCurvature):
        table = np.array(c.kappa)
        return length, lambda s: np.stack([np.interp(s, c.s, table[:, i]) for i in range(3)], -1), c.s, {}
    if isinstance(c, spec.ChebyshevCurvature):
        series = [chebyshev.Chebyshev(k or (0.0,), domain=[0.0, length]) for k in c.coefficients]
        return length, lambda s: np.stack([f(s) for f in series], -1), (), {}
    if isinstance(c, spec.FourierCurvature):
        return length, _fourier(c, length), (), {}
    constant = np.array(c.kappa)
    if isinstance(c, spec.TwistedCurvature):
        if c.width > 0.0:
            # panels end around each bell, or a narrow one could hide between the points
            around = [twist.s + k * BELL * c.width for twist in c.twists for k in (-1, 0, 1)]
            return length, _gaussians(c, constant), tuple(around), {}
        jumps = {twist.s: (float(np.radians(twist.angle)), 0.0, 0.0) for twist in c.twists}
        return length, lambda s: np.tile(constant, (s.size, 1)), (), jumps
    return length, lambda s: np.tile(constant, (s.size, 1)), (), {}


def _fourier(c: spec.FourierCurvature, length: float) -> Field:
    def kappa(s: Array) -> Array:
        value = np.tile(np.array(c.mean), (s.size, 1))
        for wave, terms in ((np.cos, c.cosine), (np.sin, c.sine)):
            for k, term in enumerate(terms, start=1):
                value += np.outer(wave(2.0 * np.pi * k * s / length), term)
        return value

    return kappa


def _gaussians(c: spec.TwistedCurvature, constant: Array) -> Field:
    places = np.array([twist.s for twist in c.twists])
    angles = np.radians([twist.angle for twist in c.twists])

    def kappa(s: Array) -> Array:
        value = np.tile(constant, (s.size, 1))
        bells = np.exp(-0.5 * ((s[:, None] - places) / c.width) ** 2) / (c.width * np.sqrt(2.0 * np.pi))
        value[:, 0] += bells @ angles
        return value

    return kappa


def _centreline(
    c: spec.Centreline, length: float | None, name: str
) -> tuple[float, Field, tuple[float, ...], dict[float, tuple[float, float, float]]]:
    """Curvature of the spline through points, in the frame that does not twist."""
    points = np.array(c.points)
    gaps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if np.any(gaps == 0.0):
        raise InputError(f"rod '{name}': two consecutive points of its centreline coincide")
    t = np.concatenate([[0.0], np.cumsum(gaps)])
    curve = make_interp_spline(t, points, k=min(SPLINE_DEGREE, 2 * ((len(points) - 2) // 2) + 1))
    first, second = curve.derivative(1), curve.derivative(2)

    def bend(at: Array) -> tuple[Array, Array, Array]:
        """Tangent, curvature vector and speed."""
        d1, d2 = first(at), second(at)
        speed = np.linalg.norm(d1, axis=-1)
        tangent = d1 / speed[..., None]
        along = np.sum(d2 * tangent, axis=-1)
        return tangent, (d2 - along[..., None] * tangent) / speed[..., None] ** 2, speed

    frame = _carried_frame(bend, t)
    ends = frame(t)[0]
    total = float(ends[-1])
    if length is not None and abs(length - total) > CLOSE_ENOUGH * total:
        raise InputError(f"rod '{name}': length is {length} m, but the spline of its centreline is {total:.6g} m long")
    pieces = []  # polynomials between the points, so that the panels see smooth functions
    for low, high, begin, end in zip(t, t[1:], ends, ends[1:], strict=False):
        at = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.pi * np.arange(POLYNOMIAL + 1) / POLYNOMIAL)
        s, t2 = frame(at)
        tangent, curvature, _ = bend(at)
        values = np.stack([0.0 * s, -np.sum(curvature * np.cross(tangent, t2), -1), np.sum(curvature * t2, -1)], -1)
        pieces.append(chebyshev.chebfit((2.0 * s - begin - end) / (end - begin), values, POLYNOMIAL))

    def kappa(s: Array) -> Array:
        which = np.clip(np.searchsorted(ends, s) - 1, 0, len(pieces) - 1)
        local = (2.0 * s - ends[which] - ends[which + 1]) / (ends[which + 1] - ends[which])
        return np.stack([chebyshev.chebval(x, pieces[k]) for k, x in zip(which, local, strict=True)])

    return total, kappa, tuple(ends[1:-1].tolist()), {}


def _carried_frame(
    bend: Callable[[Array], tuple[Array, Array, Array]], t: Array
) -> Callable[[Array], tuple[Array, Array]]:
    """Arc length and the second axis of the frame without twist, as functions of the spline's parameter."""

    def rate(at: float, y: Array) -> Array:
        tangent, curvature, speed = bend(np.array(at))
        return np.concatenate([[speed], -speed * (curvature @ y[1:]) * tangent])

    start = bend(np.array(0.0))[0]
    across = np.cross(start, np.eye(3)[int(np.argmin(np.abs(start)))])
    begin = np.concatenate([[0.0], across / np.linalg.norm(across)])
    options = {"method": "DOP853", "rtol": FRAME_TOLERANCE, "atol": FRAME_TOLERANCE * t[-1], "dense_output": True}
    carried = solve_ivp(rate, (0.0, t[-1]), begin, **options)

    def frame(at: Array) -> tuple[Array, Array]:
        y = carried.sol(at)
        return y[0], (y[1:] / np.linalg.norm(y[1:], axis=0)).T

    return frame
