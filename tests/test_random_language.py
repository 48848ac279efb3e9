"""Random programs over control flow and containers, built by hypothesis: none may be wrong or fail inside.

A program that fails is printed whole.  To run it by hand, save it with its arguments as a file and call
`srcgrad.grad(f, argnums=(0, 1, 2))(x, y, A)`.  One that fails alike and is found by its seed, with
`python tests/random_programs/run.py --kind 5 --seeds 0:1000`, is made smaller by `tests/random_programs/reduce.py`.
"""
from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st

from random_programs import containing, jumping
from random_programs.generate import arguments, reference
from random_programs.judge import judge

WRITERS = {"jumps": jumping.write, "containers": containing.write}
QUICK, LONG = 10, 100               # programs in one test
LAX = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example]


def _check(kind: str, rng: random.Random, layout: int, options: dict[str, bool]) -> None:
    source = WRITERS[kind](rng, False)
    args = arguments(random.Random(layout), 4)
    assume(reference(source, args) is not None)
    verdict = judge(source, args, **options)
    assert not verdict.bad, f"{verdict.outcome}: {verdict.detail}\nunder {options or 'default options'}\n\n" \
                            f"import numpy as np\n{source}\n{_as_text(args)}"


def _as_text(args: tuple[np.ndarray, ...]) -> str:
    return "\n".join(f"{name} = np.array({a.tolist()})    # strides {a.strides}" for name, a in zip("xyA", args))


def _programs(kind: str, number: int, batch: int, **options: bool) -> None:
    @seed(batch)
    @settings(max_examples=number, deadline=None, database=None, suppress_health_check=LAX, phases=[Phase.generate])
    @given(st.randoms(use_true_random=False), st.integers(0, 1000))
    def run(rng: random.Random, layout: int) -> None:
        _check(kind, rng, layout, options)

    run()


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("batch", range(5))
def test_programs(kind, batch):
    _programs(kind, QUICK, batch)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("option", ["plain", "general", "checked"])
def test_programs_under_options(kind, option):
    _programs(kind, QUICK // 2, 77, **{option: True})


@pytest.mark.long
@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("batch", range(100, 110))
def test_many_programs(kind, batch):
    _programs(kind, LONG, batch)


def test_a_wrong_program_is_printed_whole(monkeypatch):
    from random_programs.judge import Verdict
    monkeypatch.setattr("test_random_language.judge", lambda *_, **__: Verdict("wrong", "gradient", "off by 1"))
    with pytest.raises(AssertionError) as failure:
        _programs("containers", QUICK, 1)
    text = str(failure.value)
    assert "off by 1" in text and "def f(x, y, A):" in text and "x = np.array([" in text and "class Box" in text
