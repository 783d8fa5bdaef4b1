"""`ropewalk float`: where a rod floats, and which ways are stable."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ropewalk.cli.tables import JsonOption, print_json, print_table

if TYPE_CHECKING:
    from ropewalk.analysis.stability import Equilibria, FloatingState


def float_command(
    case: Annotated[Path, typer.Argument(help="A case file with rods.")],
    rod: Annotated[str | None, typer.Option(help="Name of one rod; all of them if left out.")] = None,
    slices: Annotated[bool, typer.Option("--slices", help="Take plane slices, for comparison.")] = False,
    picture: Annotated[Path | None, typer.Option("--picture", help="Draw the stable poses to PNG, PDF or SVG.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Find every way the rods of a case float: heave, roll, pitch, energy, stiffness."""
    import warnings

    from ropewalk.analysis.stability import float_rods
    from ropewalk.model.rods import RodWarning
    from ropewalk.spec.system import System

    system = System.from_file(case)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RodWarning)
        found = float_rods(system, rod, slices=slices)
    for warning in told:
        typer.echo(f"warning: {warning.message}", err=True)
    if picture is not None:
        from ropewalk.plot_rod import plot_floating

        plot_floating(found, picture)
    if as_json:
        print_json(summary(found))
    else:
        print_states(found)


def summary(found: dict[str, Equilibria]) -> dict[str, Any]:
    """What `--json` prints. Angles in degrees; wrench and stiffness in heave, roll and pitch at the centre of mass."""
    return {
        "equilibria": [_entry(name, state) for name, result in found.items() for state in result.states],
        "complete": {name: result.complete for name, result in found.items()},
    }


def _entry(name: str, state: FloatingState) -> dict[str, Any]:
    from math import degrees

    pose = state.pose
    return {
        "kind": state.kind,
        "heave": float(pose.heave),
        "up": pose.up.tolist(),
        "roll": degrees(pose.roll),
        "pitch": degrees(pose.pitch),
        "energy": float(pose.energy),
        "stiffness": pose.stiffness[2:5, 2:5].tolist(),
        "wrench": pose.wrench[2:5].tolist(),
        "copies": state.copies,
        "rod": name,
    }


def print_states(found: dict[str, Equilibria]) -> None:
    """One table per rod, lowest energy first, and the completeness check."""
    columns = ("kind", "copies", "heave (m)", "roll (deg)", "pitch (deg)", "energy (J)", "softest (N m/rad)")
    for name, result in found.items():
        rows = []
        for state in result.states:
            entry = _entry(name, state)
            rows.append(
                (
                    state.kind,
                    str(state.copies),
                    f"{entry['heave']:.6g}",
                    f"{entry['roll']:.4f}",
                    f"{entry['pitch']:.4f}",
                    f"{entry['energy']:.6g}",
                    f"{state.pose.curvature[0]:.6g}",
                )
            )
        print_table(f"rod '{name}'", columns, rows)
        typer.echo(f"{result.message} ({result.starts} starts)")
