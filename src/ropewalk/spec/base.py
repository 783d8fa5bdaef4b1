"""What every spec class has in common: frozen, unknown keys refused, `replace` that checks again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ropewalk.errors import InputError
from ropewalk.spec.paths import NOT_GIVEN, as_plain, changed

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
        raise ValueError("a direction must not be zero, but all its components are 0")
    return vector


Direction = Annotated[Vector, AfterValidator(_not_zero)]


def zero_as_mapping(value: Any) -> Any:
    """The number 0 as a mapping that gives nothing: a set of coefficients that are all 0, on purpose."""
    return {} if isinstance(value, int | float) and not isinstance(value, bool) and value == 0 else value


class Part(BaseModel):
    """A frozen piece of a case. Unknown keys are refused; what is wrong raises InputError."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, allow_inf_nan=False, defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        """JSON Schema with the texts below the fields as descriptions.

        Pydantic can read them too, but does so at every import, which takes a tenth of the time of a short command.
        """
        schema = handler(core_schema)
        fields, texts = handler.resolve_ref_schema(schema).get("properties", {}), _texts(cls)
        for name, field in cls.model_fields.items():
            shown = fields.get(field.alias or name)
            if shown is not None and name in texts:
                shown["description"] = texts[name]
        return schema

    def __init__(self, /, *parts: Any, **data: Any) -> None:
        if parts:
            raise InputError(
                f"{type(self).__name__} accepts keyword arguments only, as in {type(self).__name__}(name=value)"
            )
        data = {name: as_plain(value) for name, value in data.items()}
        with _sentences(type(self), data):
            super().__init__(**data)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # parts inside parts do not pass through it

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """A checked part from plain data, as from a file; InputError with every error found."""
        with _sentences(cls, obj):
            return super().model_validate(obj, **options)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """The same from JSON."""
        with _sentences(cls, None):
            return super().model_validate_json(json_data, **options)

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
        except ValidationError:
            kind = type(self).__name__
            raise InputError(
                f"{kind}.{name} cannot be set: a {kind} does not change; replace({name}=...) gives another one"
            ) from None

    def given_parts(self, name: str) -> Any:
        """The value of a field as it was given."""
        return getattr(self, name)

    def replace(self, path: str | Mapping[str, Any] | None = None, value: Any = NOT_GIVEN, /, **changes: Any) -> Self:
        """The same with some values changed, checked again from the start.

        Fields by name, ``line.replace(elements=40)``; a value anywhere inside by its path,
        ``system.replace("lines.west.pieces.0.length", 455.0)``; or several at once,
        ``system.replace({"environment.depth": 80.0, "points.anchor.position.2": -80.0})``. A path is written as in
        messages: names and numbers of entries with dots between them, or ``pieces[0]``. The last step may be new:
        another name among the lines, a key that the part does not have yet. Raises InputError for a path that leads
        nowhere and for values that are refused.
        """
        if path is None:
            return type(self)(**{name: self.given_parts(name) for name in self.model_fields_set} | changes)
        if isinstance(path, str) == (value is NOT_GIVEN):
            raise InputError("replace takes a path and a value, or a mapping of paths to values")
        if not isinstance(path, str | Mapping):
            raise InputError(f"replace takes a path and a value, or a mapping of paths to values, not {path!r}")
        values = {path: value} if isinstance(path, str) else dict(path)
        return type(self).model_validate(changed(self, {**values, **changes}))


def _texts(kind: type[BaseModel]) -> dict[str, str]:
    """Text below each field in the source of a class and of those that it is made from."""
    import ast
    import inspect
    import textwrap

    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        if not issubclass(one, Part) or one is Part:
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(one))).body[0].body  # type: ignore[attr-defined]
        for field, below in pairwise(body):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                text = below.value if isinstance(below, ast.Expr) else None
                found.pop(field.target.id, None)
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    found[field.target.id] = inspect.cleandoc(text.value)
    return found


@contextmanager
def _sentences(kind: type[BaseModel], data: Any) -> Iterator[None]:
    """Mistakes as InputError, in the sentences of the command line."""
    try:
        yield
    except ValidationError as error:
        from importlib import import_module  # sentences stand with the readers, above the spec: looked up when used

        raise import_module("ropewalk.io.messages").input_error(error, kind, data) from None  # type: ignore[no-any-return]
    except ArithmeticError:  # 1e200 squared, in a check of the spec
        raise InputError("a number is too large or too small to work with") from None
