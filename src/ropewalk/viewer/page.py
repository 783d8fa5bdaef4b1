"""One self-contained page from a scene: nothing is fetched, nothing but its own program runs.

Names and titles come from files. They ride in a JSON block that the browser does not run, with every `<` escaped so
that no name can end the block, and the program puts them on the screen as text only.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from ropewalk.viewer.colours import DIVERGING, SEQUENTIAL, colour_map
from ropewalk.viewer.packing import packed
from ropewalk.viewer.scene import Scene

# in the order in which they build on each other
PROGRAM = (
    "matrices.js", "data.js", "shaders.js", "graphics.js", "camera.js", "overlay.js", "pick.js", "plot.js", "viewer.js",
    "main.js",
)  # fmt: skip
LIVE = ("live.js",)  # beside it on pages that are connected to a simulation
STREAMED = ("stream.js",)  # beside it on pages that are served, of results too long for a page


def page(scene: Scene, sources: str = "") -> str:
    """The whole page as HTML.  sources : what it may connect to, nothing unless given"""
    program, style = _program(_extras(scene)), _static("style.css")
    data = {
        **scene.to_json(),
        "maps": {
            "sequential": packed(colour_map(SEQUENTIAL), "u1"),
            "diverging": packed(colour_map(DIVERGING), "u1"),
        },
    }
    text = _static("index.html")
    for mark, value in (
        ("@POLICY@", policy(program, style, sources)),
        ("@STYLE@", style),
        ("@PROGRAM@", program),
        ("@SCENE@", embedded(data)),  # last, so that no mark inside a name is replaced
    ):
        head, _, tail = text.partition(mark)
        text = head + value + tail
    return text


def policy(program: str, style: str, sources: str = "") -> str:
    """Content-Security-Policy: this program and this style by their hashes, and nothing else from anywhere.

    sources : what the page may connect to, nothing unless given
    """
    connect = f"connect-src {sources}; " if sources else ""
    return (
        f"default-src 'none'; script-src '{_hash(program)}'; style-src '{_hash(style)}'; "
        f"{connect}img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def page_policy(scene: Scene | None = None, sources: str = "") -> str:
    """The policy of every page that this version makes, or of that of a scene; the server repeats it as a header."""
    extras = () if scene is None else _extras(scene)
    return policy(_program(extras), _static("style.css"), sources) + "; frame-ancestors 'none'"


def embedded(data: Any) -> str:
    """JSON that can stand inside a script element whatever its strings hold."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _extras(scene: Scene) -> tuple[str, ...]:
    return LIVE if scene.live is not None else STREAMED if scene.stream is not None else ()


def _program(extras: tuple[str, ...] = ()) -> str:
    parts = "\n".join(_static(name) for name in (*extras, *PROGRAM))
    return f'\n"use strict";\n(() => {{\n{parts}\nmain();\n}})();\n'


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _static(name: str) -> str:
    return files("ropewalk.viewer").joinpath("static", name).read_text(encoding="utf-8")
