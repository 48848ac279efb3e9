"""Programs whose names may be numbers or arrays, views or copies, and containers whose arrays are written in place.

Each is checked with what the arguments tell, and with every kind unknown.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from harness import call_derivative, clone, compare, derivative, differences

random = np.random.default_rng(0)
CASES: list[Any] = []


def V(n: int) -> np.ndarray:
    return random.uniform(0.5, 1.5, n)


def M(rows: int, columns: int) -> np.ndarray:
    return random.uniform(0.5, 1.5, (rows, columns))


def T(*shape: int) -> np.ndarray:
    return random.uniform(0.5, 1.5, shape)


def program(*inputs: tuple, wrt: tuple[int, ...] = (0,)) -> Callable:
    def register(f: Callable) -> Callable:
        CASES.extend(pytest.param(f, args, wrt, id=f"{f.__name__}-{k}") for k, args in enumerate(inputs))
        return f
    return register


@dataclass
class Layer:
    w: np.ndarray
    b: float


@program((V(3), ), (0.7, ), (M(2, 3), ))
def alias_number_or_array(x):
    y = x
    y *= 2.0
    z = y * x
    y += z
    return np.sum(x * y)


@program((M(3, 3), ), (V(3), ), (T(3, 2, 2), ))
def row_then_store(A):
    A = A.copy()
    row = A[1]
    A[1] = A[0] * A[2]
    s = np.sum(row * A[0])
    row = A[2]
    A[2] = 5.0 * row * A[0]
    return s + np.sum(row * A[1])


@program((M(3, 3), ), (V(3), ))
def accumulate_rows(A):
    A = A * 1.0
    s = 0.0
    for i in range(len(A)):
        s += A[i]
        A[i] *= s
    return np.sum(s * A[0])


@program((M(3, 3), ), (V(3), ))
def accumulate_rows_alias(A):
    A = A * 1.0
    s = A[0]
    t = s
    for i in range(1, len(A)):
        s += A[i] * t
        A[i] *= 0.5
    return np.sum(s * t) + np.sum(A * A)


@program((V(4), ), (M(3, 2), ))
def lists_of_rows(A):
    A = A.copy()
    L = []
    for i in range(len(A)):
        L.append(A[i])
    A[0] *= 3.0
    L[1] = L[0] * L[2]
    t = 0.0
    for v in L:
        t = t + np.sum(v * v)
    A[1] = 0.0
    return t + np.sum(A)


@program((V(4), ), (M(3, 2), ), (T(2, 2, 2), ))
def tuples_of_rows(A):
    A = A.copy()
    p, q = A[0], A[1]
    A[0] = q * 2.0
    t = (p, q)
    A[1] = p * q
    a, b = t
    return np.sum(a * b * A[0]) + np.sum(t[1] * A[1])


@program((V(3), 2), (M(3, 2), 0), wrt=(0, ))
def dyn_index(A, i):
    A = A.copy()
    r = A[i]
    A[i] = r * r
    s = A[i] * r
    A[i] += s
    return np.sum(A * A)


@program((T(2, 3, 4), ), (M(3, 4), ))
def ranks_of_shapes(A):
    B = np.triu(A)
    C = np.atleast_2d(A)
    D = np.vstack([A, A * 2])
    B[0] = B[0] * 2.0
    C = C * 3.0
    C[-1] = C[0] * 2
    return np.sum(B * A) + np.sum(C * C) + np.sum(D[0] * D[-1])


@program((M(2, 3), ), (V(3), ))
def broadcast_view(A):
    A = A.copy()
    B = np.broadcast_to(A, (4, ) + A.shape)
    A[0] *= 2.0
    s = np.sum(B * B * np.arange(1., 5.).reshape((4, ) + (1, ) * A.ndim))
    A[1] = 0.0
    return s + np.sum(A)


@program((M(3, 3), ), (V(3), ))
def transposes(A):
    B = A.T
    if isinstance(A, np.ndarray):
        A[0] *= 2.0
    C = np.transpose(A)
    return np.sum(B * B) + np.sum(C * A)


@program((V(3), 0.5), (0.2, V(3)), (0.1, 0.2), (V(3), V(3)), wrt=(0, 1))
def branch_kinds(x, y):
    if np.sum(x) > 1.0:
        z = x
    else:
        z = y
    w = z
    z = z * y
    w += 1.0
    return np.sum(z * w) + np.sum(x)


@program((V(3), ), (0.5, ))
def swap_rebind(x):
    a, b = x, x * 2.0
    for _ in range(3):
        a, b = b, a
        a += 0.5 * b
        b *= 1.1
    return np.sum(a * b) + np.sum(x * x)


@program((M(3, 3), np.array([0, 2, 0])), (V(3), np.array([1, 1])), (V(3), 1), wrt=(0, ))
def gather_unknown(A, idx):
    A = A.copy()
    g = A[idx]
    A[idx] = 7.0 * g
    h = A[idx]
    A *= 2.0
    return np.sum(g * h) + np.sum(A * A)


@program((M(3, 3), np.array([0, 2, 1])), (V(3), np.array([1, 0])), (V(3), 1), wrt=(0, ))
def gather_written(A, idx):
    B = A * 2.0
    g = B[idx]
    g *= 2.0
    B += 1.0
    return np.sum(g * g) + np.sum(B * B)


@program(({"w": V(3), "b": 0.5}, V(3)), ({"w": M(2, 3), "b": V(2)}, V(3)), wrt=(0, 1))
def dict_leaves(p, x):
    w = p["w"]
    y = w @ x + p["b"]
    y += 1.0
    return np.sum(y * y) + np.sum(w)


@program(([V(3), 0.5, M(2, 2)], ), ([0.3, 0.5, V(1)], ))
def list_leaves(p):
    s = 0.0
    for v in p:
        s += np.sum(v * v)
    p[0] = p[1] * 2.0
    q = p[2]
    q *= 2.0
    p[1] += 1.0
    return s + np.sum(p[0]) + np.sum(q * q) + np.sum(p[2] * p[1])


@program(((V(3), 0.5), ), ((0.1, M(2, 2)), ))
def tuple_leaves(p):
    a, b = p
    a *= 2.0
    b += a.sum() if isinstance(a, np.ndarray) else a
    return np.sum(a * a) + np.sum(b * b) + np.sum(p[0])


@program((V(4), ), (M(4, 2), ))
def running(x):
    y = np.zeros_like(x)
    acc = 0.0
    for k in range(len(x)):
        acc = acc + x[k] * x[0]
        y[k] = acc
        if k == 2:
            acc = y[1]
        y[1] = y[1] * 0.5
    return np.sum(y * y) + np.sum(acc)


@program((V(4), ), (M(4, 2), ))
def while_rows(x):
    u = x.copy()
    k = 0
    v = u[0]
    while k < 3:
        v = u[k]
        u[k + 1] = u[k + 1] + v * v
        if k == 1:
            v *= 2.0
            u[k] = v
        k += 1
    return np.sum(u * u) + np.sum(v)


@program((V(4), ), (M(4, 2), ), (0.5, ))
def reshape_ravel(x):
    f = np.ravel(x)
    f *= 2.0
    g = np.reshape(x, -1)
    g += f * f
    s = np.squeeze(x)
    return np.sum(f * g) + np.sum(x * x) + np.sum(s)


@program((V(4), V(4)), (0.3, V(4)), (0.3, 0.4), (M(2, 4), V(4)), wrt=(0, 1))
def inplace_ops(x, y):
    a = x * 1.0
    b = a
    b -= y * 0.0 + 1.0 if np.ndim(x) == np.ndim(y) else 0.5
    b **= 2
    b /= 3.0
    return np.sum(a * b) + np.sum(y)


def step(u, k):
    if k == 0:
        return u
    u[0] *= 2.0
    return step(u, k - 1)


@program((V(3), 2), (M(3, 2), 3), wrt=(0, ))
def recursive_row(A, n):
    A = A.copy()
    r = step(A, n)
    return np.sum(r * A)


def rec(t, k):
    a, s = t
    if k == 0:
        return np.sum(a) * s
    a[0] *= 1.5
    return rec((a, s * s + 0.1), k - 1)


@program((V(3), 0.5, 2), (M(3, 2), 0.3, 3), wrt=(0, 1))
def recursive_tuple(A, s, n):
    A = A.copy()
    return rec((A, s), n) + np.sum(A)


@program(([V(3), V(3)], ))
def list_args(p):
    q = p[0]
    q *= 2.0
    return np.sum(q * q) + np.sum(p[1]*p[0])


@program(([V(3), V(3)], ))
def list_args_loop(p):
    s = 0.0
    for q in p:
        q *= 2.0
        s += np.sum(q * q)
    return s + np.sum(p[1]*p[0])


@program(({"a":V(3), "b":0.5}, ))
def dict_args(p):
    q = p["a"]
    q *= 2.0
    return np.sum(q * q)*p["b"] + np.sum(p["b"]*p["a"])


@program((Layer(V(3), 0.5), ))
def obj_args(p):
    q = p.w
    q *= 2.0
    return np.sum(q * q)*p.b + np.sum(p.b * p.w)


@program(((V(3), [V(2), 0.5]), ))
def nested_args(p):
    a = p[1][0]
    a *= 2.0
    return np.sum(p[0])*np.sum(p[1][0]**2)


@program(((V(3), 0.5), ))
def tuple_ret(p):
    q = p[0]
    q *= 2.0
    b = q * p[1]
    t = (q, b, p[1])
    q += 1.0
    return np.sum(t[0]*t[1])*t[2]


def walk2(A, s, k):
    if k == 0:
        return A, s
    A[0] *= s
    return walk2(A, s * 1.5, k - 1)


@program((V(3), 0.5, 2), wrt=(0, 1))
def rec_ret_tuple(A, s, n):
    A = A.copy()
    B, t = walk2(A, s, n)
    return t * t + np.sum(A * B)


@pytest.mark.parametrize("options", [{}, {"general": True}, {"plain": True}], ids=["known", "unknown", "plain"])
@pytest.mark.parametrize("f, args, wrt", CASES)
def test_gradient(f: Callable, args: tuple, wrt: tuple[int, ...], options: dict[str, bool]) -> None:
    want = differences(f, clone(args), wrt)
    compare(call_derivative(derivative(f, wrt, **options), args, wrt), want)
