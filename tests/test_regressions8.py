"""What once went wrong silently, or ended in an internal error: results of recursion, names of exceptions, text."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_program
from srcgrad import UnsupportedError, grad

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
X = np.array([0.5, 1.5, -0.7])


# ---------------------------------------------------------------- what recursive functions give

def first_and_rest(n, x):
    return [x[0]] if n == 0 else first_and_rest(n - 1, x * 2) + [1.0]


def lists_that_are_made_in_one_way_or_another(x):
    return sum(t for t in first_and_rest(2, x)) * x[1]


@each_way
def test_results_of_recursion(options):
    check_program(lists_that_are_made_in_one_way_or_another, (X,), (0,), **options)


# ---------------------------------------------------------------- exceptions

class Stop(Exception):
    def __init__(self, k):
        super().__init__(k)
        self.k = k


def what_is_raised_is_read(x):
    s = x[0]
    try:
        if s > 5:
            raise ValueError(3)
    except ValueError as e:
        s = s / (1 + e.args[0]) * x[2]
    return s


def what_is_raised_in_a_loop_is_read(x):
    s = x[0]
    for i in range(3):
        try:
            if x[i] > 5:
                raise Stop(i + 2)
            s = s * x[i]
        except Stop as e:
            s = s * e.k * s
    return s


@each_way
@pytest.mark.parametrize("f", [what_is_raised_is_read, what_is_raised_in_a_loop_is_read])
def test_exceptions_that_handlers_read(f, options):
    check_program(f, (X,), (0,), **options)
    check_program(f, (X * 20,), (0,), **options)


# ---------------------------------------------------------------- text

def written_below(n, x):
    return str(x[0]) if n == 0 else written_below(n - 1, x * 2.0)


def text_of_recursion(x):
    return float(written_below(2, x)) * x[1]


def write_into(n, x, out):
    if n == 0:
        out.append(f"{x[0]}")
    else:
        write_into(n - 1, x * 2.0, out)


def text_in_a_list(x):
    out = []
    write_into(2, x, out)
    return float(out[0]) * x[1]


def read_below(n, s, v):
    return float(s) * v if n == 0 else read_below(n - 1, s, v * v)


def text_for_recursion(x):
    return read_below(3, str(x[0]), x[1])


def round_the_recursion(n, s, v):
    return v if n == 0 else round_the_recursion(n - 1, str(v), v * float(s))


def text_round_recursion(x):
    return round_the_recursion(3, "2.5", x[1])


def text_in_a_dict(x):
    d = {"a": str(x[0])}
    return sum(float(v) for v in d.values())


def text_in_a_tuple(x):
    return np.array((str(x[0]), str(x[1]))).astype(float)[0]


def text_by_map(x):
    return sum(list(map(float, [str(v) for v in x])))


@pytest.mark.parametrize("f", [text_of_recursion, text_in_a_list, text_for_recursion, text_round_recursion,
                               text_in_a_dict, text_in_a_tuple, text_by_map])
def test_text_of_what_is_differentiated_is_never_read(f):
    with pytest.raises(UnsupportedError, match="may read here what a differentiated value was written to as text"):
        grad(f)(X)


def text_that_nobody_reads(n, v, names):
    names.append(f"{v}")
    return v if n == 0 else text_that_nobody_reads(n - 1, v * v, names)


def named_steps(x):
    names = []
    return text_that_nobody_reads(3, x[1], names) * len(names)


def text_after_it_was_read(x):
    a = read_below(1, "2.5", x[0])
    return a * len(str(a)[:1])


@pytest.mark.parametrize("f", [named_steps, text_after_it_was_read])
def test_other_text_is_no_matter(f):
    check_program(f, (X,), (0,))
