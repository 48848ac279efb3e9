"""What torch has under `torch.utils`."""
from srcgrad.eager.utils import data

__all__ = ["data"]
