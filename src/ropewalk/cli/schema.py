"""`ropewalk schema`: the JSON Schema of case files."""

from __future__ import annotations


def schema_command() -> None:
    """Print the JSON Schema of case files. Editors check by it as you type."""
    from ropewalk.cli.tables import print_json
    from ropewalk.spec.system import System

    print_json(System.model_json_schema(by_alias=True))
