"""The current that pulls a surface buoy under: its equilibrium is followed until the sphere is just covered."""

from __future__ import annotations

import math
from pathlib import Path

import ropewalk as rw

CASE = Path(__file__).resolve().parent / "pulled_under.yaml"
VOLUME = 0.15  # m3, of the buoy


def main() -> float:
    """Print and return the speed of the current (m/s) at which the buoy goes under."""
    radius = (0.75 * VOLUME / math.pi) ** (1.0 / 3.0)
    path = rw.continuation(
        CASE, "environment.current.speed", 0.1, 3.0, until={"points.buoy.position.2": -radius},
        outputs=["points.buoy.position.2", "lines.tether.end_a.tension"],
    )  # fmt: skip
    speed = float(path.parameter[-1])
    print(f"{path.sizes['step']} equilibria, each audited: {bool((path.audit <= 1.0).all())}")
    print(f"the buoy is under from {speed:.4f} m/s on, with {float(path.value[-1, 1]):.0f} N at the anchor")
    return speed


if __name__ == "__main__":
    main()
