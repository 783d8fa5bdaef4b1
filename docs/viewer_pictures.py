"""Pictures of the 3D viewer and of a live simulation; run with Chromium installed: `python docs/viewer_pictures.py`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import ropewalk as rw
from ropewalk.spec.system import System
from ropewalk.viewer.build import from_dataset
from ropewalk.viewer.live.page import prepare
from ropewalk.viewer.live.server import LiveServer, running
from ropewalk.viewer.live.session import Session
from ropewalk.viewer.page import page

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "_static"
TEMPLATES = ROOT / "src" / "ropewalk" / "cli" / "templates"
GRAPHICS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SIZE = {"width": 1280, "height": 840}
SETTLED = 2500  # ms until everything is drawn


def moored(browser: Any) -> None:
    """A moored platform in irregular waves, its most loaded line picked."""
    system = System.from_file(TEMPLATES / "mooring.yaml")
    run = rw.simulate(system.replace("record", {"every": 0.5}), 60.0, progress=False)
    line = str(run.end_tension.max("time").max("end").idxmax("line").values)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(page(from_dataset(run)), encoding="utf-8")
        tab = browser.new_page(viewport=SIZE, device_scale_factor=1.5)
        tab.goto(f"{path.as_uri()}#t=42&pick=line:{line}")
        tab.wait_for_timeout(SETTLED)
        tab.screenshot(path=OUT / "viewer.png")
        tab.close()


def live(browser: Any) -> None:
    """The tethered buoy in the hand."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(System.from_file(TEMPLATES / "tethered_buoy.yaml"), Path(folder), "buoy")
        server = LiveServer(session)
        prepare(session, server)
        with running(session, server):
            tab = browser.new_page(viewport=SIZE)
            tab.goto(server.address)
            tab.wait_for_timeout(2 * SETTLED)
            x, y = tab.evaluate("ropewalk.places().find((part) => part.name === 'buoy').at")
            tab.mouse.move(x, y)
            tab.mouse.down()
            for k in range(1, 30):
                tab.mouse.move(x - 4 * k, y + 1.5 * k)
                tab.wait_for_timeout(60)
            tab.evaluate("ropewalk.live.pause(true)")
            tab.wait_for_timeout(SETTLED)
            tab.screenshot(path=OUT / "live.png")
            tab.mouse.up()
            tab.close()


def main() -> None:
    """Draw all of them."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        raise SystemExit("no Chromium is installed; these pictures need one (Debian: apt install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=GRAPHICS)
        moored(browser)
        live(browser)
        browser.close()


if __name__ == "__main__":
    main()
