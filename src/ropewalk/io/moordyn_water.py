"""Waves and currents of MoorDyn's files as waves and current of a case.

Read: the components of WaveKin 2 and 7 (`wave_frequencies.txt`), the elevation of WaveKin 3 (`wave_elevation.txt`, as
its Fourier components, or WaveKinFile in the Fortran dialect), and the steady profile of Currents 1
(`current_profile.txt`, or the table in the file of WaterKin). Others are refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.io.columns import Row, Word, read_rows
from ropewalk.io.conversion import Ledger
from ropewalk.io.messages import shown
from ropewalk.io.moordyn_tables import RULE, Option, Tables
from ropewalk.io.native import resolve

WAVE_STEP = 0.25  # s, MoorDyn's default of dtWave
CURRENT_HEAD = 3  # rows above the numbers of current_profile.txt
SHORTEST_WAVE = 2.0  # s: MoorDyn leaves shorter ones of an elevation out
SMALL_AMPLITUDE = 1e-6  # of the largest: Fourier components below it are left out
MOST_COMPONENTS = 20_000  # as many as a case takes


def water(tables: Tables, ledger: Ledger, folder: Path, *, still: bool) -> dict[str, Any]:
    """Waves and current for the environment of a case; none if `still`."""
    found: dict[str, Any] = {}
    options = tables.options
    if still:
        for key in ("waves", "currents", "water kinematics"):
            if key in options and options[key].value.text != "0":
                ledger.note("left out", options[key].row.line, f"{options[key].row[1].text}, as asked by --still-water")
        return found
    with ledger.row():
        if "waves" in options:
            waves = _waves(options["waves"], tables, ledger, folder)
            if waves:
                found["waves"] = waves
    with ledger.row():
        if "currents" in options:
            current = _currents(options["currents"], ledger, folder)
            if current:
                found["current"] = current
    with ledger.row():
        if "water kinematics" in options:
            found.update(_fortran_file(options["water kinematics"], ledger, folder))
    return found


def _waves(option: Option, tables: Tables, ledger: Ledger, folder: Path) -> dict[str, Any] | None:
    kind = option.value.whole("WaveKin", least=0)
    if kind == 0:
        return None
    if kind in (2, 7):
        spectrum = _spectrum(_rows_of("wave_frequencies.txt", folder, option.value))
        return _components(_spaced(spectrum) if kind == 2 else spectrum, kind, option, ledger)
    if kind == 3:
        step = tables.options.get("wave step")
        dt = step.value.number("dtWave", above=0.0) if step else WAVE_STEP
        rows = _rows_of("wave_elevation.txt", folder, option.value)
        return _from_elevation(rows, (dt, SHORTEST_WAVE), 0.0, option.row.line, ledger)
    if kind == 1:
        raise option.value.refuse("WaveKin 1: water kinematics of a calling program are not in the model", "WaveKin")
    raise option.value.refuse(f"WaveKin {kind} is not known; there are 0, 2, 3 and 7", "WaveKin")


def _rows_of(name: str, folder: Path, word: Word) -> list[Row]:
    try:
        return read_rows(resolve(folder, name))
    except InputError as error:
        raise word.refuse(f"{shown(word.text)} needs a file: {error}") from None


def _spectrum(rows: Sequence[Row]) -> list[tuple[float, complex, float, Row]]:
    """Rows of frequency (rad/s), complex amplitude (m) and direction (rad)."""
    found = []
    for row in rows:
        if not 3 <= len(row) <= 4:
            raise row.refuse(f"{len(row)} columns; a component has frequency, real and imaginary part, and direction")
        omega = row[0].number("frequency", least=0.0)
        amplitude = complex(row[1].number("real part"), row[2].number("imaginary part"))
        heading = row[3].number("direction") if len(row) == 4 else 0.0
        found.append((omega, amplitude, heading, row))
    return found


def _spaced(given: list[tuple[float, complex, float, Row]]) -> list[tuple[float, complex, float, Row]]:
    """The spectrum of WaveKin 2: linear between its rows, at multiples of the smallest step of frequency."""
    omega = np.array([row[0] for row in given])
    if omega.size < 2 or omega[0] != 0.0 or np.any(np.diff(omega) <= 0.0):
        raise given[0][3].refuse("frequencies begin at 0 and rise")
    step = float(np.diff(omega).min())
    count = math.floor(omega[-1] / step) + 1
    if count > MOST_COMPONENTS:
        raise given[0][3].refuse(f"{count} components of {step:g} rad/s each; at most {MOST_COMPONENTS} are converted")
    places = step * np.arange(count)
    amplitude = np.interp(places, omega, [row[1].real for row in given]) + 1j * np.interp(
        places, omega, [row[1].imag for row in given]
    )
    heading = np.interp(places, omega, [row[2] for row in given])
    return [(float(w), complex(a), float(h), given[0][3]) for w, a, h in zip(places, amplitude, heading, strict=True)]


def _components(
    spectrum: list[tuple[float, complex, float, Row]], kind: int, option: Option, ledger: Ledger
) -> dict[str, Any]:
    """MoorDyn's elevation is |A| sin(omega t - k x + arg A) for WaveKin 7, a cosine for 2; here a cos(... - phase)."""
    found = []
    shift = 0.5 * math.pi if kind == 7 else 0.0
    for omega, amplitude, heading, row in spectrum:
        if amplitude == 0.0:
            continue
        if omega == 0.0:
            raise row.refuse("a component of frequency 0 is no wave; set its amplitude to 0")
        phase = shift - math.atan2(amplitude.imag, amplitude.real)
        period, degrees = math.tau / omega, math.degrees(heading)
        found.append({"amplitude": abs(amplitude), "period": period, "heading": degrees, "phase": phase})
    if not found:
        return {}
    how = "sine to cosine: phase = pi/2 - arg A" if kind == 7 else "phase = -arg A; MoorDyn's grid is not needed"
    ledger.note("converted", option.row.line, f"{len(found)} wave components, {how}")
    return {"kind": "components", "components": found}


def _from_elevation(
    rows: Sequence[Row], sampling: tuple[float, float], heading: float, line: int, ledger: Ledger
) -> dict[str, Any]:
    """Fourier components of an elevation at the origin, sampled as MoorDyn does: step, and shortest period kept, s."""
    dt, shortest = sampling
    data = [row for row in rows if row[0].is_number]
    times, heights = ([row[k].number(name) for row in data if _two(row)] for k, name in ((0, "time"), (1, "elevation")))
    if len(times) < 4 or any(b <= a for a, b in pairwise(times)):
        raise rows[0].refuse("an elevation has four rows or more, and its times rise")
    n = round((times[-1] - times[0]) / dt) + 1
    n -= n % 2
    if not 4 <= n <= 2 * MOST_COMPONENTS:
        raise rows[0].refuse(f"the elevation has {n} samples of {dt:g} s; 4 to {2 * MOST_COMPONENTS} can be converted")
    samples = np.interp(times[0] + dt * np.arange(n), times, heights)
    spectrum = np.fft.rfft(samples)[1:] * 2.0 / n
    spectrum[-1] *= 0.5
    omega = math.tau * np.arange(1, spectrum.size + 1) / (n * dt)
    size = np.abs(spectrum)
    kept = np.flatnonzero((size > SMALL_AMPLITUDE * float(size.max())) & (omega * shortest <= math.tau))
    components = [
        {
            "amplitude": float(size[k]),
            "period": float(math.tau / omega[k]),
            "heading": heading,
            "phase": float(-np.angle(spectrum[k]) + omega[k] * times[0]),
        }
        for k in kept
    ]
    mean = float(samples.mean())
    ledger.note("converted", line, f"an elevation of {n} samples as {len(components)} Fourier components; it repeats "
                f"after {n * dt:g} s; its mean {mean:.3g} m is left out")  # fmt: skip
    return {"kind": "components", "components": components} if components else {}


def _two(row: Row) -> bool:
    if len(row) < 2:
        raise row.refuse("a row of an elevation has a time and a height")
    return True


def _currents(option: Option, ledger: Ledger, folder: Path) -> dict[str, Any] | None:
    kind = option.value.whole("Currents", least=0)
    if kind == 0:
        return None
    if kind != 1:
        raise option.value.refuse(
            f"Currents {kind}: currents that change in time or on a grid are not in the model; Currents 1 is",
            "Currents",
        )
    rows = _rows_of("current_profile.txt", folder, option.value)[CURRENT_HEAD:]
    for row in rows:
        if len(row) != 4:
            raise row.refuse(f"{len(row)} columns; a current profile has z and three velocities")
        if row[3].number("uz") != 0.0:
            raise row[3].refuse("a vertical current is not in the model", "uz")
    table = [tuple(row[k].number(("z", "ux", "uy")[k]) for k in range(3)) for row in rows]
    return profile(table, option.row.line, ledger)


def profile(table: Sequence[tuple[float, ...]], line: int, ledger: Ledger) -> dict[str, Any] | None:
    """A current of a case from rows of z, ux, uy: speed of the fastest layer, factors and turns of the others."""
    speeds = [math.hypot(ux, uy) for _, ux, uy in table]
    if not table or max(speeds) == 0.0:
        return None
    fastest = max(range(len(table)), key=lambda k: speeds[k])
    heading = math.degrees(math.atan2(table[fastest][2], table[fastest][1]))
    turns = [
        math.remainder(math.degrees(math.atan2(uy, ux)) - heading, 360.0) if speed > 0.0 else 0.0
        for (_, ux, uy), speed in zip(table, speeds, strict=True)
    ]
    part: dict[str, Any] = {
        "kind": "table",
        "z": [row[0] for row in table],
        "factor": [speed / speeds[fastest] for speed in speeds],
    }
    # layers that flow straight back have a negative factor, as between them the flow passes through zero
    for k, turn in enumerate(turns):
        if abs(abs(turn) - 180.0) < 1e-9:
            part["factor"][k] *= -1.0
            turns[k] = 0.0
    if any(abs(turn) > 1e-12 for turn in turns):
        part["turn"] = turns
        ledger.note(
            "converted", line, "a current that turns: speed and direction are linear in z, MoorDyn's components are"
        )
    return {"speed": speeds[fastest], "heading": heading, "profile": part}


def _fortran_file(option: Option, ledger: Ledger, folder: Path) -> dict[str, Any]:
    """The file of waves and currents that the option WaterKin names."""
    name = option.value.text.strip("\"'")
    if not name or name.upper() in ("NULL", "NONE", "UNUSED"):
        return {}
    if name.upper() == "SEASTATE":
        raise option.value.refuse("WaterKin SEASTATE: waves of OpenFAST's SeaState are not in this file", "WaterKin")
    rows = _rows_of(name, folder, option.value)
    keys = {row[1].text.lower(): row for row in rows if len(row) > 1}
    found: dict[str, Any] = {}
    mode = keys.get("wavekinmod")
    if mode is None:
        raise option.value.refuse(f"{shown(name)} has no WaveKinMod; it is not a file of water kinematics", "WaterKin")
    if (kind := mode[0].whole("WaveKinMod", least=0)) == 1:
        file, step, heading = (keys.get(key) for key in ("wavekinfile", "dtwave", "wavedir"))
        if file is None or step is None:
            raise mode.refuse("WaveKinMod 1 needs WaveKinFile and dtWave")
        series = _rows_of(file[0].text.strip("\"'"), folder, file[0])
        dt = step[0].number("dtWave", above=0.0)
        waves = _from_elevation(
            series, (dt, 0.0), heading[0].number("WaveDir") if heading else 0.0, option.row.line, ledger
        )
        if waves:
            found["waves"] = waves
    elif kind:
        raise mode[0].refuse(f"WaveKinMod {kind}: waves of OpenFAST's SeaState are not in this file", "WaveKinMod")
    current = keys.get("currentmod")
    if current is not None and (kind := current[0].whole("CurrentMod", least=0)):
        if kind != 1:
            raise current[0].refuse(
                f"CurrentMod {kind}: currents of OpenFAST's SeaState are not in this file", "CurrentMod"
            )
        flow = profile(_fortran_currents(rows, current.line), option.row.line, ledger)
        if flow:
            found["current"] = flow
    return found


def _fortran_currents(rows: Sequence[Row], start: int) -> list[tuple[float, ...]]:
    """Rows of depth (positive down), ux, uy below the names and units."""
    table: list[tuple[float, ...]] = []
    for row in rows:
        if row.line <= start or (table and RULE in row.text):
            if table and RULE in row.text:
                break
            continue
        if len(row) == 3 and row.numbers == 3:
            depth, ux, uy = (row[k].number(("z-depth", "x-current", "y-current")[k]) for k in range(3))
            table.append((-abs(depth), ux, uy))
    return table
