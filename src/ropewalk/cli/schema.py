"""`ropewalk schema`: the JSON Schema of case files."""

from __future__ import annotations

from typing import Annotated

import typer


def schema_command(
    sweep: Annotated[bool, typer.Option("--sweep", help="Schema of sweep files instead.")] = False,
) -> None:
    """Print the JSON Schema of case files. Editors use it to check a file as you type."""
    from ropewalk.cli.tables import print_json
    from ropewalk.spec.sweep import Sweep
    from ropewalk.spec.system import System

    print_json((Sweep if sweep else System).model_json_schema(by_alias=True))
