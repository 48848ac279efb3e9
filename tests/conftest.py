"""Shared set-up of the tests."""
import os

import pytest

from srcgrad import Options

# Many small arrays: threads of the BLAS only get in each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write the golden files of tests/test_golden.py anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Programs are run optimised and plain in the short run; in the other modes in the long one."""
    for item in items:
        whole_programs = item.path.parent.name == "tests" and item.path.name not in ABOUT_MODES
        params = item.callspec.params if hasattr(item, "callspec") else {}
        if whole_programs and any(map(_is_other_mode, params.values())):
            item.add_marker(pytest.mark.long)


ABOUT_MODES = ("test_checked.py", "test_api.py", "test_dispatch.py", "test_cli.py")


def _is_other_mode(value: object) -> bool:
    """Whether a parameter of a test is one of the modes `general` and `checked`, or options that ask for one."""
    if isinstance(value, str):
        return value in ("general", "checked")
    if isinstance(value, dict):
        return any(value.get(mode) is True for mode in ("general", "checked"))
    return isinstance(value, Options) and (value.general or value.checked)
