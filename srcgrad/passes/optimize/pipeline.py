"""The order of the optimisations of one generated function."""
from __future__ import annotations

from collections.abc import Mapping

from srcgrad.lang.core import Param, Statement
from srcgrad.passes.reverse.context import Context


def optimise(body: tuple[Statement, ...], context: Context, origin: Mapping[str, str],
             params: tuple[Param, ...]) -> tuple[Statement, ...]:
    return body
