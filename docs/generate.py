"""Pages that follow from the code: file reference, commands, result variables, solvers, catalogue, endings.

`conf.py` calls :func:`write_all`; the pages go to docs/generated/, which the pages in docs/reference/ include.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_type_hints

Schema = dict[str, Any]

TOP = "ropewalk case file"


def write_all(folder: Path) -> None:
    """Write every generated page; files that would not change are left alone, so that rebuilding stays quick."""
    folder.mkdir(exist_ok=True)
    pages = {
        "file.md": file_page(),
        "results.md": results_page(),
        "commands.md": commands_page(),
        "solvers.md": solvers_page(),
        "catalogue.md": catalogue_page(),
        "endings.md": endings_page(),
        "gallery.md": gallery_page(),
        "api.md": api_page(),
        "laws.md": laws_page(),
        "validation.md": validation_page(),
    }
    for name, lines in pages.items():
        path, text = folder / name, "\n".join(lines) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
    yield ""


# --- the case file, from its JSON Schema ---


def file_page() -> list[str]:
    from ropewalk.spec.system import System

    schema = System.model_json_schema(by_alias=True)
    definitions = schema.get("$defs", {})
    lines = [*_object("case", schema, definitions)]
    for name in _reached(schema, definitions):
        if definitions[name].get("properties"):
            lines += _object(name, definitions[name], definitions)
    return lines


def _reached(schema: Schema, definitions: dict[str, Schema]) -> list[str]:
    """Names of the definitions in the order in which a reader of the file meets them."""
    found: list[str] = []

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            name = _reference(part)
            if name is not None and name not in found:
                found.append(name)
                walk(definitions[name])
            for key, value in part.items():
                if key not in ("$defs", "discriminator"):
                    walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    walk(schema.get("properties", {}))
    return found


def _object(name: str, schema: Schema, definitions: dict[str, Schema]) -> Iterator[str]:
    title = "The whole file" if name == "case" else _title(name)
    yield f"({_label(name)})="
    yield f"## {title}"
    yield ""
    if name != "case" and schema.get("description"):
        yield _text(schema["description"])
        yield ""
    required = schema.get("required", [])
    rows = []
    for key, field in schema.get("properties", {}).items():
        default = "required" if key in required else _value(field)
        meaning = field.get("description") or _meaning_of_target(field, definitions)
        rows.append((f"`{key}`", _kind(field, definitions), default, _text(meaning)))
    yield from _table(("key", "takes", "unless given", "meaning"), rows)


def _meaning_of_target(field: Schema, definitions: dict[str, Schema]) -> str:
    """What a key means that says nothing itself: the first sentence of the object it takes."""
    parts = [part for part in field.get("anyOf", [field]) if part.get("type") != "null"]
    part = parts[0] if len(parts) == 1 else {}
    name = _reference(part) or _reference(part.get("additionalProperties", {}) or {})
    return "" if name is None else definitions[name].get("description", "").split("\n\n")[0]


_PROPER = {"JonswapWaves": "JONSWAP waves", "PiersonMoskowitzWaves": "Pierson-Moskowitz waves"}


def _label(name: str) -> str:
    return "file-" + name.lower()


def _title(name: str) -> str:
    return _PROPER.get(name) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.lstrip("_")).capitalize()


def _text(text: str) -> str:
    """A docstring as Markdown on one line: formulas with ^, <, * must not become markup."""
    plain = " ".join(text.split())
    plain = re.sub(r"(?<!`)([*<>_])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", plain)
    return plain.replace("[", "\\[").replace("]", "\\]")


def _reference(field: Schema) -> str | None:
    return field["$ref"].rsplit("/", 1)[-1] if "$ref" in field else None


def _kind(field: Schema, definitions: dict[str, Schema]) -> str:
    """What a key takes, in words, with links to the objects."""
    name = _reference(field)
    if name is not None:
        target = definitions[name]
        return f"[{_title(name)}](#{_label(name)})" if target.get("properties") else _kind(target, definitions)
    for union in ("oneOf", "anyOf", "allOf"):
        if union in field:
            kinds = [_kind(part, definitions) for part in field[union] if part.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return _list_kind(field, definitions)
    if field.get("type") == "object":
        return f"names, each with: {_kind(field.get('additionalProperties', {}), definitions)}"
    words = {"number": "number", "integer": "whole number", "string": "text", "boolean": "true or false"}
    return words.get(field.get("type", ""), "anything") + _limits(field)


def _list_kind(field: Schema, definitions: dict[str, Schema]) -> str:
    if "prefixItems" in field:
        items = [_kind(item, definitions) for item in field["prefixItems"]]
        if len(set(items)) == 1:
            return f"list of {len(items)}: {items[0]}"
        return "list: " + ", ".join(items)
    least, most = field.get("minItems"), field.get("maxItems")
    size = f"{least} " if least is not None and least == most else f"{least} or more " if least else ""
    return f"list of {size}{_kind(field.get('items', {}), definitions)}"


_LARGEST = 1e100  # the limit of every number in a case; not worth a word in each row


def _limits(field: Schema) -> str:
    signs = {"exclusiveMinimum": ">", "minimum": "≥", "exclusiveMaximum": "<", "maximum": "≤"}
    limits = [f"{sign} {field[key]:g}" for key, sign in signs.items() if key in field and abs(field[key]) < _LARGEST]
    return " " + ", ".join(limits) if limits else ""


def _value(field: Schema) -> str:
    """The default of a key."""
    value = field.get("default")
    if "default" not in field or isinstance(value, dict):
        kind = value.get("kind") if isinstance(value, dict) else None
        return f"`{{kind: {kind}}}`" if kind else "empty" if value == {} and "$ref" not in field else "its defaults"
    if value is None:
        return "none"
    if value in ([], ""):
        return "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:.6g}`" if isinstance(value, float) else f"`{value}`"


# --- results ---


def results_page() -> list[str]:
    from ropewalk.results import schema

    def rows(variables: Iterable[schema.Variable]) -> Iterator[tuple[str, ...]]:
        for v in variables:
            yield f"`{v.name}`", ", ".join(v.dims), v.unit, _text(v.meaning)

    head = ("variable", "dimensions", "unit", "meaning")
    lines = ["## Variables", "", *_table(head, rows(schema.SERIES))]
    lines += ["## Coordinates", "", *_table(head, rows(schema.COORDINATES))]
    lines += ["## Dimensions", ""]
    lines += _table(("dimension", "meaning"), ((f"`{k}`", _text(v)) for k, v in schema.DIMENSIONS.items()))
    lines += ["## Attributes", ""]
    lines += _table(("attribute", "meaning"), ((f"`{k}`", _text(v)) for k, v in schema.ATTRIBUTES.items()))
    return lines


# --- commands ---


def commands_page() -> list[str]:
    from ropewalk.cli.main import app

    commands = {command.name or "": command.callback for command in app.registered_commands}
    helps = {name: _text(inspect.getdoc(callback) or "") for name, callback in commands.items()}
    lines = [*_table(("command", "does"), ((f"[`{name}`](#command-{name})", text) for name, text in helps.items()))]
    for name, callback in commands.items():
        arguments, options = _parameters(callback)
        usage = " ".join(["ropewalk", name, *(word for word, _, _ in arguments), *(["[OPTIONS]"] if options else [])])
        lines += [f"(command-{name})=", f"## {name}", "", helps[name], "", "```text", usage, "```", ""]
        rows = [(f"`{word}`", default, text) for word, default, text in (*arguments, *options)]
        if rows:
            lines += _table(("argument or option", "unless given", "meaning"), rows)
    return lines


def _parameters(callback: Any) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Arguments and options of a command: how it is written, its default, its help."""
    from typer.models import ArgumentInfo

    arguments, options = [], []
    hints = get_type_hints(callback, include_extras=True)
    for name, parameter in inspect.signature(callback).parameters.items():
        kind, info = get_args(hints[name])[:2]
        given = parameter.default
        default = "" if given in (None, False, inspect.Parameter.empty) else f"`{given}`"
        if isinstance(info, ArgumentInfo):
            arguments.append((_word(name, kind), default, _text(info.help or "")))
        else:
            written = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
            written = written or ["--" + name.replace("_", "-")]
            value = "" if kind is bool else " " + _word(name, kind)
            options.append((", ".join(written) + value, default, _text(info.help or "")))
    return arguments, options


def _word(name: str, kind: Any) -> str:
    """The placeholder of a value: the words it may be, or its name in capitals."""
    kinds = [part for part in get_args(kind) or (kind,) if part is not type(None)]
    if kinds and isinstance(kinds[0], type) and issubclass(kinds[0], Enum):
        return "{" + ",".join(str(member.value) for member in kinds[0]) + "}"
    return name.upper()


# --- solvers ---


def solvers_page() -> list[str]:
    from ropewalk.analysis.statics import static_methods
    from ropewalk.solvers.protocol import Claim
    from ropewalk.solvers.registry import SOLVERS, solver_class

    classes = {name: solver_class(name) for name in SOLVERS}
    kinds = (Claim.STATICS, Claim.DYNAMICS)
    rows = []
    for name, cls in classes.items():
        does = " and ".join(kind.value for kind in kinds if kind in cls.claims)
        rows.append((f"`{name}`", does, _text((cls.__doc__ or "").strip().split("\n\n")[0])))
    order = ", ".join(f"`{name}`" for name in static_methods())
    lines = [*_table(("solver", "does", "how"), rows)]
    lines += [f"For statics `auto` takes the first of {order} that claims all the case asks.", ""]
    lines += ["## What each claims", ""]
    claims = [claim for claim in Claim if claim not in kinds and any(claim in cls.claims for cls in classes.values())]
    matrix = ((claim.value, *("✓" if claim in cls.claims else "" for cls in classes.values())) for claim in claims)
    lines += ["```{table}", ":class: matrix", ""]
    lines += [*_table(("the case has", *(f"`{name}`" for name in classes)), matrix), "```"]
    return lines


# --- catalogue ---


def catalogue_page() -> list[str]:
    from ropewalk.spec.catalogue import CATALOGUE

    rows = []
    for name, entry in CATALOGUE.items():
        stiffness = (
            f"{entry.axial_stiffness:.4g} d²"
            if entry.axial_stiffness is not None
            else f"{entry.stiffness_per_breaking_load:g} × breaking load"
        )
        square, cube = entry.breaking_load
        load = f"{square:.4g} d²" + (f" + {cube:.4g} d³" if cube else "") if not entry.grades else "by grade"
        drag, added = entry.drag, entry.added_mass
        on = "d" if drag.get("tangential_reference") == "diameter" else "πd"
        rows.append(
            (
                f"`{name}`",
                f"{entry.mass:.5g} d²",
                stiffness,
                f"{entry.volume_diameter:.3g} d",
                f"{entry.contact_diameter:g} d",
                f"{drag['normal']:g}, {drag['tangential']:g} on {on}",
                f"{added['normal']:g}, {added['tangential']:g}",
                load,
                _sources(entry.source),
            )
        )
    head = ("family", "mass (kg/m)", "EA (N)", "volume diameter", "contact diameter", "drag, normal and tangential")
    return [*_table((*head, "added mass", "breaking load (N)", "source"), rows), *_grades()]


def _sources(text: str) -> str:
    return "; ".join(
        "{cite:t}`" + key.strip() + "`: " + _text(rest.strip())
        for key, _, rest in (part.partition(":") for part in text.split(";"))
    )


def _grades() -> Iterator[str]:
    from ropewalk.spec.catalogue import CHAIN_GRADES, DEFAULT_GRADE

    yield "The breaking load of chain is $c\\,d^2 (44 - 0.08\\,d)$ kN with $d$ in mm ({cite:t}`IACS_W22`); unless"
    yield f"given, the grade is {DEFAULT_GRADE}."
    yield ""
    yield from _table(("grade", "c"), ((grade, f"{c:g}") for grade, c in CHAIN_GRADES.items()))


# --- how computations end ---


def endings_page() -> list[str]:
    from ropewalk.physics.catenary import MEANING
    from ropewalk.solvers.protocol import GOOD, Status

    rows = ((f"`{s.name.lower()}`", s.value, "yes" if s in GOOD else "no") for s in Status)
    lines = [*_table(("status", "sentence", "an answer"), rows), "(line-states)=", "## States of a line", ""]
    lines += ["What the closed form says of each line, in `report.figures['lines']`:", ""]
    lines += _table(("number", "meaning"), ((str(code), text) for code, text in MEANING.items()))
    return lines


# --- examples ---


def gallery_page() -> list[str]:
    """What the cases and scripts in examples/ are about, from their first comment or docstring."""
    folder = Path(__file__).resolve().parents[1] / "examples"
    rows = []
    for path in sorted([*folder.glob("*.yaml"), *folder.glob("*.py")]):
        text = path.read_text(encoding="utf-8")
        first = text.split('"""')[1].split("\n\n")[0] if path.suffix == ".py" else _comment(text)
        rows.append((f"`{path.name}`", _text(first)))
    return [*_table(("example", "shows"), rows)]


def _comment(text: str) -> str:
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return " ".join(lines)


# --- Python ---

_ELSEWHERE = ("System", "InputError", "ConvergenceError")  # have sections of their own on the page


def api_page() -> list[str]:
    """The public names: functions, then classes with their members."""
    import ropewalk

    lines = ["```{eval-rst}"]
    for name in sorted(set(ropewalk.__all__) - set(_ELSEWHERE), key=lambda name: (name[0].isupper(), name)):
        is_class = inspect.isclass(getattr(ropewalk, name))
        lines += (
            [f".. autoclass:: ropewalk.{name}", "   :members:"] if is_class else [f".. autofunction:: ropewalk.{name}"]
        )
        lines.append("")
    return [*lines, "```"]


def laws_page() -> list[str]:
    """A section for each file of ropewalk.physics, headed by its first sentence."""
    import ropewalk.physics

    folder = Path(ropewalk.physics.__file__).parent
    lines = []
    for path in sorted(folder.glob("[a-z]*.py")):
        lines += [
            f"## {path.stem}",
            "",
            "```{eval-rst}",
            f".. automodule:: ropewalk.physics.{path.stem}",
            "   :members:",
        ]
        lines += ["```", ""]
    return lines


# --- validation ---


def validation_page() -> list[str]:
    """What tests/validation holds ropewalk to: a section per file, a row per test, from their docstrings."""
    lines = []
    for path in sorted((Path(__file__).resolve().parents[1] / "tests" / "validation").glob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        tests = [part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name.startswith("test_")]
        rows = [(_fact(test.name), _text((ast.get_docstring(test) or "").split("\n\n")[0])) for test in tests]
        lines += [f"## {_fact(path.stem)}", "", _text((ast.get_docstring(tree) or "").split("\n\n")[0]), ""]
        lines += _table(("fact", "reference"), rows)
    return lines


def _fact(name: str) -> str:
    words = name.removeprefix("test_").replace("_", " ")
    return words[0].upper() + words[1:]
