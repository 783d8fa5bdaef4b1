"""Checkpoints give back every bit, or say that they are damaged."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ropewalk.results.checkpoint import Checkpoint, DamagedError, decode, encode

SNAPSHOT = {
    "grid": np.arange(12.0).reshape(3, 4)[:, ::2],  # not contiguous
    "big endian": np.array([1.5, -2.5], dtype=">f8"),
    "counts": np.array([1, 2, 3], dtype=np.int32),
    "flags": np.array([True, False]),
    "complex": np.array([1 + 2j]),
    "empty": np.zeros((0, 3)),
    "single": np.array(7.0),
    "x": 0.1,
    "n": 42,
    "on": True,
    "infinite": math.inf,
}


def test_snapshot_comes_back_with_its_types():
    back = decode(encode(Checkpoint(17, SNAPSHOT, {"next": 5, "worst": 0.1})))
    assert back.rows == 17
    assert back.loop == {"next": 5, "worst": 0.1}
    assert list(back.snapshot) == list(SNAPSHOT)
    for name, value in SNAPSHOT.items():
        assert type(back.snapshot[name]) is type(value), name
        np.testing.assert_array_equal(back.snapshot[name], value)
        if isinstance(value, np.ndarray):
            assert back.snapshot[name].shape == value.shape
            assert back.snapshot[name].flags.writeable


@given(st.floats(width=64))
def test_floats_keep_every_bit(value):
    back = decode(encode(Checkpoint(0, {"x": value, "a": np.array([value])})))
    assert np.float64(back.snapshot["x"]).tobytes() == np.float64(value).tobytes()
    assert back.snapshot["a"].tobytes() == np.float64(value).tobytes()


@given(st.data())
def test_any_turned_bit_is_found(data):
    good = bytearray(encode(Checkpoint(3, SNAPSHOT)))
    at = data.draw(st.integers(0, len(good) - 1))
    good[at] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(DamagedError):
        decode(bytes(good))


@given(st.integers(0, 400))
def test_any_cut_is_found(length):
    with pytest.raises(DamagedError):
        decode(encode(Checkpoint(3, SNAPSHOT))[:length])


@pytest.mark.parametrize("value", ["text", None, [1.0], np.array(["a"]), np.array([None])])
def test_only_numbers_go_into_a_snapshot(value):
    with pytest.raises(TypeError, match="snapshot\\['x'\\]"):
        encode(Checkpoint(0, {"x": value}))
