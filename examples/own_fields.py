"""User functions: a current given by a formula, a load on one line, and the axial law of a rope."""

import numba
import numpy as np

import ropewalk as rw

ROPE = {"diameter": 0.05, "mass": 4.0, "axial_stiffness": 1e6, "drag": {"normal": 1.2}}
CASE = rw.System.model_validate(
    {
        "title": "tether in an eddy",
        "environment": {"depth": 80, "gravity": 9.81, "seabed": {"kind": "none"}},
        "sections": {"rope": ROPE},
        "points": {
            "anchor": {"position": [0, 0, -80]},
            "float": {"position": [0, 0, -20], "joint": "free", "mass": 50, "volume": 0.5},
        },
        "lines": {"tether": {"from": "anchor", "to": "float", "pieces": [{"section": "rope", "length": 60}]}},
    }
)


@numba.njit
def eddy(r, t):
    """Water that turns about the vertical axis through (20, 0), m/s."""
    return np.array([-r[1], r[0] - 20.0, 0.0]) * 0.02


@numba.njit
def push(s, r, tangent, t):
    """20 N/m along x on the upper half of the tether."""
    return (20.0 if s > 30.0 else 0.0), 0.0, 0.0


def nylon(strain):
    """A rope that stiffens; plain Python is slower by the time that its calls take."""
    return 5e5 * (strain + 4.0 * strain**2)


def main() -> None:
    fields = rw.Fields(current=eddy, loads={"tether": push}, laws={"rope": nylon})
    for method in ("shooting", "fem"):
        rest = rw.statics(CASE, method, fields=fields)
        x, y, z = rest.state.point_position[1]
        print(f"{method}: float at x = {x:.4f} m, y = {y:.4f} m, z = {z:.4f} m; {rest.doubts or 'no doubts'}")
    print(f"functions kept in the result: {rest.to_dataset().attrs['fields']}")


if __name__ == "__main__":
    main()
