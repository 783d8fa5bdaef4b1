"""Runs whose energies fail the audit at the tolerance of the program."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ropewalk.analysis import audit_run, repeat
from ropewalk.analysis.run import RunFailedError, simulate
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.results.segments import RunFolder, part_folder
from ropewalk.spec.system import System


def parting(**run: Any) -> System:
    """A stiff rope, stretched by 0.7 % between held ends, that parts in the middle: 37 kJ within milliseconds."""
    return System.model_validate(
        {
            "environment": {"depth": 16.0, "seabed": {"kind": "none"}},
            "sections": {"rope": {"diameter": 0.06, "mass": 8.0, "axial_stiffness": 1e8}},
            "points": {"low": {"position": [0, 0, -16]}, "top": {"position": [2, 0, -1.1]}},
            "lines": {
                "l": {
                    "from": "low",
                    "to": "top",
                    "elements": 30,
                    "pieces": [{"section": "rope", "length": 14.93}],
                    "break": {"time": 0.1, "s": 7.4},
                }
            },
            "run": {"duration": 0.3, "solver": "mixed_fem", **run},
            "record": {"every": 0.05},
        }
    )


LIMIT = 5e-3  # of the energy exchanged; with run.tolerance 0.003 the rope loses 0.01 of it


@pytest.fixture(scope="module", autouse=True)
def strict() -> Iterator[None]:
    """A limit that this run fails: of those that lose a tenth, the usual one, none takes less than a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audit_run, "WORST_NUMERICS", LIMIT)
        patch.setitem(repeat.CURED, "energy-numerics", LIMIT)
        yield


def codes(data: Any) -> list[str]:
    return [doubt["code"] for doubt in json.loads(data.attrs["doubts"])]


@pytest.fixture(scope="module")
def again(strict: None) -> Any:
    return simulate(parting(), progress=False)


def test_run_is_repeated_with_the_tolerance_that_passes_its_audit(again):
    """Reference: the run with that tolerance given, to the last bit; with the first one given it fails."""
    found = [doubt for doubt in json.loads(again.attrs["doubts"]) if doubt["code"] == "repeated"]
    assert found and found[0]["limit"] == LIMIT and found[0]["value"] > LIMIT
    assert (
        "repeated with run.tolerance 0.0003: with run.tolerance 0.003, the time integration dissipates"
        in found[0]["sentence"]
    )
    given = simulate(parting(tolerance=float(f"{3e-3 * 0.1 ** len(found):.6g}")), progress=False)
    for name in given.data_vars:
        np.testing.assert_array_equal(given[name], again[name], err_msg=name)
    assert "repeated" not in codes(given)
    with pytest.raises(RunFailedError, match="the time integration dissipates"):
        simulate(parting(tolerance=3e-3), progress=False)


def swinging(**run: Any) -> System:
    """A chain of 8 bars let go from the horizontal, in air."""
    return System.model_validate(
        {
            "environment": {"water_density": 0, "seabed": {"kind": "none"}},
            "sections": {"rope": {"diameter": 0.02, "mass": 2.0, "axial_stiffness": "inextensible"}},
            "points": {"top": {"position": [0, 0, 0]}, "end": {"position": [2, 0, 0], "joint": "free", "mass": 5}},
            "lines": {"l": {"from": "top", "to": "end", "elements": 8, "pieces": [{"section": "rope", "length": 2}]}},
            "run": {"duration": 1.0, "start": "as_given", **run},
            "record": {"every": 0.1},
        }
    )


@pytest.mark.parametrize(
    ("solver", "limit", "first", "given"),
    [  # the default steps lose 0.019 and add 0.00117 of the energy exchanged, a quarter of them 0.0018 and 2e-5
        ("constrained_implicit", 4e-3, "run.step 0.02", {"step": 0.005}),
        ("recursive", 1.1e-3, "the steps that were chosen", {"options": {"step_share": 0.25}}),
    ],
)
def test_runs_of_bars_are_repeated_with_shorter_steps(solver, limit, first, given, monkeypatch):
    """Reference: the run with those steps given, to the last bit; with the first ones given it fails."""
    for module, name in ((audit_run.__dict__, "WORST_NUMERICS"), (repeat.CURED, "energy-numerics")):
        monkeypatch.setitem(module, name, limit)
    again = simulate(swinging(solver=solver), progress=False)
    found = [doubt["sentence"] for doubt in json.loads(again.attrs["doubts"]) if doubt["code"] == "repeated"]
    assert len(found) == 1 and f"with {first}, the time integration" in found[0]
    finer = simulate(swinging(solver=solver, **given), progress=False)
    for name in finer.data_vars:
        np.testing.assert_array_equal(finer[name], again[name], err_msg=name)
    if "step" in given:
        with pytest.raises(RunFailedError, match="the time integration"):
            simulate(swinging(solver=solver, step=0.02), progress=False)


def falling(solver: str, mass: float, elements: int, **run: Any) -> System:
    """A weight that falls until its slack rope comes taut, in air."""
    start = {"state": "as_given", "lines": {"l": {"shape": "catenary"}}}
    end = {"position": [1.7, 0, 0], "joint": "free", "mass": mass}
    line = {"from": "top", "to": "end", "elements": elements, "pieces": [{"section": "rope", "length": 2}]}
    return System.model_validate(
        {
            "environment": {"water_density": 0, "seabed": {"kind": "none"}},
            "sections": {"rope": {"diameter": 0.02, "mass": 2.0, "axial_stiffness": "inextensible"}},
            "points": {"top": {"position": [0, 0, 0]}, "end": end},
            "lines": {"l": line},
            "run": {"duration": 1.0, "solver": solver, "start": start, **run},
            "record": {"every": 0.1},
        }
    )


@pytest.mark.parametrize(
    ("solver", "mass", "elements", "reasons"),
    [
        ("projection", 20, 8, ["the strain of a rigid bar is"]),
        ("recursive", 200, 16, [r"the motion at t = 0.5 s needs steps of \S+ s", "numerical overflow at t ="]),
    ],
)
def test_runs_of_bars_that_overflow_are_repeated_with_shorter_steps(solver, mass, elements, reasons, monkeypatch):
    """Steps follow the tensions at records, and those of a blow come between; reference: the steps that hold, given.

    The second case chose steps of 1e-39 s after its first blow, and ended in an OverflowError.
    """
    for module, name in ((audit_run.__dict__, "WORST_NUMERICS"), (repeat.CURED, "energy-numerics")):
        monkeypatch.setitem(module, name, 0.1)
    again = simulate(falling(solver, mass, elements), progress=False)
    found = [doubt["sentence"] for doubt in json.loads(again.attrs["doubts"]) if doubt["code"] == "repeated"]
    assert len(found) == len(reasons)
    for sentence, reason in zip(found, reasons, strict=True):
        assert re.search(reason, sentence)
    share = 0.25 ** len(found)
    given = simulate(falling(solver, mass, elements, options={"step_share": share}), progress=False)
    for name in given.data_vars:
        np.testing.assert_array_equal(given[name], again[name], err_msg=name)
    with pytest.raises(RunFailedError, match=f"the run failed before .*{reasons[0]}.*; kept "):
        simulate(falling(solver, mass, elements, options={"step_share": 1.0}), progress=False)


def test_solver_that_is_given_keeps_its_tolerance():
    with pytest.raises(RunFailedError, match="the time integration dissipates"):
        simulate(parting(), solver=MixedFem(), progress=False)


@pytest.mark.parametrize("tolerance", (3e-3, 3e-4))
def test_stopped_run_goes_on_with_the_tolerance_it_had(again, tolerance, tmp_path, monkeypatch):
    """Stopped in the first run and in the one that repeats it, with a checkpoint after every record; the same bits."""
    monkeypatch.setattr(RunFolder, "is_due", property(lambda self: True))
    plain, output = MixedFem.advance, tmp_path / "a.nc"

    def dies(self, model, work, t):
        if t > 0.16 and self.tolerance == tolerance:
            raise KeyboardInterrupt
        return plain(self, model, work, t)

    with monkeypatch.context() as patch:
        patch.setattr(MixedFem, "advance", dies)
        with pytest.raises(KeyboardInterrupt):
            simulate(parting(), output=output, progress=False)
    assert part_folder(output).is_dir()
    output.unlink(missing_ok=True)
    with simulate(parting(), output=output, resume=True, progress=False) as data:
        assert codes(data) == codes(again)
        for name in again.data_vars:
            np.testing.assert_array_equal(data[name], again[name], err_msg=name)
    assert not part_folder(output).exists()
