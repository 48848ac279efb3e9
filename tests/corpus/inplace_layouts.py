"""Arrays of all layouts written through views of views, masks, repeated indices; what objects and lists hold."""

import numpy as np

from corpus.registry import mat, program, vec


def F(a):
    return np.asfortranarray(a)


@program(inputs=[(mat(3, 4),), (F(mat(3, 4)),), (mat(4, 3).T,), (mat(6, 8)[::2, ::-2],), (mat(1, 1),)])
def lay_reshape_write(A):
    B = A * 1.5
    C = A.copy(order="K")
    r = C.reshape(-1)
    r[1:] = r[:-1] * 2.0
    B[0] *= C[0]
    return np.sum(B * B) + np.sum(C * A)


@program(inputs=[(mat(3, 4),), (F(mat(3, 4)),), (mat(4, 3).T,), (mat(6, 8)[::2, ::-2],), (mat(1, 1),)])
def lay_ravel_arg(A):
    r = A.ravel()
    r *= 2.0
    r[0] = r[-1] * r[-1]
    return np.sum(A * A) + np.sum(r)


@program(inputs=[(mat(3, 4), 2), (F(mat(3, 4)), 1), (mat(4, 3).T, 0), (mat(6, 8)[::2, ::-2], 3), (mat(1, 1), 1)])
def lay_rows_in_loop(A, n):
    for k in range(n):
        for row in A:
            row[1:] += row[:-1] * 0.5
            row *= A[0, 0] + 0.2
        for col in A.T:
            col -= np.mean(col) * 0.3
    return np.sum(A * A)


@program(inputs=[(np.array(0.7), 3), (np.array(1.2), 0)])
def lay_zero_d(a, n):
    b = np.array(0.0)
    for i in range(n):
        b += a * a
        b *= 1.1
        a[...] = a * 0.9
        b[()] = b * a
    return b * a + a**2


@program(inputs=[(np.array(0.7), 3), (np.array(1.2), 0)])
def lay_zero_d_alias(a, n):
    c = a
    d = np.zeros(3)
    e = d[1:2].reshape(())
    for i in range(n):
        e += a * 2
        c -= 0.1 * a
        d *= c
    return np.sum(d * d) + a * c


@program(inputs=[(vec(0), 1), (vec(4), 2), (vec(1), 0)])
def lay_empty(x, n):
    u = np.zeros(len(x))
    for i in range(n):
        u[:] = x * x
        u[1:] += u[:-1]
        x[::-1] += u * 0.1
        u[::2].fill(0.5)
    return np.sum(u * x) + np.sum(x[5:])


@program(inputs=[(np.array([1, 2, 3]), vec(3)), (np.array([2]), vec(1))], wrt=(1,))
def lay_int_target(k, x):
    k[0] = x[0] * 10
    k[-1] += 2
    y = x * k
    y[k > 2] *= 3.0
    return np.sum(y * x)


@program(inputs=[(vec(4),), (vec(1),)])
def lay_int_buffer(x):
    b = np.zeros(len(x), dtype=int)
    b[:] = x * 10
    f = np.zeros(len(x))
    f[:] = b
    f += x * x
    return np.sum(f * b)


@program(inputs=[(vec(4), 3), (vec(1), 0), (vec(3)[::-1], 2)])
def lay_strides_neg(x, n):
    v = x[::-1]
    w = v[::2]
    for k in range(n):
        w *= x[0] + 0.5
        v[1:] -= v[:-1] * 0.2
        x[-1] = w[0] * w[0]
    return np.sum(x * v) + np.sum(w)


@program(inputs=[(vec(6),), (vec(6)[::-1],), (np.arange(12.0)[::2] / 7 + 0.1,)])
def lay_reshape_of_strided(x):
    m = x.reshape(2, 3)
    m[0] *= m[1]
    m.T[0] += 3.0 * x[:2]
    return np.sum(x * x) + np.sum(m * m * m)


@program(inputs=[(mat(2, 3), 2), (F(mat(2, 3)), 1), (mat(1, 1), 3)])
def lay_swap_axes(A, n):
    B = np.swapaxes(A[None], 0, 2)
    for i in range(n):
        B[0, :, 0] *= 1.5
        B[-1] += B[0] * A[0, 0]
    return np.sum(A * A) + np.sum(B * 2)


@program(inputs=[(mat(4, 4),), (F(mat(4, 4)),), (mat(8, 8)[::2, ::2],)])
def lay_blocks(A):
    a, b = A[:2, :2], A[2:, 2:]
    c = A[1:3, 1:3]
    a @ b
    c[:] = a @ b
    b -= c.T
    a[:, 0], a[:, 1] = a[:, 1].copy(), b[0] * 2
    return np.sum(A * A) + np.trace(c)


@program(inputs=[(mat(4, 4),), (F(mat(4, 4)),), (mat(1, 1),)])
def lay_diag_views(A):
    d = np.einsum("ii->i", A)
    d *= 3.0
    d[0] = A[-1, 0] ** 2
    A.flat[:: A.shape[0] + 1] += 0.5
    np.fill_diagonal(A, A[0] * 1.0)
    return np.sum(A * A) + np.sum(d)


@program(inputs=[(vec(4).astype(np.float32).astype(float), 2), (vec(1), 0)])
def lay_f32(x, n):
    u = np.zeros(len(x), dtype=np.float64)
    w = x.copy()
    for i in range(n):
        u += w
        w *= u
        w /= 1.5
        w -= u * 0.3
        w **= 2
    return np.sum(u * w)


@program(inputs=[(mat(3, 3),), (F(mat(3, 3)),), (mat(1, 1),)])
def lay_T_write_overlap(A):
    A[:] = A.T * 2 + A
    A.T[0] = A[:, 0] * A[0]
    A += A.T
    A[::-1] -= A * 0.5
    return np.sum(A * A * A)


@program(inputs=[(vec(5), np.array([0, 2, 0, 4])), (vec(1), np.array([0, 0])), (vec(3), np.array([], int))])
def lay_repeat_index(x, i):
    y = x * x
    y[i] += x[i] * 2
    y[i] = y[i] * y[0]
    y[i] *= 3
    np.add.at(y, i, x[i])
    np.multiply.at(y, i, 1.0 + x[i])
    return np.sum(y * y)


@program(inputs=[(mat(3, 4),), (mat(1, 1),), (F(mat(2, 2)),)])
def lay_mask_slice(A):
    m = A[0] > 0
    A[:, m] *= 2.0
    A[0, m] = A[-1, m] ** 2
    r = np.arange(A.shape[0])
    A[np.ix_(r[::-1], m)] += A[:, m] * 0.5
    A[r, 0] -= A[:, -1]
    A[None, ..., 0] += 1.0
    return np.sum(A * A)


class Box:
    def __init__(self, a):
        self.a = a
        self.b = [a, a * 2.0]

    def bump(self, k):
        self.a[k % len(self.a) :] *= 1.2
        self.b[k % 2][0] += self.a[-1] ** 2
        return self

    def swap(self):
        self.b[0], self.b[1] = self.b[1], self.b[0]


@program(inputs=[(vec(4), 4), (vec(1), 2), (vec(2), 0)])
def box_methods(x, n):
    o = Box(x * 1.0)
    for i in range(n):
        o.bump(i)
        if i % 2:
            o.swap()
        o.a = o.b[0]
    return np.sum(o.a**2) + np.sum(o.b[1] * o.b[0])


@program(inputs=[(vec(4), 3), (vec(1), 2), (vec(2), 0)])
def dict_buffers(x, n):
    d = {"u": x.copy(), "v": x * 0.5}
    for i in range(n):
        d["v"][:] = d["u"] * x + d["v"]
        d["u"], d["v"] = d["v"], d["u"]
        for key in d:
            d[key][0] *= 0.9
        for k, val in d.items():
            val += 0.1 * d["u"][-1]
    return np.sum(d["u"] * d["v"])


@program(inputs=[(vec(4), 3), (vec(1), 2), (vec(2), 0)])
def list_rotate(x, n):
    L = [x.copy(), x * 0.5, np.zeros_like(x)]
    for i in range(n):
        L[2][:] = L[0] * L[1]
        L = L[1:] + L[:1]
        L[0][0] += L[1][-1] * 0.3
    return np.sum(L[0] ** 2) + np.sum(L[1] * x) + np.sum(L[2])


@program(inputs=[(vec(4), 3), (vec(1), 2), (vec(2), 0)])
def list_pop_insert(x, n):
    L = [x.copy(), x * 0.5, x * 0.25]
    for i in range(n):
        a = L.pop()
        a *= L[0][0]
        L.insert(0, a)
        a[-1] = L[1][0] ** 2
    return np.sum(L[0] * L[1]) + np.sum(L[2])


@program(inputs=[(vec(4), 3), (vec(1), 2), (vec(2), 0)])
def same_array_thrice(x, n):
    u = x.copy()
    L = [u, u, u[::-1]]
    for i, a in enumerate(L * n):
        a *= 1.1
        a[0] += L[2][0] ** 2 * 0.1
    return np.sum(u * u)


@program(inputs=[(vec(4), 3), (vec(1), 2), (vec(2), 0)])
def gen_views(x, n):
    u = x.copy()

    def parts():
        for k in range(n):
            yield u[k % len(u) :]

    s = 0.0
    for p in parts():
        p *= 1.2
        p[0] = p[-1] * x[0]
        s = s + np.sum(p * p)
    return s + np.sum(u)


@program(inputs=[(vec(4), 3), (vec(1), 2), (vec(2), 0)])
def comp_views(x, n):
    u = x.copy()
    vs = [u[k % len(u) :] for k in range(n)]
    for v in vs:
        v += v * v
    t = [np.sum(v) for v in vs if v[0] > 0.2]
    return sum(t) + np.sum(u * u)


@program(inputs=[(vec(5), 2), (vec(1), 1), (vec(2), -1)])
def try_partial(x, n):
    u = x.copy()
    try:
        u[0] *= 2.0
        u[:] = u * u
        u[n + 3] = x[0] * 7.0
        u *= x
    except IndexError:
        u += u[0] * 0.5
    finally:
        u[-1] -= x[0] ** 2
    return np.sum(u * u)


def partial(u, x):
    u *= 2.0
    u[:2] = u[:2] * u[0]
    if x[0] > 0.5:
        raise ValueError("x")
    u += x


@program(inputs=[(np.array([0.7, 0.2, 0.1]),), (np.array([0.3, 0.2, 0.1]),), (vec(1),)])
def callee_raises_midway(x):
    u = x.copy()
    try:
        partial(u, x)
    except ValueError:
        u[-1] = 3.0 * u[0]
    return np.sum(u * u)


def recw(u, k, x):
    if k <= 0 or len(u) == 0:
        return 1.0
    u[0] *= x[k % len(x)]
    t = recw(u[1:], k - 1, x)
    u[-1] += t
    return t * u[0]


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(2), 0)])
def rec_views(x, k):
    u = x.copy()
    a = recw(u, k, x)
    b = recw(u[::-1], k, u * 1.0)
    return a + b + np.sum(u * u)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(2), 0)])
def rec_alias(x, k):
    u = x.copy()
    a = recw(u, k, u)
    return a + np.sum(u * u)
