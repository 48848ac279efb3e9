"""Compiled functions on tensors: one node, whose backward is the generated source."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.eager.dtypes import get_default_dtype
from srcgrad.eager.graph import FREED, Node, Port, edge_of, sequence
from srcgrad.eager.structures import SAVED_INFERENCE, check_version
from srcgrad.eager.tensor import INFERENCE, Tensor, wrap
from srcgrad.runtime import tensors
from srcgrad.runtime.modes import enable_grad, mode

__all__ = ["CompiledNode", "carry_out"]

Path = tuple[Any, ...]


# ---------------------------------------------------------------- structures

def _opened(x: Any) -> Any:
    """The same structure with arrays for tensors."""
    if isinstance(x, Tensor):
        return x._a
    if isinstance(x, dict):
        return {k: _opened(v) for k, v in x.items()}
    return _rebuilt(x, map(_opened, x)) if isinstance(x, (list, tuple)) else x


def _rebuilt(x: Any, items: Any) -> Any:
    return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)


def _leaves(x: Any, kinds: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Those of some kinds in a structure, each with the way to it."""
    if isinstance(x, kinds):
        yield path, x
    elif isinstance(x, dict):
        for k, v in x.items():
            yield from _leaves(v, kinds, (*path, k))
    elif isinstance(x, (list, tuple)):
        for k, v in enumerate(x):
            yield from _leaves(v, kinds, (*path, k))


def _at(x: Any, path: Path) -> Any:
    for k in path:
        if x is None:
            return None
        x = x[k]
    return x


def _replaced(x: Any, kinds: Any, new: Iterator[Any]) -> Any:
    """The structure with other leaves, in the same order."""
    if isinstance(x, kinds):
        return next(new)
    if isinstance(x, dict):
        return {k: _replaced(v, kinds, new) for k, v in x.items()}
    return _rebuilt(x, [_replaced(v, kinds, new) for v in x]) if isinstance(x, (list, tuple)) else x


_RESULTS = (np.ndarray, np.floating, np.complexfloating, float, complex)


def _result(x: Any, given: list[np.ndarray]) -> Tensor:
    """A result as a tensor with an array of its own."""
    if isinstance(x, (float, complex)) and not isinstance(x, np.generic):
        return wrap(np.asarray(x, get_default_dtype().numpy if isinstance(x, float) else None))
    a = np.asarray(x)
    return wrap(a.copy() if any(np.may_share_memory(a, b) for b in given) else a)


# ---------------------------------------------------------------- the node

class CompiledNode(Node):
    """A call of a compiled function; `source` is the text that its backward runs."""
    compiled: Any
    primals: tuple[Any, ...] = ()
    pulled: Any = None
    value: Any
    text = ""
    args: tuple[Any, ...] = ()
    inputs: tuple[Tensor, ...] = ()
    places: tuple[int, ...] = ()
    paths: tuple[tuple[int, Path], ...] = ()

    @property
    def source(self) -> str:
        """The generated text: forward and backward."""
        return self.text if self.saved is None else str(self.pullback().source())

    def pullback(self) -> Any:
        """The function from an adjoint of the value to gradients."""
        if self.pulled is None:
            self.pulled = self.compiled.pull(self.primals, self.places)[1]
        return self.pulled

    def free(self) -> None:
        """Drops what was saved."""
        self.text = self.source
        self.saved = self.pulled = self.value = None
        self.args = self.inputs = self.primals = ()

    def check(self) -> None:
        """Raises if an input was written in place since, or if what was saved is gone."""
        if self.saved is None:
            raise RuntimeError(FREED)
        for t, version in zip(self.inputs, self.saved):
            check_version(t, version, self)


class _Plan:
    """How it runs."""
    op = None

    @staticmethod
    def arrays(node: CompiledNode, out_bar: Any) -> tuple[Any, ...]:
        """The gradients by the generated source."""
        node.check()
        found = node.pullback()(_cotangent(node, out_bar))
        return tuple(_gradient(found[i], path) for i, path in node.paths)

    @staticmethod
    def tensors(node: CompiledNode, out_bar: Any) -> tuple[Any, ...]:
        """The gradients as tensors: by a compiled gradient of one number, which is differentiable itself."""
        node.check()
        one = node.outputs == 1 and isinstance(node.value, _RESULTS) and isinstance(out_bar, Tensor)
        if not one or out_bar._a.ndim and not node.compiled.can_weigh:
            raise RuntimeError(f"{node.compiled.name}: gradients of a compiled function can be differentiated again "
                               "only where it gives one number, or one array. Return one, or leave create_graph out.")
        with enable_grad():
            if out_bar._a.ndim:
                found = node.compiled.weighted(out_bar, node.args, node.places)
            else:
                found = tuple(_times(g, out_bar) for g in node.compiled.gradient(node.args, node.places))
        by_place = dict(zip(node.places, found))
        return tuple(_at(by_place[i], path) for i, path in node.paths)


def _times(x: Any, factor: Tensor) -> Any:
    """All tensors of a structure times a number."""
    return _replaced(x, Tensor, iter([leaf * factor for _, leaf in _leaves(x, Tensor)]))


def _cotangent(node: CompiledNode, out_bar: Any) -> Any:
    """The adjoint of the whole value; of results without a gradient it is zero."""
    bars = out_bar if isinstance(out_bar, list) else [out_bar]
    leaves = [leaf for _, leaf in _leaves(node.value, _RESULTS)]
    own = [np.zeros(np.shape(leaf)) if bar is None else np.asarray(bar) for bar, leaf in zip(bars, leaves)]
    return _replaced(node.value, _RESULTS, iter([a if a.ndim else a[()] for a in own]))


def _gradient(found: Any, path: Path) -> Any:
    bar = _at(found, path)
    return None if bar is None else np.asarray(bar)


# ---------------------------------------------------------------- the call

def carry_out(compiled: Any, args: tuple[Any, ...]) -> Any:
    """The function on tensors: recorded as one node if any of them requires a gradient."""
    primals = tuple(map(_opened, args))
    given = [t._a for _, t in _leaves(args, Tensor)]
    paths = tuple((p[0], p[1:]) for p, t in _leaves(args, Tensor) if t.requires_grad)
    if not mode.grad or not paths:
        value = compiled.value(primals, tuple(dict.fromkeys(p[0] for p, t in _leaves(args, Tensor)
                                                            if t._a.dtype.kind in "fc")))
        return _replaced(value, _RESULTS, iter([_result(x, given) for _, x in _leaves(value, _RESULTS)]))
    places = tuple(dict.fromkeys(i for i, _ in paths))
    if compiled.lazy:
        value, pulled = compiled.function(*primals, **compiled.keywords), None
    else:
        value, pulled = compiled.pull(primals, places)
    results = [_result(x, given) for _, x in _leaves(value, _RESULTS)]
    node = type(f"{compiled.name}Backward", (CompiledNode,), {"__module__": __name__})()
    inputs = tuple(t for _, t in _leaves(args, Tensor))
    node.plan, node.seq, node.outputs = _Plan, sequence(), max(1, len(results))
    node.compiled, node.primals, node.pulled, node.value, node.args = compiled, primals, pulled, value, args
    node.inputs, node.places, node.paths = inputs, places, paths
    if any(t._vc is INFERENCE for t in inputs):
        raise RuntimeError(SAVED_INFERENCE)
    node.saved = tuple(t._version for t in inputs)
    node.edges = tuple(edge_of(t) for _, t in _leaves(args, Tensor) if t.requires_grad)
    for k, t in enumerate(results):
        if t._a.dtype.kind in "fc":
            t._fn = node if len(results) == 1 else Port(node, k)
    return _replaced(value, _RESULTS, iter(results))


tensors.register(Tensor, carry_out)
