"""Figures and files of results, whatever they are of."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ropewalk.errors import InputError
from ropewalk.results.files import write_whole
from ropewalk.spec import arguments
from ropewalk.spec.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ropewalk.analysis.doubts import Doubt

DPI = 110  # of figures in a notebook


def plot(result: Any, **options: Any) -> Figure:
    """A figure of a result, which a notebook shows whether or not pyplot is used."""
    from ropewalk.plot.style import doubted, plain

    draw, drawn = _drawing(result)
    try:
        figure = draw(drawn, **options)
    except TypeError as error:
        if options and "argument" in str(error):
            raise InputError(f"invalid argument for this plot: {error}") from None
        raise
    doubted(figure, _doubts(drawn))
    plain(figure)
    figure._repr_png_ = lambda: _png(figure)  # type: ignore[attr-defined]
    return figure


def _doubts(drawn: Any) -> Iterable[Doubt]:
    """Those about what is drawn: floating rods have them, Datasets carry them."""
    from ropewalk.analysis.doubts import of_attributes

    known: Iterable[Doubt] | None = getattr(drawn, "doubts", None) if isinstance(drawn, dict) else None
    return of_attributes(drawn.attrs) if known is None else known


def _drawing(result: Any) -> tuple[Callable[..., Any], Any]:
    """What draws a result, and what it is given."""
    from ropewalk.analysis.floating import Floating
    from ropewalk.analysis.statics import Equilibrium

    if isinstance(result, Floating):
        from ropewalk.plot.rod import draw_floating

        return draw_floating, result
    if isinstance(result, System):
        from ropewalk.analysis.floating import float_rods
        from ropewalk.analysis.statics import statics

        return _drawing(float_rods(result) if result.rods else statics(result))
    result = getattr(result, "equilibrium", result)  # of a design
    dataset = result.to_dataset() if isinstance(result, Equilibrium) else result
    dims = getattr(dataset, "dims", ())
    if "case" in dims and "status" in dataset:
        from ropewalk.plot.sweep import draw_sweep

        return draw_sweep, dataset
    if "mode" in dims or "frequency" in dims:
        from ropewalk.plot import modes

        return (modes.draw_modes if "mode" in dims else modes.draw_response), dataset
    if "step" in dims and "parameter" in dataset:
        from ropewalk.plot.path import draw_path

        return draw_path, dataset
    if "time" in dims:
        from ropewalk.plot.lines import draw

        return draw, dataset
    raise InputError("this result cannot be plotted; equilibria, runs, modes, responses, sweeps, paths and rods can")


def _png(figure: Any) -> bytes:
    from ropewalk.plot.style import picture

    return picture(figure, "png", DPI)


def to_file(result: Any, path: str | os.PathLike[str]) -> None:
    """Write a result; the ending of the name must be that of its kind."""
    from ropewalk.analysis.statics import Equilibrium

    path = arguments.path(path)
    if hasattr(result, "as_dict"):
        _refuse_ending(path, ".json")
        write_whole(path, (json.dumps(result.as_dict(), indent=1) + "\n").encode("utf-8"))
        return
    _refuse_ending(path, ".nc")
    result = getattr(result, "equilibrium", result)  # of a design
    from ropewalk.io.netcdf import write

    write(result.to_dataset() if isinstance(result, Equilibrium) else result, path)


def _refuse_ending(path: Path, ending: str) -> None:
    if path.suffix != ending:
        raise InputError(f"{path}: this result is written as {ending}; give a name that ends in {ending}")
