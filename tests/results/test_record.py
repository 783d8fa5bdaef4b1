"""The recorder in memory: what stands where, and what it refuses."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from ropewalk.model.model import Names
from ropewalk.model.moments import Moments
from ropewalk.model.state import State
from ropewalk.results import NotFiniteError, Recorder, dataset_of, record

NAMES = SimpleNamespace(points=("anchor", "top", "mid"), bodies=("buoy", "float"), lines=("a", "b"), sections=())
NET_FIELDS = {name for name in State._fields if name.startswith("net_")}


def some_state(t: float, names=NAMES, nodes=(4, 3)) -> State:
    """A state whose every number is different."""
    rng = np.random.default_rng(int(1000 * t))
    n_points, n_bodies, n_lines, n = len(names.points), len(names.bodies), len(names.lines), sum(nodes)
    return State(
        time=t,
        point_position=rng.random((n_points, 3)),
        point_velocity=rng.random((n_points, 3)),
        point_force=rng.random((n_points, 3)),
        body_position=rng.random((n_bodies, 3)),
        body_quaternion=rng.random((n_bodies, 4)),
        body_velocity=rng.random((n_bodies, 3)),
        body_rate=rng.random((n_bodies, 3)),
        start=np.concatenate([[0], np.cumsum(nodes)]).astype(np.int64),
        s=np.concatenate([np.linspace(0.0, 10.0 * (i + 1), k) for i, k in enumerate(nodes)] or [np.zeros(0)]),
        position=rng.random((n, 3)),
        velocity=rng.random((n, 3)),
        tension=rng.random(n),
        end_force=rng.random((n_lines, 2, 3)),
        grounded=rng.random(n_lines),
    )


def test_dataset_gives_back_every_number_of_the_states():
    states = [some_state(0.5 * k) for k in range(5)]
    data = dataset_of(NAMES, states, {"title": "x"})
    assert data.time.values.tolist() == [state.time for state in states]
    for k, state in enumerate(states):
        left_out = {"time", "start", "s", "line_length", "link_force", "link_moment", "node_force", "element_tension"}
        for name in set(State._fields) - left_out - NET_FIELDS:
            np.testing.assert_array_equal(data[name].values[k], getattr(state, name), err_msg=name)


def test_nodes_and_ends_are_found_by_name():
    states = [some_state(0.0)]
    data = dataset_of(NAMES, states, {})
    b = data.tension.isel(node=data.node_line.values == "b")
    np.testing.assert_array_equal(b.s, [0.0, 10.0, 20.0])
    np.testing.assert_array_equal(b.values[0], states[0].tension[4:])
    end = data.end_force.sel(line="b", end="A")
    np.testing.assert_array_equal(end.values[0], states[0].end_force[1, 0])
    size = np.linalg.norm(states[0].end_force[1, 0])
    np.testing.assert_allclose(data.end_tension.sel(line="b", end="A")[0], size, rtol=1e-15)  # round-off of three sums
    np.testing.assert_array_equal(data.body_rate.sel(body="float")[0], states[0].body_rate[1])
    np.testing.assert_array_equal(data.grounded.sel(line="b")[0], states[0].grounded[1])
    np.testing.assert_array_equal(data.point_force.sel(point="top", axis="z")[0], states[0].point_force[1, 2])


def test_links_are_found_by_name_where_a_state_has_them():
    loads = {"link_force": np.array([[1.0, 2.0, 3.0]]), "link_moment": np.array([[0.0, 5.0, 0.0]])}
    names = Names(NAMES.points, NAMES.bodies, NAMES.lines, (), links=("hinge",))
    data = dataset_of(names, [some_state(0.0)._replace(**loads)], {})
    np.testing.assert_array_equal(data.link_force.sel(link="hinge")[0], [1.0, 2.0, 3.0])
    assert float(data.link_moment.sel(link="hinge", axis="y")[0]) == 5.0
    assert "link_force" not in dataset_of(NAMES, [some_state(0.0)], {})


def test_results_span_many_pieces(monkeypatch):
    """Single records, more of them than are made into one piece, before and after a piece of many."""
    monkeypatch.setattr(record, "MANY", 4)
    states = [some_state(0.5 * k) for k in range(20)]
    recorder = Recorder(NAMES, {})
    for state in states[:6]:
        recorder.add(state)
    recorder.take(Moments.of(states[6:13]), np.zeros(7), {})
    for state in states[13:]:
        recorder.add(state)
    assert recorder.rows == 20
    np.testing.assert_array_equal(recorder.dataset().tension, [state.tension for state in states])
    table = recorder.table()
    assert table is not None
    np.testing.assert_array_equal(table.since(5).variables["tension"].values, [state.tension for state in states[5:]])


def test_pieces_that_lie_end_to_end_in_memory_are_not_copied():
    """Slices of one array one after the other; with a gap between them, or in another order, they are copied."""
    states = [some_state(0.5 * k) for k in range(6)]
    whole = Moments.of(states)
    for cuts, is_same in ((((0, 2), (2, 6)), True), (((0, 2), (3, 6)), False), (((2, 6), (0, 2)), False)):
        recorder = Recorder(NAMES, {})
        for first, stop in cuts:
            recorder.take(whole.cut(first, stop), np.zeros(stop - first), {})
        position = recorder.dataset().position.values
        expected = np.concatenate([whole.fields["position"][first:stop] for first, stop in cuts])
        np.testing.assert_array_equal(position, expected)
        assert np.shares_memory(position, whole.fields["position"]) == is_same


def test_a_state_may_change_once_it_is_recorded():
    """Solvers may hand out the same arrays at every record."""
    recorder, state = Recorder(NAMES, {}), some_state(0.0)
    before = state.tension.copy()
    recorder.add(state)
    state.tension[:] = 0.0
    np.testing.assert_array_equal(recorder.dataset().tension[0], before)


def test_parts_that_are_not_there_leave_no_empty_variables():
    names = SimpleNamespace(points=("p",), bodies=(), lines=(), sections=())
    data = dataset_of(names, [some_state(0.0, names, ())], {})
    assert set(data.data_vars) == {"elevation", "point_position", "point_velocity", "point_force"}
    assert set(data.coords) == {"time", "point", "axis"}


def test_energy_terms_are_those_of_the_first_record():
    recorder = Recorder(NAMES, {})
    recorder.add(some_state(0.0), 0.25, {"kinetic": 1.0, "bed": 2.0})
    recorder.add(some_state(1.0), 0.5, {"bed": 3.0})
    data = recorder.dataset()
    np.testing.assert_array_equal(data.energy.sel(term="bed"), [2.0, 3.0])
    np.testing.assert_array_equal(data.energy.sel(term="kinetic"), [1.0, np.nan])
    np.testing.assert_array_equal(data.elevation, [0.25, 0.5])


def test_units_and_meaning_stand_in_the_dataset():
    data = dataset_of(NAMES, [some_state(0.0)], {})
    assert data.tension.attrs == {"units": "N", "long_name": "effective tension at line nodes"}
    assert all({"units", "long_name"} <= set(variable.attrs) for variable in data.variables.values())


@pytest.mark.parametrize(
    ("field", "index", "sentence"),
    [
        ("tension", 5, "tension of line 'b' at s = 10 m is not finite"),
        ("position", (0, 2), "position of line 'a' at s = 0 m is not finite"),
        ("body_rate", (1, 0), "body_rate of 'float' is not finite"),
        ("point_force", (2, 1), "point_force of 'mid' is not finite"),
        ("end_force", (1, 0, 0), "end_force of 'b' is not finite"),
        ("grounded", 0, "grounded of 'a' is not finite"),
    ],
)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_named_and_not_kept(field, index, sentence, value):
    recorder = Recorder(NAMES, {})
    recorder.add(some_state(0.0))
    bad = some_state(1.0)
    getattr(bad, field)[index] = value
    with pytest.raises(NotFiniteError, match=sentence):
        recorder.add(bad)
    assert recorder.dataset().sizes["time"] == 1


def test_moments_before_the_first_that_is_not_finite_are_kept():
    recorder = Recorder(NAMES, {})
    states = [some_state(float(t)) for t in range(4)]
    states[2].tension[5] = np.nan
    with pytest.raises(NotFiniteError, match="tension of line 'b' at s = 10 m is not finite") as error:
        recorder.take(Moments.of(states), np.zeros(4), {})
    assert error.value.time == 2.0
    np.testing.assert_array_equal(recorder.dataset().time, [0.0, 1.0])


def test_moments_are_kept_as_their_states_are():
    """With energies and elevations, from a start in their middle on."""
    states, energy, surface = [some_state(float(t)) for t in range(4)], np.arange(4.0), 0.1 * np.arange(4.0)
    one, all_ = Recorder(NAMES, {}, start=1.0), Recorder(NAMES, {}, start=1.0)
    for state, e, z in zip(states, energy, surface, strict=True):
        one.add(state, float(z), {"kinetic": float(e)})
    all_.take(Moments.of(states), surface, {"kinetic": energy})
    assert one.dataset().identical(all_.dataset())
    assert all_.rows == 3


def test_nodes_may_not_move_along_the_line():
    recorder = Recorder(NAMES, {})
    recorder.add(some_state(0.0))
    state = some_state(1.0)
    with pytest.raises(ValueError, match="the nodes of the State changed"):
        recorder.add(state._replace(s=state.s + 1.0))


def test_results_need_no_compiler():
    """style.md section 2: numba stays inside numerics, physics and solvers, so results open without it."""
    code = (
        "import sys, ropewalk.results, ropewalk.io.netcdf\n"
        "loaded = [m for m in sys.modules if m.split('.')[0] in ('numba', 'xarray', 'pandas', 'pydantic')]\n"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
