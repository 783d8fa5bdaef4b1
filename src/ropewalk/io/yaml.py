"""YAML 1.2 text to plain dict, list and scalars, with the place of every key and value.

Only PyYAML's event stream is used. Composing and the meaning of scalars are ours, because PyYAML follows
YAML 1.1 (3.27e9 is text, `no` is false), takes the last of two equal keys, and expands aliases without bound.
Scalars follow the core schema: YAML 1.2.2, section 10.3.2.

Not accepted: tags, anchors, aliases, merge keys, keys given twice, keys that are not text, more than one document,
control characters, anything but UTF-8, and whatever exceeds the limits below. Mistakes that leave the structure
readable are collected, so that one reading reports them all.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import yaml
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from ropewalk.errors import InputError, Problem
from ropewalk.io.locations import Step
from ropewalk.io.messages import MAX_PROBLEMS, one_line, path_text, shortened, shown
from ropewalk.io.scalars import NOT_IN_FILE, NOT_IN_VALUE, resolve_plain

try:
    from yaml._yaml import CParser as _FastParser
except ImportError:  # PyYAML built without libyaml
    _FastParser = None  # type: ignore[assignment,misc]

MAX_BYTES = 10_000_000  # of a file; long tables belong in files of their own
MAX_DEPTH = 50  # nested mappings and sequences; a case needs about ten
MAX_NODES = 500_000  # keys, values and containers; 0.5 kB each, and 2 kB where each is wrong, so at most 1 GB

HDF5 = b"\x89HDF\r\n\x1a\n"  # first bytes of a NetCDF-4 file

Mark: TypeAlias = tuple[int, int]  # line and column, both from 1

_LINE_END = re.compile("\r\n|\r|\n")


class _PlainParser(Reader, Scanner, Parser):
    """PyYAML's own parser: slower than libyaml, used where that is not there."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)


class Positions:
    """Line and column of every key and value, looked up by path, e.g. ("lines", "m1", "pieces", 0, "length")."""

    def __init__(self, root: dict[str, Any], start: Mark) -> None:
        self._root = root
        self._start = start
        # by identity of the container, which `_root` keeps alive: step -> (mark of key, mark of value)
        self._marks: dict[int, dict[Step, tuple[Mark, Mark]]] = {}

    def _put(self, container: object, step: Step, key: Mark, value: Mark) -> None:
        self._marks.setdefault(id(container), {})[step] = (key, value)

    def _find(self, path: Sequence[Step]) -> tuple[Mark, Mark] | None:
        node: Any = self._root
        marks = (self._start, self._start)
        for step in path:
            found = self._marks.get(id(node), {}).get(step)
            if found is None:
                return None
            marks = found
            node = node[step]
        return marks

    def key(self, path: Sequence[Step]) -> Mark | None:
        """Where the key at the end of the path stands; for a list entry, where the entry starts."""
        found = self._find(path)
        return None if found is None else found[0]

    def value(self, path: Sequence[Step]) -> Mark | None:
        """Where the value at the end of the path starts."""
        found = self._find(path)
        return None if found is None else found[1]

    def nearest(self, path: Sequence[Step]) -> Mark:
        """Where the key at the end of the path stands, or the nearest part around it that is in the file."""
        for length in range(len(path), 0, -1):
            mark = self.key(path[:length])
            if mark is not None:
                return mark
        return self._start


@dataclass(frozen=True)
class Document:
    """A file as read: plain data, the place of each piece, and the name to use in messages."""

    data: dict[str, Any]
    positions: Positions
    name: str


def load_file(path: Path, *, any_keys: bool = False) -> Document:
    """Read a file; its size is looked at before its content. `any_keys` takes keys such as 1 as text."""
    name = one_line(str(path))
    try:
        if not path.exists():
            raise InputError(Problem("no such file", name))
        if not path.is_file():
            raise InputError(Problem("is not a file", name))
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise InputError(Problem(_too_big(size), name))
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(Problem(f"cannot be read: {reason}", name)) from None
    return load_bytes(data, name, any_keys=any_keys)


def load_bytes(data: bytes, name: str, *, any_keys: bool = False) -> Document:
    """Read the bytes of a file: UTF-8, with or without a byte order mark."""
    if len(data) > MAX_BYTES:
        raise InputError(Problem(_too_big(len(data)), file=name))
    for bom in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if data.startswith(bom):
            raise InputError(Problem("the file is UTF-16 or UTF-32; save it as UTF-8", name, 1, 1))
    if data.startswith(HDF5):
        raise InputError(
            Problem("the file is a result, not a case; open it with 'ropewalk plot' or 'ropewalk view'", name)
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _mark_at(data[: error.start].decode("utf-8"))
        message = f"byte 0x{data[error.start]:02x} is not valid UTF-8; save the file as UTF-8"
        raise InputError(Problem(message, name, line, column)) from None
    return load_text(text, name, any_keys=any_keys)


def load_text(text: str, name: str, *, fast: bool = True, any_keys: bool = False) -> Document:
    """Read YAML text. `fast` uses libyaml where PyYAML has it."""
    if len(text) > MAX_BYTES:
        raise InputError(Problem(_too_big(len(text)), file=name))
    text = text.removeprefix("\ufeff")
    bad = NOT_IN_FILE.search(text)
    if bad:
        line, column = _mark_at(text[: bad.start()])
        message = f"character U+{ord(bad.group()):04X} is not allowed in a case file; remove it"
        raise InputError(Problem(message, name, line, column))
    return _Composer(text, name, fast, any_keys).compose()


def _too_big(size: int) -> str:
    return f"the file is {size / 1e6:.1f} MB; the limit is {MAX_BYTES / 1e6:.0f} MB"


def _mark_at(before: str) -> Mark:
    """Line and column of the character after this text."""
    ends = [match.end() for match in _LINE_END.finditer(before)]
    return len(ends) + 1, len(before) - (ends[-1] if ends else 0) + 1


class _Frame:
    """A container being filled."""

    __slots__ = ("container", "key", "key_mark", "keys", "open")

    def __init__(self, container: dict[str, Any] | list[Any]) -> None:
        self.container = container
        self.key = ""  # of a mapping: the latest key
        self.key_mark: Mark = (1, 1)
        self.keys: dict[str, int] = {}  # line of each key so far
        self.open = False  # of a mapping: a key stands without its value

    def step(self, inner: bool) -> Step:
        """What leads to the entry being read, or with `inner` to the container that was attached last."""
        return len(self.container) - inner if isinstance(self.container, list) else self.key


class _Composer:
    """Events to data, with a stack of its own instead of recursion."""

    def __init__(self, text: str, name: str, fast: bool, any_keys: bool) -> None:
        self.name = name
        self.any_keys = any_keys
        self.lines = text.count("\n") + 1
        self.problems: list[Problem] = []
        self.left_off = 0
        self.stack: list[_Frame] = []
        self.root: Any = None
        self.positions = Positions({}, (1, 1))
        self.nodes = 0
        self.parser: Any = _FastParser(text) if fast and _FastParser is not None else _PlainParser(text)

    def compose(self) -> Document:
        documents = 0
        for event in self._events():
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._stop("a second document starts here; a case is one document", _mark(event))
                if event.tags:
                    self._say("%TAG is not allowed; a case is plain data", _mark(event))
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                self.stack.pop()
            elif isinstance(event, yaml.NodeEvent):
                self._node(event)
        if documents == 0 or (self.root is None and not self.problems):
            self._stop("the file is empty; a case starts with `ropewalk: 1`", (1, 1))
        if self.problems:
            self._fail()
        return Document(self.root, self.positions, self.name)

    def _events(self) -> Iterator[yaml.Event]:
        try:
            while True:
                event = self.parser.get_event()
                if event is None or isinstance(event, yaml.StreamEndEvent):
                    return
                yield event
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self._stop(_syntax_sentence(error, self.lines), (1, 1) if mark is None else self._inside(mark))
        except (yaml.YAMLError, ValueError, OverflowError):
            # PyYAML's own parser lets these out: an escape such as "\\U00110000", a version of thousands of digits
            self._stop("not valid YAML: an escape or a version number is out of range", (1, 1))

    def _inside(self, mark: yaml.Mark) -> Mark:
        """The parser reports the end of the text as a line of its own."""
        return min(mark.line + 1, self.lines), mark.column + 1

    def _node(self, event: yaml.NodeEvent) -> None:
        self.nodes += 1
        mark = _mark(event)
        if self.nodes > MAX_NODES:
            self._stop(f"more than {MAX_NODES} values; put long tables in files of their own", mark)
        if isinstance(event, yaml.AliasEvent):
            self._say(f"alias *{shortened(event.anchor or '')} is not allowed; write the value out", mark)
            self._scalar(None, "", mark)
            return
        if event.anchor is not None:
            self._say(
                f"anchor &{shortened(event.anchor or '')} is not allowed; write the value out where it is used", mark
            )
        if event.tag is not None:  # type: ignore[attr-defined]
            self._say("tags (!...) are not allowed; a case is plain data", mark)
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(*self._value(event, mark), mark)
            return
        frame = self.stack[-1] if self.stack else None
        if frame is not None and isinstance(frame.container, dict) and not frame.open:
            self._stop("a key must be text, not a mapping or a list; look for braces without quotes", mark)
        container: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        if frame is None:
            if isinstance(container, list):
                self._stop("the file is a list; a case is a mapping of keys such as `lines:`", mark)
            self.root = container
            self.positions = Positions(container, mark)
        else:
            self._attach(frame, container, mark)
        self.stack.append(_Frame(container))
        if len(self.stack) > MAX_DEPTH:
            self._stop(f"nested deeper than {MAX_DEPTH} levels", mark)

    def _value(self, event: yaml.ScalarEvent, mark: Mark) -> tuple[Any, str]:
        """The value of a scalar, and its text."""
        text: str = event.value
        bad = NOT_IN_VALUE.search(text)
        if bad:
            self._say(f"{shown(text)} contains the character U+{ord(bad.group()):04X}, which is not allowed", mark)
        if event.style:  # quoted or block
            return text, text
        try:
            return resolve_plain(text), text
        except ValueError as error:
            self._say(str(error), mark)
            return None, text

    def _scalar(self, value: Any, text: str, mark: Mark) -> None:
        if not self.stack:
            if value is not None:
                self._stop(f"the file is only {shown(value)}; a case is a mapping of keys such as `lines:`", mark)
            return
        frame = self.stack[-1]
        if isinstance(frame.container, list) or frame.open:
            self._attach(frame, value, mark)
            return
        if self.any_keys and value is not None:
            value = text
        if not isinstance(value, str):
            hint = "; a number takes a decimal point, not a comma" if isinstance(value, int | float) else ""
            self._say(f"key {shortened(text) or '(empty)'} is not text; put a name in quotes{hint}", mark, add=text)
        elif text == "<<":
            self._say("merge keys << are not allowed; write the values out", mark)
        if text in frame.keys and not self.any_keys:
            self._say(f"key given twice, first on line {frame.keys[text]}; keep one", mark, add=text)
        frame.keys.setdefault(text, mark[0])
        frame.key, frame.key_mark, frame.open = text, mark, True

    def _attach(self, frame: _Frame, value: Any, mark: Mark) -> None:
        if isinstance(frame.container, list):
            self.positions._put(frame.container, len(frame.container), mark, mark)
            frame.container.append(value)
        else:
            if self.any_keys and frame.key in frame.container and frame.container[frame.key] != value:
                first = frame.keys[frame.key]  # twice the same is harmless in files of other programs
                self._say(f"key given twice, first on line {first}, with another value; keep one", frame.key_mark)
            self.positions._put(frame.container, frame.key, frame.key_mark, mark)
            frame.container[frame.key] = value
            frame.open = False

    def _path(self) -> tuple[Step, ...]:
        """Of the value being read, or of the mapping whose key is being read."""
        outer = [frame.step(inner=True) for frame in self.stack[:-1]]
        if not self.stack or (isinstance(self.stack[-1].container, dict) and not self.stack[-1].open):
            return tuple(outer)
        return (*outer, self.stack[-1].step(inner=False))

    def _say(self, message: str, mark: Mark, add: str | None = None) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            self.left_off += 1
            return
        path = self._path() if add is None else (*self._path(), add)
        self.problems.append(Problem(message, self.name, mark[0], mark[1], path_text(path)))

    def _stop(self, message: str, mark: Mark) -> NoReturn:
        self.problems.append(Problem(message, self.name, mark[0], mark[1], ""))
        self._fail()

    def _fail(self) -> NoReturn:
        more = [Problem(f"(+{self.left_off} more)", self.name)] if self.left_off else []
        raise InputError([*self.problems, *more])


def _mark(event: yaml.Event) -> Mark:
    mark = event.start_mark
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


_SENTENCES = (  # a part of the parser's message, and the sentence in its place; the first that fits
    ("cannot start any token", "a tab, %, @ or ` cannot start a value; indent by spaces, put text in quotes"),
    ("mapping values are not allowed", "a ':' is not expected here; check the indentation, or put the text in quotes"),
    ("expected ':'", "a key without its ':'; check the indentation and the quotes around here"),
    ("expected <block end>", "the indentation does not fit the lines above"),
    ("expected '-' indicator", "the indentation does not fit the lines above"),
    ("expected key", "the indentation does not fit the lines above"),
    ("expected ',' or '}'", "a mapping in braces lacks a ',' or its closing '}'"),
    ("expected ',' or ']'", "a list in brackets lacks a ',' or its closing ']'"),
    ("unexpected end of stream", "quotes are opened but not closed"),
    ("unexpected document indicator", "quotes are opened but not closed"),
    ("sequence entries are not allowed", "a '-' is not expected here; put the list on lines of its own"),
    ("<document start>", "the text continues after the end of the case; check the indentation"),
    ("node content", "a value is expected here, not this character; put text in quotes"),
    ("unknown escape character", "a backslash in double quotes starts an escape; use single quotes"),
    ("expected escape sequence", "an escape in double quotes is not complete; use single quotes"),
    ("expected hexdecimal", "an escape in double quotes is not complete; use single quotes"),
    ("undefined tag handle", "tags (!...) are not allowed; a case is plain data"),
    ("ndentation indicator", "the digit after | or > is wrong; leave it out"),
    ("ntendation indicator", "the digit after | or > is wrong; leave it out"),  # the parser spells it so
)


def _syntax_sentence(error: yaml.MarkedYAMLError, last_line: int) -> str:
    """What the parser found, in one sentence."""
    said = error.problem or error.context or "not readable"
    sentence = next((ours for part, ours in _SENTENCES if part in said), None)
    if sentence is None:
        sentence = one_line(f"{said} {error.context}" if error.context and error.problem else said)
    start, end = error.context_mark, error.problem_mark
    is_above = start is not None and end is not None and start.line + 1 < min(end.line + 1, last_line)
    return f"not valid YAML: {sentence}" + (f" (it starts on line {start.line + 1})" if start and is_above else "")
