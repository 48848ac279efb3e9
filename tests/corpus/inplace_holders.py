"""Arrays that tuples, records, dicts, stacks and closures pass on and change."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from corpus.registry import mat, program, vec

P = namedtuple("P", "u v")


@dataclass
class D:
    u: np.ndarray
    v: np.ndarray
    t: float = 0.0


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def tup_list(x, n):
    L = [(x.copy(), x * 0.5)]
    for i in range(n):
        a, b = L[-1]
        b[:] = a * b
        L.append((b, a))
        L[0][1][0] *= 1.5
    return np.sum(L[-1][0] * L[0][0]) + np.sum(L[0][1] ** 2)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def tup_nested(x, n):
    s = ((x.copy(), 2.0), x * 0.5)
    for i in range(n):
        (u, c), v = s
        v[:] = u * v * c
        s = ((v, c * 0.9), u)
    return np.sum(s[0][0] * s[0][0]) + np.sum(s[1]) * s[0][1]


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def nt_swap(x, n):
    p = P(x.copy(), x * 0.5)
    for i in range(n):
        p.v[:] = p.u * p.v
        p = P(p.v, p.u)
        if i == 1:
            p = p._replace(u=p.u * 2.0)
    return np.sum(p.u * p.u) + np.sum(p.v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def dc_swap(x, n):
    p = D(x.copy(), x * 0.5)
    for i in range(n):
        p.v[:] = p.u * p.v
        p.u, p.v = p.v, p.u
        p.t += p.u[0]
        q = D(p.v, p.u, p.t)
        q.u[0] *= 1.1
    return np.sum(p.u * p.u) + np.sum(p.v) * p.t


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def dict_of_tuples(x, n):
    d = {0: (x.copy(), x * 0.5), 1: (x * 0.25, x * 0.75)}
    for i in range(n):
        a, b = d[i % 2]
        b *= a
        d[(i + 1) % 2] = (b, d[(i + 1) % 2][0])
        a += d[0][0]
    return np.sum(d[0][0] * d[1][1]) + np.sum(d[0][1] * d[1][0])


def step(s, x):
    u, v = s
    v[:] = u * x + v * v
    return v, u


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def tup_state_callee(x, n):
    s = (x.copy(), x * 0.5)
    for i in range(n):
        s = step(s, x)
    return np.sum(s[0] * s[0]) + np.sum(s[1])


def rstep(s, x, n):
    if n <= 0:
        return s
    u, v = s
    v[:] = u * x + v * v * 0.5
    return rstep((v, u), x, n - 1)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def tup_state_rec(x, n):
    s = rstep((x.copy(), x * 0.5), x, n)
    return np.sum(s[0] * s[0]) + np.sum(s[1])


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def tup_cond(x, n):
    s = (x.copy(), x * 0.5)
    for i in range(n):
        s[0][...] = s[1] * s[0]
        if s[0][0] > 0.2:
            s = (s[1], s[0])
        else:
            s = (s[0] * 2.0, s[1])
        s[1][-1] = s[0][0]
    return np.sum(s[0] * s[0]) + np.sum(s[1])


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def tup_gen(x, n):
    def g(s):
        for i in range(n):
            s[1][:] = s[0] * x + s[1]
            s = (s[1], s[0])
            yield s

    t = 0.0
    for a, b in g((x.copy(), x * 0.5)):
        t = t + np.sum(a * b)
        a *= 0.5
    return t


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def zip_bufs(x, n):
    us = [x.copy(), x * 0.5]
    vs = [x * 0.1, x * 2]
    for k in range(n):
        for i, (u, v) in enumerate(zip(us, vs)):
            v[:] = u * v + i
            us[i], vs[i] = v, u
        us, vs = vs[::-1], us
    return np.sum(us[0] * us[1]) + np.sum(vs[0] * vs[1] * x)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def closure_state(x, n):
    u = x.copy()
    v = np.zeros_like(x)

    def adv(k):
        nonlocal u, v
        v[:] = u * x * k
        u, v = v, u
        return u

    s = 0.0
    for i in range(n):
        w = adv(1.0 + i * 0.1)
        w[0] += 0.3
        s = s + w[-1]
    return s + np.sum(u * v) + np.sum(u)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def while_stack(x, n):
    st = [(x.copy(), n)]
    s = 0.0
    while st:
        a, k = st.pop()
        if k <= 0 or len(a) == 0:
            s = s + np.sum(a * a)
            continue
        a *= x[0]
        a[0] += a[-1] ** 2
        st.append((a[1:], k - 2))
        st.append((a[: len(a) // 2], k - 1))
    return s


@program(inputs=[(mat(4, 4), 3), (mat(1, 1), 2), (mat(2, 2), 0)])
def views_of_views_keep(A, n):
    v = A[1:, :-1].T[::-1]
    w = v.reshape(v.shape)[..., None]
    prev = None
    s = 0.0
    for i in range(n):
        if prev is not None:
            prev *= 0.5
        prev = A[i % len(A)]
        prev[:] = prev * prev[0] + 0.3
        w += 0.1 * A[0, 0]
        s = s + np.sum(v * v)
    return s + np.sum(A)


@program(inputs=[(vec(6), 3), (vec(1), 1), (vec(2), 0)])
def finally_writes(x, n):
    u = x.copy()
    for i in range(n):
        try:
            u[1:] *= u[:-1]
            if i == 1:
                continue
            u[0] /= u[-1] + 1
            if i == 2:
                break
        finally:
            u += u * u * 0.1
            u[-1] = x[0]
    return np.sum(u * u)


@program(inputs=[(vec(6), 3), (vec(1), 1), (vec(2), 0)])
def own_in_with(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        with np.errstate(all="ignore"):
            v[:] = np.sqrt(u * u + 1)
            u, v = v, u
        v -= u
    return np.sum(u * u) + np.sum(v * v)


@program(inputs=[(vec(6), 3), (vec(1), 1), (vec(2), 0)])
def own_empty_like_loop(x, n):
    f = np.zeros_like(x)
    g = np.zeros_like(x)
    for i in range(n):
        f[:] = x * (i + 1)
        g, f = f, g + f
        f[0] = g[-1]
    return np.sum(f * g) + np.sum(f)


@program(inputs=[(vec(6), 3), (vec(1), 1), (vec(2), 0)])
def own_two_pairs(x, n):
    a = x.copy()
    b = x * 0.5
    c = a * 2
    d = b * 2
    for i in range(n):
        b[:] = a * c
        d[:] = b * a
        (a, b), (c, d) = (b, a), (d, c)
        if i == 0:
            a, c = c, a
    return np.sum(a * c) + np.sum(b * d)


@program(inputs=[(vec(6), 3), (vec(1), 1), (vec(2), 0)])
def own_view_index(x, n):
    H = np.zeros((2, len(x)))
    H[0] = x
    for i in range(n):
        cur, nxt = H[i % 2], H[(i + 1) % 2]
        nxt[:] = cur * cur + nxt * 0.1
        cur[0] = nxt[-1]
    return np.sum(H[0] * H[1]) + np.sum(H**2)


@program(inputs=[(vec(6), 3), (vec(1), 1), (vec(2), 0)])
def own_view_swap(x, n):
    H = np.zeros((2, len(x)))
    H[0] = x
    cur, nxt = H
    for i in range(n):
        nxt[:] = cur * cur + nxt * 0.1
        cur, nxt = nxt, cur
        H[0, 0] *= 1.5
    return np.sum(cur * nxt) + np.sum(H**2)


@program(inputs=[(vec(6), 3), (vec(1), 1), (vec(2), 0)])
def own_np_copy_rebind(x, n):
    u = x.copy()
    v = u
    for i in range(n):
        v = v * 2.0 if i % 2 else v
        v[0] = u[-1]
        u, v = v, u
    return np.sum(u * v) + np.sum(u)


@program(inputs=[(vec(6), 3), (vec(1), 1), (vec(2), 0)])
def outer_list_of_history(x, n):
    hist = []
    u = x.copy()
    for i in range(n):
        hist.append(u)
        u = u * u
        hist[-1][0] = 5.0 * x[-1]
        hist.append(u[::-1])
    for h in hist[::2]:
        h *= 2.0
    return sum((np.sum(h * h) for h in hist), 0.0) + np.sum(u)
