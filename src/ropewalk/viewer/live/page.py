"""The page of a live simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ropewalk.results.record import dataset_of
from ropewalk.viewer.build import from_dataset
from ropewalk.viewer.live.server import LiveServer
from ropewalk.viewer.live.session import Session
from ropewalk.viewer.page import page, page_policy
from ropewalk.viewer.scene import Quantity, Scene

HEADROOM = 2.0  # times the first tension: the first range of the colours


def live_scene(session: Session) -> Scene:
    """The scene as it is at the beginning, with what the page needs for the hand."""
    engine = session.engine
    model, system = engine.model, engine.given
    attrs = {"title": system.title, "system": system.model_dump_json(by_alias=True, exclude_unset=True)}
    scene = from_dataset(dataset_of(model.names, [engine.state], attrs, model.nets, model.lines), moving=True)
    high = HEADROOM * max(scene.quantity.high, 0.0) or 1.0
    known = {"grips": engine.grips_of(), "cut": engine.can_cut, "solver": engine.solver_name}
    note = "drag a point or body: free ones are pulled by a spring, held ones are moved"
    return replace(
        scene, live=known, quantity=Quantity("tension", "N", 0.0, high), notes=(note, *scene.notes), tracks=(),
        doubts=engine.doubts,
    )  # fmt: skip


def prepare(session: Session, server: LiveServer) -> None:
    """Give the server the page of the session."""
    scene = live_scene(session)
    session.page_of(scene.origin, float(np.max((scene.high - scene.low)[:2])))
    server.show(page(scene, server.sockets), page_policy(scene, server.sockets))
