"""Random numbers."""
from __future__ import annotations

import threading
from typing import Any

import numpy as np

from srcgrad.eager.creation import made, type_of
from srcgrad.eager.dtypes import numpy_dtype
from srcgrad.eager.pointwise import unsupported
from srcgrad.eager.shaping import given_sizes, sizes_of
from srcgrad.eager.table import plain
from srcgrad.eager.tensor import Tensor, wrap

__all__ = ["Generator", "numbers"]


class Generator:
    """A source of random numbers with a seed."""

    def __init__(self, device: Any = "cpu") -> None:
        self._seed = 0
        self.numpy = np.random.default_rng()

    def manual_seed(self, seed: int) -> Generator:
        """Starts over from a seed."""
        self._seed = int(seed)
        self.numpy = np.random.default_rng(self._seed % (1 << 64))
        return self

    def initial_seed(self) -> int:
        """The seed that was last set."""
        return self._seed

    def seed(self) -> int:
        """Starts over from a seed drawn by chance."""
        return self.manual_seed(int(np.random.default_rng().integers(1 << 62))).initial_seed()

    def get_state(self) -> Any:
        """What the next numbers depend on."""
        return self.numpy.bit_generator.state

    def set_state(self, state: Any) -> Generator:
        """Goes on from a state."""
        self.numpy.bit_generator.state = state
        return self


_lock = threading.Lock()
_default: list[Generator] = []


def default_generator() -> Generator:
    """The generator of all draws that aren't given one; made when first needed."""
    with _lock:
        if not _default:
            _default.append(Generator())
        return _default[0]


def numbers(generator: Generator | None) -> np.random.Generator:
    """NumPy's generator behind ours, or behind the common one."""
    return (generator or default_generator()).numpy


@plain
def manual_seed(seed: int) -> Generator:
    """Has the common generator start over from a seed."""
    return default_generator().manual_seed(seed)


@plain
def seed() -> int:
    """Has the common generator start over from a seed drawn by chance."""
    return default_generator().seed()


@plain
def initial_seed() -> int:
    """The common generator's seed."""
    return default_generator().initial_seed()


@plain
def get_rng_state() -> Any:
    """What the next numbers depend on."""
    return default_generator().get_state()


@plain
def set_rng_state(state: Any) -> None:
    """Goes on from a state."""
    default_generator().set_state(state)


def _floats(dtype: Any) -> np.dtype:
    kind = type_of(dtype)
    if kind.kind not in "fc":
        raise unsupported("normal_kernel_cpu", kind)
    return kind


def _drawn(name: str, draw: Any) -> None:
    def create(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
               generator: Generator | None = None, **words: Any) -> Tensor:
        shape = sizes_of(given_sizes(name, size, words))
        return made(np.asarray(draw(numbers(generator), shape)).astype(_floats(dtype)), requires_grad, device)
    create.__name__ = name
    plain(create)

    def like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
             **words: Any) -> Tensor:
        return create(input._a.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)
    like.__name__ = f"{name}_like"
    plain(like)


_drawn("rand", lambda rng, shape: rng.random(shape))
_drawn("randn", lambda rng, shape: rng.standard_normal(shape))


@plain
def randint(low: int, high: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None,
            requires_grad: bool = False, generator: Generator | None = None) -> Tensor:
    """Whole numbers from `low` up to `high`, which is left out."""
    if size is None:
        low, high, size = 0, low, high
    kind = np.dtype(np.int64) if dtype is None else numpy_dtype(dtype)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return made(np.asarray(numbers(generator).integers(low, high, sizes_of((size,)))).astype(kind), requires_grad,
                device)


@plain
def randint_like(input: Tensor, low: int, high: Any = None, **words: Any) -> Tensor:
    """Whole numbers, with another tensor's shape and type."""
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, input._a.shape, **{"dtype": input.dtype, **words})


@plain
def randperm(n: int, *, dtype: Any = None, device: Any = None, generator: Generator | None = None) -> Tensor:
    """The numbers below n in random order."""
    kind = np.dtype(np.int64) if dtype is None else numpy_dtype(dtype)
    return made(numbers(generator).permutation(n).astype(kind), False, device)


@plain
def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None, **words: Any) -> Tensor:
    """Normally distributed numbers."""
    m, s = getattr(mean, "_a", mean), getattr(std, "_a", std)
    shape = np.broadcast_shapes(np.shape(m), np.shape(s)) if size is None else sizes_of((size,))
    drawn = numbers(generator).standard_normal(shape) * s + m
    return made(drawn.astype(type_of(words.get("dtype"))), words.get("requires_grad", False))


@plain
def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """Ones with these probabilities, or with one for all, else zeros."""
    return wrap((numbers(generator).random(input._a.shape) < (input._a if p is None else p)).astype(input._a.dtype))


@plain
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Counts of events that come at these rates."""
    return wrap(numbers(generator).poisson(input._a).astype(input._a.dtype))


@plain
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """How many of so many trials succeed."""
    return wrap(np.asarray(numbers(generator).binomial(count._a.astype(np.int64), prob._a)).astype(count._a.dtype))


@plain
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *,
                generator: Generator | None = None) -> Tensor:
    """Indices drawn with these weights."""
    rng = numbers(generator)
    rows = input._a.reshape(-1, input._a.shape[-1]).astype(np.float64)
    drawn = [rng.choice(len(row), num_samples, replacement, row / row.sum()) for row in rows]
    return wrap(np.array(drawn, np.int64).reshape(*input._a.shape[:-1], num_samples))


setattr(Tensor, "bernoulli", bernoulli)         # noqa: B010 (Tensor gets its methods so everywhere)
