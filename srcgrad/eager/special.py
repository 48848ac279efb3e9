"""What torch has under `torch.special`."""
from __future__ import annotations

import math
from typing import Any

from srcgrad.eager.table import FUNCTIONS

__all__ = ["entr", "log_ndtr", "ndtr", "ndtri", "xlog1py"]

_SAME = {"expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma", "multigammaln": "mvlgamma",
         **{name: name for name in ("digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "log1p", "log_softmax",
                                    "logit", "logsumexp", "polygamma", "round", "sinc", "softmax", "xlogy")}}
globals().update({name: FUNCTIONS[own] for name, own in _SAME.items()})


def entr(input: Any) -> Any:
    """`-x * log(x)`, 0 at 0 and minus infinity below."""
    where = FUNCTIONS["where"]
    inside = input > 0
    safe = where(inside, input, 1.0)
    return where(inside, -safe * safe.log(), where(input < 0, -math.inf, input * 0.0))


def xlog1py(input: Any, other: Any) -> Any:
    """`x * log1p(y)`, and 0 where x is 0."""
    return FUNCTIONS["xlogy"](input, 1 + other)


def ndtr(input: Any) -> Any:
    """The distribution function of the normal distribution."""
    return FUNCTIONS["erfc"](-input * math.sqrt(0.5)) / 2


def log_ndtr(input: Any) -> Any:
    """Its logarithm."""
    return ndtr(input).log()


def ndtri(input: Any) -> Any:
    """Its inverse."""
    return FUNCTIONS["erfinv"](2 * input - 1) * math.sqrt(2)
