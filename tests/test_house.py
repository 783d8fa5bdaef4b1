"""The plan of the house in numbers: arguments of functions, columns by number, bodies that grow too long.

Counts may only fall: whoever lowers one lowers its limit here. The bars are what each shall come to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SRC = Path(__file__).resolve().parents[1] / "src" / "ropewalk"
MANY_ARGUMENTS, TOO_MANY_ARGUMENTS = 8, 14
MOST_WITH_MANY = 58  # functions; bar: 2 % of all, about 65
MOST_WITH_TOO_MANY = 0  # bar: 0
MOST_COLUMNS = 137  # subscripts by an integer constant of a module; bar: 150
LONG_BODY = 60  # lines
LONG_BODIES = 0.02  # share of all functions
LONGEST_FILE = 500  # lines
WITHOUT_EQUATION = {"assembly": 25, "methods": 149, "numerics": 19}  # kernels, most of them without a law of their own
WITHOUT_SOURCE = {"assembly": 23, "methods": 145, "numerics": 17}
EQUATION = re.compile(r"math::|:math:| = ")
SOURCE = re.compile(r"Source:|\[\w+?\d{4}\w?\]|theory/\w+\.md")
SAME = re.compile(r"\b[Aa]s (?::func:)?`")  # refers to a kernel that has both
NEWTON_LOOPS = [
    "assembly/balance_newton.py",
    "assembly/link_start.py",
    "physics/catenary_bed.py",
    "physics/catenary_free.py",
    "physics/elasticity.py",
    "physics/rod_energy.py",
    "physics/steady_waves.py",
    "methods/bars/equilibrium.py",
    "methods/bars/flow.py",
    "methods/bars/implicit.py",
    "methods/bars/loops.py",
    "methods/bars/rattle.py",
    "methods/bars/work.py",
    "methods/chain/statics.py",
    "methods/chain/steps.py",
    "methods/linear/equilibrium.py",
    "methods/mixed/equilibrium.py",
    "methods/mixed/high_order.py",
    "methods/mixed/landing.py",
    "methods/mixed/steps.py",
    "methods/rods/elastic.py",
    "methods/rods/equilibrium.py",
    "methods/shooting/bed.py",
    "methods/shooting/newton.py",
    "numerics/arclength.py",
    "analysis/audit_loads.py",
    "analysis/rod_design.py",
]  # files with Newton loops of their own
# Kernels of loads/ and physics/ without a law of their own: access by name, bookkeeping, searches. May only shrink.
HELPERS = {
    "loads/body.py": "clear_block",
    "loads/cut.py": "vector _second_moments",
    "loads/given.py": "field_load _columns _three",
    "loads/hull.py": "strip_velocity strip_acceleration _nine _put9 _clear",
    "loads/point.py": "lump_of is_bare",
    "loads/rest_balance.py": "_reach _size",
    "loads/sea.py": "velocity acceleration",
    "loads/string_check.py": "note largest_force longest_of",
    "loads/string_loads.py": "vector made_of",
    "loads/string_march.py": "first_hung next_leg",
    "physics/catenary.py": "fill_hanging",
    "physics/catenary_free.py": "clear",
    "physics/catenary_lanes.py": "_length_of _regime _take _give_resting sort_lines solve_abreast",
    "physics/catenary_line.py": "_free_pieces _touch_down _lazy_wave _reverse _valid",
    "physics/catenary_pieces.py": "flexibility_at",
    "physics/elasticity.py": "_row _value _function",
    "physics/foil.py": "cubic",
    "physics/hydrostatics.py": "clear_cut",
    "physics/in_time.py": "piece_at",
    "physics/motion.py": "_components turns",
    "physics/rigidbody.py": "cross3 hat9 transpose9 nine add_block add_column",
    "physics/rod_boxes.py": "_sort_from _before _end_chord _steep",
    "physics/rod_breaks.py": "look corner_part _sort_from",
    "physics/rod_hydrostatics.py": "new_book _drowned_only _next_state",
    "physics/rod_integrals.py": "named laid_out symmetric integrals_of next_entry four_sums",
    "physics/rod_shape.py": "rod_rows",
    "physics/waves.py": "rows",
}


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_bytes()) for path in sorted(SRC.rglob("*.py"))}


def functions() -> Iterator[tuple[Path, ast.FunctionDef]]:
    for path, tree in trees().items():
        yield from ((path, node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def arguments(function: ast.FunctionDef) -> int:
    """Number of arguments; of a method without its object, and options that are collected count as one."""
    given = function.args
    count = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)
    count += (given.vararg is not None) + (given.kwarg is not None)
    return count - bool(given.args and given.args[0].arg in ("self", "cls"))


def integers(tree: ast.Module) -> set[str]:
    """Names in capitals that a module gives integers to."""
    found: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            elif isinstance(target, ast.Tuple):  # range(n)
                pairs = [(element, ast.Constant(0)) for element in target.elts]
            found |= {
                name.id
                for name, value in pairs
                if isinstance(name, ast.Name) and name.id.replace("_", "").isupper() and is_integer(value)
            }
    return found


def is_integer(value: ast.expr) -> bool:
    """True for 3, and for sums and products of integers and names."""
    if isinstance(value, ast.BinOp):
        return is_integer(value.left) and is_integer(value.right)
    if isinstance(value, ast.UnaryOp):
        return is_integer(value.operand)
    return isinstance(value, ast.Name) or (isinstance(value, ast.Constant) and type(value.value) is int)


def names_in(node: ast.expr) -> set[str]:
    inside = [n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)]
    return {n.id if isinstance(n, ast.Name) else n.attr for n in inside}


def test_arguments_get_fewer():
    many = [f"{arguments(f)} {path.name}:{f.name}" for path, f in functions() if arguments(f) > MANY_ARGUMENTS]
    assert len(many) <= MOST_WITH_MANY, sorted(many)
    too_many = [f"{arguments(f)} {path.name}:{f.name}" for path, f in functions() if arguments(f) > TOO_MANY_ARGUMENTS]
    assert len(too_many) <= MOST_WITH_TOO_MANY, sorted(too_many)


def test_columns_by_number_get_fewer():
    names = set().union(*map(integers, trees().values()))
    nodes = (node for tree in trees().values() for node in ast.walk(tree))
    count = sum(bool(names_in(node.slice) & names) for node in nodes if isinstance(node, ast.Subscript))
    assert count <= MOST_COLUMNS


def test_bodies_fit_a_page():
    """A body over 60 lines, docstring apart, is a sign to stop and look."""
    lengths = []
    for _, function in functions():
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        if body:
            lengths.append((body[-1].end_lineno or 0) - body[0].lineno + 1)
    assert sum(length > LONG_BODY for length in lengths) < LONG_BODIES * len(lengths)


def kernels(folder: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Compiled functions of a folder of src/ropewalk, with the paths of their files."""
    for path, function in functions():
        marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list]
        if path.relative_to(SRC).parts[0] == folder and any(
            isinstance(m, ast.Name) and m.id == "kernel" for m in marks
        ):
            yield path.relative_to(SRC).as_posix(), function


def lacking(folder: str, pattern: re.Pattern[str]) -> dict[str, set[str]]:
    """Kernels whose docstrings neither have a pattern nor refer to another kernel, by file."""
    found: dict[str, set[str]] = {}
    for path, function in kernels(folder):
        text = ast.get_docstring(function) or ""
        if not pattern.search(text) and not SAME.search(text):
            found.setdefault(path, set()).add(function.name)
    return found


def test_every_load_and_law_has_its_equation_and_source():
    """Style, section 5: a kernel that embodies a law states the equation and where it is from."""
    for folder in ("loads", "physics"):
        for pattern in (EQUATION, SOURCE):
            for path, names in lacking(folder, pattern).items():
                assert names <= set(HELPERS.get(path, "").split()), (path, pattern.pattern)


def test_kernels_without_equation_or_source_get_fewer():
    for pattern, limits in ((EQUATION, WITHOUT_EQUATION), (SOURCE, WITHOUT_SOURCE)):
        for folder, most in limits.items():
            names = lacking(folder, pattern)
            assert sum(map(len, names.values())) <= most, (folder, pattern.pattern, names)


def test_cited_sources_exist():
    """Keys in docs/references.bib, pages in docs/."""
    root = SRC.parents[1]
    known = set(re.findall(r"^@\w+\{(\w+),", (root / "docs" / "references.bib").read_text(encoding="utf-8"), re.M))
    for path in trees():
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"\[([A-Z][A-Za-z]+\d{4})\]", text)) <= known, path
        assert all((root / page).exists() for page in re.findall(r"docs/[\w/]+\.md", text)), path


def test_newton_loops_outside_numerics_give_their_reason():
    """One Newton iteration serves equations evaluated in Python; a loop of another form names it and states why."""
    for path in NEWTON_LOOPS:
        assert "numerics/newton.py" in (SRC / path).read_text(encoding="utf-8"), path


def test_files_are_short():
    long = [path.name for path in trees() if len(path.read_bytes().splitlines()) > LONGEST_FILE]
    assert not long
