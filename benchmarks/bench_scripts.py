"""Scripts written for the `moordyn` package, run by it and by ropewalk with the import changed.

Run: python -m benchmarks scripts.  Three scripts: the fairleads of the OC3 spar driven in surge for 60 s, a free body
with an upright cylinder in waves for 60 s, and a line that is hauled in on the way. Each runs by MoorDyn at its usual
settings (20 segments a line, dtM 1e-3 s, its default scheme, calls every 0.1 s as in its documentation), by MoorDyn
converged (80 segments, dtM 1e-4 s, calls every 0.005 s: lengths that are set jump at each call there), and by ropewalk
from the file with the usual settings. Errors are relative L2 differences of the tensions to the converged run, and the
largest at an instant of those every 0.1 s, relative to the peak; all from the start on. Files set ICgenDynamic, since a
free body does not begin at rest by MoorDyn's other way. Tensions are those of forces on coupled points, and of the
upper ends of lines on the free body, where MoorDyn's miss the weight of half a segment. Waves are those of WaveKin 2,
and again of WaveKin 7, where MoorDyn has no wave pressure on the ends of rods. The grid of WaveKin 2 is that of the
highest frequency in its file, two samples to a period, so rows without amplitude stand above the two components. CPU is
that of the calls after the first.
"""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.timing import quiet

DURATION = 60.0  # s
EVERY = 0.1  # s between samples that are compared
USUAL, FINE = (20, 1e-3, 0.1), (80, 1e-4, 0.005)  # segments, dtM (s), calls (s)
MOST_ERROR = 0.02  # the bar

HEAD = """--- MoorDyn
---- LINE TYPES ----
Name Diam MassDenInAir EA BA/-zeta EI Cd Ca CdAx CaAx
(-) (m) (kg/m) (N) (N-s/-) (N-m2) (-) (-) (-) (-)
"""
POINTS = """---- POINTS ----
ID Attachment X Y Z Mass Volume CdA Ca
(-) (-) (m) (m) (m) (kg) (m3) (m2) (-)
"""
LINES = """---- LINES ----
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(-) (-) (-) (-) (m) (-) (-)
"""
END = """---- OPTIONS ----
0 writeLog
{dtm} dtM
{depth} WtrDpth
3e6 kBot
3e5 cBot
1 ICgenDynamic
500 TmaxIC
1e-6 threshIC
{more}---- END ----
"""


@dataclass(frozen=True)
class Script:
    """A file, files beside it, and what is done with it."""

    name: str
    text: Callable[[int, float], str]
    beside: dict[str, str]
    drive: Callable[[ModuleType, Any, float], Iterator[np.ndarray]]


def _oc3(segments: int, dtm: float) -> str:
    rows = [HEAD + "rope 0.09 77.7066 384.243e6 -0.8 0 1.6 1.0 0.1 0.0", POINTS.rstrip()]
    for k in range(3):
        a = 2.0 * math.pi * k / 3.0
        c, s = math.cos(a), math.sin(a)
        rows.append(f"{k + 1} Fixed {853.87 * c:.9f} {853.87 * s:.9f} -320 0 0 0 0")
        rows.append(f"{k + 4} Coupled {5.2 * c:.9f} {5.2 * s:.9f} -70 0 0 0 0")
    rows.sort(key=lambda row: (len(row) < 80, row.split()[1] == "Coupled"))
    rows.append(LINES.rstrip())
    rows += [f"{k} rope {k} {k + 3} 902.2 {segments} -" for k in (1, 2, 3)]
    return "\n".join(rows) + "\n" + END.format(dtm=dtm, depth=320, more="")


def surge(md: ModuleType, system: Any, dt: float) -> Iterator[np.ndarray]:
    """Fairleads go to and fro by 3 m in 12 s, brought on over 10 s."""
    home = np.array([[5.2 * math.cos(a), 5.2 * math.sin(a), -70.0] for a in 2.0 * math.pi * np.arange(3) / 3.0])

    def place(t: float) -> np.ndarray:
        moved: np.ndarray = home.copy()
        moved[:, 0] += 3.0 * min(t / 10.0, 1.0) ** 2 * math.sin(2.0 * math.pi * t / 12.0)
        return moved

    md.Init(system, list(place(0.0).ravel()), [0.0] * 9)
    for i in range(round(DURATION / dt)):
        t = i * dt
        here, there = place(t), place(t + dt)
        force = md.Step(system, list(here.ravel()), list(((there - here) / dt).ravel()), t, dt)
        yield np.linalg.norm(np.reshape(force, (3, 3)), axis=1)


def _buoy(segments: int, dtm: float, kinematics: int = 2) -> str:
    rows = [
        HEAD + "rope 0.06 8.0 4.0e6 -0.8 0 1.2 1.0 0.1 0.0",
        "---- ROD TYPES ----\nName Diam Mass/m Cd Ca CdEnd CaEnd\n(-) (m) (kg/m) (-) (-) (-) (-)",
        "hull 2.0 400 0.8 1.0 0.6 0.6",
        "---- BODIES ----\nID Attachment X0 Y0 Z0 r0 p0 y0 Mass CG I Volume CdA Ca",
        "(-) (-) (m) (m) (m) (deg) (deg) (deg) (kg) (m) (kg-m2) (m3) (m2) (-)",
        "1 Free 0 0 -8 0 0 0 3000 0|0|-1 4000|4000|2000 0 0 0",
        "---- RODS ----\nID RodType Attachment Xa Ya Za Xb Yb Zb NumSegs RodOutputs",
        "(-) (-) (-) (m) (m) (m) (m) (m) (m) (-) (-)",
        "1 hull Body1 0 0 -2 0 0 2 16 -",
        POINTS.rstrip(),
    ]
    for k in range(3):
        a = 2.0 * math.pi * k / 3.0
        rows.append(f"{k + 1} Fixed {40 * math.cos(a):.9f} {40 * math.sin(a):.9f} -50 0 0 0 0")
    for k in range(3):
        a = 2.0 * math.pi * k / 3.0
        rows.append(f"{k + 4} Body1 {math.cos(a):.9f} {math.sin(a):.9f} -2 0 0 0 0")
    rows.append(LINES.rstrip())
    rows += [f"{k} rope {k} {k + 3} 54.5 {segments} -" for k in (1, 2, 3)]
    return "\n".join(rows) + "\n" + END.format(dtm=dtm, depth=50, more=f"{kinematics} WaveKin\n")


def waves(md: ModuleType, system: Any, dt: float) -> Iterator[np.ndarray]:
    """A free body; the tensions of its lines at their upper ends."""
    md.Init(system, [], [])
    lines = [md.GetLine(system, k) for k in (1, 2, 3)]
    for i in range(round(DURATION / dt)):
        md.Step(system, [], [], i * dt, dt)
        yield np.array([md.GetLineFairTen(line) for line in lines])


def _winch(segments: int, dtm: float) -> str:
    rows = [
        HEAD + "rope 0.08 30.0 1.0e8 -0.8 0 1.2 1.0 0.1 0.0",
        POINTS + "1 Fixed 0 0 -100 0 0 0 0\n2 Coupled 160 0 -2 0 0 0 0",
        LINES + f"1 rope 1 2 195 {segments} -",
    ]
    return "\n".join(rows) + "\n" + END.format(dtm=dtm, depth=100, more="")


def winch(md: ModuleType, system: Any, dt: float) -> Iterator[np.ndarray]:
    """A line is hauled in by 4 m between 15 and 35 s while its fairlead heaves by 0.5 m in 10 s."""

    def place(t: float) -> list[float]:
        return [160.0, 0.0, -2.0 + 0.5 * min(t / 10.0, 1.0) ** 2 * math.sin(2.0 * math.pi * t / 10.0)]

    md.Init(system, place(0.0), [0.0] * 3)
    line = md.GetLine(system, 1)
    for i in range(round(DURATION / dt)):
        t = i * dt
        here, there = place(t), place(t + dt)
        if 15.0 <= t < 35.0:
            md.SetLineUnstretchedLength(line, md.GetLineUnstretchedLength(line) - 0.2 * dt)
        velocity = [(b - a) / dt for a, b in zip(here, there, strict=True)]
        yield np.array([np.linalg.norm(md.Step(system, here, velocity, t, dt))])


def _sea() -> dict[str, str]:
    """Two waves, and the grid of x, y and z on which MoorDyn keeps them: every metre, and every 0.08 s."""
    amplitude = {2: "1.0 0", 3: "0.2 0.1"}  # of multiples of 0.4 rad/s
    rows = [f"{0.4 * i:.1f} {amplitude.get(i, '0 0')} 0" for i in range(101)]
    grid = "---\n---\n---\n2\n-60 60 121\n0\n0\n2\n-50 0 51\n"
    return {"wave_frequencies.txt": "\n".join(rows) + "\n", "water_grid.txt": grid}


def _components() -> dict[str, str]:
    """Two waves, which MoorDyn sums up at every node; its phases count otherwise than on the grid."""
    return {"wave_frequencies.txt": "0 0 0 0\n0.8 0 1.0 0\n1.2 0 0.2 0\n"}


SCRIPTS = (
    Script("fairleads driven in surge", _oc3, {}, surge),
    Script("free body in waves", _buoy, _sea(), waves),
    Script("free body in waves of WaveKin 7", partial(_buoy, kinematics=7), _components(), waves),
    Script("line hauled in on the way", _winch, {}, winch),
)


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """MoorDyn looks for waves beside its file, or where it runs."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run(script: Script, md: ModuleType, settings: tuple[int, float, float]) -> tuple[np.ndarray, float]:
    """Tensions (n, lines) every EVERY seconds, N, and CPU seconds of the steps."""
    segments, dtm, dt = settings
    with tempfile.TemporaryDirectory() as name, inside(Path(name)):
        Path("lines.txt").write_text(script.text(segments, dtm))
        for file, text in script.beside.items():
            Path(file).write_text(text)
        with quiet():
            system = md.Create("lines.txt")
            steps = script.drive(md, system, dt)
            rows = [next(steps)]  # finds the equilibrium, and compiles
            begin = time.process_time()
            rows += list(steps)
            cost = time.process_time() - begin
            md.Close(system)
    every = round(EVERY / dt)
    return np.array(rows)[every - 1 :: every], cost


def main() -> None:
    """Print error and cost of each script."""
    import moordyn

    from ropewalk import moordyn as ours

    for script in SCRIPTS:
        exact, _ = run(script, moordyn, FINE)
        usual, peer = run(script, moordyn, USUAL)
        run(script, ours, USUAL)
        mine, cost = min((run(script, ours, USUAL) for _ in range(2)), key=lambda one: one[1])
        errors = [float(np.linalg.norm(one - exact) / np.linalg.norm(exact)) for one in (usual, mine)]
        peaks = [float(np.max(np.abs(one - exact) / exact.max(axis=0))) for one in (usual, mine)]
        print(f"{script.name}: MoorDyn at its usual settings {100 * errors[0]:.2f} % off, {peer:.2f} s; ropewalk "
              f"{100 * errors[1]:.2f} % off (at most {100 * peaks[1]:.2f} % of the peak), {cost:.2f} s; CPU "
              f"{cost / peer:.2f} of MoorDyn's")  # fmt: skip
