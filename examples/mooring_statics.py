"""Restoring force and stiffness of a platform on three chains against its offset."""

from __future__ import annotations

import ropewalk as rw

CHAIN = {"catalogue": "studless_chain", "diameter": 0.084}
DIRECTIONS = {"east": (1.0, 0.0), "north": (-0.5, 0.75**0.5), "south": (-0.5, -(0.75**0.5))}


def mooring() -> rw.System:
    """A platform held at the origin by three chains in 100 m of water."""
    return rw.System(
        environment={"depth": 100.0},
        sections={"chain": CHAIN},
        points={name: {"position": (420.0 * x, 420.0 * y, -100.0)} for name, (x, y) in DIRECTIONS.items()},
        bodies={
            "platform": {
                "mass": 1.6e6,
                "position": (0.0, 0.0, 0.0),
                "joint": "fixed",
                "attachments": {name: (7.0 * x, 7.0 * y, -6.0) for name, (x, y) in DIRECTIONS.items()},
            }
        },
        lines={
            name: {"from": name, "to": f"platform.{name}", "pieces": [{"section": "chain", "length": 450.0}]}
            for name in DIRECTIONS
        },
    )


def offset_table(system: rw.System, offsets: list[float]) -> list[tuple[float, float, float, float]]:
    """Offset towards -x (m), restoring force (kN), surge stiffness (kN/m), largest tension (kN)."""
    rows = []
    for offset in offsets:
        platform = system.bodies["platform"].replace(position=(-offset, 0.0, 0.0))
        rest = rw.statics(system.replace(bodies={"platform": platform}))
        lines = [rest.line(name) for name in DIRECTIONS]
        force = sum(line["end_b"]["force"][0] for line in lines)
        stiffness = rest.body_stiffness("platform")[0, 0]
        tension = max(line["max_tension"] for line in lines)
        rows.append((offset, force / 1e3, float(stiffness) / 1e3, tension / 1e3))
    return rows


def main() -> list[tuple[float, float, float, float]]:
    rows = offset_table(mooring(), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0])
    print("offset (m)   force (kN)   stiffness (kN/m)   largest tension (kN)")
    for offset, force, stiffness, tension in rows:
        print(f"{offset:10.1f}   {force:10.2f}   {stiffness:16.3f}   {tension:20.1f}")
    return rows


if __name__ == "__main__":
    main()
