"""Ways out of loops and functions: break, continue, else, early returns, alone and nested."""
import itertools
import math

import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(5), 1.6), (vec(1, 1), 9.0), (np.zeros(0), 1.0)])
def stops_at_a_limit(x, limit):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2
        if s > limit:
            break
        s = s * 1.1
    return s + np.sum(x)


@program(inputs=[(vec(5),), (vec(1, 1),), (np.zeros(0),)])
def skips_some(x):
    s = 1.0
    for i, k in zip(range(len(x)), itertools.count(2)):
        if i % 2 == 1:
            continue
        s = s * x[i] ** k
    return s


@program(inputs=[(vec(4), 0.9), (vec(4), 20.0), (vec(1, 2), 0.0)])
def found_or_not(x, target):
    for v in x:
        if v > target:
            found = v * 2.0
            break
    else:
        found = np.sum(x)
    return found ** 2


@program(inputs=[(1.7,), (0.4,)])
def newton_to_convergence(a):
    x = a
    for k in range(50):
        step = (x * x - a) / (2.0 * x)
        x = x - step
        if abs(step) < 1e-13:
            break
    return x + a * 0.1


@program(inputs=[(vec(3), 3), (vec(1, 1), 0), (vec(2, 1), 1)])
def endless_until(x, n):
    y = x * 1.0
    k = 0
    while True:
        if k >= n:
            break
        y[k % len(y)] = y[k % len(y)] * x[0] + k
        k += 1
    return np.sum(y) * y[0]


@program(inputs=[(vec(3), 2), (vec(1, 1), 5)])
def returns_from_an_endless_loop(x, n):
    total = 0.0
    while True:
        total = total + np.sum(np.sin(x) * (n + 1))
        n -= 1
        if n < 0:
            return total
        if total > 4.0:
            return total * x[0]


@program(inputs=[(mat(3, 3, 1), 0.3), (mat(1, 1, 2), 5.0), (np.zeros((0, 2)), 1.0)])
def leaves_both_loops(A, limit):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s = s + A[i, j] ** 2
            if s > limit:
                break
        else:
            s = s * 2.0
            continue
        s = s + 10.0 * A[i, j]
        break
    return s


@program(inputs=[(vec(4), 0.5), (vec(4), 50.0), (vec(1, 1), 0.0)])
def while_with_else(x, limit):
    k, s = 0, x[0]
    while k < len(x):
        s = s * (1.0 + x[k])
        if s > limit * 4:
            s = s - limit
            break
        k += 1
    else:
        s = s + 1.0
    return s * s


@program(inputs=[(vec(3), 1.0), (-vec(3), 1.0), (vec(3), -1.0), (vec(1, 9), 1.0)], wrt=(0, 1))
def guards_at_the_top(x, c):
    if c < 0.0:
        return c * c
    if np.sum(x) < 0.0:
        return -np.sum(x) * c
    y = x * c
    return np.sum(y * y)


@program(inputs=[(vec(5), 3), (vec(5), 0), (vec(1, 3), 1)])
def break_in_a_branch_of_a_branch(x, n):
    s = 0.0
    for i in range(len(x)):
        if i < n:
            if x[i] > 1.0:
                s += x[i]
            elif x[i] > 0.8:
                s *= 0.5
                continue
            else:
                s += 1.0
                if s > 2.0:
                    break
            s += x[i] ** 2
        else:
            s -= x[i]
        s *= 1.5
    return s


@program(inputs=[(vec(4), 2), (vec(1, 1), 1), (vec(2, 2), 0)])
def rows_until_small(x, n):
    A = np.outer(x, x)
    total = np.zeros(len(x))
    for row in A:
        if np.sum(row) < 0.5:
            continue
        total += row * n
        if np.sum(total) > 6.0:
            break
    return np.sum(total ** 2) + total[-1]


@program(inputs=[(vec(6),), (vec(2, 1),), (vec(1, 2),)])
def bisection(x):
    low, high = 0.0, 4.0 + x[0]
    for _ in range(60):
        mid = 0.5 * (low + high)
        value = mid ** 3 - np.sum(x)
        if abs(value) < 1e-3:
            break
        if value > 0:
            high = mid
        else:
            low = mid
    return mid * x[0] + low


def first_root(a, b, c):
    for r in (-1.0, 1.0):
        d = b * b - 4.0 * a * c
        if d < 0.0:
            return a * 0.0 + b
        root = (-b + r * np.sqrt(d)) / (2.0 * a)
        if root > 0.0:
            return root
    return c


@program(inputs=[(1.3, 2.0, -3.0), (1.0, 0.1, 2.0), (1.0, 5.0, 2.0)], wrt=(0, 1, 2))
def callee_returns_from_its_loop(a, b, c):
    total = 0.0
    for k in range(3):
        r = first_root(a + k, b, c)
        if r > 10.0:
            break
        total += r * (k + 1)
    return total * total


@program(inputs=[(vec(4), 1.2), (vec(1, 1), 0.1)])
def values_of_a_list(x, limit):
    parts = []
    for v in x:
        if v < 0.5:
            continue
        parts.append(v * v)
        if len(parts) == 2:
            break
    total = 0.0
    for p in parts:
        total += p
        if total > limit:
            return total * 2.0
    return total + x[0]


@program(inputs=[(vec(3), 4), (vec(1, 1), 9)])
def collatz_weights(x, n):
    s = 0.0
    while n != 1:
        if n % 2 == 0:
            n //= 2
            s = s + x[0]
            continue
        n = 3 * n + 1
        s = s * 1.01 + x[-1] ** 2
        if n > 40:
            break
    return s * s


@program(inputs=[(vec(4), 4), (vec(2, 1), 2), (vec(1, 1), 3)])
def power_iteration_until_steady(x, n):
    A = np.outer(x, x) + np.diag(x)
    v = np.ones(len(x))
    old = 0.0
    for k in range(40):
        w = A @ v
        norm = np.sqrt(w @ w)
        v = w / norm
        if k > n and abs(norm - old) < 1e-2:
            break
        old = norm
    return norm + v[0]


@program(inputs=[(vec(5), 0.2), (vec(2, 1), 3.0), (vec(1, 9), 0.2)])
def adaptive_steps(x, h):
    t, y = 0.0, x * 1.0
    tries = 0
    while t < 1.0:
        tries += 1
        if tries > 30:
            break
        k1 = -y * x[0]
        k2 = -(y + h * k1) * x[0]
        error = np.sum(np.abs(k1 - k2)) * h
        if error > 0.4:
            h = h * 0.5
            continue
        y = y + 0.5 * h * (k1 + k2)
        t = t + h
        if t + h > 1.0:
            h = 1.0 - t
            if h < 1e-9:
                break
    return np.sum(y * y) + y[0]


@program(inputs=[(vec(4), [2, 0, 1]), (vec(4), [9, 1]), (vec(1, 1), [])])
def over_a_set_and_a_dict(x, order):
    table = {k: 0.5 * k for k in order}
    s = 0.0
    for key in table:
        if key >= len(x):
            continue
        s = s + x[key] * table[key]
        s = s * s + 1.0
    for key, scale in table.items():
        s = s * scale + x[0]
        if s > 3.0:
            break
    return s


@program(inputs=[(vec(5),), (vec(1, 1),)])
def counts_without_end(x):
    s = 1.0
    for k in itertools.count(1):
        s = s * math.cos(x[k % len(x)]) + k
        if k * k > 10:
            return s * x[0]


@program(inputs=[(mat(4, 3, 3), 2), (mat(1, 1, 4), 0)])
def nested_counts(A, n):
    s = 0.0
    for row in range(A.shape[0]):
        for k in itertools.count():
            if k >= A.shape[1] or k > row + n:
                break
            s = s + np.exp(s * 0.1) * A[row, k]
        s = s * 0.7
    return s


@program(inputs=[(vec(4), 1), (vec(4), 3), (vec(1, 1), 0)])
def return_in_one_arm_of_a_nested_loop(x, mode):
    y = x * x
    for i in range(len(y)):
        if mode == 1:
            for j in range(i + 1):
                y[j] = y[j] * x[i] + 0.5
                if y[j] > 1.2:
                    return y[j] + np.sum(y)
        elif mode == 3:
            if i == 2:
                return y[i] * 3.0
            y[i] *= 2.0
        else:
            continue
        y = y * 1.5
    return np.sum(y)


@program(inputs=[(vec(4), 3), (vec(1, 1), 1)])
def last_values_live_on(x, n):
    for i in range(len(x)):
        y = np.sin(x[i]) * (i + 1)
        z = y * y
        if i == n:
            break
    return y * z + i * x[0]


@program(inputs=[(vec(4), 0.5), (vec(1, 1), 3.0)])
def swap_until(x, limit):
    a, b = x * 1.0, x * 2.0
    for k in range(6):
        a, b = b, a
        a[0] = a[0] * x[-1] + k
        if a[0] > limit * 4:
            b = a
            break
        b = b * 0.9
    return np.sum(a) + np.sum(b * b)


@program(inputs=[(vec(3), "ab"), (vec(1, 1), "xyz"), (vec(2, 1), "")])
def letters_decide(x, word):
    s = x[0]
    for letter in word:
        match letter:
            case "a":
                s = s * 2.0
                continue
            case "x" if s > 0.5:
                s = s * s
            case "y":
                s = s + np.sum(x)
                break
            case _:
                s = s - 1.0
        s = s * 1.5
    return s * s


@program(inputs=[(vec(3), (1, 2.0)), (vec(1, 1), (0, 1.0)), (vec(2, 1), (2, 3.0, 4.0)), (vec(2, 1), None)])
def match_on_shapes(x, command):
    match command:
        case (0, scale):
            return scale * np.sum(x)
        case (n, scale) if n == 1:
            y = x ** 2 * scale
        case [n, *scales]:
            y = x * n
            for s in scales:
                y = y * s
        case None:
            y = x
    return np.sum(y * y)


@program(inputs=[(2.0, 1.0), (-1.5, 0.3), (0.0, 2.0)], wrt=(0, 1))
def match_on_numbers(x, y):
    match (x > 1.0, y):
        case (True, v):
            r = v * x
        case (False, v) if v < 1.0:
            r = v * v + x
        case _:
            r = x * x + y
    return r * r


@program(inputs=[(vec(4),), (vec(1, 1),)])
def walrus_in_loops(x):
    s, k = 0.0, 0
    while (v := x[k % len(x)] * (k + 1)) < 2.5 and k < 6:
        k += 1
        if k == 3:
            continue
        s += v
    if (m := s * s) > 3.0:
        return m - v
    return m + (w := v * 2.0) * w


@program(inputs=[(vec(4), 2), (vec(1, 1), 1)])
def and_or_give_operands(x, n):
    s = 0.0
    for v in x:
        a = (v > 0.8) and v * 2.0
        b = s or v
        s = s + (a or b) if 0.4 < v < 1.5 else s * v
    return s * (n or 2.0)


@program(inputs=[(vec(4), 3), (vec(2, 1), 5), (vec(1, 9), 3)])
def deleted_things(x, n):
    parts = [x * k for k in range(3)]
    scale = x[0] * 2.0
    y = scale * parts[1]
    del scale, parts
    scale = np.sum(y)
    assert scale > -1e9, "too small"
    for k in range(n):
        if k > 2:
            break
        scale = scale * y[k % len(y)]
    return scale


@program(inputs=[(vec(4), 3.0), (vec(4), 0.01), (vec(1, 1), 100.0)])
def fixed_point_in_a_callee(x, tolerance):
    def solve(a):
        y = a
        for k in range(20):
            new = 0.5 * (y + a / y)
            if abs(new - y) < tolerance:
                return new
            y = new
        return y * 2.0
    s = 0.0
    for v in x:
        r = solve(v + 1.0)
        if r > 1.45:
            continue
        s = s + r * v
    return s


def tree(x, depth):
    total = x[0]
    for k in range(len(x)):
        if depth == 0:
            return total * x[k]
        if k >= 2:
            break
        total = total + tree(x * (0.5 + k), depth - 1) ** 2
    return total


@program(inputs=[(vec(3), 2), (vec(1, 1), 1), (vec(2, 2), 0)])
def recursion_with_jumps(x, depth):
    return tree(x, depth) * 0.5


@program(inputs=[(vec(6), 0.5), (vec(2, 3), 9.0), (vec(1, 9), 0.5)])
def tape_survives_two_loops(x, limit):
    y = x * 1.0
    for sweep in range(3):
        for i in range(1, len(y)):
            if y[i] < limit:
                continue
            y[i] = y[i] * y[i - 1]
            if y[i] > 3.0:
                break
        y = y * 1.2 if sweep % 2 else y + 0.1
        if np.sum(y) > 20.0:
            break
    return np.sum(y ** 2)
