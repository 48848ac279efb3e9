"""Shared set-up of the tests."""
import os

import pytest

# Many small arrays: threads of the BLAS only get in each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write the golden files of tests/test_golden.py anew")
