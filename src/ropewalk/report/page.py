"""The page of a report: one HTML file without scripts that reads on a screen and prints on paper."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ropewalk.post.utilisation import DEFAULT_CODE
from ropewalk.report.content import RUN, SWEEP, report_data

if TYPE_CHECKING:
    import xarray as xr

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = """
body{font:14px/1.45 system-ui,sans-serif;color:#1b2530;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0 0 .2rem}h2{font-size:1.1rem;margin:1.8rem 0 .4rem;border-bottom:1px solid #c8d2dc}
table{border-collapse:collapse;margin:.4rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.15rem .7rem .15rem 0;text-align:right;vertical-align:top}
th{font-weight:600;border-bottom:1px solid #8a97a5}
th:first-child,td:first-child,td.text{text-align:left}
.doubt{border-left:4px solid #c77700;padding:.2rem .6rem;margin:.3rem 0;background:#fdf4e3}
.fail{color:#a11}.quiet{color:#5b6875}img{max-width:100%}figure{margin:.6rem 0}
@media print{body{margin:0;max-width:none;font-size:11px}h2{break-after:avoid}figure,table{break-inside:avoid}}
"""
TENSION_COLUMNS = (
    ("mean", "mean, kN"), ("std", "std, kN"), ("min", "min, kN"), ("time_of_min", "at, s"), ("max", "max, kN"),
    ("time_of_max", "at, s"), ("significant", "significant range, kN"), ("tz", "Tz, s"), ("mpm", "3 h MPM, kN"),
)  # fmt: skip
MOTION_COLUMNS = (
    ("mean", "mean"), ("std", "std"), ("min", "min"), ("time_of_min", "at, s"), ("max", "max"),
    ("time_of_max", "at, s"), ("tz", "Tz, s"),
)  # fmt: skip
PASSED = "No doubts: the result passed every check of the audit."
UNAUDITED = "Not audited: the file carries no doubts of an audit."
TIMES = ("time_of_min", "time_of_max", "tz")
UNITS = {"body_position": "m", "body_attitude": "deg"}
SEA_UNITS = {
    "speed": "m/s", "heading": "deg", "significant_height": "m", "peak_period": "s", "height": "m", "period": "s",
}  # fmt: skip
ONE = {"lines": "line", "points": "point", "bodies": "body", "nets": "net", "links": "link", "rods": "rod"}


def report_page(
    dataset: xr.Dataset, *, code: str = DEFAULT_CODE, start: float | None = None, curve: str | None = None
) -> str:
    """The report of a run, an equilibrium or a sweep as one self-contained page; arguments as of `report_data`."""
    data = report_data(dataset, code=code, start=start, curve=curve)
    body = _sweep(data, dataset) if data["kind"] == SWEEP else _result(data, dataset)
    title = escape(data["title"] or "ropewalk report")
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n{body}\n</body></html>\n"
    )


def _result(data: dict[str, Any], dataset: xr.Dataset) -> str:
    from ropewalk.report.figures import figures_of

    pictures = figures_of(dataset)
    parts = [_head(data), _doubts(data["doubts"], PASSED if data["audited"] else UNAUDITED)]
    parts += [_section("The system", _picture(pictures.pop("The system")) + _line_table(data))]
    parts += [_section("Environment", _environment(data["environment"]))]
    if data["lines"]:
        parts.append(_section("End tensions", _tensions(data)))
    if data["bodies"]:
        parts.append(_section("Motions of bodies", _motions(data)))
    if data["utilisation"]:
        parts.append(_section("Utilisation", _utilisation(data["utilisation"])))
    if "fatigue" in data:
        parts.append(_section("Fatigue", _fatigue(data["fatigue"])))
    parts += [_section(heading, _picture(address)) for heading, address in pictures.items()]
    if data["kind"] == RUN:
        parts.append(_section("Events", _events(data["events"])))
    parts.append(_section("How it was computed", _computed(data["computed"])))
    return "\n".join(parts)


def _head(data: dict[str, Any]) -> str:
    counts = ", ".join(
        f"{count} {ONE.get(name, name) if count == 1 else name}" for name, count in data["case"]["counts"].items()
    )
    time = data["time"]
    span = (
        f"simulated from {time['first']:g} to {time['last']:g} s, {time['records']} records; statistics from "
        f"{time['statistics_start']:g} s on"
        if data["kind"] == RUN
        else "equilibrium"
    )
    return f"<p class='quiet'>{escape(counts)}; {escape(span)}.</p>"


def _doubts(doubts: Sequence[dict[str, Any]], without: str = "") -> str:
    """A section of doubts, or the sentence for a result that has none."""
    if not doubts:
        return f"<p>{without}</p>" if without else ""
    rows = "".join(
        f"<div class='doubt'><b>{escape(str(doubt['code']))}</b> {escape(str(doubt['sentence']))}</div>"
        for doubt in doubts
    )
    return _section("Doubts", rows)


def _line_table(data: dict[str, Any]) -> str:
    rows = [
        [name, line["from"], line["to"], f"{line['length']:g}", line["sections"]]
        for name, line in data["case"]["lines"].items()
    ]
    return _table(("line", "end A", "end B", "length, m", "pieces from end A"), rows, text=(1, 2, 4)) if rows else ""


def _environment(sea: dict[str, Any]) -> str:
    rows = [["depth", "deep water" if sea["depth"] is None else f"{sea['depth']:g} m"]]
    rows += [["water density", f"{sea['water_density']:g} kg/m³"], ["gravity", f"{sea['gravity']:g} m/s²"]]
    for key in ("current", "wind", "waves"):
        if key in sea:
            parts = (f"{name.replace('_', ' ')} {_with_unit(name, value)}" for name, value in sea[key].items())
            rows.append([key, ", ".join(parts)])
    return _table(("", ""), rows, text=(1,))


def _with_unit(name: str, value: Any) -> str:
    """A figure of the sea; what varies in time is a mapping, and stands without a unit."""
    return f"{shown(value)} {SEA_UNITS[name]}" if name in SEA_UNITS and isinstance(value, int | float) else shown(value)


def _tensions(data: dict[str, Any]) -> str:
    columns = TENSION_COLUMNS if data["kind"] == RUN else TENSION_COLUMNS[:1]
    rows = []
    for name, ends in data["lines"].items():
        for end in ("A", "B"):
            rows.append([f"{name}, end {end}", *_cells(ends[end], columns, 1e-3)])
    heads = [head for _, head in columns] if data["kind"] == RUN else ["tension, kN"]
    return _table(("", *heads), rows)


def _motions(data: dict[str, Any]) -> str:
    columns = MOTION_COLUMNS if data["kind"] == RUN else MOTION_COLUMNS[:1]
    rows = []
    for name, parts in data["bodies"].items():
        for variable, unit in UNITS.items():
            for label, figures in parts.get(variable, {}).items():
                rows.append([f"{name}, {label} ({unit})", *_cells(figures, columns, 1.0)])
        for label, figures in parts.get("mooring_force", {}).items():
            unit = "kN" if label in ("surge", "sway", "heave", "x", "y", "z") else "kN m"
            rows.append([f"{name}, mooring {label} ({unit})", *_cells(figures, columns, 1e-3)])
    return _table(("", *(head for _, head in columns)), rows)


def _utilisation(used: dict[str, Any]) -> str:
    rows = [
        [name, shown(row["utilisation"]), shown(row["safety_factor"])]
        for name, row in sorted(used["lines"].items(), key=lambda item: -(item[1]["utilisation"] or 0.0))
    ]
    note = f"<p class='quiet'>Safety factors of {escape(used['code'])}; {escape(used['note'])}.</p>"
    return _table(("line", "utilisation", "safety factor (breaking load / largest tension)"), rows) + note


def _fatigue(fatigue: dict[str, Any]) -> str:
    rows = [
        [f"{name}, end {end}", shown(each["damage"]), shown(each["life"])]
        for name, ends in fatigue["lines"].items()
        for end, each in ends.items()
    ]
    note = f"<p class='quiet'>No safety factor. {escape(fatigue['source'])}; {escape(fatigue['note'])}</p>"
    return _table(("line", "damage in the run", "life, years"), rows) + note


def _extremes(rows: Sequence[dict[str, Any]]) -> str:
    """Most probable maxima of end tensions over the seeds of a sweep."""
    names = list(rows[0]["factors"])
    heads = (*names, "line", "most probable maximum, kN", "90 % bounds, kN", "seeds")
    cells = [
        [*(str(row["factors"][name]) for name in names), f"{row['line']}, end {row['end']}", _kilo(row["value"]),
         f"{_kilo(row['low'])} to {_kilo(row['high'])}", f"{row['seeds']:.0f}"]
        for row in rows
    ]  # fmt: skip
    return _table(heads, cells, text=(len(names),))


def _kilo(value: float | None) -> str:
    return shown(None if value is None else 1e-3 * value)


def _most_used(used: dict[str, Any]) -> str:
    """Largest utilisation of every line over the cases of a sweep."""
    rows = [
        [name, shown(row["utilisation"]), str(row["case"]), row["limit_state"]] for name, row in used["lines"].items()
    ]
    note = f"<p class='quiet'>{escape(used['source'])}; {escape(used['note'])}</p>"
    return _table(("line", "utilisation", "case", "limit state"), rows, text=(3,)) + note


def _events(events: Sequence[dict[str, Any]]) -> str:
    if not events:
        return "<p>None.</p>"
    rows = [[f"{event['time']:.2f}", event["kind"], event["sentence"]] for event in events]
    return _table(("time, s", "event", "what happened"), rows, text=(1, 2))


def _computed(computed: dict[str, Any]) -> str:
    settings = computed.pop("settings", {})
    rows = [[key.replace("_", " "), str(value)] for key, value in computed.items()]
    rows += [
        [key, json.dumps(value) if isinstance(value, dict | list) else str(value)] for key, value in settings.items()
    ]
    return _table(("", ""), rows, text=(1,))


def _sweep(data: dict[str, Any], sweep: xr.Dataset) -> str:
    from ropewalk.report.figures import scatter

    parts = [f"<p class='quiet'>{data['cases']} cases, {data['done']} done, {len(data['failed'])} failed.</p>"]
    parts.append(_doubts(data["doubts"]))
    varied = {name: values for name, values in data["factors"].items() if len(set(map(str, values))) > 1}
    rows = [[name, len(set(map(str, values))), _range_text(values)] for name, values in varied.items()]
    parts.append(_section("Factors", _table(("factor", "values", "range"), rows, text=(2,))))
    rows = [
        [name, shown(o["min"]), shown(o["mean"]), shown(o["max"]), o["unit"]] for name, o in data["outputs"].items()
    ]
    parts.append(_section("Outputs over all cases", _table(("output", "min", "mean", "max", "unit"), rows, text=(4,))))
    if data["extremes"]:
        parts.append(_section("Extremes over the seeds (Gumbel)", _extremes(data["extremes"])))
    if data["utilisation"]:
        parts.append(_section(f"Largest utilisation ({data['utilisation']['code']})", _most_used(data["utilisation"])))
    drawn = [name for name in ("end_tension_max", "end_tension_mean", "body_position_mean") if name in data["outputs"]]
    for factor, values in varied.items():
        if all(isinstance(value, int | float) for value in values):
            parts += [_section(f"{name} over {factor}", _picture(scatter(sweep, name, factor))) for name in drawn[:2]]
    if data["failed"]:
        rows = [[str(row["case"]), row["status"], row["reason"]] for row in data["failed"]]
        parts.append(_section("Failed cases", _table(("case", "status", "reason"), rows, text=(1, 2))))
    parts.append(_section("How it was computed", _computed(dict(data["computed"]))))
    return "\n".join(parts)


def _range_text(values: Sequence[Any]) -> str:
    if all(isinstance(value, int | float) for value in values):
        return f"{min(values):g} to {max(values):g}"
    return ", ".join(sorted(set(map(str, values)))[:8])


def _section(heading: str, content: str) -> str:
    return f"<section><h2>{escape(heading)}</h2>{content}</section>"


def _picture(address: str) -> str:
    return f"<figure><img alt='' src='{address}'></figure>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]], text: Sequence[int] = ()) -> str:
    head = "".join(f"<th>{escape(str(each))}</th>" for each in heads)
    body = "".join(
        "<tr>"
        + "".join(f"<td{' class=text' if i in text else ''}>{escape(str(cell))}</td>" for i, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(figures: dict[str, Any], columns: Sequence[tuple[str, str]], scale: float) -> list[str]:
    """Figures of one quantity; what does not change has neither times nor a period."""
    cells = {key: _cell(figures.get(key), key, scale) for key, _ in columns}
    if cells.get("min", "") == cells.get("max"):
        cells |= {key: "–" for key in cells if key in TIMES}
    return list(cells.values())


def _cell(value: float | None, key: str, scale: float) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if key in TIMES else shown(scale * value)


def shown(value: Any) -> str:
    """Four digits that mean something; no exponent for numbers of ordinary size."""
    if value is None:
        return "–"
    if not isinstance(value, int | float):
        return str(value)
    size = abs(value)
    if size and not 1e-3 <= size < 1e7:
        return f"{value:.3e}"
    return f"{value:,.0f}" if size >= 1e4 else f"{value:.4g}"
