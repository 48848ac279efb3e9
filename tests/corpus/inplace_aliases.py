"""Several names for one array: swaps, rotating buffers, containers, branches, callees that write what they get."""
import numpy as np

from corpus.registry import mat, program, vec


def relax(u, w, k):
    u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * w


def accumulate(target, x):
    target += x
    return target


def fill_recursively(a, x, depth):
    if depth == 0 or len(a) < 2:
        a *= x[0]
        return a[-1]
    half = len(a) // 2
    left = fill_recursively(a[:half], x, depth - 1)
    a[half:] += left
    return fill_recursively(a[half:], x[::-1], depth - 1) + left


def swapped(a, b):
    a[0], b[0] = b[0] * 2.0, a[0] + 1.0
    return b, a


def scale_columns(table, w):
    for k in range(table.shape[1]):
        column = table[:, k]
        column *= w[k % len(w)]
        if k > 0:
            column -= table[:, k - 1]


class State:
    def __init__(self, u, v):
        self.u = u
        self.v = v


def step_state(state, dt):
    state.u += dt * state.v
    state.v -= dt * np.sin(state.u)


@program(inputs=[(vec(6), 3), (vec(3, 1), 4), (vec(4, 2), 0), (vec(1, 9), 3)])
def two_buffers_swapped(x, n):
    u = x.copy()
    v = np.zeros_like(u)
    for _ in range(n):
        v[1:-1] = 0.25 * (u[2:] + u[:-2]) + 0.5 * u[1:-1] ** 2
        v[0] = u[0]
        v[-1] = u[-1] * 0.9
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(7), 0.3, 4), (vec(3, 1), 0.5, 1), (vec(5, 2), 0.4, 0)], wrt=(0, 1))
def three_time_levels(x, c, n):
    old = x * 0.5
    now = x.copy()
    new = np.zeros(len(x))
    energy = 0.0
    for k in range(n):
        new[1:-1] = 2.0 * now[1:-1] - old[1:-1] + c * c * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        new[0] = now[1] * np.sin(now[0])
        old, now, new = now, new, old
        energy += np.sum(now * old)
        if k == 2:
            new[:] = 0.0
    return energy + np.sum(now ** 2)


@program(inputs=[(vec(5), 4), (vec(3, 1), 1), (vec(2, 2), 0), (vec(1, 9), 4)])
def buffers_by_number(x, n):
    bufs = [x * 1.0, np.zeros(len(x))]
    for k in range(n):
        src, dst = bufs[k % 2], bufs[(k + 1) % 2]
        dst[:] = src * src
        dst[0] += src[-1]
    both = bufs[0] + bufs[1]
    return np.sum(both * both)


@program(inputs=[(vec(4), vec(4, 1), True), (vec(4, 2), vec(4, 3), False)], wrt=(0, 1))
def one_of_several(x, y, first):
    a = x * 2.0
    b = y + 1.0
    c = a if first else b
    c[1:] *= c[:-1]
    d = b if first else a
    d += c
    if x[0] > 0.9:
        c = d
    else:
        d = c
    c[0] = x[1] * d[2]
    return np.sum(a * b) + np.sum(c) - np.sum(d * d)


@program(inputs=[(vec(5), 2), (vec(1, 1), 1), (vec(3, 2), 5)])
def names_rebound_and_written(x, n):
    y = x
    y = y * 2.0
    z = y
    for k in range(n):
        z += x
        if k % 2:
            y = z * 1.0
        else:
            z = y
        y[0] = z[-1] + 1.0
        w = y
        w *= 0.9
    return np.sum(y * z)


@program(inputs=[(vec(7), 0.2, 3), (vec(3, 1), 0.4, 2), (vec(2, 2), 0.1, 1)], wrt=(0, 1))
def callees_that_write(x, k, n):
    u = x * 1.5
    w = np.ones(max(0, len(u) - 2))
    for _ in range(n):
        relax(u, w, k)
        w *= 1.0 + k
        relax(u[::-1], w[::-1], k)
    t = accumulate(u[1:], x[1:])
    t *= 2.0
    accumulate(accumulate(u, x), u)
    return np.sum(u * u) + np.sum(w)


@program(inputs=[(vec(8), 2), (vec(5, 1), 3), (vec(1, 2), 4)])
def recursion_that_writes(x, depth):
    y = np.exp(0.2 * x)
    s = fill_recursively(y, x, depth)
    return np.sum(y * y) + s


@program(inputs=[(mat(3, 4), vec(2)), (mat(1, 1, 1), vec(3, 2))], wrt=(0, 1))
def tables_written_by_columns(A, w):
    B = A + 1.0
    scale_columns(B, w)
    scale_columns(B.T, w * w)
    C = B
    scale_columns(C[::-1], w)
    return np.sum(B * A)


@program(inputs=[(vec(3), vec(3, 1)), (vec(1, 2), vec(1, 3))], wrt=(0, 1))
def results_exchanged(x, y):
    a = x.copy()
    b = y.copy()
    c, d = swapped(a, b)
    c[-1] *= 3.0
    d += c
    a, b = swapped(d, a)
    for v in (a, b, c):
        v[0] += x[0]
    return np.sum(a * b) + np.sum(c * d)


@program(inputs=[(vec(4), 0.1, 5), (vec(1, 1), 0.3, 2), (vec(3, 2), 0.2, 0)], wrt=(0, 1))
def state_in_an_object(x, dt, n):
    state = State(x.copy(), np.zeros(len(x)))
    u = state.u
    trace = 0.0
    for k in range(n):
        step_state(state, dt)
        trace += u[0] * state.v[-1]
        if k % 3 == 1:
            state.u = u * 0.5
            u[0] += 1.0
            u = state.u
    return np.sum(state.u ** 2) + trace


@program(inputs=[(vec(5), vec(5, 1)), (vec(1, 2), vec(1, 3))], wrt=(0, 1))
def arguments_written_and_returned(x, w):
    x *= w
    out = x
    w[:1] = x[:1]
    for k in range(1, len(x)):
        x[k] += x[k - 1] * w[k]
        w[k:] -= 0.1 * x[:1]
    if len(out) > 2:
        out = out[::2]
        out[0] = 0.5
    return np.sum(out * out) + np.sum(x * w)


@program(inputs=[(vec(6), 3), (vec(4, 1), 1), (vec(2, 2), 0)])
def ring_of_slices(x, n):
    y = x * x
    pieces = [y[k:k + 2] for k in range(0, len(x) - 1)]
    for k in range(n):
        a = pieces[k % len(pieces)]
        a[0], a[1] = a[1], a[0] * 1.1
        pieces.append(a[::-1])
    last = pieces[-1]
    last += 0.5 * y[0]
    return np.sum(y * x) + last[0]


@program(inputs=[(vec(5), 3), (vec(3, 1), 2), (vec(1, 2), 0)])
def work_array_and_view(x, n):
    work = np.zeros((2, len(x)))
    now, then = work
    now[:] = x
    for k in range(n):
        then[...] = now * (1.0 + now)
        work[1, 0] = work[0, -1] + k
        now, then = then, now
        if np.sum(now) > 10.0:
            now /= 10.0
    return np.sum(work ** 2) + np.sum(now)


@program(inputs=[(vec(3),), (vec(1, 1),)])
def shared_rows(x):
    row = np.zeros(len(x))
    rows = [row] * 3
    y = z = np.zeros(2)
    for k, r in zip(range(3), rows):
        r += x * (k + 1)
        y[k % 2] += np.sum(row)
    rows[1][0] = 5.0 * x[-1]
    return np.sum(rows[2] ** 2) + np.sum(z * z)


@program(inputs=[(vec(4), 3), (vec(2, 1), 1), (vec(1, 9), 3)])
def dict_of_fields(x, n):
    fields = {"h": x * 1.0, "u": np.zeros(len(x))}
    h, u = fields["h"], fields["u"]
    for k in range(n):
        fields["u"][1:] += 0.1 * (h[1:] - h[:-1])
        fields["h"] -= 0.2 * u * h
        for name in ("h", "u"):
            fields[name][0] = fields[name][-1]
    fields["h"] = fields["u"]
    fields["h"] += 1.0
    return np.sum(h * u) + np.sum(fields["h"])
