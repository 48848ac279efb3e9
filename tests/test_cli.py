"""The command line: sources on standard output, one clear sentence for every failure."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import srcgrad
from srcgrad.cli import main

ROOT = Path(__file__).resolve().parent.parent

MODEL = '''
import numpy as np
from srcgrad import grad

print("the file runs")
start = np.ones(3)
number = 7


def loss(w, X, scale=2.0):
    return np.sum((X @ w) ** 2) * scale


class Net:
    def energy(self, x):
        return x * x


@grad
def slope(x):
    return x * x


def unsupported(x):
    return open(x)
'''


@pytest.fixture
def model(tmp_path, monkeypatch):
    path = tmp_path / "cli_model.py"
    path.write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield path
    for name in ("cli_model", "_srcgrad_cli_model"):
        sys.modules.pop(name, None)


@pytest.fixture
def run(capsys):
    def run(*argv):
        code = main(list(argv))
        captured = capsys.readouterr()
        return code, captured.out, captured.err
    return run


def test_show_prints_the_source_and_nothing_else(model, run):
    code, out, err = run("show", f"{model}:loss")
    assert code == 0 and out.startswith("# For any") and "\ndef loss_grad(w, X, scale" in out and out.endswith("\n")
    assert err == "the file runs\n"
    compile(out, "shown", "exec")


def test_show_takes_a_module_and_names_inside(model, run):
    for target in ("cli_model:Net.energy", "cli_model.py:Net.energy"):
        code, out, _ = run("show", target, "--wrt", "x")
        assert code == 0 and "def energy_grad(self, x)" in out


def test_show_with_arguments_is_what_runs_for_them(model, run):
    code, out, _ = run("show", f"{model}:loss", "--args", "start, np.ones((2, 3))", "--wrt", "w, scale")
    import cli_model
    expected = srcgrad.grad(cli_model.loss, ("w", "scale")).source(cli_model.start, cli_model.np.ones((2, 3)))
    assert code == 0 and out.strip() == expected.strip()


def test_show_the_value_and_derivatives_that_the_file_makes(model, run):
    assert "\ndef loss_value_and_grad(w, X, scale" in run("show", f"{model}:loss", "--value")[1]
    assert "\ndef slope_grad(x)" in run("show", f"{model}:slope")[1]
    assert run("show", f"{model}:slope", "--args", "2.0")[1].startswith("def slope_grad(x)")


def test_show_stages(model, run):
    code, out, _ = run("show", f"{model}:loss", "--stage", "all")
    names = [line.split()[-1] for line in out.splitlines() if line.startswith("# -----")]
    assert code == 0 and len(names) > 2
    code, one, _ = run("show", f"{model}:loss", "--stage", names[0])
    assert code == 0 and one.strip() in out
    code, out, err = run("show", f"{model}:loss", "--stage", "nothing")
    assert code == 2 and not out and f"the stages are {', '.join(names)}" in err


def test_show_writes_a_file(model, run, tmp_path):
    code, out, _ = run("show", f"{model}:loss", "-o", str(tmp_path / "out.py"))
    assert code == 0 and not out
    assert (tmp_path / "out.py").read_text() == run("show", f"{model}:loss")[1]
    code, _, err = run("show", f"{model}:loss", "-o", str(tmp_path / "no" / "out.py"))
    assert code == 1 and "can't be written" in err


@pytest.mark.parametrize("argv, code, text", [
    ([], 2, "required: COMMAND"), (["fly"], 2, "invalid choice: 'fly'"), (["show"], 2, "the function is missing"),
    (["show", "m.py:f", "--fast"], 2, "--fast"),
    (["show", "cli_model.py"], 2, "several functions, loss, slope, unsupported: name one, as in"),
    (["show", "cli_model.py:"], 2, "names no function"), (["show", "nothing.py:f"], 2, "there is no file nothing.py"),
    (["show", "no_module:f"], 2, "there is no module 'no_module'"),
    (["show", "cli_model.py:lost"], 2, "cli_model.py has no 'lost'; it defines loss, Net, slope, unsupported"),
    (["show", "cli_model.py:number"], 2, "'number' in cli_model.py is no function but of type int"),
    (["show", "cli_model.py:loss", "--wrt", "z"], 2, "loss has no argument 'z'"),
    (["show", "cli_model.py:loss", "--wrt", "7"], 2, "loss has no argument 7"),
    (["show", "cli_model.py:loss", "--wrt", "w,,X"], 2, "empty name"),
    (["show", "cli_model.py:loss", "--args", "1 +"], 2, "--args is no Python expression"),
    (["show", "cli_model.py:loss", "--args", "lost"], 1, "--args failed: NameError: name 'lost' is not defined"),
    (["show", "cli_model.py:loss", "--args", "start"], 2, "missing 1 required positional argument: 'X'"),
    (["show", "cli_model.py:loss", "--args", "None, None"], 2, "the argument 'w' is None"),
    (["show", "cli_model.py:np.max_"], 2, "no 'np.max_'")])
def test_wrong_use_is_one_sentence(model, run, argv, code, text):
    found, out, err = run(*argv)
    message = err.replace("the file runs\n", "")
    assert (found, out) == (code, "")
    assert message.startswith("srcgrad: ") and text in message and "Traceback" not in message


@pytest.mark.parametrize("body, text", [
    ("1 / 0", "failed when it was run: ZeroDivisionError: division by zero (line 2 of broken.py)"),
    ("def f(:", "broken.py failed when it was run: SyntaxError: invalid syntax (line 2)"),
    ("import nowhere", "No module named 'nowhere'"), ("raise SystemExit(3)", "SystemExit: 3")])
def test_a_file_that_fails(model, run, body, text):
    (model.parent / "broken.py").write_text("\n" + body + "\n")
    code, out, err = run("show", "broken.py:f")
    sys.modules.pop("broken", None)
    assert (code, out) == (1, "") and text in err and "Traceback" not in err
    code, _, err = run("show", "broken:f")
    assert code == 1 and err.startswith("srcgrad: importing broken failed: ")


def test_what_is_refused_exits_with_1(model, run):
    code, out, err = run("show", f"{model}:unsupported", "--args", "1.0")
    assert (code, out) == (1, "") and "open" in err and "Traceback" not in err


def test_help_and_version(run):
    code, out, _ = run("--help")
    assert code == 0 and "examples:" in out and "srcgrad show model.py:loss" in out
    code, out, _ = run("show", "--help")
    assert code == 0 and "--wrt NAMES" in out
    assert run("--version") == (0, f"srcgrad {srcgrad.__version__}\n", "")


def test_as_a_process(model):
    done = subprocess.run([sys.executable, "-m", "srcgrad", "show", f"{model}:lost"], capture_output=True,
                          text=True, cwd=ROOT)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("srcgrad: ")
