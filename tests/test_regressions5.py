"""What once went wrong with arrays that tuples hold, empty views, casts in place, and options that forget kinds."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_program, clone, derivative, same
from srcgrad import UnsupportedError

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
KNOWN = [o for o in OPTIONS if "general" not in o]
X = np.array([0.7, 1.3, 0.4])


# ---------------------------------------------------------------- contents that are reached through a tuple

def tuple_of_buffers(x, n):
    p = (x.copy(), x * 0.5)
    for _ in range(n):
        p[1][:] = p[0] * p[1]
        p = (p[1], p[0])
    return np.sum(p[0] * p[0]) + np.sum(p[1])


def nested_tuple(x, n):
    s = ((x.copy(), 2.0), x * 0.5)
    for _ in range(n):
        (u, c), v = s
        v[:] = u * v * c
        s = ((v, c * 0.9), u)
    return np.sum(s[0][0] * s[0][0]) + np.sum(s[1]) * s[0][1]


def tuples_in_a_list(x, n):
    states = [(x.copy(), x * 0.5)]
    for _ in range(n):
        a, b = states[-1]
        b[:] = a * b
        states.append((b, a))
        states[0][1][0] *= 1.5
    return np.sum(states[-1][0] * states[0][0]) + np.sum(states[0][1] ** 2)


@each_way
@pytest.mark.parametrize("f", [tuple_of_buffers, nested_tuple, tuples_in_a_list])
@pytest.mark.parametrize("n", [0, 1, 3, 4])
def test_what_a_tuple_holds_is_saved_before_it_is_overwritten(f, n, options):
    check_program(f, (X, n), (0,), **options)


# ---------------------------------------------------------------- empty views don't end the adjoint of their array

def empty_view(A):
    v = A[1:, :-1]
    w = v.reshape(v.shape)
    A[0, 0] *= 0.5
    w += 0.1 * A[0, 0]
    return np.sum(A * A)


@each_way
@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (2, 3)])
def test_an_empty_view_leaves_the_adjoint_of_its_array(shape, options):
    check_program(empty_view, (np.arange(1.0, 1 + np.prod(shape)).reshape(shape) / 3,), (0,), **options)


# ---------------------------------------------------------------- kinds that aren't known

def parts_written(x):
    p = np.array_split(x, 2)
    p[0] *= 3
    p[1][-1] = p[0][0]
    return np.sum(x * x)


def tuples_in_a_dict(x):
    d = {0: (x.copy(), x * 0.5), 1: (x * 0.25, x * 0.75)}
    for i in range(3):
        a, b = d[i % 2]
        b *= a
        d[(i + 1) % 2] = (b, d[(i + 1) % 2][0])
        a += d[0][0]
    return np.sum(d[0][0] * d[1][1]) + np.sum(d[0][1] * d[1][0])


@each_way
@pytest.mark.parametrize("f", [parts_written, tuples_in_a_dict])
def test_containers_of_what_is_not_known(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- shuffled again and again

def shuffled_often(x, n):
    rng = np.random.default_rng(3)
    u = x.copy()
    s = 0.0
    for _ in range(n):
        rng.shuffle(u)
        u[0] *= 2.0
        s = s + u[0] * u[-1]
    return s + np.sum(u * np.arange(len(u)))


@each_way
def test_arrays_shuffled_in_a_loop(options):
    check_program(shuffled_often, (X, 3), (0,), **options)


# ---------------------------------------------------------------- NumPy refuses to write floats into integers in place

def scaled(x, k):
    k *= x[0]
    return np.sum(k)


def divided_part(x, k):
    k[:2] /= x[0]
    return np.sum(k)


def powers(x, k):
    k **= x[0]
    return np.sum(k)


def masked(x, k):
    k[k > 1] *= x[0]
    return np.sum(k * x[0])


def rows(x, k):
    for row in k.reshape(3, 1):
        row *= x[0]
    return np.sum(k)


def in_a_callee(x, k):
    def scale(a):
        a *= x[0]
    scale(k)
    return np.sum(k)


def in_a_list(x, k):
    held = [k]
    held[0] *= x[0]
    return np.sum(k)


def booleans(x, k):
    b = k > 1
    b *= x[0]
    return np.sum(x * b)


@pytest.mark.parametrize("options", KNOWN, ids=["default", "plain", "checked"])
@pytest.mark.parametrize("f", [scaled, divided_part, powers, masked, rows, in_a_callee, in_a_list, booleans])
def test_an_error_of_the_function_itself_comes_out_as_it_is(f, options):
    args = (X, np.array([1, 2, 3]))
    with pytest.raises(TypeError) as wanted:
        f(*clone(args))
    ours = clone(args)
    with pytest.raises(TypeError) as got:
        derivative(f, (0,), **options)(*ours)
    assert type(got.value) is type(wanted.value) and str(got.value) == str(wanted.value)
    same(ours, args)


def one_cell(x, k):
    k[0] *= x[0] * 9
    k[-1] += 2
    return np.sum(x * k) * k[0]


@each_way
def test_one_integer_takes_a_float_without_its_derivative(options):
    check_program(one_cell, (X, np.array([1, 2, 3])), (0,), **options)


# ---------------------------------------------------------------- objects from outside that count their calls

class Solver:
    def __init__(self):
        self.calls, self.buffer, self.label = 0, np.zeros(3), ""

    def run(self, x):
        self.buffer[:] = x * x
        self.calls += 1
        self.label = "run"
        self.buffer[0] *= self.buffer[1]
        return np.sum(self.buffer * x)


SOLVER = Solver()


def counted(x, n):
    s = 0.0
    for _ in range(n):
        s = s + SOLVER.run(x)
    return s + np.sum(x)


@each_way
@pytest.mark.parametrize("n", [0, 2])
def test_a_field_that_nothing_reads_may_change(n, options):
    check_program(counted, (X, n), (0,), **options)


@each_way
def test_the_count_goes_on(options):
    SOLVER.calls = 0
    derivative(counted, (0,), **options)(X, 3)
    assert SOLVER.calls == 3 and SOLVER.label == "run"
    np.testing.assert_array_equal(SOLVER.buffer, [X[0] ** 2 * X[1] ** 2, X[1] ** 2, X[2] ** 2])


class Weighted:
    def __init__(self):
        self.weight = 1.0

    def run(self, x):
        y = x * self.weight
        self.weight = 2.0 * self.weight
        return np.sum(y * y)


WEIGHTED = Weighted()


def weighted(x):
    return WEIGHTED.run(x)


@each_way
def test_a_field_that_was_read_is_refused(options):
    with pytest.raises(UnsupportedError, match="isn't local, is changed here and was read before"):
        derivative(weighted, (0,), **options)(X)
