"""Lists, tuples, dicts, named tuples and dataclasses of arrays."""
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corpus.registry import mat, program, vec


class Layer(NamedTuple):
    weight: np.ndarray
    bias: np.ndarray


@dataclass
class Body:
    mass: float
    position: np.ndarray
    velocity: np.ndarray


def layer(m, n, seed):
    return Layer(mat(m, n, seed), vec(n, seed))


@program(inputs=[(vec(4),), (vec(1, 1),), (np.zeros(0),)])
def list_filled_in_a_loop(x):
    parts = []
    for i in range(len(x)):
        parts.append(x[i] ** 2)
    total = 1.0
    for p in parts:
        total = total * (1.0 + p)
    return total + 0.5 * np.sum(x)


@program(inputs=[(vec(3), 4), (vec(1, 1), 1), (vec(2, 1), 0)])
def history_of_states(x, steps):
    states = [x]
    for t in range(steps):
        prev = states[-1]
        states.append(np.sin(prev) + 0.1 * t)
    all_states = np.stack(states)
    all_states *= 0.5
    return np.sum(all_states[1:] * all_states[:-1]) + np.sum(x)


@program(inputs=[([mat(2, 3), mat(3, 2, 1)], vec(2, 2)), ([mat(1, 1, 3)], vec(1, 4)), ([], vec(2, 4))], wrt=(0, 1))
def list_of_matrices(weights, x):
    h = x
    for W in weights:
        h = np.tanh(h @ W)
    penalty = 0.0
    for k in range(len(weights)):
        penalty += np.sum(weights[k] ** 2) / (k + 1.0)
    return np.sum(h * h) + 0.1 * penalty


@program(inputs=[((vec(3), 0.5),), ((vec(1, 1), -0.3),)])
def tuple_argument(params):
    x, a = params
    y = a * x
    if a > 0.0:
        y = y + np.cos(x)
        a = a * a
    return np.sum(y * y) + a ** 3


@program(inputs=[({"w": vec(3), "b": 0.3}, mat(4, 3)), ({"w": vec(1, 1), "b": -2.0}, mat(1, 1, 1))], wrt=(0, 1))
def dict_argument(params, X):
    z = X @ params["w"] + params["b"]
    loss = 0.0
    for v in z:
        if v > 0.0:
            loss += v + math.log1p(math.exp(-v))
        else:
            loss += math.log1p(math.exp(v))
    loss /= len(z)
    return loss + 0.5 * np.sum(params["w"] ** 2)


@program(inputs=[(layer(3, 2, 0), vec(3)), (layer(1, 1, 2), vec(1, 3))], wrt=(0, 1))
def named_tuple_argument(layer_, x):
    h = x @ layer_.weight + layer_.bias
    h *= np.where(h > 0.0, 1.0, 0.1)
    i = 0
    while i < len(layer_.bias):
        h[i] = h[i] * layer_.bias[i]
        i += 1
    W, b = layer_
    return np.sum(h ** 2) + np.sum(W) * np.sum(b)


@program(inputs=[([Body(1.0, vec(2), vec(2, 1)), Body(2.0, vec(2, 2, 2.0, 3.0), vec(2, 3))],),
                 ([Body(0.7, vec(1, 1), vec(1, 2))],)])
def dataclasses_of_arrays(bodies):
    energy = 0.0
    for i in range(len(bodies)):
        b = bodies[i]
        energy += 0.5 * b.mass * np.sum(b.velocity ** 2)
        for j in range(i):
            c = bodies[j]
            d = b.position - c.position
            energy -= b.mass * c.mass / np.sqrt(np.sum(d * d) + 0.1)
        energy = energy + 0.1 * np.sum(b.position)
    return energy


@program(inputs=[(Body(1.5, vec(3), vec(3, 1)), 2), (Body(0.5, vec(1, 2), vec(1, 3)), 0)])
def one_dataclass(body, steps):
    q = body.position
    v = body.velocity
    for _ in range(steps):
        a = -q / body.mass
        v = v + 0.1 * a
        q = q + 0.1 * v
    if steps == 0:
        return np.sum(v) * body.mass + q[0]
    return np.sum(q * v) + body.mass ** 2


@program(inputs=[({"layers": [(mat(2, 3), vec(3)), (mat(3, 1, 1), vec(1, 1))], "scale": 0.7}, vec(2)),
                 ({"layers": [(mat(1, 1, 2), vec(1, 2))], "scale": 1.2}, vec(1, 4))], wrt=(0, 1))
def nested_parameters(params, x):
    h = x * params["scale"]
    reg = 0.0
    for W, b in params["layers"]:
        h = h @ W + b
        if len(b) > 1:
            h = np.tanh(h)
        reg += np.sum(W * W)
    reg *= 0.01
    return np.sum(h) ** 2 + reg


@program(inputs=[(vec(5), 2.0), (vec(1, 1), 9.0), (vec(3, 9, 2.0, 3.0), 1.0)], wrt=(0, 1))
def two_lists(x, pivot):
    low = []
    high = [pivot]
    for v in x:
        if v * v < pivot:
            low.append(v * pivot)
        else:
            high.append(math.sqrt(v))
    s = 0.0
    for k in range(len(low)):
        s += low[k] * high[k % len(high)]
    return s + high[-1] ** 2 + np.sum(np.array(high))


@program(inputs=[(1.2, 0.4, 3), (0.3, 2.0, 0)], wrt=(0, 1))
def array_from_scalars(a, b, n):
    M = np.array([[a, b], [-b, a]])
    v = np.array([1.0, a * b])
    for _ in range(n):
        v = M @ v
        v = v / (1.0 + np.sum(np.abs(v)))
    w = np.asarray([v[0], a, b * b])
    return np.sum(w ** 2) + np.atleast_1d(a * v[1])[0]


@program(inputs=[(mat(3, 2), 2), (mat(1, 1, 1), 1)])
def list_of_lists(A, repeat):
    table = []
    for i in range(A.shape[0]):
        line = []
        for j in range(A.shape[1]):
            line.append(A[i, j] * (j + 1.0))
        table.append(line)
    for _ in range(repeat):
        table[0][0] = table[-1][-1] * 0.5 + table[0][0]
    out = np.array(table)
    return np.sum(out ** 2) + out[0, 0]


@program(inputs=[(vec(4),), (vec(1, 1),)])
def stack_machine(x):
    stack = [1.0]
    for v in x:
        if len(stack) > 2:
            b = stack.pop()
            a = stack.pop()
            stack.append(a * b + v)
        stack.append(v * v)
    result = 0.0
    while len(stack) > 0:
        result = 0.5 * result + stack.pop()
    return result


@program(inputs=[(vec(6),), (vec(2, 1),), (vec(1, 2),)])
def split_and_merge(x):
    if len(x) == 1:
        return x[0] ** 2
    half = len(x) // 2
    pieces = [x[:half], x[half:]]
    sums = []
    for p in pieces:
        sums.append(np.sum(p * p))
    merged = np.concatenate(pieces[::-1])
    out = sums[0] * sums[1]
    for i in range(len(merged) - 1):
        out += merged[i] * merged[i + 1] ** 2
    return out


@program(inputs=[((vec(2), (vec(2, 1), 0.3)),), ((vec(1, 1), (vec(1, 2), 1.4)),)])
def tuple_in_a_tuple(state):
    q, (p, h) = state
    energy = 0.5 * np.sum(p * p) - np.sum(np.cos(q))
    for _ in range(3):
        p = p - h * np.sin(q)
        q = q + h * p
        if h > 1.0:
            q, p = p, q
    energy += h * np.sum(p * q)
    return energy
