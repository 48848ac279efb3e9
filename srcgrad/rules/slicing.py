"""The part of a rule that some adjoints need."""
from __future__ import annotations

from collections.abc import Collection

from srcgrad.lang.core import Bind, names_read
from srcgrad.rules.rule import Rule


def slice_for(rule: Rule, wanted: Collection[str]) -> tuple[Bind, ...]:
    """The assignments of the rule that the adjoints of the parameters `wanted` need, in their order.

    >>> import numpy as np
    >>> from srcgrad.rules.registry import rule_for
    >>> [line.names for line in slice_for(rule_for(np.multiply), ["x2"])]
    [('x2_bar',)]
    """
    needed = {rule.returned[param] for param in wanted}
    kept: list[Bind] = []
    for line in reversed(rule.body):
        if line.names[0] in needed:
            needed = needed - set(line.names) | names_read(line.values[0])
            kept.append(line)
    return tuple(reversed(kept))


def reads(rule: Rule, wanted: Collection[str]) -> frozenset[str]:
    """What the adjoints of the parameters `wanted` read: `out_bar`, `out`, parameters; also where only for a shape.

    >>> import numpy as np
    >>> from srcgrad.rules.registry import rule_for
    >>> sorted(reads(rule_for(np.exp), ["x"]))
    ['out', 'out_bar']
    """
    lines = slice_for(rule, wanted)
    read = frozenset().union(*(names_read(line.values[0]) for line in lines))
    return read & {"out_bar", "out", *rule.params}
