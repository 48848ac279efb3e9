"""Operations: a name for nodes, and the rule that reverses them; recording that one was carried out."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.eager import graph
from srcgrad.eager.graph import FREED, Node, Port, edge_of, node_class, sequence
from srcgrad.eager.kinds import ACTIVE, ACTIVE_SEQUENCE, OTHER, SEQUENCE, TENSOR
from srcgrad.eager.packing import unpacked
from srcgrad.eager.tensor import INFERENCE, Tensor, _new, wrap
from srcgrad.eager.translation import translate
from srcgrad.rules import registry
from srcgrad.runtime.modes import mode

if TYPE_CHECKING:
    from srcgrad.eager.plans import Plan
    from srcgrad.rules.rule import Rule

__all__ = ["Op", "op_for", "operation", "record", "record_many"]


class Op:
    """An operation that tensors record.

    name       of its nodes
    primal     the function whose rule reverses it; its adjoints go to the parameters of that rule
    both       both operands have an entry in `next_functions`, also a number
    recompute  makes the result again for the backward pass, which so saves the operands only
    aliases    names of parameters in torch, for `node._saved_...`
    """

    def __init__(self, name: str, primal: Any, *, rule: Callable[[], Rule | None] | None = None, both: bool = False,
                 recompute: Callable[..., Any] | None = None, aliases: dict[str, str] | None = None) -> None:
        self.name = name
        self.primal = primal
        self.both = both
        self.recompute = recompute
        self.aliases = aliases or {}
        self.plans: dict[Any, Plan] = {}
        self._rule = rule or (lambda: registry.rule_for(primal))

    def __repr__(self) -> str:
        return f"Op({self.name})"

    @functools.cached_property
    def node_class(self) -> type[Node]:
        """The class of this operation's nodes."""
        return node_class(self.name)

    @functools.cached_property
    def rule(self) -> Rule:
        """The rule, read on first use."""
        found = self._rule()
        if found is None:
            raise NotImplementedError(f"{self.primal!r} has no derivative rule: register one with srcgrad's @rule")
        return found

    @functools.cached_property
    def differentiable(self) -> tuple[int, ...]:
        """Positions of the parameters that have adjoints."""
        return tuple(i for i, p in enumerate(self.rule.params) if p in self.rule.returned)

    def plan(self, key: Any) -> Plan:
        """The plan for arguments of these kinds; the first entry counts 1 for complex numbers, 2 for many results."""
        found = self.plans.get(key)
        if found is None:
            # rules and what reads them are loaded when the first derivative is recorded
            from srcgrad.eager.plans import make_plan
            found = make_plan(self.rule, key[1:], key[0] >= 2, self.recompute, translate)
            if key[0] % 2 and not self.rule.real_linear:
                found = _conjugated(found)
            if found.sequences:
                found = _flattened(found)
            self.plans[key] = found = replace(found, key=key, op=self)
        return found

    def slots(self, node: Node) -> tuple[Any, ...]:
        """One edge, or None, for each tensor argument that has a derivative."""
        edges = iter(node.edges)
        found: list[Any] = []
        for i in self.differentiable:
            kind = node.plan.key[i + 1]
            if kind == ACTIVE:
                found.append(next(edges))
            elif kind == ACTIVE_SEQUENCE:
                found += edges
            elif kind == TENSOR or (kind == OTHER and self.both):
                found.append(None)
        return tuple(found)

    def saved_attribute(self, node: Node, name: str) -> Any:
        """What torch calls `_saved_<name>`."""
        params = self.rule.params
        spelled = {"result": "out", "self": params[0], **({"other": params[1]} if len(params) > 1 else {})}
        wanted = {**spelled, **self.aliases}.get(name, name)
        labels = node.plan.saved
        if wanted in params and wanted not in labels and self.both:
            return None         # isn't needed, since the other operand's gradient isn't asked for
        if wanted not in labels:
            raise AttributeError(f"{self.name!r} object has no attribute '_saved_{name}'")
        if node.saved is None:
            raise RuntimeError(FREED)
        found = unpacked(node.saved[labels.index(wanted)])
        if isinstance(found, Tensor) and found._fn is not None and found._fn._kind == 1:
            found = wrap(found._a).requires_grad_()     # a leaf that hooks changed
        if not isinstance(found, Tensor) or wanted != "out":
            return found
        out: Tensor = _new(Tensor)
        out._a, out._fn, out._vc = found._a, node, found._vc
        return out


def _conjugated(plan: Plan) -> Plan:
    """The plan of a holomorphic operation between complex numbers: its text is a plain transpose."""
    def arrays(node: Any, out_bar: Any) -> tuple[Any, ...]:
        return _conj(plan.arrays(node, _conj(out_bar)))

    def tensors(node: Any, out_bar: Any) -> tuple[Any, ...]:
        return _conj(plan.tensors(node, _conj(out_bar)))
    return replace(plan, arrays=arrays, tensors=tensors)


def _conj(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(_conj(item) for item in x)
    return None if x is None else np.conj(x)


def operation(name: str, primal: Any = None, *, both: bool = False, recompute: Callable[..., Any] | None = None,
              **words: Any) -> Callable[[Callable[..., Any]], Op]:
    """Makes an operation of torch's own of a function that has the form of a rule; the words are those of `rule`.

        @operation("ReluBackward0", elementwise=True)
        def relu(out_bar, out, x):
            x_bar = out_bar * (out > 0)
            return x_bar
    """
    def make(function: Callable[..., Any]) -> Op:
        def own() -> Rule:
            from srcgrad.rules.rule import read
            return read(function, primal or function, **words)
        return Op(name, primal or function, rule=own, both=both, recompute=recompute)
    return make


@functools.cache
def op_for(function: Any) -> Op:
    """The operation of a function of NumPy or of the runtime, named after it."""
    own = getattr(function, "__name__", "Function").strip("_")
    camel = "".join(part.capitalize() for part in own.split("_"))
    return Op(f"{camel}Backward0", function)


# ---------------------------------------------------------------- recording

def record(op: Op, out: Any, args: tuple[Any, ...]) -> Tensor:
    """A tensor over the array `out`, the result of `op` with one argument for each parameter of its rule."""
    t: Tensor = _new(Tensor)
    t._a = out if out.__class__ is np.ndarray else np.asarray(out)
    if mode.grad and _any_requires(args):
        attach(op, t, args)
    elif mode.inference:
        t._vc = INFERENCE
    return t


def record_many(op: Op, outs: Sequence[Any], args: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """As `record`, for an operation with several results."""
    tensors = tuple(wrap(o) for o in outs)
    if mode.grad and _any_requires(args):
        node = make_node(op, tensors, args)
        if node is not None:
            node.outputs = len(tensors)
            for i, t in enumerate(tensors):
                if t._a.dtype.kind in "fc":
                    t._fn = Port(node, i)
    return tensors


def _any_requires(args: tuple[Any, ...]) -> bool:
    for x in args:
        if isinstance(x, Tensor):
            if x._rg or x._fn is not None:
                return True
        elif x.__class__ is tuple or x.__class__ is list:
            for item in x:
                if isinstance(item, Tensor) and (item._rg or item._fn is not None):
                    return True
    return False


def attach(op: Op, t: Tensor, args: tuple[Any, ...]) -> None:
    """Gives the result its node, if any argument with a derivative requires one."""
    if t._a.dtype.kind in "fc":
        node = make_node(op, t, args)
        if node is not None:
            t._fn = node


def make_node(op: Op, out: Any, args: tuple[Any, ...]) -> Node | None:
    """The node of an operation with one argument for each parameter of its rule, or None where nothing flows."""
    differentiable = op.differentiable
    single = isinstance(out, Tensor)
    key: list[int] = [0]
    edges: list[Any] = []
    complex_too = _is_complex(out if single else list(out))
    for i, x in enumerate(args):
        if isinstance(x, Tensor):
            complex_too = complex_too or x._a.dtype.kind == "c"
            edge = edge_of(x) if i in differentiable else None
            key.append(TENSOR if edge is None else ACTIVE)
            if edge is not None:
                edges.append(edge)
        elif (x.__class__ is tuple or x.__class__ is list) and any(isinstance(item, Tensor) for item in x):
            complex_too = complex_too or _is_complex(x)
            own = [edge_of(item) if isinstance(item, Tensor) else None for item in x]
            some = i in differentiable and any(e is not None for e in own)
            key.append(ACTIVE_SEQUENCE if some else SEQUENCE)
            edges += own if some else []
        else:
            key.append(OTHER)
    if not edges:
        return None
    key[0] = complex_too + 2 * (not single)
    whole = tuple(key)
    plan = op.plans.get(whole) or op.plan(whole)
    node = op.node_class()
    node.edges, node.plan, node.seq = tuple(edges), plan, sequence()
    if single:
        node.fix = _fixes(op, plan, out, args)
    plan.collect(node, out, args)
    if graph.WATCHERS:
        graph.watched(node)
    return node


def _is_complex(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(_is_complex(item) for item in x)
    return isinstance(x, Tensor) and bool(x._a.dtype.kind == "c")


def _fixes(op: Op, plan: Plan, out: Tensor, args: tuple[Any, ...]) -> Any:
    """For each edge the shape to sum to and the type to cast to, where they aren't those of the result."""
    if plan.sequences:
        return None
    elementwise = op.rule.elementwise
    shape, dtype = out._a.shape, out._a.dtype
    fixes = []
    for i in plan.active:
        a = args[i]._a
        summed = a.shape if elementwise and a.shape != shape else None
        cast = a.dtype if a.dtype is not dtype else None
        fixes.append(None if summed is None and cast is None else (summed, cast))
    return tuple(fixes) if any(f is not None for f in fixes) else None


def _flattened(plan: Plan) -> Plan:
    """A plan that gives one adjoint an edge where parameters are sequences of tensors."""
    def flat(bars: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(item for bar in bars for item in (bar if isinstance(bar, (list, tuple)) else (bar,)))

    def arrays(node: Any, out_bar: Any) -> tuple[Any, ...]:
        return flat(plan.arrays(node, out_bar))

    def tensors(node: Any, out_bar: Any) -> tuple[Any, ...]:
        return flat(plan.tensors(node, out_bar))
    return replace(plan, arrays=arrays, tensors=tensors)
