"""Expressions and statements that mean something longer, as the kinds of their parts tell.

The interpreter notes them; `passes.inline` puts what they mean in their place.
"""
from __future__ import annotations

import types
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from srcgrad.lang.core import Expr, Function, Name, Refuse, Statement


class Make(Protocol):
    """What a rewriting may ask for: names for values, and for objects from outside."""

    @property
    def guarded(self) -> bool: ...
    def bind(self, value: Expr, hint: str = "t") -> Name: ...
    def outside(self, name: str, obj: Any) -> Expr: ...
    def name(self, hint: str) -> str: ...
    def add(self, stmt: Statement) -> None: ...
    def function(self, expr: Function) -> types.FunctionType: ...
    def kept(self, expr: Function) -> tuple[str, ...] | Refuse: ...
    def into(self, block: list[Statement]) -> AbstractContextManager[None]: ...


# What the expression becomes, given its children in the order of their evaluation.
Build = Callable[[tuple[Expr, ...], Make], Expr]
# The statements that take the place of one.
Replace = Callable[[Make], list[Statement]]
