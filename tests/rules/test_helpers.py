"""The array helpers by themselves: shapes and types at the edges, and their examples."""
from __future__ import annotations

import doctest
import importlib

import numpy as np
import pytest

from srcgrad.runtime.arrays import cast, expand_reduced, one_if_zero, reduced_size, unbroadcast
from srcgrad.runtime.layout import getitem_adjoint, inverse_axes, nested_shapes, unnest

MODULES = ["runtime.arrays", "runtime.reductions", "runtime.products", "runtime.layout", "runtime.decompositions",
           "rules.registry", "rules.slicing", "rules.spellings", "rules.nondifferentiable"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples(name):
    result = doctest.testmod(importlib.import_module(f"srcgrad.{name}"))
    assert result.attempted and not result.failed


@pytest.mark.parametrize("given, shape", [
    ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (1, 3)), ((2, 3), (2, 1)), ((2, 3), (1,)), ((2, 3), ()), ((0, 3), (3,)),
    ((0, 3), ()), ((4, 2, 3), (2, 1)), ((1, 3), (3,)), ((1,), (1,)), ((), ()), ((0,), (1,))])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_unbroadcast_is_the_transpose_of_broadcasting(given, shape, dtype):
    rng = np.random.default_rng(0)
    g, x = rng.normal(size=given).astype(dtype), rng.normal(size=shape).astype(dtype)
    back = unbroadcast(g, shape)
    assert np.shape(back) == shape and back.dtype == dtype
    np.testing.assert_allclose(np.sum(back * x), np.sum(g * np.broadcast_to(x, given)), rtol=1e-4, atol=1e-5)


def test_unbroadcast_to_a_number_gives_a_number():
    for g in (2.0, np.float64(2.0), np.array(2.0), np.ones(2), np.ones((1, 2))):
        assert not isinstance(unbroadcast(g, ()), np.ndarray) and unbroadcast(g, ()) == 2.0


def test_unbroadcast_keeps_what_has_the_shape_already():
    g = np.ones((2, 3))
    assert unbroadcast(g, (2, 3)) is g


@pytest.mark.parametrize("axis, keepdims, shape", [
    (None, False, ()), (None, True, (1, 1, 1)), (0, False, (3, 4)), (-1, False, (2, 3)), (1, True, (2, 1, 4)),
    ((0, 2), False, (3,)), ((-1, 0), True, (1, 3, 1))])
def test_expand_reduced(axis, keepdims, shape):
    g = np.arange(1.0, 1.0 + np.prod(shape, dtype=int)).reshape(shape)
    full = expand_reduced(g, (2, 3, 4), axis, keepdims)
    assert full.shape == (2, 3, 4) and not full.flags.writeable
    np.testing.assert_array_equal(np.mean(full, axis=axis, keepdims=keepdims), g)


def test_a_reduction_of_a_number():
    assert expand_reduced(2.0, (), None, False) == 2.0 and reduced_size((), None) == 1 and reduced_size((), 0) == 1


def test_nothing_divides_by_an_empty_mean():
    assert reduced_size((0, 3), None) == 1 and reduced_size((0, 3), 0) == 1 and reduced_size((0, 3), 1) == 3


@pytest.mark.parametrize("g, dtype, want", [
    (1.5, np.float32, np.float32(1.5)), (2 + 3j, np.float64, np.float64(2.0)),
    (np.array([1, 2]), np.int64, np.array([1.0, 2.0])),
    (np.array(2 + 3j), np.complex64, np.array(2 + 3j, np.complex64)), (True, np.bool_, np.float64(1.0))])
def test_cast(g, dtype, want):
    got = cast(g, dtype)
    assert type(got) is type(want) and got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_one_if_zero_keeps_the_type():
    assert one_if_zero(np.float32([0, 2])).dtype == np.float32
    np.testing.assert_array_equal(one_if_zero(np.array([0.0, -0.0, 2.0])), [1.0, 1.0, 2.0])


def test_repeated_indices_add_up_and_masks_do_not_copy_twice():
    index = (np.array([0, 0, 1]), slice(None))
    np.testing.assert_array_equal(getitem_adjoint(np.ones((3, 2)), (2, 2), index), [[2.0, 2.0], [1.0, 1.0]])
    np.testing.assert_array_equal(getitem_adjoint(np.ones(1), (2,), np.array([False, True])), [0.0, 1.0])
    np.testing.assert_array_equal(getitem_adjoint(np.ones(2), (2,), [True, True]), [1.0, 1.0])
    np.testing.assert_array_equal(getitem_adjoint(3.0, (2,), -1), [0.0, 3.0])


def test_inverse_axes_undoes_a_transposition():
    for axes in ((2, 0, 1), [-1, 0, 1], (0, 1, 2)):
        assert np.zeros((2, 3, 4)).transpose(axes).transpose(inverse_axes(axes)).shape == (2, 3, 4)
    assert inverse_axes(None) is None


def test_nested_lists_come_back_as_they_were():
    nested = [[1.0, np.ones(())], (2.0, 3.0)]
    assert unnest(np.array(nested), nested_shapes(nested)) == [[1.0, 1.0], [2.0, 3.0]]
    assert unnest(np.zeros((0, 2)), nested_shapes([])) == []
