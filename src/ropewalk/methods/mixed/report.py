"""From the memory of the mixed elements to a State, and the names of places in messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.anchor import end_section
from ropewalk.assembly.mesh import Mesh, contact_width
from ropewalk.loads.footing import point_footings
from ropewalk.methods.mixed.ledger import stored_energy
from ropewalk.methods.mixed.ledger_forces import KINDS
from ropewalk.methods.mixed.links import link_loads
from ropewalk.methods.mixed.reading import Reading, Tape, fields_of, first_moment, new_tape, reading_of
from ropewalk.methods.mixed.remesh import end_length
from ropewalk.methods.mixed.steps import Work
from ropewalk.model.arrays import Array, Flags, Ints, Records, floats, ints, put
from ropewalk.model.in_time import Functions
from ropewalk.model.model import Model
from ropewalk.model.state import NONE, State, resample

GIVEN = ("ends", "water", "loads", "winch")  # kinds of the ledger that are work done on the lines
NO_LINES = "a body or a link"  # worst place of systems without lines
LOST = ("drag", "damping", "seabed", "break", "impact", "numerics")  # kinds that are losses
TERMS = {f"work_{kind}": KINDS.index(kind) for kind in GIVEN} | {f"loss_{kind}": KINDS.index(kind) for kind in LOST}
SIGNS = np.array([-1.0 if kind in GIVEN else 1.0 for kind in KINDS])  # with which kinds stand in the closure
ROUND_OFF = 1e-14  # of the energy that is held: what sums of so many numbers are off by
MOST_ROOM = 4096  # moments of a run that are given room before they are there
REST = np.dtype(
    [
        ("outcome", "i8"),  # of `find_equilibrium`
        ("iterations", "i8"),
        ("force", "f8"),  # largest residual, N
        ("miss", "f8"),  # largest length error, m
        ("mesh_error", "f8"),  # relative, of end tensions, NaN if it is not known
    ],
    align=True,
)


class Compiled(NamedTuple):
    """Compiled code for the very arrays of a run: with them, calls need no look at their types."""

    march: Callable[..., Any]  # of march.py
    begin_ledger: Callable[..., Any]  # of ledger.py
    parts: tuple[Any, ...]  # mesh, memory of the steps, sea and motions that it is for
    leaps: bool  # by leapfrog
    nothing: Tape  # without room


@dataclass
class FemWork:
    """Memory of a run by mixed elements. Mesh and memory of the steps are replaced when a winch changes the mesh."""

    mesh: Mesh
    steps: Work
    misses: Array  # (n_elements,) m
    rest: Records  # (1,) of REST: the equilibrium that the run starts from
    first: Array  # (3,) J, kinetic, elastic and potential energy at the start
    parted: Array  # (n_breaks, 2) when (s) and where (m from end A) a line parted, -1 while it is whole
    worst_miss: Array  # (1,) largest length error of an element in the states read so far, as a share of it
    start: Ints  # (n_lines + 1,) first node of each line in what is read
    s: Array  # (n_nodes,) m, of the nodes in what is read; a winch stretches or shrinks it
    lies: Flags  # (n_lines, 2) ends A and B that lie on the bed, as the mesh has them
    counts: Ints  # (n_pieces,) elements, without those that focuses add
    focus: Records  # (n_focuses,) of FOCUS of model/lines.py, where there are more
    compiled: Compiled | None = None
    reading: Reading | None = None  # of `read_mesh`
    read_mesh: Mesh | None = None
    forces: Tape | None = None  # one moment, to read forces from; its arrays change with every reading
    start_remark: str = ""  # remark on the equilibrium from which the run starts
    stiffness_error: float | None = None  # relative, of the stiffness of lines on bodies, if it is known
    lanes: bool = True  # lines go side by side where they can
    room: Tape | None = None  # for the moments of a run, and how many of them are there
    room_used: int = 0
    high: Any = None  # the result of elements of higher order, where they are used

    def note_rest(self, outcome: int, iterations: int, force: float, miss: float) -> None:
        """Keep how an equilibrium was found; the error of its mesh stays."""
        put(self.rest, outcome=outcome, iterations=iterations, force=force, miss=miss)

    def take(self, other: FemWork) -> None:
        """Go on with the mesh and the state of another memory."""
        for name in (
            "mesh",
            "steps",
            "misses",
            "rest",
            "first",
            "parted",
            "worst_miss",
            "start",
            "s",
            "lies",
            "counts",
            "focus",
        ):
            setattr(self, name, getattr(other, name))
        self.compiled, self.reading, self.read_mesh, self.forces, self.room = None, None, None, None, None

    def tape_for(self, n: int, more: int) -> Tape:
        """Room for n moments, right behind those before it; `more` that will follow shall have theirs there, too."""
        if self.room is None or self.room_used + n > self.room.time.size:
            if not more:
                return new_tape(n, self.mesh, self.worst_miss)
            self.room, self.room_used = new_tape(n + min(more, MOST_ROOM), self.mesh, self.worst_miss), 0
        first, self.room_used = self.room_used, self.room_used + n
        arrays = [array[first : first + n] for array in self.room[:-1]]
        return Tape(*arrays, self.worst_miss)  # type: ignore[call-arg]  # of as many arrays as it has fields

    def take_functions(self, functions: Functions) -> None:
        """Go on with other functions of time, which nothing that is read depends on."""
        mesh = self.mesh._replace(given=self.mesh.given._replace(functions=functions))
        self.read_mesh = mesh if self.read_mesh is self.mesh else None
        self.mesh = mesh


def energies(model: Model, work: FemWork) -> dict[str, float]:
    """The ledger now (J): what is held, relative to the start for the closure; work done; losses; the closure."""
    stored = stored_energy(work.steps.now.X, work.mesh, model.sea.gravity)
    terms = energy_terms(np.array([stored]), work.steps.ledger.table[:1], work.first)
    return {name: float(values[0]) for name, values in terms.items()}


def energy_terms(stored: Array, done: Array, first: Array) -> dict[str, Array]:
    """Terms of the ledger at n moments by name, (n,) J.

    stored : (n, 3) kinetic, elastic and potential energy    done : (n, POWERS) work since the start, of a `Ledger`
    first : (3,) what was stored at the start
    """
    kinetic, elastic, potential = stored.T
    closure = (kinetic - first[0]) + (elastic - first[1]) + (potential - first[2])
    for k, sign in enumerate(SIGNS):  # not as a product of matrices: its last digits depend on the number of moments
        closure = closure + sign * done[:, k]
    terms = {name: done[:, k] for name, k in TERMS.items()}
    return {"kinetic": kinetic, "elastic": elastic, "potential": potential, **terms, "closure": closure}


def shares(energy: dict[str, float], work: FemWork) -> dict[str, float]:
    """What does not add up, and what the scheme took or gave, as shares of the energy that was turned over.

    Turned over is half the sum of all changes: what one term loses another gains. At rest that is round-off.
    """
    held = (energy["kinetic"], energy["elastic"], energy["potential"])
    change = sum(abs(now - before) for now, before in zip(held, work.first, strict=True))
    turned = 0.5 * (change + sum(abs(energy[name]) for name in energy if name.startswith(("work", "loss"))))
    scale = 1.0 / turned if turned > ROUND_OFF * sum(map(abs, held)) else 0.0
    return {
        "energy_closure": float(abs(energy["closure"]) * scale),
        "energy_numerics": float(abs(energy["loss_numerics"]) * scale),
    }


def parted_lines(model: Model, work: FemWork) -> list[str]:
    """A sentence for every line that has parted."""
    return [
        f"line '{model.names.lines[line]}' parted at t = {t:.6g} s, s = {s:.5g} m"
        for line, (t, s) in zip(model.lines.breaks.line, work.parted, strict=True)
        if t >= 0.0
    ]


def place(model: Model, mesh: Mesh, element: int) -> str:
    """Line and arc length of an element, for messages."""
    if not mesh.s.size:
        return NO_LINES
    line = int(np.searchsorted(mesh.element_start, element, side="right") - 1)
    return f"line '{model.names.lines[line]}' at s = {arc_length(mesh, element):.4g} m"


def arc_length(mesh: Mesh, element: int) -> float:
    """s of the middle of an element, m."""
    line = int(np.searchsorted(mesh.element_start, element, side="right") - 1)
    node = element - mesh.element_start[line] + mesh.node_start[line]
    return float(0.5 * (mesh.s[node] + mesh.s[node + 1]))


def worst_place(model: Model, work: FemWork) -> str:
    """Line and arc length of the node with the largest residual force."""
    mesh = work.mesh
    if not mesh.s.size:
        return NO_LINES
    inner = np.linalg.norm(work.steps.nodes[: mesh.s.size], axis=1)
    inner[mesh.node_start[:-1]] = 0.0
    inner[mesh.node_start[1:] - 1] = 0.0
    node = int(np.argmax(inner))
    line = int(np.searchsorted(mesh.node_start, node, side="right") - 1)
    return f"line '{model.names.lines[line]}' at s = {mesh.s[node]:.4g} m"


def read_state(model: Model, work: FemWork) -> State:
    """The State of the present nodes, with reactions from their balance."""
    mesh = work.mesh
    tape = new_tape(1, mesh, work.worst_miss)
    read_now(model, work, tape)
    reading = work.reading
    assert reading is not None
    has_winch = mesh.winches.winch.shape[0] > 0
    state = State(
        time=float(tape.time[0]),
        start=mesh.node_start.copy(),
        s=reading.s.copy(),
        line_length=np.array([reading.s[i] for i in _far_ends(mesh)]),
        **{name: values[0] for name, values in fields_of(tape, 1).items()},
        **_link_loads(model, work),
    )
    return _on_layout(state, work) if has_winch else state


def read_now(model: Model, work: FemWork, tape: Tape) -> None:
    """Put the present moment on the first place of a tape."""
    reading, now = reading_for(model, work), float(work.steps.clock[0].time)
    if work.compiled is None:
        first_moment(work.mesh, model.sea, work.steps, reading, tape)
    else:
        work.compiled.march(np.array([now]), work.mesh, model.sea, model.motions, work.steps, reading, tape)


def reading_for(model: Model, work: FemWork) -> Reading:
    """How the present mesh is read."""
    has_winch = work.mesh.winches.winch.shape[0] > 0
    if has_winch or work.reading is None or work.read_mesh is not work.mesh:
        s = present_s(work.mesh, float(work.steps.clock[0].time))
        work.reading = reading_of(work.mesh, s, point_footings(model), _end_widths(model))
        work.read_mesh = work.mesh
    return work.reading


def _end_widths(model: Model) -> Array:
    """(n_lines, 2) m, of contact with the bed at the ends of lines."""
    sections = [[end_section(model, i, side) for side in range(2)] for i in range(model.lines.length.size)]
    return floats(contact_width(model, ints(sections, (-1, 2))), (-1, 2))


def _link_loads(model: Model, work: FemWork) -> dict[str, Array]:
    """Fields of the State with the forces of the links."""
    if not model.links.names:
        return {}
    force, moment = link_loads(work.steps.now.X, work.mesh)
    return {"link_force": force, "link_moment": moment}


def present_s(mesh: Mesh, t: float) -> Array:
    """s of the nodes from end A as it is at time t (m): winches push line in at an end."""
    s = np.array(mesh.s)
    for i, winch in enumerate(mesh.winches.winch):
        line, inner, end = winch.line, winch.inner, winch.end
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        is_b = (end > inner) != bool(mesh.line[line].flipped)
        s[end] = s[inner] + (1.0 if is_b else -1.0) * end_length(mesh, i, t)
        s[n] -= 0.0 if is_b else s[end]
    return s


def _far_ends(mesh: Mesh) -> list[int]:
    """Nodes at end B of the lines with winches, in the order from end A."""
    return [int(mesh.node_start[line + 1]) - 1 for line in mesh.winches.winch.line]


def _on_layout(state: State, work: FemWork) -> State:
    """The state at the nodes that results keep: those of the start, at the same share of the present length."""
    parts: list[tuple[Array, Array, Array]] = []
    for line in range(work.start.size - 1):
        kept = work.s[work.start[line] : work.start[line + 1]]
        last = state.s[state.start[line + 1] - 1]
        parts.append(resample(state, line, kept * (last / kept[-1])))
    return state._replace(
        start=work.start,
        s=work.s,
        position=np.concatenate([r for r, _, _ in parts]),
        velocity=np.concatenate([v for _, v, _ in parts]),
        tension=np.concatenate([T for _, _, T in parts]),
        element_tension=NONE,
    )
