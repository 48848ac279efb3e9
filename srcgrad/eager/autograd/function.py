"""Functions whose backward the user writes."""
from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from srcgrad.eager.delivery import as_tensor
from srcgrad.eager.graph import FREED, Node, Port, edge_of, sequence
from srcgrad.eager.packing import Packed, hooks, packed
from srcgrad.eager.slices import rebase
from srcgrad.eager.structures import check_version
from srcgrad.eager.tensor import Tensor, _new, twin, wrap
from srcgrad.runtime.modes import enable_grad, mode, no_grad

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx:
    """What `forward` leaves for `backward`; the user's own attributes live here too."""
    _saved: Any = ()
    _versions: tuple[int, ...] = ()
    _node: Any = None
    _dirty: tuple[Tensor, ...] = ()
    _constant: tuple[Tensor, ...] = ()
    _materialize = True
    needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors for `backward`, which finds them in `saved_tensors`."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {tensors.index(t)} is of "
                                f"type {type(t).__name__}")
        self._saved = tensors

    save_for_forward = save_for_backward

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What was saved; raises if it was written in place since, or was freed."""
        if self._saved is None:
            raise RuntimeError(FREED)
        return tuple(self._opened(t, i) for i, t in enumerate(self._saved))

    def _opened(self, t: Any, i: int) -> Any:
        if isinstance(t, Packed):
            return t.open()
        if t is None or not self._versions:
            return t
        check_version(t, self._versions[i], self)
        number = t.__dict__.get("_result_number")
        if number is None:
            return t
        out: Tensor = _new(Tensor)
        out._a, out._vc, node = t._a, t._vc, self._node
        out._fn = node if node is None or node.outputs == 1 else Port(node, number)
        return out

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Says that `forward` changed these arguments in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Says that these results have no gradient."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether gradients of unused results come as zeros (the default) or as None."""
        self._materialize = value


class FunctionNode(Node):
    """The node of a function whose backward the user writes."""
    ctx: FunctionCtx
    function: Any
    results: tuple[tuple[Any, Any] | None, ...] = ()
    arguments: tuple[tuple[Any, Any], ...] = ()
    places: tuple[int, ...] = ()
    saved = True                # in the context

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {hex(id(self))}>"

    def free(self) -> None:
        """Drops what was saved."""
        if self.ctx._saved:
            self.ctx._saved = None

    def _slots(self) -> tuple[Any, ...]:
        edges = iter(self.edges)
        return tuple(next(edges) if needed else None
                     for needed, given in zip(self.ctx.needs_input_grad, self.arguments) if given is not None)

    def __getattr__(self, name: str) -> Any:
        if name != "ctx" and "ctx" in self.__dict__:
            return getattr(self.ctx, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class _Plan:
    """How such a node runs."""
    op = None
    saved = ()

    @staticmethod
    def arrays(node: FunctionNode, out_bar: Any) -> tuple[Any, ...]:
        """The adjoints as arrays, with nothing recorded."""
        with no_grad():
            found = _backward(node, out_bar)
        return tuple(None if g is None else g._a for g in found)

    @staticmethod
    def tensors(node: FunctionNode, out_bar: Any) -> tuple[Any, ...]:
        """The adjoints as tensors, recorded."""
        with enable_grad():
            return _backward(node, out_bar)


def _backward(node: FunctionNode, out_bar: Any) -> tuple[Any, ...]:
    given = iter(out_bar if isinstance(out_bar, list) else [out_bar])
    bars = [None if meta is None else as_tensor(next(given)) for meta in node.results]
    if node.ctx._materialize:
        bars = [wrap(np.zeros(*meta)) if b is None and meta is not None else b for b, meta in zip(bars, node.results)]
    node.ctx._node = node
    try:
        found = node.function.backward(node.ctx, *bars)
    finally:
        node.ctx._node = None
    return _checked(node, found if isinstance(found, tuple) else (found,))


def _checked(node: FunctionNode, found: tuple[Any, ...]) -> tuple[Any, ...]:
    """One gradient an edge, of the argument's shape and type."""
    name, n = type(node).__name__, len(node.arguments)
    while len(found) > n and found[-1] is None:
        found = found[:-1]
    if len(found) != n:
        raise RuntimeError(f"function {name} returned an incorrect number of gradients (expected {n}, got "
                           f"{len(found)})")
    for i, g in enumerate(found):
        if g is not None and node.arguments[i] is None:
            raise RuntimeError(f"function {name} returned a gradient different than None at position {i + 1}, but the "
                               "corresponding forward input was not a Variable")
    return tuple(_fitted(name, i, found[i], *node.arguments[i]) for i in node.places)


def _fitted(name: str, i: int, g: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    if g is None:
        return None
    if not isinstance(g, Tensor):
        raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
    given = g._a.shape
    if given != shape:
        lead = len(given) - len(shape)
        if lead < 0 or any(n not in (1, given[k + lead]) for k, n in enumerate(shape)):
            raise RuntimeError(f"Function {name} returned an invalid gradient at index {i} - got {list(given)} but "
                               f"expected shape compatible with {list(shape)}")
        over = (*range(lead), *(k + lead for k, n in enumerate(shape) if n == 1 and given[k + lead] != 1))
        g = g.sum(over, True).reshape(shape)
    if g._a.dtype != dtype:
        if g._a.dtype.kind == "c" and dtype.kind != "c":
            g = g.real
        g = g.to(dtype)
    return g


class _Meta(type):
    """Names the nodes of each function class."""

    def __init__(cls, name: str, bases: Any, namespace: Any) -> None:
        super().__init__(name, bases, namespace)
        cls._node_class = type(f"{name}Backward", (FunctionNode,), {"__module__": __name__})


class Function(FunctionCtx, metaclass=_Meta):
    """An operation with a forward and a backward of the user's own.

        class Square(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, grad):
                x, = ctx.saved_tensors
                return 2 * x * grad

        y = Square.apply(x)
    """
    _node_class: type[FunctionNode]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
                      "should invoke them on the class itself. Instantiating an autograd function will raise an error "
                      "in the next release.", DeprecationWarning, stacklevel=2)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The value: of (ctx, *args), or of (*args) where `setup_context` is defined."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Saves what backward needs, where `forward` doesn't take the context."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """One gradient for each argument of `forward`, or None."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function to use it with backward mode AD.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Carries the function out."""
        args = _positional(cls, args, kwargs) if kwargs else args
        ctx = _context(cls)
        ctx.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in args)
        with no_grad():
            if cls.setup_context is not Function.setup_context:
                found = cls.forward(*args)
                cls.setup_context(ctx, args, found)
            else:
                found = cls.forward(ctx, *args)
        outs = found if isinstance(found, tuple) else (found,)
        recorded = mode.grad and any(ctx.needs_input_grad)
        if not recorded:
            outs = tuple(_alias(o) if any(o is x for x in args) and not _among(o, ctx._dirty) else o for o in outs)
            return outs if isinstance(found, tuple) else outs[0]
        outs = _recorded(cls, ctx, args, outs)
        return outs if isinstance(found, tuple) else outs[0]


def _positional(cls: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of `forward` by their places."""
    lead = () if cls.setup_context is not Function.setup_context else (None,)
    given = inspect.signature(cls.forward).bind(*lead, *args, **kwargs)
    given.apply_defaults()
    return tuple(given.args[len(lead):])


def _context(cls: Any) -> FunctionCtx:
    """A context on which the class's own helper methods can be called."""
    ctx: FunctionCtx = object.__new__(cls)
    return ctx


def _among(x: Any, tensors: tuple[Any, ...]) -> bool:
    return any(x is t for t in tensors)


def _alias(t: Tensor) -> Tensor:
    """A result that is an argument: a view of it, which must not be written."""
    other = twin(t)
    other._base = t if t._base is None else t._base
    other._of_function = True
    return other


def _recorded(cls: type[Function], ctx: FunctionCtx, args: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    node = cls._node_class()
    node.ctx, node.function, node.plan, node.seq = ctx, cls, _Plan, sequence()
    node.places = tuple(i for i, needed in enumerate(ctx.needs_input_grad) if needed)
    node.edges = tuple(edge_of(args[i]) for i in node.places)
    node.arguments = tuple((x._a.shape, x._a.dtype) if isinstance(x, Tensor) else None for x in args)
    for t in ctx._dirty:
        if t._rg and t._fn is None:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    results = tuple(_alias(o) if isinstance(o, Tensor) and _among(o, args) and not _among(o, ctx._dirty) else o
                    for o in outs)
    tensors = [t for t in results if isinstance(t, Tensor)]
    node.outputs = len(tensors)
    node.results = tuple((t._a.shape, t._a.dtype) if isinstance(t, Tensor) else None for t in results)
    _save(ctx, outs, results, tensors)
    for i, t in enumerate(tensors):
        constant = any(t is c or (c is outs[k] and results[k] is t) for c in ctx._constant for k in range(len(outs)))
        if not constant and t._a.dtype.kind in "fc":
            _place(t, node if node.outputs == 1 else Port(node, i), ctx)
    return results


def _place(t: Tensor, edge: Any, ctx: FunctionCtx) -> None:
    """Gives a result its node; where it is a view that was written, its base gets it."""
    if t._base is not None and _among(t, ctx._dirty):
        out = twin(t)
        out._fn = edge
        rebase(t, out)
        return
    t._fn = edge
    if t._base is not None:
        t._of_function = True


def _save(ctx: FunctionCtx, outs: tuple[Any, ...], results: tuple[Any, ...], tensors: list[Tensor]) -> None:
    """Saved results become twins, so that they don't hold the node that holds them."""
    saved: list[Any] = []
    for t in ctx._saved:
        place = next((k for k, o in enumerate(outs) if o is t), None)
        if t is None or place is None:
            saved.append(t)
            continue
        other = twin(results[place])
        other._result_number = next(i for i, x in enumerate(tensors) if x is results[place])
        saved.append(other)
    ctx._versions = tuple(0 if t is None else t._version for t in saved)
    ctx._saved = packed(tuple(saved), edge_of) if hooks.pairs else tuple(saved)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a backward whose result can't be differentiated again."""
    @functools.wraps(backward)
    def called(ctx: Any, *bars: Any) -> Any:
        recorded = mode.grad and any(isinstance(b, Tensor) and b.requires_grad for b in bars)
        with no_grad():
            found = backward(ctx, *bars)
        if not recorded:
            return found
        whole = found if isinstance(found, tuple) else (found,)
        marked = tuple(_barrier(g, bars) if isinstance(g, Tensor) else g for g in whole)
        return marked if isinstance(found, tuple) else marked[0]
    return called


class _Barrier:
    op = None
    saved = ()

    @staticmethod
    def arrays(node: Any, out_bar: Any) -> NoReturn:
        """Refuses."""
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")
    tensors = arrays


def _barrier(g: Tensor, bars: tuple[Any, ...]) -> Tensor:
    t = twin(g)
    node = Node()
    node.plan, node.seq = _Barrier, sequence()
    node.edges = tuple(e for e in map(edge_of, _tensors(bars)) if e is not None)
    t._fn = node
    return t


def _tensors(xs: tuple[Any, ...]) -> Iterator[Tensor]:
    return (x for x in xs if isinstance(x, Tensor))
