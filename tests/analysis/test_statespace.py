"""State spaces against the direct response."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.analysis.linearise import Linearised, linearise
from ropewalk.analysis.response import response
from ropewalk.analysis.statespace import state_space, to_scipy
from ropewalk.errors import InputError
from ropewalk.spec.system import System
from validation.test_frequencies import cable, n_pendulum

OMEGA = np.array([0.3, 1.0, 2.5])


def transfer(result: object, omega: float) -> np.ndarray:
    """C (s - A)^-1 B + D at s = -i omega, the convention of responses."""
    A, B, C, D = (result[name].values for name in "ABCD")  # type: ignore[index]
    return np.asarray(C @ np.linalg.solve(-1j * omega * np.eye(A.shape[0]) - A, B) + D)


def tilted() -> System:
    """A heavy cable with a mass, hanging in a slope: tension and motion are coupled."""
    system = cable(8, 10.0, 11.0, {"drag": 0, "added_mass": 0, "mass": 2.0, "axial_stiffness": "inextensible"}, 9.81)
    return system.replace(points={**system.points, "B": system.points["B"].replace(position=(10.0, 0.0, 2.0))})


def test_force_to_position_and_tension_of_a_pendulum_chain() -> None:
    """All modes and the static rest: equal to the direct response, the instant tension included."""
    linear = linearise(n_pendulum([1.0, 2.0, 0.5], 3.0), mass_damping=0.3)
    result = state_space(linear, ["force:end:x", "force:end:z"], ["position:end:x", "tension:line:A"], modes=6)
    for omega in OMEGA:
        H = transfer(result, omega)
        for i, drive in enumerate(("force:end:x", "force:end:z")):
            direct = response(linear, [omega], drive)
            assert_allclose(H[0, i], direct.point_position.sel(point="end", axis="x").values[0], atol=1e-9)
            assert_allclose(H[1, i], direct.tension.values[0, 0], atol=1e-8)


def test_motion_enters_by_its_acceleration() -> None:
    """Transfer from acceleration times -omega^2 is that from displacement."""
    linear = linearise(tilted(), mass_damping=0.2)
    result = state_space(linear, ["motion:B:x"], ["tension:cable:A", "position:B:x"], modes=40)
    for omega in OMEGA:
        direct = response(linear, [omega], "motion:B:x")
        H = transfer(result, omega)[:, 0] * -(omega**2)
        assert_allclose(H[0], direct.tension.values[0, 0], rtol=1e-6)
        assert_allclose(H[1], 1.0, rtol=1e-9)


def test_few_modes_are_exact_slowly_and_close_below_the_next() -> None:
    """Two of six modes carry 5 % of a frequency below them; at zero frequency the static part is exact."""
    linear: Linearised = linearise(n_pendulum([1.0, 2.0, 0.5], 3.0), mass_damping=0.3)
    few = state_space(linear, ["force:end:x"], ["position:end:x"], modes=2)
    slow = response(linear, [1e-3], "force:end:x").point_position.sel(point="end", axis="x").values[0]
    assert_allclose(transfer(few, 1e-3)[0, 0], slow, rtol=2e-5)  # damping of the others: 0.3 * 1e-3 / omega_3^2
    direct = response(linear, [1.0], "force:end:x").point_position.sel(point="end", axis="x").values[0]
    assert_allclose(transfer(few, 1.0)[0, 0], direct, rtol=0.05)


def test_scipy_takes_it() -> None:
    """The step response of a pendulum under 1 N settles at F/(m g/l)."""
    linear = linearise(n_pendulum([2.0], 4.0), mass_damping=0.8)
    system = to_scipy(state_space(linear, ["force:end:x"], ["position:end:x"]))
    from scipy.signal import step

    _, y = step(system, T=np.linspace(0.0, 60.0, 600))
    assert_allclose(y[-1], 4.0 / (2.0 * 9.81), rtol=1e-6)
    poles = np.linalg.eigvals(system.A)
    assert_allclose(np.abs(poles), math.sqrt(9.81 / 4.0), rtol=1e-9)


def test_unknown_outputs_and_waves_are_refused() -> None:
    """Messages say what would be right."""
    system = n_pendulum([2.0], 4.0)
    with pytest.raises(InputError, match="choose position:PART:DIRECTION"):
        state_space(system, ["force:end:x"], ["speed:end:x"])
    with pytest.raises(InputError, match="has forces and motions"):
        state_space(system, ["waves"], ["position:end:x"])
