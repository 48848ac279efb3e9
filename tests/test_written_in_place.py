"""Arrays written in place: forms and layouts that once went wrong, or were refused without need, in every option."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_program, derivative
from srcgrad import grad
from srcgrad.errors import AliasError

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
X = np.array([1.3, 0.7, 2.1, 0.4])
CELLS = np.sin(np.arange(1.0, 17.0) * 7).reshape(4, 4) + 1.3
LAYOUTS = {"C": CELLS, "Fortran": np.asfortranarray(CELLS), "reversed": CELLS.copy()[::-1],
           "transposed": CELLS.copy().T, "strided": np.repeat(np.repeat(CELLS, 2, 0), 2, 1)[::2, ::2]}

every_option = pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "".join(o) or "default")
every_layout = pytest.mark.parametrize("layout", LAYOUTS)


# ---------------------------------------------------------------- parts of complex arrays, arrays without dimensions

def parts_of_a_product(x):
    a = x * (1 + 2j)
    a.real = x * x
    a.imag = 2.0 * x
    a.imag *= x
    a.real[1:] += a.imag[:-1]
    return np.sum(a.real ** 2 * a.imag)


def parts_of_an_argument(z, x):
    z.imag = x
    z.real[1] = x[0]
    z.real *= 2.0
    return np.sum(np.abs(z * z))


def without_dimensions(y, x):
    y[()] = x[0] * y
    y[...] += x[2]
    y += x[0]
    y[()] **= 2
    return y * x[0]


@every_option
def test_parts_of_complex_arrays(options):
    check_program(parts_of_a_product, (X,), (0,), **options)
    check_program(parts_of_an_argument, (X * (1 - 0.5j), X), (0, 1), **options)


@every_option
def test_an_array_without_dimensions_stays_one(options):
    check_program(without_dimensions, (np.array(1.5), X), (0, 1), **options)


# ---------------------------------------------------------------- shapes

def leading_ones(a):
    a[0] = a[1] * 2.0 + a[2:3]
    a[0] = a[None, 2:3]
    a[:, 1] = a[1:2, 1:2]
    a[[0, 0, 1]] = a[None, 1:]
    a[2] = np.array([[3.0]])
    np.multiply(a[0], a[1:2], out=a[2:3])
    np.copyto(a[3], a[0])
    return np.sum(np.sin(a))


@every_option
@every_layout
def test_leading_dimensions_of_1_are_dropped(layout, options):
    check_program(leading_ones, (LAYOUTS[layout],), (0,), **options)


# ---------------------------------------------------------------- flat

def cells_in_turn(a):
    s = sum(a.flat) + np.sum(a.flat) + max(a.flat)
    for i, (v, w) in enumerate(zip(a.flat, a.T.flat)):
        s += i * v * w
        a[0, i % 4] = s * 0.1
    for v in a.flat:
        s = s * 0.9 + v * v
    return s + [v * v for v in a.flat][5]


def cells_by_number(a):
    a.flat[::3] = a[0, 0]
    a[1].flat = a[0]
    a.flat[-4:] += 1.0
    a[2].flat[1:] = a.flat[1:4]
    np.place(a[3], a[3] > 0.0, a[2])
    np.fill_diagonal(a[:2, :2], a[3])
    return np.sum(a * a)


@every_option
@every_layout
def test_flat(layout, options):
    check_program(cells_in_turn, (LAYOUTS[layout],), (0,), **options)
    check_program(cells_by_number, (LAYOUTS[layout],), (0,), **options)


def flat_of_itself(x, k):
    y = x * 1.0
    y[k:].flat = y[:-k]
    return np.sum(y)


def test_values_that_lie_in_the_array_itself():
    assert grad(flat_of_itself)(X, 2).tolist() == [2.0, 2.0, 0.0, 0.0]
    with pytest.raises(AliasError, match="array itself"):
        grad(flat_of_itself)(X, 1)


def rolled(a):
    np.rollaxis(a, 1)[0] += 1.0
    np.rollaxis(a, 0, 2)[2] *= a[0]
    return np.sum(a * a * np.rollaxis(a, -1))


@every_option
@every_layout
def test_rollaxis_is_a_view(layout, options):
    check_program(rolled, (LAYOUTS[layout],), (0,), **options)


# ---------------------------------------------------------------- results that nobody uses

def inwards(u, n):
    if n == 0:
        return u
    u[0] *= u[1]
    inwards(u[1:], n - 1)
    u += 0.1
    return u


def inwards_to_a_number(u, n):
    if n == 0:
        return u[0]
    u[0] *= u[1]
    inwards_to_a_number(u[1:], n - 1)
    u += 0.1
    return u[0] * u[1]


def inwards_to_several(u, n):
    if n == 0:
        return [u, u[0] * 2.0]
    u[0] *= u[1]
    inwards_to_several(u[1:], n - 1)
    u += 0.1
    return [u, u[1]]


def unused_view(x):
    u = x.copy()
    v = inwards(u, 3)
    v *= 2.0
    return np.sum(u * v)


def unused_number(x):
    u = x.copy()
    inwards_to_a_number(u, 3)
    return np.sum(u * u)


def unused_list(x):
    u = x.copy()
    a, b = inwards_to_several(u, 3)
    inwards_to_several(u, 2)
    a *= b
    return np.sum(u * u)


@every_option
@pytest.mark.parametrize("f", [unused_view, unused_number, unused_list])
def test_results_that_are_not_used(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- lengths that masks decide

def crossed_by_a_mask(a, limit):
    k = np.ix_(np.arange(a.shape[0]), a[0] > limit)
    a[k] *= a[:, :1]
    return np.sum(a[k] * a)


@every_option
def test_a_crossing_by_a_mask_is_as_long_as_the_mask_says(options):
    check_program(crossed_by_a_mask, (CELLS, np.sort(CELLS[0])[-2] + 0.01), (0,), **options)


# ---------------------------------------------------------------- writes that are expressions

def one_of_two_writes(x):
    y = x * 1.0
    y.fill(3.0) if x[0] > 100.0 else y[1:].fill(x[0])
    np.negative(y, y[::-1]) if False else np.negative(y, y)
    (lambda u: u.fill(x[1]))(y[2:])
    x[0] > 100.0 and y.sort()
    x[0] > 100.0 or y[::-1].sort()
    z = np.empty((4, 4))
    np.multiply.outer(y, x, out=z)
    return np.sum(y * x) + np.sum(z * z)


def one_of_two_owners(x):
    a, b = x * 1.0, x * 2.0
    c = (a, b)[int(x[3] > 0.5)]
    c *= x
    (b if x[1] > 0.0 else a)[2] = x[0]
    (a if x[1] > 1.0 else b)[1:] *= a[:-1]
    return np.sum(a * a * b)


@every_option
@pytest.mark.parametrize("f", [one_of_two_writes, one_of_two_owners])
def test_writes_that_are_expressions(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- dtype=

def typed(x):
    y = np.asarray(x, dtype=float)
    y[0] *= 2.0
    z = np.array(x, np.float64)
    z += 1.0
    w = np.asarray([x[0], x[1]], dtype="float64")
    w[1] *= y[0]
    v = np.full_like(np.arange(4), x[1], dtype=x.dtype)
    v[2] = z[0]
    k = np.asarray(x * 10.0, dtype=int)
    return np.sum(x * y * z * k, dtype=float) + w.sum(dtype=np.float64) * np.mean(v, dtype=float)


@every_option
@pytest.mark.parametrize("layout", ["C", "reversed"])
def test_types_by_keyword_are_casts(layout, options):
    check_program(typed, (LAYOUTS[layout][1],), (0,), **options)


@pytest.mark.parametrize("options", OPTIONS)
def test_another_type_is_a_copy(options):
    got = derivative(doubled_as_float, (0,), **options)(X.astype(np.float32))
    np.testing.assert_allclose(got, [4.0 * X[0], *(2.0 * X[1:])], rtol=1e-6)


def doubled_as_float(x):
    y = np.asarray(x, dtype=float)
    y[0] *= 2.0
    return np.sum(x * y)


# ---------------------------------------------------------------- arrays in tuples

def inside_of_a_tuple(t):
    (a, b), c = t
    c[:2] = b[:2]
    return np.sum(a * b * c)


@every_option
def test_an_array_in_an_argument_keeps_its_adjoint(options):
    check_program(inside_of_a_tuple, (((X * 1.1, X + 0.3), X[::-1] + 0.1),), (0,), **options)
