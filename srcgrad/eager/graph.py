"""The graph: nodes that remember how a tensor was made, ports of nodes with several results, hooks."""
from __future__ import annotations

import functools
import itertools
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.packing import Packed, hooks, packed
from srcgrad.eager.tensor import Tensor, method, wrap

__all__ = ["AccumulateGrad", "Node", "Port", "RemovableHandle", "edge_of", "node_class", "sequence"]

sequence = itertools.count().__next__

# leaves that have, or had, hooks: their gradients are delivered as soon as they are complete
HOOKED: dict[int, weakref.ref[Tensor]] = {}

FREED = ("Trying to backward through the graph a second time (or directly access saved tensors after they have already "
         "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
         "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
         "saved tensors after calling backward.")


class RemovableHandle:
    """What `register_hook` gives: `remove()` takes the hook away again; also a context manager."""
    __module__ = "srcgrad.eager.utils.hooks"

    def __init__(self, hooks: dict[int, Any], hook: Callable[..., Any]) -> None:
        self._hooks = hooks
        self.id = sequence()
        hooks[self.id] = hook

    def remove(self) -> None:
        """Takes the hook away."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


class Node:
    """How a tensor was made of others: `edges` lead to what made those that need gradients.

    `plan` runs it backwards: `plan.arrays(node, out_bar)` and `plan.tensors(node, out_bar)` give one adjoint for each
    edge.  Of several results `out_bar` is a list, with None for a result whose gradient is zero.
    """
    edges: tuple[Any, ...] = ()
    saved: Any = ()             # None once it was freed
    versions: Any = None        # of the saved tensors, where one isn't 0
    fix: Any = None             # shapes and types of what needs summing or casting
    plan: Any = None
    seq = 0
    outputs = 1
    before: Any = None          # output number -> hooks on its gradient
    after: Any = None           # hooks on (gradients of inputs, gradients of outputs)
    retained: Any = None        # output number -> weak reference to the tensor that keeps its gradient
    trace: Any = None           # where it was made, under detect_anomaly
    twice = False               # both edges lead to the same
    special = False             # any of the four before is there
    _kind = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {hex(id(self))}>"

    def name(self) -> str:
        """The name of the operation, as in torch."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name == "CopyBackwards" else name

    def short_name(self) -> str:
        """The name as it stands in a printed tensor."""
        return type(self).__name__

    @property
    def node(self) -> Node:
        return self

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """What made each tensor argument, and which of its results it was."""
        return tuple(described(edge) for edge in self._slots())

    def _slots(self) -> tuple[Any, ...]:
        op = self.plan.op
        return self.edges if op is None else op.slots(self)

    @functools.cached_property
    def metadata(self) -> dict[str, Any]:
        """Room for the user's notes."""
        return {}

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(gradients of the inputs, gradients of the outputs)` when this node has run."""
        self.special = True
        if self.after is None:
            self.after = {}
        return RemovableHandle(self.after, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(gradients of the outputs)` before this node runs."""
        self.special = True
        if self.before is None:
            self.before = {}
        return RemovableHandle(self.before.setdefault(None, {}), hook)

    def free(self) -> None:
        """Drops what was saved, unless that is nothing but axes, shapes and indices."""
        saved = self.saved
        op = self.plan.op
        if saved and (op is None or op.both or any(map(_weighs, saved))):
            self.saved = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_saved_") and self.plan.op is not None:
            return self.plan.op.saved_attribute(self, name.removeprefix("_saved_"))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _weighs(x: Any) -> bool:
    if isinstance(x, (tuple, list)):
        return any(map(_weighs, x))
    return isinstance(x, (Tensor, np.ndarray, Packed))


class Port:
    """One of several results of a node."""
    __slots__ = ("node", "number")
    _kind = 2

    def __init__(self, node: Node, number: int) -> None:
        self.node, self.number = node, number


class AccumulateGrad:
    """Stands in the graph for a leaf; the graph itself holds the leaf, and this is made when somebody asks."""
    next_functions: tuple[Any, ...] = ()

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {hex(id(self))}>"

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook((), gradients)` when the gradient was added to the leaf's."""
        return RemovableHandle(watch(self.variable, "_stored_hooks"), hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(gradients)` before the gradient is added to the leaf's."""
        return RemovableHandle(watch(self.variable, "_arrived_hooks"), hook)

    def name(self) -> str:
        """As torch calls it."""
        return "torch::autograd::AccumulateGrad"

    def short_name(self) -> str:
        """The name as it stands in a printed tensor."""
        return "AccumulateGrad"

    @functools.cached_property
    def metadata(self) -> dict[str, Any]:
        """Room for the user's notes."""
        return {}


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The node of a leaf: the same one as long as somebody holds it."""
    found = leaf._accumulator and leaf._accumulator()
    if found is None:
        found = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(found)
    return found


def described(edge: Any) -> tuple[Any, int]:
    """An edge as users see it."""
    if edge is None:
        return None, 0
    if edge._kind == 1:
        return accumulator(edge), 0
    return (edge.node, edge.number) if edge._kind == 2 else (edge, 0)


def watch(leaf: Tensor, kind: str) -> dict[int, Any]:
    """The hooks of one kind on a leaf, whose gradients are delivered one by one from now on."""
    key = id(leaf)
    if key not in HOOKED:
        HOOKED[key] = weakref.ref(leaf, lambda _: HOOKED.pop(key, None))
    hooks: dict[int, Any] | None = leaf.__dict__.get(kind)
    if hooks is None:
        hooks = leaf.__dict__[kind] = {}
    return hooks


def edge_of(t: Tensor) -> Any:
    """What a gradient of this tensor goes to: the node or port that made it, the leaf itself, or None."""
    fn = t._fn
    if fn is not None:
        return fn
    return t if t._rg else None


@functools.cache
def node_class(name: str) -> type[Node]:
    """The class of nodes of this name."""
    return type(name, (Node,), {"__module__": __name__})


# ---------------------------------------------------------------- hooks and kept gradients of tensors

@method()
def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Calls `hook` with this tensor's gradient when it is complete; what it returns takes the gradient's place."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self._fn is None:
        return RemovableHandle(watch(self, "_hooks"), hook)
    node = self._fn.node
    node.special = True
    if node.before is None:
        node.before = {}
    return RemovableHandle(node.before.setdefault(self.output_nr, {}), hook)


@method()
def retain_grad(self: Tensor) -> None:
    """Has the gradient of a tensor that is no leaf kept in `.grad`."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if self._fn is None or self._retained:
        return
    node = self._fn.node
    node.special = True
    if node.retained is None:
        node.retained = {}
    node.retained[self.output_nr] = weakref.ref(self)
    self._retained = True


@method()
def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Calls `hook` with this leaf after its `.grad` was changed."""
    if self._fn is not None or not self._rg:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return RemovableHandle(watch(self, "_post_hooks"), hook)


def as_gradient(t: Tensor) -> Tensor:
    """A tensor outside of any graph over the same array."""
    return wrap(t._a)


# ---------------------------------------------------------------- new nodes that somebody wants to see

WATCHERS: list[Callable[[Node], None]] = []
ANOMALY: list[bool] = []        # holds whether NaN is an error while detect_anomaly is on


def watched(node: Node) -> None:
    """Shows a node that was just made to all who want to see it."""
    for watcher in WATCHERS:
        watcher(node)


def trace(node: Node) -> None:
    """Keeps where the node is made, for the report of a gradient that is not a number."""
    node.trace, node.special = traceback.format_stack()[:-3], True


def pack(node: Node) -> None:
    """Hands what the node saved to the hooks of the thread that makes it."""
    if hooks.pairs and node.saved and node.saved is not True:
        node.saved, node.special = packed(node.saved, edge_of), True
