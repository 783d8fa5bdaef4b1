r"""Cases and their twins: the same system in other units, turned, mirrored, moved, or written down in another order.

A twin has the same equilibrium, so its end forces must be those of the case, transformed: exact references that no
closed form limits. Sizes follow Froude's law: with gravity and densities as they are, lengths grow as
:math:`\lambda`, speeds as :math:`\lambda^{1/2}`, forces as :math:`\lambda^3`, and the bed's stiffness (Pa/m) stays.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Case = dict[str, Any]
Array = NDArray[np.float64]
# powers of the scale by the keys of a file; what is not listed has no dimension
POWERS = {
    "depth": 1, "z": 1, "position": 1, "length": 1, "s": 1, "diameter": 1, "contact_diameter": 1, "radius": 1,
    "profile": 1, "attachments": 1, "centre_of_mass": 1, "corners": 1, "bar_length": 1, "volume": 3, "force": 3,
    "inertia": 5, "moment": 4, "tension": 3, "spring": 2,
    "speed": 0.5, "lower_sinker": 2, "strain": 0, "coefficients": 0,
}  # fmt: skip
PER_LENGTH = {"mass": 2, "axial_stiffness": 3, "stiffness": 3}  # of sections


def scaled(case: Case, scale: float) -> Case:
    """The case with all lengths times `scale`; only keys of random_systems.py."""
    case = copy.deepcopy(case)
    sea = case["environment"]
    grown: Case = {**case, "environment": _grown(sea, scale, POWERS)}
    if "current" in sea and isinstance(sea["current"].get("profile"), dict):
        profile = grown["environment"]["current"]["profile"] = dict(sea["current"]["profile"])
        if "z" in profile:
            profile["z"] = [scale * z for z in profile["z"]]
    grown["sections"] = {name: _grown(section, scale, {**POWERS, **PER_LENGTH})
                         for name, section in case["sections"].items()}  # fmt: skip
    for kind in ("points", "lines", "bodies", "nets"):
        if kind in case:
            grown[kind] = _grown(case[kind], scale, {**POWERS, "mass": 3})
    return grown


def _grown(value: Any, scale: float, powers: dict[str, float], power: float = 0.0) -> Any:
    """A part of a case; numbers below a key with a power grow by it."""
    if isinstance(value, dict):
        return {key: _below(key, inner, scale, powers, power) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_grown(inner, scale, powers, power) for inner in value]
    if isinstance(value, bool | str) or power == 0.0:
        return value
    return float(value) * scale**power


def _below(key: str, inner: Any, scale: float, powers: dict[str, float], power: float) -> Any:
    listed = isinstance(inner, list) and bool(inner) and isinstance(inner[0], dict)  # attachments of lines have keys
    return _grown(inner, scale, powers, power if listed else powers.get(key, power))


def turned(case: Case, angle: float) -> Case:
    """The case turned about the vertical by `angle`, degrees."""
    case = copy.deepcopy(case)
    R = turn(angle)
    sea = case["environment"]
    if "current" in sea:
        sea["current"]["heading"] = float(sea["current"].get("heading", 0.0)) + angle
    if "normal" in sea["seabed"]:
        sea["seabed"]["normal"] = (R @ sea["seabed"]["normal"]).tolist()
    for part in (*case.get("points", {}).values(), *case.get("bodies", {}).values()):
        part["position"] = (R @ part["position"]).tolist()
        if "force" in part:
            part["force"] = (R @ part["force"]).tolist()
        if isinstance(part.get("joint"), dict):
            part["joint"]["frame"] = (np.array(part["joint"].get("frame", np.eye(3))) @ R.T).tolist()
    for body in case.get("bodies", {}).values():
        body["attitude"] = [0.0, 0.0, angle]
        if "loads" in body:
            body["loads"]["force"] = (R @ body["loads"]["force"]).tolist()
    for net in case.get("nets", {}).values():
        net["panel"]["corners"] = [(R @ corner).tolist() for corner in net["panel"]["corners"]]
    return case


def turn(angle: float) -> Array:
    """(3, 3) rotation about the vertical by `angle`, degrees."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def swapped(case: Case) -> Case:
    """The case with ends A and B of every line exchanged."""
    case = copy.deepcopy(case)
    for line in case.get("lines", {}).values():
        line["from"], line["to"] = line["to"], line["from"]
        line["pieces"] = line["pieces"][::-1]
        whole = sum(piece["length"] for piece in line["pieces"])
        if "attachments" in line:
            line["attachments"] = [{**hung, "s": whole - hung["s"]} for hung in line["attachments"][::-1]]
    return case


def split(case: Case) -> Case:
    """The case with every piece cut in two of the same section."""
    case = copy.deepcopy(case)
    for line in case.get("lines", {}).values():
        line["pieces"] = [{**piece, "length": share * piece["length"]}
                          for piece in line["pieces"] for share in (0.375, 0.625)]  # fmt: skip
    return case


def reordered(case: Case, rng: np.random.Generator) -> Case:
    """The case with its points, bodies and lines in another order, as another file would list them."""
    case = dict(case)
    for kind in KINDS:
        if kind in case:
            case[kind] = {name: case[kind][name] for name in rng.permutation(list(case[kind])).tolist()}
    return case


def mirrored(case: Case) -> Case:
    """The case seen in a mirror, y for -y."""
    case = copy.deepcopy(case)
    sea = case["environment"]
    if "current" in sea:
        sea["current"]["heading"] = -float(sea["current"].get("heading", 0.0))
    if "normal" in sea["seabed"]:
        sea["seabed"]["normal"] = _other_side(sea["seabed"]["normal"])
    for part in (*case.get("points", {}).values(), *case.get("bodies", {}).values()):
        for key in ("position", "force", "centre_of_mass"):
            if key in part:
                part[key] = _other_side(part[key])
        across = part["joint"]["axes"]["y"] if isinstance(part.get("joint"), dict) else None
        if isinstance(across, dict) and "force" in across:
            across["force"] = -across["force"]
    for body in case.get("bodies", {}).values():
        body["attachments"] = {name: _other_side(place) for name, place in body.get("attachments", {}).items()}
        if "loads" in body:
            body["loads"]["force"] = _other_side(body["loads"]["force"])
    for net in case.get("nets", {}).values():
        net["panel"]["corners"] = [_other_side(corner) for corner in net["panel"]["corners"]]
    return case


def _other_side(vector: Any) -> list[float]:
    return [float(vector[0]), -float(vector[1]), float(vector[2])]


def moved(case: Case, way: float) -> Case:
    """The case moved by `way`, m, in y; along the contours of a sloping bed."""
    case = copy.deepcopy(case)
    normal = case["environment"]["seabed"].get("normal", [0.0, 0.0, 1.0])
    along = np.array([-normal[1], normal[0], 0.0])
    along = along / np.linalg.norm(along) if np.any(along) else np.array([0.0, 1.0, 0.0])
    for part in (*case.get("points", {}).values(), *case.get("bodies", {}).values()):
        part["position"] = (np.array(part["position"]) + way * along).tolist()
    for net in case.get("nets", {}).values():
        net["panel"]["corners"] = [(np.array(corner) + way * along).tolist() for corner in net["panel"]["corners"]]
    return case


def twin_of(case: Case, which: str, rng: np.random.Generator) -> tuple[Case, Callable[[Array], Array]]:
    """A twin, and what brings its end forces (n_lines, 2, 3) back to the case."""
    if which == "scaled":
        scale = float(np.exp(rng.uniform(np.log(0.003), np.log(20.0))))
        return scaled(case, scale), lambda force: force / scale**3
    if which == "turned":
        angle = float(rng.uniform(-180, 180))
        return turned(case, angle), lambda force: force @ turn(angle)
    if which == "swapped":
        return swapped(case), lambda force: force[:, ::-1]
    if which == "mirrored":
        return mirrored(case), lambda force: force * [1.0, -1.0, 1.0]
    if which == "moved":
        return moved(case, float(rng.uniform(-1e4, 1e4))), lambda force: force
    if which == "reordered":
        twin = reordered(case, rng)
        back = [list(twin.get("lines", {})).index(name) for name in case.get("lines", {})]
        return twin, lambda force: force[back]
    return split(case), lambda force: force


KINDS = ("points", "bodies", "lines")  # nets are sewn to those above them in the file
PLACES = ("turned", "swapped", "reordered", "mirrored", "moved")  # the same mesh, elsewhere
TWINS = ("scaled", "split", *PLACES)
