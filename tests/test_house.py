"""The plan of the house in numbers: arguments of functions, columns by number, bodies that grow too long.

Counts may only fall: whoever lowers one lowers its limit here. The bars are what each shall come to.
"""

from __future__ import annotations

import ast
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
