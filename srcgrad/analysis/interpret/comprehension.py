"""What a comprehension gives.

One of what is differentiated is noted, and followed as the statements that it stands for once they are there.  Any
other stays as the user wrote it; of what it gives the kind is known, as far as its first element tells.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.refused import NeverReturns, ReadsText, Refused
from srcgrad.analysis.interpret.state import NOTHING, Abstract, Env, Ref, Storage, forgetful, reach
from srcgrad.analysis.values import UNKNOWN, Array, DictOf, Lazy, ListOf, Number, RangeOf
from srcgrad.lang import parse
from srcgrad.lang.core import Expr, Opaque

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

KINDS = ("ListComp", "SetComp", "DictComp", "GeneratorExp")



def given(ev: Evaluator, expr: Opaque, env: Env) -> Abstract | None:
    """What the comprehension gives in this state; None where nothing is known of it, not even whether it is active."""
    active = {n for n in expr.reads if n in env and env[n].active}
    if active and not _sizes_alone(expr.node, active):
        return noted(ev, expr)
    if active and parse.kind(expr.node) not in ("ListComp", "DictComp"):
        return NOTHING
    if parse.kind(expr.node) not in ("ListComp", "DictComp") or expr.at is None:
        return None
    if any(parse.kind(node) == "Lambda" for node in parse.nodes(expr.node)):
        return noted(ev, expr)          # functions, perhaps of what is differentiated
    pending = ev.pending
    try:
        found = _kind(ev, expr, dict(env))
    except ReadsText:
        raise
    except (Refused, NeverReturns):
        return NOTHING if active else None
    if ev.pending > pending:
        ev.pending = pending
        return noted(ev, expr)          # it makes objects, say, which is known when it is there as statements
    return found


def noted(ev: Evaluator, expr: Opaque) -> Abstract:
    """One that is to be there as statements."""
    ev.comprehensions.add((ev.site, id(expr)))
    return Abstract(Lazy() if parse.kind(expr.node) == "GeneratorExp" else UNKNOWN, varied=True)


def _sizes_alone(node: Any, names: set[str]) -> bool:
    """Whether of these names only lengths and shapes are read."""
    what = parse.kind(node)
    if what == "Name":
        return node.id not in names
    if what == "Attribute" and node.attr in ("shape", "ndim", "size", "dtype") and parse.kind(node.value) == "Name":
        return True
    if what == "Call" and parse.kind(node.func) == "Name" and node.func.id == "len" \
            and all(parse.kind(a) == "Name" for a in node.args):
        return True
    return all(_sizes_alone(child, names) for child in parse.children(node))


def _kind(ev: Evaluator, expr: Opaque, env: Env) -> Abstract:
    for generator in expr.node.generators:
        source = ev(_core(ev, expr, generator.iter), env)
        for node in parse.nodes(generator.target):
            if parse.kind(node) == "Name":
                env[node.id] = _element(ev, source) if node is generator.target else NOTHING
        for test in generator.ifs:
            ev(_core(ev, expr, test), env)
    if parse.kind(expr.node) == "ListComp":
        storage = _born(ev, expr, "list", ev(_core(ev, expr, expr.node.elt), env), env)
        result = Abstract(ListOf(None), frozenset((Ref(storage),)))
    else:
        key = ev(_core(ev, expr, expr.node.key), env)
        storage = _born(ev, expr, "dict", ev(_core(ev, expr, expr.node.value), env), env, key.value)
        ev.heap.mark(storage, keyed=key.active)
        result = Abstract(DictOf(()), frozenset((Ref(storage),)))
    # what is changed later on must be there as statements, for its adjoint to be made beside it
    changed = [s for s in reach([result])
               if ev.heap.is_written(s) or s.active or s.keyed or s is storage and _holds_active(s)]
    return noted(ev, expr) if changed else result


def _holds_active(storage: Storage) -> bool:
    return any(item.active for item in storage.fields.values())


def _born(ev: Evaluator, expr: Expr, kind: str, item: Abstract, env: Env, key: Any = UNKNOWN) -> Storage:
    storage = containers.born(ev, expr, kind, [], env)
    item = forgetful(item)
    for ref in item.refs:
        ev.heap.mark(ref.storage, many=True)
    containers.put(ev, storage, containers.ANY, item, env, False, key)
    return storage


def _element(ev: Evaluator, source: Abstract) -> Abstract:
    value = ev.value(source)
    if isinstance(value, RangeOf):
        return Abstract(Number("int"))
    if isinstance(value, ListOf):
        return ev.element(source)
    if isinstance(value, Array) and value.dims is not None and len(value.dims) == 1 and value.dtype is not None:
        return Abstract(Number("float", value.dtype)) if value.dtype == float else NOTHING
    return NOTHING


def _core(ev: Evaluator, expr: Opaque, node: Any) -> Expr:
    """The expression of a node, always the same one."""
    assert expr.at is not None
    if id(node) not in ev.parsed:
        ev.parsed[id(node)] = (node, parse.expression(node, expr.at.file))
    return ev.parsed[id(node)][1]
