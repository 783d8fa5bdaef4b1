"""The doubts that a result carries, as text for files of other formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xarray as xr


def sentences(dataset: xr.Dataset) -> list[str]:
    """`doubt CODE: SENTENCE` for each doubt of a result."""
    try:
        return [
            f"doubt {doubt['code']}: {doubt['sentence']}" for doubt in json.loads(dataset.attrs.get("doubts", "[]"))
        ]
    except (KeyError, TypeError, ValueError):
        return ["doubt damaged: the doubts of this result cannot be read"]
