"""What pages hold, read back."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np


def unpacked(entry: dict[str, Any]) -> np.ndarray:
    """The array of an entry that `ropewalk.viewer.packing.packed` made."""
    kind = np.dtype(entry["kind"]).newbyteorder("<")
    return np.frombuffer(base64.b64decode(entry["data"]), dtype=kind).reshape(entry["shape"])
