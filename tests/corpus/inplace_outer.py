"""Arrays from outside that a function reads and writes: a module's buffers, closures, defaults, attributes."""
import numpy as np

from corpus.registry import mat, program, vec

WORK = np.zeros(6)
TABLE = np.arange(12.0).reshape(3, 4) / 10.0
COUNTS = np.zeros(3, dtype=int)


class Cache:
    shared = np.ones(4)

    def __init__(self, n):
        self.buffer = np.zeros(n)
        self.calls = 0


CACHE = Cache(5)


def _closure():
    scratch = np.zeros((2, 4))
    weights = np.ones(4)

    def use(x, n):
        scratch[...] = 0.0
        scratch[0, :len(x)] = x
        for k in range(n):
            scratch[1] = scratch[0] * weights
            scratch[0] += np.sin(scratch[1])
        weights[:] = 1.0
        return np.sum(scratch * scratch)
    return use


_use = _closure()


def scaled(x, out=np.zeros(8)):
    out[:len(x)] = x * x
    return out[:len(x)]


def into_work(x):
    WORK[:] = 0.0
    WORK[:len(x)] = np.exp(0.1 * x)
    return WORK


@program(inputs=[(vec(6), 3), (vec(4, 1), 1), (vec(1, 2), 0)])
def module_work_buffer(x, n):
    WORK[:] = 0.0
    WORK[:len(x)] = x
    for _ in range(n):
        WORK[1:] += 0.5 * WORK[:-1] * WORK[1:]
    total = np.sum(WORK ** 2)
    WORK.fill(0.0)
    return total


@program(inputs=[(vec(4), 2), (vec(2, 1), 1), (vec(4, 2), 0), (vec(1, 9), 2)])
def closure_work_buffer(x, n):
    a = _use(x, n)
    y = 0.5 * x
    b = _use(y, n + 1) if n else 0.0
    return a * b + a


@program(inputs=[(vec(3),), (vec(1, 1),)])
def default_argument_buffer(x):
    a = scaled(x)
    first = np.sum(a)
    b = scaled(x * 2.0)
    b[0] += first
    return np.sum(a * b)


@program(inputs=[(vec(6),), (vec(3, 1),), (vec(1, 9),)])
def work_returned_by_a_callee(x):
    w = into_work(x)
    s = np.sum(w * w)
    for k in range(2):
        v = into_work(x[:k + 1] * s)
        s = s + v[k] * w[0]
    return s


@program(inputs=[(vec(5), 3), (vec(2, 1), 1), (vec(4, 2), 0), (vec(1, 9), 3)])
def attribute_work_buffer(x, n):
    buffer = CACHE.buffer
    buffer[:] = 0.0
    CACHE.buffer[:len(x)] = x
    s = 0.0
    for k in range(n):
        CACHE.buffer *= 1.0 + 0.1 * buffer[0]
        s += CACHE.buffer[k % 5] ** 2
    buffer[...] = 0.0
    return s


@program(inputs=[(vec(4), 2), (vec(4, 1), 0), (vec(1, 9), 0)])
def class_attribute_buffer(x, n):
    Cache.shared[:] = 1.0
    for k in range(n):
        Cache.shared[1:] = Cache.shared[:-1] * x[k]
        Cache.shared[0] += x[-1]
    return np.sum(Cache.shared * x)


@program(inputs=[(mat(3, 4), vec(3)), (mat(3, 4, 1), vec(2, 2))], wrt=(0, 1))
def table_updated_row_by_row(A, w):
    table = TABLE
    saved = table.copy()
    for k, row in zip(range(len(w)), table):
        row += A[k] * w[k]
        COUNTS[k] += 1
        row[0] *= row[-1]
    s = np.sum(TABLE ** 2)
    TABLE[...] = saved
    return s


@program(inputs=[(vec(5),), (vec(3, 1),), (vec(1, 9),)])
def buffer_read_between_writes(x):
    s = 0.0
    for k in range(len(x)):
        WORK[k] = x[k] * x[0]
        s = s + WORK[k] * WORK[0]
        WORK[k] = 0.0
        s = s * 1.5 + WORK[k]
    return s
