"""Cases that the tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

CASE = Path(__file__).with_name("mooring.yaml")


@pytest.fixture
def mooring(tmp_path: Path) -> Path:
    """A platform on three chains under dead loads: every command reads it, every static method claims it."""
    path = tmp_path / "mooring.yaml"
    path.write_bytes(CASE.read_bytes())
    return path


@pytest.fixture(autouse=True)
def no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels compile when they are called: what commands print must not depend on what is kept."""
    monkeypatch.setattr("ropewalk.cli.compiling._prepare", lambda tasks: None)
