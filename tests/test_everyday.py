"""Programs as scientists write them, each for something that was once refused, wrong or slow."""
import collections
import heapq
import json
import math

import numpy as np
import pytest

from harness import check_program
from srcgrad import UnsupportedError, grad

X = np.array([0.7, 1.3, -0.4])
LONG = np.array([0.7, 1.3, -0.4, 2.0, 0.9, -1.0, 3.0])


# ---------------------------------------------------------------- exceptions

def log_or_runtime_error(v):
    try:
        return math.log(v)
    except ValueError as e:
        raise RuntimeError("no log") from e


def handler_leaves_a_try(x):
    s = 0.0
    for v in x:
        try:
            s += log_or_runtime_error(v)
        except RuntimeError:
            s += v * v
            continue
        s *= 2
    return s


def handler_leaves_a_try_half_done(x):
    s = 0.0
    for v in x:
        try:
            s += v * 3
            s *= v
            s += log_or_runtime_error(v)
        except RuntimeError:
            s += v * v
            continue
        s *= 2
    return s


@pytest.mark.parametrize("f", [handler_leaves_a_try, handler_leaves_a_try_half_done])
def test_a_try_left_through_its_handler(f):
    check_program(f, (LONG,), (0,))


# ---------------------------------------------------------------- objects among numbers

class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Pair(self.a + other.a, self.b + other.b)

    def __radd__(self, other):
        return self if other == 0 else Pair(self.a + other, self.b)

    def __lt__(self, other):
        return self.a < other.a

    def __gt__(self, other):
        return self.a > other.a


def sum_of_objects(x):
    pairs = [Pair(v, v * v) for v in x]
    total, more = sum(pairs), sum(pairs, Pair(0.0, 1.0))
    return total.a * total.b + more.b


def largest_objects(x):
    pairs = [Pair(v, v * v) for v in x]
    a, b = max(pairs), min(pairs[0], pairs[1])
    return a.a * a.b + b.b


def a_number_turns_into_an_object(x):
    total = 0
    for v in x:
        total = total + Pair(v, v * v)
    return total.a * total.b


def sum_of_lists(x):
    together = sum([[v, v * v] for v in x], [])
    return together[1] * together[4]


@pytest.mark.parametrize("f", [sum_of_objects, largest_objects, a_number_turns_into_an_object, sum_of_lists])
def test_objects_among_numbers(f):
    check_program(f, (X,), (0,))


# ---------------------------------------------------------------- recursion

def recursion_with_memory(x):
    memo = {}

    def basis(i, k, t):
        if (i, k) in memo:
            return memo[i, k]
        if k == 0:
            value = 1.0 if i <= t < i + 1 else 0.0
        else:
            value = (t - i) / k * basis(i, k - 1, t) + (i + k + 1 - t) / k * basis(i + 1, k - 1, t)
        memo[i, k] = value
        return value
    return sum(v * basis(i, 2, 1.4 + x[0]) for i, v in enumerate(x))


def test_recursion_with_memory():
    check_program(recursion_with_memory, (X,), (0,))


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def insert(self, value):
        if value < self.value:
            if self.left is None:
                self.left = Node(value)
            else:
                self.left.insert(value)
        elif self.right is None:
            self.right = Node(value)
        else:
            self.right.insert(value)

    def total(self):
        left = self.left.total() if self.left else 0.0
        return self.value + left + (2.0 * self.right.total() if self.right is not None else 0.0)

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right


def tree_total(x):
    root = Node(x[0])
    for v in x[1:]:
        root.insert(v)
    return root.total() ** 2


def tree_in_order(x):
    root = Node(x[0])
    for v in x[1:]:
        root.insert(v)
    return sum(v * (i + 1) for i, v in enumerate(root))


@pytest.mark.parametrize("f", [tree_total, tree_in_order])
def test_trees_that_grow(f):
    check_program(f, (LONG,), (0,))


# ---------------------------------------------------------------- kinds that only the run tells

class Dense:
    def __init__(self, w, b, activation=np.tanh):
        self.w, self.b, self.activation = w, b, activation

    def __call__(self, h):
        return self.activation(h @ self.w + self.b)


class Sequential:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, h):
        for layer in self.layers:
            h = layer(h)
        return h


def layers_with_other_activations(x):
    net = Sequential(Dense(x[:4].reshape(2, 2), x[1:3]), Dense(x[3:].reshape(2, 2), x[2:4], activation=np.sin),
                     Dense(x[:2].reshape(2, 1), x[2], activation=lambda z: 1 / (1 + np.exp(-z))))
    return net(np.array([0.1, 0.2]))[0]


def shortest_path(x):
    graph = {"a": {"b": x[0], "c": x[1]}, "b": {"c": x[2], "d": 1.0}, "c": {"d": x[0] * x[2]}, "d": {}}
    distance = {k: math.inf for k in graph}
    distance["a"] = 0.0
    queue, seen = [(0.0, "a")], set()
    while queue:
        d, u = heapq.heappop(queue)
        if u in seen:
            continue
        seen.add(u)
        for v, w in graph[u].items():
            if d + w < distance[v]:
                distance[v] = d + w
                heapq.heappush(queue, (distance[v], v))
    return distance["d"] ** 2 + distance["c"]


def a_class_of_tuples_made_inside(x):
    State = collections.namedtuple("State", ["s", "i", "r"], defaults=(0.0,))
    state = State(1.0 - x[0], x[0])
    for _ in range(3):
        new = x[1] * state.s * state.i
        state = State(state.s - new, state.i + new - 0.1 * state.i, r=state.r + 0.1 * state.i)
    return state.r + state._replace(i=2.0).i * state.s


@pytest.mark.parametrize("f, x", [(layers_with_other_activations, LONG), (shortest_path, abs(X)),
                                  (a_class_of_tuples_made_inside, X)])
def test_kinds_that_only_the_run_tells(f, x):
    check_program(f, (x,), (0,))


# ---------------------------------------------------------------- names bound inside expressions

def bound_inside(x):
    a = x[0]
    values = [y := x[0], y ** 2, (z := y + x[1]) * z]
    b = a * (a := a + x[1]) + a

    def weigh(v, *more, k=1.0):
        return v - 2.0 * sum(more) * k
    c = a * 2 + weigh(weigh(a, x[1]), *(pair := [x[2], b]), k=(a := x[2]) * pair[0]) * a
    by_name = {"p": (p := x[0] * a), "q": p * 2}
    items = [x[0]]
    row = [items[0] * 2, items.append(x[1] * 3), (m := items[1] * items[0]), items[-1]]
    return sum(values) * z + b * c + by_name["p"] * by_name["q"] + row[0] * row[3] + m + a


def test_names_bound_inside_expressions():
    check_program(bound_inside, (X,), (0,))


# ---------------------------------------------------------------- what is refused isn't caught

class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return True


def through_text(x):
    return float(json.loads(str(x[0])))


def recursively_through_text(x, n):
    return through_text(x) if n == 0 else recursively_through_text(x, n - 1) * x[1]


def in_a_try(x):
    try:
        return through_text(x) * x[1]
    except Exception:
        return x[2]


def in_a_bare_try(x):
    for v in x:
        try:
            s = v * v
            if v > 1:
                s = through_text(x)
        except:     # noqa: E722 (as is written)
            s = v
    return s


def by_a_callee(x):
    try:
        return recursively_through_text(x, 2)
    except (KeyError, RuntimeError):
        return x[2]


def under_a_manager(x):
    s = x[2]
    with Quiet():
        s = through_text(x) * x[1]
    return s


@pytest.mark.parametrize("f", [in_a_try, in_a_bare_try, by_a_callee, under_a_manager])
def test_what_is_refused_is_caught_by_no_handler(f):
    with pytest.raises(UnsupportedError, match="may read here what a differentiated value was written to as text"):
        grad(f)(X)


# ---------------------------------------------------------------- text

def formatted(x):
    print(f"{x[0]:.2f} {x[1]!r:>6}")
    by_name = {f"x{i}": v for i, v in enumerate(x)}
    return by_name["x1"] ** 2 * math.gamma(x[0])


def read_again(x):
    return float(f"{x[0]:.15f}")


def test_text_by_format():
    check_program(formatted, (X,), (0,))
    with pytest.raises(UnsupportedError, match="may read here what a differentiated value was written to as text"):
        grad(read_again)(X)


def test_shapes_that_do_not_fit_are_told():
    with pytest.raises(ValueError, match="could not be broadcast together: one of shape"):
        grad(lambda x: np.sum(x + np.ones(4)))(X)
