"""What torch has under `torch.func`: derivatives as functions of functions, and functions over batches."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from srcgrad.eager.autograd import functional
from srcgrad.eager.autograd.calls import grad as _grad
from srcgrad.eager.engine import reached
from srcgrad.eager.graph import edge_of
from srcgrad.eager.joining import stack
from srcgrad.eager.tensor import Tensor
from srcgrad.runtime.modes import enable_grad, mode

__all__ = ["functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"]


def _tree(f: Callable[[Any], Any], x: Any) -> Any:
    """`f` of all tensors in tuples, lists and dictionaries."""
    if isinstance(x, Tensor):
        return f(x)
    if isinstance(x, dict):
        return {key: _tree(f, item) for key, item in x.items()}
    if isinstance(x, (tuple, list)):
        found = [_tree(f, item) for item in x]
        return type(x)(*found) if hasattr(x, "_fields") else type(x)(found)
    return x


def _leaves(x: Any) -> list[Tensor]:
    found: list[Tensor] = []
    _tree(found.append, x)
    return found


def _fresh(t: Tensor) -> Tensor:
    """The tensor to differentiate by: joined to the caller's graph if it is in one."""
    if t.requires_grad and mode.grad:
        return t.view_as(t)
    return t.detach().requires_grad_()


def grad_and_value(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives the gradient by an argument (or by several), and the value."""
    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        wanted = argnums if isinstance(argnums, tuple) else (argnums,)
        with enable_grad():
            given = list(args)
            for k in wanted:
                given[k] = _tree(_fresh, args[k])
            found = func(*given, **kwargs)
            value, aux = found if has_aux else (found, None)
            if not isinstance(value, Tensor) or value.dim() != 0:
                what = f"tensor with {value.dim()} dims" if isinstance(value, Tensor) else type(value).__name__
                raise RuntimeError(f"Expected f(*args) to return a scalar tensor, got {what}.")
            leaves = [_leaves(given[k]) for k in wanted]
            flat = [t for part in leaves for t in part]
            gradients = iter(_grad(value, flat, create_graph=True, materialize_grads=True) if value.requires_grad
                             else [t * 0 for t in flat])
        result = tuple(_tree(lambda _: _freed(next(gradients), flat), given[k]) for k in wanted)
        first = result if isinstance(argnums, tuple) else result[0]
        shown = _freed(value, flat)
        return (first, (shown, aux)) if has_aux else (first, shown)
    return called


def _freed(t: Tensor, own: list[Tensor]) -> Tensor:
    """A result, cut off the graph unless that leads further than to the tensors that were differentiated by."""
    if not t.requires_grad:
        return t
    root = edge_of(t)
    leaves = [root] if root._kind == 1 else [e for node in reached([root]) for e in node.edges
                                             if e is not None and e._kind == 1]
    return t if mode.grad and any(all(leaf is not o for o in own) for leaf in leaves) else t.detach()


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives the gradient by an argument, or by several.

    >>> import srcgrad.eager as torch
    >>> torch.func.grad(lambda x: x ** 3)(torch.tensor(2.0))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found
    return called


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The value, and the function that multiplies a vector with the Jacobian."""
    with enable_grad():
        given = tuple(_tree(_fresh, p) for p in primals)
        found = func(*given)
    value, aux = found if has_aux else (found, None)

    def pull(*cotangents: Any) -> Any:
        outs, seeds = _leaves(value), _leaves(cotangents)
        flat = _leaves(given)
        gradients = iter(_grad(outs, flat, seeds, retain_graph=True, create_graph=mode.grad, materialize_grads=True))
        return _tree(lambda _: _freed(next(gradients), flat), given)
    shown = _tree(lambda t: _freed(t, _leaves(given)), value)
    return (shown, pull, aux) if has_aux else (shown, pull)


def jvp(func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    """The value, and the product of the Jacobian with the tangents."""
    return functional.jvp(func, primals, tangents)


def jacrev(func: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The function that gives the Jacobian by an argument."""
    @functools.wraps(func)
    def called(*args: Any) -> Any:
        def of(x: Any) -> Any:
            return func(*args[:argnums], x, *args[argnums + 1:])
        return functional.jacobian(of, args[argnums], create_graph=args[argnums].requires_grad)
    return called


jacfwd = jacrev


def hessian(func: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The function that gives the second derivatives by an argument."""
    return jacrev(jacrev(func, argnums), argnums)


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: int = 0, randomness: str = "error",
         chunk_size: int | None = None) -> Callable[..., Any]:
    """The function over a batch: one call for each part, the results stacked."""
    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        sizes = {t.shape[d] for x, d in zip(args, dims) if d is not None for t in _leaves(x)}
        if len(sizes) != 1:
            raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                             f"{sorted(sizes)} for the mapped dimension" if sizes else
                             "vmap: at least one input must be mapped over")
        rows = [func(*(_part(x, d, k) for x, d in zip(args, dims)), **kwargs) for k in range(sizes.pop())]
        return _stacked(rows, out_dims)
    return called


def _part(x: Any, dim: int | None, k: int) -> Any:
    """What one call gets of an argument."""
    return x if dim is None else _tree(lambda t: t.select(dim, k), x)


def _stacked(rows: list[Any], dim: int) -> Any:
    first = rows[0]
    if isinstance(first, Tensor):
        return stack(rows, dim)
    if isinstance(first, dict):
        return {key: _stacked([row[key] for row in rows], dim) for key in first}
    if isinstance(first, (tuple, list)):
        return type(first)(_stacked(list(column), dim) for column in zip(*rows))
    raise ValueError(f"vmap: must return only Tensors, got type {type(first)}. Did you mean to set out_dims= to None "
                     "for output?")


def functional_call(module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: Any = None) -> Any:
    """The module's call with other tensors in place of its parameters and buffers."""
    given: dict[str, Any] = {}
    many = parameter_and_buffer_dicts if isinstance(parameter_and_buffer_dicts, (tuple, list)) \
        else (parameter_and_buffer_dicts,)
    for part in many:
        given.update(part)
    places = []
    for path, value in given.items():
        owner, _, name = path.rpartition(".")
        home = module.get_submodule(owner)
        kind = home._parameters if name in home._parameters else home._buffers
        places.append((kind, name, kind[name]))
        kind[name] = value
    try:
        return module(*(args if isinstance(args, tuple) else () if args is None else (args,)), **(kwargs or {}))
    finally:
        for kind, name, old in places:
            kind[name] = old
