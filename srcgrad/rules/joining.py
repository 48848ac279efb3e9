"""Making arrays: of other arrays, of nested lists, of numbers; and taking them apart again."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import shapes, unbroadcast
from srcgrad.runtime.layout import (
    append_adjoint,
    column_stack_adjoint,
    dstack_adjoint,
    hstack_adjoint,
    join_like,
    linspace_adjoint,
    nested_shapes,
    split_like,
    unnest,
    unstack,
    vstack_adjoint,
)


@rule(np.concatenate, jointly_linear=True, linear_in=("arrays",))
def concatenate(out_bar, out, arrays, axis=0):
    arrays_bar = split_like(out_bar, shapes(arrays), axis)
    return arrays_bar


@rule(np.stack, jointly_linear=True, linear_in=("arrays",))
def stack(out_bar, out, arrays, axis=0):
    arrays_bar = unstack(out_bar, axis)
    return arrays_bar


@rule(np.vstack, jointly_linear=True, linear_in=("tup",))
def vstack(out_bar, out, tup):
    tup_bar = vstack_adjoint(out_bar, shapes(tup))
    return tup_bar


@rule(np.hstack, jointly_linear=True, linear_in=("tup",))
def hstack(out_bar, out, tup):
    tup_bar = hstack_adjoint(out_bar, shapes(tup))
    return tup_bar


@rule(np.column_stack, jointly_linear=True, linear_in=("tup",))
def column_stack(out_bar, out, tup):
    tup_bar = column_stack_adjoint(out_bar, shapes(tup))
    return tup_bar


@rule(np.dstack, jointly_linear=True, linear_in=("tup",))
def dstack(out_bar, out, tup):
    tup_bar = dstack_adjoint(out_bar, shapes(tup))
    return tup_bar


@rule(np.append, jointly_linear=True, linear_in=("arr", "values"))
def append(out_bar, out, arr, values, axis=None):
    arr_bar = append_adjoint(out_bar, (np.shape(arr), np.shape(values)), axis, 0)
    values_bar = append_adjoint(out_bar, (np.shape(arr), np.shape(values)), axis, 1)
    return arr_bar, values_bar


@rule(np.split, np.array_split, jointly_linear=True, linear_in=("ary",))
def split(out_bar, out, ary, indices_or_sections, axis=0):
    ary_bar = join_like(out_bar, shapes(out), axis)
    return ary_bar


@rule(np.vsplit, jointly_linear=True, linear_in=("ary",))
def vsplit(out_bar, out, ary, indices_or_sections):
    ary_bar = join_like(out_bar, shapes(out), 0)
    return ary_bar


@rule(np.array, jointly_linear=True, linear_in=("object",))
def array(out_bar, out, object, copy=True, order="K", subok=False):
    object_bar = unnest(out_bar, nested_shapes(object))
    return object_bar


@rule(np.asarray, np.asanyarray, jointly_linear=True, linear_in=("a",))
def asarray(out_bar, out, a, order=None, copy=None):
    a_bar = unnest(out_bar, nested_shapes(a))
    return a_bar


@rule(np.ascontiguousarray, np.asfortranarray, jointly_linear=True, linear_in=("a",))
def ascontiguousarray(out_bar, out, a):
    a_bar = unnest(out_bar, nested_shapes(a))
    return a_bar


@rule(np.copy, jointly_linear=True, linear_in=("a",))
def copy(out_bar, out, a, order="K", subok=False):
    a_bar = unnest(out_bar, nested_shapes(a))
    return a_bar


@rule(np.full, jointly_linear=True, linear_in=("fill_value",))
def full(out_bar, out, shape, fill_value, order="C"):
    fill_value_bar = unbroadcast(out_bar, np.shape(fill_value))
    return fill_value_bar


@rule(np.full_like, jointly_linear=True, linear_in=("fill_value",))
def full_like(out_bar, out, a, fill_value, order="K", subok=True):
    fill_value_bar = unbroadcast(out_bar, np.shape(fill_value))
    return fill_value_bar


@rule(np.linspace, jointly_linear=True, linear_in=("start", "stop"), only={"retstep": (False,)})
def linspace(out_bar, out, start, stop, num=50, endpoint=True, retstep=False, axis=0):
    start_bar = linspace_adjoint(out_bar, np.shape(start), num, endpoint, axis, False)
    stop_bar = linspace_adjoint(out_bar, np.shape(stop), num, endpoint, axis, True)
    return start_bar, stop_bar
