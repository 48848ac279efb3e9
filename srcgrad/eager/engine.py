"""Backward: nodes in the reverse order of their making, each once, with its complete gradient.

Gradients are arrays; with `create_graph` they are tensors, so that what the nodes compute is recorded itself.
"""
from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager.delivery import (
    accumulate,
    accumulating,
    after,
    hooked,
    own_array,
    run_hooks,
    store_gradient,
)
from srcgrad.eager.graph import ANOMALY, HOOKED, Node, Port, edge_of
from srcgrad.eager.packing import unpacked
from srcgrad.eager.quiet import quiet
from srcgrad.eager.tensor import Tensor, method, wrap
from srcgrad.runtime.modes import enable_grad, no_grad

__all__ = ["backward", "run"]

class Run:
    """One backward pass.

    `wanted` are the edges whose gradients are asked for (None: those of all leaves), found in `captured` at the end.
    `deliver` takes the gradient of a leaf with hooks as soon as it is complete.
    """

    def __init__(self, retain: bool, create: bool, wanted: Sequence[Any] | None,
                 deliver: Callable[[Run, Tensor], None]) -> None:
        self.retain, self.create, self.deliver = retain, create, deliver
        self.missing: dict[Tensor, int] = {}
        self.heap: list[tuple[int, Node]] = []
        self.pending: dict[Node, Any] = {}
        self.leaves: dict[Tensor, Any] = {}
        self.wanted = wanted
        self.captured: dict[Any, Any] = {}
        self.needed: set[Node] | None = None
        self.asked: dict[Node, list[Any]] = {}
        if wanted is not None:
            for edge in wanted:
                if edge._kind != 1:
                    self.asked.setdefault(edge.node, []).append(edge)

    def go(self, roots: Sequence[Any], gradients: Sequence[Any]) -> None:
        """Runs from the roots to the leaves."""
        if self.wanted is not None:
            self.needed = _needed(roots, self.wanted)
        if HOOKED:
            self.missing = _contributions(roots, self.needed)
        watched = bool(self.missing)
        for edge, gradient in zip(roots, gradients):
            self.send(edge, gradient)
        heap, pending, leaves, push = self.heap, self.pending, self.leaves, heapq.heappush
        step = "tensors" if self.create else "arrays"
        while heap:
            node: Node | None = heapq.heappop(heap)[1]
            while node is not None:
                bar = pending.pop(node)
                if node.special or self.wanted is not None:
                    bars = self.carefully(node, bar)
                else:
                    bars = getattr(node.plan, step)(node, bar)
                if node.saved and bars and not self.retain:
                    node.free()
                edges: Sequence[Any] = node.edges
                if node.twice and len(bars) == 2:       # as one term, which is what x * x compiles to
                    edges, bars = edges[:1], (bars[0] + bars[1],)
                following: Node | None = None
                for edge, given in zip(edges, bars):
                    if given is None or edge is None:
                        if watched:
                            self.arrived(edge)
                        continue
                    kind = edge._kind
                    if kind == 0:
                        if edge in pending:
                            pending[edge] = pending[edge] + given
                            continue
                        pending[edge] = given
                        if following is None:
                            following = edge
                        else:
                            push(heap, (-edge.seq, edge))
                    elif kind == 1:
                        leaves[edge] = leaves[edge] + given if edge in leaves else given
                        if watched:
                            self.arrived(edge)
                    else:
                        self.send(edge, given)
                node = following
                if heap and node is not None:       # a chain needs no heap
                    node = heapq.heappushpop(heap, (-node.seq, node))[1]

    def carefully(self, node: Node, bar: Any) -> Any:
        """Runs a node with its hooks; one that no wanted gradient needs isn't run."""
        if node.before is not None or node.retained is not None:
            bar = hooked(node, bar, self.create)
        if node in self.asked:
            self.capture(node, bar)
        if self.needed is not None and node not in self.needed:
            return ()
        saved = node.saved
        if saved.__class__ is tuple:
            node.saved = unpacked(saved)
        try:
            bars = node.plan.tensors(node, bar) if self.create else node.plan.arrays(node, bar)
        except RuntimeError as error:
            if node.trace is not None:
                _report(node, error)
            raise
        finally:
            node.saved = saved
        if node.trace is not None and ANOMALY and ANOMALY[0]:
            _check_numbers(node, bars)
        return after(node, bars, bar, self.create) if node.after else bars

    def send(self, edge: Any, given: Any) -> None:
        """Adds a gradient to what the edge leads to."""
        if edge._kind == 1:
            known = self.leaves.get(edge)
            self.leaves[edge] = given if known is None else known + given
            self.arrived(edge)
            return
        node = edge.node
        new = node not in self.pending
        if node.outputs == 1 and edge._kind == 0:
            self.pending[node] = given if new else self.pending[node] + given
        else:
            slots = self.pending.setdefault(node, [None] * node.outputs)
            number = edge.number if edge._kind == 2 else 0
            slots[number] = given if slots[number] is None else slots[number] + given
        if new:
            heapq.heappush(self.heap, (-node.seq, node))

    def arrived(self, edge: Any) -> None:
        """Counts one contribution to a leaf with hooks, of which the last completes its gradient."""
        if edge in self.missing:
            self.missing[edge] -= 1
            if not self.missing[edge] and edge in self.leaves:
                self.deliver(self, edge)

    def capture(self, node: Node, bar: Any) -> None:
        """Keeps the gradient of a node that is asked for."""
        for edge in self.asked[node]:
            self.captured[edge] = bar[edge.number] if edge._kind == 2 else bar


def _needed(roots: Sequence[Any], wanted: Sequence[Any]) -> set[Node]:
    """The nodes that must run for the gradients of `wanted`: those with a path to one."""
    targets = {e if e._kind == 1 else e.node for e in wanted}
    needed: set[Node] = set()
    for node in sorted(reached(roots), key=lambda n: n.seq):
        below = (e if e._kind == 1 else e.node for e in node.edges if e is not None)
        if any(e in targets or e in needed for e in below):
            needed.add(node)
    return needed


def reached(roots: Sequence[Any]) -> set[Node]:
    """All nodes with a path from the roots."""
    seen: set[Any] = set()
    todo = [e.node for e in roots if e._kind != 1]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [e.node for e in node.edges if e is not None and e._kind != 1]
    return seen


def _contributions(roots: Sequence[Any], needed: set[Node] | None) -> dict[Tensor, int]:
    """How many gradients each leaf with hooks gets in this pass."""
    counts: dict[Tensor, int] = {}
    for node in reached(roots):
        if needed is None or node in needed:
            for edge in node.edges[:1] if node.twice else node.edges:
                if edge is not None and edge._kind == 1 and id(edge) in HOOKED:
                    counts[edge] = counts.get(edge, 0) + 1
    for edge in roots:
        if edge._kind == 1 and id(edge) in HOOKED:
            counts[edge] = counts.get(edge, 0) + 1
    return counts


# ---------------------------------------------------------------- anomalies

def _check_numbers(node: Node, bars: Any) -> None:
    for i, bar in enumerate(bars):
        a = getattr(bar, "_a", bar)
        if a is not None and np.any(np.isnan(a)):
            error = RuntimeError(f"Function '{type(node).__name__}' returned nan values in its {i}th output.")
            _report(node, error)
            raise error


def _report(node: Node, error: Exception) -> None:
    import warnings
    warnings.warn(f"Error detected in {type(node).__name__}. Traceback of forward call that caused the error:\n"
                  f"{''.join(node.trace)}", UserWarning, stacklevel=2)


# ---------------------------------------------------------------- what users call

def run(tensors: Sequence[Tensor], gradients: Sequence[Any], retain: bool | None, create: bool,
        inputs: Sequence[Tensor] | None, store: bool) -> list[Any]:
    """Backward from `tensors`.  With `store` gradients go to `.grad`; else those of the inputs are given back."""
    edges = [_root(t, i) for i, t in enumerate(tensors)]
    seeds = [_seed(t, g, create) for t, g in zip(tensors, gradients)]
    if inputs is not None:
        for t in inputs:
            if not t.requires_grad:
                raise RuntimeError("One of the differentiated Tensors does not require grad")
    wanted = None if inputs is None else [edge_of(t) for t in inputs]
    held = None if inputs is None else set(inputs)

    def deliver(running: Run, leaf: Tensor) -> None:
        if held is not None and leaf not in held:
            return
        if leaf._hooks:
            running.leaves[leaf] = run_hooks(list(leaf._hooks.values()), running.leaves[leaf], create)
        if store:
            store_gradient(leaf, running.leaves.pop(leaf), create)

    pass_ = Run(create if retain is None else retain, create, wanted, deliver)
    with quiet, (enable_grad() if create else no_grad()):
        pass_.go(edges, seeds)
        for leaf in [leaf for leaf, count in pass_.missing.items() if count > 0 and leaf in pass_.leaves]:
            deliver(pass_, leaf)
        return _finish(pass_, inputs, wanted, create, store)


def _finish(pass_: Run, inputs: Any, wanted: Any, create: bool, store: bool) -> list[Any]:
    leaves = pass_.leaves
    if not store:
        return [_given(t, leaves.get(t) if e._kind == 1 else pass_.captured.get(e)) for t, e in zip(inputs, wanted)]
    with accumulating:
        for leaf, bar in leaves.items():
            if inputs is None or any(leaf is t for t in inputs):
                accumulate(leaf, bar, create)
        for t, e in zip(inputs or (), wanted or ()):
            if e._kind != 1 and e in pass_.captured and not t._retained:
                accumulate(t, pass_.captured[e], create)
    return []


def _given(t: Tensor, bar: Any) -> Any:
    """A gradient that `grad` gives back."""
    if bar is None:
        return None
    if isinstance(bar, Tensor):
        return bar if bar._a.dtype == t._a.dtype else bar.to(t.dtype)
    return wrap(own_array(bar, t._a))


def _root(t: Tensor, i: int) -> Any:
    edge = edge_of(t)
    if edge is None:
        raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
    return edge


def _seed(t: Tensor, g: Any, create: bool) -> Any:
    a = t._a
    if g is None:
        if a.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if a.dtype.kind == "c":
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {t.dtype}")
        seed = np.ones(a.shape, a.dtype)
        return wrap(seed) if create else seed
    if not isinstance(g, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if g._a.shape != a.shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[0] has a shape of {g.shape} and output[0] has a shape of "
                           f"{t.shape}.")
    if create:
        return g if g._a.dtype == a.dtype else g.to(t.dtype)
    return g._a.astype(a.dtype, copy=False)


@method("backward")
def backward(self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
             inputs: Any = None) -> None:
    """Adds this tensor's gradient with respect to the leaves of its graph to their `.grad`."""
    if create_graph:
        _warn_of_cycles()
    run([self], [gradient], retain_graph, create_graph, _listed(inputs), True)


def _listed(inputs: Any) -> Any:
    if inputs is None:
        return None
    found = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    if not found:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    return found


def _warn_of_cycles() -> None:
    import warnings
    warnings.warn("Using backward() with create_graph=True will create a reference cycle between the parameter and its "
                  "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
                  "avoid this. If you have to use this function, make sure to reset the .grad fields of your "
                  "parameters to None after use to break the cycle and avoid the leak.", UserWarning, stacklevel=3)


__all__ += ["Port", "Run"]
