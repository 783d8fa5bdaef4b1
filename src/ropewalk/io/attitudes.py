"""Attitudes of other programs as the roll, pitch and yaw of a case."""

from __future__ import annotations

import math

import numpy as np

from ropewalk.model.arrays import Array

LEVEL = 1e-12  # sine of an angle that counts as none


def turn(axis: int, degrees: float) -> Array:
    """Rotation matrix about x, y or z (0, 1, 2)."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix: Array = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[j, i], matrix[i, j] = s, -s
    return matrix


def from_case(attitude: tuple[float, ...]) -> Array:
    """Rotation matrix, body to world, of roll, pitch and yaw about x, then y, then z of the world (degrees)."""
    matrix: Array = turn(2, attitude[2]) @ turn(1, attitude[1]) @ turn(0, attitude[0])
    return matrix


def from_moordyn(angles: tuple[float, ...]) -> Array:
    """Rotation matrix of MoorDyn's angles (degrees): Rx Ry Rz, about the axes of the body as it turns."""
    matrix: Array = turn(0, angles[0]) @ turn(1, angles[1]) @ turn(2, angles[2])
    return matrix


def to_case(matrix: Array) -> list[float]:
    """Roll, pitch, yaw of a case (degrees), R = Rz Ry Rx; yaw takes what is left where pitch is 90 degrees."""
    pitch = math.asin(min(1.0, max(-1.0, -float(matrix[2, 0]))))
    if math.cos(pitch) > LEVEL**0.5:
        roll = math.atan2(matrix[2, 1], matrix[2, 2])
        yaw = math.atan2(matrix[1, 0], matrix[0, 0])
    else:
        roll = 0.0
        yaw = math.atan2(-matrix[0, 1], matrix[1, 1])
    return [_tidy(math.degrees(angle)) for angle in (roll, pitch, yaw)]


def to_moordyn(matrix: Array) -> list[float]:
    """MoorDyn's angles (degrees), R = Rx Ry Rz."""
    pitch = math.asin(min(1.0, max(-1.0, float(matrix[0, 2]))))
    if math.cos(pitch) > LEVEL**0.5:
        roll = math.atan2(-matrix[1, 2], matrix[2, 2])
        yaw = math.atan2(-matrix[0, 1], matrix[0, 0])
    else:
        roll = 0.0
        yaw = math.atan2(matrix[1, 0], matrix[1, 1])
    return [_tidy(math.degrees(angle)) for angle in (roll, pitch, yaw)]


def along(direction: Array) -> list[float]:
    """Roll, pitch, yaw (degrees) that turn the body's z axis into a direction."""
    x, y, z = (float(c) for c in direction)
    level = math.hypot(x, y)
    if level <= LEVEL * math.hypot(level, z):
        return [0.0, 0.0 if z >= 0.0 else 180.0, 0.0]
    return [0.0, math.degrees(math.atan2(level, z)), math.degrees(math.atan2(y, x))]


def _tidy(degrees: float) -> float:
    return round(degrees, 12) + 0.0
