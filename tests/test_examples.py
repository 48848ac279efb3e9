"""The examples run as programs, on their real data, and give the results that they state."""
from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
CURVES = ("Misra1a", "MGH17", "Hahn1", "Thurber", "Rat43", "Eckerle4")
# each example, and the name of the generated function whose source it prints
PRINTED = {
    "chemical_kinetics": "misfit_value_and_grad",
    "digits_network": "loss_value_and_grad",
    "logistic_regression": "loss_grad",
    "nile_local_level": "deviance_grad",
    "nist_curve_fits": "sum_of_squares_value_and_grad",
    "walk_through_a_loop": "forecast_error_grad",
}


@functools.cache
def output(name: str) -> str:
    """What the example prints."""
    pytest.importorskip("scipy")
    run = subprocess.run([sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")], capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=120)
    assert run.returncode == 0, run.stderr
    assert not run.stderr
    return run.stdout


def number(name: str, label: str) -> float:
    """The number after `label:` at the start of a line."""
    found = re.search(rf"^ *{label}: +(\S+)", output(name), re.MULTILINE)
    assert found, f"no line {label!r} in\n{output(name)}"
    return float(found[1])


@pytest.mark.parametrize(("name", "function"), PRINTED.items(), ids=PRINTED)
def test_example_prints_its_generated_source(name: str, function: str) -> None:
    found = re.search(rf"^def {function}\(.*?\n\n", output(name), re.MULTILINE | re.DOTALL)
    assert found, output(name)
    compile(found[0], name, "exec")
    assert re.search(r"^    # line \d+: ", found[0], re.MULTILINE)


# ---------------------------------------------------------------- curves of NIST

@pytest.mark.parametrize("curve", CURVES)
def test_curve_has_the_certified_parameters(curve: str) -> None:
    line = re.search(rf"^ *{curve}: .*$", output("nist_curve_fits"), re.MULTILINE)
    assert line, output("nist_curve_fits")
    squares, error = re.findall(r"\d\.\d+e[+-]\d\d", line[0])
    assert float(error) <= 1e-6
    assert float(squares) == pytest.approx(certified(curve), rel=1e-9)


def certified(curve: str) -> float:
    """NIST's sum of squares."""
    text = (EXAMPLES / "data" / "nist" / f"{curve}.dat").read_text()
    found = re.search(r"Residual Sum of Squares: +(\S+)", text)
    assert found
    return float(found[1])


# ---------------------------------------------------------------- classification

@pytest.mark.parametrize(("name", "published"), [
    ("constant", -42.638), ("sepal length", -2.465), ("sepal width", -6.681), ("petal length", 9.429),
    ("petal width", 18.286), ("deviance", 11.899),
])
def test_logistic_regression_gives_the_published_estimates(name: str, published: float) -> None:
    assert number("logistic_regression", name) == pytest.approx(published, abs=1.5e-3)


def test_logistic_regression_ends_at_a_stationary_point() -> None:
    assert number("logistic_regression", "gradient norm") <= 1e-7


def test_network_reads_digits_that_it_has_not_seen() -> None:
    assert number("digits_network", "test accuracy") > 0.92


# ---------------------------------------------------------------- simulation

@pytest.mark.parametrize(("rate", "published"), [(1, 5.93e-5), (2, 2.96e-5), (3, 2.05e-5), (4, 2.75e-4), (5, 4.00e-5)])
def test_simulation_recovers_the_published_rates(rate: int, published: float) -> None:
    assert number("chemical_kinetics", f"rate {rate}") == pytest.approx(published, rel=3e-3)


def test_simulation_fits_as_well_as_the_published_one() -> None:
    assert number("chemical_kinetics", "sum of squares") == pytest.approx(19.872, abs=2e-3)


# ---------------------------------------------------------------- time series

@pytest.mark.parametrize(("label", "published", "within"), [("noise", 15099.0, 1.0), ("steps", 1469.1, 0.15)])
def test_state_space_model_has_the_published_variances(label: str, published: float, within: float) -> None:
    assert number("nile_local_level", f"variance of the {label}") == pytest.approx(published, abs=within)


def test_walk_ends_at_the_gradient() -> None:
    walked = number("walk_through_a_loop", "gradient")
    assert walked == pytest.approx(number("walk_through_a_loop", "by differences"), rel=1e-6)
    flow = np.loadtxt(EXAMPLES / "data" / "nile.csv", delimiter=",", skiprows=1)[:4, 1]
    assert [float(e) for e in lists("error_saved")[:3]] == [flow[1] - flow[0], -177.0, 158.5]


def lists(name: str) -> list[str]:
    """The last entry of each state of a list that the walk shows while the list grows."""
    found = re.findall(rf"{name} = \[([^\]]+)\]", output("walk_through_a_loop"))
    assert found, output("walk_through_a_loop")
    return [entries.split(", ")[-1] for entries in found]


def test_walk_finds_the_best_share() -> None:
    assert number("walk_through_a_loop", "best alpha") == pytest.approx(0.2466, abs=1e-4)
