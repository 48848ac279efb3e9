"""Products with sparse matrices, which only their own methods know."""
from __future__ import annotations

from typing import Any


def product(matrix: Any, x: Any) -> Any:
    return matrix @ x


def product_from_left(x: Any, matrix: Any) -> Any:
    return x @ matrix
