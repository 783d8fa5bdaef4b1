"""`ropewalk report`: summary of a result, as tables, JSON or one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ropewalk.cli.tables import JsonOption, print_json, print_table, say
from ropewalk.errors import InputError


def report_command(
    file: Annotated[Path, typer.Argument(help="A result file of 'run', 'static' or 'sweep' (.nc).")],
    html: Annotated[Path | None, typer.Option("--html", help="Write one self-contained page.")] = None,
    code: Annotated[str, typer.Option(help="Design code whose safety factors apply.")] = "api_rp_2sk",
    curve: Annotated[str | None, typer.Option(help="Fatigue curve, e.g. dnv_stud_chain; 'list' lists all.")] = None,
    start: Annotated[float | None, typer.Option(help="Start of the statistics, s; default: end of the ramp.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Summarise a result. Statistics, extremes, utilisation, fatigue, events and doubts; not a certified check."""
    if "list" in (code, curve):
        _print_lists()
        return
    if file.suffix != ".nc":
        raise InputError(f"{file}: a report needs a result file (.nc); run the case first")
    if html is not None and html.suffix not in (".html", ".htm"):
        raise InputError(f"{html}: the name of a page must end in .html")
    if html is not None and not html.parent.is_dir():
        raise InputError(f"{html.parent} is not a folder; make it first")
    from ropewalk.io.netcdf import reading
    from ropewalk.report import report_data, report_page
    from ropewalk.results.files import write_whole

    with reading(file) as dataset:
        data = report_data(dataset, code=code, start=start, curve=curve)
        if html is not None:
            write_whole(html, report_page(dataset, code=code, start=start, curve=curve))
    if as_json:
        print_json(data)
    elif data["kind"] == "sweep":
        _print_sweep(data)
    else:
        _print_result(data)
    if html is not None and not as_json:
        say(f"{html}: written")
    for doubt in data["doubts"]:
        say(f"doubt {doubt['code']}: {doubt['sentence']}", err=True)


def _print_result(data: dict[str, Any]) -> None:
    keys = ("mean", "std", "min", "max", "time_of_max", "mpm") if data["kind"] == "run" else ("mean",)
    heads = {"mean": "mean (kN)", "std": "std (kN)", "min": "min (kN)", "max": "max (kN)",
             "time_of_max": "max at t (s)", "mpm": "3 h MPM (kN)"}  # fmt: skip
    rows = [
        [f"{name}, end {end}", *_figures(ends[end], keys, 1e-3)]
        for name, ends in data["lines"].items()
        for end in ("A", "B")
    ]
    if rows:
        print_table("End tensions", ["line", *(heads[key] for key in keys)], rows)
    rows = [
        [f"{name}, {label}", *_figures(figures, [key for key in keys if key != "mpm"], 1.0)]
        for name, parts in data["bodies"].items()
        for variable in ("body_position", "body_attitude")
        for label, figures in parts.get(variable, {}).items()
    ]
    if rows:
        print_table(
            "Motions (m, deg)", ["body", *(heads[key].replace(" (kN)", "") for key in keys if key != "mpm")], rows
        )
    if data["utilisation"]:
        used = data["utilisation"]
        rows = [[n, _shown(r["utilisation"], 1.0), _shown(r["safety_factor"], 1.0)] for n, r in used["lines"].items()]
        print_table(f"Utilisation ({used['code']})", ["line", "utilisation", "safety factor"], rows)
        say(f"{used['code']}: {used['note']}")
    if "fatigue" in data:
        fatigue = data["fatigue"]
        rows = [
            [f"{n}, end {end}", _shown(each["damage"], 1.0), _shown(each["life"], 1.0)]
            for n, ends in fatigue["lines"].items()
            for end, each in ends.items()
        ]
        print_table("Fatigue, no safety factor", ["line", "damage in the run", "life (years)"], rows)
        say(f"{fatigue['source']}; {fatigue['note']}")
    for event in data["events"]:
        say(f"t = {event['time']:.2f} s: {event['sentence']}")


def _print_sweep(data: dict[str, Any]) -> None:
    say(f"{data['cases']} cases, {data['done']} done, {len(data['failed'])} failed")
    rows = [
        [n, *(_shown(o[key], 1.0) for key in ("min", "mean", "max")), o["unit"]] for n, o in data["outputs"].items()
    ]
    print_table("Outputs over all cases", ["output", "min", "mean", "max", "unit"], rows, text=(4,))
    if data["extremes"]:
        names = list(data["extremes"][0]["factors"])
        rows = [
            [*(str(r["factors"][name]) for name in names), f"{r['line']}, end {r['end']}", _shown(r["value"], 1e-3),
             f"{_shown(r['low'], 1e-3)} to {_shown(r['high'], 1e-3)}", f"{r['seeds']:.0f}"]
            for r in data["extremes"]
        ]  # fmt: skip
        heads = [*names, "line", "most probable maximum (kN)", "90 % bounds (kN)", "seeds"]
        print_table("Extremes over the seeds (Gumbel)", heads, rows, keys=len(names) + 1)
    if data["utilisation"]:
        used = data["utilisation"]
        rows = [[n, _shown(r["utilisation"], 1.0), str(r["case"]), r["limit_state"]] for n, r in used["lines"].items()]
        print_table(
            f"Largest utilisation ({used['code']})", ["line", "utilisation", "case", "limit state"], rows, text=(3,)
        )
        say(f"{used['source']}; {used['note']}")
    for row in data["failed"]:
        say(f"case {row['case']}: {row['status']}: {row['reason']}", err=True)


def _print_lists() -> None:
    from ropewalk.post.fatigue import curves
    from ropewalk.post.utilisation import codes

    rows = [[key, curve.name, f"{curve.source}. Checked: {curve.checked}"] for key, curve in curves().items()]
    print_table("Fatigue curves", ["key", "applies to", "source"], rows, text=(1, 2))
    rows = [[key, f"{code['source']}. Checked: {code['checked']}"] for key, code in codes().items()]
    print_table("Codes of utilisation", ["key", "source"], rows, text=(1,))


def _figures(figures: dict[str, Any], keys: Sequence[str], scale: float) -> list[str]:
    """Figures of one quantity; what does not change has no time of its maximum."""
    shown = {key: _shown(figures.get(key), 1.0 if key == "time_of_max" else scale) for key in keys}
    if "time_of_max" in shown and shown["min"] == shown["max"]:
        shown["time_of_max"] = "-"
    return list(shown.values())


def _shown(value: float | None, scale: float) -> str:
    from ropewalk.report.page import shown

    return "-" if value is None else shown(scale * value)
