"""Operations without NumPy's floating-point warnings: as in torch, dividing by zero is nobody's news."""
from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
from numpy._core import umath

__all__ = ["quiet"]

# the operations that most programs spend their time on run without `quiet`, and again with it where that is an error
warnings.filterwarnings("ignore", category=RuntimeWarning,
                        module=r"srcgrad\.eager\.(pointwise|elementwise|kernels)$")

# what np.errstate sets; doing it here takes a quarter of the time
_variable: Any = getattr(umath, "_extobj_contextvar", None)
with np.errstate(all="ignore"):
    _ignoring = None if _variable is None else _variable.get()


class _Quiet(threading.local):
    """`np.errstate(all="ignore")`, entered once where uses are nested."""
    depth = 0
    token: Any = None

    def __enter__(self) -> None:
        if self.depth == 0:
            if _variable is None:
                self.token = np.errstate(all="ignore")
                self.token.__enter__()
            else:
                self.token = _variable.set(_ignoring)
        self.depth += 1

    def __exit__(self, *exception: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            if _variable is None:
                self.token.__exit__(None, None, None)
            else:
                _variable.reset(self.token)


quiet = _Quiet()
