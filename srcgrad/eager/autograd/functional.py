"""Whole Jacobians, Hessians and products with them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.autograd.calls import grad
from srcgrad.eager.joining import stack
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.runtime.modes import enable_grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def _tuple(x: Any, name: str, where: str) -> tuple[bool, tuple[Tensor, ...]]:
    whole = isinstance(x, tuple)
    found = x if whole else (x,)
    for i, t in enumerate(found):
        if not isinstance(t, Tensor):
            place = f"Value at index {i} of the {name}" if whole else name
            raise TypeError(f"The {name} given to {where} must be either a Tensor or a tuple of Tensors but the given "
                            f"{place} has type {type(t)}.")
    return whole, tuple(found)


def _fresh(inputs: tuple[Tensor, ...], create_graph: bool) -> tuple[Tensor, ...]:
    """Inputs to differentiate by: with create_graph still joined to the caller's graph."""
    if create_graph:
        return tuple(t.view_as(t) if t.requires_grad else t.detach().requires_grad_() for t in inputs)
    return tuple(t.detach().clone().requires_grad_() for t in inputs)


def _detached(x: Any, create_graph: bool) -> Any:
    if isinstance(x, tuple):
        return tuple(_detached(item, create_graph) for item in x)
    return x if create_graph or x is None else x.detach()


def _packed(x: tuple[Any, ...], whole: bool) -> Any:
    return x if whole else x[0]


def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
             vectorize: bool = False, strategy: str = "reverse-mode") -> Any:
    """The derivatives of all elements of what `func` gives by all elements of the inputs."""
    with enable_grad():
        many_in, xs = _tuple(inputs, "inputs", "jacobian")
        xs = _fresh(xs, create_graph)
        many_out, outs = _tuple(func(*xs), "outputs of the user-provided function", "jacobian")
        rows = tuple(_rows(out, xs, create_graph, strict, i) for i, out in enumerate(outs))
    blocks = tuple(_packed(_detached(row, create_graph), many_in) for row in rows)
    return _packed(blocks, many_out)


def _rows(out: Tensor, xs: tuple[Tensor, ...], create_graph: bool, strict: bool, i: int) -> tuple[Tensor, ...]:
    """The derivatives of one result by each input."""
    if strict and not out.requires_grad:
        raise RuntimeError(f"Output {i} of the user-provided function does not require gradients. The outputs must be "
                           "computed in a differentiable manner from the input when running in strict mode.")
    columns: list[list[Tensor]] = [[] for _ in xs]
    flat = out.reshape(-1)
    for k in range(out.numel()):
        found = grad((flat[k],), xs, retain_graph=True, create_graph=create_graph, allow_unused=True) \
            if out.requires_grad else (None,) * len(xs)
        for column, x, g in zip(columns, xs, found):
            if g is None and strict:
                raise RuntimeError(f"Output {i} of the user-provided function is independent of input "
                                   f"{columns.index(column)}. This is not allowed in strict mode.")
            column.append(wrap(np.zeros(x._a.shape, x._a.dtype)) if g is None else g)
    return tuple(_block(column, out, x) for column, x in zip(columns, xs))


def _block(column: list[Tensor], out: Tensor, x: Tensor) -> Tensor:
    shape = (*out._a.shape, *x._a.shape)
    if not column:
        return wrap(np.zeros(shape, x._a.dtype))
    found: Tensor = stack(column, 0).reshape(shape)
    return found


def _scalar(func: Callable[..., Any], where: str) -> Callable[..., Tensor]:
    def checked(*xs: Tensor) -> Tensor:
        out: Any = func(*xs)
        if isinstance(out, tuple) and len(out) == 1:
            out = out[0]
        if not isinstance(out, Tensor):
            raise RuntimeError(f"The function given to {where} should return a single Tensor")
        if out.numel() != 1:
            raise RuntimeError(f"The Tensor returned by the function given to {where} should contain a single element")
        return out.squeeze()
    return checked


def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
            vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """The second derivatives of a function with one element."""
    many, xs = _tuple(inputs, "inputs", "hessian")
    scalar = _scalar(func, "hessian")

    def gradients(*xs: Tensor) -> Any:
        found = jacobian(scalar, xs, create_graph=True)
        return found if len(xs) > 1 or isinstance(found, tuple) else (found,)
    found = jacobian(gradients, xs, create_graph=create_graph, strict=strict)
    return found if many else found[0][0]


def _direction(v: Any, xs: tuple[Tensor, ...], whole: bool, name: str, where: str) -> tuple[Tensor, ...]:
    if v is None:
        if len(xs) != 1 or xs[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {name} a single Tensor with a single element.")
        return (wrap(np.ones(xs[0]._a.shape, xs[0]._a.dtype)),)
    found = _tuple(v, "v", where)[1]
    if len(found) != len(xs):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(xs)} but got {len(found)}.")
    for i, (a, x) in enumerate(zip(found, xs)):
        if a._a.shape != x._a.shape:
            entry = f"Entry {i} in " if whole else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {x.shape} but got {a.shape}.")
    return found


def _zeros_for(found: Any, xs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(wrap(np.zeros(x._a.shape, x._a.dtype)) if g is None else g for g, x in zip(found, xs))


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """What `func` gives, and the product of `v` with its Jacobian."""
    with enable_grad():
        many_in, xs = _tuple(inputs, "inputs", "vjp")
        xs = _fresh(xs, create_graph)
        many_out, outs = _tuple(func(*xs), "outputs of the user-provided function", "vjp")
        seeds = _direction(v, outs, many_out, "user-provided function returns", "vjp")
        found = _zeros_for(grad(outs, xs, seeds, create_graph=create_graph, allow_unused=True), xs)
    return (_packed(_detached(outs, create_graph), many_out), _packed(_detached(found, create_graph), many_in))


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """What `func` gives, and the product of its Jacobian with `v`: the derivative of `vjp` by its own vector."""
    with enable_grad():
        many_in, xs = _tuple(inputs, "inputs", "jvp")
        xs = _fresh(xs, create_graph)
        along = _direction(v, xs, many_in, "input to the user-provided function is", "jvp")
        many_out, outs = _tuple(func(*xs), "outputs of the user-provided function", "jvp")
        seeds = tuple(wrap(np.zeros(o._a.shape, o._a.dtype)).requires_grad_() for o in outs)
        pulled = _zeros_for(grad(outs, xs, seeds, create_graph=True, allow_unused=True), xs)
        joined = tuple((g, a) for g, a in zip(pulled, along) if g.requires_grad)
        found = grad(tuple(g for g, _ in joined), seeds, tuple(a for _, a in joined), create_graph=create_graph,
                     allow_unused=True) if joined else (None,) * len(seeds)
        found = _zeros_for(found, outs)
    return (_packed(_detached(outs, create_graph), many_out), _packed(_detached(found, create_graph), many_out))


def _second(func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, where: str) -> Any:
    with enable_grad():
        many, xs = _tuple(inputs, "inputs", where)
        xs = _fresh(xs, create_graph)
        along = _direction(v, xs, many, "input to the user-provided function is", where)
        out = _scalar(func, where)(*xs)
        first = _zeros_for(grad(out, xs, create_graph=True, allow_unused=True), xs)
        joined = tuple((g, a) for g, a in zip(first, along) if g.requires_grad)
        found = grad(tuple(g for g, _ in joined), xs, tuple(a for _, a in joined), create_graph=create_graph,
                     allow_unused=True) if joined else (None,) * len(xs)
        second = _zeros_for(found, xs)
    return _detached(out, create_graph), _packed(_detached(second, create_graph), many)


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of `func`, and the product of `v` with its Hessian."""
    return _second(func, inputs, v, create_graph, "vhp")


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of `func`, and the product of its Hessian with `v`, which is the same as that of `v` with it."""
    return _second(func, inputs, v, create_graph, "hvp")
