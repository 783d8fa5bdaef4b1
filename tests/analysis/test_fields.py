"""Functions of the user's own: the built-in laws that they copy, what goes wrong in them, and checkpoints."""

from __future__ import annotations

import json

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.analysis.run import RunFailedError, simulate
from ropewalk.analysis.statics import statics
from ropewalk.errors import InputError
from ropewalk.spec.fields import Fields
from ropewalk.spec.system import System

LIMIT = 1e-10  # of the largest force: what a copy of a built-in law may differ by
METHODS = ["shooting", "fem"]


def case(axial_stiffness=2e7, environment=None, run=None, **line):
    own = {"diameter": 0.08, "mass": 20, "axial_stiffness": axial_stiffness,
           "drag": {"normal": 1.2, "tangential": 0.1}}  # fmt: skip
    made = {
        "environment": {"depth": 100, "seabed": {"kind": "none"}, **(environment or {})},
        "sections": {"rope": own},
        "points": {"a": {"position": [0, 0, -90]}, "b": {"position": [80, 10, -1]}},
        "lines": {
            "l": {"from": "a", "to": "b", "elements": 12, "pieces": [{"section": "rope", "length": 130}], **line}
        },
    }
    return System.model_validate(made | ({"run": run, "record": {"every": 0.25}} if run else {}))


def agree(one, other, limit=LIMIT):
    assert_allclose(other.state.end_force, one.state.end_force, atol=limit * np.abs(one.state.end_force).max(), rtol=0)


@numba.njit
def pressed(s, r, t, time):
    return 30.0 * t[2], 0.0, -30.0 * t[0]


def tabled(s, r, t, time):
    return np.array([0.0, 5.0 + 0.1 * s, 0.0])


@numba.njit
def turning(s, r, t, time):
    return 0.2 * np.array([r[0], r[1], 0.0])


@numba.njit
def sheared(r, t):
    return max(0.0, min(1.0, 1.0 + 0.01 * r[2])) ** 0.2, 0.0, 0.0


@numba.njit
def linear(e):
    return 2e7 * e


@numba.njit
def stiffening(e):
    return 2e7 * (e + 30.0 * e * e)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("load", "function"),
    [
        ({"kind": "pressure", "axis": [0, 1, 0], "value": 30.0}, pressed),
        ({"kind": "table", "s": [0, 130], "force": [[0, 5, 0], [0, 18, 0]]}, tabled),
        ({"kind": "rotating", "axis": [0, 0, 1], "rate": 0.1}, turning),
    ],
    ids=["pressure", "table, plain", "rotating"],
)
def test_load_is_the_built_in_one(method, load, function):
    """On a line with the sea about it."""
    agree(statics(case(loads=[load]), method), statics(case(), method, fields={"loads": {"l": function}}))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("function", [sheared, getattr(sheared, "py_func", sheared)], ids=["njit", "plain"])
def test_current_is_the_built_in_one(method, function):
    """A power profile."""
    power = {"current": {"speed": 1.0, "profile": {"kind": "power", "exponent": 0.2}}}
    agree(statics(case(environment=power), method), statics(case(), method, fields=Fields(current=function)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("law", "function"),
    [
        (2e7, linear),
        ({"kind": "polynomial", "stiffness": 2e7, "coefficients": [30.0]}, getattr(stiffening, "py_func", stiffening)),
    ],
    ids=["linear", "polynomial, plain"],
)
def test_law_is_the_built_in_one(method, law, function):
    """Inverted by Newton where the built-in law is."""
    agree(statics(case(law), method), statics(case(), method, fields={"laws": {"rope": function}}))


def test_functions_on_a_bed_with_friction_are_left_to_elements():
    """Shooting shares friction out by the built-in loads alone; auto goes on to the elements."""
    ground = {"depth": 100, "seabed": {"stiffness": 1e5, "friction": 0.6}}
    lying = case(environment=ground, pieces=[{"section": "rope", "length": 160}])
    for fields in ({"loads": {"l": pressed}}, {"current": sheared}):
        with pytest.raises(InputError, match=r"without friction, and this one has friction 0.6; use 'fem'"):
            statics(lying, "shooting", fields=fields)


@numba.njit
def with_slope(e):
    return 2e7 * (e + 30.0 * e * e), 2e7 * (1.0 + 60.0 * e)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("function", [with_slope, getattr(with_slope, "py_func", with_slope)], ids=["njit", "plain"])
def test_law_may_give_its_slope(method, function):
    """T and dT/de: the same answer as by differences, and as the built-in polynomial."""
    law = {"kind": "polynomial", "stiffness": 2e7, "coefficients": [30.0]}
    agree(statics(case(law), method), statics(case(), method, fields={"laws": {"rope": function}}))


def test_wrong_slope_of_a_law_is_refused():
    with pytest.raises(InputError, match=r"dT/de at 0.0001 is given as 1e\+07 N, but T rises by 2e\+07 N"):
        statics(case(), fields={"laws": {"rope": lambda e: (2e7 * e, 1e7)}})


@numba.njit
def whirled(s, r, t, time):
    return 0.2 * r[0] + 30.0 * t[2], 0.2 * r[1], -30.0 * t[0]


@numba.njit
def whirled_slopes(s, r, t, time):
    found = np.zeros((3, 6))
    found[0, 0] = found[1, 1] = 0.2
    found[0, 5], found[2, 3] = 30.0, -30.0
    return found


@numba.njit
def shear_slope(r, t):
    z = min(1.0, max(1e-9, 1.0 + 0.01 * r[2]))
    return (0.0, 0.0, 0.002 * z**-0.8 if z < 1.0 else 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("compiled", [True, False], ids=["njit", "plain"])
def test_loads_and_currents_may_give_their_slopes(method, compiled):
    """Derivatives change the way to the equilibrium, not the equilibrium: built-in loads to 1e-10."""
    load, by, water, shear = (
        f if compiled else getattr(f, "py_func", f) for f in (whirled, whirled_slopes, sheared, shear_slope)
    )
    built_in = [
        {"kind": "pressure", "axis": [0, 1, 0], "value": 30.0},
        {"kind": "rotating", "axis": [0, 0, 1], "rate": 0.1},
    ]
    power = {"current": {"speed": 1.0, "profile": {"kind": "power", "exponent": 0.2}}}
    fields = Fields(loads={"l": load}, load_slopes={"l": by}, current=water, current_slope=shear)
    agree(statics(case(environment=power, loads=built_in), method), statics(case(), method, fields=fields))


def test_given_slopes_save_calls():
    """Seven calls with differences, two with derivatives, wherever a derivative is needed."""
    calls = {"load": 0, "slopes": 0}

    def load(s, r, t, time):
        calls["load"] += 1
        return 0.2 * r[0], 0.2 * r[1], 0.0

    def slopes(s, r, t, time):
        calls["slopes"] += 1
        return np.hstack([np.diag([0.2, 0.2, 0.0]), np.zeros((3, 3))])

    statics(case(), "fem", fields={"loads": {"l": load}})
    by_differences, calls["load"] = calls["load"], 0
    statics(case(), "fem", fields={"loads": {"l": load}, "load_slopes": {"l": slopes}})
    assert calls["slopes"] > 100
    assert calls["load"] + calls["slopes"] < 0.6 * by_differences


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"loads": {"l": pressed}, "load_slopes": {"l": lambda s, r, t, time: np.zeros((3, 6))}},
         r"load_slopes.l: column 4 is \[0, 0, 0\], but differences of the function give \[0, 0, -30\]"),
        ({"loads": {"l": pressed}, "load_slopes": {"l": lambda s, r, t, time: np.zeros((3, 3))}},
         r"shape \(3, 3\); it must return 3 x 6 numbers"),
        ({"load_slopes": {"l": whirled_slopes}}, "line 'l' has no load in fields.loads; give both"),
        ({"current_slope": shear_slope}, "which is not given; give both"),
        ({"current": sheared, "current_slope": lambda r, t: np.eye(3)}, "current_slope: column 1"),
    ],
)  # fmt: skip
def test_wrong_slopes_are_refused(fields, words):
    with pytest.raises(InputError, match=words):
        statics(case(), fields=fields)


def test_checkpoints_keep_no_addresses():
    """Laws of drag and functions of loads by tokens: addresses of one run of the program ended the next one."""
    from ropewalk.assembly.mesh import ELEMENT
    from ropewalk.loads.given import LINE_LOAD
    from ropewalk.methods.mixed.solver import MixedFem
    from ropewalk.model.model import build
    from ropewalk.model.state import initial_state
    from ropewalk.numerics.pointers import tokens_of

    data = case().model_dump(mode="json", by_alias=True, exclude_unset=True)
    data["sections"]["rope"]["drag"] = {"along_flow": {"law": "sine"}}
    model = build(System.model_validate(data), Fields(loads={"l": whirled}, load_slopes={"l": whirled_slopes}))
    solver = MixedFem()
    work = solver.start(model, initial_state(model))
    snapshot = solver.snapshot(work)
    for part, dtype, names in (("element", ELEMENT, ("drag_law",)), ("load", LINE_LOAD, ("function", "slopes"))):
        kept = snapshot[f"mesh_{part}"].view(dtype)
        for name in names:
            own = getattr(work.mesh, part)[name]
            assert np.all(own != 0)
            np.testing.assert_array_equal(kept[name], tokens_of(own))
            assert not np.any(kept[name] == own)
    again = solver.restore(model, snapshot)
    np.testing.assert_array_equal(again.mesh.element.drag_law, work.mesh.element.drag_law)


@numba.njit
def swelling(s, r, t, time):
    return 0.0, 12.0 * np.sin(1.3 * time), 0.0


def test_run_under_a_load_of_time_is_that_of_the_case():
    """A table along s with a harmonic factor."""
    factor = {"kind": "harmonic", "terms": [{"amplitude": 1.0, "omega": 1.3, "phase": 0.5 * np.pi}]}
    load = {"kind": "table", "s": [0, 130], "force": [[0, 12, 0], [0, 12, 0]], "factor": factor}
    run = {"duration": 1.0, "step": 0.05}
    one = simulate(case(run=run, loads=[load]))
    other = simulate(case(run=run), fields={"loads": {"l": swelling}})
    tension = one.end_tension.to_numpy()
    # the built-in load is taken at the same times; Newton stops at 1e-9 or so of the tension
    assert_allclose(other.end_tension.to_numpy(), tension, atol=1e-7 * tension.max(), rtol=0.0)
    assert list(json.loads(other.attrs["fields"])) == ["loads.l"]


def test_run_in_a_current_field():
    """A plain Python function, the same as the profile of the case."""
    run = {"duration": 0.5, "step": 0.05}
    even = {"current": {"speed": 1.0}}
    one = simulate(case(run=run, environment=even))
    other = simulate(case(run=run), fields=Fields(current=lambda r, t: (1.0, 0.0, 0.0)))
    tension = one.end_tension.to_numpy()
    assert_allclose(other.end_tension.to_numpy(), tension, atol=1e-7 * tension.max(), rtol=0.0)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"load": {}}, "did you mean 'loads'"),
        ({"loads": {"x": pressed}}, "no line 'x'. Available: l"),
        ({"loads": {"l": 3.0}}, "must be a function, not float"),
        ({"loads": {"l": lambda s, r, t, time: (1.0, 2.0)}}, "shape .2,.; it must return 3 numbers"),
        ({"loads": {"l": lambda s, r, t, time: "no"}}, "it must return 3 numbers"),
        ({"loads": {"l": lambda s, r, t, time: 1 / 0}}, "raised ZeroDivisionError"),
        ({"loads": {"l": lambda s, r, t, time: (np.nan, 0.0, 0.0)}}, "must return finite numbers"),
        ({"laws": {"rope": lambda e: 5.0 + e}}, "T.0. is 5 N"),
        ({"laws": {"rope": lambda e: -e}}, "a law must increase"),
        ({"properties": {"rope": {"colour": lambda s: 1.0}}}, "no property 'colour'"),
        ([1], "must be ropewalk.Fields or a mapping, not list"),
    ],
)
def test_what_is_no_field_is_refused(fields, words):
    """Before anything is computed."""
    with pytest.raises(InputError, match=words):
        statics(case(), fields=fields)


def fails_high(s, r, t, time):
    """Known below 30 m only."""
    if r[2] > -30.0:
        raise ValueError("no data above 30 m")
    return 0.0, 1.0, 0.0


@numba.njit
def is_nan_high(s, r, t, time):
    """Not a number above 30 m."""
    return (0.0 if r[2] < -30.0 else np.nan), 1.0, 0.0


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (fails_high, "load function of line 'l' raised ValueError .no data above 30 m."),
        (is_nan_high, "is not finite at"),
    ],
)
def test_function_that_fails_on_the_way_is_named(function, words):
    """With what it was given."""
    with pytest.raises(InputError, match=words):
        statics(case(), "shooting", fields={"loads": {"l": function}})


def test_run_names_the_function_that_failed():
    """Later than at the start."""

    def late(s, r, t, time):
        return 0.0, 1.0 if time < 0.3 else float("nan"), 0.0

    with pytest.raises(RunFailedError, match=r"load function of line 'l' is not finite at .*0.3"):
        simulate(case(run={"duration": 1.0, "step": 0.05}), fields={"loads": {"l": late}})


@pytest.mark.parametrize("method", ["catenary", "bars_statics"])
def test_others_refuse_and_name_who_can(method):
    """A sentence."""
    with pytest.raises(InputError, match=r"functions, or a current on a grid; use 'shooting', 'fem' or 'relax'"):
        statics(case(), method, fields={"loads": {"l": pressed}})


def stopped_run(path, fields):
    """A run that its own load stops after a while; its folder is kept."""
    from ropewalk.analysis import run as module

    calls = {"n": 0}
    march = module._passages

    def passages(*given):
        for passage in march(*given):
            yield passage
            calls["n"] += 1
            if calls["n"] == 1:
                raise KeyboardInterrupt

    return passages


def test_resume_needs_the_same_functions(tmp_path, monkeypatch):
    """A stopped run goes on to the same bits with the same function, and is refused with another or with none."""
    from ropewalk.analysis import run as module
    from ropewalk.analysis.run import InterruptedRunError

    system, fields = case(run={"duration": 2.0, "step": 0.05}), {"loads": {"l": swelling}}
    whole = simulate(system, fields=fields)
    path = tmp_path / "out.nc"
    with monkeypatch.context() as patch:
        patch.setattr(module, "_passages", stopped_run(path, fields))
        with pytest.raises(InterruptedRunError):
            simulate(system, output=path, fields=fields)
    for other in (None, {"loads": {"l": pressed}}):
        with pytest.raises(InputError, match=r"to a run with other functions .fields: loads.l."):
            simulate(system, output=path, resume=True, fields=other)
    again = simulate(system, output=path, resume=True, fields=fields)
    np.testing.assert_array_equal(again.end_tension.to_numpy(), whole.end_tension.to_numpy())
