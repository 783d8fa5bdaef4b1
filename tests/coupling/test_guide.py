"""The code of the coupling guide, as a reader types it in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "coupling.md"


def test_code_of_the_coupling_guide_runs_in_an_empty_folder(tmp_path, monkeypatch):
    """All blocks one after another; the spar of the partner comes to rest where the lines let it."""
    text = GUIDE.read_text()
    (case,) = re.findall(r"```yaml\n# spar.yaml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "spar.yaml").write_text(case)
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), space)
    # heave of 8000 t on 330 kN/m: 31 s, damping 2e5/(2 sqrt(k m)) = 6 %
    assert abs(space["x"][2]) < 0.2
    assert space["c"].time == pytest.approx(120.0)
