"""Hulls, windage and drag areas, foils as records: shape and coefficients, strips and end discs on the axis."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ropewalk.model.arrays import Records, joined, offsets, put, records
from ropewalk.model.bodies import HULL_FOIL, HULL_SPHERE, Hulls

STRIPS = 12  # of a hull, shared among its stretches by length: a cylinder's wave force is then within 0.5 %

# a hull, a windage or drag area, or a foil, as kernels read it; vectors in the frame of its body
HULL = np.dtype(
    [
        ("kind", "i8"),  # of model/bodies.py
        ("profile", "i8"),  # first row of its profile among those of all hulls
        ("profile_stop", "i8"),
        ("strip", "i8"),  # first of its strips among those of all hulls
        ("strip_stop", "i8"),
        ("has_discs", "i8"),  # 1 if its ends have drag or added mass of their own
        ("foil", "i8"),  # first row of its coefficients among those of all foils
        ("foil_stop", "i8"),
        ("place", "f8", (3,)),  # origin of the profile, centre of the sphere, of the area or of the foil, m
        ("axis", "f8", (3,)),  # unit, of the profile; to the leading edge of a foil
        ("normal", "f8", (3,)),  # unit, to the side of a foil's lift
        ("radius", "f8"),  # of a sphere, or of that which stands for a drag area at the surface, m
        ("reach", "f8"),  # distance from the place within which it lies, m
        ("drag_across", "f8"),  # coefficients
        ("drag_along", "f8"),
        ("added_across", "f8"),
        ("added_along", "f8"),
        ("wind_drag", "f8"),  # half air density times coefficient, kg/m3
        ("areas", "f8", (3,)),  # of windage and drag areas, across the axes of the body, m2
        ("turning", "f8", (3,)),  # of drag areas, about them, m5
        ("area", "f8"),  # of a foil, m2
        ("chord", "f8"),  # its length, m
    ],
    align=True,
)
STRIP = np.dtype(
    [
        ("hull", "i8"),  # whose it is
        ("zeta", "f8"),  # height of the middle above the hull's place, along the axis, m
        ("thick", "f8"),  # length along the axis, m; 0 of an end disc
        ("radius", "f8"),  # of the middle, m
        ("volume", "f8"),  # m3
        ("ramp", "f8"),  # length along the axis over which it gets wet, m
        ("added_across", "f8"),  # volume of water that moves with it when all wet, m3
        ("added_along", "f8"),
        ("disc_drag", "f8"),  # coefficient times area of an end disc, m2
    ],
    align=True,
)


def cut_strips(profile: NDArray[np.float64]) -> Records:
    """(n,) of STRIP, of a hull of revolution; their volumes add up to the hull's.

    profile : (m, 2) z, radius from the keel up, m
    """
    total = float(profile[-1, 0] - profile[0, 0])
    rows = []
    for (z0, r0), (z1, r1) in pairwise(profile):
        if z1 <= z0 or max(r0, r1) == 0.0:
            continue
        n = max(1, round(STRIPS * (z1 - z0) / total))
        for k in range(n):
            a, b = k / n, (k + 1) / n
            low, high = r0 + a * (r1 - r0), r0 + b * (r1 - r0)
            thick = (z1 - z0) / n
            volume = np.pi / 3.0 * thick * (low * low + low * high + high * high)
            rows.append((z0 + 0.5 * (a + b) * (z1 - z0), thick, 0.5 * (low + high), volume))
    strips = records(len(rows), STRIP)
    zeta, thick, radius, volume = np.array(rows).reshape(-1, 4).T
    put(strips, zeta=zeta, thick=thick, radius=radius, volume=volume, ramp=thick)
    return strips


def strips_of(hulls: Hulls, h: int) -> Records:
    """(n,) of STRIP, of hull h: strips and end discs; a sphere, a windage or drag area and a foil are one strip.

    A foil gets wet as a strip as long as its chord and as wide as its span.
    """
    if hulls.shape(h).size:
        strips = cut_strips(hulls.shape(h))
        strips = joined([strips, _end_discs(hulls, h, strips)], STRIP)
    else:
        strips = records(1, STRIP)
        strips.volume = 4.0 / 3.0 * np.pi * hulls.radius[h] ** 3 * (hulls.kind[h] == HULL_SPHERE)
        if hulls.kind[h] == HULL_FOIL:
            strips.ramp, strips.radius = hulls.chord[h], 0.5 * hulls.area[h] / hulls.chord[h]
    plain = strips.view(np.ndarray)
    plain["hull"] = h
    plain["added_across"] += hulls.added_normal[h] * plain["volume"]
    plain["added_along"] += hulls.added_axial[h] * plain["volume"]
    return strips


def _end_discs(hulls: Hulls, h: int, strips: Records) -> Records:
    """End discs of hull h that have drag or added mass; upright they get wet together with the strip beside them."""
    profile, discs = hulls.shape(h), records(2, STRIP)
    for disc, (z, r), beside, drag_end, added in zip(
        discs, profile[[0, -1]], strips[[0, -1]], hulls.end_drag[h], hulls.end_added[h], strict=True
    ):
        disc.zeta, disc.radius, disc.ramp = z, r, beside.ramp
        disc.disc_drag, disc.added_along = drag_end * np.pi * r**2, added * 2.0 / 3.0 * np.pi * r**3
    return discs[(discs.disc_drag > 0.0) | (discs.added_along > 0.0)]


def shape_records(hulls: Hulls) -> Records:
    """(h,) of HULL with what cuts of hulls depend on; strips, coefficients and areas are left out."""
    rows = records(hulls.kind.size, HULL)
    if rows.size:
        put(
            rows, kind=hulls.kind, place=hulls.place, axis=hulls.axis, radius=hulls.radius,
            profile=hulls.profile_start[:-1], profile_stop=hulls.profile_start[1:],
            reach=[hulls.reach(h) for h in range(rows.size)],
        )  # fmt: skip
    return rows


def hull_records(hulls: Hulls, air_density: float) -> tuple[Records, Records]:
    """(h,) of HULL and (n,) of STRIP of all hulls.  air_density : kg/m3, 0 in calm air, where wind drag is left out"""
    rows, strips = shape_records(hulls), [strips_of(hulls, h) for h in range(hulls.kind.size)]
    start = offsets([own.size for own in strips])
    if not strips:
        return rows, joined(strips, STRIP)
    put(
        rows, strip=start[:-1], strip_stop=start[1:],
        has_discs=[int(np.any(own.disc_drag + own.added_along * (own.volume == 0.0) > 0.0)) for own in strips],
        drag_across=hulls.drag_normal, drag_along=hulls.drag_axial,
        added_across=hulls.added_normal, added_along=hulls.added_axial,
        wind_drag=0.5 * air_density * hulls.wind_drag, areas=hulls.areas, turning=hulls.turning,
        foil=hulls.foil_start[:-1], foil_stop=hulls.foil_start[1:],
        normal=hulls.normal, area=hulls.area, chord=hulls.chord,
    )  # fmt: skip
    return rows, joined(strips, STRIP)
