"""Lanes against plain floats in the same kernels, operation by operation."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from ropewalk.numerics.lanes import (
    WIDTH,
    all_of,
    any_of,
    lane,
    lane_array,
    lane_dtype,
    lane_records,
    lane_rows,
    lanes_at,
    lanes_of,
    put_lanes,
    spread,
    where,
)

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="lanes are of compiled code")

# not `kernel`: its cache would keep what an older lanes.py made of these
operation = numba.njit(error_model="numpy", forceinline=True)

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 2.5, -7.25, 1e-300, 1e300, np.inf, -np.inf, np.nan, 3.0])


def _pairs():
    """All pairs of numbers with something special about them, and random ones: (n, WIDTH) each."""
    rng = np.random.default_rng(5)
    a, b = (x.ravel() for x in np.meshgrid(SPECIAL, SPECIAL))
    wide = rng.normal(size=(2, 1000)) * 10.0 ** rng.uniform(-3.0, 3.0, (2, 1000))
    a, b = np.concatenate([a, wide[0]]), np.concatenate([b, wide[1]])
    n = a.size // WIDTH * WIDTH
    return a[:n].reshape(-1, WIDTH).copy(), b[:n].reshape(-1, WIDTH).copy()


# --- the operations, each a kernel that compiles for floats and for lanes ---


@operation
def _add(a, b):
    return a + b


@operation
def _subtract(a, b):
    return a - b


@operation
def _multiply(a, b):
    return a * b


@operation
def _divide(a, b):
    return a / b


@operation
def _negate(a, b):
    return -a


@operation
def _size(a, b):
    return abs(a)


@operation
def _root(a, b):
    return np.sqrt(a)


@operation
def _math_root(a, b):
    return math.sqrt(abs(a))


@operation
def _largest(a, b):
    return max(a, b)


@operation
def _smallest(a, b):
    return min(a, b)


@operation
def _largest_of_three(a, b):
    return max(a, b, 1.5)


@operation
def _smallest_of_four(a, b):
    return min(a, b, -a, 0.5)


@operation
def _less(a, b):
    return where(a < b, 1.0, 0.0)


@operation
def _less_or_equal(a, b):
    return where(a <= b, 1.0, 0.0)


@operation
def _greater(a, b):
    return where(a > b, 1.0, 0.0)


@operation
def _greater_or_equal(a, b):
    return where(a >= b, 1.0, 0.0)


@operation
def _equal(a, b):
    return where(a == b, 1.0, 0.0)


@operation
def _unequal(a, b):
    return where(a != b, 1.0, 0.0)


@operation
def _both(a, b):
    return where((a > 0.0) & (b > 0.0), a, b)


@operation
def _either(a, b):
    return where((a > 0.0) | (b > 0.0), a, 2)


@operation
def _one_of_them(a, b):
    return where((a > 0.0) ^ (b > 0.0), 3, b)


@operation
def _with_numbers(a, b):
    return 2 * a - (1.0 - a) / 4 + (3.0 * b - 1) * 0.5


@operation
def _in_place(a, b):
    x = 0.0
    x += a
    x *= b
    x -= 1.0
    x /= 3.0
    return x


@operation
def _from_branches(a, b):
    """A number in one branch, lanes in the other; a tuple of numbers that becomes one of lanes."""
    pair = (0.0, 0.0)
    if any_of(a > -np.inf):
        pair = (a, b)
    return pair[0] + pair[1]


@operation
def _condition_for_all(a, b):
    """A condition that does not depend on the lane."""
    return where(WIDTH > 2, a, b)


OPERATIONS = {
    function.__name__: function
    for function in (
        _add, _subtract, _multiply, _divide, _negate, _size, _root, _math_root, _largest, _smallest,
        _largest_of_three, _smallest_of_four, _less, _less_or_equal, _greater, _greater_or_equal, _equal, _unequal,
        _both, _either, _one_of_them, _with_numbers, _in_place, _condition_for_all,
    )
}  # fmt: skip


def _both_ways(chosen):
    """The operation on arrays (n, WIDTH), number by number and in lanes."""

    @numba.njit(error_model="numpy")
    def one_by_one(a, b, out):
        for i in range(a.shape[0]):
            for k in range(a.shape[1]):
                out[i, k] = chosen(a[i, k], b[i, k])

    @numba.njit(error_model="numpy")
    def side_by_side(a, b, out):
        x, y, z = lane_array(a, WIDTH), lane_array(b, WIDTH), lane_array(out, WIDTH)
        for i in range(x.shape[0]):
            z[i] = chosen(x[i], y[i])

    return one_by_one, side_by_side


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_gives_the_bits_of_floats_in_every_lane(name):
    """Each operation is one instruction that IEEE 754 defines, so no digit may differ; NaN stays NaN."""
    a, b = _pairs()
    plain, wide = np.zeros_like(a), np.zeros_like(a)
    one_by_one, side_by_side = _both_ways(OPERATIONS[name])
    one_by_one(a, b, plain)
    side_by_side(a, b, wide)
    np.testing.assert_array_equal(np.isnan(wide), np.isnan(plain))
    kept = ~np.isnan(plain)
    np.testing.assert_array_equal(wide[kept].view(np.int64), plain[kept].view(np.int64))


def test_number_and_lanes_meet_behind_a_branch():
    """A variable that is a number in one branch and lanes in another is lanes after it."""
    a, b = np.arange(8.0).reshape(2, WIDTH), np.ones((2, WIDTH))
    out = np.zeros_like(a)
    _both_ways(_from_branches)[1](a, b, out)
    np.testing.assert_array_equal(out, a + b)


def test_any_and_all_over_lanes():
    """Every pattern of a mask, and plain truth values."""

    @numba.njit
    def seen(x):
        lanes = lane_array(x, WIDTH)
        return any_of(lanes[0] > 0.0), all_of(lanes[0] > 0.0), any_of(x[0, 0] > 0.0), all_of(x[0, 0] > 0.0)

    for pattern in range(2**WIDTH):
        bits = [(pattern >> k) & 1 for k in range(WIDTH)]
        x = np.array([bits], dtype=float)
        assert seen(x) == (any(bits), all(bits), bool(bits[0]), bool(bits[0]))


def test_a_lane_is_read_and_a_number_spread():
    """The way in and out for single numbers."""

    @numba.njit
    def gathered(x, out):
        wide = lane_array(x, WIDTH)
        for k in range(WIDTH):
            out[k] = lane(wide[0] + spread(10.0, WIDTH), k)

    out = np.zeros(WIDTH)
    gathered(np.arange(float(WIDTH)).reshape(1, WIDTH), out)
    np.testing.assert_array_equal(out, 10.0 + np.arange(WIDTH))


def test_bits_of_a_lane_do_not_depend_on_its_neighbours():
    """The same numbers in each place of the register, beside others: one result."""

    @numba.njit(error_model="numpy", fastmath={"contract"})
    def long_way(x):
        wide = lane_array(x, WIDTH)
        y = wide[0]
        for _ in range(20):
            y = np.sqrt(abs(y * y - 2.0 * y) + 1.0 / (1.0 + y * y)) - where(y > 1.0, y * 0.3, -y)
        wide[0] = y

    rng = np.random.default_rng(1)
    found = set()
    for k in range(WIDTH):
        for beside in (rng.normal(size=WIDTH), np.full(WIDTH, np.nan), np.full(WIDTH, np.inf)):
            x = beside.reshape(1, WIDTH).copy()
            x[0, k] = 0.7371
            long_way(x)
            found.add(x[0, k].item())
    assert len(found) == 1


def test_records_of_lanes_read_and_write_by_name():
    """Floats of a record become lanes, vectors one field per component, whole numbers stay."""
    plain = np.dtype([("mass", "f8"), ("kind", "i8"), ("force", "f8", (3,))], align=True)
    dtype = lane_dtype(plain, WIDTH)
    assert dtype.names == ("mass", "kind", "force_0", "force_1", "force_2")
    table = np.zeros(3, dtype)
    table["mass"] = np.arange(3.0 * WIDTH).reshape(3, WIDTH)
    table["kind"] = [0, 1, 2]

    @numba.njit
    def doubled(table):
        wide = lane_records(table, WIDTH)
        for i in range(wide.shape[0]):
            row = wide[i]
            row.force_2 = 2.0 * row.mass + row.kind

    doubled(table)
    np.testing.assert_array_equal(table["force_2"], 2.0 * table["mass"] + table["kind"][:, None])


def test_arrays_of_lanes_have_the_other_axes():
    """An array (n, m, WIDTH) of floats is one (n, m) of lanes in the same memory."""

    @numba.njit
    def turned(x, out):
        wide, to = lane_array(x, WIDTH), lane_array(out, WIDTH)
        for i in range(wide.shape[0]):
            for j in range(wide.shape[1]):
                to[j, i] = wide[i, j]

    x = np.random.default_rng(2).normal(size=(3, 5, WIDTH))
    out = np.zeros((5, 3, WIDTH))
    turned(x, out)
    np.testing.assert_array_equal(out, x.transpose(1, 0, 2))


def test_plain_python_means_the_same_by_truth_values():
    """With the compiler off kernels run on floats."""
    assert where(True, 1.0, 2.0) == 1.0
    assert where(False, 1.0, 2.0) == 2.0
    assert any_of(True) and not all_of(False)


def test_lanes_of_different_width_do_not_mix():
    """Two widths in one operation are an error of the kernel, found when it is compiled."""

    @numba.njit
    def mixed(a, b):
        return lane(lane_array(a, 2)[0] + lane_array(b, 4)[0], 0)

    with pytest.raises(numba.TypingError):
        mixed(np.zeros((1, 2)), np.zeros((1, 4)))


@numba.njit
def _twice(a, to):
    for k in range(0, a.size, WIDTH):
        i = min(k, a.size - WIDTH)
        put_lanes(to, i, 2.0 * lanes_at(a, i) + 1.0)


@pytest.mark.parametrize("shape", [(4,), (5,), (7,), (16,), (3, 5, 3)])
def test_numbers_one_after_the_other_are_lanes(shape):
    """Every number of an array of any size and dimension once, by the operations of floats; and the same in Python."""
    a = np.random.default_rng(3).normal(size=shape)
    for function in (_twice, _twice.py_func):
        to = np.full(shape, np.nan)
        function(a, to)
        assert np.array_equal(to, 2.0 * a + 1.0)
    whole = np.zeros((2, 9))
    _twice(a, to)
    put = numba.njit(lambda x, y: put_lanes(x[1], 2, lanes_at(y, 0)))
    put(whole, a.ravel()[:4].copy())
    assert np.array_equal(whole[1, 2:6], a.ravel()[:4])  # within a row of another array, and nowhere else
    assert np.count_nonzero(whole) == 4


def test_lanes_are_not_of_arrays_with_gaps():
    with pytest.raises(numba.TypingError):
        numba.njit(lambda x: lanes_at(x, 0))(np.zeros(10)[::2])


def test_numbers_from_anywhere_are_lanes():
    """Four numbers in their order, whole ones among them."""
    a, to = np.arange(12.0).reshape(4, 3), np.zeros(4)

    @numba.njit
    def column(a, to):
        put_lanes(to, 0, lanes_of(a[0, 1], a[1, 1], a[2, 1], 7))

    for function in (column, column.py_func):
        to[:] = 0.0
        function(a, to)
        assert to.tolist() == [1.0, 4.0, 7.0, 7.0]


@pytest.mark.parametrize("stride", [1, 2, 3, WIDTH])
def test_rows_of_lanes_overlap_where_they_are_shorter_than_a_vector(stride):
    """Row i begins with number `first + stride i`, of one axis and of several components; against slices of numpy."""
    flat, table = np.arange(40.0), np.arange(120.0).reshape(3, 40)

    @numba.njit
    def read(flat, table, first, stride, out):
        one, three = lane_rows(flat, first, stride, WIDTH), lane_rows(table, first, stride, WIDTH)
        for i in range(4):
            put_lanes(out, WIDTH * 4 * i, one[i])
            for p in range(3):
                put_lanes(out, WIDTH * (4 * i + 1 + p), three[i, p])

    @numba.njit
    def write(table, first, stride):
        rows = lane_rows(table, first, stride, WIDTH)
        rows[2, 1] = -rows[2, 1]

    first = 5
    out = np.zeros((4, 4, WIDTH))
    read(flat, table, first, stride, out)
    for i in range(4):
        m = first + stride * i
        assert np.array_equal(out[i, 0], flat[m : m + WIDTH])
        assert np.array_equal(out[i, 1:], table[:, m : m + WIDTH])
    changed = table.copy()
    write(changed, first, stride)
    m = first + 2 * stride
    table[1, m : m + WIDTH] *= -1.0
    assert np.array_equal(changed, table)
