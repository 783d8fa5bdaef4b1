"""Times of the records of a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ropewalk.errors import InputError

Times = NDArray[np.float64]

ROUND_OFF = 1e-9  # fraction of a record interval by which records may miss the start and pass the end
MOST_RECORDS = 1e8  # of a run: their times alone take 0.8 GB


def refuse_records(duration: float, every: float) -> None:
    """Raise InputError for more records than a run can keep."""
    if (records := duration / every) > MOST_RECORDS:
        raise InputError(
            f"{duration:g} s with a record every {every:g} s are {records:.3g} records, at most {MOST_RECORDS:g}; "
            "give a larger record.every or a shorter duration"
        )


def record_times(duration: float, every: float, start: float = 0.0) -> Times:
    """Times to advance to (s): `every` apart from 0 to `duration`, so placed that `start` is one of them.

    Where the interval is a whole part of a second they are the nearest numbers to their decimals: 0.3, not 3 x 0.1.
    """
    first = start - every * np.floor(start / every + ROUND_OFF)
    first = 0.0 if abs(first) < ROUND_OFF * every else first
    refuse_records(duration, every)
    records = (duration - first) / every
    count = np.arange(int(np.floor(records + ROUND_OFF)) + 1, dtype=np.float64)
    per_second = round(1.0 / every)
    is_whole = abs(per_second * every - 1.0) < ROUND_OFF
    times: Times = first + (count / per_second if is_whole else count * every)
    return times
