"""Pictures of the moment for ParaView, by the names of the `moordyn` package: one .vtp file each."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ropewalk.coupling.moordyn_instance import SUCCESS, Instance, Part, path_of, rod_nodes, takes
from ropewalk.io.vtk import Piece, polydata
from ropewalk.results.files import write_whole


@takes("system")
def save_vtk(instance: Instance, filepath: str) -> int:
    """All lines and rods, with tension (N) and velocity (m/s) at the nodes of lines."""
    lines = list(range(len(instance.system.lines)))
    return _write(_piece(instance, lines, instance.rods), filepath)


@takes("line")
def save_line_vtk(part: Part, filepath: str) -> int:
    """One line."""
    return _write(_piece(part.instance, [part.instance.running().model.names.lines.index(part.name)], []), filepath)


@takes("rod")
def save_rod_vtk(part: Part, filepath: str) -> int:
    """One rod."""
    return _write(_piece(part.instance, [], [part.name]), filepath)


def _piece(instance: Instance, lines: list[int], rods: list[str]) -> Piece:
    state = instance.state()
    rows = [slice(int(state.start[k]), int(state.start[k + 1])) for k in lines]
    bars = [rod_nodes(instance, name) for name in rods]
    places = [*(state.position[row] for row in rows), *(place for place, _ in bars)]
    speeds = [*(state.velocity[row] for row in rows), *(speed for _, speed in bars)]
    tension = [*(state.tension[row] for row in rows), *(np.zeros(len(place)) for place, _ in bars)]
    first = np.cumsum([0, *(len(own) for own in places)])
    chains = [np.arange(a, b) for a, b in pairwise(first)]
    empty = np.zeros((0, 3))
    at_points = {"tension": np.concatenate([np.zeros(0), *tension]), "velocity": np.concatenate([empty, *speeds])}
    return Piece(np.concatenate([empty, *places]), chains, at_points=at_points)


def _write(piece: Piece, filepath: str) -> int:
    write_whole(path_of(filepath), polydata(piece))
    return SUCCESS
