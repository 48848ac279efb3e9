"""Needs by part of an array: what is read backwards is put back, and no more than that is saved."""
from __future__ import annotations

import numpy as np
import pytest

import srcgrad
from harness import check_program
from srcgrad.options import Options

MODES = {"optimised": {}, "plain": {"plain": True}, "general": {"general": True}, "checked": {"checked": True}}
each_way = pytest.mark.parametrize("options", MODES.values(), ids=MODES)
R = np.random.default_rng(5)
A, X = R.uniform(0.5, 1.5, (4, 4)) + 4.0 * np.eye(4), R.uniform(0.5, 1.5, 6)


# ---------------------------------------------------------------- nothing need be saved of the arrays

def lu(A):
    A = A.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1:] -= A[i, k] * A[k, k + 1:]
    return np.sum(A * A)


def scan(x):
    y = np.ones(len(x) + 1)
    for i in range(len(x)):
        y[i + 1] = y[i] * x[i]
    return y[-1]


def scan_from_the_end(x):
    y = x.copy()
    for i in range(len(x) - 2, -1, -1):
        y[i] = np.sin(y[i + 1]) * x[i]
    return np.sum(y)


def forward_substitution(A):
    n = len(A)
    y = np.zeros(n)
    for i in range(n):
        y[i] = (1.0 + i - A[i, :i] @ y[:i]) / A[i, i]
    return np.sum(y * y)


def odd_from_even(x):
    y = x.copy()
    for i in range(1, len(x) - 1, 2):
        y[i] = y[i - 1] * y[i + 1]
    return np.sum(y * y)


def strides(x):
    y = x.copy()
    y[1::2] = y[::2] * y[::2]
    return np.sum(y)


def rows_of_a_view(A):
    B = A.copy()
    for i in range(len(B) - 1):
        row, following = B[i], B[i + 1]
        following[1:] = row[:-1] * row[1:]
    return np.sum(B)


def ghost_cells(x):
    u = np.zeros(len(x) + 2)
    u[1:-1] = x
    u[0] = u[1] * u[2]
    u[-1] = u[-2] * u[-3]
    return np.sum(u * x[0])


@pytest.mark.parametrize("f", [lu, scan, scan_from_the_end, forward_substitution, odd_from_even, strides,
                               rows_of_a_view, ghost_cells])
def test_nothing_is_saved_that_nothing_reads(f):
    args = (A,) if f in (lu, forward_substitution, rows_of_a_view) else (X,)
    assert "copy()" not in "".join(line for line in srcgrad.grad(f).source(*args).splitlines() if "saved" in line)
    assert "] = " not in "".join(line for line in srcgrad.grad(f).source(*args).splitlines() if "pop()" in line)


# ---------------------------------------------------------------- something must be

def swept_twice(x):
    y = x.copy()
    for _ in range(2):
        for i in range(1, len(x)):
            y[i] = y[i - 1] * y[i]
    return np.sum(y)


def one_step_back(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i - 1] * y[i - 1]
        y[i - 1] = 0.5 * i
    return np.sum(y)


def wraps(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = np.sin(y[i - 1]) * y[i - 2]
    return np.sum(y)


def counted_from_the_end(x):
    y = x.copy()
    for i in range(1, len(x) + 1):
        y[-i] = y[i - 1] * y[-1]
    return np.sum(y)


def crossing(A):
    B = A.copy()
    n = len(B)
    for i in range(n):
        for j in range(n):
            B[i, j] = B[j, i] * B[i, 0]
    return np.sum(B)


def index_that_moves(x):
    y = x.copy()
    j = 0
    for i in range(len(x)):
        y[j] = y[i] * y[j]
        j = i
        if i % 2:
            j = i - 1
    return np.sum(y * y)


def shifted_after_the_read(x):
    y = x.copy()
    i = 1
    z = y[i] * y[i]
    i = i + 1
    y[i - 1] = 3.0 * z
    return np.sum(y * y) + z


def read_in_one_loop_written_in_another(x):
    y = x.copy()
    s = 0.0
    for i in range(len(x) - 1):
        s = s + y[i] * y[i + 1]
    for i in range(len(x)):
        y[i] = s
    return np.sum(y)


def last_cell_of_a_loop(x):
    y = x.copy()
    s = 0.0
    for i in range(2, len(x)):
        s = s + y[i] ** 2
    y[-1] = s
    y[1] = s
    return np.sum(y)


def left_early(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i] * y[i - 1]
        if y[i] > 1.0:
            break
        y[i - 1] = 2.0
    y[0] = y[1] * y[0]
    return np.sum(y * y)


def reversed_view(x):
    y = x.copy()
    v = y[::-1]
    for i in range(len(x)):
        v[i] = v[i] * y[i]
    return np.sum(y)


def transposed(A):
    B = A.copy()
    C = B.T
    for i in range(len(B) - 1):
        C[i + 1] = C[i + 1] * B[i]
        B[i, 0] = C[0, i] ** 2
    return np.sum(B * B)


def by_numbers(x):
    y = x.copy()
    where = np.array([0, 2, 2])
    y[where] = y[1:4] * y[0]
    y[3:] *= y[:3]
    return np.sum(y)


def lengths_from_the_data(x):
    y = x.copy()
    m = int(np.sum(x > 0.9))
    y[:m] *= y[0]
    y[m:] *= y[-1]
    return np.sum(y)


def of_two(x):
    a, b = x.copy(), x * 2.0
    c = a if x[0] > 1.0 else b
    for i in range(1, len(x)):
        c[i] = a[i - 1] * b[i - 1]
    return np.sum(a) + np.sum(b * b)


def swapped(x):
    u, v = x.copy(), x * 0.5
    for i in range(len(x) - 1):
        u[i] = v[i + 1] * u[i + 1]
        v[i + 1] = u[i] * u[i]
        u, v = v, u
    return np.sum(u * v)


def while_loops(x):
    y = x.copy()
    k = 0
    while k < len(x) - 1:
        for i in range(k + 1, len(x)):
            y[i] = y[i] * y[k]
        k += 2
    return np.sum(y)


def new_each_time(x):
    s = 0.0
    for i in range(1, len(x)):
        t = x[:i] * x[i]
        t[-1] = t[0] * t[-1]
        t[0] = t[-1] ** 2
        s = s + np.sum(t)
    return s


HARD = [swept_twice, one_step_back, wraps, counted_from_the_end, crossing, index_that_moves, shifted_after_the_read,
        read_in_one_loop_written_in_another, last_cell_of_a_loop, left_early, reversed_view, transposed, by_numbers,
        lengths_from_the_data, of_two, swapped, while_loops, new_each_time]


@each_way
@pytest.mark.parametrize("f", [lu, scan, scan_from_the_end, forward_substitution, odd_from_even, strides,
                               rows_of_a_view, ghost_cells, *HARD])
def test_gradients_are_right(f, options):
    check_program(f, (A,) if "A" in f.__code__.co_varnames[:1] else (X,), (0,), **options)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("f", [lu, scan, while_loops, swept_twice, crossing, scan_from_the_end, new_each_time])
def test_the_same_at_other_sizes(f, n):
    check_program(f, (A[:n, :n],) if "A" in f.__code__.co_varnames[:1] else (X[:n],), (0,))


# ---------------------------------------------------------------- what loops run over

def from_where_the_last_one_ended(x):
    y = x.copy()
    for i in range(2):
        y[i] *= y[i + 1]
    for i in range(i, len(x)):                # noqa: B020  (that is what is tested)
        y[i] = y[i - 1] * y[i]
    return np.sum(y)


def rows_of_itself(A):
    s = 1.0
    for A in A:                               # noqa: B020
        s = s * np.sum(A * A) + A[0]
    return s


@each_way
@pytest.mark.parametrize("f, x", [(from_where_the_last_one_ended, X), (rows_of_itself, A)])
def test_a_loop_over_what_its_variable_was(f, x, options):
    check_program(f, (x,), (0,), **options)


# ---------------------------------------------------------------- checked mode

WORK = np.zeros(6)


def through_a_buffer(x):
    WORK[:] = x
    WORK[1:] *= WORK[:-1]
    return np.sum(WORK * WORK)


@each_way
def test_an_outer_array_holds_what_the_function_leaves(options):
    srcgrad.grad(through_a_buffer, options=Options(**options))(X)
    np.testing.assert_array_equal(WORK, [X[0], *(X[1:] * X[:-1])])


# ---------------------------------------------------------------- sums of products

def scaled_rows(A, c):
    B = A.copy()
    for i in range(1, len(B)):
        B[i, :i] -= c * B[i - 1, :i] * B[i, i]
    return np.sum(B * B)


@each_way
def test_numbers_get_dot_products(options):
    check_program(scaled_rows, (A, 0.3), (0, 1), **options)


def test_they_stand_in_the_text():
    assert "np.sum(" not in srcgrad.grad(scaled_rows, argnums=1).source(A, 0.3).split("# backward")[1].replace(
        "return np.sum(", "")
