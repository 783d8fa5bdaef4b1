"""What a user of the pages waits for: first picture of a large result, pictures a second, the hand in `live`.

In Chromium without a graphics card, so that the processor draws; bars are for a computer that does nothing else.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchmarks.timing import show
from viewer.browsing import browser
from viewer.live.test_live_browser import latency
from viewer.test_large import fine_scene, pictures_a_second, seconds_to_first_picture


def main() -> None:
    """Print the three figures with their bars."""
    with tempfile.TemporaryDirectory() as folder:
        first = seconds_to_first_picture(Path(folder))
    rate = pictures_a_second(fine_scene())
    with tempfile.TemporaryDirectory() as folder, browser() as chrome:
        hand = latency(chrome, Path(folder))
    show(
        [
            ("first picture of a result of 1 GB", f"{first:.1f} s", "5 s"),
            ("pictures a second of 20,000 segments", f"{rate:.1f}", "20"),
            ("from the hand to the picture at 200 elements", f"{hand:.0f} ms", "100 ms"),
        ],
    )
