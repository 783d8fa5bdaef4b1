"""Pieces whose sections vary along s have their own sections in the arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import floats, ints
from ropewalk.model.lines import Lines, Sections
from ropewalk.model.profiles import Function, Profiles, Varying, no_profiles, pack_profiles, varying_piece
from ropewalk.physics.elasticity import LINEAR
from ropewalk.physics.profiles import PROPERTIES
from ropewalk.spec.system import System

MEANS = ("mass", "area", "drag_normal", "drag_tangential", "added_normal", "added_tangential")


def vary_sections(
    system: System, sections: Sections, lines: Lines, functions: Mapping[str, Mapping[str, Function]]
) -> tuple[Sections, Lines, Profiles, dict[int, str]]:
    """Sections and lines with a section for each piece that varies, the series of all, and the names of all sections.

    functions : of the sections by name, properties by name as functions of s from the start of a piece
    """
    names = list(system.sections)
    _refuse(system, functions)
    found: list[tuple[int, int, Varying]] = []  # piece, section of the file, series
    piece = 0
    for name, line in system.lines.items():
        begin = 0.0
        for k, part in enumerate(line.pieces):
            section = system.sections[part.section]
            where = f"lines.{name}.pieces.{k}: section '{part.section}'"
            varying = varying_piece(section, functions.get(part.section, {}), begin, part.length, where)
            if varying is not None:
                if line.payout is not None:
                    raise InputError(
                        f"{where} varies along s, which a line with a winch does not support; give a constant one"
                    )
                found.append((piece, names.index(part.section), varying))
            begin += part.length
            piece += 1
    if not found:
        return sections, lines, no_profiles(len(names)), dict(enumerate(names))
    sections = _with_copies(sections, found)
    owner = np.array(lines.piece_section)
    for k, (piece, _, _) in enumerate(found):
        owner[piece] = len(names) + k
    profiles, data = pack_profiles([*([None] * len(names)), *(one for _, _, one in found)], sections.law_data)
    every = dict(enumerate([*names, *(names[section] for _, section, _ in found)]))
    return sections._replace(law_data=data), lines._replace(piece_section=ints(owner)), profiles, every


def _refuse(system: System, functions: Mapping[str, Mapping[str, Function]]) -> None:
    for name, net in system.nets.items():
        if system.sections[net.section].along is not None or net.section in functions:
            raise InputError(
                f"nets.{name}: section '{net.section}' varies along s, which twines do not support; give a constant one"
            )
        if system.sections[net.section].drag.has_law:
            raise InputError(
                f"nets.{name}: section '{net.section}' has drag coefficients by angle or Reynolds number, which only "
                "lines support; give the twines constant ones, or the net a screen model"
            )


def _with_copies(sections: Sections, found: list[tuple[int, int, Varying]]) -> Sections:
    """Sections with a copy for each piece that varies, with the means of its properties."""
    of = np.array([section for _, section, _ in found])
    columns = {
        name: np.concatenate([column, column[of]])
        for name, column in sections._asdict().items()
        if name not in ("law_start", "law_data")
    }
    law_start, law_data = list(sections.law_start), list(sections.law_data)
    n = sections.mass.size
    for k, (_, section, varying) in enumerate(found):
        mean = dict(zip(PROPERTIES, varying.means(), strict=True))
        for name in MEANS:
            columns[name][n + k] = mean[name]
        if varying.stretches:
            columns["law"][n + k] = LINEAR
            law_data.append(mean["stiffness"])
        else:
            law_data += list(sections.law_data[sections.law_start[section] : sections.law_start[section + 1]])
        law_start.append(len(law_data))
    frozen: dict[str, Any] = {
        name: ints(column) if column.dtype == np.int64 else floats(column) if column.dtype == np.float64 else column
        for name, column in columns.items()
    }
    for name in ("compression", "lift", "rope"):
        frozen[name] = frozen[name].view(np.recarray) if frozen[name].dtype.names else frozen[name]
        frozen[name].flags.writeable = False
    return Sections(**frozen, law_start=ints(law_start), law_data=floats(law_data))
