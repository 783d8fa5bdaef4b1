"""Axial laws of MoorDyn's line types: one number, a table in a file, visco-elastic and Syrope ropes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path
from typing import Any

from ropewalk.errors import InputError
from ropewalk.io.beside import beside
from ropewalk.io.columns import Row, Word, read_rows
from ropewalk.io.conversion import Ledger
from ropewalk.io.messages import shown
from ropewalk.io.moordyn_tables import LineType

TABLE_HEAD = 3  # rows above the numbers of a file of strain and tension
SYROPE_WORD = "SYROPE:"  # before the name of a file, in place of EA
STEEP = 1.0  # k1 of a linear working curve from which it is a slope in N, not a share
STEEPEST_BEND = 1.0 - 1e-6  # for k2 = 1 of quadratic curves, whose slope is zero at the least strain
_FORMS = {"LINEAR": "linear", "QUADRATIC": "quadratic", "EXP": "exponential"}


def is_rope(kind: LineType) -> bool:
    """Whether a line type has a memory."""
    return "|" in kind.stiffness.text


def stiffness(kind: LineType, folder: Path) -> tuple[Any, float]:
    """The axial law and EA at zero strain."""
    if is_rope(kind):
        law = _rope(kind, folder)
        return law, law["dynamic"]
    word = kind.stiffness
    if "|" in kind.damping.text:
        raise kind.damping.refuse(
            f"line type {shown(kind.name)}: two dampings ({shown(kind.damping.text)}) go with a visco-elastic EA, as "
            "EA_s|EA_d",
            "BA",
        )
    if word.is_number:
        value = word.number("EA", above=0.0)
        return value, value
    if not any(c.isalpha() for c in word.text[:1]) and word.text[:1] not in "\"'./_":
        word.number("EA", above=0.0)  # refuses it
    strain, tension = _numbers(word, word.text.strip("\"'"), _rows(word, folder)[TABLE_HEAD:])
    slope = (tension[1] - tension[0]) / (strain[1] - strain[0])
    return {"kind": "table", "strain": strain, "tension": tension}, slope


def _rows(word: Word, folder: Path, before: str = "") -> list[Row]:
    """Rows of a file beside the input, which a word names; `before` stands before its name."""
    try:
        return read_rows(beside(folder, word.text[len(before) :].strip("\"'")))
    except InputError as error:
        raise word.refuse(f"EA names a file: {error}", "EA") from None


def _numbers(word: Word, name: str, rows: Sequence[Row]) -> tuple[list[float], list[float]]:
    """Strains and tensions of a table."""
    strain, tension = [], []
    for row in rows:
        if "---" in row.text:
            break
        if len(row) < 2:
            raise row.refuse("a row of strain and tension has two numbers")
        strain.append(row[0].number("strain"))
        tension.append(row[1].number("tension"))
    if len(strain) < 2:
        raise word.refuse(f"{shown(name)} has {len(strain)} rows of strain and tension; give two or more", "EA")
    for what, values in (("strain", strain), ("tension", tension)):
        if values[1] <= values[0]:
            raise word.refuse(f"{shown(name)}: {what} must increase from row to row", "EA")
    return strain, tension


def _rope(kind: LineType, folder: Path) -> dict[str, Any]:
    """EA_s|EA_d, EA_s|alpha|beta or SYROPE:file|alpha|beta, with BA_s|BA_d."""
    words, dampers = kind.stiffness.parts("EA"), kind.damping.parts("BA")
    if len(words) not in (2, 3):
        raise kind.stiffness.refuse(
            f"line type {shown(kind.name)}: {len(words)} numbers between bars; use EA_s|EA_d or EA_s|EA_Dc|EA_D_Lm",
            "EA",
        )
    if len(dampers) > 2:
        raise kind.damping.refuse(f"{len(dampers)} dampings between bars; use BA_s or BA_s|BA_d", "BA")
    law: dict[str, Any] = {"dynamic": words[1].number("EA_d", above=0.0)}
    if len(words) == 3:
        law["dynamic_slope"] = words[2].number("EA_D_Lm", least=0.0)
    law["viscosity"] = dampers[0].number("BA_s", above=0.0)
    if len(dampers) == 2:
        law["dynamic_viscosity"] = dampers[1].number("BA_d", least=0.0)
    if words[0].text.upper().startswith(SYROPE_WORD):
        return {"kind": "syrope", **_working_curves(words[0], folder), **law}
    static = words[0].number("EA_s", above=0.0)
    if static >= law["dynamic"]:
        raise words[1].refuse(f"dynamic EA {law['dynamic']:g} N must be above the static {static:g} N", "EA")
    return {"kind": "viscoelastic", "static": static, **law}


def _working_curves(word: Word, folder: Path) -> dict[str, Any]:
    """The file of a Syrope rope: that of the original working curve, the form of working curves, k1 and k2."""
    name, rows = word.text[len(SYROPE_WORD) :], _rows(word, folder, SYROPE_WORD)
    given: dict[str, tuple[Row, Word]] = {row[1].text.upper(): (row, row[0]) for row in rows if len(row) > 1}
    missing = [key for key in ("OWC", "WCTYPE", "K1", "K2") if key not in given]
    if missing:
        raise word.refuse(f"{shown(name)} has no {', '.join(missing)}; it takes OWC, WCType, k1 and k2", "EA")
    original = given["OWC"][1]
    head = dropwhile(lambda row: not row[0].is_number, _rows(original, folder))  # two rows, or three
    strain, tension = _numbers(original, original.text, list(head))
    form, k1 = given["WCTYPE"][1], given["K1"][1].number("k1", least=0.0)
    if form.text.upper() not in _FORMS:
        raise form.refuse(f"{shown(form.text)} is not LINEAR, QUADRATIC or EXP", "WCType")
    curves: dict[str, Any] = {"strain": strain, "tension": tension, "working_curve": _FORMS[form.text.upper()]}
    if curves["working_curve"] == "linear" and k1 >= STEEP:
        return {**curves, "slope": k1}
    if k1 >= STEEP:
        raise given["K1"][1].refuse(f"k1 {k1:g} of {form.text} working curves is a share below 1", "k1")
    bend = {} if curves["working_curve"] == "linear" else {"bend": given["K2"][1].number("k2")}
    if curves["working_curve"] == "quadratic" and bend["bend"] == 1.0:
        bend["bend"] = STEEPEST_BEND
    return {**curves, "residual": k1, **bend}


def static_type(kind: LineType, ledger: Ledger) -> LineType:
    """Of a visco-elastic rope the static stiffness and damping, as MoorPy takes it."""
    for word, name in ((kind.stiffness, "EA"), (kind.damping, "BA")):
        if "|" in word.text:
            sentence = (
                f"{name} {word.text} of {shown(kind.name)}: the static value {word.parts(name)[0].text}, as MoorPy"
            )
            ledger.note("converted", kind.row.line, sentence)
    return replace(kind, stiffness=kind.stiffness.parts("EA")[0], damping=kind.damping.parts("BA")[0])
