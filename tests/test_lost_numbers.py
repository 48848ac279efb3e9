"""Numbers that go through text or arrays of objects are refused: they never come back with a derivative of zero."""
from __future__ import annotations

import json

import numpy as np
import pytest

from harness import check_program
from srcgrad import UnsupportedError, grad

X = np.array([0.5, 1.5, 2.5])


def split_again(x):
    s = ",".join([str(v) for v in x])
    return sum([float(v) for v in s.split(",")])


def by_a_numpy_class(x):
    return np.float64(str(x[0]))


def by_an_array_of_texts(x):
    return np.array([str(x[0])]).astype(float)[0]


def by_a_numpy_reader(x):
    return np.loadtxt([str(x[0])])


def by_percent(x):
    return float("%.3f" % x[0])  # noqa: UP031


def by_json(x):
    return json.loads(f"[{x[0]}]")[0]


def round_the_loop(x):
    s, total = "1.0", 0.0
    for v in x:
        total += float(s) * v
        s = str(v)
    return total


def in_the_test_of_a_loop(x):
    s, total = "0.0", 0.0
    while float(s) < 2.0:
        total = total + x[0]
        s = str(total)
    return total * float(s)


@pytest.mark.parametrize(("f", "reader"), [
    (round_the_loop, "float"), (in_the_test_of_a_loop, "float"), (split_again, "float"),
    (by_a_numpy_class, "float64"), (by_an_array_of_texts, "array"),
    (by_a_numpy_reader, "loadtxt"), (by_percent, "float"), (by_json, "loads")])
def test_text_loses_derivatives(f, reader):
    with pytest.raises(UnsupportedError, match=f"`{reader}` may read here what a differentiated value was written to"):
        grad(f)(X)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(x.astype(object)), lambda x: np.sum(np.array(x, object)),
    lambda x: x.astype(str).astype(float)[0]])
def test_arrays_of_objects_and_texts_have_no_derivative(f):
    with pytest.raises(UnsupportedError, match="has no derivative, and this makes one of what is differentiated"):
        grad(f)(X)


def labelled(x):
    label = "%.2f" % x[0] + f" {x[1]}"  # noqa: UP031
    names = [part.strip() for part in label.split()]
    numbers = [float(n) for n in range(3)]
    return np.sum(x * np.array(numbers)) * len(names)


def table_first(x, text):
    numbers = [float(part) for part in text.split()]
    total = np.sum(x * np.array(numbers))
    lines = []
    for v in x:
        lines.append(f"{v:.2f}")
    return total * len(lines)


def test_text_that_is_read_before_anything_is_written_is_no_matter():
    check_program(table_first, (X, "1.0 2.0 0.5"), (0,))


def test_text_that_nothing_reads_is_no_matter():
    check_program(labelled, (X,), (0,))


def test_the_caret_is_at_the_iterator():
    def joined(x):
        s = ",".join(str(v) for v in x)
        return float(s)
    with pytest.raises(UnsupportedError) as caught:
        grad(joined)(X)
    line, caret = str(caught.value).splitlines()[2:4]
    assert line[caret.index("^"):caret.rindex("^") + 1] == "(str(v) for v in x)"
