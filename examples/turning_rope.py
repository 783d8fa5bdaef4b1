"""A rope in a rotating frame: its equilibria, the fold of the upward loop, and a single integration."""

import json
from pathlib import Path

import ropewalk as rw

CASE = Path(__file__).resolve().parent / "turning_rope.yaml"


def fold() -> float:
    """Rate (rad/s) below which the loop that stands up does not exist."""
    upper = next(one for one in rw.equilibria(CASE, lobes=1, starts=0) if one.label == "l: 1 lobe, up")
    path = rw.continuation(CASE, "lines.l.loads.0.rate", 20, 1, guess=upper.equilibrium)
    return next(entry["value"] for entry in json.loads(path.attrs["folds"]) if entry["kind"] == "fold")


def main() -> None:
    for one in rw.equilibria(CASE, lobes=2, starts=0):
        print(f"{one.label}: {one.spectrum.sentence}, {one.energy:.1f} J")
    print(f"the loop that stands up exists above {fold():.4f} rad/s")
    shot = rw.shoot(CASE, "l", rw.statics(CASE, "shooting").line("l")["end_a"]["force"])
    print(f"shot with the force of the equilibrium: miss {abs(shot.miss).max():.1e} m in {shot.steps} steps")


if __name__ == "__main__":
    main()
