"""`ropewalk view`: a case or a result in 3D, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ropewalk.cli.tables import print_answer_doubts, say
from ropewalk.errors import ConvergenceError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    import xarray as xr

    from ropewalk.viewer.scene import Scene

PAGES = (".html", ".htm")


def view_command(
    file: Annotated[Path, typer.Argument(help="A case file, or a result file (.nc).")],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write one self-contained page instead of serving it.")
    ] = None,
    modes: Annotated[
        int | None, typer.Option("--modes", min=1, help="Animate this many natural modes about the equilibrium.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 selects a free one.")] = 0,
) -> None:
    """Show a case or a result in 3D, in the browser.

    A case is shown in equilibrium, with all floating poses of its rods, or with its modes; a result is animated.
    The page is served on this machine only, until Ctrl-C. A page written with --html needs no server and no network.
    """
    if modes is not None and file.suffix == ".nc":
        raise InputError(f"{file}: --modes needs a case file; a result has its own motion")
    if html is not None:
        _refuse_target(html, file)
        _write(_scene(file, modes), html)
    elif file.suffix == ".nc":
        _show_result(file, open_browser, port)
    else:
        _show(_scene(file, modes), open_browser, port)


def _write(scene: Scene, html: Path) -> None:
    """One page that holds everything."""
    from ropewalk.results.files import write_whole
    from ropewalk.viewer.page import page

    data = page(scene).encode("utf-8")
    print_answer_doubts(scene.doubts)
    for note in scene.notes:
        say(note)
    write_whole(html, data)
    say(f"{html}: written, {len(data) / 1e6:.1f} MB")
    if scene.trouble:
        raise ConvergenceError(scene.trouble)


def _show_result(file: Path, open_browser: bool, port: int) -> None:
    """A result: whole on the page, or, where that would be too long, open while the page requests its records."""
    from ropewalk.io.netcdf import reading
    from ropewalk.viewer.stream import Stream, needs_stream

    with reading(file) as dataset:
        stream = Stream(dataset) if needs_stream(dataset) else None
        if stream is not None:
            _show(stream.scene, open_browser, port, stream.answer)
            return
        scene = _of_result(dataset)
    _show(scene, open_browser, port)


def _show(scene: Scene, open_browser: bool, port: int, source: Callable[[str], bytes | None] | None = None) -> None:
    """Serve the page until Ctrl-C."""
    from ropewalk.viewer.page import page, page_policy
    from ropewalk.viewer.server import PageServer

    own = "'self'" if source is not None else ""
    text = page(scene, own)
    print_answer_doubts(scene.doubts)
    for note in scene.notes:
        say(note)
    if scene.trouble:
        say(scene.trouble, err=True)
    with PageServer(text, page_policy(scene, own), port, source) as server:
        _serve(server, open_browser)
    if scene.trouble:
        raise ConvergenceError(scene.trouble)


def _scene(file: Path, modes: int | None) -> Scene:
    from ropewalk.viewer.build import from_system

    if file.suffix == ".nc":
        from ropewalk.io.netcdf import reading

        with reading(file) as dataset:
            return _of_result(dataset)
    from ropewalk.spec.system import System

    system = System.from_file(file)
    if modes is None:
        return from_system(system)
    from ropewalk.viewer.modal import modes_of

    return modes_of(system, modes)


def _of_result(dataset: xr.Dataset) -> Scene:
    if "mode" in dataset.dims:
        from ropewalk.viewer.modal import from_modes

        return from_modes(dataset)
    from ropewalk.viewer.build import from_dataset

    return from_dataset(dataset)


def _refuse_target(html: Path, file: Path) -> None:
    if not html.parent.is_dir():
        raise InputError(f"{html.parent} is not a folder; make it first")
    if html.is_dir():
        raise InputError(f"{html} is a folder; give the name of a file")
    if html.exists() and file.exists() and html.samefile(file):
        raise InputError(f"{html}: the page would overwrite the file it shows; name another")
    if html.suffix.lower() not in PAGES:
        raise InputError(f"{html}: the name of a page must end in {' or '.join(PAGES)}")


def _serve(server: object, open_browser: bool) -> None:
    """Until Ctrl-C."""
    from ropewalk.viewer.server import PageServer

    assert isinstance(server, PageServer)
    say(f"{server.address} (Ctrl-C ends it)")
    if open_browser:
        import webbrowser

        if not webbrowser.open(server.address):
            say("no browser could be started; open the address above by hand", err=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        say("stopped")
