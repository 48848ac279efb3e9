"""Functions that are made inside and kept in lists, dicts or objects: what they keep of the variables around them."""
from __future__ import annotations

from typing import Any, NoReturn

from srcgrad.errors import UnsupportedError


def carry(*args: Any, **kwargs: Any) -> NoReturn:
    """`carry(f, (1,), x, count)` is f's result, and binds `count`, the argument 1, to what f gives back with it.

    It is rewritten before it runs.
    """
    raise UnsupportedError("a function that is made inside and calls itself is called by code that can't be seen",
                           remedy="Define the function outside, and pass what it needs as arguments.")


class Captured:
    """The variables of a function that was made inside; each function has a class of its own.

    Its calls are put in place, so that nobody calls the object itself.
    """

    def __init__(self, **kept: Any) -> None:
        self.__dict__.update(kept)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise UnsupportedError(f"`{type(self).__name__}`, which is made inside, is called by code that can't be seen",
                               remedy="Define the function outside, and pass what it needs as arguments.")
