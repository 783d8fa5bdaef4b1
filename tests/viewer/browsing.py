"""A real browser for the tests: the Chromium that is installed, driven by playwright.

In CI (`CI=true`) Debian's chromium is installed if none is there, and its absence is a failure; elsewhere tests are
skipped.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
GRAPHICS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]  # WebGL without a card
READY = "window.ropewalk !== undefined && window.ropewalk.viewer.state.points.length >= 0"


def chromium() -> str:
    """Path of the browser."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None and os.environ.get("CI") == "true":
        quiet = {"check": False, "capture_output": True}
        subprocess.run(["apt-get", "update"], **quiet)
        done = subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"], **quiet)
        found = shutil.which("chromium")
        if found is None:
            pytest.fail(f"chromium could not be installed: {done.stderr.decode()[-300:]}")
    if found is None:
        pytest.skip("no Chromium is installed; tests in a browser need one (Debian: apt install chromium)")
    return found


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = chromium()
    with sync_playwright() as playwright:
        it = playwright.chromium.launch(executable_path=path, args=GRAPHICS)
        try:
            yield it
        finally:
            it.close()


@contextlib.contextmanager
def opened(browser: Any, address: str, width: int = 1100, height: int = 700, ready: str = READY) -> Iterator[Any]:
    """A page at an address, which must raise no error and ask nobody else for anything."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(60_000)
    page.troubles, page.requests = [], []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.on("console", lambda message: message.type == "error" and page.troubles.append(message.text))
    page.on("request", lambda request: page.requests.append(request.url))
    try:
        page.goto(address)
        until(page, ready)
        yield page
        assert not page.troubles, page.troubles
        root = "/".join(address.split("/")[:3])
        assert all(url.startswith((root, "data:", "blob:")) for url in page.requests), page.requests
    finally:
        page.close()


def until(page: Any, expression: str, seconds: float = 60.0) -> None:
    """Wait until an expression is true on the page; the policy of the page forbids playwright's own way to wait."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"{expression} did not come true; {page.troubles}"
        page.wait_for_timeout(20)


@contextlib.contextmanager
def served(server: Any) -> Iterator[str]:
    """Address of a server that runs in a thread."""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.address
    finally:
        server.shutdown()
        thread.join(10)


def picture(page: Any) -> Any:
    """(height, width, 3) what the window shows, 0 to 255."""
    from PIL import Image

    with Image.open(io.BytesIO(page.screenshot())) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def colours(pixels: Any) -> int:
    """Number of different colours."""
    return int(np.unique(pixels.reshape(-1, 3), axis=0).shape[0])
