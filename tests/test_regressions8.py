"""What once went wrong silently, or ended in an internal error: results of recursion, names of exceptions, text."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_program
from srcgrad import ArgumentError, UnsupportedError, grad

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


# ---------------------------------------------------------------- names that a call binds in the midst of an expression

RATE = 1.0


def read_before_and_after(x):
    s = x[0]

    def f(v):
        nonlocal s
        s = s * v
        return s
    return (f(x[1]) + f(x[2])) * s + s * f(x[0])


def passed_and_bound(x):
    s = x[0]

    def f(v):
        nonlocal s
        s = s * x[1]
        return v * s
    a, b = s, f(x[2])
    parts = [s, f(s), s]
    return a * b + parts[0] * parts[1] - parts[2] + max(s, f(x[0]), s)


def bound_further_below(x):
    s = x[0]

    def g(v):
        nonlocal s
        s = s * v
        return v

    def f(v):
        return g(v) * v
    a = s * f(x[1]) + s
    return a + f(s) * s


def set_rate(v):
    global RATE
    RATE = v * v
    return v


def twice_rate(v):
    return set_rate(v) + v


def global_in_between(x):
    set_rate(x[0])
    r = RATE * twice_rate(x[1]) + set_rate(RATE) * RATE
    set_rate(1.0)
    return r


class Bag:
    def __init__(self, v):
        self.v = v

    def up(self, k):
        self.v = self.v * k
        return self.v


def updated_meanwhile(x):
    s, b, items = x[0], Bag(x[1]), [x[2]]

    def f(v):
        nonlocal s
        s = s * v
        return s

    def g():
        items[0] = items[0] * x[1]
        return items[0]
    s += f(x[1])
    s *= f(x[2]) + s
    b.v += b.up(x[0])
    items[0] += g()
    return s * b.v * items[0]


def counted_places(x):
    k = 0

    def following():
        nonlocal k
        k += 1
        return k
    y = np.zeros(4)
    y[following()] = x[following() % 3] * k
    y[k - 1] += following() * x[0]
    y[k - 3:following()] *= k
    return np.sum(y * np.array([1.0, 2.0, 3.0, 4.0])) * k


@each_way
@pytest.mark.parametrize("f", [read_before_and_after, passed_and_bound, bound_further_below, global_in_between,
                               updated_meanwhile, counted_places])
def test_calls_that_bind_names_around_them(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- what a class has until an object does

class Damped:
    rate = 2.0
    settled = False

    def __init__(self, a):
        self.a = a

    def value(self):
        return self.a * self.rate


def set_later(x):
    d, s = Damped(x[0]), 0.0
    for _ in range(3):
        s = s + (x[1] if d.rate > 2.5 else x[2]) * d.value()
        d.rate = 3.0
    return s


def flag_that_is_set_later(x):
    d, s = Damped(x[0]), 0.0
    for _ in range(3):
        if d.settled:
            s = s + x[1]
        else:
            s = s * x[0] + d.a * d.a
        d.settled = True
    return s


def written_through_a_copy(x):
    a = np.zeros((3, 2))
    i = np.array([0, 2])
    a[i][...] = x[:2]
    a[i] += x[1]
    return np.sum(a * a) + x[0]


@each_way
@pytest.mark.parametrize("f", [set_later, flag_that_is_set_later, written_through_a_copy])
def test_fields_that_classes_have_first(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- what has no derivative

@pytest.mark.parametrize(("f", "what"), [
    (lambda x: x[0] > 0, "a bool"), (lambda x: np.any(x > 0), "a bool"), (lambda x: np.argmax(x), "an integer"),
    (lambda x: int(x[0]), "an integer"), (lambda x: len(x), "an integer")])
def test_results_that_are_no_real_numbers(f, what):
    with pytest.raises(ArgumentError, match=f"the function returned {what}, which has no gradient"):
        grad(f)(X)


@pytest.mark.parametrize("f", [lambda x: 0 if x[0] > 0 else x[1], lambda x: 1.0, lambda x: 0])
def test_constants_have_zero_gradients(f):
    assert not np.any(grad(f)(X))


@pytest.mark.parametrize(("f", "message"), [
    (lambda x: np.no_such_function(x), "`numpy` has no `no_such_function`"),
    (lambda x: np.linalg.no_such(x), "`numpy.linalg` has no `no_such`"),
    (lambda x: no_such_name(x), "`no_such_name`, which is called here, isn't defined")])  # noqa: F821
def test_names_that_mean_nothing(f, message):
    with pytest.raises(UnsupportedError, match=message):
        grad(f)(X)


def array_of_objects(x):
    o = np.empty(3, dtype=object)
    for k in range(3):
        o[k] = x[k]
    return o[0] * o[1]


def test_arrays_of_objects():
    with pytest.raises(UnsupportedError, match="array of dtype object takes here what is differentiated"):
        grad(array_of_objects)(X)


# ---------------------------------------------------------------- one object that recursion gives several times

def one_list_twice(n):
    found = [0.0]
    return (found, found) if n == 0 else one_list_twice(n - 1)


def written_by_one_name(x):
    p, q = one_list_twice(2)
    p[0] = x[0]
    return q[0] * x[1] + q[0] ** 2


def kept_and_given(n, out):
    made = {"v": 1.0}
    out.append(made)
    return made if n == 0 else kept_and_given(n - 1, out)


def written_where_it_is_kept(x):
    out = []
    d = kept_and_given(2, out)
    out[-1]["v"] = x[0]
    return d["v"] * x[1]


@pytest.mark.parametrize("f", [written_by_one_name, written_where_it_is_kept])
def test_one_object_at_several_places_is_right_or_refused(f):
    try:
        check_program(f, (X,), (0,))
    except UnsupportedError as refusal:
        assert "several places" in str(refusal)


def in_turns(v):
    if len(v) < 2:
        return list(v), []
    a, b = in_turns(v[2:])
    return [v[0], *a], [v[1], *b]


def lists_of_two(x):
    a, b = in_turns(list(x))
    a[0] = a[0] * b[0]
    return sum(a) * sum(b)


TABLE = np.zeros(3)


def the_table(n):
    return TABLE if n == 0 else the_table(n - 1)


def table_written(x):
    g = the_table(1)
    g[0] = x[0] * x[0]
    return the_table(2)[0] * x[1]


def table_read(x):
    return np.sum(x * (the_table(2) + 1.0))


@pytest.mark.parametrize("f", [lists_of_two, table_read])
def test_what_recursion_gives_is_told_apart(f):
    check_program(f, (X,), (0,))


def test_an_array_from_outside_that_recursion_gives_is_not_written():
    with pytest.raises(UnsupportedError, match="isn't local is given by a call"):
        grad(table_written)(X)


def halves(v, n):
    return (v[:], v[1:]) if n == 0 else halves(v, n - 1)


def in_a_list(v, n):
    return [v[:], v[:1]] if n == 0 else in_a_list(v, n - 1)


def in_a_dict(v, n):
    return {"a": v[:]} if n == 0 else in_a_dict(v, n - 1)


def parts_of_lists(x):
    v = [x[0], x[1]]
    (a, b), c, d = halves(v, 2), in_a_list(v, 1), in_a_dict(v, 1)
    return a[0] * b[0] + c[0][0] * c[1][0] * c[0][1] + d["a"][0] * d["a"][1]


@each_way
def test_parts_of_lists_in_what_recursion_gives(options):
    check_program(parts_of_lists, (X,), (0,), **options)
