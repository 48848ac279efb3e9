"""Classes that are made inside of a function that is differentiated."""
from __future__ import annotations

import sys
import types
from typing import Any


class ClassVariable:
    """What a class has as data that the function may compute or change: the variable of the function that holds it."""

    def __init__(self, name: str) -> None:
        self.name = name


def new_class(name: str, bases: tuple[Any, ...], keywords: dict[str, Any], annotations: dict[str, str],
              variables: tuple[str, ...], /, **members: Any) -> type:
    """What a class statement makes; `variables` are members that are set anew later.

    >>> new_class("Spring", (), {}, {}, (), stiffness=2.0).stiffness
    2.0
    """
    return made_in(str(sys._getframe(1).f_globals.get("__name__")), name, bases, keywords, annotations, members)


def made_in(module: str, name: str, bases: tuple[Any, ...], keywords: dict[str, Any], annotations: dict[str, str],
            members: dict[str, Any]) -> type:
    def fill(namespace: dict[str, Any]) -> None:
        namespace["__module__"] = module
        if annotations:
            namespace["__annotations__"] = dict(annotations)
        for key, value in members.items():          # one by one, as an enumeration takes them
            namespace[key] = value

    return types.new_class(name, bases, keywords, fill)


def made_anew(cls: type) -> type:
    """The class of a statement that runs again and again, which is one class as long as none of them outlives that."""
    return cls
