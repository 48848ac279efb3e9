"""Operations without NumPy's floating-point warnings: as in torch, dividing by zero is nobody's news."""
from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np

__all__ = ["quiet"]

# the operations that most programs spend their time on run without `quiet`, which would cost them a third of it
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"srcgrad\.eager\.pointwise")


class _Quiet(threading.local):
    """`np.errstate(all="ignore")`, entered once where uses are nested."""
    depth = 0
    inner: Any = None

    def __enter__(self) -> None:
        if self.depth == 0:
            self.inner = np.errstate(all="ignore")
            self.inner.__enter__()
        self.depth += 1

    def __exit__(self, *exception: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.inner.__exit__(None, None, None)


quiet = _Quiet()
