"""Docstrings as the house writes them (see CONTRIBUTING.md), turned into what autodoc reads."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

_KEY = r"(?:[A-Z][A-Za-z_]*[0-9]{4}[a-z]?|OrcaFlexChain|OrcaFlexRope|MoorProps|DNVC205|DNV_OS_E301|IACS_W22)"
_CITED = re.compile(rf"\[({_KEY}(?:; {_KEY})*)\]")
_TICKS = re.compile(r"(:[\w:]+:`[^`]*`|``[^`]*``)|`([^`]+)`(?!_)")  # roles and code stay; names become code
_ARGUMENT = re.compile(r"[A-Za-z_]\w*(, [A-Za-z_]\w*)* : ")


def _for_sphinx(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Docstrings as the house writes them, for Sphinx: keys in brackets become links, arguments a list."""
    text = "\n".join(_without_pipes(line) for line in _argument_lists(lines))
    text = _CITED.sub(lambda found: f":cite:t:`{found[1].replace('; ', ',')}`", text)
    text = re.sub(r"(?<=[A-Z])_(?=\.\.\.)", r"\\_", text)  # STRETCHING_... is not a link
    lines[:] = _TICKS.sub(lambda found: found[1] or f"``{found[2]}``", text).split("\n")


def _without_pipes(line: str) -> str:
    """``|x|`` in prose is a magnitude, not a substitution; formulas and code are left alone."""
    if line.startswith((" ", "..")) and not line.startswith("  -"):
        return line
    parts = re.split(r"(:[\w:]+:`[^`]*`|`+[^`]*`+)", line)
    return "".join(part if k % 2 else part.replace("|", r"\|") for k, part in enumerate(parts))


def _argument_lists(lines: list[str]) -> list[str]:
    """Paragraphs such as ``u : (3,) m/s    t : (3,) unit tangent`` with one list entry per argument."""
    made: list[str] = []
    inside = False
    for line in lines:
        if not line.strip() or line[0] == " " or not (inside or _ARGUMENT.match(line)):
            inside = inside and bool(line.strip())
            made.append(line)
            continue
        for part in re.split(r"\s{3,}", line):
            if _ARGUMENT.match(part):
                names, _, meaning = part.partition(" : ")
                made += ["", f"- ``{names}``: {meaning}"]
            elif inside and part[:1].isupper():  # a sentence after the arguments
                made += ["", part]
                inside = False
                continue
            else:
                made.append(f"  {part}" if inside else part)
            inside = True
    return made


def _short_aliases(
    app: Sphinx, what: str, name: str, obj: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Type aliases by their names."""
    short = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
    return signature and short.sub(r"\1", signature), returned and short.sub(r"\1", returned)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _for_sphinx)
    app.connect("autodoc-process-signature", _short_aliases)
    return {"parallel_read_safe": True}
