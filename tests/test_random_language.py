"""Random programs over control flow and containers: none may be wrong or fail inside.

Hypothesis draws the seeds; a program that fails is printed whole, with the command that finds it again and the one
that makes it smaller.
"""
from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from random_programs.generate import generate
from random_programs.judge import judge

KINDS = {"jumps": 4, "containers": 5}
FEW, SOME, LONG = 3, 5, 25                # programs in one test


def _check(kind: str, number: int, options: dict[str, bool]) -> None:
    source, args = generate(KINDS[kind], number)
    verdict = judge(source, args, **options)
    flags = " ".join(f"--{name}" for name in options)
    assert not verdict.bad, f"{verdict.outcome}: {verdict.detail}\n\nimport numpy as np\n{source}\n{_as_text(args)}\n" \
        f"print(srcgrad.grad(f, argnums=(0, 1, 2))(x, y, A))\n\n" \
        f"python tests/random_programs/run.py --kind {KINDS[kind]} --seeds {number} {flags}\n" \
        f"python tests/random_programs/reduce.py {KINDS[kind]} {number} {flags}"


def _as_text(args: tuple[np.ndarray, ...]) -> str:
    return "\n".join(f"{name} = np.array({a.tolist()})    # strides {a.strides}" for name, a in zip("xyA", args))


def _programs(kind: str, count: int, batch: int, **options: bool) -> None:
    @seed(batch)
    @settings(max_examples=count, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=[HealthCheck.too_slow])
    @given(st.integers(10_000, 10_000_000))
    def run(number: int) -> None:
        _check(kind, number, options)

    run()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", [
    pytest.param(k, marks=[pytest.mark.long, *([pytest.mark.sweep] if k != 1 else [])]) for k in range(5)])
def test_programs(kind, batch):
    _programs(kind, SOME, batch)


@pytest.mark.parametrize("kind", KINDS)
def test_few_programs(kind):
    _programs(kind, FEW, 0)


@pytest.mark.long
@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("option", ["plain", "general", "checked"])
def test_programs_under_options(kind, option):
    _programs(kind, SOME, 77, **{option: True})


@pytest.mark.long
@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", range(100, 140))
def test_many_programs(kind, batch):
    _programs(kind, LONG, batch)


def test_a_wrong_program_is_printed_whole(monkeypatch):
    from random_programs.judge import Verdict
    monkeypatch.setattr(sys.modules[__name__], "judge", lambda *_, **__: Verdict("wrong", "gradient", "off by 1"))
    with pytest.raises(AssertionError) as failure:
        _programs("containers", 1, 1)
    text = str(failure.value)
    assert "off by 1" in text and "def f(x, y, A):" in text and "x = np.array([" in text and "class Box" in text
    assert "run.py --kind 5" in text and "reduce.py 5" in text
