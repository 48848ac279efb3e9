"""Adjoints of structures, gradients with the argument's classes, copies that keep layout and sharing."""
from __future__ import annotations

import logging
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace

import numpy as np
import pytest

from srcgrad.errors import AliasError, ArgumentError
from srcgrad.runtime import structure

Pair = namedtuple("Pair", "a b")


@dataclass(frozen=True)
class Frozen:
    w: np.ndarray
    name: str = "layer"

    def __post_init__(self):
        assert self.name == "layer", "a gradient is made without running this"


class Slotted:
    __slots__ = ("x", "__hidden")

    def __init__(self, x):
        self.x, self.__hidden = x, 2.0

    def hidden(self):
        return self.__hidden


class Colour(Enum):
    RED = 1.0


# ---------------------------------------------------------------- adjoints

@pytest.mark.parametrize("x, zero", [
    (2.0, 0.0), (3, 0.0), (1j, 0j), (True, None), (None, None), ("relu", None), (np.sin, None), (Colour.RED, None),
    (np.float32(2), np.float32(0)), (np.int64(2), np.float64(0)), (np.bool_(True), None),
    ((1.0, [2.0]), [0.0, [0.0]]), ({"a": 1.0, "b": "s"}, {"a": 0.0, "b": None}), (Pair(1.0, 2), [0.0, 0.0]),
    (SimpleNamespace(w=1.0), {"w": 0.0}), (Slotted(1.0), {"x": 0.0, "_Slotted__hidden": 0.0}),
    (logging.getLogger(), None)])
def test_zero_adjoint(x, zero):
    found = structure.zeros_like(x)
    assert found == zero
    assert type(found) is type(zero)


def test_zero_adjoint_of_arrays_has_floating_dtype_and_layout():
    fortran = np.ones((3, 4), np.float32, order="F")
    zero = structure.zeros_like(fortran)
    assert zero.dtype == np.float32 and zero.flags.f_contiguous and not zero.any()
    assert structure.zeros_like(np.arange(3)).dtype == np.float64
    assert structure.zeros_like(np.array([True])) is None


def test_zero_adjoint_of_a_cycle_ends():
    x = SimpleNamespace(w=1.0)
    x.me = x
    assert structure.zeros_like(x) == {"w": 0.0, "me": None}


@pytest.mark.parametrize("a, b, total", [
    (None, 2.0, 2.0), (2.0, None, 2.0), (1.0, 2.0, 3.0), ([1.0, None], [None, 4.0], [1.0, 4.0]),
    ({"a": 1.0}, {"a": 2.0, "b": 3.0}, {"a": 3.0, "b": 3.0}), ([1.0], [1.0, 2.0], [2.0, 2.0]),
    ([1.0, 2.0], np.array([1.0, 1.0]), [2.0, 3.0]), ([[1.0], {"k": 1.0}], [[2.0], {"k": 2.0}], [[3.0], {"k": 3.0}])])
def test_add(a, b, total):
    assert structure.add(a, b) == total


def test_add_changes_neither():
    a, b = [np.ones(2)], [np.ones(2)]
    structure.add(a, b)[0][:] = 7.0
    assert (a[0] == 1.0).all() and (b[0] == 1.0).all()


def test_add_at():
    bar = np.zeros((2, 3))
    structure.add_at(bar, (0, slice(1, None)), 2.0)
    structure.add_at(bar, ([1, 1], [0, 0]), np.array([1.0, 2.0]))
    structure.add_at(bar, bar > 2.5, 1.0)
    structure.add_at(bar, 0, None)
    np.testing.assert_array_equal(bar, [[0, 2, 2], [4, 0, 0]])
    items, table = [None, 1.0], {}
    structure.add_at(items, 0, 3.0)
    structure.add_at(items, 1, 3.0)
    structure.add_at(table, "k", 3.0)
    assert items == [3.0, 4.0] and table == {"k": 3.0}


# ---------------------------------------------------------------- gradients

def test_gradient_has_classes_and_fields_of_the_argument():
    x = Pair(Frozen(np.ones(2, np.float32)), OrderedDict(k=[1, 2.0, None, True]))
    g = structure.gradient(x, [{"w": 2.0}, {"k": [1.0, 2.0, None, None]}])
    assert type(g) is Pair and type(g.a) is Frozen and type(g.b) is OrderedDict
    assert g.a.w.dtype == np.float32 and g.a.w.tolist() == [2.0, 2.0] and g.a.name is None
    assert g.b["k"] == [1.0, 2.0, None, None] and type(g.b["k"][0]) is float


def test_gradient_of_other_containers():
    counts = defaultdict(float, a=1.0)
    g = structure.gradient(counts, {"a": 3.0})
    assert type(g) is defaultdict and g == {"a": 3.0} and counts == {"a": 1.0}
    slotted = structure.gradient(Slotted(1.0), {"x": 2.0})
    assert slotted.x == 2.0 and slotted.hidden() == 0.0
    loop = SimpleNamespace(w=1.0)
    loop.me = loop
    g = structure.gradient(loop, {"w": 2.0})
    assert g.w == 2.0 and g.me is g


@pytest.mark.parametrize("x, bar, expected", [
    (1.0, np.float64(2), 2.0), (1, 2.0, 2.0), (1.0, None, 0.0), (np.float64(1), 2.0, np.float64(2)),
    (np.float32(1), 2.0, np.float32(2)), (np.int32(1), 2.0, np.float64(2)), (1j, 2.0, 2 + 0j), (1.0, 2 + 1j, 2.0),
    (True, 1.0, None), ("s", None, None), (1.0, np.array(2.0), 2.0)])
def test_gradient_of_numbers(x, bar, expected):
    found = structure.gradient(x, bar)
    assert found == expected and type(found) is type(expected)


def test_gradient_of_arrays_is_fresh_whole_and_writable():
    x = np.ones((2, 3), np.float32)
    bar = np.ones((2, 3))
    broadcast = np.broadcast_to(np.float32(2), (2, 3))
    for given in (bar, broadcast, 2.0, None, x):
        g = structure.gradient(x, given)
        assert g.shape == (2, 3) and g.dtype == np.float32 and g.flags.writeable
        assert not any(np.shares_memory(g, other) for other in (x, bar, broadcast))
    assert structure.gradient(np.arange(3), 1.0).dtype == np.float64
    assert structure.gradient(np.array(1.0), 3.0).shape == ()
    assert structure.gradient(x, np.full((2, 3), 1 + 2j)).tolist() == [[1.0] * 3] * 2


def test_an_owned_adjoint_is_the_gradient_itself_if_it_fits():
    x, bar = np.ones(3), np.ones(3)
    assert structure.gradient(x, bar, owned=True) is bar
    assert structure.gradient(x.astype(np.float32), bar, owned=True) is not bar
    locked = np.broadcast_to(1.0, 3)
    assert structure.gradient(x, locked, owned=True).flags.writeable


def test_equal_adjoints_give_separate_gradients():
    x, bar = np.ones(3), np.ones(3)
    a, b = structure.gradient((x, x), [bar, bar])
    assert not np.shares_memory(a, b)


# ---------------------------------------------------------------- copies

LAYOUTS = [np.arange(12.0).reshape(3, 4)[:, :3], np.arange(12.0)[::-2], np.asfortranarray(np.ones((2, 3))),
           np.broadcast_to(np.arange(3.0), (2, 3)), np.ones((2, 3, 4)).transpose(2, 0, 1), np.zeros((0, 3)),
           np.array(2.0)]


@pytest.mark.parametrize("x", LAYOUTS, ids=range(len(LAYOUTS)))
@pytest.mark.parametrize("copy", [structure.copy_argument, lambda x: structure.copy_argument([x])[0],
                                  lambda x: structure.copy_record((x,))[0]], ids=["alone", "inside", "record"])
def test_copies_keep_values_strides_and_whether_they_may_be_written(x, copy):
    new = copy(x)
    np.testing.assert_array_equal(new, x)
    assert not np.shares_memory(new, x)
    assert new.flags.writeable == x.flags.writeable
    if x.size:
        assert new.strides == x.strides
        assert np.shares_memory(new.reshape(-1), new) == np.shares_memory(x.reshape(-1), x)


@pytest.mark.parametrize("root", [np.arange(12.0).reshape(3, 4), np.asfortranarray(np.ones((3, 4))),
                                  np.ones((4, 3, 2)).copy().transpose(1, 0, 2).copy(order="K"),
                                  np.frombuffer(bytearray(96)).reshape(3, 4)])
def test_views_follow_their_storage_into_the_copy(root):
    views = {"all": root, "part": root[1:, ::-1], "flat": root.ravel(order="K")[:5], "again": root}
    new = structure.copy_argument(views)
    new["part"][...] = 50.0
    new["flat"] += 1.0
    expected = {key: view.copy() for key, view in views.items()}
    replay = structure.copy_argument(views)["all"]      # the same writes, on views made of one array
    replay[1:, ::-1][...] = 50.0
    replay.ravel(order="K")[:5] += 1.0
    np.testing.assert_array_equal(new["all"], replay)
    assert new["again"] is new["all"]
    for key, view in views.items():
        np.testing.assert_array_equal(view, expected[key])


def test_copies_go_through_objects():
    shared = [1.0]
    x = SimpleNamespace(a=shared, b=shared, f=np.sin, log=logging.getLogger())
    x.me = x
    new = structure.copy_argument(x)
    assert new is not x and new.me is new and new.a is new.b is not shared and new.f is np.sin and new.log is x.log
    record = structure.copy_record([x, shared, shared])
    assert record[0].a is record[1] is record[2] is not shared and record[0].me is record[0] and record[0].log is x.log


def test_copy_of_an_argument_copies_what_only_holds():
    names = {"a"}
    new = structure.copy_argument((names, Pair(np.ones(2), 1)))
    new[0].add("b")
    assert names == {"a"} and type(new[1]) is Pair


# ---------------------------------------------------------------- checks

@pytest.mark.parametrize("value", [1.0, 1, np.float32(1), np.array(1.0), np.float64(1)])
def test_real_numbers_are_scalars(value):
    structure.check_scalar(value)


@pytest.mark.parametrize("value, word", [(np.ones(3), r"shape \(3,\)"), (np.ones((1, 1)), "vjp"), (1j, "complex"),
                                         (np.array(1j), "complex"), (None, "None"), ("s", "str"),
                                         ((1.0,), "tuple")])
def test_other_results_are_refused(value, word):
    with pytest.raises(ArgumentError, match=word) as error:
        structure.check_scalar(value)
    assert isinstance(error.value, TypeError) and "vjp" in str(error.value)


def test_arguments_that_share_memory_are_refused_only_where_one_is_written():
    x = np.arange(6.0)
    structure.check_separate({"x": x, "y": x}, written=())
    structure.check_separate({"x": x[::2], "y": x[1::2]}, written=("x",))
    for y in (x[2:], [1, {"k": x[:1]}], SimpleNamespace(w=x)):
        with pytest.raises(AliasError, match="'x' and 'y'"):
            structure.check_separate({"x": x, "y": y}, written=("x",))
    shared = [1.0]
    with pytest.raises(AliasError, match="'a' and 'b'"):
        structure.check_separate({"a": shared, "b": (shared,)}, written=["a"])
