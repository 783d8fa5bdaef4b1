"""Cross-sections of lines: sizes, mass, axial law, hydrodynamic coefficients, catalogue."""

from __future__ import annotations

import math
from difflib import get_close_matches
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, ModelWrapValidatorHandler, field_serializer, field_validator, model_validator

from ropewalk.errors import InputError
from ropewalk.spec.along import Along, FileAlong, with_short_forms
from ropewalk.spec.base import Finite, NotNegative, Part, Positive, zero_as_mapping
from ropewalk.spec.catalogue import CATALOGUE, CatalogueEntry
from ropewalk.spec.drag import Drag
from ropewalk.spec.from_file import FromFile
from ropewalk.spec.ropes import RopeLaw, SyropeLaw, ViscoelasticLaw


class AddedMass(Part):
    """Added mass as multiples of the displaced mass."""

    normal: NotNegative = 0.0
    tangential: NotNegative = 0.0


class Lift(Part):
    """Cross-flow lift of vortices shed by the line, by the synchronisation model."""

    coefficient: Positive
    """Lift coefficient, based on the drag diameter"""
    centre: Positive = 0.18
    """Non-dimensional frequency, f d / U, at which the lift drives the motion best"""
    width: NotNegative = 0.08
    """Range about it in which the lift can lock on to a motion"""

    @model_validator(mode="after")
    def _positive_frequencies(self) -> Lift:
        if self.width >= self.centre:
            raise ValueError(f"width {self.width:g} must be smaller than centre {self.centre:g}")
        return self


class TableLaw(Part):
    """Tension against strain, linear between the entries and beyond the last."""

    kind: Literal["table"]
    strain: Annotated[tuple[Finite, ...], Field(min_length=2)]
    tension: Annotated[tuple[Finite, ...], Field(min_length=2)]
    """N"""
    source: str | None = None
    """The file that the table was read from; not read again."""

    @model_validator(mode="after")
    def _rising_from_zero(self) -> TableLaw:
        if len(self.strain) != len(self.tension):
            raise ValueError(f"{len(self.strain)} strains but {len(self.tension)} tensions")
        for name, values in (("strain", self.strain), ("tension", self.tension)):
            if any(b <= a for a, b in pairwise(values)):
                raise ValueError(f"{name} must increase from entry to entry")
        if (0.0 in self.strain) != (0.0 in self.tension) or (
            0.0 in self.strain and self.strain.index(0.0) != self.tension.index(0.0)
        ):
            raise ValueError("the tension at zero strain must be zero")
        if not self.strain[0] <= 0.0 <= self.strain[-1]:
            raise ValueError("the table must contain strain 0")
        return self


class PolynomialLaw(Part):
    """T = stiffness (e + k2 e^2 + k3 e^3 + ...)."""

    kind: Literal["polynomial"]
    stiffness: Positive
    """EA at zero strain, N"""
    coefficients: Annotated[tuple[Finite, ...], Field(min_length=1, max_length=8)]
    """k2, k3, ..."""


DEFAULT_DRAG = Drag(normal=1.2, tangential=0.008)
"""Of a circular cylinder: across, 1.2 below the drag crisis, [Hoerner1965], ch. 3; along, skin friction."""
DEFAULT_ADDED_MASS = AddedMass(normal=1.0)
"""Of a circular cylinder in potential flow: [Lamb1932], art. 68."""


class FileLaw(FromFile):
    """A table of tension against strain in a CSV file beside the case: columns strain, tension."""

    kind: Literal["file"]
    file: str
    """Path relative to the case file."""


Law = Annotated[TableLaw | PolynomialLaw | FileLaw | ViscoelasticLaw | SyropeLaw, Field(discriminator="kind")]
INEXTENSIBLE = "inextensible"
LARGEST_DIAMETER = 100.0  # m, of a catalogue section: far beyond any rope


class Section(Part):
    """A cross-section, defined by its properties or taken from the catalogue.

    With `catalogue` and `diameter` (and `grade` for chain) every other field has a published value;
    values given explicitly take precedence.
    """

    catalogue: str | None = None
    """Name of a catalogue family, e.g. studless_chain."""
    grade: str | None = None
    """Steel grade of a chain: R3, R3S, R4, R4S, R5."""
    diameter: Positive
    """Nominal diameter, m; drag acts on it unless `drag_diameter` is given."""
    mass: NotNegative | None = None
    """Mass in air, kg/m."""
    axial_stiffness: Positive | Literal["inextensible"] | Law | None = None
    """EA, N; or the word inextensible (or .inf); or a law."""
    volume_diameter: NotNegative | None = None
    """Diameter of the circle with the displaced area, m; the nominal diameter unless given."""
    contact_diameter: NotNegative = 0.0
    """m; the axis of a line on the seabed is half of it above the bed."""
    drag_diameter: Positive | None = None
    drag: Drag = DEFAULT_DRAG
    """By default normal 1.2 and tangential 0.008, those of a circular cylinder; 0 for none. Coefficients that a mapping
    omits are 0."""
    added_mass: AddedMass = DEFAULT_ADDED_MASS
    """By default normal 1.0, that of a circular cylinder; 0 for none. Coefficients that a mapping omits are 0."""
    lift: Lift | None = None
    """Vortex-induced lift across the flow; none unless given."""
    damping: NotNegative = 0.0
    """Internal (Kelvin-Voigt) damping time, s: the axial law is evaluated at strain + damping x strain rate."""
    compression: bool = False
    """True if the section carries compression."""
    breaking_load: Positive | None = None
    """Minimum breaking load, N."""
    along: Along | FileAlong | None = None
    """Properties that vary along the piece, as a table. A single property can also be given as {s: [...], value: [...]}
    under its own key; properties in the table need not be given elsewhere."""

    @field_validator("drag", "added_mass", mode="before")
    @classmethod
    def _zero_is_none(cls, value: Any) -> Any:
        return zero_as_mapping(value)

    @field_validator("axial_stiffness", mode="before")
    @classmethod
    def _infinite_is_inextensible(cls, value: Any) -> Any:
        return INEXTENSIBLE if isinstance(value, float) and value == math.inf else value

    @field_serializer("axial_stiffness", when_used="json")
    def _law_as_data(self, value: Any) -> Any:
        return value.model_dump(mode="json", exclude_unset=True) if isinstance(value, Part) else value

    @model_validator(mode="before")
    @classmethod
    def _means_of_table(cls, data: Any) -> Any:
        """What varies along s gets its mean, which methods start from."""
        if not isinstance(data, dict):
            return data
        data = with_short_forms(data)
        along = data.get("along")
        if along is None or (isinstance(along, dict) and along.get("kind") == "file"):
            return data
        try:
            table = along if isinstance(along, Along) else Along.model_validate(along)
        except InputError:  # the check of the field itself reports the error and its position
            return data
        means = {
            name: table.mean(name)
            for name in ("diameter", "mass", "axial_stiffness")
            if name not in data and (table.stiffness if name == "axial_stiffness" else getattr(table, name)) is not None
        }
        return {**data, **means}

    @model_validator(mode="wrap")
    @classmethod
    def _from_catalogue(cls, data: Any, handler: ModelWrapValidatorHandler[Section]) -> Section:
        if not isinstance(data, dict) or data.get("catalogue") is None:
            return handler(data)
        entry = _family(data["catalogue"])
        diameter = data.get("diameter")
        if not isinstance(diameter, int | float) or isinstance(diameter, bool) or not 0 < diameter < LARGEST_DIAMETER:
            return handler(data)  # the check of the field itself reports the error
        section = handler({**entry.section(float(diameter), data.get("grade")), **data})
        # only what was said counts as set, so that `replace(diameter=...)` looks the rest up again
        object.__setattr__(section, "__pydantic_fields_set__", set(data))
        return section

    @model_validator(mode="after")
    def _complete(self) -> Section:
        if self.catalogue is None and self.grade is not None:
            raise ValueError("grade belongs to a catalogue section; give catalogue too")
        missing = [name for name in ("mass", "axial_stiffness") if getattr(self, name) is None]
        if missing:
            raise ValueError(
                f"{' and '.join(missing)} missing; give {'them' if len(missing) > 1 else 'it'} or a catalogue"
            )
        return self

    @model_validator(mode="after")
    def _ropes_have_their_own(self) -> Section:
        if not isinstance(self.axial_stiffness, RopeLaw):
            return self
        if self.damping > 0.0:
            raise ValueError("damping cannot be combined with a rope law; give the law its dynamic_viscosity, in N s")
        if self.compression:
            raise ValueError("a rope with memory carries no compression; leave compression out")
        return self

    @property
    def displaced_area(self) -> float:
        """Displaced volume per metre, m2."""
        d = self.diameter if self.volume_diameter is None else self.volume_diameter
        return 0.25 * math.pi * d * d


def _family(name: Any) -> CatalogueEntry:
    if isinstance(name, str) and name in CATALOGUE:
        return CATALOGUE[name]
    near = get_close_matches(str(name), CATALOGUE, 1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    raise ValueError(f"no catalogue section '{str(name)[:40]}'{hint} Available: {', '.join(CATALOGUE)}.")
