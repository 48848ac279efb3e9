"""Writers, outer arrays and aliases under loops, branches, `match`, `with`, generators, callees."""


import numpy as np

from corpus.registry import mat, program, vec

WORK = np.zeros(4)


TABLE = {"w": np.zeros(3)}


class Solver:
    scratch = np.zeros(4)

    def __init__(self):
        self.buf = np.zeros(4)
        self.count = 0

    def run(self, x):
        self.buf[:] = x * x
        self.buf[1:] += self.buf[:-1] * x[0]
        self.count += 1
        return np.sum(self.buf * x)


SOLVER = Solver()


@program(inputs=[(vec(4), 2), (vec(1), 1), (vec(4, 2), 0)])
def out_loop(x, n):
    WORK[:] = 0
    s = 0.0
    for i in range(n):
        WORK[i] = x[0] * x[-1]
        WORK[1:] *= x[0]
        s = s + np.sum(WORK * WORK)
    return s + np.sum(x)


def out_helper(x, k):
    WORK[k:] += x[0] * x[-1]
    return WORK[::-1]


@program(inputs=[(vec(4), 2), (vec(1), 1), (vec(4, 2), 0)])
def out_callee(x, n):
    WORK.fill(1.0)
    s = 0.0
    for i in range(n):
        r = out_helper(x * s, i) if i else out_helper(x, 0)
        r *= 0.5
        s = s + np.sum(r * r * x)
    return s + WORK[0]


@program(inputs=[(vec(4), 2), (vec(4, 2), 0)])
def out_classattr(x, n):
    Solver.scratch[:] = x
    for i in range(n):
        Solver.scratch *= x
    return np.sum(Solver.scratch**2)


@program(inputs=[(vec(3), 2), (vec(3, 2), 0)])
def out_dict(x, n):
    TABLE["w"][:] = x
    for i in range(n):
        TABLE["w"][1:] *= x[:-1]
    return np.sum(TABLE["w"] ** 2)


def dflt(x, buf=np.zeros(4)):
    buf[: len(x)] = x * x
    buf[0] += buf[-1]
    return np.sum(buf * buf)


@program(inputs=[(vec(4),), (vec(4, 2),)])
def out_default(x):
    return dflt(x) * dflt(x * 2)


def make():
    hist = np.zeros((3, 2))

    def f(x, n):
        hist[:] = 0
        for i in range(n):
            hist[i % 3] = x[:2] * (1 + hist[i % 3 - 1])
            hist[:, 0] += x[0]
        return np.sum(hist**2)

    return f


@program(inputs=[(vec(4), 2), (vec(2), 5), (vec(4, 2), 0)])
def out_closure(x, n):
    return HISTORY(x, n)


HISTORY = make()


@program(inputs=[(vec(5), 3), (vec(1), 2), (vec(2), 0)])
def wr_sort_loop(x, n):
    u = x * np.arange(len(x), 0, -1)
    s = 0.0
    for i in range(n):
        u.sort()
        s = s + u[0] * u[-1]
        u[::2] *= -1.1
        u[::-1].sort()
        s = s + np.dot(u, np.arange(len(u)))
        u.partition(len(u) // 2)
    return s


@program(inputs=[(mat(3, 4), 2), (mat(1, 1), 1), (mat(4, 2), 0)])
def wr_sort_axis(A, n):
    for i in range(n):
        A.sort(axis=0)
        A[0] *= A[-1]
        A.sort()
        A.T.sort(axis=-1)
        A += 0.1 * np.cumsum(A, axis=1)
    return np.sum(A * A * np.arange(A.shape[1]))


@program(inputs=[(vec(5), 2), (vec(1), 3), (vec(2), 0)])
def wr_out_chain(x, n):
    a = np.zeros_like(x)
    b = np.zeros_like(x)
    for i in range(n):
        np.exp(-x, out=a)
        np.multiply(a, b, out=b)
        np.add(b, a, b)
        np.negative(b, out=b[::-1])
        b = np.maximum(b, a, out=a)
        np.clip(b, -0.5, 0.9, out=b)
        np.cumsum(b, out=b)
    return np.sum(a * x) + np.sum(b)


@program(inputs=[(mat(3, 3), vec(3), 2), (mat(1, 1), vec(1), 1), (mat(2, 2), vec(2), 0)], wrt=(0, 1))
def wr_out_matmul(A, x, n):
    y = np.zeros(len(x))
    C = np.zeros_like(A)
    for i in range(n):
        np.dot(A, x, out=y)
        np.matmul(A, A, out=C)
        A[:] = C * 0.3
        np.sum(A, axis=0, out=x)
        x += y
        np.sqrt(np.abs(x) + 1, out=x)
    return np.sum(A * C) + x @ y


@program(inputs=[(vec(5),), (vec(1),), (vec(2),)])
def wr_where(x):
    u = x.copy()
    m = u > 0.8
    np.multiply(u, x, out=u, where=m)
    np.log(u, out=u, where=u > 0.9)
    np.copyto(u, u[::-1].copy() * 2, where=~m)
    np.putmask(u, u > 1, x * 0.5)
    np.place(u, u < 0.5, x[:1] * 3)
    np.put(u, [0, -1, 0], x[0] * x[:1], mode="wrap")
    np.put_along_axis(u, np.array([len(u) - 1]), u[0] * 3, axis=0)
    return np.sum(u * u) + np.sum(u, where=m)


@program(inputs=[(vec(5), 3), (vec(1), 2), (vec(2), 0)])
def wr_shuffle(x, n):
    rng = np.random.default_rng(3)
    u = x.copy()
    s = 0.0
    for i in range(n):
        rng.shuffle(u)
        u[0] *= 2.0
        s = s + u[0] * u[-1]
        u = rng.permutation(u) * u
    return s + np.sum(u * np.arange(len(u)))


@program(inputs=[(mat(4, 4), 2), (mat(1, 1), 1), (mat(2, 2), 0)])
def wr_aug_ops(A, n):
    B = np.abs(A) + 1
    for i in range(n):
        B @= A + np.eye(len(A))
        B **= 2
        B /= B[0, 0]
        B %= 1.7
        B *= A
        B -= B.T
        B += B[::-1]
    return np.sum(B * A)


@program(inputs=[(vec(6), 2), (vec(1), 3), (vec(2), 0)])
def wr_overlap(x, n):
    u = x.copy()
    for i in range(n):
        u[1:] = u[:-1]
        u[:-1] += u[1:] * u[1:]
        u[::-1] *= u * 0.5
        u[1:] /= u[:-1] + 1
        u[::2], u[:1] = u[::2] * 2.0, u[-1:] * 0.5
        u -= u[0]
        u += x * 0.7
    return np.sum(u * u)


@program(inputs=[(vec(6), 2), (vec(1), 3), (vec(2), 0)])
def wr_chain(x, n):
    a = b = np.zeros(len(x))
    for i in range(n):
        a[0] = b[-1] = x[0] * (i + 1)
        a[1:], s = b[:-1] * 2, np.sum(b)
        b[0] += s * x[-1]
    return np.sum(a * b * x)


@program(inputs=[(vec(6),), (vec(1),)])
def wr_slices(x):
    u = np.zeros((3, len(x)))
    i = slice(0, 2)
    u[i] = x
    u[..., ::-1][i, :] *= x
    u[-1] = u[0][::-1]
    u[:, None][:, 0] += 1.0
    u[[0, 2]] *= 2.0
    u[[True, False, True]] -= x * x
    u[np.array([[0, 1], [1, 2]])] = u[None, :2] * 0.5
    return np.sum(u * u)


@program(inputs=[(vec(5), 3), (vec(1), 2), (vec(2), 0)])
def wr_const_one(x, n):
    for i in range(n):
        x[i % len(x)] = 1.0
        x *= x[-1]
        x[-1] = 0.0
        x += 0.5
    return np.sum(x * x)


@program(inputs=[(vec(4), 0), (vec(4), 1), (vec(4), 2)])
def wr_branch_alias(x, k):
    a = x * 1.0
    b = x * 2.0
    c = a if k == 0 else (b if k == 1 else x)
    c *= 2.0
    if k:
        d = c
    else:
        d = b[::-1]
    d[1:] += c[:-1] * a[0]
    return np.sum(a * b) + np.sum(c * d * x)


@program(inputs=[(vec(4), 0), (vec(1), 1), (vec(4), 3)])
def wr_match(x, k):
    u = np.ones_like(x)
    for j in range(k):
        match j % 3:
            case 0:
                u[:] = x * u
            case 1:
                u[0], u[-1] = u[-1] * x[0], u[0]
            case _:
                u = u[::-1]
    return np.sum(u * u * x)


class Grid:
    __slots__ = ("u", "v")

    def __init__(self, u):
        self.u = u
        self.v = u[1:]

    def __setitem__(self, i, val):
        self.u[i] = val

    def __getitem__(self, i):
        return self.u[i]

    @property
    def inner(self):
        return self.u[1:-1]

    def __enter__(self):
        self.u *= 2.0
        return self

    def __exit__(self, *e):
        self.u /= 2.5
        return False


@program(inputs=[(vec(5), 2), (vec(1), 1), (vec(2), 0)])
def obj_grid(x, n):
    g = Grid(x.copy())
    for i in range(n):
        with g as h:
            h[0] = h[-1] * x[0]
            h.inner[:] = h.inner**2
            h.v *= 0.9
        g[-1] += 1.0
    g.u, g.v = g.u * g.u, g.u
    g.v[0] = 7.0 * g[0]
    return np.sum(g.u * x) + np.sum(g.v)


@program(inputs=[(vec(5), 2), (vec(1), 1), (vec(2), 0)])
def ret_fn_view(x, n):
    def inner(a, k):
        return a[k % len(a) :]

    u = x.copy()
    for k in range(n):
        inner(u, k)[...] *= x[0]
        v = inner(u, k + 1)
        v += v[0] * x[-1]
        np.asarray(v)[0] = v[-1] ** 2
    return np.sum(u * u)


@program(inputs=[(mat(2, 3), 2), (mat(1, 1), 1), (mat(4, 2), 0)])
def zip_rows(A, n):
    B = A.copy()
    for k in range(n):
        for a, b in zip(A, B[::-1]):
            b *= a
            a -= b * 0.5
        for i, row in enumerate(B):
            row[0] = i * A[0, 0]
        for a in reversed(A):
            a += B[0]
    return np.sum(A * B)


@program(inputs=[(vec(6),), (vec(3),), (vec(9),)])
def splits(x):
    a, b, c = np.split(x * x, 3)
    a *= b
    p = np.array_split(x, 2)
    p[0] *= 3
    p[1][-1] = p[0][0]
    L = np.hsplit(np.vstack([x, x]), 3)
    L[0][0] += x[: len(L[0][0])]
    return np.sum(a * c) + np.sum(x * x) + np.sum(L[0])
