"""Random programs: a sample of each kind on every run, thousands under the marker `long`."""
from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from harness import clone, same
from random_programs.generate import KINDS, generate, load, reference
from random_programs.judge import judge
from random_programs.reduce import reduce

KIND = pytest.mark.parametrize("kind", sorted(KINDS))
CORE = pytest.mark.parametrize("kind", [1, 2, 3])      # kinds that can be told to keep to the core language
BATCH = 5

# Every run takes some two hundred programs, a batch of each kind; more of them cost minutes and are for longer runs.
SWEEP = [pytest.mark.long, pytest.mark.sweep]
FIRST = [0, *(pytest.param(k, marks=SWEEP) for k in range(5, 30, BATCH))]
CHEAP = [0, 5, 10, 15, *(pytest.param(k, marks=SWEEP) for k in range(20, 40, BATCH))]


def _judge_all(kind: int, seeds: range, basic: bool, *, may_refuse: bool, **options: bool) -> None:
    bad, slow = {}, []
    for seed in seeds:
        verdict = judge(*generate(kind, seed, basic), **options)
        if verdict.bad or verdict.outcome in ("refused", "slow") and not may_refuse:
            bad[seed] = (verdict.outcome, verdict.kind, verdict.detail[:300])
        if verdict.outcome == "slow":
            slow.append(seed)
    assert not bad
    assert len(slow) <= 1 + len(seeds) // 10


@CORE
@pytest.mark.parametrize("first", CHEAP)
def test_core_language(kind, first):
    """Programs in the core language are right."""
    _judge_all(kind, range(first, first + BATCH), True, may_refuse=False)


@KIND
@pytest.mark.parametrize("first", FIRST)
def test_whole_language(kind, first):
    """Programs beyond the core language are right or refused."""
    _judge_all(kind, range(first, first + BATCH), False, may_refuse=True)


@CORE
@pytest.mark.parametrize("option", ["plain", "general", "checked"])
def test_core_language_under_options(kind, option):
    _judge_all(kind, range(1000, 1005), True, may_refuse=False, **{option: True})


@pytest.mark.parametrize("kind", [pytest.param(k, marks=SWEEP if k in (4, 5) else [])
                                  for k in sorted(KINDS)])
@pytest.mark.parametrize("option", ["plain", "general", "checked"])
def test_under_options(kind, option):
    _judge_all(kind, range(1000, 1003), False, may_refuse=True, **{option: True})


@pytest.mark.long
@CORE
@pytest.mark.parametrize("first", [
    pytest.param(k, marks=[pytest.mark.sweep] if k >= 2050 else []) for k in range(2000, 2100, 10)])
def test_many_in_the_core_language(kind, first):
    _judge_all(kind, range(first, first + 10), True, may_refuse=False)


@pytest.mark.long
@pytest.mark.parametrize(("first", "kind"), [
    pytest.param(first, kind, marks=[pytest.mark.sweep] if first >= 2020 or kind >= 4 else [])
    for first in range(2000, 2400, 20) for kind in sorted(KINDS)])
def test_many(first, kind):
    _judge_all(kind, range(first, first + 20), False, may_refuse=True)


@pytest.mark.long
@pytest.mark.sweep
@pytest.mark.parametrize("first", range(10000, 15000, 500))
def test_writing_in_place(first):
    """5,000 programs that write into arrays: none wrong, at most 2 % refused.  `pytest -s` prints the share."""
    verdicts = {seed: judge(*generate(6, seed)) for seed in range(first, first + 500)}
    assert not {seed: (v.outcome, v.kind, v.detail[:300]) for seed, v in verdicts.items() if v.bad}
    meant = [v for v in verdicts.values() if v.outcome != "invalid"]
    refused = sum(v.outcome == "refused" for v in meant)
    print(f"\n{len(meant)} programs, {refused} refused ({refused / len(meant):.1%})")
    assert len(meant) >= 450 and refused <= 0.02 * len(meant)


# ---------------------------------------------------------------- the generators themselves

@KIND
def test_programs_are_reproducible(kind):
    code = ("import sys; sys.path.insert(0, sys.argv[1]); from random_programs.generate import generate; "
            f"source, args = generate({kind}, 3); print(source, [(a.tolist(), a.strides) for a in args])")
    tests = str(Path(__file__).parent)
    elsewhere = subprocess.run([sys.executable, "-c", code, tests], capture_output=True, text=True, check=True).stdout
    source, args = generate(kind, 3)
    assert elsewhere == f"{source} {[(a.tolist(), a.strides) for a in args]}\n"


@KIND
@pytest.mark.parametrize("basic", [True, False])
def test_programs_differ_and_mean_something(kind, basic):
    programs = [generate(kind, seed, basic) for seed in range(30)]
    assert len({source for source, _ in programs}) == 30
    for source, args in programs:
        f = load(source)
        assert np.ndim(f(*clone(args))) == 0
        assert reference(source, args) is not None


@KIND
def test_layouts_vary(kind):
    strides = {a.strides for seed in range(40) for a in generate(kind, seed)[1]}
    assert any(s[0] < 0 for s in strides) and len(strides) >= 6


@CORE
def test_core_programs_leave_their_arguments(kind):
    for seed in range(30):
        source, args = generate(kind, seed, True)
        ours = clone(args)
        load(source)(*ours)
        same(ours, args)


USED = {
    1: [ast.For, ast.If, ast.AugAssign, ast.Slice, ast.List, ast.Compare],
    2: [ast.While, ast.Call, ast.Return, ast.List, ast.FunctionDef],
    3: [ast.For, ast.If, ast.Slice, ast.MatMult],
    4: [ast.Break, ast.Continue, ast.Return, ast.Try, ast.With, ast.Match, ast.Raise],
    5: [ast.ListComp, ast.DictComp, ast.Lambda, ast.FunctionDef, ast.Dict, ast.While, ast.Break, ast.Try, ast.Starred],
    6: [ast.For, ast.If, ast.AugAssign, ast.Slice, ast.List, ast.FunctionDef],
}


@KIND
def test_each_kind_uses_its_constructs(kind):
    nodes = {type(n) for seed in range(40) for n in ast.walk(ast.parse(generate(kind, seed)[0]))}
    assert not set(USED[kind]) - nodes


def test_reduce_keeps_what_fails_and_drops_the_rest():
    source, args = generate(2, 5)
    want = load(source)(*clone(args))
    assert "np.exp" not in source
    source = source.replace("    return", "    b[0] = np.exp(b[1]) * s\n    return", 1)
    small = reduce(source, lambda text: "np.exp" in text)
    assert "np.exp" in small and len(small) < 60 < len(source)
    assert np.isfinite(want)


def test_judge_tells_wrong_from_right(monkeypatch):
    """A gradient that is off, one that shares memory, and one that changes its arguments are all called wrong."""
    from random_programs import judge as judging
    source, args = "def f(x, y, A):\n    return np.sum(x * x) + np.sum(y) + np.sum(A)\n", (
        np.array([1.0, 2.0]), np.array([3.0]), np.ones((1, 1)))

    def answers(x_bar, effect=lambda x: None):
        def derivative(f, wrt):
            def g(x, y, A):
                effect(x)
                return x_bar(x), np.ones(1), np.ones((1, 1))
            return g
        monkeypatch.setattr(judging, "derivative", derivative)
        return judging.judge(source, args)

    assert answers(lambda x: 2.0 * x).outcome == "right"
    assert answers(lambda x: 2.0001 * x).kind == "gradient"
    assert answers(lambda x: 2.0 * x, lambda x: x.sort()).outcome == "right"
    assert answers(lambda x: np.array([2.0, 4.0]), lambda x: x.fill(5.0)).kind == "arguments"
    assert answers(lambda x: np.broadcast_to(np.float64(2.0), (2,)) * x).outcome == "right"
