"""Lengths of the arguments in this call, and the guards that say what was assumed of them."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from srcgrad.analysis.guards import Guard
from srcgrad.analysis.lengths import SliceLength
from srcgrad.analysis.values import Linear


class Sizes(Mapping):
    """Symbol -> its value in this call.  A symbol is a path into the arguments, or (path, axis)."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._arguments = dict(arguments)

    def __getitem__(self, token: Any) -> int:
        path, axis = token if isinstance(token, tuple) else (token, None)
        try:
            value = eval(path, {"__builtins__": {}}, self._arguments)
            return int(value if axis is None else value.shape[axis])
        except Exception:
            raise KeyError(token) from None

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0


def text_of(linear: Linear) -> str:
    """A linear form over the arguments, as Python."""
    parts = [str(linear.const)] if linear.const or not linear.terms else []
    for token, c in linear.terms:
        name = _text_of_token(token)
        parts.append(name if c == 1 else f"{c} * {name}")
    return " + ".join(parts)


def _text_of_token(token: Any) -> str:
    match token:
        case ("clamp", Linear() as form):
            return f"max(0, {text_of(form)})"
        case SliceLength(lower, upper, step, length):
            bounds = ":".join("" if form is None else text_of(form) for form in (lower, upper))
            return f"len(range({text_of(length)})[{bounds}:{step}])"
        case (path, axis):
            return f"{path}.shape[{axis}]"
    return str(token)


def facts_as_guards(facts: Iterable[Any], params: tuple[str, ...]) -> tuple[Guard, ...]:
    """Guards as they are; pairs (linear, linear or int) as checks that both are equal."""
    out: list[Guard] = []
    for fact in facts:
        if isinstance(fact, Guard):
            out.append(fact)
        elif fact is not None:
            left, right = fact
            text = text_of(right) if isinstance(right, Linear) else repr(right)
            out.append(Guard(f"{text_of(left)} == {text}"))
    return tuple(dict.fromkeys(out))
