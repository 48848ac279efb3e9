"""Calls to other functions: helpers, recursion, callees that write, functions as arguments."""
import math

import numpy as np

from corpus.registry import mat, program, vec

GAIN = 1.3
WEIGHTS = np.array([0.2, 0.5, 0.3])


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def scaled(x, power=2, *, factor=1.0):
    return factor * x ** power


def relax(u, rate):
    """Writes its argument and returns nothing."""
    u[1:] += rate * (u[:-1] - u[1:])
    u[0] *= 1.0 - rate


def normalise(v):
    """Writes its argument and gives back what it divided by."""
    s = 1.0 + np.sum(v * v)
    v /= s
    return s


def fibonacci_like(a, b, n):
    if n == 0:
        return a
    return fibonacci_like(b, a + 0.5 * b, n - 1)


def even_steps(x, n):
    return x if n == 0 else odd_steps(x * x, n - 1)


def odd_steps(x, n):
    return x + 1.0 if n == 0 else even_steps(math.sin(x), n - 1)


def integrate(f, a, b, n):
    h = (b - a) / n
    s = 0.5 * (f(a) + f(b))
    for i in range(1, n):
        s += f(a + i * h)
    return s * h


def moments(x):
    m = np.mean(x)
    return m, np.mean((x - m) ** 2)


def simpson(x, a, b, depth):
    m = 0.5 * (a + b)
    whole = (math.exp(-x * a) + 4.0 * math.exp(-x * m) + math.exp(-x * b)) * (b - a) / 6.0
    if depth == 0:
        return whole
    return simpson(x, a, m, depth - 1) + simpson(x, m, b, depth - 1)


@program(inputs=[(mat(4, 2), vec(2, 1)), (mat(1, 2, 2), vec(2, 3))], wrt=(0, 1))
def helpers_of_helpers(X, w):
    p = sigmoid(X @ w)
    q = scaled(p, factor=GAIN) + scaled(p, 3)
    q += scaled(x=w[0], power=2, factor=0.5)
    r = q / (1.0 + sigmoid(q))
    return np.sum(r)


@program(inputs=[(vec(4), 0.3, 3), (vec(1, 1), 0.6, 2), (vec(2, 1), 0.6, 0)], wrt=(0, 1))
def callee_writes(x, rate, sweeps):
    u = x.copy()
    for s in range(sweeps):
        relax(u, rate)
        relax(u[::-1], 0.5 * rate)
    u *= u
    relax(u, rate)
    return np.sum(u)


@program(inputs=[(vec(5),), (vec(1, 1),)])
def callee_writes_and_returns(x):
    v = x * 1.0
    s = normalise(v)
    t = normalise(v[1:])
    while s > 2.0:
        v *= s
        s = normalise(v) * 0.5
        t += s
        if t > 3.0:
            t = 3.0 + 0.1 * s
    return s * t + np.sum(v ** 2)


@program(inputs=[(0.4, 0.9, 5), (1.2, 0.3, 0)], wrt=(0, 1))
def linear_recursion(a, b, n):
    value = fibonacci_like(a, b, n)
    if n > 3:
        value += fibonacci_like(b, a * value, n // 2)
    else:
        value = value * value + 0.1 * b
    return math.log1p(value)


@program(inputs=[(0.7, 3), (1.1, 4), (0.2, 0)])
def mutual_recursion(x, n):
    y = even_steps(x, n)
    for k in range(n):
        y += odd_steps(x * 0.5, k)
    y *= 0.5
    if y > 1.0:
        y = 1.0 + math.log(y)
    return y


@program(inputs=[(0.8, 2), (1.5, 0)])
def binary_recursion(x, depth):
    area = simpson(x, 0.0, 1.0, depth)
    if depth > 1:
        return area * area
    for _ in range(3 - depth):
        area += simpson(area, 1.0, x, 1)
    return area + 0.1 * x


@program(inputs=[(0.5, 1.5, 4), (1.0, 2.0, 1)], wrt=(0, 1))
def function_as_argument(k, b, n):
    def integrand(t):
        return math.exp(-k * t) * math.cos(t)

    total = integrate(integrand, 0.0, b, n)
    total += integrate(lambda t: k * t * t, 0.0, 1.0, n)
    return total ** 2


@program(inputs=[(vec(3), 2), (vec(1, 2), 0)])
def closure_in_a_loop(x, n):
    scale = np.sum(x)

    def step(y, c=0.5):
        return np.tanh(c * y) * scale

    y = x
    for i in range(n):
        y = step(y, c=0.2 * i + 0.1)
    if n == 0:
        y = step(y)
    return np.sum(y * y)


@program(inputs=[(vec(5), vec(3, 1)), (vec(1, 2), vec(2, 3))], wrt=(0, 1))
def several_results(x, y):
    mx, vx = moments(x)
    my, vy = moments(y)
    z = (mx - my) / math.sqrt(vx + vy + 0.1)
    if z > 0.0:
        z *= vx + 1.0
        m, v = moments(np.concatenate([x, y]))
        z += m * v
    return z * z + 0.1 * mx


@program(inputs=[(vec(3),), (vec(1, 1, 1.5, 2.0),)])
def globals_are_read(x):
    y = WEIGHTS * x
    if np.sum(y) > 1.0:
        y = y * GAIN
    for w in WEIGHTS:
        y = y + w * np.sin(y)
    y /= GAIN
    return np.sum(y)


@program(inputs=[(mat(3, 4), 0.1), (mat(1, 1, 1), 0.2)], wrt=(0, 1))
def callee_writes_a_row(A, rate):
    B = A * A
    n = B.shape[0]
    for i in range(n):
        relax(B[i], rate)
        if i > 0:
            B[i] += B[i - 1]
            relax(B[i, 1:], rate=0.5)
        else:
            normalise(B[0])
    relax(B.T[0], rate)
    return np.sum(B)


@program(inputs=[(vec(4), 3), (vec(1, 1), 1), (vec(2, 2), 0)])
def argument_passed_back(x, n):
    y = x * 2.0
    same = identity_or_copy(y, n > 2)
    same[0] += 1.0
    for k in range(n):
        other = identity_or_copy(same, k % 2 == 0)
        other *= 0.9
        y = y + other
    return np.sum(y * same)


def identity_or_copy(a, copy):
    if copy:
        return a.copy()
    return a


def polynomial(x, *coefficients):
    value = 0.0
    for c in coefficients:
        value = value * x + c
    return value


@program(inputs=[(0.8, vec(3)), (-0.3, vec(1, 1))], wrt=(0, 1))
def star_arguments(x, c):
    a = polynomial(x, 1.0, c[0], -2.0)
    a += polynomial(x)
    pair = (a, c[-1])
    b = polynomial(*pair, 0.5)
    while b > 1.0:
        b = polynomial(0.5, b, 0.1)
    return a * b


@program(inputs=[(vec(4),), (vec(1, 1),)])
def lambdas_by_name(x):
    double = lambda v: 2.0 * v  # noqa: E731
    square = lambda v: v * v  # noqa: E731
    y = x
    for f in (double, square, np.sin, double):
        y = f(y) + 0.1 * x
        if f is double:
            y *= 0.5
    g = square if np.sum(y) > 2.0 else double
    return np.sum(g(y))
