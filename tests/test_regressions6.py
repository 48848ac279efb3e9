"""What once went wrong with names of several kinds, `try` that is left by a jump, and functions that are copied."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_core_form, check_program

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
KNOWN = [o for o in OPTIONS if "general" not in o]
where_kinds_are_known = pytest.mark.parametrize("options", KNOWN, ids=["default", "plain", "checked"])
X = np.array([0.4, -1.3, 0.8])


# ---------------------------------------------------------------- a number, or a container that changes

def swapped_list(x):
    a, b = x[0], [x[1], x[2]]
    for _ in range(3):
        if isinstance(a, list):
            a[0] = a[0] * 2
            s = a[0] + a[1]
        else:
            s = a * 1.5
        a, b = b, a
    return s + (b if not isinstance(b, list) else b[0])


def list_that_grows(x):
    a, b = x[0], [x[1], x[2]]
    for _ in range(2):
        if isinstance(a, float):
            a = a * x[1]
        else:
            a.append(a[0] * x[2])
        a, b = b, a
    return a * sum(b)


def swapped_dict(x):
    a, b = x[0] * x[1], {"u": x[1]}
    s = 0.0
    for _ in range(3):
        if isinstance(a, dict):
            a["u"] = a["u"] * x[0]
            s += a["u"]
        else:
            s += a * x[2]
        a, b = b, a
    return s


class Holder:
    def __init__(self, v):
        self.v = v


def swapped_object(x):
    a, b = x[0] * x[1], Holder(x[1])
    s = 0.0
    for _ in range(3):
        if isinstance(a, Holder):
            a.v = a.v * x[0]
            s += a.v
        else:
            s += a * x[2]
        a, b = b, a
    return s


def both_in_a_list(x):
    items = [x[0], [x[1], x[2]], x[2] * x[1]]
    s = 0.0
    for _ in range(3):
        for item in items:
            if isinstance(item, list):
                item[0] = item[0] * item[1]
                s += item[0]
            else:
                s += item * x[0]
    return s


def moved_between_places(x):
    items = [x[0], [x[1], x[2]], x[2] * x[1]]
    s = 0.0
    while len(items) > 1:
        item = items.pop(0)
        if isinstance(item, list):
            item[0] = item[0] * item[1]
            s += item[0]
            items.append(s * x[0])
            items.insert(0, item[0])
            items[-1], items[0] = items[0], items[-1]
        else:
            s += item * x[0]
    return s


def both_in_a_dict(x):
    d = {"a": x[0], "b": [x[1]], "c": x[2]}
    s = 0.0
    for _ in range(2):
        for key, v in d.items():
            if isinstance(v, list):
                v.append(v[-1] * x[0])
                s += sum(v)
            else:
                s += v * s + v
                d[key] = v * x[1]
    return s


@where_kinds_are_known
@pytest.mark.parametrize("f", [swapped_list, list_that_grows, swapped_dict, swapped_object, both_in_a_list,
                               moved_between_places, both_in_a_dict])
def test_a_number_or_a_container_that_changes(f, options):
    check_program(f, (X,), (0,), **options)


def number_or_array(x):
    a, b, c = x[0], x * x, x[1]
    s = 0.0
    for _ in range(5):
        if isinstance(a, np.ndarray):
            a[0] = a[0] * 2 * x[1]
            s = s + a[0] * a[1]
        else:
            s += a * 1.5 * x[2]
        a, b, c = b, c, a * x[0]
    return s + np.sum(a) + np.sum(b) * np.sum(c)


@each_way
def test_a_number_that_is_swapped_with_an_array_that_is_written(options):
    check_program(number_or_array, (X,), (0,), **options)


# ---------------------------------------------------------------- no `else` after a jump out of the body

def continued(x):
    s = 0.0
    for k in range(3):
        try:
            continue
        except ValueError:
            pass
        else:
            s += x[k]
        finally:
            s += 2.0 * x[0]
    return s * s


def continued_inside(x):
    s = x[0]
    for k in range(3):
        try:
            try:
                if k == 1:
                    continue
                s *= x[1]
            except IndexError:
                s += 1
            else:
                s += x[2]
        except ValueError:
            s *= 2
        else:
            s *= 3 * x[0]
    return s * x[0]


def returned(x):
    s = x[0]
    try:
        return s * x[1]
    except ValueError:
        pass
    else:
        s += x[2]
    return s * x[0]


@each_way
@pytest.mark.parametrize("f", [continued, continued_inside, returned])
def test_the_else_of_a_try_whose_body_is_left(f, options):
    check_core_form(f, [(X,)])
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- functions in statements that are written twice

def function_after_an_exit(x):
    s = x[0]
    for k in range(3):
        if s > 10.0:
            break
        s = s + x[k]
    else:
        if s < -5.0:
            return s * s

    def blend(u, scale=0.3):
        if np.sum(u) > 0.9:
            return u * scale + s
        return u - x[-1] * scale
    y = blend(x * x)
    return np.sum(y * y) + s


@each_way
def test_a_function_that_is_made_after_an_early_return(options):
    check_program(function_after_an_exit, (X,), (0,), **options)
