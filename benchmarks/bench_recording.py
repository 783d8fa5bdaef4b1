"""What a record costs: a state of 500 nodes to disk, beside a plain write of its bytes.

The lower bound is `os.write` of as many bytes with their CRC-32, which a record needs in any case.
"""

from __future__ import annotations

import os
import tempfile
import time
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from ropewalk.model.state import State
from ropewalk.results import Recorder
from ropewalk.results.segments import RunFolder

NODES, RECORDS, ROUNDS = 500, 200, 8


def _state(t: float, rng: np.random.Generator) -> State:
    return State(
        time=t,
        point_position=rng.normal(size=(2, 3)), point_velocity=np.zeros((2, 3)), point_force=np.zeros((2, 3)),
        body_position=np.zeros((0, 3)), body_quaternion=np.zeros((0, 4)), body_velocity=np.zeros((0, 3)),
        body_rate=np.zeros((0, 3)), start=np.array([0, NODES]), s=np.linspace(0.0, 100.0, NODES),
        position=rng.normal(size=(NODES, 3)), velocity=np.zeros((NODES, 3)), tension=np.ones(NODES),
        end_force=np.zeros((1, 2, 3)), grounded=np.zeros(1),
    )  # fmt: skip


def main() -> None:
    """Print the cost of a record in microseconds of processor time, and its ratio to the lower bound."""
    rng = np.random.default_rng(1)
    names = SimpleNamespace(points=("a", "b"), bodies=(), lines=("m",), sections=())
    states = [_state(0.1 * k, rng) for k in range(10)]
    own, bound = [], []
    with tempfile.TemporaryDirectory() as place:
        folder = RunFolder.create(Path(place) / "a.nc")
        recorder = Recorder(names, {}, folder)  # type: ignore[arg-type]
        data = rng.bytes(8 * 7 * NODES)
        descriptor = os.open(Path(place) / "plain", os.O_CREAT | os.O_WRONLY)
        for _ in range(ROUNDS):
            begin = time.process_time()
            for k in range(RECORDS):
                recorder.add(states[k % 10])
                if recorder.is_due:
                    recorder.save({"x": states[0].position}, {})
            own.append((time.process_time() - begin) / RECORDS)
            begin = time.process_time()
            for _ in range(RECORDS):
                zlib.crc32(data)
                os.write(descriptor, data)
            bound.append((time.process_time() - begin) / RECORDS)
        os.close(descriptor)
        folder.remove()
    print(f"record {1e6 * min(own):.0f} us, plain write {1e6 * min(bound):.0f} us, ratio {min(own) / min(bound):.1f}")
