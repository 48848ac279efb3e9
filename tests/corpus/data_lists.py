"""Lists, dicts and other containers that are changed in every way."""
import copy
from collections import OrderedDict, defaultdict, deque

import numpy as np

from corpus.registry import mat, program, vec


def walk(tree):
    """Sum over a tree of nested lists."""
    total = 0.0
    for part in tree:
        if isinstance(part, list):
            total += 0.5 * walk(part)
        else:
            total += part * part
    return total


def push_all(stack, values):
    for v in values:
        stack.append(v * v)
    return stack


@program(inputs=[(vec(4), 1), (vec(2, 1), 0)])
def insert_and_pop(x, k):
    items = [x[0], x[1] * 2.0]
    items.insert(k, x[-1])
    items.insert(0, items[1] * items[0])
    items.insert(-1, 3.0)
    a = items.pop(0)
    b = items.pop()
    c = items.pop(k)
    total = a * b + c
    for v in items:
        total = total * 0.5 + v * v
    return total


@program(inputs=[(vec(5), 3), (vec(2, 1), 0), (vec(1, 9), 3)])
def stack_calculator(x, n):
    stack = [v * 1.0 for v in (1.0, 2.0)]
    stack.append(x[0])
    for k in range(n):
        stack.append(x[k % len(x)])
        if k % 2 == 0:
            stack.append(stack.pop() * stack.pop())
        else:
            top = stack.pop()
            stack[-1] = stack[-1] + top
    total = 0.0
    while stack:
        total = total * 0.7 + stack.pop()
    return total


@program(inputs=[(vec(5),), (vec(1, 1),)])
def slices_of_lists(x):
    items = list(x)
    items[1:3] = [x[0] * x[-1]]
    items[:0] = [2.0, x[0]]
    items += [v * 2.0 for v in items[:2]]
    del items[-1]
    tail = items[1:]
    tail[0] = tail[0] * 3.0
    del items[:1]
    items[::2] = [0.5 * v for v in items[::2]]
    total = 0.0
    for k in range(len(items)):
        total += items[k] * (k + 1)
    return total + sum(tail)


@program(inputs=[(vec(4),), (vec(1, 1),)])
def sorted_in_place(x):
    items = []
    for k in range(len(x)):
        items.append(x[k] * (-1.0) ** k)
    items.sort()
    items.reverse()
    items.sort(key=lambda v: abs(v - 0.5), reverse=True)
    total = 0.0
    for k, v in enumerate(items):
        total += v * (k + 1.0) ** 2
    items.clear()
    items.append(total)
    return items[0] * total


@program(inputs=[(vec(3), 3), (vec(1, 1), 1)])
def extended_and_repeated(x, n):
    row = [x[0]] * 3
    row.extend([x[-1], 2.0])
    row.extend(x)
    row *= 2
    row[n] = row[n] * row[0]
    grid = [[0.0] * n for _ in range(2)]
    grid[0][0] = row[n]
    grid[1][n - 1] += grid[0][0] * x[0]
    row.remove(row[1])
    return sum(row) + grid[1][n - 1] * grid[0][0] + len(row)


@program(inputs=[(vec(4), 3), (vec(1, 1), 0)])
def queue_of_arrays(x, n):
    q = deque([x, x * 2.0])
    for k in range(n):
        a = q.popleft()
        q.append(np.sin(a) + k)
        if k == 1:
            q.appendleft(a * x)
    total = 0.0
    for a in q:
        total += np.sum(a * a)
    return total


@program(inputs=[(vec(3), "a"), (vec(1, 1), "z")])
def dict_of_everything(x, key):
    d = {"a": x, "b": np.sum(x), 3: 2.0}
    d["c"] = d["a"] * d["b"]
    d[key] = x * x
    d["b"] += d[3]
    if "z" in d:
        d["b"] = d["b"] * d.pop("z")[0]
    d.setdefault("b", 1.0)
    d.setdefault("e", d["b"] * 2.0)
    del d[3]
    e = d.get("missing", d["e"])
    d.update({"f": e * e}, g=d["b"])
    return d["f"] + d["g"] + np.sum(d["a"] * d["c"]) + d.get("b")


@program(inputs=[(vec(5), 2), (vec(1, 1), 3)])
def counted_groups(x, m):
    groups = {}
    for k in range(len(x)):
        groups.setdefault(k % m, []).append(x[k] * (k + 1))
    totals = {}
    for g in groups:
        totals[g] = sum(groups[g]) ** 2
    best = max(totals.values())
    total = best
    for g, v in totals.items():
        total += v * (g + 1)
    return total


@program(inputs=[(vec(5),), (vec(1, 1),)])
def default_dict(x):
    sums = defaultdict(float)
    lists = defaultdict(list)
    for k in range(len(x)):
        sums[k % 2] += x[k] ** 2
        lists["odd" if k % 2 else "even"].append(x[k])
    total = 0.0
    for key in sums:
        total += sums[key] * (key + 2.0)
    for v in lists["even"]:
        total *= 1.0 + v
    return total + sums[7]


@program(inputs=[({"w": vec(3), "b": 0.5}, 2), ({"w": vec(1, 1), "b": -1.0}, 0)])
def dict_argument_is_changed(params, n):
    velocity = {k: 0.0 for k in params}
    for t in range(n):
        for k in params:
            velocity[k] = 0.5 * velocity[k] - 0.1 * params[k]
            params[k] = params[k] + velocity[k]
    merged = {**params, "extra": params["b"] ** 2}
    params["b"] = merged["extra"]
    return np.sum(merged["w"] ** 2) + params["b"] + merged["b"]


@program(inputs=[([vec(2), [vec(3, 1), 0.5]], 2), ([vec(1, 2), [vec(1, 3), 2.0]], 1)])
def nested_list_argument(parts, n):
    for _ in range(n):
        parts[1][1] = parts[1][1] * parts[1][0][0]
        parts[0][0] += parts[1][1]
    inner = parts[1]
    inner.append(np.sum(parts[0]))
    parts.append(inner[2] * 2.0)
    return parts[2] * parts[1][1] + np.sum(inner[0]) + parts.pop()


@program(inputs=[(vec(3), 1), (vec(1, 1), 0)])
def aliases_of_lists(x, which):
    a = [x[0], 1.0]
    b = a
    c = [a, [x[-1]]]
    b.append(x[0] * 2.0)
    c[which].append(x[0] ** 3)
    a[0] = a[-1] * 0.5
    d = c[which] if which else b
    d[0] += 1.0
    return sum(a) + sum(c[1]) * len(b) + d[0] ** 2


@program(inputs=[(vec(3), 2), (vec(1, 1), 0)])
def shapes_of_all_kinds(x, depth):
    layers = [(np.outer(x, x[:2]), x[:2] * 1.0), (np.outer(x[:2], x), x)]
    h = x
    for _ in range(depth):
        for W, b in layers:
            h = np.tanh(h @ W + b)
    layers[0] = (layers[0][0] * 2.0, h)
    total = np.sum(h)
    for k in range(len(layers)):
        total += np.sum(layers[k][0]) * np.sum(layers[k][1])
    return total


@program(inputs=[(vec(3),), (vec(1, 1),)])
def tree_of_lists(x):
    tree = [x[0], [x[-1] * 2.0, [x[0] * x[-1]], []], x[0] ** 2]
    tree[1][1].append(3.0 * x[0])
    first = walk(tree)
    tree[1].pop(0)
    return first + walk(tree)


@program(inputs=[(vec(4), 2), (vec(1, 1), 5)])
def callee_fills_a_list(x, n):
    stack = push_all([], x)
    more = push_all(stack, x[:n])
    more.append(sum(stack))
    return more[-1] * stack[0] + len(stack)


@program(inputs=[(vec(4),), (vec(1, 1),)])
def unpacked_with_stars(x):
    a, *rest = x * x
    total = a
    for r in rest:
        total += r * 2.0
    (p, *q), s = [x[0], x[-1], 2.0], a * 2.0
    *front, last = (s, p, total)
    first, *_ = front
    return first * last + sum(q) + len(rest)


@program(inputs=[(mat(3, 2), 2), (mat(1, 2, 1), 1)])
def copied_containers(A, n):
    rows = [row * 1.0 for row in A]
    shallow = copy.copy(rows)
    deep = copy.deepcopy(rows)
    shallow[0] = shallow[0] * 2.0
    rows[-1][0] = 5.0
    deep[0][1] *= 3.0
    table = OrderedDict(a=rows[0], b=deep)
    other = dict(table)
    for _ in range(n):
        other["a"] = other["a"] + other["b"][0]
    pairs = list(other.items())
    return np.sum(other["a"] * shallow[0]) + np.sum(shallow[-1]) + np.sum(table["a"]) + len(pairs)
