"""Buffers that loops swap, rotate, and give other names to, with jumps, views and callees in between."""

import numpy as np

from corpus.registry import program, vec


@program(inputs=[(vec(5), 4), (vec(1), 2), (vec(3), 0)])
def own_view_alive_across_swap(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    s = 0.0
    for i in range(n):
        w = u[1:]
        v[:] = u * u * 0.5
        u, v = v, u
        w *= 0.5
        s = s + np.sum(w * v[1:])
    return s + np.sum(u) + np.sum(v * v)


@program(inputs=[(vec(5), 4), (vec(1), 2), (vec(3), 0)])
def own_alias_kept(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    first = u
    for i in range(n):
        v[:] = np.sin(u) * x
        u, v = v, u
    first *= 2.0
    return np.sum(u * first) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 2), (vec(3), 0)])
def own_swap_conditional(x, n):
    u = x.copy()
    v = x * 0.5
    for i in range(n):
        v[:] = u * v + 0.1
        if v[0] > 0.4 or i % 2 == 0:
            u, v = v, u
        u[0] = u[0] * u[-1]
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_swap_break(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        v[:] = u * u + 0.1 * x
        if i == 2:
            break
        u, v = v, u
    else:
        u[:] *= x
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_swap_continue(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        v[:] = u * u + 0.1 * x
        if i % 2 == 1:
            continue
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_swap_in_try(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        try:
            v[:] = u * u + 0.1 * x
            if i == 1:
                raise ValueError
            u, v = v, u
            v[0] = 3.0
        except ValueError:
            u[0] *= 2.0
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_swap_nested(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    w = x * x
    for i in range(n):
        for j in range(i):
            v[:] = u * w
            u, v = v, u
        w[:] = w * 0.5 + u
        w, u = u, w
    return np.sum(u * u) + np.sum(v * w)


@program(inputs=[(vec(5), 4), (vec(2), 3), (vec(3), 0)])
def own_different_shapes(x, n):
    u = x.copy()
    v = np.outer(x, x)[0, :-1] * 1.0
    for i in range(n):
        v[:] = v * np.sum(u) * 0.3
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_rebound_other(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    s = 0.0
    for i in range(n):
        v[:] = u * x
        u, v = v, u
        if i == 1:
            v = u * 2.0
        s = s + v[0]
    u = 3.0
    return s * u + np.sum(v * v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_rebound_scalar_in_loop(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        v[:] = u * x
        u, v = v, u
        t = u
        t = t[0] * 1.0
        u[-1] = t * t
    return np.sum(u * u) + np.sum(v * v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_three_step_swap(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        v[:] = u * x
        tmp = u
        u = v
        v = tmp
        tmp[0] = u[0] * 0.7
    return np.sum(u * u) + np.sum(v * v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_copy_then_dup(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        v[:] = u * x
        v, u = u, u
        v[0] *= 1.5
    return np.sum(u * u) + np.sum(v * v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_list_display(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    keep = []
    for i in range(n):
        v[:] = u * x
        u, v = v, u
        keep.append(u)
    s = 0.0
    for k in keep:
        s = s + np.sum(k * k)
    return s + np.sum(u * v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_fresh_each_time(x, n):
    u = x.copy()
    old = x * 0.5
    for i in range(n):
        new = np.empty_like(u)
        new[:] = 2 * u - old * x
        new[0] = old[-1]
        old, u = u, new
    return np.sum(u * u) + np.sum(old)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_in_while(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    k = 0
    while k < n and u[0] < 50:
        np.multiply(u, x, out=v)
        v += u**2 * 0.1
        u, v = v, u
        k += 1
    return np.sum(u * u) + np.sum(v)


def stepper(u, v, x):
    v[:] = u * x
    v[0] += u[-1]
    return v, u


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_swapped_by_callee(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        u, v = stepper(u, v, x)
    return np.sum(u * u) + np.sum(v)


def rec(u, v, n):
    if n == 0:
        return u, v
    v[:] = u * u * 0.5 + v
    return rec(v, u, n - 1)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_recursive(x, n):
    u, v = rec(x.copy(), np.ones_like(x), n)
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_arguments_swapped(x, n):
    y = x * 2
    for i in range(n):
        y[:] = x * y
        x, y = y, x
    return np.sum(x) + np.sum(y * y)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_tuple_swap(x, n):
    p = (x.copy(), x * 0.5)
    for i in range(n):
        p[1][:] = p[0] * p[1]
        p = (p[1], p[0])
    return np.sum(p[0] * p[0]) + np.sum(p[1])


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_where_expression(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        src = u if i % 2 == 0 else v
        dst = v if i % 2 == 0 else u
        dst[:] = src * x + 0.1 * dst
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_rotate_four(x, n):
    a = x.copy()
    b = x * 2
    c = x * 3
    d = np.zeros_like(x)
    for i in range(n):
        d[:] = a * b - c * 0.1
        a, b, c, d = b, c, d, a
        if i == 1:
            a, c = c, a
    return np.sum(a * a) + np.sum(b * c) + np.sum(d)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_reshape_after(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        v[:] = u * x
        u, v = v, u
    w = u.reshape(-1, 1)
    w[0] *= 3.0
    return np.sum(u * u) + np.sum(w) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_fancy(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    idx = np.array([0, -1, 0])
    for i in range(n):
        v[idx] = u[idx] * x[0]
        v[u > 0.8] += 1.0
        u, v = v, u
        u[idx] += 0.5 * v[idx]
    return np.sum(u * u) + np.sum(v * v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_delete(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        v[:] = u * x
        u, v = v, u
        t = u * 1.0
        t[0] = 2.0 * v[0]
        v[-1] = np.sum(t)
        del t
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_early_return(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        v[:] = u * x + v * v
        u, v = v, u
        if np.sum(u) > 3.0:
            return np.sum(u) * v[0]
    return np.sum(u * u) + np.sum(v)


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_nested_fn(x, n):
    u = x.copy()
    v = np.zeros_like(x)

    def peek():
        return u[0] * 2.0

    s = 0.0
    for i in range(n):
        v[:] = u * x
        u, v = v, u
        s = s + peek()
    return np.sum(u * u) + np.sum(v) + s


@program(inputs=[(vec(5), 4), (vec(1), 3), (vec(3), 0)])
def own_walrus(x, n):
    u = x.copy()
    v = np.zeros_like(x)
    for i in range(n):
        v[:] = u * x
        if (w := v)[0] > 0.1:
            u, v = v, u
        w[0] *= 2.0
    return np.sum(u * u) + np.sum(v)
