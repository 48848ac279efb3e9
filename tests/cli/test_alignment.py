"""Which backward statements stand beside which line."""
from __future__ import annotations

import numpy as np

from srcgrad import grad
from srcgrad.backends.views.aligned import Aligned, align
from srcgrad.lang.source import find


def sweeps(x, n):
    y = x * 1.0
    for _ in range(n):
        for i in range(1, len(y)):
            y[i] = y[i] * y[i - 1]
        y = np.sin(y)
    if n > 5:
        y = 2.0 * y
    return np.sum(y)


def aligned(*args: object) -> Aligned:
    return align(find(sweeps), grad(sweeps).source(*args))


def beside(result: Aligned, text: str) -> list[str]:
    """What stands beside the line of the function that begins with the text."""
    number = next(k for k, line in enumerate(result.primal, result.first) if line.strip().startswith(text))
    return [line.strip() for line in result.backward.get(number, [])]


def test_every_backward_statement_has_its_line() -> None:
    for args in ((), (np.ones(3), 2)):
        result = aligned(*args)
        text = grad(sweeps).source(*args).partition("# backward\n")[2]
        wanted = sorted(line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))
        assert sorted(line.strip() for lines in result.backward.values() for line in lines) == wanted


def test_loops_stand_beside_loops() -> None:
    result = aligned(np.ones(3), 2)
    assert beside(result, "for _ in range(n)") == ["for _ in reversed(range(n)):"]
    assert beside(result, "for i in range(1")[0] == "for i in reversed(range(1, len(y))):"
    assert "y[i] = y_saved.pop()" in beside(result, "y[i] = y[i]")
    assert any("np.cos" in line for line in beside(result, "y = np.sin(y)"))
    assert any(line.startswith("return") for line in beside(result, "def sweeps"))


def test_branches_stand_beside_branches() -> None:
    result = aligned()
    assert beside(result, "if n > 5")[0].startswith("if ")
