"""An environment for timing: one thread, and NumPy's BLAS free to choose its own kernels."""
from __future__ import annotations

import os
import sys
from pathlib import Path

REMOVED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
ROOT = Path(__file__).resolve().parent.parent


def environment() -> dict[str, str]:
    """A copy of the environment for timed processes."""
    kept = {name: value for name, value in os.environ.items() if name not in REMOVED}
    return {**kept, **dict.fromkeys(ONE_THREAD, "1")}


def restart_clean() -> None:
    """Start the running script again in this environment, unless it is in it already.

    BLAS reads its settings when NumPy is imported, so this has to be called before.
    """
    clean = environment()
    if clean != dict(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.argv], clean)


def find_package() -> None:
    """Make the checkout's own package importable where none is installed."""
    sys.path.append(str(ROOT))
