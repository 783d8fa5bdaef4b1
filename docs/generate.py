"""Pages that follow from the code: file reference, commands, result variables, solvers, catalogue, endings.

`conf.py` calls :func:`write_all`; the pages go to docs/generated/, which the pages in docs/reference/ include.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_type_hints

from file_reference import file_page
from markup import prose, table


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


# --- results ---


def results_page() -> list[str]:
    from ropewalk.results import schema

    def rows(variables: Iterable[schema.Variable]) -> Iterator[tuple[str, ...]]:
        for v in variables:
            yield f"`{v.name}`", ", ".join(v.dims), v.unit, prose(v.meaning)

    head = ("variable", "dimensions", "unit", "meaning")
    lines: list[str] = []
    for kind, variables in schema.KINDS.items():
        lines += [f"## Variables of {kind}", "", *table(head, rows(variables))]
    lines += ["## Coordinates", "", *table(head, rows((*schema.COORDINATES, *schema.FREQUENCY_COORDINATES)))]
    lines += ["## Dimensions", ""]
    lines += table(("dimension", "meaning"), ((f"`{k}`", prose(v)) for k, v in schema.DIMENSIONS.items()))
    lines += ["## Attributes", ""]
    lines += table(("attribute", "meaning"), ((f"`{k}`", prose(v)) for k, v in schema.ATTRIBUTES.items()))
    return lines


# --- commands ---


def commands_page() -> list[str]:
    from ropewalk.cli.main import app

    commands = {command.name or "": command.callback for command in app.registered_commands}
    helps = {name: prose(inspect.getdoc(callback) or "") for name, callback in commands.items()}
    lines = [*table(("command", "does"), ((f"[`{name}`](#command-{name})", text) for name, text in helps.items()))]
    for name, callback in commands.items():
        arguments, options = _parameters(callback)
        usage = " ".join(["ropewalk", name, *(word for word, _, _ in arguments), *(["[OPTIONS]"] if options else [])])
        lines += [f"(command-{name})=", f"## {name}", "", helps[name], "", "```text", usage, "```", ""]
        rows = [(f"`{word}`", default, text) for word, default, text in (*arguments, *options)]
        if rows:
            lines += table(("argument or option", "default", "meaning"), rows)
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
            arguments.append((_word(name, kind), default, prose(info.help or "")))
        else:
            written = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
            written = written or ["--" + name.replace("_", "-")]
            value = "" if kind is bool else " " + _word(name, kind)
            options.append((", ".join(written) + value, default, prose(info.help or "")))
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
    from ropewalk.methods.protocol import Claim
    from ropewalk.methods.registry import SOLVERS, solver_class

    classes = {name: solver_class(name) for name in SOLVERS}
    kinds = (Claim.STATICS, Claim.DYNAMICS)
    rows = []
    for name, cls in classes.items():
        does = " and ".join(kind.value for kind in kinds if kind in cls.claims)
        rows.append((f"`{name}`", does, prose((cls.__doc__ or "").strip().split("\n\n")[0])))
    order = ", ".join(f"`{name}`" for name in static_methods())
    lines = [*table(("solver", "does", "how"), rows)]
    lines += [f"For statics `auto` uses the first of {order} that supports the case.", ""]
    lines += ["## Supported features", ""]
    claims = [claim for claim in Claim if claim not in kinds and any(claim in cls.claims for cls in classes.values())]
    matrix = ((claim.value, *("✓" if claim in cls.claims else "" for cls in classes.values())) for claim in claims)
    lines += ["```{table}", ":class: matrix", ""]
    lines += [*table(("the case has", *(f"`{name}`" for name in classes)), matrix), "```"]
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
    return [*table((*head, "added mass", "breaking load (N)", "source"), rows), *_grades()]


def _sources(text: str) -> str:
    return "; ".join(
        "{cite:t}`" + key.strip() + "`: " + prose(rest.strip())
        for key, _, rest in (part.partition(":") for part in text.split(";"))
    )


def _grades() -> Iterator[str]:
    from ropewalk.spec.catalogue import CHAIN_GRADES, DEFAULT_GRADE

    yield "The breaking load of chain is $c\\,d^2 (44 - 0.08\\,d)$ kN with $d$ in mm ({cite:t}`IACS_W22`); unless"
    yield f"given, the grade is {DEFAULT_GRADE}."
    yield ""
    yield from table(("grade", "c"), ((grade, f"{c:g}") for grade, c in CHAIN_GRADES.items()))


# --- how computations end ---


def endings_page() -> list[str]:
    from ropewalk.methods.protocol import Report, Status
    from ropewalk.physics.catenary import MEANING

    rows = ((f"`{s.name.lower()}`", s.value, "yes" if Report(status=s).good else "no") for s in Status)
    lines = [*table(("status", "sentence", "has a result"), rows), "(line-states)=", "## States of a line", ""]
    lines += ["State of each line by the closed form, in `report.figures['lines']`:", ""]
    lines += table(("number", "meaning"), ((str(code), text) for code, text in MEANING.items()))
    return lines


# --- examples ---


def gallery_page() -> list[str]:
    """What the cases and scripts in examples/ are about, from their first comment or docstring, or their title."""
    folder = Path(__file__).resolve().parents[1] / "examples"
    rows = []
    for path in sorted([*folder.glob("*.yaml"), *folder.glob("*.py")]):
        text = path.read_text(encoding="utf-8")
        first = text.split('"""')[1].split("\n\n")[0] if path.suffix == ".py" else _comment(text) or _title(text)
        rows.append((f"`{path.name}`", prose(first)))
    return [*table(("example", "shows"), rows)]


def _comment(text: str) -> str:
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return " ".join(line for line in lines if not line.startswith("ropewalk "))  # not the commands


def _title(text: str) -> str:
    found = re.search(r"^title: (.*)$", text, re.MULTILINE)
    return f"{found[1][0].upper()}{found[1][1:]}." if found else ""


# --- Python ---

_ELSEWHERE = ("System", "InputError", "ConvergenceError")  # have sections of their own on the page


def api_page() -> list[str]:
    """The public names: functions, then classes with their members."""
    import ropewalk

    lines = ["```{eval-rst}"]
    for name in sorted(set(ropewalk.__all__) - set(_ELSEWHERE), key=lambda name: (name[0].isupper(), name)):
        value = getattr(ropewalk, name)
        if inspect.isclass(value):
            lines += [f".. autoclass:: ropewalk.{name}", "   :members:", ""]
        elif inspect.ismodule(value):  # a shelf of functions: those of its own list
            for part in value.__all__:
                if not inspect.isclass(getattr(value, part)):
                    lines += [f".. autofunction:: {value.__name__}.{part}", ""]
        else:
            lines += [f".. autofunction:: ropewalk.{name}", ""]
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
        rows = [(_fact(test.name), prose((ast.get_docstring(test) or "").split("\n\n")[0])) for test in tests]
        lines += [f"## {_fact(path.stem)}", "", prose((ast.get_docstring(tree) or "").split("\n\n")[0]), ""]
        lines += table(("fact", "reference"), rows)
    return lines


def _fact(name: str) -> str:
    words = name.removeprefix("test_").replace("_", " ")
    return words[0].upper() + words[1:]
