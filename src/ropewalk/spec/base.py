"""What every spec class has in common: frozen, unknown keys refused, `replace` that checks again."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

LARGEST = 1e100  # no quantity in SI units comes near; products and squares of it stay finite
STRICT = {"strict": True, "allow_inf_nan": False}  # neither true nor "12" is a number

Positive = Annotated[float, Field(gt=0.0, le=LARGEST, **STRICT)]
NotNegative = Annotated[float, Field(ge=0.0, le=LARGEST, **STRICT)]
Finite = Annotated[float, Field(ge=-LARGEST, le=LARGEST, **STRICT)]
Vector = tuple[Finite, Finite, Finite]
Matrix6 = Annotated[
    tuple[tuple[Finite, Finite, Finite, Finite, Finite, Finite], ...], Field(min_length=6, max_length=6)
]

SMALLEST_DIRECTION = 1e-12  # length below which a vector cannot give a direction


def _not_zero(vector: Vector) -> Vector:
    if sum(component * component for component in vector) < SMALLEST_DIRECTION**2:
        raise ValueError("a direction needs a length; all its components are zero")
    return vector


Direction = Annotated[Vector, AfterValidator(_not_zero)]


class Part(BaseModel):
    """A frozen piece of a case. Unknown keys are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    def replace(self, **changes: Any) -> Self:
        """The same with some fields changed, checked again from the start."""
        data = {name: getattr(self, name) for name in self.model_fields_set}
        data.update(changes)
        return type(self)(**data)
