"""`ropewalk demo`: the built-in example."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo_command(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for what the demo writes.")] = Path("ropewalk-demo"),
) -> None:
    """Solve the built-in example and write its case, table, picture and NetCDF file."""
    from ropewalk.cli.new import Kind, template
    from ropewalk.cli.static import print_equilibrium

    out.mkdir(parents=True, exist_ok=True)
    case = out / "mooring.yaml"
    case.write_text(template(Kind.mooring), encoding="utf-8")

    from ropewalk.analysis.statics import statics
    from ropewalk.io.netcdf import write
    from ropewalk.plot import draw, save
    from ropewalk.spec.system import System

    equilibrium = statics(System.from_file(case))
    print_equilibrium(equilibrium)
    dataset = equilibrium.to_dataset()
    write(dataset, out / "mooring.nc")
    save(draw(dataset), out / "mooring.png")
    typer.echo(f"written to {out}: mooring.yaml, mooring.nc, mooring.png")
