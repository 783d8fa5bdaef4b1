"""The case file: YAML to System and back, and the files that a case names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from ropewalk.errors import InputError, Problem
from ropewalk.io.case_files import put_tables
from ropewalk.io.messages import checked, one_line, path_text, shown
from ropewalk.io.scalars import scalar_text
from ropewalk.io.yaml import Document, load_bytes, load_file, load_text
from ropewalk.spec import arguments
from ropewalk.spec.base import Part
from ropewalk.spec.system import System

LINE_WIDTH = 110  # characters; a mapping or list that fits is written on one line
INDENT = 2  # spaces
LONGEST_PLAIN_KEY = 120  # characters; in YAML longer keys are announced by `?` (its limit is 1024)


def read_case(path: str | os.PathLike[str]) -> System:
    """Read and check a case file; InputError with every error found."""
    path = arguments.path(path)
    document = load_file(path)
    put_tables(document.data, path.parent, document.name, document.positions)
    return _system(document)


def read_text(text: str | bytes, name: str = "case.yaml") -> System:
    """Read and check the text of a case; `name` stands in messages."""
    return _system(load_bytes(text, name) if isinstance(text, bytes) else load_text(text, name))


def _system(document: Document) -> System:
    return checked(System, document.data, document.name, document.positions)


def write_case(system: System, comments: Mapping[tuple[str, ...], str] | None = None) -> str:
    """The case as YAML text that reads back to an equal System; defaults that were not set are left out.

    comments : by path, e.g. ("lines", "m1"), a sentence that goes above that entry
    """
    data = _plain(system)
    data.setdefault("ropewalk", system.ropewalk)
    ordered = {"ropewalk": data.pop("ropewalk"), **data}
    return "\n".join(_block(ordered, 0, (), comments or {})) + "\n"


def save_case(system: System, path: str | os.PathLike[str]) -> None:
    """Write a case file; it appears whole or not at all."""
    from ropewalk.results.files import write_whole

    write_whole(arguments.path(path), write_case(system).encode("utf-8"))


def resolve(case_folder: str | os.PathLike[str], relative: str) -> Path:
    """The file that a case names, relative to its folder; InputError if it lies outside, links followed."""
    if not relative or not relative.isprintable():
        raise InputError(f"path {shown(relative)} is not a path; give one relative to the case file")
    windows = PureWindowsPath(relative)  # `C:x` and `\\host\x` are refused on every system
    if PurePosixPath(relative).is_absolute() or windows.drive or windows.root:
        raise InputError(f"path {shown(relative)} is absolute; give it relative to the case file")
    if ".." in windows.parts:
        raise InputError(f"path {shown(relative)} contains '..'; files of a case stay in its folder")
    try:
        folder = Path(case_folder).resolve()
        path = (folder / relative).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle
        raise InputError(f"path {shown(relative)} cannot be followed: {error}") from None
    if not path.is_relative_to(folder):
        raise InputError(f"path {shown(relative)} is a link that leaves the folder of the case")
    return path


# --- writing ---


def _plain(value: Any) -> Any:
    """Spec classes as plain data under the names of the file."""
    if isinstance(value, BaseModel):
        return {
            field.alias or name: _plain(_given(value, name))
            for name, field in type(value).model_fields.items()
            if _is_said(value, name)
        }
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


def _given(part: BaseModel, name: str) -> Any:
    return part.given_parts(name) if isinstance(part, Part) else getattr(part, name)


def _is_said(part: BaseModel, name: str) -> bool:
    """Whether a field must stand in the file: set by the user, unlike its default, or the tag of a union."""
    field = type(part).model_fields[name]
    value, default = _given(part, name), field.get_default(call_default_factory=True, validated_data={})
    if value is None and default is None and not field.is_required():
        return False
    is_tag = get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1
    return is_tag or name in part.model_fields_set or bool(value != default)


def _flow(value: Any, path: tuple[str | int, ...]) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(k, path)}: {_flow(v, (*path, k))}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(v, (*path, i)) for i, v in enumerate(value)) + "]"
    return _scalar(value, path)


def _values(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else ()


def _scalar(value: Any, path: tuple[str | int, ...]) -> str:
    try:
        return scalar_text(value)
    except ValueError as error:
        raise InputError(Problem(str(error), path=path_text(path))) from None


def _block(
    value: dict[str, Any] | list[Any],
    indent: int,
    path: tuple[str | int, ...],
    comments: Mapping[tuple[str, ...], str],
) -> Iterator[str]:
    """A mapping or list over several lines; what fits on a line stands on one."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in entries:
        if comment := comments.get((*map(str, path), str(key))):
            yield " " * indent + f"# {one_line(comment)}"
        head = " " * indent + (f"{_scalar(key, path)}:" if isinstance(value, dict) else "-")
        if len(head) > LONGEST_PLAIN_KEY:
            yield " " * indent + f"? {_scalar(key, path)}"
            head = " " * indent + ":"
        line = f"{head} {_flow(inner, (*path, key))}"
        is_long = len(line) > LINE_WIDTH or (not path and any(isinstance(i, dict) for i in _values(inner)))
        if is_long and isinstance(inner, dict | list) and inner:
            yield head
            yield from _block(inner, indent + INDENT, (*path, key), comments)
        else:
            yield line
