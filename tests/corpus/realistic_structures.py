"""Programs over objects, trees, dicts and text as they are written in practice: layers, models, parsers, optimisers."""
import json
import math
import operator
from dataclasses import dataclass, field

import numpy as np

from corpus.registry import mat, program, vec

# ---------------------------------------------------------------- layers

class Layer:
    """What all layers have; `calls` counts."""
    calls = 0

    def forward(self, x):
        raise NotImplementedError(type(self).__name__)

    def __call__(self, x):
        self.calls += 1
        return self.forward(x)

    def penalty(self):
        return 0.0


class Dense(Layer):
    def __init__(self, W, b=None):
        self.W = W
        self.b = b

    def forward(self, x):
        out = x @ self.W
        return out if self.b is None else out + self.b

    def penalty(self):
        return 0.01 * np.sum(self.W ** 2)


class Activation(Layer):
    def __init__(self, kind):
        self.kind = kind

    def forward(self, x):
        match self.kind:
            case "tanh":
                return np.tanh(x)
            case "swish":
                return x / (1.0 + np.exp(-x))
            case other:
                raise ValueError(f"no activation {other}")


class LayerNorm(Layer):
    def __init__(self, eps=1e-2):
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((centred ** 2).mean(axis=-1, keepdims=True) + self.eps)


class Residual(Layer):
    def __init__(self, *layers):
        self.inner = Sequential(*layers)

    def forward(self, x):
        return x + self.inner(x)

    def penalty(self):
        return self.inner.penalty()


class Sequential(Layer):
    def __init__(self, *layers):
        self.layers = list(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def penalty(self):
        return sum(layer.penalty() for layer in self.layers)


def build(widths, weights):
    """A network whose square weights get a residual connection."""
    layers = []
    for k, W in enumerate(weights):
        block = [Dense(W), Activation("tanh" if k % 2 else "swish")]
        if W.shape[0] == W.shape[1]:
            layers.append(Residual(LayerNorm(), *block))
        else:
            layers.extend(block)
    return Sequential(*layers)


@program(inputs=[([mat(2, 3), mat(3, 3, 1), mat(3, 1, 2)], mat(4, 2, 3), vec(4, 4)),
                 ([mat(1, 1)], mat(1, 1, 3), vec(1, 4)), ([], mat(1, 1, 3), vec(1, 4))], wrt=(0, 1))
def network_of_layers(weights, X, y):
    net = build([], weights)
    out = net(X)
    error = out[:, 0] - y
    loss = np.mean(error ** 2) + net.penalty()
    assert net.calls == 1
    return loss + 0.1 * sum(layer.calls for layer in net.layers)


# ---------------------------------------------------------------- LSTM

def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def gates(weights, x, h):
    """All gates by name."""
    joined = np.concatenate([x, h])
    return {name: W @ joined + b for name, (W, b) in weights.items()}


def lstm_step(weights, x, state):
    g = gates(weights, x, state["h"])
    c = sigmoid(g["forget"]) * state["c"] + sigmoid(g["input"]) * np.tanh(g["cell"])
    return {"c": c, "h": sigmoid(g["output"]) * np.tanh(c)}


def lstm_weights(hidden, inputs):
    return {name: (mat(hidden, inputs + hidden, k), mat(1, hidden, k + 9)[0])
            for k, name in enumerate(("forget", "input", "cell", "output"))}


@program(inputs=[(lstm_weights(3, 2), mat(4, 2, 5), None), (lstm_weights(1, 1), mat(1, 1, 5), 0.3),
                 (lstm_weights(2, 3), mat(3, 3, 5), 0.2)], wrt=(0, 1))
def lstm_by_dicts(weights, sequence, clip):
    hidden = len(weights["cell"][1])
    state = dict.fromkeys(("c", "h"), np.zeros(hidden))
    outputs = []
    for x in sequence:
        state = lstm_step(weights, x, state)
        if clip is not None:
            state["c"] = np.clip(state["c"], -clip, clip)
        outputs.append(state["h"])
    stacked = np.array(outputs)
    penalty = sum(np.sum(W ** 2) + np.sum(b) for W, b in weights.values())
    return np.sum(stacked ** 2) + np.sum(state["c"]) + 0.01 * penalty


# ---------------------------------------------------------------- trees

@dataclass
class Node:
    value: float
    children: list = field(default_factory=list)


def read_tree(node, depth=0):
    """A soft aggregate from the leaves to the root."""
    if not node.children:
        return math.tanh(node.value) / (1 + depth)
    below = [read_tree(child, depth + 1) for child in node.children]
    if len(below) == 1:
        return node.value * below[0]
    return node.value + math.log(sum(math.exp(b) for b in below))


@program(inputs=[(Node(0.4, [Node(0.3), Node(1.2, [Node(0.5, [Node(0.7)]), Node(-0.4)])]),), (Node(0.8),),
                 (Node(1.1, [Node(0.6)]),)])
def recursive_tree(root):
    return read_tree(root) ** 2 + 0.1 * root.value


# ---------------------------------------------------------------- expressions

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "max": max}


def tokens(text):
    for word in text.split():
        try:
            yield "number", float(word)
        except ValueError:
            yield ("operator" if word in OPERATORS else "name"), word


@program(inputs=[("a b + a * 2 / c -", {"a": 0.7, "b": 1.2, "c": 0.4}), ("a sin", {"a": 0.9}),
                 ("a b max a a * max b dup *", {"a": 0.7, "b": 0.6})], wrt=(1,))
def postfix_expression(text, variables):
    stack = []
    for kind, token in tokens(text):
        if kind == "number":
            stack.append(token)
        elif kind == "operator":
            right = stack.pop()
            left = stack.pop()
            if token == "/" and right == 0.0:
                raise ZeroDivisionError(text)
            stack.append(OPERATORS[token](left, right))
        elif token == "dup":
            stack.append(stack[-1])
        elif token == "sin":
            stack[-1] = math.sin(stack[-1])
        else:
            stack.append(variables[token])
    result, *rest = stack[::-1]
    return result * result + 0.5 * sum(rest)


# ---------------------------------------------------------------- text that becomes structure

TABLE = """# station, kind, readings
north, linear, 0.3 0.7 1.1
south, square, 0.4
# a comment

east, linear,
west, linear, 1.0 0.2
"""


def parse(text):
    rows = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line, _, comment = line.partition("#")
        if not line.strip():
            continue
        name, kind, readings = (part.strip() for part in line.split(","))
        try:
            rows[name] = {"kind": kind, "values": np.array([float(r) for r in readings.split()]), "line": number}
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return rows


@program(inputs=[({"north": 0.7, "south": 1.2, "west": 0.4, "default": 0.3}, TABLE),
                 ({"default": 0.5}, "a, square, 0.2 0.3"), ({"default": 0.5}, "")])
def fit_of_a_table(gains, text):
    rows = parse(text)
    report = []
    total = 0.1 * gains["default"] ** 2
    for name, row in rows.items():
        gain = gains.get(name, gains["default"])
        if not len(row["values"]):
            report.append(f"{name}: nothing")
            continue
        model = gain * row["values"] if row["kind"] == "linear" else gain * row["values"] ** 2
        residual = model - np.arange(len(model))
        total += np.sqrt(np.sum(residual ** 2) + 0.01)
        report.append(f"{name}: {float(np.sum(residual)):.3f}")
    print("\n".join(report))
    return total * (1.0 + 0.01 * len(report))


# ---------------------------------------------------------------- optimisers

class Momentum:
    def __init__(self, rate, mass):
        self.rate = rate
        self.mass = mass
        self.velocity = {}

    def update(self, params, slopes):
        for name, slope in slopes.items():
            v = self.mass * self.velocity.get(name, 0.0) - self.rate * slope
            self.velocity[name] = v
            params[name] = params[name] + v


def loss_and_slopes(params, X, y):
    error = X @ params["w"] + params["b"] - y
    return 0.5 * np.mean(error ** 2), {"w": X.T @ error / len(y), "b": np.mean(error)}


@program(inputs=[(0.3, 0.5, mat(4, 2), vec(4, 1), 5), (0.1, 0.0, mat(1, 1), vec(1, 1), 2),
                 (0.2, 0.4, mat(2, 1), vec(2, 1), 0)], wrt=(0, 1, 2, 3))
def hyper_gradient(rate, mass, X, y, steps):
    params = {"w": np.zeros(X.shape[1]), "b": 0.0}
    rule = Momentum(rate, mass)
    best = np.inf
    for k in range(steps):
        loss, slopes = loss_and_slopes(params, X, y)
        rule.update(params, slopes)
        best = min(best, loss)
    final, _ = loss_and_slopes(params, X, y)
    return final + (0.1 * best if steps else 0.0) + 0.01 * (rate ** 2 + mass ** 2) + 0.001 * np.sum(X ** 2)


# ---------------------------------------------------------------- a model described by JSON

SPEC = ('[{"op": "scale", "by": 2.0}, {"op": "shift"}, {"op": "repeat", "times": 2, "body": [{"op": "sin"}]},'
        ' {"op": "stop"}]')


def run_spec(steps, x, shift):
    for step in steps:
        match step:
            case {"op": "scale", "by": by}:
                x = x * by
            case {"op": "shift"}:
                x = x + shift
            case {"op": "repeat", "times": times, "body": body}:
                for _ in range(times):
                    x, stopped = run_spec(body, x, shift)
            case {"op": "stop", **rest}:
                return x, True
            case {"op": "sin" | "sine"}:
                x = np.sin(x)
            case _:
                raise KeyError(json.dumps(step))
    return x, False


@program(inputs=[(vec(3), 0.2, SPEC), (vec(1, 1), 0.3, '[{"op": "shift"}]'), (vec(1, 1), 0.3, "[]")], wrt=(0, 1))
def pipeline_from_json(x, shift, text):
    try:
        x, stopped = run_spec(json.loads(text), x, shift)
    except KeyError as error:
        print("unknown step", error)
        raise
    if stopped:
        return np.sum(x) + shift
    return np.sum(x * x) + shift ** 2


# ---------------------------------------------------------------- a table of memoised values

def spline_value(control, t, i, degree, table):
    """De Boor's recursion; equal parts are computed once."""
    if degree == 0:
        return control[i]
    key = (i, degree)
    if key not in table:
        left = spline_value(control, t, i, degree - 1, table)
        right = spline_value(control, t, i + 1, degree - 1, table)
        table[key] = (1.0 - t) * left + t * right
    return table[key]


@program(inputs=[(mat(4, 2), 0.3), (mat(1, 1), 0.6), (mat(2, 1), 0.8)], wrt=(0, 1))
def memoised_recursion(control, t):
    table = {}
    point = spline_value(control, t, 0, len(control) - 1, table)
    while table:
        key, value = table.popitem()
        point = point + 0.1 * key[1] * value
    return np.sum(point ** 2) + 0.1 * t * t
