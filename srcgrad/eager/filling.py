"""Random numbers and other shapes, in place."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.drawing import numbers
from srcgrad.eager.graph import node_class
from srcgrad.eager.inplace import check, inplace, zero
from srcgrad.eager.op import Op, record
from srcgrad.eager.table import FUNCTIONS
from srcgrad.eager.tensor import Tensor, _new, bump, method

# ---------------------------------------------------------------- random numbers

def _drawing(name: str, draw: Any) -> None:
    def called(self: Tensor, *args: Any, generator: Any = None, **words: Any) -> Tensor:
        drawn = np.asarray(draw(numbers(generator), self._a.shape, *args, **words)).astype(self._a.dtype)
        return inplace(self, lambda a: record(op, drawn, (a,)))
    op = Op(f"{name.strip('_').capitalize()}Backward0", zero.primal, rule=lambda: zero.rule)
    called.__name__ = name
    setattr(Tensor, name, called)


def _uniform(rng: Any, shape: Any, a: float = 0.0, b: float = 1.0, **words: Any) -> Any:
    low, high = words.get("from_", words.get("from", a)), words.get("to", b)
    return low + (high - low) * rng.random(shape)


_drawing("uniform_", _uniform)
_drawing("normal_", lambda rng, shape, mean=0.0, std=1.0: mean + std * rng.standard_normal(shape))
_drawing("exponential_", lambda rng, shape, lambd=1.0: rng.exponential(1 / lambd, shape))
_drawing("bernoulli_", lambda rng, shape, p=0.5: rng.random(shape) < getattr(p, "_a", p))
_drawing("geometric_", lambda rng, shape, p: rng.geometric(p, shape))
_drawing("log_normal_", lambda rng, shape, mean=1.0, std=2.0: rng.lognormal(mean, std, shape))
_drawing("cauchy_", lambda rng, shape, median=0.0, sigma=1.0: median + sigma * rng.standard_cauchy(shape))


@method()
def random_(self: Tensor, *bounds: Any, generator: Any = None, **words: Any) -> Tensor:
    """Whole numbers up to a bound, which is left out; without one, up to what the type holds exactly."""
    kind = self._a.dtype
    most = 2 ** (np.finfo(kind).nmant + 1) if kind.kind == "f" else 2 if kind.kind == "b" else int(np.iinfo(kind).max)
    low, high = (0, *bounds) if len(bounds) == 1 else bounds or (words.get("from_", 0), words.get("to", most))
    drawn = numbers(generator).integers(low, high, self._a.shape).astype(kind)
    return inplace(self, lambda a: record(zero, drawn, (a,)))


@method()
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Sets the elements of the main diagonal to one number."""
    a = self._a
    if a.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    steps = np.arange(min(a.shape))
    if a.ndim == 2 and wrap and a.shape[0] > a.shape[1]:
        places = np.arange(0, a.size, a.shape[1] + 1)
        self[tuple(np.unravel_index(places, a.shape))] = fill_value
    elif a.ndim == 2:
        FUNCTIONS["diagonal"](self).fill_(fill_value)
    else:
        self[(steps,) * a.ndim] = fill_value
    return self


# ---------------------------------------------------------------- shapes in place

_OWN_NODES = {"unsqueeze": "UnsqueezeBackward1", "t": "TBackward1", "transpose": "TransposeBackward1",
              "squeeze": "SqueezeBackward1"}


def _reshaping(name: str) -> None:
    f = FUNCTIONS[name]

    def called(self: Tensor, *args: Any) -> Tensor:
        recorded = check(self)
        before: Tensor = _new(Tensor)
        before._a, before._fn = self._a, self._fn
        out = f(before, *args)
        self._a = out._a
        if recorded:
            self._fn = out._fn
            if name in _OWN_NODES:
                self._fn.__class__ = node_class(_OWN_NODES[name])
        bump(self)
        return self
    called.__name__ = f"{name}_"
    setattr(Tensor, f"{name}_", called)


for _name in ("t", "transpose", "squeeze", "unsqueeze", "swapaxes"):
    _reshaping(_name)
