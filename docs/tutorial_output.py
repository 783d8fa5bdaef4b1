"""Runs the pages of docs/tutorials from an empty folder; `python docs/tutorial_output.py` renews what they show.

A `yaml` or `python` block whose first line is `# NAME.yaml` is a file. A `console` block holds commands, each after
`$ `, and below each what it prints. Other `python` blocks run one after the other, and a `text` block that follows one
shows what it prints.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parent / "tutorials"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# ([\w.-]+\.(?:yaml|py|csv))\n")
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
ROUND_OFF = ("done:", "audit", "energy:", "constraint drift", " ─")  # lines whose figures depend on the machine
FIRST_USE = "first use: "  # progress of the compiler, which only a first run has
RELATIVE = 2e-3  # of a printed figure: time steps are chosen by error estimates, which differ between machines
LAST_DIGIT = 2.0  # units of the last printed digit


class Shown(NamedTuple):
    """A piece of a page that shows output: where it is in the text, and what is printed now."""

    start: int
    end: int
    shown: str
    printed: str


def run_page(page: Path, folder: Path) -> list[Shown]:
    """What the page shows and what its commands and code print when run in `folder`, in order."""
    found: list[Shown] = []
    names: dict[str, Any] = {"__name__": page.stem}
    printed: str | None = None
    with contextlib.chdir(folder):
        for block in FENCE.finditer(page.read_text(encoding="utf-8")):
            language, body = block.groups()
            if language in ("yaml", "python") and (file := FILE.match(body)):
                Path(file[1]).write_text(body, encoding="utf-8")
            elif language == "python":
                printed = _output(lambda body=body: exec(compile(body, str(page), "exec"), names))
            elif language == "text" and printed is not None:
                found.append(Shown(block.start(2), block.end(2), body, printed))
                printed = None
            elif language == "console":
                found += _console(body, block.start(2))
    return found


def _console(block: str, start: int) -> list[Shown]:
    """The commands of a console block, each with what is shown below it."""
    lines = list(re.finditer(r"^\$ (.*)\n", block, flags=re.MULTILINE))
    ends = [line.start() for line in lines[1:]] + [len(block)]
    return [
        Shown(start + line.end(), start + end, block[line.end() : end], _command(line[1]))
        for line, end in zip(lines, ends, strict=True)
    ]


def differences(shown: str, printed: str) -> list[str]:
    """Lines that are not what the page shows: words must be equal, figures equal to their last digits."""
    old, new = ([line for line in text.splitlines() if line.strip()] for text in (shown, printed))
    if len(old) != len(new):
        return [f"{len(old)} lines shown, {len(new)} printed:", *new]
    return [f"shown: {a}\nprinted: {b}" for a, b in zip(old, new, strict=True) if not _same(a, b)]


def _same(shown: str, printed: str) -> bool:
    if shown.startswith(ROUND_OFF):
        return shown[:5] == printed[:5]
    words = [" ".join(NUMBER.sub("#", line).split()) for line in (shown, printed)]
    if words[0] != words[1]:
        return False
    return all(map(_close, NUMBER.findall(shown), NUMBER.findall(printed)))


def _close(shown: str, printed: str) -> bool:
    a, b = (float(text.rstrip(",").replace(",", "")) for text in (shown, printed))
    mantissa, _, power = shown.partition("e")
    digit = 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
    return abs(a - b) <= max(RELATIVE * abs(a), LAST_DIGIT * digit)


def _command(line: str) -> str:
    """What `ropewalk ...` prints, remarks on stderr included."""
    from ropewalk.cli.main import main

    program, *arguments = shlex.split(line)
    if program != "ropewalk":
        raise ValueError(f"tutorials call ropewalk only, not '{program}'")
    before, sys.argv = sys.argv, ["ropewalk", *arguments]
    try:
        return _output(main)
    finally:
        sys.argv = before


def _output(call: Any) -> str:
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream), contextlib.suppress(SystemExit):
        call()
    kept = [line for line in stream.getvalue().rstrip("\n").split("\n") if not line.startswith(FIRST_USE)]
    return "\n".join(kept) + "\n"


def renew(page: Path) -> bool:
    """Write what is printed now into the page; whether it changed."""
    with tempfile.TemporaryDirectory() as folder:
        results = run_page(page, Path(folder))
    before = page.read_text(encoding="utf-8")
    text = before
    for each in reversed(results):
        text = text[: each.start] + each.printed + text[each.end :]
    page.write_text(text, encoding="utf-8")
    return text != before


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    for each in [Path(name).resolve() for name in sys.argv[1:]] or sorted(FOLDER.glob("*.md")):
        print(f"{each.name}: {'renewed' if renew(each) else 'unchanged'}")
