"""Pieces of a card: tables, sentences, small drawings. Every name and number passes through `escape`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as escaped
from typing import Any

MOST_ROWS = 24  # of a table in a card; the rest is counted

# scoped by a class of their own; colours work on light and dark pages
STYLE = (
    "<style>.rw-card{font:13px/1.4 system-ui,sans-serif;max-width:60em}"
    ".rw-card table{border-collapse:collapse;margin:.5em 0}"
    ".rw-card th,.rw-card td{padding:.15em .7em;border-bottom:1px solid #8884;text-align:right;"
    "font-variant-numeric:tabular-nums}"
    ".rw-card th:first-child,.rw-card td:first-child{text-align:left}"
    ".rw-card .rw-title{font-weight:600;font-size:1.1em}.rw-card .rw-note{opacity:.75}"
    ".rw-card .rw-doubt{border-left:3px solid #c77700;padding-left:.6em;margin:.3em 0}"
    ".rw-card svg{max-width:100%;height:auto;display:block;margin:.4em 0}</style>"
)


def escape(text: str) -> str:
    """Text as it may stand in markup and in attributes, whatever it holds; control characters by their codes."""
    return escaped("".join(c if c.isprintable() else ascii(c)[1:-1] for c in text), quote=True)


def card(title: str, *parts: str) -> str:
    """A whole card."""
    return f'<div class="rw-card">{STYLE}<div class="rw-title">{escape(title)}</div>{"".join(parts)}</div>'


def note(text: str) -> str:
    """A sentence; nothing for an empty one."""
    return f'<div class="rw-note">{escape(text)}</div>' if text else ""


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table, cut where it gets long; nothing without rows."""
    if not rows:
        return ""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows[:MOST_ROWS])
    left = len(rows) - MOST_ROWS
    rest = note(f"and {left} more") if left > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def doubt_list(doubts: Iterable[Any]) -> str:
    """Each doubt in its sentence; a sentence that there are none."""
    found = [f'<div class="rw-doubt">{escape(str(doubt))}</div>' for doubt in doubts]
    return "".join(found) if found else note("no doubts")


def newtons(value: float) -> str:
    """A force in kN, four figures; in N below 100 N."""
    if abs(value) < 100.0:
        return f"{value + 0.0:.3g} N"
    return f"{1e-3 * value:.4g} kN"
