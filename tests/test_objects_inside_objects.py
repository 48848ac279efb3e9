"""Objects of several classes inside each other, whose methods lead back to themselves."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_program, gradient
from srcgrad.errors import UnsupportedError

OPTIONS = [{}, {"plain": True}, {"general": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general"])
X = np.array([0.5, 1.5, 0.7, 1.1])


class Shape:
    drawn = 0

    def area(self):
        self.drawn += 1
        return self.measure()


class Disc(Shape):
    def __init__(self, r):
        self.r = r

    def measure(self):
        return np.pi * self.r ** 2


class Box(Shape):
    def __init__(self, a, b):
        self.a, self.b = a, b

    def measure(self):
        return self.a * self.b


class Union(Shape):
    def __init__(self, *shapes):
        self.shapes = list(shapes)

    def measure(self):
        total = 0.0
        for shape in self.shapes:
            total += shape.area()
        return total


class Scaled(Shape):
    def __init__(self, inner, k):
        self.inner, self.k = inner, k

    def measure(self):
        return self.k ** 2 * self.inner.area()


def shapes_of_known_nesting(x):
    picture = Union(Disc(x[0]), Scaled(Union(Box(x[1], x[-1]), Disc(2.0)), x[0]))
    return picture.area() * picture.drawn + picture.shapes[0].drawn


class Expr:
    def value(self, env):
        raise NotImplementedError


class Num(Expr):
    def __init__(self, v):
        self.v = v

    def value(self, env):
        return self.v


class Var(Expr):
    def __init__(self, name):
        self.name = name

    def value(self, env):
        return env[self.name]


class Op(Expr):
    def __init__(self, op, left, right):
        self.op, self.left, self.right = op, left, right

    def value(self, env):
        a, b = self.left.value(env), self.right.value(env)
        return a + b if self.op == "+" else a * b


def expression_tree(x):
    tree = Num(1.0)
    for k in range(len(x)):
        tree = Op("*" if k % 2 else "+", tree, Op("+", Num(x[k]), Var("y")))
    return tree.value({"y": x[0] ** 2})


def penalties_by_a_generator(x):
    class_of = {0: Disc, 1: lambda r: Box(r, 2.0)}
    group = Union(*[class_of[k % 2](v) for k, v in enumerate(x)])
    return sum(s.area() for s in group.shapes)


class Part:
    def penalty(self):
        return 0.0


class Leaf(Part):
    def __init__(self, w):
        self.w = w

    def penalty(self):
        return self.w ** 2


class Wrap(Part):
    def __init__(self, *inner):
        self.inner = Group(*inner)

    def penalty(self):
        return self.inner.penalty()


class Group(Part):
    """Its method calls itself through those of its parts, and only a generator does so."""
    def __init__(self, *parts):
        self.parts = list(parts)

    def penalty(self):
        return sum(p.penalty() for p in self.parts)


def built_inside_out(x):
    net = Group(Leaf(x[0]), Leaf(2.0))
    for w in x:
        net = Group(Leaf(w * 2.0), Wrap(net, Leaf(w), Part()), Leaf(w), Part())
    return net.penalty()


def built_from_parts(x):
    parts = []
    for w in x:
        part = [Leaf(w), Part()]
        if w > 0.8:
            parts.append(Wrap(Part(), *part))
        else:
            parts.extend(part)
    return Group(*parts).penalty()


PROGRAMS = [shapes_of_known_nesting, expression_tree, penalties_by_a_generator, built_inside_out, built_from_parts]


@each_way
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f, options):
    check_program(f, (X,), (0,), **options)


def nest(x, n):
    if n == 0:
        return [x[0]]
    return [x[n % len(x)] * 2.0, nest(x, n - 1), {"k": nest(x, n - 2) if n > 1 else x[0]}]


def total(tree):
    if isinstance(tree, list):
        return sum(total(t) for t in tree)
    if isinstance(tree, dict):
        return sum(total(t) for t in tree.values())
    return tree * tree


def test_lists_that_a_function_puts_into_each_other_are_refused():
    with pytest.raises(UnsupportedError, match="`nest`, which isn't put in place, gives is nested too deeply"):
        gradient(lambda x: total(nest(x, 3)), (X,), (0,))


def test_work_is_bounded(monkeypatch):
    monkeypatch.setattr("srcgrad.analysis.interpret.interpreter.MOST_STATEMENTS", 100)
    with pytest.raises(UnsupportedError, match="too many cases"):
        gradient(lambda x: built_inside_out(x) * 2.0, (X,), (0,))
