"""The longest stable step of a case."""

import json
import math

import pytest
from numpy.testing import assert_allclose

from ropewalk.analysis.step_limit import case_step_limit
from ropewalk.cli.main import main
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.spec.system import System

PENDULUM = {
    "environment": {"gravity": 9.81, "water_density": 0.0, "seabed": {"kind": "none"}},
    "sections": {"stick": {"diameter": 0.01, "mass": 1.0, "axial_stiffness": "inextensible"}},
    "points": {"top": {"position": [0, 0, 0]}, "bob": {"position": [0, 0, -1], "joint": "free", "mass": 99.5}},
    "lines": {"l": {"from": "top", "to": "bob", "elements": 1, "pieces": [{"section": "stick", "length": 1}]}},
    "run": {"duration": 1, "damping": 1.0},
}
# omega^2 = g / l: half of the stick's mass is at the bob, the other half at the support
OMEGA = math.sqrt(9.81)


@pytest.mark.parametrize("solver", ["recursive", "constrained"])
def test_limit_of_a_pendulum(solver):
    """Explicit second-order steps of x'' + c x' + omega^2 x = 0 are stable for omega h < 2, with small damping."""
    found, used = case_step_limit(System.model_validate(PENDULUM), solver, step=0.2, still=1e-2)
    assert used.name == solver
    # damping moves the limit by about c h / 4 of it, 15 %; looks every 0.05 s and patience of five times the rest
    assert 0.8 * 2.0 / OMEGA < found.step < 1.25 * 2.0 / OMEGA
    assert_allclose(found.unstable, found.step, rtol=1e-3)


def test_command_prints_the_limit(tmp_path, capsys, monkeypatch):
    """JSON of the command; the same case twice gives the same number."""
    path = tmp_path / "case.yaml"
    path.write_text(json.dumps({"ropewalk": 1, **PENDULUM}))
    monkeypatch.setattr("sys.argv", ["ropewalk", "step-limit", str(path), "--step", "0.2", "--still", "0.01", "--json"])
    with pytest.raises(SystemExit):
        main()
    told = json.loads(capsys.readouterr().out)
    found, _ = case_step_limit(System.model_validate(PENDULUM), step=0.2, still=1e-2)
    assert told["solver"] == "recursive"
    assert told["step_limit"] == found.step


def test_a_case_that_never_rests_has_no_limit():
    """Without damping a pendulum swings on."""
    system = System.model_validate({**PENDULUM, "run": {"duration": 1}})
    with pytest.raises(ConvergenceError, match="does not come to rest within 3 s with any step"):
        case_step_limit(system, step=0.1, longest=3.0)


def test_solvers_without_a_step_are_refused():
    with pytest.raises(InputError, match="step limit: solver 'catenary' has no fixed time step"):
        case_step_limit(System.model_validate(PENDULUM), "catenary")


def test_the_first_solver_that_claims_the_case_is_asked():
    """Elastic lines are for the implicit bars only; lines over points are for none."""
    sections = {"stick": {**PENDULUM["sections"]["stick"], "axial_stiffness": 1e8}}
    _, used = case_step_limit(System.model_validate({**PENDULUM, "sections": sections}), step=0.2, still=1e-2)
    assert used.name == "constrained_implicit"
    points = {**PENDULUM["points"], "peg": {"position": [0, 0, -0.5]}}
    lines = {"l": {**PENDULUM["lines"]["l"], "over": ["peg"]}}
    with pytest.raises(InputError, match="no solver with fixed steps supports this case: recursive lacks"):
        case_step_limit(System.model_validate({**PENDULUM, "points": points, "lines": lines}), step=0.2)


def test_cases_that_are_driven_are_refused_at_once():
    """In waves nothing comes to rest: every step down to the smallest was tried for 600 s."""
    sea = {"depth": 20.0, "waves": {"kind": "regular", "height": 1.0, "period": 8.0}}
    with pytest.raises(InputError, match="prevent the case from coming to rest; remove them"):
        case_step_limit(System.model_validate({**PENDULUM, "environment": sea}))
