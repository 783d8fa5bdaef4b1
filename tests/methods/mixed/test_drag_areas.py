"""Drag of bodies by their areas and by quadratic damping, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw

RHO, G = 1025.0, 9.81
MASS, VOLUME, AREA = 2000.0, 0.5, 1.6
QUADRATIC = np.diag([0.0, 0.0, 0.5 * RHO * AREA, 0.0, 0.0, 0.0]).tolist()


def sinking(**body: Any) -> rw.System:
    """A body that sinks from rest in deep still water."""
    return rw.System.model_validate({
        "ropewalk": 1,
        "environment": {"depth": 400, "gravity": G, "water_density": RHO},
        "bodies": {"block": {"mass": MASS, "inertia": [300, 300, 300], "volume": VOLUME, "position": [0, 0, -20],
                             **body}},
        "run": {"duration": 12.0, "start": "as_given", "solver": "mixed_fem", "tolerance": 1e-6},
    })  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        {"drag_areas": [{"area": [9.0, 5.0, AREA]}]},
        {"drag_areas": [{"area": 0.6}, {"area": [0.0, 0.0, AREA - 0.6]}]},
        {"drag_areas": [{"area": [AREA, 0.0, 0.0]}], "attitude": [0, 90, 0]},
        {"quadratic_damping": QUADRATIC},
    ],
)
def test_body_sinks_to_its_terminal_velocity(body: dict[str, Any]) -> None:
    r"""From rest, :math:`v = v_t \tanh(a t/v_t)` and :math:`z = -v_t^2/a \ln\cosh(a t/v_t)` with the weight in water
    m a and :math:`v_t^2 = 2 m a/(\rho C A)`; the energy ledger is audited."""
    found = rw.simulate(sinking(**body))
    weight = (MASS - RHO * VOLUME) * G
    a, fastest = weight / MASS, np.sqrt(weight / (0.5 * RHO * AREA))
    t = found.time.values
    z = found["body_position"].sel(body="block").values[:, 2]
    # errors of positions are kept below 1e-6 of the size of the system, 400 m
    assert_allclose(z, -20.0 - fastest**2 / a * np.log(np.cosh(a * t / fastest)), atol=1e-3)


def test_turning_slows_down_as_one_over_time() -> None:
    r"""About the axis of its inertia I: :math:`\omega = \omega_0/(1 + c\, \omega_0 t/I)`, :math:`c = \rho C/2`."""
    case = sinking(drag_areas=[{"turning": [0.3, 0.3, 0.1]}], volume=MASS / RHO)
    rate = 0.2
    start = {"state": "as_given", "bodies": {"block": {"rate": [0.0, 0.0, rate]}}}
    found = rw.simulate(case.replace("run.start", start))
    t, c = found.time.values, 0.5 * RHO * 0.1
    wanted = 300.0 / c * np.log(1.0 + c * rate * t / 300.0)
    q = found["body_quaternion"].sel(body="block").values
    # tolerance 1e-6 of a turn over the run
    assert_allclose(2.0 * np.arctan2(q[:, 3], q[:, 0]), wanted, atol=1e-4)


def test_direct_response_refuses_drag_areas() -> None:
    case = sinking(drag_areas=[{"area": 1.0}], volume=MASS / RHO, stiffness=np.diag([1e3] * 6).tolist())
    with pytest.raises(rw.InputError, match="drag_areas and quadratic_damping"):
        rw.response(case, [0.5], "force:block:x")
