"""The words with which old programs say what a loss reduces to."""
from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def accepting_old_words(f: F) -> F:
    """`f`, which takes `reduction`, so that it takes `size_average` and `reduce` by keyword as well."""
    @functools.wraps(f)
    def called(*args: Any, size_average: bool | None = None, reduce: bool | None = None, **options: Any) -> Any:
        if size_average is not None or reduce is not None:
            options["reduction"] = _reduction(size_average, reduce)
        return f(*args, **options)
    return called                                                           # type: ignore[return-value]


def _reduction(size_average: bool | None, reduce: bool | None) -> str:
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.",
                  UserWarning, stacklevel=3)
    return found
