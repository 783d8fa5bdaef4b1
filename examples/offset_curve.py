"""Offset curve of the OC3-Hywind mooring and knock-down of a subsurface float: two sweeps of equilibria."""

from __future__ import annotations

from pathlib import Path

import ropewalk as rw

SWEEPS = Path(__file__).resolve().parent / "sweeps"


def offset_curve() -> list[tuple[float, float, float, float]]:
    """Surge (m), restoring force (kN), surge stiffness (kN/m), tension at fairlead 1 (kN)."""
    result = rw.sweep(SWEEPS / "offset_curve.yaml", jobs=2)
    spar = result.sel(body="spar")
    return [
        (
            float(result["position.0"][case]),
            float(spar.mooring_force.sel(dof="surge")[case]) / 1e3,
            float(spar.stiffness.sel(dof="surge", dof_from="surge")[case]) / 1e3,
            float(result.end_tension.sel(line="line 1", end="B")[case]) / 1e3,
        )
        for case in range(result.sizes["case"])
    ]


def knock_down() -> list[tuple[float, float, float]]:
    """Current at the surface (m/s), knock-down and offset of the float (m)."""
    result = rw.sweep(SWEEPS / "knock_down.yaml", jobs=2)
    place = result.point_position.sel(point="float")
    depth = place.sel(axis="z").values
    offset = place.sel(axis="x").values
    return [(float(result.speed[k]), float(depth[0] - depth[k]), float(offset[k])) for k in range(len(depth))]


def main() -> None:
    print("surge (m)   force (kN)   stiffness (kN/m)   tension at fairlead 1 (kN)")
    for surge, force, stiffness, tension in offset_curve():
        print(f"{surge:9.1f}   {force:10.1f}   {stiffness:16.2f}   {tension:26.1f}")
    print("\ncurrent (m/s)   knock-down (m)   offset (m)")
    for speed, down, offset in knock_down():
        print(f"{speed:13.2f}   {down:14.2f}   {offset:10.2f}")


if __name__ == "__main__":
    main()
