"""The plan of the house in numbers: arguments of functions, columns by number, bodies that grow too long.

Counts may only fall: whoever lowers one lowers its limit here. The bars are what each shall come to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[1] / "src" / "ropewalk"
MANY_ARGUMENTS, MOST_ARGUMENTS = 8, 13
MOST_WITH_MANY = 26  # functions
NUMBER = ["Nine", "Ten", "Eleven", "Twelve", "Thirteen"]
MOST_COLUMNS = 130  # subscripts by an integer constant of a module; bar: 150
LONG_BODY = 60  # lines
LONG_BODIES = 0.02  # share of all functions
LONGEST_FILE = 500  # lines
MOST_PUBLIC = 12  # names of a method
KERNEL_ROOMS = ("numerics", "physics", "loads", "assembly", "methods", "audit")
EQUATION = re.compile(r"math::|:math:| (?:=|->|[<>]=?) ")  # a criterion counts, too
SOURCE = re.compile(r"Source:|\[\w+?\d{4}\w?\]|theory/\w+\.md")
UNIT = re.compile(
    r"(?<![\w.`^*/_])(?:1/)?(?:k?N|kg|m|s|rad|Hz|W|J|Pa)(?:[ /]?(?:m|s|N|rad|kg|W|Hz)?\d?)*(?![\w`(=^_*])"
    r"|(?i:\b(?:units?|shares?|fraction|ratios?|relative|factor|scaled|number of|rotation matrix|status)\b)"
    r"|(?i:\b(?:true if|whether)\b)"
)  # or the name of something that has none
FORMULA = re.compile(r"\.\. math::.*?(?:\n\n|\Z)|:math:`[^`]*`", re.DOTALL)
SAME = re.compile(r"\b[Aa]s (?::func:)?`([\w.]+)`")  # refers to another function
BOOKKEEPING = re.compile(r"\bBookkeeping\b")  # copies, index maps, searches, calls of other kernels: nothing to derive
ELSEWHERE = {"ropewalk_unit.py"}  # written into units
NO_MATHEMATICS = {"empty", "zeros", "full", "int64", "isfinite", "isnan"}  # functions that bookkeeping may call
LOOKED_UP = {
    "record_plan",  # `make plan`
    "save_case",  # System.to_file, above io, imports the module by name
    "FACES",  # spec/shown.py, likewise
    "register",  # notebook/accessor.py, by registration.py
    "Unit",  # the class that the FMU's program looks for
}
NEWTON_LOOPS = [
    "analysis/rod_design.py",
    "assembly/balance_newton.py",
    "assembly/link_start.py",
    "methods/bars/equilibrium.py",
    "methods/bars/rattle.py",
    "methods/bars/work.py",
    "methods/chain/steps.py",
    "methods/linear/equilibrium.py",
    "methods/mixed/equilibrium.py",
    "methods/mixed/steps.py",
    "methods/shooting/newton.py",
]  # files with Newton loops whose steps and tests are in other functions
NOT_NEWTON = {
    "find_extremum",  # regula falsi
    "_step_to_event",  # regula falsi
    "softest",  # inverse iteration of an eigenvector
    "_iterate",  # fixed point of linearised drag
    "string_misses",  # finer and finer steps
    "walk",  # descent along gradients
    "descend",  # descent along gradients
}
BRACKETED = {"bracketed", "bracketed_positive", "force_step", "tension_step"}  # the one step of scalar loops
SIZES = {"abs", "norm", "hypot"}  # functions in tests of convergence


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
    assert max(arguments(f) for _, f in functions()) <= MOST_ARGUMENTS


def test_more_than_eight_arguments_give_a_reason():
    """In the docstring, as "Nine arguments: ..."; those of commands are their options, and the docstring is help."""
    for path, function in functions():
        count = arguments(function)
        if count > MANY_ARGUMENTS and path.relative_to(SRC).parts[0] != "cli":
            begin = f"{NUMBER[count - MANY_ARGUMENTS - 1]} arguments: "
            assert begin in (ast.get_docstring(function) or ""), (path, function.name, begin)


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


def texts() -> dict[str, list[str]]:
    """Docstrings of all functions by name."""
    found: dict[str, list[str]] = {}
    for _, function in functions():
        found.setdefault(function.name, []).append(ast.get_docstring(function) or "")
    return found


def is_stated(text: str, room: str) -> bool:
    """Whether a docstring has equation, source and unit; numerics/ is mathematics, without units."""
    if BOOKKEEPING.search(text):
        return True
    has_unit = room == "numerics" or UNIT.search(FORMULA.sub("", text))
    return bool(EQUATION.search(text) and SOURCE.search(text) and has_unit)


def refers_to_one_stated(text: str, known: dict[str, list[str]]) -> bool:
    """Whether a docstring refers, directly or not, to one with equation and source."""
    seen: set[str] = set()
    todo = SAME.findall(text)
    while todo:
        name = todo.pop().split(".")[-1]
        if name not in seen:
            seen.add(name)
            for other in known.get(name, []):
                if is_stated(other, "numerics"):
                    return True
                todo += SAME.findall(other)
    return False


def outside_subscripts(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression, without the places in arrays."""
    yield node
    for child in [node.value] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node):
        yield from outside_subscripts(child)


def is_whole(node: ast.AST, constants: set[str]) -> bool:
    """Whether an integer, a constant that is one, or a size of an array is in an expression: floats are written 2.0."""
    return any(
        (isinstance(n, ast.Constant) and type(n.value) is int)
        or (isinstance(n, ast.Name) and n.id in constants)
        or (isinstance(n, ast.Attribute) and n.attr in ("shape", "size"))
        for n in outside_subscripts(node)
    )


def mathematics(function: ast.FunctionDef, constants: set[str]) -> list[str]:
    """Products, quotients, powers and functions of floats in a kernel; products of whole numbers address arrays."""
    found = []
    for node in (part for line in function.body for part in outside_subscripts(line)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.Pow):
            if not (isinstance(node.op, ast.Mult) and is_whole(node, constants)):
                found.append(ast.unparse(node))
        elif isinstance(node, ast.Call):
            owner, _, name = ast.unparse(node.func).rpartition(".")
            if owner in ("np", "math") and name not in NO_MATHEMATICS:
                found.append(f"{owner}.{name}")
    return found


def test_every_kernel_has_unit_equation_and_source_or_is_bookkeeping():
    """Style, section 5: what, unit, equation, source. A kernel may refer to another that has them."""
    known = texts()
    for room in KERNEL_ROOMS:
        for path, function in kernels(room):
            text = ast.get_docstring(function) or ""
            assert is_stated(text, room) or refers_to_one_stated(text, known), (path, function.name, text)


def test_bookkeeping_has_no_mathematics():
    """A kernel that multiplies, divides or calls a function of numpy has something to derive."""
    constants = set().union(*map(integers, trees().values()))
    for room in KERNEL_ROOMS:
        for path, function in kernels(room):
            if BOOKKEEPING.search(ast.get_docstring(function) or ""):
                assert not (found := mathematics(function, constants)), (path, function.name, found)


def test_cited_sources_exist():
    """Keys in docs/references.bib, pages in docs/."""
    root = SRC.parents[1]
    known = set(re.findall(r"^@\w+\{(\w+),", (root / "docs" / "references.bib").read_text(encoding="utf-8"), re.M))
    for path in trees():
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"\[([A-Z][A-Za-z]+\d{4})\]", text)) <= known, path
        assert all((root / page).exists() for page in re.findall(r"docs/[\w/]+\.md", text)), path


def test_cited_sections_exist():
    """A section of a theory page is cited by the beginning of its heading, or of a paragraph's in bold."""
    cited = re.compile(r"docs/(theory/\w+\.md),\s+([A-Z][\w' -]*?)(?=[^\w' -]|\sand\s)")
    for path in trees():
        text = re.sub(r"\s*\n\s*", " ", path.read_text(encoding="utf-8"))
        for page, section in cited.findall(text):
            content = (SRC.parents[1] / "docs" / page).read_text(encoding="utf-8")
            headings = re.findall(r"^#+ +(.*)|^\*\*(.*?)\*\*", content, re.M)
            begin = section.strip().lower()
            assert any((one or other).replace("`", "").lower().startswith(begin) for one, other in headings), (
                path,
                page,
                section,
            )


def test_files_named_in_text_exist():
    """Names of modules in docstrings and comments: in the folder of the file, or below src/ropewalk or the root."""
    root = SRC.parents[1]
    for path in trees():
        for name in re.findall(r"(?<![\w./*{}])[\w/]+\.py\b", path.read_text(encoding="utf-8")):
            places = [folder / name for folder in (path.parent, SRC, SRC.parent, root)]
            assert any(place.exists() for place in places) or name in ELSEWHERE, (path, name)


def names_of(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def calls_of(node: ast.AST) -> set[str]:
    return {ast.unparse(part.func).split(".")[-1] for part in ast.walk(node) if isinstance(part, ast.Call)}


def assigned(statement: ast.Assign | ast.AugAssign) -> set[str]:
    """Names to which a statement gives a value, or to parts of which it does."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    inside = [part for target in targets for part in ast.walk(target)]
    stored = {part.id for part in inside if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    parts = [part for part in inside if isinstance(part, ast.Subscript | ast.Attribute)]
    return stored | {re.split(r"[.\[]", ast.unparse(part))[0] for part in parts}


def divides_or_solves(value: ast.expr) -> bool:
    quotients = [part for part in ast.walk(value) if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div)]
    by_number = [
        isinstance(part.left, ast.Constant | ast.Call) or isinstance(part.right, ast.Constant) for part in quotients
    ]
    return not all(by_number) or any(re.search(r"solve|newton|_step$", name.lower()) for name in calls_of(value))


def is_newton(loop: ast.For | ast.While) -> bool:
    """True if a loop changes something by a quotient or solution that depends on it, and ends where a size is small."""
    on: dict[str, set[str]] = {}  # what each name depends on
    made, sizes = set(), set()
    for part in ast.walk(loop):
        if isinstance(part, ast.Assign | ast.AugAssign):
            names, uses = assigned(part), names_of(part.value)
            for name in names:
                on.setdefault(name, set()).update(uses | (names if isinstance(part, ast.AugAssign) else set()))
            made |= names if divides_or_solves(part.value) else set()
            sizes |= names if calls_of(part.value) & SIZES else set()
    for _ in on:
        on = {name: used.union(*(on.get(other, set()) for other in used)) for name, used in on.items()}
    if not any(name in on[name] for name in made):
        return False
    for part in ast.walk(loop):
        inside = [x for line in part.body for x in ast.walk(line)] if isinstance(part, ast.If) else []
        if any(isinstance(x, ast.Break | ast.Return) for x in inside):
            test = part.test
            is_not = any(isinstance(x, ast.Not) for x in ast.walk(test))
            if is_not or isinstance(test, ast.Name) or any(isinstance(x, ast.Lt | ast.LtE) for x in ast.walk(test)):
                through = set().union(*(on.get(name, set()) for name in names_of(test))) if is_not else set()
                if calls_of(test) & SIZES or (names_of(test) | through) & sizes:
                    return True
    return isinstance(loop, ast.While) and bool(calls_of(loop.test) & SIZES or names_of(loop.test) & sizes)


def test_newton_loops_outside_numerics_give_their_reason():
    """One Newton iteration serves equations evaluated in Python; a loop of another form names it and states why."""
    for path in NEWTON_LOOPS:
        assert "numerics/newton.py" in (SRC / path).read_text(encoding="utf-8"), path
    for path, tree in trees().items():
        for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]:
            for function in (node for node in scope.body if isinstance(node, ast.FunctionDef)):
                loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
                loops = [node for node in loops if not calls_of(node) & BRACKETED]
                if path.name != "newton.py" and function.name not in NOT_NEWTON and any(map(is_newton, loops)):
                    texts_ = [ast.get_docstring(node) or "" for node in (tree, scope, function)]
                    assert any("numerics/newton.py" in text for text in texts_), (path, function.name)


def dotted(path: Path) -> str:
    """Name of a module of the package."""
    parts = path.relative_to(SRC.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def references(node: ast.AST, own: str, modules: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Module and name of what a part of a file uses; strings such as "module:name" stand for any module.

    own : module of the file    modules : those behind each name that the file imports
    """
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            found.add((own, part.id))
        elif isinstance(part, ast.ImportFrom):
            found |= {(part.module or "", name.name) for name in part.names}
        elif isinstance(part, ast.Attribute):
            found |= {(module, part.attr) for module in modules.get(ast.unparse(part.value), ())}
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and re.fullmatch(r"[\w.:]+", part.value):
            found.add(("", re.split("[.:]", part.value)[-1]))
    return found


def imported_modules(tree: ast.Module) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for name in node.names:
                found.setdefault(name.asname or name.name, set()).add(f"{node.module}.{name.name}")
        elif isinstance(node, ast.Import):
            for name in node.names:
                found.setdefault(name.asname or name.name, set()).add(name.name)
    return found


def defined(node: ast.stmt) -> list[str]:
    """Names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def is_registered(node: ast.stmt) -> bool:
    """True for what a decorator hands over to numba, typer and others: any but those of the language and kernels."""
    marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in getattr(node, "decorator_list", [])]
    return any(ast.unparse(mark).split(".")[-1] not in ("kernel", "cache", "dataclass") for mark in marks)


def test_nothing_is_used_by_tests_alone():
    """A definition is used in src, benchmarks, examples or docs, or is on the list of those that others look up."""
    root, used, inside = SRC.parents[1], set(), {}
    for path in [
        *SRC.rglob("*.py"),
        *(p for d in ("benchmarks", "examples", "docs") for p in (root / d).rglob("*.py")),
    ]:
        tree, own = ast.parse(path.read_bytes()), dotted(path) if path.is_relative_to(SRC) else ""
        modules = imported_modules(tree)
        for node in tree.body:
            is_open = own in ("", "ropewalk.moordyn") or is_registered(node)  # users call the latter module
            names = [] if is_open else [name for name in defined(node) if not name.startswith("__")]
            uses = references(node, own, modules)
            if names:
                inside[own, *names] = uses - {(own, name) for name in names}
            else:
                used |= uses
    for page in [*(root / "docs").rglob("*.md"), root / "README.md"]:
        for code in re.findall(r"```.*?```|`[^`\n]+`", page.read_text(encoding="utf-8"), re.DOTALL):
            used |= {("", word) for word in re.findall(r"\w+", code)}
    used |= {("", name) for name in LOOKED_UP}
    left = dict(inside)
    while live := [key for key in left if any({(key[0], name), ("", name)} & used for name in key[1:])]:
        for key in live:
            used |= left.pop(key)
    assert not list(left)


def packages_of_methods() -> list[Path]:
    return [path.parent for path in trees() if path.parent.parent == SRC / "methods" and path.name == "__init__.py"]


def test_faces_of_methods_are_short_and_name_what_they_have():
    """Public names, their modules, what type checkers see, and the docstring agree; and each name is there."""
    for folder in packages_of_methods():
        tree, package = trees()[folder / "__init__.py"], import_module(dotted(folder / "__init__.py"))
        typed = {name.name: node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
                 for name in node.names if (node.module or "").startswith(package.__name__)}  # fmt: skip
        assert sorted(package.__all__) == sorted(typed), folder
        assert len(package.__all__) <= MOST_PUBLIC, folder
        assert set(package.__all__) <= set(re.findall(r"`(\w+)`", package.__doc__)), folder
        for name, module in typed.items():
            assert getattr(package, name) is getattr(import_module(module), name), (folder, name)
        with pytest.raises(AttributeError, match="nothing_of_the_kind"):
            getattr(package, "nothing_of_the_kind")  # noqa: B009


def test_methods_are_named_by_their_faces_alone():
    """No string outside a package names a module inside it either; imports are under a contract in pyproject.toml."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                inside = re.match(r"ropewalk\.methods\.(\w+)\.\w", node.value)
                assert inside is None or path.is_relative_to(SRC / "methods" / inside[1]), (path, node.value)


def test_every_module_of_the_audit_is_under_its_contract():
    """Names in contracts have no wildcards for parts of a name."""
    contracts = (SRC.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    for path in (SRC / "analysis").glob("audit*.py"):
        assert f'"{dotted(path)}"' in contracts, path


def test_files_are_short():
    long = [path.name for path in trees() if len(path.read_bytes().splitlines()) > LONGEST_FILE]
    assert not long
