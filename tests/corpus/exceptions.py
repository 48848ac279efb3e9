"""Exceptions: caught in the midst of active statements, raised and caught in one function, retried, passed on."""
import contextlib
import math
import warnings

import numpy as np

from corpus.registry import mat, program, spd, vec


class Infeasible(Exception):
    pass


@program(inputs=[(spd(3, 1), 0.5), (np.array([[1.0, 2.0], [2.0, 1.0]]), 3.0), (np.array([[-1.0]]), 2.0)])
def cholesky_with_jitter(A, jitter):
    try:
        L = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        L = np.linalg.cholesky(A + jitter * np.eye(len(A)))
    return np.sum(L) + 2.0 * np.sum(np.log(np.diag(L)))


@program(inputs=[(np.array([[1.0, 2.0], [2.0, 1.0]]), 0.1), (spd(3, 4), 0.1), (mat(1, 1, 9), 0.1)])
def jitter_until_it_works(A, jitter):
    B = A * 1.0
    for k in range(12):
        try:
            L = np.linalg.cholesky(B)
            break
        except np.linalg.LinAlgError:
            B = B + jitter * 2.0 ** k * np.eye(len(A))
    return np.sum(L ** 2) + L[-1, 0]


def safe_log(v):
    if v <= 0.2:
        raise ValueError("too small")
    return math.log(v)


@program(inputs=[(vec(4),), (np.array([0.1, 0.9, 0.05]),), (np.zeros(0),), (vec(1, 9),)])
def each_in_its_own_try(x):
    s = 1.0
    for v in x:
        try:
            s = s * 1.5 + safe_log(v)
        except ValueError:
            s = s * v - 1.0
    return s * s


@program(inputs=[(vec(4), 2), (vec(3), 7), (vec(1, 1), 1)])
def index_out_of_range(x, k):
    y = x * 2.0
    try:
        y[0] = y[0] ** 2
        y[k] = y[0] * x[-1]
        y[1] = y[k] + 1.0
    except IndexError:
        y = y + np.sum(y) * x[0]
    return np.sum(y * y)


@program(inputs=[(vec(4), {"a": 2.0}), (vec(2, 1), {}), (vec(1, 1), {"a": -1.0})])
def missing_key(x, table):
    total = x[0]
    try:
        total = total * 3.0
        scale = table["a"]
        total = total + scale * np.sum(x)
    except KeyError:
        total = total + 0.5
    else:
        total = total * x[-1]
    return total ** 2


@program(inputs=[(vec(3), 1.0), (vec(3), 0.0), (vec(1, 2), 2.0)])
def division_by_zero(x, d):
    a = x[0] * 2.0
    try:
        a = a * x[-1]
        k = 1 // int(d)
        a += k
    except ZeroDivisionError:
        a = a * a
    finally:
        a = a + np.sum(x)
    return a * a


@program(inputs=[(vec(5), 1.5), (vec(5), 100.0), (vec(1, 1), 0.0)])
def raises_to_leave_two_loops(x, limit):
    s = 0.0
    y = np.zeros(len(x))
    try:
        for i in range(len(x)):
            for j in range(i + 1):
                y[i] += x[i] * x[j]
                s = s + y[i] * 0.5
                if s > limit:
                    raise Infeasible
            s = s * 1.1
    except Infeasible:
        s = s * 2.0
    return s + np.sum(y ** 2)


@program(inputs=[(vec(4), 2), (vec(4), 9), (vec(1, 1), 0)])
def several_handlers(x, k):
    y = x ** 2
    try:
        v = y[k]
        if v > 1.0:
            raise ValueError(k)
        w = 1.0 / (k - 2 + 0 * k) if k != 2 else [0.0][k]
        z = v * w
    except IndexError:
        z = y[0] * 3.0
    except (ValueError, ZeroDivisionError):
        z = y[-1] * y[-1]
    return z * z + np.sum(y)


@program(inputs=[(vec(4), 3), (vec(2, 1), 2), (vec(1, 1), 0)])
def partial_sums_survive(x, n):
    s = 0.0
    p = 1.0
    try:
        for k in range(n + 2):
            s = s + x[k] * p
            p = p * x[k]
    except IndexError:
        p = p * 0.5
    return s * s + p


@program(inputs=[(vec(5), 2), (vec(5), 8), (vec(1, 1), 3)])
def break_in_a_try(x, n):
    s = x[0]
    for i in range(10):
        try:
            if i == n:
                break
            s = s * x[i] + 1.0
        except IndexError:
            s = s - x[0]
            if i > 7:
                continue
            s = s * 0.9
        else:
            s = s + 0.1
        s = s * 1.01
    return s


@program(inputs=[(vec(4), 1), (vec(4), 5), (vec(1, 9), 1)])
def return_in_a_try(x, k):
    y = x * x
    try:
        y[0] = y[0] * 2.0
        return y[k] * np.sum(y)
    except IndexError:
        y = y + 1.0
    return np.sum(y) * x[0]


@program(inputs=[(vec(4), 1), (vec(3), 5), (vec(1, 1), 0)])
def nested_tries(x, k):
    try:
        a = np.sum(x)
        try:
            b = x[k] * 2.0
        except IndexError:
            b = x[0] * a
            if k > 4 and len(x) > 2:
                raise
        c = a * b
    except IndexError:
        c = np.sum(x * x)
    return c * c


@program(inputs=[(vec(4), 1.0), (vec(4), -1.0), (vec(1, 9), 1.0)])
def else_and_finally(x, c):
    log = []
    y = x * c
    try:
        r = math.sqrt(np.sum(y))
    except ValueError:
        r = -np.sum(y)
        log.append("negative")
    else:
        r = r * y[0]
        log.append("fine")
    finally:
        log.append("done")
    return r * len(log) + np.sum(y)


@program(inputs=[(vec(3), 0.5), (vec(1, 1), 2.0)])
def asserts_that_are_caught(x, limit):
    s = np.sum(x)
    for k in range(4):
        try:
            assert s < limit * 6, "too large"
            s = s * 1.7
        except AssertionError:
            s = s * 0.5 + x[0]
    return s * s


def descend(x, depth):
    if depth == 0:
        raise Infeasible("bottom")
    try:
        return descend(x * 0.9, depth - 1) + 1.0
    except Infeasible:
        if depth % 2:
            raise
        return np.sum(x * x) * depth


@program(inputs=[(vec(3), 2), (vec(1, 1), 4)])
def exceptions_through_recursion(x, depth):
    return descend(x, depth) * x[0]


@program(inputs=[(vec(4), 2), (vec(2, 1), 5), (vec(1, 1), 1)])
def suppressed(x, k):
    y = x * 2.0
    with contextlib.suppress(IndexError, ValueError):
        y[0] *= x[-1]
        y[k] *= 3.0
        y[0] += 1.0
    return np.sum(y ** 2)


@program(inputs=[(vec(4), 2.0), (np.array([-0.5, 1.0, 2.0]), 1.0), (vec(1, 9), 2.0)])
def quiet_division(x, c):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0.0, c / np.where(x > 0.0, x, 1.0), 0.0)
        if c > 1.5:
            return np.sum(y * x * x)
        z = y * y
    return np.sum(z)


@program(inputs=[(vec(4), 3), (vec(1, 1), 1)])
def managers_in_a_loop(x, n):
    s = 1.0
    for k in range(n):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            s = s * np.sum(x ** k) + k
            if s > 5.0:
                break
            s = s + x[0]
        with contextlib.nullcontext():
            s = s * 0.8
    return s


class Scaled:
    """A manager that multiplies by a factor on the way out."""

    def __init__(self, values, factor):
        self.values, self.factor = values, factor

    def __enter__(self):
        self.total = np.sum(self.values)
        return self

    def __exit__(self, *error):
        self.total = self.total * self.factor
        return False


@program(inputs=[(vec(3), 2.0), (vec(1, 1), 0.5)], wrt=(0, 1))
def manager_of_the_users_own(x, factor):
    with Scaled(x * x, factor) as scaled:
        scaled.values = scaled.values + 1.0
        y = np.sum(scaled.values) * scaled.total
    return y + scaled.total


@contextlib.contextmanager
def doubled(x):
    y = x * 2.0
    try:
        yield y
    finally:
        y[0] = 0.0


@program(inputs=[(vec(3), 1.0), (vec(1, 1), 3.0)])
def generator_as_a_manager(x, c):
    with doubled(x) as y:
        s = np.sum(y * y) * c
        if s > 4.0:
            s = s * y[0]
    return s + np.sum(y)


@program(inputs=[(vec(4), [1, 7, 2]), (vec(2, 1), [0]), (vec(1, 1), [])])
def loop_with_try_else_break(x, picks):
    y = x * 1.0
    for k in picks:
        try:
            v = y[k]
        except IndexError:
            y = y * 1.1
            continue
        else:
            if v > 1.6:
                break
            y[k] = v * v
        finally:
            y[0] += 0.25
    else:
        y = y + 1.0
    return np.sum(y * y)


@program(inputs=[(mat(3, 3, 1),), (np.zeros((2, 2)),), (mat(1, 1, 2),)])
def singular_matrix(A):
    b = np.ones(len(A))
    total = 0.0
    for k in range(3):
        try:
            total = total + 1.0
            y = np.linalg.solve(A, b)
            total = total * np.sum(y)
            b = y
        except np.linalg.LinAlgError:
            total = total + np.sum(A)
            A = A + np.eye(len(A)) * (k + 1)
    return total + np.sum(b)


@program(inputs=[(vec(4), 2), (vec(4), 5), (vec(1, 1), 1)])
def list_half_filled(x, n):
    parts = []
    try:
        for k in range(n):
            parts.append(x[k] * (k + 1))
            parts.append(parts[-1] ** 2)
    except IndexError:
        parts.append(x[0] * 5.0)
    s = 0.0
    for p in parts:
        s = s * 0.5 + p
    return s * s
