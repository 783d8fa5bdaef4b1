r"""Lanes: several numbers side by side in one vector register, as one value of compiled code.

A kernel that is written with the operators of this file compiles for floats and for lanes alike: what it does to one
number it then does to W of them in the same instructions. Each lane goes its own way through the arithmetic, as if it
were alone: no operation mixes lanes but :func:`any_of`, :func:`all_of` and :func:`lane`. So the bits of a lane depend
on its own numbers only.

Branches are what lanes cannot share. Kernels choose by :func:`where`, which computes both sides, and skip what no lane
needs by ``if any_of(mask)``. Comparisons of lanes give masks, combined by ``&``, ``|`` and ``^``; of floats they give
truth values, of which these operators mean the same.

Lanes live in arrays of floats whose last axis has one entry per lane (:func:`lane_array`) or is divided into rows
(:func:`lane_rows`), and in records whose fields have one entry per lane (:func:`lane_records`); all are views. Numbers
that lie one after the other become lanes by :func:`lanes_at`, in plain Python, too, where an array of them stands for
lanes. A float meets lanes as the same number in each.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

WIDTH = 4  # lanes; 8 gain a fifth more with AVX-512 and lose without
TRUTH = types.boolean
INT32 = ir.IntType(32)
DOUBLE = 8  # bytes


class Lanes(types.Type):  # type: ignore[misc]
    """Type of `width` doubles side by side."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Lanes({width})")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """A number stands for itself in every lane."""
        return Conversion.safe if isinstance(other, types.Float | types.Integer) else None

    def unify(self, context: Any, other: Any) -> Any:
        """Where a branch gives a number and another one lanes, lanes come out."""
        return self if isinstance(other, types.Float | types.Integer) else None


class Mask(types.Type):  # type: ignore[misc]
    """Type of `width` truth values side by side."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Mask({width})")


class LaneRecord(types.Record):  # type: ignore[misc]
    """Type of records with lanes as fields."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the same bytes in an array of Python's."""
        return np.dtype((np.void, self.size))


@register_model(LaneRecord)
class LaneRecordModel(models.RecordModel):  # type: ignore[misc]
    """As any record's."""


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    """A vector of doubles."""

    def __init__(self, manager: Any, lanes: Lanes) -> None:
        super().__init__(manager, lanes, ir.VectorType(ir.DoubleType(), lanes.width))


@register_model(Mask)
class MaskModel(models.PrimitiveModel):  # type: ignore[misc]
    """A vector of bits."""

    def __init__(self, manager: Any, mask: Mask) -> None:
        super().__init__(manager, mask, ir.VectorType(ir.IntType(1), mask.width))


# --- numbers among lanes ---


def _spread(builder: Any, number: Any, width: int) -> Any:
    """A double in all lanes."""
    vector = ir.VectorType(ir.DoubleType(), width)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(INT32, 0))
    return builder.shuffle_vector(
        first, ir.Constant(vector, ir.Undefined), ir.Constant(ir.VectorType(INT32, width), [0] * width)
    )


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
def _from_number(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return _spread(builder, context.cast(builder, value, fromty, types.float64), toty.width)


def _of_lanes(arguments: tuple[Any, ...]) -> Lanes | None:
    """The type of lanes among the types of arguments; None if there is none, or one that goes with no lanes."""
    found = {a for a in arguments if isinstance(a, Lanes)}
    others = (a for a in arguments if not isinstance(a, Lanes))
    if len(found) != 1 or not all(isinstance(a, types.Float | types.Integer) for a in others):
        return None
    return found.pop()


def _elementwise(function: Any, emit: Callable[..., Any], compares: bool = False, count: int = 2) -> None:
    """Register a function of `count` lanes or numbers, at least one of them lanes."""

    class Template(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            lanes = _of_lanes(args) if len(args) == count and not kws else None
            if lanes is None:
                return None
            return signature(Mask(lanes.width) if compares else lanes, *([lanes] * count))

    infer_global(function)(Template)

    @lower_builtin(function, *([Lanes] * count))  # type: ignore[untyped-decorator]
    def lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)


def _compared(sign: str) -> Callable[..., Any]:
    """Comparison as of floats: with NaN all are false but !=."""
    if sign == "!=":
        return lambda builder, a, b: builder.fcmp_unordered("!=", a, b)
    return lambda builder, a, b: builder.fcmp_ordered(sign, a, b)


def _vector_function(name: str) -> Callable[..., Any]:
    """A function that LLVM has for vectors."""

    def emit(builder: Any, a: Any) -> Any:
        kind = ir.FunctionType(a.type, [a.type])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{a.type.count}f64")
        return builder.call(function, [a])

    return emit


def _larger(builder: Any, a: Any, b: Any) -> Any:
    """As Python has it: the first unless the second is larger."""
    return builder.select(builder.fcmp_ordered(">", b, a), b, a)


def _smaller(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered("<", b, a), b, a)


_elementwise(operator.add, lambda builder, a, b: builder.fadd(a, b))
_elementwise(operator.iadd, lambda builder, a, b: builder.fadd(a, b))
_elementwise(operator.sub, lambda builder, a, b: builder.fsub(a, b))
_elementwise(operator.isub, lambda builder, a, b: builder.fsub(a, b))
_elementwise(operator.mul, lambda builder, a, b: builder.fmul(a, b))
_elementwise(operator.imul, lambda builder, a, b: builder.fmul(a, b))
_elementwise(operator.truediv, lambda builder, a, b: builder.fdiv(a, b))
_elementwise(operator.itruediv, lambda builder, a, b: builder.fdiv(a, b))
_elementwise(operator.neg, lambda builder, a: builder.fneg(a), count=1)
for _operator, _sign in (
    (operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">="), (operator.eq, "=="),
    (operator.ne, "!="),
):  # fmt: skip
    _elementwise(_operator, _compared(_sign), compares=True)
_elementwise(abs, _vector_function("fabs"), count=1)
_elementwise(math.sqrt, _vector_function("sqrt"), count=1)
_elementwise(np.sqrt, _vector_function("sqrt"), count=1)
for _count in (2, 3, 4):
    _elementwise(max, lambda builder, a, *rest: _folded(builder, _larger, a, rest), count=_count)
    _elementwise(min, lambda builder, a, *rest: _folded(builder, _smaller, a, rest), count=_count)


def _folded(builder: Any, choose: Callable[..., Any], a: Any, rest: Any) -> Any:
    for b in rest:
        a = choose(builder, a, b)
    return a


# --- masks ---


def _of_masks(function: Any, emit: Callable[..., Any]) -> None:
    """Register an operator of two masks."""

    class Template(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            alike = len(args) == 2 and isinstance(args[0], Mask) and args[0] == args[1]
            return signature(args[0], *args) if alike else None

    infer_global(function)(Template)

    @lower_builtin(function, Mask, Mask)  # type: ignore[untyped-decorator]
    def lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)


_of_masks(operator.and_, lambda builder, a, b: builder.and_(a, b))
_of_masks(operator.or_, lambda builder, a, b: builder.or_(a, b))
_of_masks(operator.xor, lambda builder, a, b: builder.xor(a, b))


def where(mask: Any, a: Any, b: Any) -> Any:
    """`a` where a mask is true, else `b`, lane by lane; of a truth value and floats the one or the other."""
    return a if mask else b


def any_of(mask: Any) -> Any:
    """Whether a mask is true in some lane; a truth value as it is."""
    return mask


def all_of(mask: Any) -> Any:
    """Whether a mask is true in all lanes; a truth value as it is."""
    return mask


@infer_global(where)
class _WhereTemplate(AbstractTemplate):  # type: ignore[misc]
    key = where

    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) != 3 or kws:
            return None
        mask, *sides = args
        if isinstance(mask, Mask):
            lanes = Lanes(mask.width)
            fits = all(x == lanes or isinstance(x, types.Float | types.Integer) for x in sides)
            return signature(lanes, mask, lanes, lanes) if fits else None
        if isinstance(mask, types.Boolean):
            if all(isinstance(x, types.Float | types.Integer) for x in sides):
                return signature(types.float64, TRUTH, types.float64, types.float64)
            lanes_or_none = _of_lanes(tuple(sides))
            return None if lanes_or_none is None else signature(lanes_or_none, TRUTH, lanes_or_none, lanes_or_none)
        return None


@lower_builtin(where, Mask, Lanes, Lanes)  # type: ignore[untyped-decorator]
@lower_builtin(where, types.Boolean, Lanes, Lanes)  # type: ignore[untyped-decorator]
@lower_builtin(where, types.Boolean, types.Float, types.Float)  # type: ignore[untyped-decorator]
def _where(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.select(*args)


def _of_one_mask(function: Any, emit: Callable[..., Any]) -> None:
    """Register what makes a truth value of a mask, and leaves truth values alone."""

    class Template(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            fits = len(args) == 1 and isinstance(args[0], Mask | types.Boolean)
            return signature(TRUTH, args[0]) if fits else None

    infer_global(function)(Template)

    @lower_builtin(function, types.Boolean)  # type: ignore[untyped-decorator]
    def unchanged(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0]

    @lower_builtin(function, Mask)  # type: ignore[untyped-decorator]
    def lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = ir.IntType(sig.args[0].width)
        return emit(builder, builder.bitcast(args[0], bits), bits)


_of_one_mask(any_of, lambda builder, x, bits: builder.icmp_unsigned("!=", x, ir.Constant(bits, 0)))
_of_one_mask(all_of, lambda builder, x, bits: builder.icmp_unsigned("==", x, ir.Constant(bits, -1)))


# --- single lanes ---


@intrinsic  # type: ignore[untyped-decorator]
def lane(typing: Any, x: Any, i: Any) -> Any:
    """The number in lane i of x."""
    if not (isinstance(x, Lanes) and isinstance(i, types.Integer)):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], context.cast(builder, args[1], sig.args[1], types.int32))

    return signature(types.float64, x, i), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def spread(typing: Any, x: Any, width: Any) -> Any:
    """The number x in all of `width` (a literal) lanes."""
    if not (isinstance(width, types.IntegerLiteral) and isinstance(x, types.Float)):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _spread(builder, args[0], width.literal_value)

    return signature(Lanes(width.literal_value), types.float64, width), generate


def lanes_of(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Four numbers side by side."""
    return np.array([a, b, c, d])


@infer_global(lanes_of)
class _LanesOfTemplate(AbstractTemplate):  # type: ignore[misc]
    key = lanes_of

    def generic(self, args: Any, kws: Any) -> Any:
        fits = len(args) == WIDTH and not kws and all(isinstance(a, types.Float | types.Integer) for a in args)
        return signature(Lanes(WIDTH), *([types.float64] * WIDTH)) if fits else None


@lower_builtin(lanes_of, *([types.Float] * WIDTH))  # type: ignore[untyped-decorator]
def _lanes_of(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    vector = ir.Constant(ir.VectorType(ir.DoubleType(), WIDTH), ir.Undefined)
    for i, number in enumerate(args):
        vector = builder.insert_element(vector, number, ir.Constant(INT32, i))
    return vector


# --- memory ---


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def lane_array(typing: Any, array: Any, width: Any) -> Any:
    """A view of a contiguous array of floats (..., `width`) as an array (...) of lanes; `width` is a literal.

    Nothing checks the length of the last axis.
    """
    if not isinstance(width, types.IntegerLiteral) or not isinstance(array, types.Array):
        return None
    if array.layout != "C" or array.dtype != types.float64 or array.ndim < 2:
        return None
    made = types.Array(Lanes(width.literal_value), array.ndim - 1, "C", aligned=False)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _view(context, builder, sig.args[0], made, args[0], 8 * width.literal_value)

    return signature(made, array, width), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def lane_rows(typing: Any, array: Any, first: Any, stride: Any, width: Any) -> Any:
    """A view of a contiguous array of floats (n,) or (m, n) as an array (rows,) or (rows, m) of lanes.

    Row i begins with number ``first + stride i`` of the last axis; `width` is a literal. With a stride below the width
    rows overlap: lanes then have several rows side by side. Nothing checks that rows lie in the array.
    """
    if not isinstance(width, types.IntegerLiteral) or not isinstance(array, types.Array):
        return None
    if array.layout != "C" or array.dtype != types.float64 or array.ndim > 2:
        return None
    made = types.Array(Lanes(width.literal_value), array.ndim, "A", aligned=False)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        old = context.make_array(sig.args[0])(context, builder, args[0])
        new = context.make_array(made)(context, builder)
        number = ir.Constant(old.itemsize.type, DOUBLE)
        shape, strides = cgutils.unpack_tuple(builder, old.shape), cgutils.unpack_tuple(builder, old.strides)
        new.data = builder.bitcast(builder.gep(old.data, [args[1]]), new.data.type)
        new.shape = cgutils.pack_array(builder, shape[::-1])
        new.strides = cgutils.pack_array(builder, [builder.mul(args[2], number), *strides[:-1]])
        new.nitems, new.itemsize = old.nitems, builder.mul(number, ir.Constant(number.type, width.literal_value))
        new.meminfo, new.parent = old.meminfo, old.parent
        return impl_ret_borrowed(context, builder, made, new._getvalue())

    return signature(made, array, types.intp, types.intp, width), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def lane_records(typing: Any, table: Any, width: Any) -> Any:
    """A view of an array (n,) of records with fields of `width` floats (:func:`lane_dtype`) as records of lanes."""
    if not isinstance(width, types.IntegerLiteral) or not isinstance(table, types.Array):
        return None
    if table.layout != "C" or not isinstance(table.dtype, types.Record):
        return None
    lanes = Lanes(width.literal_value)
    fields: list[Any] = []
    for name, field in table.dtype.fields.items():
        kind = field.type
        if isinstance(kind, types.NestedArray):
            if kind.dtype != types.float64 or kind.shape != (lanes.width,):
                return None
            kind = lanes
        fields.append((name, {"type": kind, "offset": field.offset}))
    record = LaneRecord(fields, table.dtype.size, False)
    made = types.Array(record, table.ndim, "C", aligned=False)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _view(context, builder, sig.args[0], made, args[0], table.dtype.size)

    return signature(made, table, width), generate


def _stretch(array: Any, i: Any) -> Any:
    """A view of what `lanes_at` reads, in plain Python."""
    return array.reshape(-1)[i : i + WIDTH]


def lanes_at(array: Any, i: Any) -> Any:
    """`WIDTH` numbers of a contiguous array of floats from its i-th on, counted through all its axes, as lanes."""
    return np.array(_stretch(array, i))


def put_lanes(array: Any, i: Any, x: Any) -> None:
    """Store lanes in a contiguous array of floats from its i-th number on; see :func:`lanes_at`."""
    _stretch(array, i)[:] = x


def _is_flat(array: Any, i: Any) -> bool:
    """Whether these are types of a contiguous array of floats and of a place in it."""
    if not isinstance(array, types.Array) or not isinstance(i, types.Integer):
        return False
    return array.layout == "C" and array.dtype == types.float64


@infer_global(lanes_at)
class _LanesAtTemplate(AbstractTemplate):  # type: ignore[misc]
    key = lanes_at

    def generic(self, args: Any, kws: Any) -> Any:
        fits = len(args) == 2 and not kws and _is_flat(*args)
        return signature(Lanes(WIDTH), args[0], types.intp) if fits else None


@infer_global(put_lanes)
class _PutLanesTemplate(AbstractTemplate):  # type: ignore[misc]
    key = put_lanes

    def generic(self, args: Any, kws: Any) -> Any:
        fits = len(args) == 3 and not kws and _is_flat(*args[:2]) and args[0].mutable and args[2] == Lanes(WIDTH)
        return signature(types.none, args[0], types.intp, args[2]) if fits else None


def _place(context: Any, builder: Any, kind: Any, array: Any, i: Any) -> Any:
    """Address of lanes in an array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [i]), ir.VectorType(ir.DoubleType(), WIDTH).as_pointer())


@lower_builtin(lanes_at, types.Array, types.Integer)  # type: ignore[untyped-decorator]
def _lanes_at(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.load(_place(context, builder, sig.args[0], *args), align=DOUBLE)


@lower_builtin(put_lanes, types.Array, types.Integer, Lanes)  # type: ignore[untyped-decorator]
def _put_lanes(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    builder.store(args[2], _place(context, builder, sig.args[0], *args[:2]), align=DOUBLE)
    return context.get_dummy_value()


def _view(context: Any, builder: Any, old_type: Any, new_type: Any, value: Any, size: int) -> Any:
    """An array structure of another type over the same memory."""
    old = context.make_array(old_type)(context, builder, value)
    new = context.make_array(new_type)(context, builder)
    shape = cgutils.unpack_tuple(builder, old.shape)[: new_type.ndim]
    strides = cgutils.unpack_tuple(builder, old.strides)[: new_type.ndim]
    items = ir.Constant(old.nitems.type, 1)
    for extent in shape:
        items = builder.mul(items, extent)
    new.data = builder.bitcast(old.data, new.data.type)
    new.shape, new.strides = cgutils.pack_array(builder, shape), cgutils.pack_array(builder, strides)
    new.nitems, new.itemsize = items, ir.Constant(old.itemsize.type, size)
    new.meminfo, new.parent = old.meminfo, old.parent
    return impl_ret_borrowed(context, builder, new_type, new._getvalue())


def lane_dtype(dtype: np.dtype[Any], width: int) -> np.dtype[Any]:
    """The records of `dtype` with `width` floats for each float; vectors become one field per component.

    A field ``force`` of three floats becomes ``force_0`` to ``force_2``. Whole numbers stay as they are.
    """
    fields: list[Any] = []
    for name in dtype.names or ():
        kind = dtype[name]
        if kind.shape:
            fields += [(f"{name}_{i}", "f8", (width,)) for i in range(kind.shape[0])]
        else:
            fields.append((name, "f8", (width,)) if kind.kind == "f" else (name, kind))
    return np.dtype(fields)
