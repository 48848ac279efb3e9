"""Adjoints of sums and means stay numbers as long as they can; numbers among the operands get them times the size."""
from __future__ import annotations

import numpy as np
import pytest

from harness import as_tuple, clone, compare, derivative, differences
from srcgrad import grad

V, W, EMPTY, M = np.array([1.0, 2.5, 3.0]), np.array([1.0, -5.0, 6.0]), np.ones(0), np.array([[1.0, 0.5]] * 3)
CASES = {
    "minus": (lambda x, c: np.sum(x * x - c), V),
    "from": (lambda x, c: np.sum(c - x * x), M),
    "power": (lambda x, c: np.sum(x**c), V),
    "larger": (lambda x, c: np.mean(np.maximum(x, c)), V),
    "masked": (lambda x, c: np.sum(np.where(x > 1.5, x * x - c, 0.0)), V),
    "chosen": (lambda x, c: np.sum(np.where(x > 1.5, c, x)), V),
    "empty": (lambda x, c: np.sum((x + c) * (x + 1.0)), EMPTY),
    "empty sum": (lambda x, c: np.sum(x + c), EMPTY),
    "outer": (lambda x, c: np.sum(x[:, None] + x[None, :] * c - c), V),
    "arctan2": (lambda x, c: np.sum(np.arctan2(x, c)), V),
    "quotient": (lambda x, c: np.sum(x / c) + np.sum(c / x), V),
    "hypot": (lambda x, c: np.sum(np.hypot(x, c) - c), V),
    "clipped": (lambda x, c: np.sum(np.clip(x, -c, c)), W),
    "product": (lambda x, c: np.prod(x - c) + np.sum(x - c) * np.sum(x - c), V),
    "along an axis": (lambda x, c: np.sum(np.sum(x - c, axis=0) - c), M),
    "along the last axis": (lambda x, c: np.sum(np.mean(x - c, axis=-1) * c - c), M),
    "einsum": (lambda x, c: np.einsum("i->", x - c), V),
    "mean of logarithms": (lambda x, c: np.mean(x * x - np.log(c)), V),
}


class Cell:
    def __init__(self, u, k):
        self.u = u
        self.k = k


def fields_of_objects_in_a_list(x, c):
    cells = [Cell(x + x[0], c), Cell(x - x[2], x[2])]
    return sum(np.sum(cell.u * cell.k) for cell in cells)


def elements_of_a_dict(x, c):
    d = {i: x + x[i] for i in range(3)}
    return sum(np.sum(d[k] * x[0]) for k in d) + np.mean(d[1] - c)


def field_of_an_object_that_is_kept(x, c):
    cell = Cell(x + x[0], 2.0)
    kept = [cell]
    kept[0].u = kept[0].u + c
    return np.sum(cell.u - x[2]) + np.sum(cell.u * c)


def object_made_in_a_try(x, c):
    total = 0.0
    for i in range(3):
        try:
            cell = Cell(x * float(i), c)
            cell.k = 1.0 / cell.u[0] if i else 5.0
            if i == 1:
                raise ValueError
        except ValueError:
            cell.k = cell.k * x[2]
        finally:
            total += np.sum(cell.u * cell.k)
    return total


CASES |= {f.__name__: (f, V) for f in (fields_of_objects_in_a_list, elements_of_a_dict, field_of_an_object_that_is_kept,
                                       object_made_in_a_try)}


@pytest.mark.parametrize("option", ["", "plain", "general", "checked"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("error")
def test_numbers_among_the_operands(name: str, option: str) -> None:
    f, x = CASES[name]
    args = (x, 2.0)
    got = as_tuple(derivative(f, (0, 1), **({option: True} if option else {}))(*clone(args)), (0, 1))
    compare(got, differences(f, clone(args), (0, 1)))


def test_nothing_is_spread_where_a_number_does() -> None:
    text = grad(lambda p, x: np.sum(-x * x / 2.0 - np.log(p))).source(2.0, np.ones(3))
    assert "broadcast_to" not in text and "size" in text
