"""What is shown of the wait for the compiler."""

from __future__ import annotations

import sys

from ropewalk.cli import compiling


def test_a_line_at_times_where_there_is_no_terminal(monkeypatch, capsys):
    """Ten seconds apart, with the numbers of kernels done and of all."""
    now = 0.0
    monkeypatch.setattr(compiling.time, "monotonic", lambda: now)
    counter = compiling.Counter()
    for done in range(1, 51):
        now = 0.5 * done
        counter(done, 200)
    counter.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["first use: 20 of 200 kernels compiled", "first use: 40 of 200 kernels compiled"]


def test_a_bar_on_a_terminal(monkeypatch, capsys):
    """It counts, and is gone at the end."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    counter = compiling.Counter()
    counter(3, 200)
    counter(200, 200)
    counter.close()
    assert "200/200" in capsys.readouterr().err
