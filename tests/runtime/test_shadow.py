"""The shadow: two arrays overlap in a cell exactly if their adjoints do."""
from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from srcgrad.errors import UnsupportedError
from srcgrad.runtime.shadow import Shadow

ROOTS = [np.arange(24.0).reshape(2, 3, 4), np.asfortranarray(np.ones((4, 6))), np.arange(24.0, dtype=np.float32),
         np.arange(12.0) + 1j, np.frombuffer(bytearray(192)), np.arange(24.0)[::-1].copy()]
VIEWS = [lambda a: a, lambda a: a[..., 1:], lambda a: a[::-1], lambda a: a.T, lambda a: a.ravel(order="K")[3:9:2],
         lambda a: np.lib.stride_tricks.sliding_window_view(a.ravel(order="K"), 3), lambda a: a[..., None][:0],
         lambda a: np.broadcast_to(a, (2, *a.shape))]


@pytest.mark.parametrize("root", ROOTS, ids=range(len(ROOTS)))
def test_views_mirror_their_storage(root):
    """Every cell gets its own number through the root; each view must read the numbers of its own cells."""
    primal, shadow = root.copy(order="K") if root.flags.owndata else root, Shadow()
    cells = np.arange(primal.size, dtype=primal.dtype).reshape(primal.shape)
    views = [view(primal) for view in VIEWS]
    shadow(views[1])
    primal[...] = cells
    shadow(primal)[...] = cells
    for view in views:
        bar = shadow(view)
        assert bar.shape == view.shape and bar.dtype == view.dtype and bar.flags.writeable
        np.testing.assert_array_equal(bar, view)


def test_a_complex_array_and_its_real_part():
    a, shadow = np.zeros(3, complex), Shadow()
    shadow(a.real)[1] = 2.0
    shadow(a.imag)[2] = 3.0
    shadow(a.view(float))[0] = 1.0
    assert shadow(a).tolist() == [1, 2, 3j]


def test_distinct_storages_are_apart():
    a, shadow = np.zeros(3), Shadow()
    shadow(a)[:] = 1.0
    assert shadow(a.copy()).tolist() == [0, 0, 0]


def test_an_id_is_never_taken_over():
    shadow = Shadow()
    for _ in range(50):
        bar = shadow(np.zeros(3))
        assert not bar.any()
        bar += 1.0


def test_pop_ends_a_storage():
    a, shadow = np.zeros(3), Shadow()
    shadow(a[1:])[:] = 1.0
    bar = shadow.pop(a)
    assert bar.tolist() == [0, 1, 1] and shadow(a).tolist() == [0, 0, 0]
    watched = weakref.ref(a)
    shadow.pop(a)
    del a, bar
    gc.collect()
    assert watched() is None


@pytest.mark.parametrize("view", [
    lambda a: np.broadcast_to(a, (3, *a.shape)), lambda a: np.lib.stride_tricks.sliding_window_view(a, 2),
    lambda a: a[::-1], lambda a: np.broadcast_to(a[::2, None], (3, 4)), lambda a: a[1:3].reshape(1, 2)])
def test_adding_to_a_view_sums_over_cells_that_overlap(view):
    a, shadow = np.zeros(6), Shadow()
    places = view(np.arange(6))
    g = np.random.default_rng(0).standard_normal(places.shape)
    shadow.add(view(a), g)
    shadow.add(view(a), 1.0)
    expected = np.bincount(places.ravel(), (g + 1.0).ravel(), minlength=6)
    np.testing.assert_allclose(shadow(a), expected)


def test_integers_have_no_adjoint_and_objects_are_refused():
    n, shadow = np.arange(3), Shadow()
    shadow(n)[:] = 1.0
    assert shadow(n).tolist() == [0, 0, 0] and shadow(n).dtype == np.float64
    with pytest.raises(UnsupportedError, match="dtype object"):
        shadow(np.array([None]))


def test_memory_that_no_array_owns():
    buffer, shadow = bytearray(64), Shadow()
    whole, part = np.frombuffer(buffer), np.frombuffer(buffer, offset=16)
    shadow(whole)[:] = np.arange(8)
    assert shadow(part).tolist() == [2, 3, 4, 5, 6, 7]
    other = Shadow()
    other(part)
    with pytest.raises(UnsupportedError, match="overlap"):
        other(whole)


def test_containers():
    a, shadow = np.zeros(2), Shadow()
    items = [1.0, a, 2]
    bar = shadow(items)
    assert bar == [0.0, None, 0.0]
    bar[0] += 1.0
    items.append(3.0)
    assert shadow(items) == [1.0, None, 0.0, 0.0] and shadow(items) is bar
    table = {"k": 1.0}
    shadow(table)["k"] = 2.0
    table["new"] = 5.0
    assert shadow(table) == {"k": 2.0, "new": 0.0}
    thing = SimpleNamespace(w=1.0, name="n")
    assert shadow(thing) == {"w": 0.0, "name": None}
    assert shadow.pop(items) is bar and shadow(items) == [0.0, None, 0.0, 0.0]
    with pytest.raises(UnsupportedError, match="float"):
        shadow(1.0)
