"""Cases that the tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from ropewalk.cli.new import Kind, template


@pytest.fixture
def mooring(tmp_path: Path) -> Path:
    path = tmp_path / "mooring.yaml"
    path.write_text(template(Kind.mooring))
    return path
