"""One look for all pictures: colours, line styles, axes and legends."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ropewalk.errors import InputError
from ropewalk.io.messages import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ropewalk.analysis.doubts import Doubt

WATER, BED, INK, PALE = "#2b7bba", "#a58f6f", "#333333", "#8a949e"
# eight colours that stay apart for colour-blind readers and in print; with four styles they make 32 looks
COLOURS = ("#0b5c8f", "#c8442b", "#1d8a5b", "#b07d00", "#7a3e9d", "#00838f", "#8c3b2a", "#4d5b66")
STYLES = ("-", (0, (5, 1.6)), (0, (5, 1.4, 1.2, 1.4)), (0, (1.4, 1.2)))
LEGEND_ROWS = 22  # entries of one column beside a picture
DPI = 200  # of PNG files
CHARACTERS = 14  # of the smallest text in an inch


def look(k: int) -> dict[str, Any]:
    """Colour and style of the k-th line of a case, the same in every picture."""
    return {"color": COLOURS[k % len(COLOURS)], "ls": STYLES[(k // len(COLOURS)) % len(STYLES)]}


def width(k: int, number: int, widest: float = 2.2) -> float:
    """Line width of the k-th of several lines: the later the thinner, so that those which coincide all show."""
    return widest - 0.6 * widest * k / max(number - 1, 1)


def tidy(axes: Any, *, grid: bool = True) -> None:
    """Axes without a box, with pale grid lines."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_size(9)
    axes.title.set_size(10)
    if grid:
        axes.grid(color="#e4e7ea", lw=0.6, zorder=0)
        axes.set_axisbelow(True)


def legend_beside(axes: Any) -> None:
    """Names to the right of the picture, where they cover nothing; in columns if there are many."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        columns = -(-len(labels) // LEGEND_ROWS)
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8,
                    ncols=columns, handlelength=2.6, borderaxespad=0.0)  # fmt: skip


def empty_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches; InputError without matplotlib."""
    try:
        from matplotlib.figure import Figure as Made
    except ImportError:
        raise InputError("drawing needs matplotlib: pip install 'ropewalk[plot]'") from None
    return Made(figsize=(width, height), layout="constrained")


def axes_or_new(axes: Any, width: float = 8.0, height: float = 3.4) -> tuple[Any, Any]:
    """The figure and the axes to draw in: the given ones, or new ones of this size in inches."""
    if axes is not None:
        return axes.figure, axes
    figure = empty_figure(width, height)
    return figure, figure.add_subplot()


def doubted(figure: Figure, doubts: Iterable[Doubt]) -> Figure:
    """The figure, with a line at its foot that names the doubts about what it shows."""
    named: dict[str, list[str]] = {}
    for doubt in doubts:
        named.setdefault(doubt.code, []).extend([doubt.part] if doubt.part else [])
    if named:
        told = "; ".join(f"{code} ({', '.join(parts)})" if parts else code for code, parts in named.items())
        lines = [figure.get_supxlabel(), *wrap(f"doubts: {told}", int(CHARACTERS * figure.get_figwidth()))]
        figure.supxlabel("\n".join(line for line in lines if line), fontsize=8)
    return figure


def plain(figure: Figure) -> None:
    """Names and titles in a figure as text, whatever they hold; labels of ticks are numbers and stay."""
    for text in [*figure.texts, *(text for axes in figure.axes for text in _headings(axes))]:
        text.set_parse_math(False)  # a title may hold dollar signs
        text.set_text("\n".join(one_line(line) for line in text.get_text().split("\n")))


def _headings(axes: Any) -> list[Any]:
    legend = axes.get_legend()
    names = [] if legend is None else legend.get_texts()
    return [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts, *names]


def picture(figure: Figure, form: str, dpi: int, **options: Any) -> bytes:
    """A figure as the bytes of a file.  form : png, svg, pdf    options : of `savefig`"""
    plain(figure)
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # a character without a glyph is drawn as a box
        figure.savefig(stream, format=form, dpi=dpi, **options)
    return stream.getvalue()
