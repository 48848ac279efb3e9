"""What is known where ways meet: containers of which some may hold what is told apart only when the program runs,
dicts with other keys, steps of a `try`, statements that are rewritten anew in each round of a loop."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from harness import as_tuple, compare, derivative, differences

MODES = [{}, {"plain": True}, {"general": True}, {"checked": True}]


class Pair:
    def __init__(self, v, n=2.0):
        self.v = v
        self.n = n

    @property
    def size(self):
        return self.n * np.sum(self.v)


def last(items, depth):
    if depth == 0 or items:
        return 2.0
    return last(items[1:], depth)


def exact_dict_meets_another(x):
    a, b = x, x.copy()
    parts = [x > 2.0, a]
    table = {"p": b, "q": a}
    for _ in range(1):
        table = {**table, "u": b}
    return np.sum(table["p"]) * last(parts, 1)


def object_made_in_a_try(x):
    o = Pair(x, x)
    try:
        o = Pair(4, 2.0)
        while x[0] < 3.0:
            return np.sum(x) + o.size
    except (IndexError, ValueError):
        pass
    return x[0]


def object_changed_in_a_try(x):
    o = Pair(x, x[0])
    try:
        o = Pair(4, x[1])
        if x[0] < 0.0:
            raise ValueError
        return np.sum(x) + o.size
    except (IndexError, ValueError):
        o.n = o.n * 3.0
    return x[0] * o.size


def dict_of_other_keys(x):
    table = {"a": x, "b": x * 2} if x[0] > 0 else {"a": x, "c": x}
    return sum(np.sum(v * v) for v in table.values()) + np.sum(table["a"]) + len(table)


def key_that_may_be_there(x):
    table = {"a": x}
    if x[0] > 0:
        table["b"] = x * 3
    if "b" in table:
        return np.sum(table["b"] * table["a"])
    return np.sum(table.get("b", x))


def dict_comprehension_in_a_handler(x):
    table = {"p": x * 2.0, "q": np.sin(x)}
    for v in x:
        try:
            if v < 0.1:
                raise ValueError
            table["p"] = table["p"] * v
        except IndexError:
            break
        except ValueError:
            table = {key: part * 0.74 for key, part in table.items()}
    for key, part in list(table.items()):
        if key == "q":
            table[key] = part * x[1]
    return np.sum(table["p"]) + np.sum(table["q"] ** 2)


def values_taken_from_one_of_two_dicts(x):
    table = {"a": x, "b": x * 2} if x[0] > 0 else {"a": x, "c": x}
    table = {k: v * 2.0 for k, v in table.items()}
    return np.sum(table["a"]) + np.sum(table.pop("b", np.zeros(3)) ** 2)


def tuple_of_two_lengths(x):
    parts = (x[0], x[1])
    if x[0] > 0:
        parts = (x[0], x[1] * x[0], x[2])
    return sum(parts)


def key_added_by_an_update(x):
    state = {"p": x, "q": x * 2.0}
    for i in range(3):
        state = {**state, "u": x * i + state["p"]}
    return sum(np.sum(v * v) for v in state.values())


def key_added_on_one_way(x):
    state = {"p": x, "q": x * 2.0}
    if x[0] > 0.1:
        state = {**state, "u": x * 3}
    more = {**state, "w": x * state["p"]}
    return sum(np.sum(v * v) for v in more.values())


def keys_added_until(x):
    state = {"p": x, "q": x * 2.0}
    while len(state) < 4:
        state = {**state, f"u{len(state)}": x * state["q"]}
    return sum(np.sum(v * v) for v in state.values())


def key_taken_out_between_updates(x):
    state = {"p": x, "q": x * 2.0}
    for i in range(3):
        state = state | {"u": x * i}
        if x[i] > 0.1:
            state.pop("p", None)
    return sum(np.sum(v * v) for v in state.values())


def updated_state(x):
    state = {"p": x, "v": x * 2.0, "n": 0}
    for _ in range(3):
        state = {**state, "p": state["p"] + 0.1 * state["v"], "n": state["n"] + 1}
    return np.sum(state["p"] ** 2) * state["n"]


def state_updated_in_two_steps(x):
    state = {"p": x, "v": np.zeros_like(x)}
    for _ in range(3):
        state = {**state, "v": state["v"] - x[0] * state["p"]}
        state = {**state, "p": state["p"] + 0.1 * state["v"]}
    return np.sum(state["p"] ** 2)


PROGRAMS = [exact_dict_meets_another, object_made_in_a_try, object_changed_in_a_try, dict_of_other_keys,
            key_that_may_be_there, dict_comprehension_in_a_handler, values_taken_from_one_of_two_dicts,
            tuple_of_two_lengths, key_added_by_an_update, key_added_on_one_way, keys_added_until,
            key_taken_out_between_updates, updated_state, state_updated_in_two_steps]


@pytest.mark.parametrize("options", MODES, ids=str)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Callable, options: dict[str, bool]) -> None:
    gradient = derivative(f, (0,), **options)
    for x in (np.array([0.78, 0.5, 0.58]), np.array([-0.78, 0.5, 0.05])):
        compare(as_tuple(gradient(x.copy()), (0,)), differences(f, (x,), (0,)))


def test_a_state_that_keeps_its_keys_is_a_name_for_each() -> None:
    text = derivative(updated_state, (0,)).source(np.ones(3))
    assert "other keys" not in text
    assert "dict" not in text and "add_at" not in text and "state_v_bar" in text
