"""Closed-form assemblies: the OC3 platform against MoorPy, and nets that MoorPy cannot solve."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import ropewalk as rw
from benchmarks.timing import best, show
from reference import OC3, lattice, spar, string_of_lines
from ropewalk.methods.catenary import Catenary
from ropewalk.model.model import build
from ropewalk.model.state import initial_state


def moorpy_platform():
    """The OC3 spar on its three lines in MoorPy, 30 m off station."""
    import moorpy

    system = moorpy.System(depth=OC3["depth"], rho=1025.0, g=9.80665)
    section = OC3["section"]
    w = (section["mass"] - 1025.0 * np.pi / 4.0 * section["diameter"] ** 2) * 9.80665
    system.lineTypes["line"] = {
        "name": "line", "material": "line", "d_nom": section["diameter"], "d_vol": section["diameter"],
        "m": section["mass"], "w": w, "EA": section["axial_stiffness"], "input_d": section["diameter"],
    }  # fmt: skip
    # 8029.21 m3 displaced by the spar of tests/reference.py; waterplane of radius 3.25 m
    system.addBody(0, np.array([30.0, 0, 0, 0, 0, 0]), m=8.066e6, v=8029.21, rCG=np.array([0, 0, -89.9155]),
                   AWP=np.pi * 3.25**2, rM=np.array([0, 0, -61.0]))  # fmt: skip
    for i, heading in enumerate(np.radians(OC3["headings"])):
        c, s = np.cos(heading), np.sin(heading)
        system.addPoint(1, np.array([OC3["anchor"] * c, OC3["anchor"] * s, -OC3["depth"]]))
        system.addPoint(1, np.zeros(3))
        system.bodyList[0].attachPoint(2 * i + 2, np.array([OC3["fairlead"] * c, OC3["fairlead"] * s, OC3["z"]]))
        system.addLine(OC3["length"], "line", pointA=2 * i + 1, pointB=2 * i + 2)
    system.initialize()
    return system


def main() -> None:
    """Print times and ratios."""
    model = build(spar(position=[30, 0, 0]))
    solver, state = Catenary(), initial_state(model)
    reports = []

    work = solver.start(model, state)
    off_station = work.place

    def ours() -> None:
        work.place = off_station
        reports.append(solver.advance(model, work, 0.0))

    mine = best(ours)
    peer = moorpy_platform()

    def theirs() -> None:
        peer.bodyList[0].setPosition(np.array([30.0, 0, 0, 0, 0, 0]))
        peer.solveEquilibrium(DOFtype="free", tol=1e-8, maxIter=500)

    with contextlib.redirect_stdout(io.StringIO()):
        other = best(theirs, repeats=3)
        residual = np.max(np.abs(peer.getForces()))
    rows = [
        ("OC3 spar from 30 m off, ropewalk", f"{1e3 * mine:.3f} ms", f"residual {reports[-1].residual_force:.1e} N"),
        ("OC3 spar from 30 m off, MoorPy", f"{1e3 * other:.3f} ms", f"residual {residual:.1e} N"),
        ("ratio", f"1/{other / mine:.0f}", "bar 1/50"),
    ]
    for name, system in (("20 lines through free points", string_of_lines(20)), ("10 x 10 net of lines", lattice(10)),
                         ("30 x 30 net of lines", lattice(30))):  # fmt: skip
        rw.statics(system)
        begin = time.perf_counter()
        report = rw.statics(system).report
        took = time.perf_counter() - begin
        rows.append((name, f"{1e3 * took:.0f} ms", f"residual {report.residual_force:.1e} N; bar 1 s"))
    show(rows)


if __name__ == "__main__":
    main()
