"""`ropewalk float`: equilibria of floating rods and their stability."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ropewalk.analysis.float_summary import state_entry
from ropewalk.cli.outputs import picture as picture_file
from ropewalk.cli.tables import JsonOption, print_answer_doubts, print_json, print_table, say

if TYPE_CHECKING:
    from ropewalk.analysis.stability import Equilibria

ROUND_OFF = 1e-10  # of the largest stiffness: smaller ones are of motions that nothing resists


def float_command(
    case: Annotated[Path, typer.Argument(help="A case file with rods.")],
    rod: Annotated[str | None, typer.Option(help="Name of one rod; default: all rods.")] = None,
    slices: Annotated[bool, typer.Option("--slices", help="Use plane slices, for comparison.")] = False,
    time: Annotated[float, typer.Option(help="Time at which the angles of joints are evaluated, s.")] = 0.0,
    picture: Annotated[Path | None, typer.Option("--picture", help="Plot the stable poses to PNG, PDF or SVG.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Find all equilibria of floating rods.

    Prints heave, roll, pitch, energy and stiffness. Rods on lines are solved together with all lines, points and bodies
    of the case, and only their stable equilibria are listed, with position and tensions. The same
    holds for elastic rods, with their shape, and for held rods, with their reactions.
    """
    from ropewalk.analysis.moored import float_all
    from ropewalk.model.rods import RodWarning
    from ropewalk.spec.system import System

    target = None if picture is None else picture_file(picture)
    system = System.from_file(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RodWarning)  # it is among the doubts
        found = float_all(system, rod, slices=slices, time=time)
    print_answer_doubts(found.doubts)
    if target is not None:
        from ropewalk.plot.lines import save
        from ropewalk.plot.rod import draw_floating

        save(draw_floating(found), target, found.doubts)
    if as_json:
        print_json(found.as_dict())
    else:
        print_states(found)


def print_states(found: Mapping[str, Equilibria]) -> None:
    """One table per rod, lowest energy first, and the completeness check; then what lines or holds do to it."""
    columns = ("kind", "copies", "heave (m)", "roll (deg)", "pitch (deg)", "energy (J)", "least stiffness (N m/rad)")
    for name, result in found.items():
        rows = []
        for state in result.states:
            entry = state_entry(name, state)
            rows.append(
                (
                    state.kind,
                    str(state.copies),
                    f"{entry['heave']:.6g}",
                    f"{round(entry['roll'], 4) + 0.0:.4f}",
                    f"{round(entry['pitch'], 4) + 0.0:.4f}",
                    f"{entry['energy']:.6g}",
                    "-" if "head_force" in entry else _stiffness(state.pose.curvature),
                )
            )
        print_table(f"rod '{name}'", columns, rows)
        say(f"{result.message} ({result.starts} starts)")
        for number, state in enumerate(result.states, start=1):
            entry = state_entry(name, state)
            if "position" in entry:
                place = ", ".join(f"{x:.4f}" for x in entry["position"])
                say(f"{number}: head at ({place}) m, yaw {entry['yaw']:.4f} deg")
                rows = [(line, *(f"{tension:.6g}" for tension in ends)) for line, ends in entry["tensions"].items()]
                print_table(f"lines of {number}", ("line", "tension at end A (N)", "tension at end B (N)"), rows)
            if "head_force" in entry:
                say(f"{number}: {_holding(entry)}")


def _stiffness(curvature: Iterable[float]) -> str:
    """The least of the stiffnesses; zero for what is round-off beside the largest."""
    values = [float(value) for value in curvature]
    least, largest = values[0], max(map(abs, values))
    return "0" if abs(least) < ROUND_OFF * largest else f"{least:.6g}"


def _holding(entry: dict[str, Any]) -> str:
    """What holds a rod, in words."""
    moments = ", ".join(f"{moment:.6g}" for moment in entry["head_moment"])
    said = f"on the head {entry['head_force']:.6g} N upwards and moments ({moments}) N m"
    if entry["support_forces"]:
        said += f"; supports {', '.join(f'{force:.6g}' for force in entry['support_forces'])} N upwards"
    return f"{said}; far end at {entry['tip_height']:.6g} m"
