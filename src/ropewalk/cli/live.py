"""`ropewalk live`: a simulation in real time, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.compiling import tell_first_use
from ropewalk.cli.tables import say
from ropewalk.errors import InputError


def live_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    folder: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for recordings; default: that of the case.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 selects a free one.")] = 0,
) -> None:
    """Simulate a case in real time, in the browser.

    Parts can be dragged, the sea changed, lines cut, and the motion recorded.
    The page is served on this machine only, until Ctrl-C.
    """
    from ropewalk.spec.system import System
    from ropewalk.viewer.live.page import prepare
    from ropewalk.viewer.live.server import LiveServer, running
    from ropewalk.viewer.live.session import Session

    tell_first_use()
    where = folder or case.absolute().parent
    if not where.is_dir():
        raise InputError(f"{where} is not a folder; make it first")
    session = Session(System.from_file(case), where, case.stem)
    server = LiveServer(session, port)
    prepare(session, server)
    with running(session, server):
        say(f"{server.address} (Ctrl-C ends it)")
        _open(server.address, open_browser)
        try:
            session.wait()
        except KeyboardInterrupt:
            say("stopped")
    for sentence in session.recorded:
        say(sentence)


def _open(address: str, wanted: bool) -> None:
    if not wanted:
        return
    import webbrowser

    if not webbrowser.open(address):
        say("no browser could be started; open the address above by hand", err=True)
