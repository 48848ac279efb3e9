"""`import` inside a function: what it gives is known, and a module that isn't there decides the program."""
from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad import Options, UnsupportedError, grad
from srcgrad.testing import check_grads


def a_module(x):
    import math as m
    return m.sin(m.pi * x)


def members(x):
    from numpy import cos as c
    from numpy import sin
    return sin(x) * c(x)


def in_a_package(x):
    import os.path as paths

    import numpy.linalg
    if paths.exists("/there/is/no/such/file"):
        return 0.0
    return numpy.linalg.norm(np.array([x, 2.0 * x])) ** 3


def in_a_loop(x):
    for _ in range(2):
        import math
        x = math.sin(x)
    return x


def optional(x):
    try:
        import a_module_that_there_is_not as fast
    except ImportError:
        fast = None
    return x * x if fast is None else fast.f(x)


def power(x):
    from math import exp
    return exp(x)


def in_a_callee(x):
    return power(x) * power(2.0 * x)


@pytest.mark.parametrize("options", [Options(), Options(plain=True), Options(general=True), Options(checked=True)],
                         ids=str)
@pytest.mark.parametrize("f", [a_module, members, in_a_package, in_a_loop, optional, in_a_callee])
def test_modules_are_known(f: Callable[[Any], Any], options: Options) -> None:
    check_grads(f, (0.7,), options=options)


def test_names_that_a_module_lacks_are_said() -> None:
    def misspelt(x):
        return np.summ(x)

    with pytest.raises(UnsupportedError, match="`numpy` has no `summ`") as caught:
        grad(misspelt)(np.ones(2))
    assert "np.summ(x)" in linecache.getline(caught.value.at.file, caught.value.at.line)     # type: ignore[union-attr]
