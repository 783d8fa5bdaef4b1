"""`.rw` on xarray Datasets: what a result can do for its reader."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from ropewalk.analysis.doubts import Doubt
    from ropewalk.notebook.pages import Report, View
    from ropewalk.spec.system import System

NAME = "rw"


class Result:
    """A Dataset of ropewalk, as its reader sees it: `run.rw.plot()`, `run.rw.view()`, `run.rw.doubts`."""

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    @property
    def kind(self) -> str:
        """Which question the result answers: run, equilibrium, modes, response, state space or sweep."""
        from ropewalk.notebook.cards import kind_of

        return kind_of(self._dataset)

    @property
    def system(self) -> System:
        """The case that the result was computed from."""
        from ropewalk.io.netcdf import system_of

        return system_of(self._dataset)

    @property
    def doubts(self) -> list[Doubt]:
        """What is not wrong but doubtful about the result, each with its figure and limit."""
        from ropewalk.analysis.doubts import of_attributes

        return of_attributes(self._dataset.attrs)

    def plot(self, **options: Any) -> Figure:
        """A matplotlib figure of the result."""
        from ropewalk.notebook.pictures import plot

        return plot(self._dataset, **options)

    def view(self, *, height: int = 520) -> View:
        """The result in 3D: a frame in a notebook, `height` pixels high; opens nothing elsewhere."""
        from ropewalk.notebook.pages import view

        return view(self._dataset, height=height)

    def report(self, *, height: int = 700, **options: Any) -> Report:
        """The report of the result: statistics, extremes, utilisation, events, doubts; as a frame in a notebook.

        code : rules for utilisation    start : s, from which statistics are taken; the end of the ramp unless given
        """
        from ropewalk.notebook.pages import report

        return report(self._dataset, height=height, **options)

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write the result as a NetCDF file, which `rw.load` opens; it appears whole or not at all."""
        from ropewalk.notebook.pictures import to_file

        to_file(self._dataset, path)

    def __repr__(self) -> str:
        from ropewalk.notebook.cards import headline

        title = self._dataset.attrs.get("title", "")
        doubts = len(self.doubts)
        said = f"; {doubts} doubt{'s' if doubts != 1 else ''}" if doubts else ""
        return f"<ropewalk {title!r} {headline(self._dataset)}{said}>"

    def _repr_html_(self) -> str:
        from ropewalk.notebook.cards import of_dataset

        return of_dataset(self._dataset)


def register() -> None:
    """Give every Dataset the accessor. Needs xarray."""
    from xarray import Dataset, register_dataset_accessor

    if getattr(Dataset, NAME, None) is not Result:  # a second time after a reload
        register_dataset_accessor(NAME)(Result)
