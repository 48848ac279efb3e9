"""Calls: arguments of all kinds, closures, partial functions, decorators, recursion, functions in containers."""
import functools
import math

import numpy as np

from corpus.registry import mat, program, vec

CALLS = 0
SCALE = 1.5
HISTORY = []


def weighted(x, *powers, bias=0.0, **weights):
    total = bias
    for p in powers:
        total = total + np.sum(x ** p)
    for name in weights:
        total = total * weights[name]
    return total


def positional(a, b, /, c=2.0, *, d=0.5):
    return a * b + c * d


def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)
    return wrapper


def times(n):
    def decorate(f):
        def wrapper(*args):
            out = 0.0
            for _ in range(n):
                out = out + f(*args)
            return out
        return wrapper
    return decorate


@logged
def cube(x, scale=1.0):
    return scale * x ** 3


@times(3)
def product(a, b):
    return a * b


@functools.lru_cache(maxsize=None)
def coefficient(n):
    return 1.0 / (n + 1.0)


def compose(*functions):
    def composed(x):
        for f in functions:
            x = f(x)
        return x
    return composed


def make_counter(start):
    total = start

    def add(v):
        nonlocal total
        total = total * 0.5 + v
        return total
    return add


def apply_twice(f, x):
    return f(f(x))


def even(x, n):
    return x if n == 0 else odd(x * 1.1, n - 1)


def odd(x, n):
    return x * x if n == 0 else even(math.sin(x), n - 1)


def tree_sum(tree, x):
    if not isinstance(tree, tuple):
        return tree * x
    left, right = tree
    return tree_sum(left, x) * tree_sum(right, x * 0.5) + x


def fill(memo, x, n):
    if n in memo:
        return memo[n]
    value = x if n < 2 else fill(memo, x, n - 1) * 0.5 + fill(memo, x, n - 2)
    memo[n] = value
    return value


def with_default_buffer(x, buffer=np.zeros(3)):
    return np.sum(x * x) + np.sum(buffer)


def double(x):
    return 2.0 * x


def square(x):
    return x * x


@program(inputs=[(vec(3), 2), (vec(1, 1), 0)])
def arguments_of_all_kinds(x, n):
    options = {"bias": x[0], "w": 2.0}
    powers = (2, 3)
    a = weighted(x, *powers, **options)
    b = weighted(x, 1, *powers[:1], u=a, bias=1.0)
    c = positional(a, x[-1], d=b)
    args = [x[0], c]
    d = positional(*args, c=0.1)
    return a + b * c + positional(*args, *powers[1:]) + d


@program(inputs=[(vec(3), 0.5), (vec(1, 1), 2.0)], wrt=(0, 1))
def decorated_functions(x, s):
    y = cube(x, scale=s)
    z = product(s, np.sum(y))
    w = logged(lambda v, k=2.0: v * k)(s)
    return z * coefficient(2) + cube(s) * w


@program(inputs=[(vec(3), 2.0), (vec(1, 1), -1.0)], wrt=(0, 1))
def partial_functions(x, a):
    f = functools.partial(weighted, x, 2)
    g = functools.partial(f, 3, bias=a)
    a = a * 2.0
    h = functools.partial(positional, a, c=x[0])
    total = f() + g(w=a)
    for k in range(2):
        total = total + h(k + 1.0, d=total * 0.01)
    return total


@program(inputs=[(vec(3), 3), (vec(1, 1), 0)])
def counters_with_state(x, n):
    add = make_counter(x[0])
    other = make_counter(1.0)
    y = x[0]
    for k in range(n):
        y = y * add(x[k % len(x)]) + other(y)
    return add(y) + other(1.0) * y


@program(inputs=[(vec(3), 2), (vec(1, 1), 1)])
def closures_in_a_list(x, n):
    late = []
    bound = []
    for k in range(n):
        late.append(lambda v: v * x[0] + k)
        bound.append(lambda v, k=k: v * x[k % len(x)] + k)
    total = 0.0
    for f in late:
        total += f(2.0)
    for g in bound:
        total = total * g(x[-1])
    return total


@program(inputs=[(vec(3), 2), (vec(1, 1), 0)])
def made_functions(x, n):
    def scaled(k):
        return lambda v: k * v + x[0]

    fs = [scaled(x[0]), scaled(2.0)]
    total = fs[0](3.0) + fs[1](x[-1])
    table = {"double": double, "scaled": scaled(total)}
    for name in ("double", "scaled"):
        total = table[name](total)
    return compose(double, scaled(0.5), square)(total)


@program(inputs=[(vec(3), 1), (vec(1, 1), 0)])
def function_by_branch(x, which):
    f = np.sin if which else np.cos
    g = double if which else square
    y = f(x)
    for _ in range(2):
        y = g(y) * 0.3
        g = square if g is double else double
    return np.sum(apply_twice(g, y) + y)


@program(inputs=[(0.7, 5), (1.2, 0), (0.3, 4)])
def mutual_recursion_of_scalars(x, n):
    y = even(x, n)
    if n > 3:
        y = y * odd(x, n - 3)
    return y


@program(inputs=[(1.3, ((0.5, 2.0), 3.0)), (0.4, 1.5)], wrt=(0,))
def recursion_over_a_tuple(x, tree):
    return tree_sum(tree, x) + x


@program(inputs=[(1.3, 6), (0.4, 1)])
def memo_in_a_dict(x, n):
    memo = {}
    y = fill(memo, x, n)
    return y * y + memo[n] * len(memo)


@program(inputs=[(0.8, 4), (1.7, 0)])
def local_recursion(x, n):
    c = x * x

    def power(k):
        if k == 0:
            return c
        return power(k - 1) * x + 1.0

    return power(n) + power(1)


@program(inputs=[(vec(3), 3), (vec(3, 1), 0), (vec(1, 9), 3)])
def defaults_and_globals(x, n):
    global CALLS
    CALLS = CALLS + 1
    y = with_default_buffer(x * SCALE)
    for _ in range(n):
        y = y + with_default_buffer(x, np.ones(3) * y)
    return y


@program(inputs=[(vec(3), 3), (vec(1, 1), 0)])
def shared_cells(x, n):
    total = 0.0
    scale = x[0]

    def add(v):
        nonlocal total
        total += v * scale

    def reset():
        nonlocal total, scale
        scale = total * 0.5
        total = 1.0

    for k in range(n):
        add(x[k % len(x)])
        if k == 1:
            reset()
    add(x[-1])
    return total * scale


@program(inputs=[(mat(2, 2), 0.5), (mat(1, 1, 1), 2.0)], wrt=(0, 1))
def keyword_only_and_defaults(A, s, *, power=2, shift=0.25):
    def inner(M, /, k=s, *rest, p=power):
        out = k * M ** p
        for r in rest:
            out = out + r
        return out

    s = s * 2.0
    y = inner(A) + inner(A, 0.1, s, shift) + inner(A, p=3)
    return np.sum(y)


@program(inputs=[(1.4, 3), (0.6, 0)])
def expression_graph(x, n):
    ops = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b}
    program_ = [("x",), ("const", 2.0), ("mul",), ("x",), ("add",)]
    total = 0.0
    for _ in range(n + 1):
        stack = []
        for op in program_:
            if op[0] == "x":
                stack.append(x)
            elif op[0] == "const":
                stack.append(op[1])
            else:
                b = stack.pop()
                a = stack.pop()
                stack.append(ops[op[0]](a, b))
        total = total * 0.5 + stack.pop()
    return total
