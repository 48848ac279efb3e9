"""The order of the optimisations of one generated function."""
from __future__ import annotations

from collections.abc import Mapping

from srcgrad.lang import names
from srcgrad.lang.core import Name, Param, Statement
from srcgrad.passes.optimize.augment import augment
from srcgrad.passes.optimize.coalesce import coalesce
from srcgrad.passes.optimize.collect_terms import Kinds, collect_terms
from srcgrad.passes.optimize.common import compute_once
from srcgrad.passes.optimize.copies import propagate_copies
from srcgrad.passes.optimize.dead import drop_idle_comments, eliminate_dead
from srcgrad.passes.optimize.elide_copies import elide_copies
from srcgrad.passes.optimize.first_term import start_with_first_term, store_first_term
from srcgrad.passes.optimize.functions import drop_unused_functions
from srcgrad.passes.optimize.given import bind_given
from srcgrad.passes.optimize.lookups import look_up_once
from srcgrad.passes.optimize.naming import rename_temporaries, stem_of
from srcgrad.passes.optimize.nest import merge_accumulation, nest
from srcgrad.passes.optimize.oracles import Oracles
from srcgrad.passes.optimize.own_results import own_results
from srcgrad.passes.optimize.saves import save_first
from srcgrad.passes.optimize.scalars_first import scalars_first
from srcgrad.passes.optimize.simplify import simplify_block
from srcgrad.passes.optimize.turn_signs import turn_signs
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.unit import lowered
from srcgrad.runtime import structure

Block = tuple[Statement, ...]


def optimise(body: Block, context: Context, origin: Mapping[str, str], params: tuple[Param, ...]) -> Block:
    """The same function, as a careful person would have written it."""
    temporaries = frozenset(context.temporaries) | {
        bar for name, bar in context.bars.items() if name in context.temporaries}
    body = drop_unused_functions(body)
    oracles = None
    for _ in range(2):
        oracles = Oracles(context, body, oracles)
        effects = oracles.effects
        body = simplify_block(body, oracles.kind, oracles.floating, oracles.pure)
        adjoints = frozenset(context.bars.values()) | frozenset(n for n in temporaries if n.endswith("_bar"))
        body = compute_once(body, effects, adjoints)
        body = propagate_copies(body, effects, temporaries)
        body = eliminate_dead(body, frozenset(), effects)
        made = names.bound(body) - oracles.primal.keys()
        body = store_first_term(body, oracles)
        body = elide_copies(body, effects, temporaries & made)
        body = nest(body, effects, temporaries, marks=context.tries.counters)
        body = collect_terms(body, effects, Kinds(oracles.kind, oracles.floating), made)
        values = frozenset(n for n in (*context.bars.values(), *temporaries)
                           if n not in effects.storages or n in oracles.private)
        body = merge_accumulation(body, effects, values)
        body = save_first(body, temporaries)
    oracles = Oracles(context, body, oracles)
    body = augment(start_with_first_term(body, oracles), oracles)
    body = simplify_block(body, oracles.kind, oracles.floating, oracles.pure)       # factors that met when terms did
    made = names.bound(body) - oracles.primal.keys()
    body = scalars_first(turn_signs(body, made), oracles.kind, oracles.pure, made)
    body = own_results(body, oracles, _helper(context, structure.gradient))
    taken = frozenset(p.name for p in params) | frozenset(context.helpers) | context.fresh.taken - temporaries
    named = temporaries | frozenset(n for n in names.bound(body) if stem_of(n) in temporaries)
    body = coalesce(body, [p.name for p in params], origin, names.used(lowered(context.unit.found)) | named,
                    lambda a, b: oracles.alike(Name(a), Name(b)))
    body = bind_given(look_up_once(body, context.shadow))
    return rename_temporaries(drop_idle_comments(body), named, taken)


def _helper(context: Context, function: object) -> str | None:
    """The name that a helper has in this function."""
    return next((name for name, obj in context.helpers.items() if obj is function), None)
