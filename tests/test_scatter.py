"""Objects and dictionaries that only their own name knows become names; all others stay what they are."""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from harness import as_tuple, clone, compare, derivative, differences
from srcgrad import grad

V = np.array([0.5, 1.5, -0.7])


class Cell:
    decay = 0.25

    def __init__(self, temp, k):
        self.temp = temp
        self.k = k

    def step(self, flux, dt):
        self.temp = self.temp + dt * (flux - self.k * self.temp)

    @property
    def heat(self):
        return np.sum(self.temp * self.k)

    def late(self, v):
        self.made_later = v * v


@dataclasses.dataclass
class Body:
    x: Any
    v: Any
    m: float = 2.0

    def drift(self, dt):
        self.x = self.x + self.v * dt

    def kick(self, a, dt):
        self.v += a * dt


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a, self.b = a, a * a


class Checked:
    """Setting `level` does something of its own."""

    def __init__(self, level):
        self.level = level

    @property
    def level(self):
        return self._level * 2.0

    @level.setter
    def level(self, value):
        self._level = value * value


def stepped(x):
    c = Cell(x, 0.3)
    for _ in range(4):
        c.step(np.sin(c.temp), 0.1)
    return c.heat


def made_again_in_a_loop(x):
    total = 0.0
    for v in x:
        c = Cell(v * v, 0.3)
        c.step(total, 0.1)
        total = total + c.temp * c.k
    return total


def moved(x):
    b = Body(x, np.cos(x))
    for _ in range(3):
        b.kick(-b.x / b.m, 0.1)
        b.drift(0.1)
    return np.sum(b.x * b.v)


def slotted(x):
    s = Slotted(x)
    s.a = s.a * s.b
    return np.sum(s.a)


def keyed(x):
    d = {"a": x, "n": 0, "w": 2.0}
    for _ in range(3):
        d["a"] = d["a"] * np.cos(d["a"]) * d["w"]
        d["n"] += 1
    return np.sum(d["a"]) * d["n"]


def written_in_place(x):
    c = Cell(x.copy(), 0.3)
    alias = c.temp
    c.temp[0] = c.temp[1] * c.temp[2]
    c.temp *= 2.0
    return np.sum(alias * alias) + c.temp[0]


def made_of_the_old_one(x):
    b = Body(x * 1.0, x[0] * x)
    for _ in range(2):
        b = Body(b.v, b.x * b.v)
    return np.sum(b.x * b.v[0])


def keys_that_change_places(x):
    d = {"a": x, "b": x[0] * x}
    for _ in range(2):
        d = {"b": d["a"] * d["b"], "a": d["b"]}
    return np.sum(d["a"] * d["b"][0])


SCATTERED = [made_of_the_old_one, keys_that_change_places, stepped, made_again_in_a_loop, moved, slotted, keyed,
             written_in_place]


def class_attribute(x):
    c = Cell(x, 0.3)
    return np.sum(c.temp) * c.decay


def set_later(x):
    c = Cell(x, 0.3)
    if x[0] > 0:
        c.late(c.temp)
    return np.sum(c.made_later) if hasattr(c, "made_later") else np.sum(c.temp)


def setter_of_its_own(x):
    c = Checked(x)
    c.level = c.level + x
    return np.sum(c.level)


def known_elsewhere(x):
    c = Cell(x, 0.3)
    kept = [c]
    c.temp = c.temp * x
    return np.sum(kept[0].temp)


def by_another_name(x):
    c = Cell(x, 0.3)
    d = c
    d.temp = d.temp * x
    return np.sum(c.temp)


def captured(x):
    c = Cell(x, 0.3)
    read = lambda: np.sum(c.temp)       # noqa: E731
    c.temp = c.temp * x
    return read()


def half_made(x):
    c = Cell(x, 0.3)
    try:
        c = Cell(x * x, float("x"))
    except ValueError:
        c.k = 2.0
    return np.sum(c.temp) * c.k


def old_object_is_kept(x):
    c = Cell(x, 0.3)
    first = c
    c = Cell(x * x, 0.4)
    return np.sum(c.temp * first.temp)


def iterated(x):
    d = {"a": x, "b": x * x}
    return sum(np.sum(d[k]) * w for k, w in zip(d, (1.0, 3.0)))


def given_another_key(x):
    d = {"a": x}
    d["b"] = d["a"] * 2.0
    return np.sum(d["b"]) * len(d)


def a_key_by_branch(x):
    d = {"a": x}
    if x[0] > 0:
        d["b"] = x * x
    try:
        return np.sum(d["b"])
    except KeyError:
        return np.sum(d["a"])


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: Any
    v: Any


def frozen(x):
    f = Fixed(x, x * x)
    try:
        f.x = x[0]
    except dataclasses.FrozenInstanceError:
        return np.sum(f.x * f.v)
    return np.sum(f.v)


OTHERS = [frozen, class_attribute, set_later, setter_of_its_own, known_elsewhere, by_another_name, captured, half_made,
          old_object_is_kept, iterated, given_another_key, a_key_by_branch]


@pytest.mark.parametrize("option", ["", "plain", "general", "checked"])
@pytest.mark.parametrize("f", SCATTERED + OTHERS)
def test_the_gradient_is_right(f: Any, option: str) -> None:
    for x in (V, -V):
        got = as_tuple(derivative(f, (0,), **({option: True} if option else {}))(*clone((x,))), (0,))
        compare(got, differences(f, clone((x,)), (0,)))


@pytest.mark.parametrize("f", SCATTERED)
def test_fields_are_names(f: Any) -> None:
    text = "\n".join(line for line in grad(f).source(V).splitlines() if not line.strip().startswith("#"))
    assert "hadow" not in text and "__new__" not in text and "add_at" not in text
