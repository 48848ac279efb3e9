"""What programs ask about the machine: there is no other device than the CPU."""
from __future__ import annotations

import types
from typing import Any

from srcgrad.eager.devices import device

__all__ = ["accelerator", "are_deterministic_algorithms_enabled", "backends", "cuda", "get_default_device",
           "get_num_threads", "mps", "set_default_device", "set_float32_matmul_precision", "set_num_threads",
           "use_deterministic_algorithms"]


def _none() -> bool:
    return False


def _count() -> int:
    return 0


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


cuda = types.SimpleNamespace(is_available=_none, device_count=_count, manual_seed=_nothing, manual_seed_all=_nothing,
                             synchronize=_nothing, empty_cache=_nothing)
backends = types.SimpleNamespace(
    mps=types.SimpleNamespace(is_available=_none, is_built=_none),
    cudnn=types.SimpleNamespace(is_available=_none, enabled=False, benchmark=False, deterministic=True))
accelerator = types.SimpleNamespace(is_available=_none, device_count=_count, current_accelerator=_nothing)
mps = types.SimpleNamespace(is_available=_none, manual_seed=_nothing)


def get_num_threads() -> int:
    """How many threads compute: what NumPy's library takes is its own affair."""
    return 1


def set_num_threads(number: int) -> None:
    """Does nothing: set the number for NumPy's library, before Python starts."""


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Does nothing: all is deterministic."""


def are_deterministic_algorithms_enabled() -> bool:
    """Always."""
    return True


def set_float32_matmul_precision(precision: str) -> None:
    """Does nothing: products are in the precision of their operands."""
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(f"{precision} is not one of 'highest', 'high' or 'medium'")


def set_default_device(where: Any) -> None:
    """The CPU is the only one there is."""
    device("cpu" if where is None else where)


def get_default_device() -> device:
    """The CPU."""
    return device("cpu")
