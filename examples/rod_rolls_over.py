"""A ballasted hose is bent until it lies on its other side: the pose is followed around the fold at which it is lost.

The hose floats with its ballast down. Bent about a horizontal axis it would rather lie flat on the water, on either
side. A slight bend to one side makes one of the two ways the weaker; as the bend is taken back, it ends in a fold.
"""

from __future__ import annotations

import json

import ropewalk as rw

STIFFNESS = 200.0  # N m2
START, STOP = -0.2, 0.1  # curvature about the horizontal axis at rest, 1/m


def hose(bend: float) -> rw.System:
    """The hose with a curvature about its second axis, 1/m."""
    ballast = [{"s": s, "mass": 0.5, "offset": [0.0, -0.03]} for s in (0.0, 2.0)]
    rod = {
        "length": 2.0,
        "density": 400.0,
        "section": {"kind": "ellipse", "a": 0.04, "b": 0.04},
        "curvature": {"kind": "constant", "kappa": [0.0, bend, 0.03]},
        "masses": ballast,
        "elasticity": {"torsion": STIFFNESS, "bending": [STIFFNESS, STIFFNESS]},
    }
    sea = {"gravity": 9.81, "water_density": 1000.0}
    return rw.System.model_validate({"environment": sea, "rods": {"hose": rod}})


def main() -> list[dict[str, float]]:
    """Print the folds of the weaker way to lie."""
    states = rw.float_rods(hose(START))["hose"].states
    weaker = max((state for state in states if state.stable), key=lambda state: state.pose.roll)
    path = rw.continuation(hose(START), "rods.hose.curvature.kappa.1", START, STOP, guess=weaker)
    found: list[dict[str, float]] = json.loads(path.attrs["folds"])
    for fold in found:
        print(f"{fold['kind']} at {fold['value']:.6f} 1/m, determinant changes sign: {fold['confirmed']}")
    return found


if __name__ == "__main__":
    main()
