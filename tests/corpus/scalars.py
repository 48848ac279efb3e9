"""Programs over Python and NumPy scalars."""
import math

import numpy as np

from corpus.registry import program, vec


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@program(inputs=[(100.0, 95.0, 0.2, 1.0), (80.0, 95.0, 0.4, 0.005), (80.0, 95.0, 0.4, 0.3)], wrt=(0, 2, 3))
def black_scholes(spot, strike, sigma, maturity):
    if maturity < 0.01:
        payoff = max(spot - strike, 0.0)
        return payoff + 0.01 * spot
    root = sigma * math.sqrt(maturity)
    d1 = math.log(spot / strike) / root + 0.5 * root
    d2 = d1 - root
    price = spot * normal_cdf(d1) - strike * normal_cdf(d2)
    if price < 10.0:
        price += 0.1 * math.sqrt(price)
    return price


@program(inputs=[(100.0, 0.2, 4), (90.0, 0.4, 1)], wrt=(0, 1))
def binomial_option(spot, sigma, steps):
    up = math.exp(sigma / math.sqrt(steps))
    down = 1.0 / up
    q = (1.0 - down) / (up - down)
    values = []
    for k in range(steps + 1):
        price = spot * up ** k * down ** (steps - k)
        values.append(max(101.3 - price, 0.0))
    for level in range(steps, 0, -1):
        for k in range(level):
            values[k] = 0.99 * (q * values[k + 1] + (1.0 - q) * values[k])
        values.pop()
    return values[0]


@program(inputs=[(2.3, 8), (0.4, 2)])
def alternating_series(z, terms):
    total = 1.0
    for k in range(1, terms):
        total += (-1) ** k / (z + k) * math.sqrt(k + 0.5)
    total = math.fabs(total) + math.log(z + 1.0)
    if z < 1.0:
        total = math.pi / (math.sin(math.pi * z) * total)
        return total + z
    return total * math.cosh(z) - math.sinh(z) * math.tanh(z)


@program(inputs=[(0.7, 5), (1.6, 1), (1.6, 0)])
def continued_fraction(x, depth):
    value = 0.0
    n = depth
    while n > 0:
        value = n * x / (n + 1.0 + value)
        n -= 1
    value = x / (1.0 + value)
    if value > 0.5 and depth > 0:
        value **= 2
    return value


@program(inputs=[(0.5, 0.7, 1.3), (2.0, -0.4, 0.2)], wrt=(0, 1, 2))
def triangle(a, b, angle):
    c = math.sqrt(a * a + b * b - 2.0 * a * b * math.cos(angle))
    s = (a + abs(b) + c) / 2.0
    area = 0.5 * a * abs(b) * math.sin(angle)
    inner = area / s
    if inner < 0.1:
        inner = math.asin(inner)
        inner += math.acos(inner)
    else:
        inner = inner * s
    return inner + math.degrees(angle) * 1e-2 + math.log10(s) + math.log2(s) * math.expm1(-c)


@program(inputs=[(np.float64(0.8), vec(3)), (np.float64(1.9), vec(1, 1))], wrt=(0, 1))
def numpy_scalar_argument(s, x):
    t = s
    t += 1.0
    y = x * t
    y[0] = s
    for v in y:
        t = t * np.cos(v)
        t -= s / (1.0 + v * v)
        if t < 0:
            t = -t
    return t * s + np.sum(y).item()


@program(inputs=[(1.1, [0.3, -0.2, 0.5]), (0.4, [2.0]), (0.4, [])], wrt=(0, 1))
def clenshaw(x, coefficients):
    b1 = b2 = 0.0
    for c in coefficients[::-1]:
        b1, b2 = c + 2.0 * x * b1 - b2, b1
    value = b1 - x * b2 if len(coefficients) > 0 else x
    value *= value
    return value + 0.5 * x


@program(inputs=[(0.3, 1.9), (0.3, 0.5)], wrt=(0, 1))
def bisection_then_newton(low, high):
    target = low + high * high
    while high - low > 0.4:
        mid = 0.5 * (low + high)
        if mid * mid * mid > target:
            high = mid
        else:
            low = mid
    x = 0.5 * (low + high)
    for _ in range(6):
        x -= (x ** 3 - target) / (3.0 * x * x)
    return x + low


@program(inputs=[(0.2, 7), (0.9, 2)])
def sum_with_compensation(x, n):
    total, carry = 0.0, 0.0
    term = 1.0
    for k in range(1, n + 1):
        term *= x / k
        y = term - carry
        t = total + y
        carry = (t - total) - y
        total = t
        if k % 3 == 0:
            term = -term
    total += x * x
    return total


@program(inputs=[(1.5, 3, 0.1), (0.2, 1, 1.0)], wrt=(0, 2))
def smooth_minimum(x, n, temperature):
    best = 10.0
    grid = []
    for i in range(n):
        grid.append(math.sin(x + i) + 0.1 * x * i)
    for g in grid:
        best = -temperature * math.log(math.exp(-best / temperature) + math.exp(-g / temperature))
    for g in grid:
        if g > best:
            best += 0.01 * (g - best) ** 2
    best = best * temperature
    return best
