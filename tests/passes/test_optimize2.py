"""Copies that aren't needed, terms that are equal, names that come back, results that are nobody else's."""
from __future__ import annotations

import random
import re
import textwrap
from typing import Any

import numpy as np
import pytest

from passes.test_optimize import EFFECTS, RANDOM_STORAGES, N, Program, is_pure, kind, run, text
from srcgrad import grad
from srcgrad.analysis.values import UNKNOWN, Array, Linear
from srcgrad.lang import core
from srcgrad.lang.templates import parse_block, parse_expr
from srcgrad.options import Options
from srcgrad.passes.optimize.coalesce import coalesce
from srcgrad.passes.optimize.collect_terms import Kinds, collect_terms
from srcgrad.passes.optimize.common import compute_once
from srcgrad.passes.optimize.effects import Effects
from srcgrad.passes.optimize.elide_copies import elide_copies
from srcgrad.passes.optimize.first_term import start_with_first_term, store_first_term
from srcgrad.passes.optimize.operands import is_operand
from srcgrad.passes.optimize.saves import save_first
from srcgrad.passes.optimize.scalars_first import scalars_first
from srcgrad.passes.optimize.turn_signs import turn_signs

Block = tuple[core.Statement, ...]


# ---------------------------------------------------------------- operands

@pytest.mark.parametrize(("expr", "expected"), [
    ("t * x", True), ("-t", True), ("np.sum(t)", True), ("np.where(c, t, x)", True), ("x", True), ("t", False),
    ("np.reshape(t, 3) + x", True), ("f(t) + x", False), ("t[1:]", False), ("t[1:] * x", True), ("[t] * 2", False),
    ("t.T", False), ("np.reshape(t * x, 3)", True), ("t if c else x", False), ("(t, x)", False),
])
def test_is_operand(expr: str, expected: bool) -> None:
    assert is_operand(parse_expr(expr), "t", EFFECTS) == expected


# ---------------------------------------------------------------- copies

@pytest.mark.parametrize(("before", "after"), [
    ("t = u[1:].copy()\ny = t * c\nz = t + t\nu[1:] = 0.0", "y = u[1:] * c\nz = u[1:] + u[1:]\nu[1:] = 0.0"),
    ("t = u[1:].copy()\nv[1:] += t\nu[1:] = 0.0", "v[1:] += u[1:]\nu[1:] = 0.0"),
    ("t = u[1:].copy()\nu[1:] += 2.0 * t", "u[1:] += 2.0 * u[1:]"),
    ("t = u[1:].copy()\nif c:\n    y = -t\nelse:\n    y = t * 2", "if c:\n    y = -u[1:]\nelse:\n    y = u[1:] * 2"),
    ("if c:\n    t = u[1:].copy()\n    y = t * 2", "if c:\n    y = u[1:] * 2"),
])
def test_copies_go(before: str, after: str) -> None:
    assert text(elide_copies(parse_block(before), EFFECTS, frozenset({"t"}))) == after


@pytest.mark.parametrize("source", [
    "t = u[1:].copy()\nu[1:] = 0.0\nu[:-1] += t",         # taken before it is cleared
    "t = u[1:].copy()\nu[:-1] += t",                      # added to what it is a part of
    "t = u[1:].copy()\nw[0] = 1.0\ny = t * 2",            # written through a view
    "t = u[1:].copy()\nu = x\ny = t * 2",                 # another array by that name
    "t = u[1:].copy()\nkeep(u)\ny = t * 2",               # written by a function
    "t = u[1:].copy()\ny = t",                            # may be kept
    "t = u[1:].copy()\ny = np.reshape(t, 3)",
    "t = u[1:].copy()\nsaved.append(t)",
    "t = u[1:].copy()\nq[0] = t",
    "t = u[1:].copy()\nt[0] = 1.0\ny = t * 2",            # written itself
    "t = u[i].copy()\ny = t * 2 + t",                     # may be no view
    "t = u[1:].copy()\nfor i in x:\n    y = t * 2\n    u[0] = i",
    "if c:\n    t = u[1:].copy()\ny = t * 2",
    "for i in x:\n    if i:\n        y = t * 2\n    t = u[1:].copy()",
    "t = u[1:].copy()\nt = t * 2\ny = t * 2",
    "t = u[1:].copy()\ny = keep(u) * t",
])
def test_copies_stay(source: str) -> None:
    assert text(elide_copies(parse_block(source), EFFECTS, frozenset({"t"}))) == source


def test_copies_in_operations_go() -> None:
    before = parse_block("y = -u[1:].copy() * c\nz = u[1:].copy()\nq = f(u[1:].copy()) + 1")
    assert text(elide_copies(before, EFFECTS, frozenset())) == (
        "y = -u[1:] * c\nz = u[1:].copy()\nq = f(u[1:].copy()) + 1")


# ---------------------------------------------------------------- terms

KINDS = Kinds(kind, lambda e: not core.names_read(e) & {"k", "n", "q"})
TARGETS = frozenset("u_bar v x_bar s".split())


def collected(source: str) -> str:
    return text(collect_terms(parse_block(source), EFFECTS, KINDS, TARGETS))


@pytest.mark.parametrize(("before", "after"), [
    ("u_bar += g * (0.5 * a)\nu_bar += g * a * 0.5", "u_bar += g * a"),
    ("x_bar = 1.0 * a\nx_bar += a", "x_bar = 2.0 * a"),
    ("v += g * a\nv += g * a", "v += 2.0 * g * a"),
    ("v += g * a\nv += a * g", "v += 2.0 * g * a"),
    ("v += g / a * b\nv += b * g / a", "v += 2.0 * g / a * b"),
    ("v += g / (a * b)\nv += g / b / a", "v += 2.0 * g / (a * b)"),
    ("v += 3.0 * g\nv -= g", "v += 2.0 * g"),
    ("v += g\nv -= 3.0 * g", "v -= 2.0 * g"),
    ("v -= g\nv -= g", "v -= 2.0 * g"),
    ("v += g / 2.0\nv += g / 2", "v += g"),
    ("x_bar = g * a + b + a * g", "x_bar = 2.0 * g * a + b"),
    ("x_bar = b - g * a - a * g", "x_bar = b - 2.0 * g * a"),
    ("x_bar = -g * a + b - a * g", "x_bar = -(2.0 * g * a) + b"),
    ("x_bar = 0.5 * a\nx_bar += 0.5 * a", "x_bar = 1.0 * a"),
    ("s += r\ns += r", "s += 2.0 * r"),
    ("u_bar[1:] += g\nu_bar[1:] += g", "u_bar[1:] += 2.0 * g"),
    ("u_bar[1:] += g\nu_bar[:-1] += b\nu_bar[1:] += g", "u_bar[1:] += 2.0 * g\nu_bar[:-1] += b"),
    ("v += g\n# line 3: y\ny = f2\nv += g", "v += 2.0 * g\n# line 3: y\ny = f2"),
    ("v += g\nu[0] = r\nv += g", "v += 2.0 * g\nu[0] = r"),
])
def test_terms_merge(before: str, after: str) -> None:
    assert collected(before) == after


@pytest.mark.parametrize("source", [
    "v += g * a\nv += g * b",
    "v += g\nv -= g",                                     # inf - inf isn't 0
    "v += 0.1 * g\nv += 0.2 * g",                         # 0.30000000000000004
    "u_bar[2:] += g\nu_bar[1:] += g",
    "v += g\ny = v * 2\nv += g",                          # read between
    "v += g\nv[0] = 0.0\nv += g",                         # written between
    "v += u\nu[0] = 1.0\nv += u",                         # the terms differ
    "v += g\ng = a\nv += g",
    "v += g\nif c:\n    return v\nv += g",
    "v += g\nv *= b\nv += g",
    "v += v\nv += v",
    "v += n * k\nv += k * n",                             # integers, which may overflow
    "v += q\nv += q",                                     # who knows what q is
    "x_bar = a\nx_bar += a",                              # a is written, too
    "v += f(a)\nv += f(a)",                               # called twice
    "y += g\ny += g",                                     # not a target
    "v *= g\nv *= g",
])
def test_terms_stay(source: str) -> None:
    assert collected(source) == source


# ---------------------------------------------------------------- names

def named(source: str, origin: dict[str, str], params: str = "x w", **more: Any) -> str:
    return text(coalesce(parse_block(source), params.split(), origin, **more))


@pytest.mark.parametrize(("before", "after"), [
    ("x_1 = x * w\nx_2 = x_1 * w\nreturn x_2", "x = x * w\nx = x * w\nreturn x"),
    ("x_1 = x * w\nx_1_bar = x_1 * 2\nreturn x_1_bar", "x = x * w\nx_bar = x * 2\nreturn x_bar"),
    # the old value is read later
    ("x_1 = x * w\nreturn x_1 + x", "x_1 = x * w\nreturn x_1 + x"),
    # only the adjoints collide: then neither is renamed
    ("x_1 = x * w\nx_bar = x_1\nx_1_bar = w\nreturn x_bar + x_1_bar",
     "x_1 = x * w\nx_bar = x_1\nx_1_bar = w\nreturn x_bar + x_1_bar"),
    # a second version goes with the first
    ("x_1 = x * w\ny = x_1 * x\nx_2 = y * x\nreturn x_2 + x", "x_1 = x * w\ny = x_1 * x\nx_1 = y * x\nreturn x_1 + x"),
    # copies don't collide, until one is bound anew
    ("x_1 = x\ny = x_1 + x\nreturn y", "y = x + x\nreturn y"),
    ("x_1 = x\nx_1 += w\nreturn x_1 + x", "x_1 = x\nx_1 += w\nreturn x_1 + x"),
    # around a loop
    ("for i in w:\n    x_1 = x * i\n    y = x_1\nreturn y", "for i in w:\n    x_1 = x * i\n    y = x_1\nreturn y"),
    ("for i in w:\n    x = i\n    x_1 = x * 2\n    y = x_1\nreturn y",
     "for i in w:\n    x = i\n    x = x * 2\n    y = x\nreturn y"),
    ("for i in w:\n    x_1 = i\n    if i:\n        break\n    x = i\nreturn x",
     "for i in w:\n    x_1 = i\n    if i:\n        break\n    x = i\nreturn x"),
    # bound together
    ("x_1, x = w, w\nreturn w", "x_1, x = w, w\nreturn w"),
    # the base isn't bound here: whose name is it?
    ("z_1 = w\nreturn z_1", "z = w\nreturn z"), ("z_1 = w\nreturn z_1 + z", "z_1 = w\nreturn z_1 + z"),
    ("sum_1 = w\nreturn sum_1", "sum_1 = w\nreturn sum_1"),
])
def test_names_come_back(before: str, after: str) -> None:
    assert named(before, {"x_1": "x", "x_2": "x"}) == after


def test_names_that_stay() -> None:
    source = "z_1 = x\nreturn z_1"
    assert named(source, {}, keep=frozenset({"z_1"})) == source
    code = core.Code("<lambda>", (), parse_block("return x_1"))
    first, last = coalesce((*parse_block("x_1 = w"), core.Return(core.Function(code, ("x_1",)))), ["x"], {"x_1": "x"})
    assert isinstance(first, core.Bind) and first.names == ("x_1",)


def test_shapes_of_versions() -> None:
    source = "x_1 = x * 2.0\ny = np.zeros_like(x) + x_1\nreturn y"
    assert named(source, {"x_1": "x"}) == source
    alike = named(source, {"x_1": "x"}, alike=lambda a, b: True)
    assert alike == "x = x * 2.0\ny = np.zeros_like(x) + x\nreturn y"


# ---------------------------------------------------------------- random programs

@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    rng = random.Random(seed)
    program = Program(rng)
    source = re.sub(r"^( *t\d+\w* = [a-z]+\[[^\[\]]*:[^\[\]]*\])$", r"\1.copy()", program.whole(), flags=re.M)
    block = parse_block(source)
    expected = run(block)
    aliases = {stmt.names[0]: frozenset("UVB") for stmt in core.statements(block)
               if isinstance(stmt, core.Bind) and isinstance(stmt.values[0], (core.Name, core.Item))}
    effects = Effects(is_pure, aliases | RANDOM_STORAGES, frozenset("UVB"))
    block = elide_copies(block, effects, frozenset(program.kinds))
    assert run(block) == expected
    numbers = {name for name, made in program.kinds.items() if made == N}
    kinds = Kinds(lambda e: "number" if getattr(e, "id", "") in numbers else "array", lambda e: True)
    merged = collect_terms(block, effects, kinds, frozenset({"x_bar", "s_bar", "v", "u"}))
    for (_, got), (_, want) in zip(run(merged), expected):
        assert np.allclose(np.frombuffer(got), np.frombuffer(want), rtol=1e-9, atol=1e-12)
    names = [*program.kinds, "v", "w", "u", "x_bar", "s_bar", "t0"]
    origin = {name: rng.choice([*names, "x", "s"]) for name in names}
    assert run(coalesce(block, ["x", "s", "r"], origin)) == expected


# ---------------------------------------------------------------- first terms

class Told:
    """Answers as the oracles of a function would give them: x, y and g are alike, u_bar is an array of floats."""
    effects, primal = EFFECTS, {"x": None, "y": None, "g": None, "u": None}

    def alike(self, a: core.Expr, b: core.Expr) -> bool:
        return core.names_read(a) <= {"x", "y", "g"} and core.names_read(b) <= {"x", "y", "g"}

    def kind(self, expr: core.Expr) -> str | None:
        return "number" if isinstance(expr, core.Item) and isinstance(expr.index, core.Name) else "array"

    def value(self, expr: core.Expr) -> Any:
        return Array(np.dtype(float), (Linear(3),)) if expr == core.Name("u_bar") else UNKNOWN

    def pure(self, expr: core.Expr) -> bool:
        return is_pure(expr)


@pytest.mark.parametrize(("before", "after"), [
    ("y_bar = np.zeros_like(y)\ny_bar += g * x", "y_bar = g * x"),
    ("y_bar = np.zeros_like(y)\n# line 3: y\ny_bar += g", "# line 3: y\ny_bar = g.copy()"),
    ("y_bar = np.zeros_like(y)\ny_bar += g\ny_bar[i] += 1.0\nz = y_bar[i]",
     "y_bar = g.copy()\ny_bar[i] += 1.0\nz = y_bar[i]"),
    ("y_bar = np.zeros_like(y) + g * x - g", "y_bar = g * x - g"),
    ("y_bar = np.zeros_like(y) + g", "y_bar = g.copy()"),
    *((source, source) for source in (
        "y_bar = np.zeros_like(y)\ny_bar += g * c",                       # may have another shape
        "y_bar = np.zeros_like(y)\ny_bar += y_bar * g",
        "y_bar = np.zeros_like(y)\ny_bar += g\ny_bar.reshape(-1)[0] += 1.0",   # a view, if the order is right
        "y_bar = np.zeros_like(y)\ny_bar += g\nz = y_bar[1:]\nz[0] = 1.0",
        "y_bar = np.zeros_like(y)\ny_bar -= g",
        "x = np.zeros_like(y) + g",                                       # the user's own
    )),
])
def test_sums_start_with_their_first_term(before: str, after: str) -> None:
    assert text(start_with_first_term(parse_block(before), Told())) == after  # type: ignore[arg-type]


@pytest.mark.parametrize(("before", "after"), [
    ("u_bar[1:] = 0.0\nv += g\nu_bar[1:] += g * c", "v += g\nu_bar[1:] = g * c"),
    ("u_bar[i] = 0.0\nu_bar[i] -= g", "u_bar[i] = -g"),
    *((source, source) for source in (
        "u_bar[1:] = 0.0\nv += u_bar\nu_bar[1:] += g",
        "u_bar[1:] = 0.0\nu_bar[0] = 1.0\nu_bar[1:] += g",
        "u_bar[1:] = 0.0\nu_bar[1:] += u_bar[:-1]",
        "u_bar[i] = 0.0\ni = 2\nu_bar[i] += g",
        "u_bar[1:] = 0.0\nu_bar[:-1] += g",
        "u_bar[1:] = 1.0\nu_bar[1:] += g",
        "u_bar[1:] = 0.0\nif c:\n    return v\nu_bar[1:] += g",
        "u_bar[[0, 0]] = 0.0\nu_bar[[0, 0]] += g",
        "v[1:] = 0.0\nv[1:] += g",                                       # who knows what v holds
    )),
])
def test_parts_are_stored_at_once(before: str, after: str) -> None:
    assert text(store_first_term(parse_block(before), Told())) == after  # type: ignore[arg-type]


# ---------------------------------------------------------------- the order of factors

@pytest.mark.parametrize(("before", "after"), [
    ("v = a * 2.0", "v = 2.0 * a"), ("v += b + a * (s / r)", "v += b + s / r * a"),
    ("v[1:] -= a[1:] * s", "v[1:] -= s * a[1:]"),
    ("v = s * 2.0", "v = 2.0 * s"), ("v = s * r", "v = s * r"), ("v = q * 2", "v = q * 2"), ("v = 0.5 * 2.0",) * 2,
    ("v = a * b * 2.0",) * 2, ("v = -a * s",) * 2, ("y = a * 2.0",) * 2, ("v = f(a) * g(s)",) * 2,
    ("v = a @ s",) * 2, ("if c:\n    v += a * s", "if c:\n    v += s * a"),
])
def test_scalars_first(before: str, after: str) -> None:
    numbers = lambda e: "number" if isinstance(e, core.Bin) and e.op == "/" else kind(e)  # noqa: E731
    got = text(scalars_first(parse_block(before), numbers, is_pure, frozenset({"v"})))
    assert got == after


# ---------------------------------------------------------------- whole functions

def burgers(u: Any, nu: float, dt: float, dx: float, steps: int) -> Any:
    u = u.copy()
    for _ in range(steps):
        flux = 0.5 * u * u
        u[1:-1] += nu * dt / dx**2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - dt / (2.0 * dx) * (flux[2:] - flux[:-2])
    return np.sum(u * u)


def layers(x: Any, w: Any) -> Any:
    x = np.tanh(x @ w)
    x = np.tanh(x @ w) * x
    y = x
    return np.sum(x * y)


def same_twice(x: Any, w: Any) -> Any:
    y = x[0] + w[0]
    return np.sum(y)


@pytest.mark.parametrize(("function", "args"), [
    (burgers, (np.linspace(0.1, 0.9, 8) ** 2, 0.1, 0.01, 0.1, 4)),
    (layers, (np.ones((2, 3)) * 0.3, np.arange(9.0).reshape(3, 3) / 9.0)),
    (same_twice, (np.ones((2, 3)), np.ones((2, 3)))),
])
def test_optimised_is_plain(function: Any, args: tuple[Any, ...]) -> None:
    got = grad(function)(*args)
    assert np.allclose(got, grad(function, options=Options(plain=True))(*args), rtol=1e-12, atol=1e-14)
    assert not any(np.shares_memory(got, a) for a in args if isinstance(a, np.ndarray))


def shared_result(x: Any, y: Any) -> Any:
    return np.sum(x + y)


def test_gradients_are_distinct() -> None:
    x, y = np.ones(3), np.ones(3)
    gx, gy = grad(shared_result, argnums=(0, 1))(x, y)
    assert not np.shares_memory(gx, gy) and gx.flags.writeable and gy.flags.writeable


def test_time_loop_reads_as_by_hand() -> None:
    args = np.linspace(0.1, 0.9, 8) ** 2, 0.1, 0.01, 0.1, 4
    source = grad(burgers).source(*args)
    assert "u = u.copy()" in source and "u_bar = 2.0 * u\n" in source
    assert "return u_bar\n" in source and "u_1" not in source and "[1:-1].copy()\n        u_bar" not in source
    assert textwrap.dedent(source) == source


@pytest.mark.parametrize(("before", "after"), [
    ("t = f(x)\nx_saved.append(x)\nx = t", "x_saved.append(x)\nx = f(x)"),
    ("t = x * y\ny_saved = x\nx = t", "y_saved = x\nx = x * y"),
    ("t = y\ny = x\nx = t", "t = y\ny = x\nx = t"),
    ("t = f(x)\nx_saved.append(x)\nx = t\ny = t", "t = f(x)\nx_saved.append(x)\nx = t\ny = t"),
])
def test_what_is_overwritten_is_saved_first(before, after):
    assert text(save_first(parse_block(before), frozenset("t"))) == after


@pytest.mark.parametrize(("before", "after"), [
    ("t = c * x\ny = t + 1\ns = c * x\nz = s + 2", "t = c * x\ny = t + 1\ns = t\nz = s + 2"),
    ("t = c * u[1:]\nu[0] = y\ns = c * u[1:]", "t = c * u[1:]\nu[0] = y\ns = c * u[1:]"),
    ("t = c * x\nx = y\ns = c * x", "t = c * x\nx = y\ns = c * x"),
    ("t = c * x\nt = y\ns = c * x", "t = c * x\nt = y\ns = c * x"),
    ("t = c * x\nfor i in range(n):\n    s = c * x", "t = c * x\nfor i in range(n):\n    s = c * x"),
])
def test_what_is_computed_twice_is_computed_once(before, after):
    assert text(compute_once(parse_block(before), EFFECTS, frozenset("ts"))) == after


def test_a_part_at_integer_indices_is_read_in_its_place():
    effects = Effects(is_pure, EFFECTS.storages, EFFECTS.arrays, frozenset("ik"))
    block = parse_block("t = u[i, :k + 1].copy()\ny = t * c\nu[i, :k + 1] = 0.0")
    assert text(elide_copies(block, effects, frozenset("t"))) == "y = u[i, :k + 1] * c\nu[i, :k + 1] = 0.0"


@pytest.mark.parametrize(("before", "after"), [
    ("t = -u * c\nx += t\ny[1:] -= 2.0 * t", "t = u * c\nx -= t\ny[1:] += 2.0 * t"),
    ("for k in r:\n    t = -(u + c)\n    x[k] += t * c", "for k in r:\n    t = u + c\n    x[k] -= t * c"),
    ("t = -u / c\nx += t / c", "t = u / c\nx -= t / c"),
])
def test_signs_that_turn(before: str, after: str) -> None:
    assert text(turn_signs(parse_block(before), frozenset({"t"}))) == after


@pytest.mark.parametrize("source", [
    "t = -u\nx += t",                          # it would be u itself
    "t = -u * c\nx += t\ny = t",               # used otherwise
    "t = -u * c\nx += t + c",                  # a sum
    "t = -u * c\nx += t * t",                  # twice
    "t = -u * c\nx += c / t",                  # a divisor
    "t = -u * c\nt += t",                      # added to itself
    "t = -u * c\nx = t",
    "t = -u * c\nx *= t",
    "if c:\n    t = -u * c\nelse:\n    t = u * c\nx += t",     # two meanings
    "for t in r:\n    x += t",
])
def test_signs_that_stay(source: str) -> None:
    assert text(turn_signs(parse_block(source), frozenset({"t"}))) == source
