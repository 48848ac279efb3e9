"""What torch has under `torch.random`."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from srcgrad.eager.drawing import default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Has the common generator go on at the end of the block as if nothing had been drawn in it."""
    before = default_generator().get_state()
    try:
        yield
    finally:
        if enabled:
            default_generator().set_state(before)
