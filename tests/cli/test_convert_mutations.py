"""`ropewalk convert` on mutated files: exit 0 with a case, or exit 2 with a reason and nothing written."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from commandline import ropewalk
from tests.io.test_mutations import FOREIGN, KINDS, mutated

from ropewalk.spec.system import System

SEEDS = 12  # of each file; the readers have sixty of their own


@pytest.mark.parametrize("name", sorted(path.name for path in FOREIGN.iterdir()))
def test_convert_writes_a_case_or_exits_with_the_line_and_a_reason(name, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    text, out = (FOREIGN / name).read_text(), tmp_path / "case.yaml"
    options = ("--from", KINDS.get(name, "moordyn"), "--depth", 190, "--turbine", "1=0,0,0")
    for seed in range(SEEDS):
        out.unlink(missing_ok=True)
        (tmp_path / name).write_text(mutated(text, random.Random(f"command {name} {seed}")))
        code, _, error = ropewalk("convert", name, out, *options, capsys=capsys)
        assert code in (0, 2), error
        assert "Traceback" not in error
        assert out.exists() == (code == 0)
        if code == 0:
            System.from_file(out)
        else:
            # a file that names no line is at fault as a whole: empty, or without a section that it must have
            assert re.search(rf"{re.escape(name)}:\d+: .", error) or "no " in error, error
