"""Arrays as text on the page."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def packed(values: Array, kind: str = "f4") -> dict[str, Any]:
    """An array as base64 of little-endian numbers, with its shape. kind : f4, i4 or u1"""
    data = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<"))
    return {"shape": list(data.shape), "kind": kind, "data": base64.b64encode(data.tobytes()).decode("ascii")}
