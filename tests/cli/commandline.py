"""Commands run in this process."""

from __future__ import annotations

import sys

import pytest

from ropewalk.cli.main import main


def ropewalk(*arguments: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, run in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["ropewalk", *map(str, arguments)])
        main()
    captured = capsys.readouterr()
    code = stop.value.code
    return (0 if code is None else int(code)), captured.out, captured.err
