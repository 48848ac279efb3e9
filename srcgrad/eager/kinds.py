"""What a parameter of a rule is given, in the key of a plan."""
from __future__ import annotations

OTHER, TENSOR, ACTIVE, SEQUENCE, ACTIVE_SEQUENCE = range(5)
