"""Waves and current of OpenFAST's SeaState input, for MoorDyn files that take theirs from it.

Read: no waves, regular, JONSWAP or Pierson-Moskowitz waves and an elevation in time (WaveMod 0, 1, 2, 5), and the
standard current (CurrMod 1):
sub-surface (a power 1/7 of the height over the bed), near-surface (linear to zero at a depth) and depth-independent
parts, each with its heading (manual of OpenFAST, "SeaState"). Others are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk.errors import InputError, Problem
from ropewalk.io.beside import beside
from ropewalk.io.columns import Refused, Row, Word, read_rows
from ropewalk.io.conversion import Ledger
from ropewalk.io.messages import one_line, shown
from ropewalk.io.moordyn_currents import profile
from ropewalk.io.moordyn_elevation import from_elevation

EXPONENT = 1.0 / 7.0  # of the sub-surface current
LAYERS = 41  # of a current that is a sum of parts
PHASE = "P"  # in WaveMod 1P#: the phase of regular waves, degrees
LARGEST_SEED = 2**31 - 1


def sea_state(path: Path, ledger: Ledger, line: int) -> dict[str, Any]:
    """`waves` and `current` for the environment of a case.

    line : of the MoorDyn file that refers to them
    """
    rows = read_rows(path, comment="")
    keys = {row[1].text.lower(): row for row in rows if len(row) > 1}
    if "wavemod" not in keys:
        problem = Problem("there is no WaveMod; this is not a file of SeaState", one_line(str(path)), 1)
        raise Refused(problem)
    ledger.note("converted", line, f"waves and current as {one_line(path.name)} gives them")
    found: dict[str, Any] = {}
    waves = _waves(keys, path.parent, ledger)
    if waves:
        found["waves"] = waves
    current = _current(keys, ledger)
    if current:
        found["current"] = current
    return found


def _word(keys: Mapping[str, Row], key: str, default: str = "0") -> Word:
    row = keys.get(key.lower())
    if row is None:
        return Word(default, 1, 1, next(iter(keys.values())).file)
    word = row[0]
    return Word(word.text.strip("\"'"), word.line, word.column, word.file)


def _is_default(word: Word) -> bool:
    return word.text.upper() == "DEFAULT"


def _elevation(keys: Mapping[str, Row], folder: Path, ledger: Ledger) -> dict[str, Any]:
    """Waves of an elevation at the origin, WaveMod 5."""
    root, step = _word(keys, "WvKinFile"), _word(keys, "WaveDT").number("WaveDT", above=0.0)
    try:
        rows = read_rows(beside(folder, f"{root.text}.Elev", ledger, root.line))
    except InputError as error:
        raise root.refuse(f"WaveMod 5 needs a file: {error}", "WvKinFile") from None
    if not rows:
        raise root.refuse(f"WaveMod 5 needs a file, and {shown(root.text)}.Elev is empty", "WvKinFile")
    return from_elevation(rows, (step, 0.0), _word(keys, "WaveDir").number("WaveDir"), root.line, ledger)


def _waves(keys: Mapping[str, Row], folder: Path, ledger: Ledger) -> dict[str, Any] | None:
    mode = _word(keys, "WaveMod")
    kind, _, phase = mode.text.upper().partition(PHASE)
    if kind == "0":
        return None
    if kind == "5":
        return _elevation(keys, folder, ledger)
    if kind not in ("1", "2"):
        raise mode.refuse(f"WaveMod {mode.text} is not converted; 0, 1, 2 and 5 are, or give --still-water", "WaveMod")
    height, period = (_word(keys, key).number(key, above=0.0) for key in ("WaveHs", "WaveTp"))
    heading = _word(keys, "WaveDir").number("WaveDir")
    if _word(keys, "WaveDirMod").text != "0":
        raise _word(keys, "WaveDirMod").refuse("directional spreading is not converted; set WaveDirMod 0", "WaveDirMod")
    for key in ("WvDiffQTF", "WvSumQTF"):
        if _word(keys, key, "FALSE").text.upper().startswith("T"):
            ledger.note("left out", 0, f"{key}: waves of second order")
    stretching = {"0": "none", "1": "none", "2": "extrapolated", "3": "wheeler"}.get(
        _word(keys, "WaveStMod").text, "none"
    )
    if kind == "1":
        if not phase:
            ledger.note("assumed", 0, "phase 0 of the regular wave; SeaState draws one by its seed")
        shift = math.radians(Word(phase, mode.line, mode.column, mode.file).number("WaveMod")) if phase else 0.0
        return {"kind": "regular", "height": height, "period": period, "heading": heading, "phase": -shift,
                "stretching": stretching}  # fmt: skip
    shape = _word(keys, "WavePkShp", "DEFAULT")
    gamma = _default_gamma(height, period) if _is_default(shape) else shape.number("WavePkShp", least=1.0, most=7.0)
    seed = _word(keys, "WaveSeed(1)")
    ledger.note("converted", 0, "irregular waves of the same spectrum; their phases are drawn here, from the same seed")
    return {"kind": "jonswap", "significant_height": height, "peak_period": period, "gamma": gamma, "heading": heading,
            "seed": abs(int(seed.number("WaveSeed(1)"))) % LARGEST_SEED, "stretching": stretching}  # fmt: skip


def _default_gamma(height: float, period: float) -> float:
    """Peak enhancement that SeaState takes by default (IEC 61400-3, annex B)."""
    steepness = period / math.sqrt(height)
    if steepness <= 3.6:
        return 5.0
    return 1.0 if steepness > 5.0 else math.exp(5.75 - 1.15 * steepness)


def _current(keys: Mapping[str, Row], ledger: Ledger) -> dict[str, Any] | None:
    mode = _word(keys, "CurrMod")
    if mode.text == "0":
        return None
    if mode.text != "1":
        raise mode.refuse(f"CurrMod {shown(mode.text)} is not converted; 0 and 1 are, or give --still-water", "CurrMod")
    parts = []
    for speed, heading in (("CurrSSV0", "CurrSSDir"), ("CurrNSV0", "CurrNSDir"), ("CurrDIV", "CurrDIDir")):
        word = _word(keys, heading)
        angle = _word(keys, "WaveDir").number("WaveDir") if _is_default(word) else word.number(heading)
        value = _word(keys, speed).number(speed)
        parts.append((value * math.cos(math.radians(angle)), value * math.sin(math.radians(angle)), value))
    below, near, uniform = parts
    depth = _word(keys, "WtrDpth")
    deep = depth.number("WtrDpth", above=0.0) if not _is_default(depth) else 0.0
    if below[2] and not deep:
        raise depth.refuse("the sub-surface current needs a depth; give WtrDpth as a number", "WtrDpth")
    reach = _word(keys, "CurrNSRef").number("CurrNSRef", above=0.0) if near[2] else 1.0
    span = max(deep, reach)
    heights = sorted({*np.linspace(-span, 0.0, LAYERS).tolist(), -reach if near[2] else 0.0})
    table = []
    for z in heights:
        a = max(1.0 + z / deep, 0.0) ** EXPONENT if below[2] else 0.0
        b = max(1.0 + z / reach, 0.0) if near[2] else 0.0
        table.append((z, *(a * below[k] + b * near[k] + uniform[k] for k in range(2))))
    return profile(table, 0, ledger)
