"""functools and operator."""
