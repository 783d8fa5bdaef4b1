"""Pages inside a notebook: 3D views and reports in a frame of their own, whole and offline."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any

from ropewalk.errors import InputError
from ropewalk.results.files import write_whole
from ropewalk.spec import arguments
from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.viewer.scene import Scene

LEAST_HEIGHT, MOST_HEIGHT = 100, 4000  # pixels


class Page:
    """One page about one result, whole and offline. A notebook draws it as a frame; nothing is opened elsewhere."""

    allowed = ""  # what the frame may do beyond showing itself

    def __init__(self, page: str, height: int, notes: tuple[str, ...] = ()) -> None:
        if isinstance(height, bool) or not isinstance(height, int) or not LEAST_HEIGHT <= height <= MOST_HEIGHT:
            raise InputError(f"height must be {LEAST_HEIGHT} to {MOST_HEIGHT} pixels, not {height!r}")
        self.page = page
        self.height = height
        self.notes = notes

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: a page of {len(self.page) / 1e6:.1f} MB; to_file('NAME.html') writes it>"

    def _repr_html_(self) -> str:
        # the frame has an origin of its own: the page can neither read the notebook nor be read by it
        return (
            f'<iframe sandbox="{self.allowed}" srcdoc="{escape(self.page, quote=True)}" '
            f'width="100%" height="{self.height}" style="border:0" title="{type(self).__name__}"></iframe>'
        )

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write the page: one HTML file that needs neither network nor ropewalk."""
        path = arguments.path(path)
        if path.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{path}: the name of a page must end in .html or .htm")
        write_whole(path, self.page.encode("utf-8"))


class View(Page):
    """A result in 3D."""

    allowed = "allow-scripts allow-downloads"


class Report(Page):
    """The report of a result; `data` holds its numbers as plain data."""

    def __init__(self, page: str, data: dict[str, Any], height: int) -> None:
        super().__init__(page, height)
        self.data = data


def report(dataset: xr.Dataset, *, height: int = 700, **options: Any) -> Report:
    """The report of a run, an equilibrium or a sweep; options are those of `ropewalk.report.report_data`."""
    from ropewalk.report import report_data, report_page

    unknown = set(options) - {"code", "start"}
    if unknown:
        raise InputError(f"a report does not take {', '.join(sorted(unknown))}; it takes code and start")
    return Report(report_page(dataset, **options), report_data(dataset, **options), height)


def view(result: Any, *, height: int = 520) -> View:
    """A result in 3D."""
    from ropewalk.viewer.page import page

    scene = _scene(result)
    return View(page(scene), height, scene.notes)


def _scene(result: Any) -> Scene:
    from ropewalk.analysis.floating import Floating
    from ropewalk.analysis.statics import Equilibrium

    if isinstance(result, System):
        from ropewalk.viewer.build import from_system

        return from_system(result)
    result = getattr(result, "equilibrium", result)  # of a design
    if isinstance(result, Equilibrium):
        from ropewalk.viewer.build import from_equilibrium

        return from_equilibrium(result)
    if isinstance(result, Floating):
        from ropewalk.viewer.floating import from_floating

        return from_floating(result.system, result)
    if "mode" in getattr(result, "dims", ()):
        from ropewalk.viewer.modal import from_modes

        return from_modes(result)
    if "time" in getattr(result, "dims", ()):
        from ropewalk.viewer.build import from_dataset

        return from_dataset(result)
    raise InputError("there is no 3D view of this result; equilibria, runs, modes and floating rods have one")
