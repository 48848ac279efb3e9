"""What torch has under `torch.utils`."""
from srcgrad.eager.utils import checkpoint, data, hooks

__all__ = ["checkpoint", "data", "hooks"]
