"""Handles on hooks."""
from srcgrad.eager.graph import RemovableHandle

__all__ = ["RemovableHandle"]
