"""The interpreter walks a program until nothing changes: no walk too few, and few that find nothing."""
import contextlib

import numpy as np
import pytest

import srcgrad
from corpus import PROGRAMS
from harness import argnums, call_derivative, clone, compare, differences
from random_programs.generate import generate, load
from srcgrad import compiler
from srcgrad.analysis.interpret import interpreter
from srcgrad.errors import SrcgradError

SOME = [(kind, 40) for kind in range(1, 7)]


def _settled(monkeypatch, derivative, args):
    """Compiles; after each interpretation another walk must find what the last one found."""
    def interpret(code, outer, entry, user_result=None, *rest):
        facts = interpreter.interpret(code, outer, entry, user_result, *rest)
        facts.heap.changed = False
        again = interpreter.Facts(facts.heap, facts.live, guards=dict(facts.guards), rewritten=facts.rewritten,
                                  given_complex=facts.given_complex, optimistic=facts.optimistic)
        optimistic, chains, assumed, work, function, steps, wrong_guesses = rest
        walk = interpreter._Walk(again, outer, entry, user_result, work)
        walk.steps, walk.ev.wrong_guesses = steps, wrong_guesses
        for name in "made", "chains", "parsed", "in_play":
            setattr(walk.ev, name, getattr(facts.evaluator, name))
        walk.function(code)
        assert not facts.heap.changed
        assert again.guards.keys() == facts.guards.keys()
        # by text: functions that are made inside are others each time
        changed = [key for key in facts.kinds.keys() & again.kinds.keys()
                   if facts.kinds[key] != again.kinds[key] and repr(facts.kinds[key]) != repr(again.kinds[key])]
        assert not changed and again.taken == facts.taken and again.refused.keys() == facts.refused.keys()
        return facts
    monkeypatch.setattr(compiler, "interpret", interpret)
    with contextlib.suppress(SrcgradError):
        derivative.source(*clone(args))


@pytest.mark.parametrize("kind, seed", SOME)
def test_another_walk_finds_nothing_in_random_programs(monkeypatch, kind, seed):
    source, args = generate(kind, seed)
    _settled(monkeypatch, srcgrad.grad(load(source), argnums=(0, 1, 2)), args)


@pytest.mark.parametrize("name", list(PROGRAMS)[::48])
def test_another_walk_finds_nothing(monkeypatch, name):
    p = PROGRAMS[name]
    _settled(monkeypatch, srcgrad.grad(p.function, argnums=argnums(p.wrt)), p.inputs[0])


@pytest.mark.long
@pytest.mark.parametrize("name", list(PROGRAMS)[5::12])
def test_another_walk_finds_nothing_in_more_programs(monkeypatch, name):
    test_another_walk_finds_nothing(monkeypatch, name)


def _walks(monkeypatch, function, *args):
    """How often each interpretation walks through the program."""
    counts = []
    walk, interpret = interpreter._Walk.function, interpreter.interpret
    monkeypatch.setattr(interpreter._Walk, "function", lambda self, code: (
        counts.__setitem__(-1, counts[-1] + 1), walk(self, code))[1])
    monkeypatch.setattr(compiler, "interpret", lambda *a, **k: (counts.append(0), interpret(*a, **k))[1])
    compare(call_derivative(srcgrad.grad(function), args, (0,)), differences(function, args, (0,)))
    return counts


def test_a_straight_line_is_walked_once(monkeypatch):
    def f(x):
        rows = [np.sin(x), x * x]
        return np.sum(rows[0] * rows[1][[2, 0, 1]])

    assert set(_walks(monkeypatch, f, np.array([0.3, -0.5, 0.7]))) == {1}


def test_what_is_written_by_out_settles(monkeypatch):
    def f(x):
        y = np.zeros(3)
        z = np.zeros(3)
        for _ in range(2):
            np.add(x, y, out=y)
            np.add.accumulate(x * y, out=z)
            np.add.reduce(np.stack([y, z]), out=y)
        return np.sum(y * y * z)

    assert max(_walks(monkeypatch, f, np.array([0.3, -0.5, 0.7]))) <= 4
