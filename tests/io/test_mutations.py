"""Sixty random mutations of every kind of file: a case, or a sentence with the line; never a traceback."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ropewalk.errors import InputError
from ropewalk.io.conversion import Wishes
from ropewalk.io.convert import read_any
from ropewalk.io.native import read_text

FOREIGN = Path(__file__).parent / "foreign"
SEA = Wishes(depth=190.0, turbines={1: (0.0, 0.0, 0.0)})
KINDS = {"map.dat": "map", "moorpy.yaml": "moorpy", "raft.yaml": "raft", "famodel.yaml": "famodel"}
JUNK = [
    "", "nan", "1e999", "-1", "0", "1.5x", "1d3", "|", "1|2|3|4", "#", "\x07", "é", "---", "{", "[", ": ", "Body9",
    "R7A", "999999999999",
]  # fmt: skip


def mutated(text: str, dice: random.Random) -> str:
    """The text with one or two of its words, lines or characters changed, dropped, doubled or swapped."""
    for _ in range(dice.choice((1, 1, 2))):
        lines = text.split("\n")
        k = dice.randrange(len(lines))
        words = lines[k].split(" ")
        j = dice.randrange(len(words))
        what = dice.randrange(7)
        if what == 0:
            del lines[k]
        elif what == 1:
            lines.insert(k, lines[k])
        elif what == 2:
            words[j] = dice.choice(JUNK)
        elif what == 3:
            del words[j]
        elif what == 4:
            words.insert(j, dice.choice(JUNK))
        elif what == 5:
            other = dice.randrange(len(lines))
            lines[k], lines[other] = lines[other], lines[k]
            words = lines[k].split(" ")
        else:
            cut = dice.randrange(len(text) + 1)
            return text[:cut]
        if what in (2, 3, 4):
            lines[k] = " ".join(words)
        text = "\n".join(lines)
    return text


@pytest.mark.parametrize("name", sorted(path.name for path in FOREIGN.iterdir()))
def test_mutations_give_a_case_or_a_line_and_a_reason(name: str, tmp_path: Path) -> None:
    text = (FOREIGN / name).read_text()
    refused = 0
    for seed in range(60):
        path = tmp_path / name
        path.write_text(mutated(text, random.Random(f"{name} {seed}")))
        try:
            conversion = read_any(path, SEA, KINDS.get(name, "moordyn"))
        except InputError as error:
            refused += 1
            for problem in error.problems:
                assert problem.message
                # a file that names no line is at fault as a whole: empty, or without a section that it must have
                assert problem.line is not None or "(+" in problem.message or "no " in problem.message, str(problem)
        else:
            assert read_text(conversion.text()) == conversion.system
    assert refused >= 10  # of sixty: a reader that takes everything reads nothing


BESIDE = {
    "2 Currents": ("current_profile_dynamic.txt", "currents\nnames\n2\n3\n-100 -50 0\n\n0 0 0 1\n10 0.5 1.0 2.0\n"),
    "5 Currents": ("current_profile_4d.txt", "2 1 1 1\n-1 1\n0\n-3\n0\n-1 0 -3 0 1 0 0\n1 0 -3 0 3 0 0\n"),
    "SEASTATE WaterKin": (
        "SeaState.dat",
        "sea\n2 WaveMod\n0 WaveStMod\n4 WaveHs\n9 WaveTp\nDEFAULT WavePkShp\n0 WaveDir\n7 WaveSeed(1)\n100 WtrDpth\n"
        "1 CurrMod\n0.7 CurrSSV0\n0 CurrSSDir\n10 CurrNSRef\n0.5 CurrNSV0\n90 CurrNSDir\n",
    ),
}


@pytest.mark.parametrize("option", sorted(BESIDE))
def test_mutated_files_beside_the_input_give_a_case_or_a_reason(option: str, tmp_path: Path) -> None:
    text = (FOREIGN / "lumps.txt").read_text()
    assert "OPTIONS" in text
    head, _, rest = text.partition("OPTIONS")
    first, _, tail = rest.partition("\n")
    (tmp_path / "lines.txt").write_text(f"{head}OPTIONS{first}\n{option}\n{tail}")
    name, good = BESIDE[option]
    (tmp_path / name).write_text(good)
    assert read_any(tmp_path / "lines.txt", SEA, "moordyn").system.environment.current is not None
    for seed in range(60):
        (tmp_path / name).write_text(mutated(good, random.Random(seed)) if seed else "")
        try:
            read_any(tmp_path / "lines.txt", SEA, "moordyn")
        except InputError as error:
            assert ".txt:" in str(error) or ".dat:" in str(error)
