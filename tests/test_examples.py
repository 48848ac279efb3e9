"""The examples run as programs, on their real data, and give the published numbers."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def output() -> str:
    pytest.importorskip("scipy")
    command = [sys.executable, str(ROOT / "examples" / "logistic_regression.py")]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def number(output: str, label: str) -> float:
    found = re.search(rf"^ *{label}: +(\S+)$", output, re.MULTILINE)
    assert found, f"no line {label!r} in\n{output}"
    return float(found[1])


@pytest.mark.parametrize(("name", "published"), [
    ("constant", -13.021), ("GPA", 2.826), ("TUCE", 0.095), ("PSI", 2.379), ("log-likelihood", -12.890),
])
def test_logistic_regression_gives_the_published_estimates(output: str, name: str, published: float) -> None:
    assert number(output, name) == pytest.approx(published, abs=1e-3)


def test_logistic_regression_ends_at_a_stationary_point(output: str) -> None:
    assert number(output, "gradient norm") <= 1e-8


def test_logistic_regression_prints_the_generated_gradient(output: str) -> None:
    text = output.split("32 students")[0]
    names: dict[str, object] = {}
    exec(compile(text, "<printed>", "exec"), {"np": pytest.importorskip("numpy")}, names)
    assert any(callable(value) for value in names.values())
