"""Shared set-up of the tests."""
import os

# Many small arrays: threads of the BLAS only get in each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
