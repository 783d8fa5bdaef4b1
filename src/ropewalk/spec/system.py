"""System: all parts by name, checked against each other."""

from __future__ import annotations

import re
from difflib import get_close_matches
from os import PathLike
from typing import Any, Literal, TypeAlias

from pydantic import (
    ConfigDict,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from ropewalk.errors import InputError
from ropewalk.spec.base import Part
from ropewalk.spec.bodies import Body
from ropewalk.spec.cases import Record, Run, Statics
from ropewalk.spec.collars import Collar, collar_parts
from ropewalk.spec.environment import Environment
from ropewalk.spec.hulls import keep_unset
from ropewalk.spec.lines import Line, Point
from ropewalk.spec.links import BallLink, Link
from ropewalk.spec.nets import Net
from ropewalk.spec.rods import Rod
from ropewalk.spec.sections import Section
from ropewalk.spec.shown import Shown

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_ \-]{0,99}")
MOST_HINTS = 20  # spellings looked up for dangling references; a file full of them must not take minutes


Source: TypeAlias = "System | str | PathLike[str]"  # what every question takes: a System, or the path of a case file


class System(Part, Shown):
    """A whole case. `System.from_file` reads one; `replace` makes a checked variation.

    >>> import ropewalk as rw
    >>> system = rw.System.from_file("mooring.yaml")
    >>> longer = system.replace("lines.west.pieces.0.length", 430)
    >>> system.lines["west"].length, longer.lines["west"].length
    (425.0, 430.0)
    >>> longer.to_file("longer.yaml")

    `plot()` and `view()` show it at rest; a notebook shows its card.

    In code it is built of the same parts as a file, as mappings or as the classes of `ropewalk.spec`:

    >>> rw.System(points={"anchor": {"position": (0, 0, -100)}}).points["anchor"].joint
    'fixed'
    """

    model_config = ConfigDict(title="ropewalk case file")

    ropewalk: Literal[1] = 1
    """Version of the file format."""
    title: str = ""
    environment: Environment = Environment()
    sections: dict[str, Section] = {}
    points: dict[str, Point] = {}
    bodies: dict[str, Body] = {}
    lines: dict[str, Line] = {}
    links: dict[str, Link] = {}
    nets: dict[str, Net] = {}
    collars: dict[str, Collar] = {}
    rods: dict[str, Rod] = {}
    statics: Statics = Statics()
    run: Run | None = None
    record: Record = Field(default_factory=Record)
    _made: dict[str, frozenset[str]] = PrivateAttr(default_factory=dict)  # names of what collars are made of

    def __repr__(self) -> str:
        return f"<System {self.title!r}: {counted(self)}>"

    __str__ = __repr__

    def __dir__(self) -> list[str]:
        """Names of a case, without those of the validation library."""
        own = ("from_file", "of", "plot", "replace", "to_file", "view")
        return sorted([*type(self).model_fields, *own, "__class__", "__doc__"])

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> System:
        """Read and check a case file; raises InputError with every error found."""
        from importlib import import_module  # readers stand above the spec, so they are looked up when used

        return import_module("ropewalk.io.native").read_case(path)  # type: ignore[no-any-return]

    @classmethod
    def of(cls, source: Source) -> System:
        """The system itself, or that of a case file."""
        if isinstance(source, System):
            return source
        if isinstance(source, str | PathLike):
            return cls.from_file(source)
        raise InputError(f"a System or the path of a case file is needed, not {type(source).__name__}")

    def to_file(self, path: str | PathLike[str]) -> None:
        """Write a case file, which reads back to an equal System; defaults that were not set are left out."""
        from importlib import import_module

        import_module("ropewalk.io.native").save_case(self, path)

    @field_validator("sections", "points", "bodies", "lines", "links", "nets", "collars", "rods")
    @classmethod
    def _names(cls, parts: dict[str, Any]) -> dict[str, Any]:
        for name in parts:
            if not NAME.fullmatch(name):
                raise ValueError(f"name '{name[:120]}': up to 100 letters, digits, spaces, - and _, a letter first")
        return parts

    @model_validator(mode="after")
    def _spell_out_collars(self) -> System:
        """Bodies and links of the collars stand among those of the case; files and JSON leave them out."""
        made: dict[str, dict[str, Any]] = {"bodies": {}, "links": {}}
        for name, collar in self.collars.items():
            where = f"collar '{name}'"
            if name in self.points or name in self.bodies or name in self.rods:
                raise ValueError(f"{where}: a point, body or rod has this name too; collars need names of their own")
            for point in collar.points:
                if point not in self.points:
                    raise ValueError(f"{where}: {_unknown('point', point, list(self.points), hint=True)}")
                if (off := collar.strays(collar.nearest(self.points[point].position)[1])) > 0.0:
                    raise ValueError(f"{where}: point '{point}' is {off:.3g} m too far from the ring; move it there")
            places = {point: self.points[point].position for point in collar.points}
            bodies, links = collar_parts(name, collar, places)
            made["bodies"] |= bodies
            made["links"] |= links
        for kind, parts in made.items():
            given = getattr(self, kind)
            if taken := sorted(set(parts) & set(given)):
                raise ValueError(f"{kind}: the name '{taken[0]}' is that of a part of a collar; choose another")
            if parts:
                keep_unset(self, kind, given | parts)
        self._made = {kind: frozenset(parts) for kind, parts in made.items() if parts}
        return self

    @model_serializer(mode="wrap")
    def _as_given(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for kind in set(self._made) & set(data):
            data[kind] = {name: part for name, part in data[kind].items() if name not in self._made[kind]}
        return data

    def given_parts(self, kind: str) -> Any:
        """A field of the case without what collars made."""
        value, made = getattr(self, kind), self._made.get(kind, ())
        return {name: part for name, part in value.items() if name not in made} if made else value

    @model_validator(mode="after")
    def _references(self) -> System:
        problems: list[InitErrorDetails] = []

        def wrong(where: tuple[str | int, ...], value: object, text: str) -> None:
            kind = PydanticCustomError("reference", "{text}", {"text": text})
            problems.append(InitErrorDetails(type=kind, loc=where, input=value))

        def refer(where: tuple[str | int, ...], kind: str, name: str, known: dict[str, None]) -> None:
            if name not in known:
                wrong(where, name, _unknown(kind, name, list(known), hint=len(problems) < MOST_HINTS))

        holders: tuple[dict[str, Body] | dict[str, Rod], ...] = (self.bodies, self.rods)
        attachments = (f"{name}.{a}" for parts in holders for name, part in parts.items() for a in part.attachments)
        ends = dict.fromkeys([*self.points, *attachments])
        grips = dict.fromkeys(
            [*self.points, *(f"{n}.{a}" for n, body in self.bodies.items() for a in body.attachments)]
        )
        sections = dict.fromkeys(self.sections)
        for name, line in self.lines.items():
            refer(("lines", name, "from"), "point or attachment", line.from_, ends)
            refer(("lines", name, "to"), "point or attachment", line.to, ends)
            for i, peg in enumerate(line.over):
                refer(("lines", name, "over", i), "point or attachment", peg, ends)
                if peg.partition(".")[0] in self.rods:
                    wrong(("lines", name, "over", i), peg, f"a line cannot run over '{peg}' of a rod; give it a point")
            for i, piece in enumerate(line.pieces):
                refer(("lines", name, "pieces", i, "section"), "section", piece.section, sections)
        for name, net in self.nets.items():
            refer(("nets", name, "section"), "section", net.section, sections)
            if net.section in sections and (text := net.misfit(self.sections[net.section].diameter)):
                wrong(("nets", name), net.section, text)
            for corner, point in net.fastened.items():
                refer(("nets", name, "fastened", corner), "point or attachment", point, grips)
            for i, tie in enumerate(getattr(net.panel, "ties", ())):
                refer(("nets", name, "panel", "ties", i, "to"), "point or attachment", tie.to, grips)
            for edge, other in net.sewn.items():
                above = list(self.nets)[: list(self.nets).index(name)]
                sides = ("upper", "lower", "left", "right")
                edges: dict[str, Any] = dict.fromkeys(f"{key}.{side}" for key in above for side in sides)
                refer(("nets", name, "sewn", edge), "edge of a net above it", other, edges)
            rims = grips | dict.fromkeys(self.collars) if net.rim else grips
            for i, point in enumerate(net.rim):
                refer(("nets", name, "rim", i), "point, attachment or collar", point, rims)
        for name, link in self.links.items():
            for i, end in enumerate(link.between):
                refer(("links", name, "between", i), "point or attachment", end, grips)
            if all(end in grips for end in link.between) and (text := self._link_problem(link)):
                wrong(("links", name), link.between[1], text)
        start = None if self.run is None or isinstance(self.run.start, str) else self.run.start
        for kind, parts, known in (("line", "lines", self.lines), ("point", "points", self.points),
                                   ("body", "bodies", self.bodies)):  # fmt: skip
            for name in getattr(start, parts) if start is not None else ():
                refer(("run", "start", parts, name), kind, name, dict.fromkeys(known))
        for name in self.bodies:
            if name in self.points:
                wrong(("bodies", name), name, f"a point is named '{name}' too; points and bodies need different names")
        for name in self.rods:
            for kind, others in (("point", self.points), ("body", self.bodies)):
                if name in others:
                    wrong(("rods", name), name, f"a {kind} is named '{name}' too; rods need names of their own")
        if problems:
            raise ValidationError.from_exception_data("System", problems)
        return self

    def _link_problem(self, link: Link) -> str:
        """What a link cannot connect, in a sentence; empty if it can."""
        joints = [
            self.bodies[end.partition(".")[0]].joint if "." in end else self.points[end].joint for end in link.between
        ]
        if all(joint in ("fixed", "moving", "coupled") for joint in joints):
            return f"neither '{link.between[0]}' nor '{link.between[1]}' is free to move; leave the link out"
        is_stiff = isinstance(link, BallLink) and any(link.stiffnesses)
        freely = " without stiffness" if is_stiff else ""
        if (
            "." not in link.between[1]
            and (link.kind in ("rigid", "hinge") or is_stiff)
            and joints[1] not in ("fixed", "moving", "coupled")
        ):
            return f"point '{link.between[1]}' cannot turn; make the link a ball{freely} or the point fixed"
        return ""


def _unknown(kind: str, value: str, known: list[str], *, hint: bool) -> str:
    near = get_close_matches(value, known, 1) if hint else []
    guess = f"; did you mean '{near[0]}'?" if near else "."
    there = f" Available: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}." if known else ""
    return f"no {kind} '{value}'{guess}{there}"


def counted(system: System) -> str:
    """How many parts of each kind a case has, in words."""
    kinds = (("point", "points"), ("body", "bodies"), ("line", "lines"), ("link", "links"), ("net", "nets"),
             ("collar", "collars"),
             ("rod", "rods"))  # fmt: skip
    parts = [(len(getattr(system, several)), one, several) for one, several in kinds]
    return ", ".join(f"{n} {one if n == 1 else several}" for n, one, several in parts if n) or "empty"
