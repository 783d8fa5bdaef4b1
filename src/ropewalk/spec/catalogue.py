"""Published properties of chain, wire and fibre rope against nominal diameter, each with its source."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

CHAIN_GRADES = {"R3": 0.0223, "R3S": 0.0249, "R4": 0.0274, "R4S": 0.0304, "R5": 0.0320}
"""Factor c of the breaking load c d^2 (44 - 0.08 d) kN, d in mm [IACS_W22, table of break loads]."""

DEFAULT_GRADE = "R4"


@dataclass(frozen=True)
class CatalogueEntry:
    """A family of sections; every coefficient multiplies a power of the nominal diameter d in m."""

    source: str  # key in docs/references.bib and where in it
    mass: float  # kg/m per d^2
    volume_diameter: float  # per d
    drag: dict[str, Any]
    added_mass: dict[str, float]
    axial_stiffness: float | None = None  # N per d^2
    stiffness_per_breaking_load: float | None = None  # EA over breaking load, quasi-static
    contact_diameter: float = 1.0  # per d
    breaking_load: tuple[float, float] = (0.0, 0.0)  # N per d^2 and per d^3
    grades: dict[str, float] = field(default_factory=dict)

    def section(self, diameter: float, grade: object) -> dict[str, Any]:
        """Fields of a `Section` of this family."""
        breaking_load = self._breaking_load(diameter, grade)
        stiffness = (
            self.axial_stiffness * diameter**2
            if self.axial_stiffness is not None
            else (self.stiffness_per_breaking_load or 0.0) * breaking_load
        )
        return {
            "mass": self.mass * diameter**2,
            "axial_stiffness": stiffness,
            "volume_diameter": self.volume_diameter * diameter,
            "contact_diameter": self.contact_diameter * diameter,
            "drag": self.drag,
            "added_mass": self.added_mass,
            "breaking_load": breaking_load,
        }

    def _breaking_load(self, diameter: float, grade: object) -> float:
        if not self.grades:
            if grade is not None:
                raise ValueError(f"grade '{grade}': this family has no grades; leave grade out")
            square, cube = self.breaking_load
            return square * diameter**2 + cube * diameter**3
        factor = self.grades.get(DEFAULT_GRADE if grade is None else str(grade))
        if factor is None:
            raise ValueError(f"no chain grade '{grade}'. Available: {', '.join(self.grades)}")
        millimetres = 1.0e3 * diameter
        load = 1.0e3 * factor * millimetres**2 * (44.0 - 0.08 * millimetres)
        if load <= 0.0:
            raise ValueError(f"diameter {diameter} m: the chain formula ends at 0.55 m; is the diameter in metres?")
        return load


def _rope_volume(mass: float, density: float) -> float:
    """Volume diameter per nominal diameter of a rope of `mass` d^2 kg/m and fibre `density` kg/m3."""
    return math.sqrt(4.0 * mass / (math.pi * density))


_FIBRE: dict[str, Any] = {
    "drag": {"normal": 1.6, "tangential": 0.05},
    "added_mass": {"normal": 1.0, "tangential": 0.0},
}
_FIBRE_SOURCE = "MoorProps: mass, breaking load and quasi-static stiffness; DNV_OS_E301: normal drag of fibre rope"

CATALOGUE: dict[str, CatalogueEntry] = {
    "studless_chain": CatalogueEntry(
        source="OrcaFlexChain: table for studless chain; IACS_W22: breaking load",
        mass=19.9e3,
        axial_stiffness=0.854e11,
        volume_diameter=1.80,
        contact_diameter=3.35,
        drag={"normal": 2.4, "tangential": 1.15, "tangential_reference": "diameter"},
        added_mass={"normal": 1.0, "tangential": 0.5},
        grades=CHAIN_GRADES,
    ),
    "stud_chain": CatalogueEntry(
        source="OrcaFlexChain: table for studlink chain; IACS_W22: breaking load",
        mass=21.9e3,
        axial_stiffness=1.01e11,
        volume_diameter=1.89,
        contact_diameter=3.6,
        drag={"normal": 2.6, "tangential": 1.4, "tangential_reference": "diameter"},
        added_mass={"normal": 1.0, "tangential": 0.5},
        grades=CHAIN_GRADES,
    ),
    "wire": CatalogueEntry(
        source="OrcaFlexRope: 6x19 wire with wire core; DNV_OS_E301: drag of six-strand rope",
        mass=3989.7,
        axial_stiffness=4.04e10,
        volume_diameter=0.80,
        drag={"normal": 1.8, "tangential": 0.05},
        added_mass={"normal": 1.0, "tangential": 0.0},
        breaking_load=(6.33358e8, 0.0),
    ),
    "polyester": CatalogueEntry(
        source=_FIBRE_SOURCE,
        mass=678.75,
        stiffness_per_breaking_load=14.0,
        volume_diameter=_rope_volume(678.75, 1380.0),
        breaking_load=(308.2e6, 0.0),
        **_FIBRE,
    ),
    "nylon": CatalogueEntry(
        source=_FIBRE_SOURCE,
        mass=585.15,
        stiffness_per_breaking_load=5.0,
        volume_diameter=_rope_volume(585.15, 1140.0),
        breaking_load=(207.0e6, 230.29e6),
        **_FIBRE,
    ),
    "hmpe": CatalogueEntry(
        source=_FIBRE_SOURCE,
        mass=495.72,
        stiffness_per_breaking_load=56.54,
        volume_diameter=_rope_volume(495.72, 975.0),
        breaking_load=(579.5e6, 650.65e6),
        **_FIBRE,
    ),
}
