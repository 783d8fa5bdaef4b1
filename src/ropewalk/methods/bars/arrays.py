"""Point masses and rigid bars: the arrays that the three bar solvers share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.loads.bed import Bed
from ropewalk.loads.given import PUSHED
from ropewalk.loads.grip import Grip, no_grip
from ropewalk.methods.bars.hull_arrays import Packed
from ropewalk.methods.bars.ledger import Book, make_book
from ropewalk.model.arrays import Array, Flags, Ints, Records, records
from ropewalk.model.in_time import FunctionBook, Functions
from ropewalk.model.joints import AXIS
from ropewalk.physics.waves import COLUMNS

FOOTING = np.dtype(
    [
        ("node", "i8"),
        ("area", "f8"),  # m2
        ("radius", "f8"),  # height of the node over the bed at which contact begins, m
    ],
    align=True,
)


# what bears on the bed at a node
PRESSED = np.dtype(
    [
        ("normal", "f8"),  # force of the bed, N
        ("area", "f8"),  # in contact, m2
    ],
    align=True,
)


SPRUNG = np.dtype([("node", "i8"), *AXIS.descr])  # a spring along an axis of the joint of a node


class Bars(NamedTuple):
    """Nodes with mass, and massless bars between them. Loads of a bar are those of all twines it stands for."""

    # nodes
    mass: Array  # (n,) structural: half of each bar beside it, and what hangs on the node, kg
    volume: Array  # (n,) of what hangs on the node, m3
    drag_area: Array  # (n,) of that, coefficient times area, m2
    added: Array  # (n,) added mass of that, kg
    force: Array  # (n, 3) constant, N
    held: Flags  # (n,) all components held
    axes: Array  # (n, 3, 3) rows: axes of the joint
    loose: Array  # (n, 3) 1 for components that can move, else 0
    spring: Records  # (s,) of SPRUNG
    home: Array  # (n, 3) where held nodes are held, m; springs begin there
    motion: Ints  # (n,) index into the model's Motions, -1 for none
    arm: Array  # (n, 3) of nodes held by a body, from its origin before it turns, m
    footing: Records  # (f,) of FOOTING, what the bed presses on under things that hang on nodes
    # bars
    node: Ints  # (m, 2) ends a, b
    length: Array  # (m,) m
    compliance: Array  # (m,) stretch per tension, l / EA, m/N; 0 for rigid bars
    push: Flags  # (m,) bars that can push in statics; the others go slack
    rod: Flags  # (m,) bars of bodies and hoops, which are rigid together
    member: Records  # (m,) of MEMBER of loads/member.py
    contact_radius: Array  # (m,) m
    contact_width: Array  # (m,) m, 0 for bars that the bed does not touch
    # screens: net surfaces whose drag comes from a screen model, not from twines
    screen: Records  # (k,) of SCREEN of loads/screen.py
    # hinges between bodies that have a spring or a damper
    hinge: Ints  # (h, 4) nodes: off the axis in one part, two on the axis, off it in the other part
    hinge_law: Records  # (h,) of HINGE_LAW of hinges.py
    # springs of balls between bodies
    tie: Ints  # (t, 2) nodes, those of a ball after those of the one before
    tie_stiffness: Array  # (t,) N/m


class LinkNodes(NamedTuple):
    """Where the loads of a link between bodies are read."""

    nodes: tuple[int, ...]  # that both parts have in common, the link's place first; the ends of a bar
    masses: tuple[float, ...]  # of the guest at them, kg
    guest: int  # body that comes to these nodes, -1 for a bar
    sign: float  # +1 if that is at the second end
    bar: int  # of a bar, else -1
    hinge: int  # row of a hinge with a law, else -1
    ties: slice = slice(0, 0)  # rows of the spring of a ball


class Places(NamedTuple):
    """Where the parts of a model lie in Bars."""

    line_start: Ints  # (n_lines + 1,) into line_node
    line_node: Ints  # nodes along each line from end A to B
    line_s: Array  # (len(line_node),) m
    bar_start: Ints  # (n_lines + 1,) bars of each line, in order from A
    point: Ints  # (n_points,) node of each point, -1 if nothing is fastened there
    bar_mass: Array  # (n,) part of the nodes' mass that is of bars, kg
    knot: Ints  # (k,) node of each knot of the nets
    knot_start: Ints  # (n_nets + 1,) into knot
    net_bar_start: Ints  # (n_nets + 1,) bars of nets; after them come those of bodies
    body_start: Ints  # (n_bodies + 1,) into body_node
    body_node: Ints  # points of free bodies
    body_place: Array  # (len(body_node), 3) in the frame of the body, m
    links: tuple[LinkNodes, ...]
    attachment: Ints  # (a,) node of each attachment of the lines
    turning: float  # bound on the squared frequency of springs of balls, 1/s2


class Medium(NamedTuple):
    """The sea as the load kernels read it, by the names of `model.environment.Sea`."""

    gravity: float  # m/s2
    water_density: float  # kg/m3
    depth: float  # m
    current_kind: int
    current_speed: float
    current_heading: float
    current_exponent: float
    current_table: Array
    current_field: Records
    wave: Array  # (ROWS, n)
    wind_speed: float  # m/s
    wind_heading: float  # rad
    # functions of time, -1 for what does not change
    current_factor: int
    current_turn: int
    wind_factor: int
    wind_turn: int
    functions: Functions
    has_bed: bool
    bed: Bed  # of loads/bed.py; a plane
    damping: float  # 1/s, mass-proportional


class Pushes(NamedTuple):
    """Given loads that vary in time."""

    push: Records  # (k,) of PUSHED of loads/given.py; rows are nodes, or bodies
    force: Array  # (n, 3) on the nodes, N; filled by loads.py
    functions: Functions


class Field(NamedTuple):
    """Working arrays of loads; filled by loads.py."""

    flow: Array  # (n, COLUMNS) water at the nodes, of loads/sea.py
    direction: Array  # (m, 3) unit vectors from a to b
    inertia: Array  # (n, 3, 3) mass with added mass, kg
    force: Array  # (n, 3) all but the bars' tension, N
    damping: Array  # (n, 3, 3) minus the derivative of force by velocity, lumped, N s/m
    stiffness: Array  # (n, 3, 3) minus that of the bed's force by position, N/m
    pressed: Records  # (n,) of PRESSED
    grip: Grip  # friction of the bed on the nodes
    hulls: Packed  # bodies with loads of their own
    given: Pushes
    book: Book


def make_field(n: int, m: int, hulls: Packed, given: Pushes | None = None) -> Field:
    """Room for n nodes and m bars."""
    given = given or Pushes(records(0, PUSHED), np.zeros((n, 3)), FunctionBook().build())
    return Field(
        flow=np.zeros((n, COLUMNS)),
        direction=np.zeros((m, 3)),
        inertia=np.zeros((n, 3, 3)),
        force=np.zeros((n, 3)),
        damping=np.zeros((n, 3, 3)),
        stiffness=np.zeros((n, 3, 3)),
        pressed=records(n, PRESSED),
        grip=no_grip(n),
        hulls=hulls,
        given=given,
        book=make_book(n, m),
    )
