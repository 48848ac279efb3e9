"""What signatures declare, and the texts that follow from it."""
from __future__ import annotations

import numpy as np
import numpy.typing as npt

from srcgrad import grad
from srcgrad.analysis.declared import declared
from srcgrad.analysis.values import UNKNOWN, Array, Known, ListOf, Number, TupleOf

ANY = Array(None, None)


def annotated(a: float, b: int, c: np.ndarray, d: npt.NDArray[np.float32], e: list[float], f: tuple[int, float],
              g: float | np.ndarray, h: str, i: missing):  # noqa: F821
    pass


def known(a: float, b: int, c: np.ndarray, d: npt.NDArray[np.float32], e: list[float], f: tuple[int, float],
          g: float | np.ndarray, h: str):
    pass


def with_defaults(a, b=2, c=2.0, d=True, e="sum", f=None, g=np.tanh, *rest, h=3, **more):
    pass


def test_annotations() -> None:
    assert declared(known) == (Number("float"), Number("int"), ANY, Array(np.dtype(np.float32), None),
                               ListOf(Number("float")), TupleOf((Number("int"), Number("float"))), ANY, UNKNOWN)


def test_annotations_that_mean_nothing_are_left_out() -> None:
    assert declared(annotated) == (ANY,) * 9


def test_defaults() -> None:
    assert declared(with_defaults) == (ANY, Number("int"), ANY, Number("bool"), UNKNOWN, UNKNOWN, Known(np.tanh),
                                       UNKNOWN, Number("int"), UNKNOWN)


def scaled(x: float, n: int):
    for _ in range(n):
        x = x * 1.5
    return x


def test_what_is_declared_needs_no_helper() -> None:
    text = grad(scaled).source()
    assert "unbroadcast" not in text and "check_scalar" not in text
    assert "unbroadcast" in grad(lambda x, y: np.sum(x * y)).source()
