"""What was once wrong, crashed or was refused: control flow combined with everything else."""
from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

from harness import check_core_form, check_program, check_pullback, clone, gradient
from srcgrad import Options, UnsupportedError, grad

WAYS = [{}, {"plain": True}, {"general": True}, {"checked": True}]


def everywhere(f, *inputs, wrt=(0,)):
    """The gradient in every way of compiling, the value, and a pullback that is called again."""
    check_core_form(f, inputs)
    for args in inputs:
        for options in WAYS:
            check_program(f, args, wrt, **options)
        check_pullback(f, args, wrt, gradient(f, args, wrt))


def vec(n):
    return np.random.default_rng(n).uniform(0.3, 1.7, n)


class Stop(Exception):
    pass


class Told(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


# ---------------------------------------------------------------- decisions on what changes

def test_a_test_of_a_list_that_its_branch_empties():
    def f(x):
        items, others, s = [x[0]], [], 1.0
        for v in x:
            if items:
                s = s * items.pop()
            elif not others:
                others.append(v)
            else:
                s += others.pop() * v
                items.append(v * v)
        return s
    everywhere(f, (vec(5),), (vec(1),))


def test_a_test_of_a_dict_and_of_an_array_that_change():
    def f(x):
        d, a, s = {0: x[0]}, x[:1].copy(), 1.0
        for v in x:
            if d and a:
                s = s * d.pop(0)
                a[0] = 0.0
            elif a or not d:
                s += v + a[0]
                d[0] = v * v
            else:
                a[0] = v
        return s + a[0]
    everywhere(f, (vec(6),), (vec(2),))


def test_and_or_of_lists_as_tests():
    def f(x):
        left, right, s = [v for v in x], [], 1.0
        while left or right:
            v = left.pop() if left else right.pop()
            if v > 1 and left and not right:
                right.append(left.pop() * v)
            s = s * v + len(left)
        return s
    everywhere(f, (vec(4),), (np.zeros(0),))


# ---------------------------------------------------------------- exceptions

def always_raises(x, n):
    if n == 0:
        raise Stop
    return x[n - 1] * always_raises(x, n - 1)


def test_a_recursive_function_that_never_returns():
    def f(x):
        try:
            return always_raises(x, 2)
        except Stop:
            return x[0] ** 2
    everywhere(f, (vec(3),))


def test_an_exception_may_say_what_is_differentiated():
    def f(x, limit):
        try:
            s = x.sum()
            if s > limit:
                raise Told(s * 2)
        except Told as error:
            s = x[1] ** 2 * len(type(error).__name__)
        return s * x[0]
    everywhere(f, (vec(3), 0.5), (vec(3), 50.0))


def test_what_an_exception_carries_is_refused_where_it_is_read():
    def f(x):
        try:
            raise Told(x * 2)
        except Told as error:
            return error.value
    with pytest.raises(UnsupportedError, match="an exception may carry"):
        grad(f)(1.5)


def recursive_told(x, n):
    if n == 0:
        raise Told(x * x)
    return recursive_told(x * 1.5, n - 1)


def test_what_a_recursive_function_raises_is_refused_too():
    def f(x):
        try:
            return recursive_told(x, 2)
        except Told as error:
            return error.value
    with pytest.raises(UnsupportedError, match="an exception may carry"):
        grad(f)(1.5)


def test_each_time_a_try_counts_its_own():
    """A loop in a `try` in a loop: where the exception came in an earlier round is known when its turn is."""
    def f(x, n):
        y, s = x.copy(), 1.0
        for k in range(n):
            try:
                for j in range(3):
                    if (j + k) % 2 == 0:
                        t = y[j] * s
                        y[j] = t + y[j + k] * 0.5
                        if y[j] > 1.5 and k < 2:
                            raise Stop
                        s = s * 0.9 + y[j + 2 * k]
                    else:
                        s *= y[j]
                y[0] *= s
            except Stop:
                y[k] *= 0.5
            except IndexError:
                s += y[0]
        return s * y.sum()
    everywhere(f, (vec(6), 4), (vec(6), 0))


def test_a_try_in_one_branch_of_a_loop_that_is_left():
    def f(x, y):
        a, s = np.zeros(2), np.sum(y)
        for k in [0]:
            if a[:-1] @ y[1:] > 2.0:
                return x[0]
            try:
                a[k] = s
                if a[k] > 20.0:
                    pass
            except (IndexError, ValueError):
                pass
        return np.sum(x) + np.sum(a)
    everywhere(f, (vec(2), vec(2) * 2), wrt=(0, 1))


# ---------------------------------------------------------------- names, generations, lists

def test_a_number_or_an_array_made_from_its_predecessor():
    def f(x, n):
        s, t = 0.0, 1.0
        for i in range(n):
            s += x[i]
            v = s * s if s > 3 else s
            t = t * v + 1
        return t * x[0]
    everywhere(f, (vec(5), 4), (vec(5), 0))


def test_an_array_made_from_its_predecessor_and_dead_after_the_loop():
    def f(x, n):
        s, t = np.zeros(1), 0.0
        for _ in range(n):
            c = s * x + s[0] + x
            s = c
            s *= 2.0
            t += s[0] * s[-1]
        return t
    everywhere(f, (vec(3), 3), (vec(1), 1))


def test_a_slice_of_a_list_that_gets_shorter():
    def f(x):
        items = [v * 1.0 for v in x]
        for i in range(3):
            items[1:3] = [items[1] * items[2]]
            if len(items) == 4:
                del items[0]
                break
            items.insert(0, x[i] * 2)
            items.reverse()
        return sum(v * (k + 1) for k, v in enumerate(items))
    everywhere(f, (vec(6),), (vec(4),))


def test_a_key_that_was_absent_is_absent_in_a_pullback_too():
    def f(x):
        d, s = {0: x[0]}, 1.0
        for v in x:
            if d:
                s = s * d.pop(0)
            else:
                s += v
                d[0] = v * v
        return s
    everywhere(f, (vec(5),))


def shorter(items):
    if len(items) <= 1:
        return items
    return shorter(items[1:]) + [items[0] * 2]


def test_a_slice_of_a_list_goes_to_a_recursive_function():
    def f(x):
        return sum(v * v * (k + 1) for k, v in enumerate(shorter(list(x))))
    everywhere(f, (vec(5),), (vec(1),))


def halves(a, b):
    if len(a) <= 1:
        return a[0]
    a[0] *= b[0]
    return halves(a[[1, 0]][:-1], b) + halves(a[1:] * 1.0, b[::-1]) * a[0]


def test_copies_of_arrays_go_to_a_recursive_function_that_writes():
    def f(x, y):
        return halves(x * 1.0, y) + y[0]
    everywhere(f, (vec(3), vec(2)), wrt=(0, 1))


@dataclasses.dataclass
class Circle:
    r: float


Point = collections.namedtuple("Point", "x y")


def test_records_of_several_classes_in_one_list():
    def f(x):
        total = 0.0
        for shape in [Circle(x[0]), Point(x[1], x[2]), 3.0, None, [x[3]], Point(2.0, x[1])]:
            match shape:
                case Point(x=a, y=b):
                    total += a * b
                case Circle(r):
                    total = total * r
                case [a]:
                    total -= a
                case None:
                    total += 1
        return total
    everywhere(f, (vec(4),))


# ---------------------------------------------------------------- syntax

def test_a_walrus_that_may_not_run():
    def f(x):
        i, s = 0, 0.0
        while not (i >= 5 or (v := x[i] * 2) < 0.7 and (w := v * x[1]) > 0.1):
            s += v * v
            i += 1
            if i == 3:
                continue
            s *= 1.1
        if len(x) > 3 and (m := x.max()) > 0.5:
            s = s + m * (q := x[0] * 2) * q
        elif (k := x.min()) > 0:
            s = k
        return s
    everywhere(f, (vec(6),), (vec(5) * 3,))


def test_a_walrus_in_any_in_a_while():
    def f(x):
        y, n, last = [v for v in x], 0, 0.0
        while any((last := v) > 1.0 for v in y) and n < 9:
            y = [v * 0.8 for v in y]
            n += 1
        return sum(y) + last
    everywhere(f, (vec(4),), (vec(2) * 3,))


def test_the_rest_of_a_dict_in_a_pattern():
    def f(x):
        s = 1.0
        for d in [{"a": x[0], "b": x[1], "c": 2.0}, {"a": x[2], "b": x[0] * 9, "c": 0.5}]:
            match d:
                case {"a": a, "b": b, **rest} if b < 3:
                    s += a * b * rest["c"] * len(rest)
                case {"a": a, **rest} if a > 0:
                    s *= a + rest["b"] + len(rest)
            s = s + len(d)
        return s
    everywhere(f, (vec(3),))


def test_a_deleted_name_that_is_read_is_refused():
    def f(x):
        y = x * 2
        del y
        try:
            return y * 3
        except NameError:
            return x * x
    with pytest.raises(UnsupportedError, match="`y` may be read after it is deleted"):
        grad(f)(1.5)


def test_a_deleted_name_that_is_bound_again():
    def f(x):
        t = x * 2
        g = lambda v: v + t[0]  # noqa: E731
        y = g(x)
        del t, g
        for i in range(3):
            if i:
                del z
            z = y[i] * 2
            with np.errstate(all="ignore"):
                q = y * z
                del y
                y = q * q
        return y.sum() + z
    everywhere(f, (vec(3),))


# ---------------------------------------------------------------- outside

LOG: list[str] = []


def test_a_list_outside_is_told_once_in_every_way():
    def f(x):
        try:
            if x > 1:
                raise Stop
            return x * x
        except Stop:
            return x * 3
        finally:
            LOG.append("done")
    for options in WAYS:
        LOG.clear()
        assert grad(f, options=Options(**options))(clone(2.0)) == 3.0
        assert LOG == ["done"]


# ---------------------------------------------------------------- facts that were taken for certain

def test_the_length_of_a_dict_that_gains_and_loses_keys():
    def f(x):
        d, s = {"a": x[0], "b": x[1]}, 1.0
        for i in range(4):
            if "a" in d:
                s = s * d.pop("a")
            if len(d) == 1:
                s += d["b"]
            elif len(d) == 2:
                s *= 0.5 * x[2]
            d["e"] = s
        return s * len(d)
    everywhere(f, (vec(3),))
