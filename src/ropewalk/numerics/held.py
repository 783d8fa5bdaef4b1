r"""Named tuples handed from kernel to kernel by their address.

Numba hands over a tuple number by number: of a mesh with its memory these are hundreds of words at each call, which
takes longer than a row of an elimination. ``held(mesh)`` is the address of the tuple instead. Its fields are read as
those of the tuple; fields that are named tuples themselves are addresses again. Nothing else can be done with it.

The tuple lies on the stack of the kernel that holds it, and its fields count as constant for the compiler, which then
keeps the addresses of arrays in registers. Both are sound if the one who is handed a held tuple is a kernel of its own
(``separate``), which ends before the holder does. So ``held`` stands only among the arguments of such a call::

    return _march(times, held(mesh), held(work))

and holds only what was handed to it: arrays that it made itself may be gone before the call.

In plain Python, and for versions of numba under which no kernel is separate, a held tuple is the tuple itself.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, impl_ret_untracked, lower_builtin, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import models, register_model

from ropewalk.numerics.compile import OWN

INT32 = ir.IntType(32)


class Held(types.Type):  # type: ignore[misc]
    """Type of the address of a named tuple."""

    def __init__(self, of: Any) -> None:
        self.of = of
        super().__init__(name=f"Held({of.name})")


@register_model(Held)
class HeldModel(models.PointerModel):  # type: ignore[misc]
    """A pointer."""

    def __init__(self, manager: Any, kind: Held) -> None:
        self._value_type = manager.lookup(kind.of).get_value_type()
        models.PrimitiveModel.__init__(self, manager, kind, self._value_type.as_pointer())


def held(x: Any) -> Any:
    """A named tuple by its address; see above."""
    return x


@infer_global(held)
class _HeldTemplate(AbstractTemplate):  # type: ignore[misc]
    key = held

    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) != 1 or kws or not isinstance(args[0], types.BaseNamedTuple):
            return None
        return signature(Held(args[0]) if OWN else args[0], args[0])


@lower_builtin(held, types.BaseNamedTuple)  # type: ignore[untyped-decorator]
def _hold(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    if sig.return_type == sig.args[0]:
        return impl_ret_borrowed(context, builder, sig.return_type, args[0])
    return cgutils.alloca_once_value(builder, args[0])


@infer_getattr
class _HeldFields(AttributeTemplate):  # type: ignore[misc]
    key = Held

    def generic_resolve(self, kind: Held, name: str) -> Any:
        if name not in kind.of.fields:
            return None
        field = kind.of[kind.of.fields.index(name)]
        return Held(field) if isinstance(field, types.BaseNamedTuple) else field


@lower_getattr_generic(Held)  # type: ignore[untyped-decorator]
def _field(context: Any, builder: Any, kind: Held, value: Any, name: str) -> Any:
    place = kind.of.fields.index(name)
    address = builder.gep(value, [ir.Constant(INT32, 0), ir.Constant(INT32, place)], inbounds=True)
    field = kind.of[place]
    if isinstance(field, types.BaseNamedTuple):
        return impl_ret_untracked(context, builder, Held(field), address)
    return impl_ret_borrowed(context, builder, field, _constant(builder, address))


def _constant(builder: Any, address: Any) -> Any:
    """What stands at an address, number by number: LLVM forgets of larger loads that they are of constants."""
    kind = address.type.pointee
    if not isinstance(kind, ir.LiteralStructType | ir.IdentifiedStructType | ir.ArrayType):
        number = builder.load(address)
        number.set_metadata("invariant.load", builder.module.add_metadata([]))
        return number
    whole = ir.Constant(kind, ir.Undefined)
    count = kind.count if isinstance(kind, ir.ArrayType) else len(kind.elements)
    for i in range(count):
        part = builder.gep(address, [ir.Constant(INT32, 0), ir.Constant(INT32, i)], inbounds=True)
        whole = builder.insert_value(whole, _constant(builder, part), i)
    return whole
