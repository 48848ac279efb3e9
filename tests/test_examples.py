"""The examples run as programs, on their real data, and give the results that they state."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"


def output_of(name: str, function: str) -> str:
    """What the example prints, the source of the generated `function` included."""
    pytest.importorskip("scipy")
    run = subprocess.run([sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")], capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=120)
    assert run.returncode == 0, run.stderr
    assert not run.stderr
    source = re.search(rf"^def {function}\(.*?\n\n", run.stdout, re.MULTILINE | re.DOTALL)
    assert source, run.stdout
    compile(source[0], name, "exec")
    assert re.search(r"^    # line \d+: ", source[0], re.MULTILINE)
    return run.stdout


def number(output: str, label: str) -> float:
    """The number after `label:` at the start of a line."""
    found = re.search(rf"^ *{label}: +(\S+)", output, re.MULTILINE)
    assert found, f"no line {label!r} in\n{output}"
    return float(found[1])


def test_curves_have_the_parameters_that_nist_certifies() -> None:
    output = output_of("nist_curve_fits", "sum_of_squares_value_and_grad")
    lines = re.findall(r"^ *(\w+): .*sum of squares (\S+), .* parameter (\S+)$", output, re.MULTILINE)
    assert [name for name, *_ in lines] == ["Misra1a", "MGH17", "Hahn1", "Thurber", "Rat43", "Eckerle4"]
    for name, squares, error in lines:
        assert float(error) <= 1e-6
        assert float(squares) == pytest.approx(certified_squares(name), rel=1e-9)


def certified_squares(curve: str) -> float:
    """NIST's sum of squares."""
    text = (EXAMPLES / "data" / "nist" / f"{curve}.dat").read_text()
    found = re.search(r"Residual Sum of Squares: +(\S+)", text)
    assert found
    return float(found[1])


def test_logistic_regression_gives_the_published_estimates() -> None:
    output = output_of("logistic_regression", "loss_grad")
    for name, published in {"constant": -42.638, "sepal length": -2.465, "sepal width": -6.681, "petal length": 9.429,
                            "petal width": 18.286, "deviance": 11.899}.items():
        assert number(output, name) == pytest.approx(published, abs=1.5e-3), name
    assert number(output, "gradient norm") <= 1e-7


def test_network_reads_digits_that_it_has_not_seen() -> None:
    output = output_of("digits_network", "loss_value_and_grad")
    assert number(output, "test accuracy") > 0.92


def test_simulation_recovers_the_published_rates() -> None:
    output = output_of("chemical_kinetics", "misfit_value_and_grad")
    for rate, published in enumerate([5.93e-5, 2.96e-5, 2.05e-5, 2.75e-4, 4.00e-5], start=1):
        assert number(output, f"rate {rate}") == pytest.approx(published, rel=3e-3), rate
    assert number(output, "sum of squares") == pytest.approx(19.872, abs=2e-3)


def test_state_space_model_has_the_published_variances() -> None:
    output = output_of("nile_local_level", "deviance_grad")
    assert number(output, "variance of the noise") == pytest.approx(15099, abs=1)
    assert number(output, "variance of the steps") == pytest.approx(1469.1, abs=0.15)


def test_walk_through_a_loop_ends_at_the_gradient() -> None:
    output = output_of("walk_through_a_loop", "forecast_error_grad")
    assert number(output, "gradient") == pytest.approx(number(output, "by differences"), rel=1e-6)
    # the errors that the loop keeps for the first four years, as the walk shows the list after each turn
    assert re.findall(r"error_saved = (\[[^]]+\])", output)[:3] == ["[40]", "[40, -177]", "[40, -177, 158.5]"]
    assert number(output, "best alpha") == pytest.approx(0.2466, abs=1e-4)
