"""Waves and currents of MoorDyn's files as waves and current of a case.

Read: the components of WaveKin 2 and 7 (`wave_frequencies.txt`), the elevation of WaveKin 3 (`wave_elevation.txt`, as
its Fourier components, or WaveKinFile in the Fortran dialect), the currents of io/moordyn_currents.py or the table in
the file of WaterKin, and OpenFAST's SeaState (io/seastate.py). WaveKin 1 is left to the calling program.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.io.beside import beside
from ropewalk.io.columns import Row, Word, read_rows
from ropewalk.io.conversion import Ledger
from ropewalk.io.messages import one_line, shown
from ropewalk.io.moordyn_currents import dynamic_current, grid_current, profile, steady_current
from ropewalk.io.moordyn_elevation import MOST_COMPONENTS, from_elevation
from ropewalk.io.moordyn_tables import RULE, Option, Tables
from ropewalk.io.seastate import sea_state

WATER_FROM_OUTSIDE = "WaveKin 1"  # how the note of it begins
WAVE_STEP = 0.25  # s, MoorDyn's default of dtWave
HYBRID = 2  # WaveKinMod and CurrentMod: as OpenFAST's SeaState has them
SEA_STATE_ENDINGS = (".dat", ".txt", ".inp")
SHORTEST_WAVE = 2.0  # s: MoorDyn leaves shorter ones of an elevation out


def water(tables: Tables, ledger: Ledger, folder: Path, *, still: bool) -> dict[str, Any]:
    """Waves and current for the environment of a case; none if `still`."""
    found: dict[str, Any] = {}
    options = tables.options
    if still:
        for key in ("waves", "currents", "water kinematics"):
            if key in options and options[key].value.text != "0":
                ledger.note("left out", options[key].row.line, f"{options[key].row[1].text}, by --still-water")
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
        spectrum = _spectrum(_rows_of("wave_frequencies.txt", folder, option.value, ledger))
        return _components(_spaced(spectrum) if kind == 2 else spectrum, kind, option, ledger)
    if kind == 3:
        step = tables.options.get("wave step")
        dt = step.value.number("dtWave", above=0.0) if step else WAVE_STEP
        rows = _rows_of("wave_elevation.txt", folder, option.value, ledger)
        return from_elevation(rows, (dt, SHORTEST_WAVE), 0.0, option.row.line, ledger)
    if kind == 1:
        sentence = (
            f"{WATER_FROM_OUTSIDE}: the motion of the water comes from a calling program, so the case has still water; "
            "scripts give it by ExternalWaveKinSet of ropewalk.moordyn; in other Python programs "
            "give it as Fields(current=u), a function of position and time"
        )
        ledger.note("left out", option.row.line, sentence)
        return None
    raise option.value.refuse(f"WaveKin {kind} is not known; use 0, 1, 2, 3 or 7", "WaveKin")


def _rows_of(name: str, folder: Path, word: Word, ledger: Ledger) -> list[Row]:
    try:
        rows = read_rows(beside(folder, name, ledger, word.line))
    except InputError as error:
        raise word.refuse(f"{shown(word.text)} needs a file: {error}") from None
    if not rows:
        raise word.refuse(f"{shown(word.text)} needs a file, and {shown(name)} is empty")
    return rows


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
        raise given[0][3].refuse("frequencies must begin at 0 and increase")
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
            raise row.refuse("a component of frequency 0 is not a wave; set its amplitude to 0")
        phase = shift - math.atan2(amplitude.imag, amplitude.real)
        period, degrees = math.tau / omega, math.degrees(heading)
        found.append({"amplitude": abs(amplitude), "period": period, "heading": degrees, "phase": phase})
    if not found:
        return {}
    how = "sine to cosine: phase = pi/2 - arg A" if kind == 7 else "phase = -arg A; MoorDyn's grid is not needed"
    ledger.note("converted", option.row.line, f"{len(found)} wave components, {how}")
    return {"kind": "components", "components": found}


_CURRENTS = {
    1: ("current_profile.txt", steady_current),
    2: ("current_profile_dynamic.txt", dynamic_current),
    5: ("current_profile_4d.txt", grid_current),
}


def _currents(option: Option, ledger: Ledger, folder: Path) -> dict[str, Any] | None:
    kind = option.value.whole("Currents", least=0)
    if kind == 0:
        return None
    if kind not in _CURRENTS:
        raise option.value.refuse(f"Currents {kind} is not known; use 0, 1, 2 or 5", "Currents")
    name, read = _CURRENTS[kind]
    return read(_rows_of(name, folder, option.value, ledger), option.row.line, ledger)


def _fortran_file(option: Option, ledger: Ledger, folder: Path) -> dict[str, Any]:
    """The file of waves and currents that the option WaterKin names."""
    name = option.value.text.strip("\"'")
    if not name or name.upper() in ("NULL", "NONE", "UNUSED"):
        return {}
    if name.upper() == "SEASTATE":
        return sea_state(_sea_state_file(option, folder), ledger, option.row.line)
    rows = _rows_of(name, folder, option.value, ledger)
    keys = {row[1].text.lower(): row for row in rows if len(row) > 1}
    found: dict[str, Any] = {}
    mode = keys.get("wavekinmod")
    if mode is None:
        raise option.value.refuse(f"{shown(name)} has no WaveKinMod; it is not a file of water kinematics", "WaterKin")
    if (kind := mode[0].whole("WaveKinMod", least=0)) == 1:
        file, step, heading = (keys.get(key) for key in ("wavekinfile", "dtwave", "wavedir"))
        if file is None or step is None:
            raise mode.refuse("WaveKinMod 1 needs WaveKinFile and dtWave")
        series = _rows_of(file[0].text.strip("\"'"), folder, file[0], ledger)
        dt = step[0].number("dtWave", above=0.0)
        waves = from_elevation(
            series, (dt, 0.0), heading[0].number("WaveDir") if heading else 0.0, option.row.line, ledger
        )
        if waves:
            found["waves"] = waves
    elif kind == HYBRID:
        waves = sea_state(_sea_state_file(option, folder), ledger, option.row.line).get("waves", {})
        if waves:
            found["waves"] = waves
    elif kind:
        raise mode[0].refuse(f"WaveKinMod {kind} is not known; use 0, 1 or 2", "WaveKinMod")
    current = keys.get("currentmod")
    if current is not None and (kind := current[0].whole("CurrentMod", least=0)):
        if kind not in (1, HYBRID):
            raise current[0].refuse(f"CurrentMod {kind} is not known; use 0, 1 or 2", "CurrentMod")
        if kind == HYBRID:
            flow = sea_state(_sea_state_file(option, folder), ledger, option.row.line).get("current")
        else:
            flow = profile(_fortran_currents(rows, current.line), option.row.line, ledger)
        if flow:
            found["current"] = flow
    return found


def _sea_state_file(option: Option, folder: Path) -> Path:
    """The one file of SeaState beside the input."""
    found = sorted(
        path
        for path in folder.iterdir()
        if "seastate" in path.name.lower() and path.suffix.lower() in SEA_STATE_ENDINGS
    )
    if len(found) != 1:
        there = "found: " + ", ".join(one_line(path.name) for path in found) if found else "there is none"
        raise option.value.refuse(
            f"waves and current are those of OpenFAST's SeaState, whose input (*SeaState*.dat) must be beside this "
            f"file; {there}. --still-water converts without them",
            "WaterKin",
        )
    return found[0]


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
