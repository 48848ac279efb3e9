"""Constructs beyond the core language: they are differentiated right, or refused."""
import functools
import math

import numpy as np

from corpus.registry import mat, program, vec


class Parameter:
    """An object with a property and arithmetic of its own."""

    def __init__(self, value):
        self.value = value

    @property
    def squared(self):
        return self.value * self.value

    def __mul__(self, other):
        return Parameter(self.value * other)


def power_sum(x, *powers, **weights):
    total = 0.0
    for p in powers:
        total = total + np.sum(x ** p)
    for w in weights.values():
        total = total * w
    return total


def chunks(x, size):
    start = 0
    while start < len(x):
        yield start, x[start:start + size]
        start += size


@functools.lru_cache(maxsize=None)
def cached_constant(n):
    return 1.0 / (1.0 + n)


@program(inputs=[(vec(5), 1.6), (vec(3, 1), 9.0), (vec(1, 2), 0.1)])
def break_and_continue(x, limit):
    s = 0.0
    for i in range(len(x)):
        if i % 3 == 1:
            continue
        s += x[i] ** 2
        if s > limit:
            s *= 0.5
            break
    else:
        s = s + 1.0
    return s * s


@program(inputs=[(vec(4), 0.8), (vec(1, 1), 3.0)])
def return_from_a_nested_loop(x, target):
    y = x * 1.0
    for i in range(len(x)):
        for j in range(i, len(x)):
            y[j] *= 0.9
            if y[i] * y[j] < target:
                return np.sum(y ** 2) + x[i]
    return np.sum(y)


@program(inputs=[(vec(4),), (vec(1, 1),), (np.zeros(0),)])
def comprehensions(x):
    squares = [v * v for v in x if v > 0.5]
    table = {i: x[i] * i for i in range(len(x))}
    total = sum(squares) + sum(math.sin(x[i]) for i in range(len(x)))
    for k, v in table.items():
        total += k * v
    grid = [[a * b for a in x] for b in x]
    if grid:
        total += grid[0][-1]
    return total + np.sum(x)


@program(inputs=[(vec(3), vec(3, 1)), (vec(1, 1), vec(1, 2))], wrt=(0, 1))
def zip_and_enumerate(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s += a * b * (i + 1)
        for k, v in enumerate(reversed([a, b]), start=2):
            s += v ** k
    first, *rest = x * y
    for r in rest:
        s += r
    return s * first


@program(inputs=[(vec(3), "square"), (vec(1, 1), "sine"), (vec(2, 1), "none")])
def match_on_a_string(x, kind):
    match kind:
        case "square":
            y = x * x
        case "sine" | "sin":
            y = np.sin(x)
            y += 1.0
        case _:
            y = x
    return np.sum(y)


@program(inputs=[(vec(3),), (vec(3, 1, 2.0, 3.0),), (vec(1, 9),)])
def walrus_in_a_test(x):
    if (s := np.sum(x * x)) > 5.0:
        return math.log(s)
    while (s := s * 1.5) < 4.0:
        x = x * 0.9
    return s + np.sum(x)


@program(inputs=[(vec(3),), (vec(1, 1),)])
def with_block_and_finally(x):
    y = x * 0.5
    with np.errstate(all="ignore"):
        y = y / (1.0 + x)
        try:
            y[0] = y[0] ** 2
            if len(x) == 1:
                raise KeyError("single")
        except KeyError as error:
            y = y * len(error.args)
        finally:
            y += 0.1
    return np.sum(y * y)


@program(inputs=[(vec(3), 2.0), (vec(1, 1), -1.0)], wrt=(0, 1))
def properties_and_operators(x, s):
    p = Parameter(x) * s
    total = np.sum(p.squared)
    if s > 0.0:
        p.value = p.value + 1.0
        total += np.sum((p * 0.5).squared)
    for q in (p, p * p.value):
        q.value *= 0.5
        total = total + np.sum(q.squared)
    return total


@program(inputs=[(vec(3),), (vec(1, 1),)])
def stars_everywhere(x):
    a = power_sum(x, 2, 3, scale=0.5)
    options = {"scale": x[0], "shift": 2.0}
    a += power_sum(x, *(1, 2), **options)
    f = functools.partial(power_sum, x, 2)
    if a > 1.0:
        a = f()
    return a * f(scale=0.1)


@program(inputs=[(vec(5), 2), (vec(1, 1), 3), (np.zeros(0), 2)])
def generator_of_views(x, size):
    y = x * 2.0
    for start, chunk in chunks(y, size):
        chunk[0] *= 1.0 + start
        if start > 0:
            chunk += y[start - 1]
        else:
            chunk *= x[0]
    return np.sum(y ** 2)


@program(inputs=[(vec(3), 3), (vec(1, 1), 0)])
def nonlocal_counter(x, n):
    total = 0.0

    def bump(v):
        nonlocal total
        total = total * 0.5 + v
        return total

    y = x[0]
    for k in range(n):
        y = y * bump(x[k % len(x)])
    bump(y)
    return total


@program(inputs=[(vec(3),), (vec(1, 1),)])
def functional_style(x):
    total = functools.reduce(lambda a, b: a * b + 1.0, list(x), 1.0)
    mapped = list(map(lambda v: v * v, x))
    key = max(mapped, key=lambda v: -v)
    for w in filter(lambda v: v > 0.2, mapped):
        total += w * cached_constant(2)
    if key > 0.5:
        key *= 2.0
    return total + key


@program(inputs=[(vec(5), 2), (vec(1, 1), 0)])
def lists_edited_in_place(x, k):
    items = []
    for v in x:
        items.append(v)
    items.insert(0, x[0] * 2.0)
    items.extend([1.0, x[-1] ** 2])
    del items[1]
    items[k] *= 3.0
    items.reverse()
    items.sort()
    total = 0.0
    for i in range(len(items)):
        total += items[i] * (i + 1.0)
    return total


@program(inputs=[(mat(3, 3), ), (mat(1, 1, 1),)])
def complex_spectrum(A):
    z = np.fft.fft(A, axis=1)
    w = np.exp(1j * A) * z
    for k in range(len(A)):
        w[k] = w[k] * np.conj(z[k]) + 0.5
        for j in range(k):
            w[k, j] += 1j * z[j, k].real
    return np.sum(np.abs(w) ** 2) + np.real(w[0, 0])


@program(inputs=[(vec(4), vec(4, 1)), (vec(1, 2), vec(1, 3))], wrt=(0, 1))
def output_arguments(x, y):
    out = np.empty_like(x)
    np.multiply(x, y, out=out)
    np.add(out, x, out=out, where=x > 0.8)
    np.copyto(out[:1], y[:1] * 2.0)
    np.subtract.at(out, [0, 0], x[0])
    x, y = out, x
    x.sort()
    return np.sum(x * y)


@program(inputs=[(vec(3), 4), (vec(1, 1), 0)])
def state_in_dicts(x, steps):
    state = {"q": x, "p": np.zeros(len(x)), "log": []}
    for t in range(steps):
        state["p"] = state["p"] - 0.1 * state["q"]
        state["q"] = state["q"] + 0.1 * state["p"]
        state["log"].append(np.sum(state["q"] ** 2))
    total = np.sum(state["p"]) + state["q"][0]
    for key, value in state.items():
        if key == "log":
            total += sum(value)
    return total


@program(inputs=[(vec(4), True), (vec(1, 1), False)])
def numpy_with_callbacks(x, deep):
    y = np.vectorize(lambda v: v * v if v > 1.0 else math.sin(v))(x)
    A = np.fromfunction(lambda i, j: i - j, (len(x), len(x)))
    z = np.apply_along_axis(np.cumsum, 0, y) + A @ x
    while deep:
        z = z * 0.5 + np.interp(x, [0.0, 1.0, 2.0], [0.0, 0.5, 2.0])
        for v in np.nditer(x):
            z = z * float(v)
        deep = False
    return np.sum(z * z)


@program(inputs=[(vec(3), 1.0), (vec(1, 1), 0.5)], wrt=(0, 1))
def local_class(x, k):
    class Spring:
        stiffness = 2.0

        def energy(self, d):
            return 0.5 * self.stiffness * k * np.sum(d * d)

    spring = Spring()
    total = spring.energy(x)
    spring.stiffness = x[0]
    return total + spring.energy(x[1:])
