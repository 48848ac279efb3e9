"""What programs ask about the machine: there is no other device than the CPU."""
from __future__ import annotations

import types
from typing import Any

__all__ = ["accelerator", "backends", "cuda"]


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
