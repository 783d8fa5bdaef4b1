"""Large scenes and long results in a browser; `make validate` runs these, `python -m benchmarks viewer` times them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.io import netcdf
from ropewalk.spec.system import System
from ropewalk.viewer.build import from_dataset
from ropewalk.viewer.page import page, page_policy
from ropewalk.viewer.server import PageServer
from viewer.browsing import browser, opened, served, until
from viewer.live.test_engine import case

pytestmark = pytest.mark.slow


def repeated(run, records, **attrs):
    """A run played over and over until it has so many records."""
    rows = np.arange(records) % run.sizes["time"]
    long = run.isel(time=rows).assign_coords(time=0.1 * np.arange(records))
    return long.assign_attrs(attrs)


def short_run():
    """Two seconds of a mooring of fine elements."""
    data = case().model_dump(by_alias=True, exclude_unset=True)
    for line in data["lines"].values():
        line["elements"] = 150
    return rw.simulate(System.model_validate(data), 2.0, progress=False)


def seconds_to_first_picture(folder, size=1.0e9):
    """From the start of the command to the first picture of a result of so many bytes."""
    run, path = short_run(), folder / "long.nc"
    run.attrs.pop("events", None)
    netcdf.write(repeated(run, int(size / (run.nbytes / run.sizes["time"]))), path)
    assert path.stat().st_size > 0.95 * size
    with browser() as chrome:
        begun = time.monotonic()
        command = [sys.executable, "-m", "ropewalk", "view", str(path), "--no-open"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            while (found := re.search(r"http://\S+", process.stdout.readline())) is None:
                assert process.poll() is None
            with opened(chrome, found[0]):
                return time.monotonic() - begun
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)


def fine_scene(lines=100, elements=200):
    """Parallel lines of so many elements, moving."""
    points, ropes = {}, {}
    for k in range(lines):
        y = 12.0 * k
        points |= {f"a{k}": {"position": [0, y, -100]}, f"b{k}": {"position": [180, y, 0]}}
        piece = {"section": "r", "length": 215, "elements": elements}
        ropes[f"l{k}"] = {"from": f"a{k}", "to": f"b{k}", "pieces": [piece]}
    data = case().model_dump(by_alias=True, exclude_unset=True)
    system = System.model_validate({**data, "environment": {"depth": 100}, "points": points, "lines": ropes})
    rest = rw.statics(system, method="fem").to_dataset()
    moving = repeated(rest, 4, **rest.attrs)
    moving["position"] = moving["position"] + 0.5 * np.sin(np.arange(4.0))[:, None, None]
    return from_dataset(moving)


def pictures_a_second(scene):
    """While it plays; without a graphics card each picture is drawn by the processor."""
    with (
        PageServer(page(scene), page_policy()) as server,
        served(server) as at,
        browser() as chrome,
        opened(chrome, at) as tab,
    ):
        tab.evaluate("ropewalk.play(true)")
        until(tab, "ropewalk.pictures > 20")
        first = tab.evaluate("[ropewalk.pictures, performance.now()]")
        tab.wait_for_timeout(4000)
        last = tab.evaluate("[ropewalk.pictures, performance.now()]")
        return 1e3 * (last[0] - first[0]) / (last[1] - first[1])


def test_a_result_of_a_gigabyte_is_seen(tmp_path):
    assert seconds_to_first_picture(tmp_path) > 0.0


def test_twenty_thousand_segments_are_played():
    scene = fine_scene()
    assert scene.line_start[-1] - 100 == 20_000
    assert pictures_a_second(scene) > 0.0
