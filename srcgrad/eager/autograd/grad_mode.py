"""The modes under the name of torch's module."""
from __future__ import annotations

from srcgrad.runtime.modes import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]
