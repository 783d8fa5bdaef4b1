"""Starts in common: cases of a sweep that are the same at rest find their equilibrium and their mesh once.

Seeds, wave heights and motions change nothing of a mooring at rest. Within :func:`shared_starts` an equilibrium and the
memory of a solver that stands on it are kept by all that they depend on: the arrays of the model but its waves and
motions, where the motions begin, and the settings. What is found is a function of that alone, so a case has the same
bits whether it finds them or is handed them.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from weakref import ref

import numpy as np

from ropewalk.methods.protocol import Solver
from ropewalk.model.given import changes, still
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model

if TYPE_CHECKING:
    from ropewalk.analysis.statics import Equilibrium
    from ropewalk.model.state import State
    from ropewalk.spec.system import System

KEPT = 8  # starts; a sweep over lengths or depths has a new one for each


@runtime_checkable
class Settling(Protocol):
    """A solver whose start has two parts, the first of them at rest."""

    def settled(self, model: Model, state: State) -> Any:
        """Memory at rest, a dataclass, which depends on no waves, and on motions by where they begin."""
        ...

    def begin(self, model: Model, work: Any) -> Any:
        """That memory ready for the first step."""
        ...


@dataclass
class Starts:
    """What is kept, the last ones used at the end."""

    rest: OrderedDict[bytes, Equilibrium] = field(default_factory=OrderedDict)
    work: OrderedDict[bytes, Memory] = field(default_factory=OrderedDict)
    digest: tuple[Model, float, bytes | None] | None = None  # of the last model at rest at a time
    pace: float = 0.0  # records per second of the last passage


_starts: ContextVar[Starts | None] = ContextVar("_starts", default=None)


@contextmanager
def shared_starts() -> Iterator[Starts]:
    """Keep starts for the cases that are run within."""
    kept = Starts()
    token = _starts.set(kept)
    try:
        yield kept
    finally:
        _starts.reset(token)


def is_one_of_many() -> bool:
    """Whether other cases run on the other cores."""
    return _starts.get() is not None


def pace() -> float:
    """Records per second of wall time that the last case made, where cases follow each other; 0 elsewhere."""
    kept = _starts.get()
    return 0.0 if kept is None else kept.pace


def keep_pace(value: float) -> None:
    """Keep records per second for the case that follows, if one does."""
    kept = _starts.get()
    if kept is not None:
        kept.pace = value


def equilibrium_of(system: System, model: Model) -> Equilibrium:
    """`statics` of a case at t = 0, or what is kept of another one that is the same at rest."""
    from ropewalk.analysis.statics import equilibrium_of_model

    kept = _starts.get()
    key = None if kept is None else rest_key(model, 0.0, system.statics.model_dump_json())
    if kept is None or key is None:
        return equilibrium_of_model(system, model)
    found = kept.rest.get(key)
    if found is None:
        return _keep(kept.rest, key, equilibrium_of_model(system, model))
    kept.rest.move_to_end(key)
    same = replace(found, system=system, model=still(model, 0.0))
    vars(same)["rest_doubts"] = found.rest_doubts  # a cached property
    return same


def work_of(model: Model, solver: Solver, state: State) -> Any:
    """`solver.start`, or its memory as it is kept of another case that starts from the same."""
    kept = _starts.get()
    if kept is None or not isinstance(solver, Settling) or np.any(model.bodies.joint == LOOSE):
        return solver.start(model, state)
    key = rest_key(model, state.time, (repr(solver), state))
    if key is None:
        return solver.start(model, state)
    found = kept.work.get(key)
    if found is None:
        found = _keep(kept.work, key, Memory(solver.settled(model, state)))
    kept.work.move_to_end(key)
    return solver.begin(model, found.lend())


def rest_key(model: Model, t: float, settings: Any) -> bytes | None:
    """A digest of all that a model at rest at time t (s) depends on; None if loads, flow or lengths change in time."""
    kept = _starts.get()
    if kept is not None and kept.digest is not None and kept.digest[0] is model and kept.digest[1] == t:
        own = kept.digest[2]
    else:
        own = _rest_digest(model, t)
        if kept is not None:
            kept.digest = (model, t, own)
    if own is None:
        return None
    digest = hashlib.blake2b(own, digest_size=16)
    _feed(digest, settings)
    return digest.digest()


def _rest_digest(model: Model, t: float) -> bytes | None:
    """That of the model alone."""
    if changes(model) or model.lines.winches.line.size or np.any(model.motions.is_driven):
        return None
    from ropewalk.physics.in_time import value_at

    functions = model.functions
    # added to 0 because a ramp begins with 0 or -0
    begin = [tuple(0.0 + x for x in value_at(t, i, functions)) for i in range(functions.function.shape[0])]
    calm = model._replace(
        sea=model.sea._replace(wave=np.zeros(0), functions=()),  # type: ignore[arg-type]
        motions=model.motions.function,  # type: ignore[arg-type]
        functions=(),  # type: ignore[arg-type]
    )
    # where the number of elements is open, it follows from the forces over a period of the motions
    motions = functions if np.any(model.lines.piece_elements == 0) else ()
    digest = hashlib.blake2b(digest_size=16)
    _feed(digest, (calm, begin, motions))
    return digest.digest()


def _feed(digest: Any, part: Any) -> None:
    """Add a tree of arrays, numbers and texts to a digest."""
    if isinstance(part, np.ndarray):
        digest.update(f"{part.dtype.names or part.dtype.str}{part.shape}".encode())
        digest.update(part.tobytes())
    elif isinstance(part, tuple | list):
        digest.update(f"{type(part).__name__}{len(part)}".encode())
        for each in part:
            _feed(digest, each)
    else:
        digest.update(repr(part).encode())


def _keep(store: OrderedDict[bytes, Any], key: bytes, value: Any) -> Any:
    store[key] = value
    while len(store) > KEPT:
        store.popitem(last=False)
    return value


class _Copying:
    """A tree of memory and its copy: what of them is the same, and which arrays were copied into which."""

    def __init__(self) -> None:
        self.seen: dict[int, Any] = {}  # copies by the address of what they are of
        self.pairs: list[tuple[Any, Any]] = []  # bytes of arrays: from, to

    def own(self, array: Any) -> Any:
        """The copy of an array that owns its memory."""
        if id(array) not in self.seen:
            self.seen[id(array)] = made = array.copy(order="K")
            self.pairs.append((_bytes(array), _bytes(made)))
        return self.seen[id(array)]

    def array(self, array: Any) -> Any:
        """A copy of an array; arrays that share memory do so in their copies."""
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        if root is array:
            return self.own(array)
        begin = array.ctypes.data - root.ctypes.data  # __array_interface__ also spells out the fields of records
        view = np.ndarray(array.shape, array.dtype, self.own(root), begin, array.strides)
        return view.view(type(array))

    def tree(self, memory: Any) -> Any:
        """As `copied`."""
        if id(memory) in self.seen:
            return self.seen[id(memory)]
        made = memory
        if isinstance(memory, np.ndarray):
            made = self.array(memory) if memory.flags.writeable else memory
        elif isinstance(memory, tuple):
            parts = [self.tree(part) for part in memory]
            made = type(memory)(*parts) if hasattr(memory, "_fields") else tuple(parts)
        elif is_dataclass(memory) and not isinstance(memory, type):
            made = replace(memory, **{name: self.tree(part) for name, part in vars(memory).items()})
        self.seen[id(memory)] = made
        return made


def _bytes(array: Any) -> Any:
    """(n,) of an array in the order in which they lie: copied eight times as fast as records."""
    return array.view(np.ndarray).ravel(order="K").view(np.uint8)


class Memory:
    """Memory at rest as a solver left it, handed to one case after the other.

    A case gets the copy that the one before it had, with all numbers put back, once nobody holds that any more.
    """

    def __init__(self, found: Any) -> None:
        self.found = found
        self.copy: Any = None  # never handed out itself: a case may put other arrays into what it has
        self.pairs: list[tuple[Any, Any]] = []  # bytes of arrays: those of `found`, those of `copy`
        self.lent: Callable[[], Any] = lambda: self  # who holds the arrays of `copy`; None if they are free

    def lend(self) -> Any:
        """Memory for a case of its own."""
        if self.lent() is not None:
            copying = _Copying()
            self.copy, self.pairs = copying.tree(self.found), copying.pairs
        else:
            for source, target in self.pairs:
                target[...] = source
        handed = replace(self.copy)
        self.lent = ref(handed)
        return handed
