"""Each command line as a process: what it writes where, and how it exits."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GOLDEN = ROOT / "tests" / "golden" / "cli"
MODEL = "model.py"
W = "np.array([0.1, 0.2]), np.ones((3, 2)), np.ones(3)"


def run(*argv: str, stdin: str | None = None, cwd: Path = HERE, **env: str) -> subprocess.CompletedProcess[str]:
    where = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"PYTHONPATH": str(ROOT), **env}
    return subprocess.run([sys.executable, "-m", "srcgrad", *argv], cwd=cwd, env=where, input=stdin,
                          capture_output=True, text=True, timeout=120)


def source(*argv: str, **more: str) -> str:
    """What a command that works writes: it says nothing beside that."""
    done = run(*argv, **more)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


# ---------------------------------------------------------------- texts as they are read

TEXTS = {
    "show_general.txt": ("show", f"{MODEL}:loss"),
    "show_for_arguments.txt": ("show", f"{MODEL}:loss", "--args", W),
    "show_annotated.txt": ("show", f"{MODEL}:decay"),
    "show_side_by_side.txt": ("show", f"{MODEL}:decay", "--args", "start, 0.1, 2", "--side-by-side"),
    "emit_for_arguments.txt": ("emit", f"{MODEL}:loss", "--wrt", "w,scale", "--args", f"{W}, 2.0"),
    "emit_general.txt": ("emit", f"{MODEL}:mixed", "--value"),
    "explain.txt": ("explain", f"{MODEL}:decay", "--args", "start, 0.1, 2"),
    "explain_refused.txt": ("explain", f"{MODEL}:wrong", "--args", "2.0"),
    "help.txt": ("--help",),
    "help_show.txt": ("show", "--help"),
    "help_emit.txt": ("emit", "--help"),
    "help_check.txt": ("check", "--help"),
    "help_explain.txt": ("explain", "--help"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_as_they_were(name: str, request: pytest.FixtureRequest) -> None:
    if name.startswith("help") and sys.version_info[:2] != (3, 11):
        pytest.skip("argparse lays its help out anew with every Python")
    text = source(*TEXTS[name], COLUMNS="100").replace(f"{HERE}{os.sep}", "")
    if name == "emit_general.txt":
        # the helpers' own texts are no matter of this file
        text = text.partition("\n\n\ndef check_scalar")[0] + "\n"
    if request.config.getoption("--regenerate", default=False):
        GOLDEN.mkdir(exist_ok=True)
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


# ---------------------------------------------------------------- show

def test_functions_come_from_files_modules_standard_input_and_the_command_line() -> None:
    code = "def f(x):\n    return x * x\n"
    texts = {source("show", "-c", code), source("show", "-c", code, "f"), source("show", "-", stdin=code),
             source("show", "-:f", stdin=code)}
    assert len(texts) == 1 and "2.0 * x" in texts.pop()
    assert source("show", "model:loss") == source("show", f"{MODEL}:loss")
    assert "2.0 * x" in source("show", "-c", code, "--args", "3.0")


def test_colours(tmp_path: Path) -> None:
    plain = source("show", f"{MODEL}:loss")
    assert "\x1b" not in plain
    coloured = source("show", f"{MODEL}:loss", "--color", "always")
    assert "\x1b[" in coloured
    assert "\x1b" not in source("show", f"{MODEL}:loss", "--color", "never")
    written = tmp_path / "out.py"
    assert source("show", f"{MODEL}:loss", "--color", "always", "-o", str(written)) == ""
    assert written.read_text() == plain


def test_colours_of_a_terminal() -> None:
    pty = pytest.importorskip("pty")
    for env, wanted in (({}, True), ({"NO_COLOR": "1"}, False)):
        main, other = pty.openpty()
        where = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"PYTHONPATH": str(ROOT), **env}
        command = [sys.executable, "-m", "srcgrad", "show", "-c", "def f(x): return x * x"]
        subprocess.run(command, env=where, stdout=other, check=True)
        os.close(other)
        assert (b"\x1b[" in os.read(main, 10_000)) == wanted
        os.close(main)


def test_without_pygments_it_is_plain(tmp_path: Path) -> None:
    (tmp_path / "pygments.py").write_text("raise ImportError('not here')")
    text = source("show", f"{MODEL}:loss", "--color", "always", PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert text == source("show", f"{MODEL}:loss")


# ---------------------------------------------------------------- emit

def test_a_module_is_written_and_checked(tmp_path: Path) -> None:
    written = tmp_path / "loss_grad.py"
    ask = ("emit", f"{MODEL}:loss", "--args", W, "-o", str(written))
    assert source(*ask) == ""
    assert source(*ask, "--check") == ""
    program = "import numpy as np, loss_grad; print(*loss_grad.loss_grad(" + W + "))"
    alone = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    sys.path.insert(0, str(HERE))
    try:
        import model

        from srcgrad import grad
        want = grad(model.loss)(np.array([0.1, 0.2]), np.ones((3, 2)), np.ones(3))
    finally:
        sys.path.remove(str(HERE))
    assert list(map(float, alone.stdout.split())) == want.tolist()
    written.write_text(written.read_text().replace("scale=0.5", "scale=0.7"))
    stale = run(*ask, "--check")
    assert stale.returncode == 1 and stale.stdout == ""
    assert f"{written} is stale" in stale.stderr and "-def loss_grad(w, X, y, scale=0.7):" in stale.stderr


def test_a_module_says_how_it_was_made() -> None:
    text = source("emit", f"{MODEL}:loss", "--args", W)
    command = f"srcgrad emit {MODEL}:loss --args '{W}'"
    assert command in text
    assert source("emit", f"{MODEL}:loss", "--args", W) == text


# ---------------------------------------------------------------- check

def test_check_reports_on_standard_error_and_by_its_exit() -> None:
    done = run("check", f"{MODEL}:decay", "--args", "start, 0.1, 2", "--wrt", "u,rate")
    assert (done.returncode, done.stdout) == (0, "")
    assert "5 entries of the gradient agree" in done.stderr and "u[3]" in done.stderr and "rate" in done.stderr
    done = run("check", "-c", "import numpy as np\ndef f(x): return np.sum(np.floor(x * 1e9) * 1e-9)", "--args",
               "np.ones(2)")
    assert done.returncode == 1 and "2 of 2 entries" in done.stderr and "*" in done.stderr
    assert run("check", f"{MODEL}:wrong", "--args", "2.0").returncode == 1


# ---------------------------------------------------------------- wrong use

@pytest.mark.parametrize(("argv", "code", "said"), [
    (("show", "lost.py:f"), 2, "there is no file lost.py"),
    (("show", "lost:f"), 2, "there is no module 'lost'"),
    (("show", f"{MODEL}:lost"), 2, "model.py has no 'lost'; it defines loss, decay, mixed, wrong"),
    (("show", f"{MODEL}:start"), 2, "'start' in model.py is no function but of type ndarray"),
    (("show", MODEL), 2, "model.py defines several functions, loss, decay, mixed, wrong"),
    (("show",), 2, "the function is missing"),
    (("show", "-c", "x = 1"), 2, "the code defines no function"),
    (("show", "-c", "def f(:"), 1, "invalid syntax"),
    (("show", "-c", "1 / 0"), 1, "ZeroDivisionError"),
    (("show", f"{MODEL}:loss", "--wrt", "q"), 2, "loss has no argument 'q'"),
    (("show", f"{MODEL}:loss", "--args", "1 +"), 2, "--args is no Python expression"),
    (("show", f"{MODEL}:loss", "--args", "lost"), 1, "name 'lost' is not defined"),
    (("show", f"{MODEL}:loss", "--args", "start"), 2, "missing 2 required positional arguments"),
    (("show", f"{MODEL}:loss", "--stage", "none"), 2, "there is no stage 'none'"),
    (("show", f"{MODEL}:loss", "--stage", "final", "--side-by-side"), 2, "leave out --stage"),
    (("show", f"{MODEL}:loss", "--color", "blue"), 2, "invalid choice: 'blue'"),
    (("show", f"{MODEL}:wrong", "--args", "2.0"), 1, "model.py"),
    (("emit", f"{MODEL}:loss", "--check"), 2, "name it with -o FILE"),
    (("emit", f"{MODEL}:loss", "--check", "-o", "lost.py"), 1, "lost.py can't be read"),
    (("emit", f"{MODEL}:loss", "-o", "lost/lost.py"), 1, "can't be written"),
    (("check", f"{MODEL}:loss"), 2, "check needs arguments: add --args EXPR"),
    (("check", f"{MODEL}:loss", "--args", "start"), 2, "missing 2 required positional arguments"),
    (("explain", f"{MODEL}:loss", "--args", "None, 1, 2"), 2, "the argument 'w' is None"),
    (("fly",), 2, "invalid choice: 'fly'"), ((), 2, "COMMAND"),
])
def test_wrong_use_is_one_clear_sentence(argv: tuple[str, ...], code: int, said: str) -> None:
    done = run(*argv)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert done.stderr.startswith("srcgrad: ") and said in done.stderr and "Traceback" not in done.stderr


def test_version_and_the_script() -> None:
    assert source("--version") == "srcgrad 0.1.0\n"
    script = Path(sys.executable).with_name("srcgrad")
    if script.exists():
        shown = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
        assert shown.stdout == "srcgrad 0.1.0\n"


# ---------------------------------------------------------------- arguments with keywords, files of packages

KEYWORDS = "import numpy as np\ndef f(x, *, k): return np.sum(k * x * x)\n"


def test_arguments_may_have_keywords(tmp_path: Path) -> None:
    given = ("--args", "np.ones(2), k=0.5")
    assert "return 2.0 * k * x" in source("show", "-c", KEYWORDS, *given)
    assert "def f(x, *, k)" in source("show", "-c", KEYWORDS, *given, "--stage", "core")
    assert "k: float" in source("explain", "-c", KEYWORDS, "--args", "x=np.ones(2), k=0.5")
    emitted = source("emit", "-c", KEYWORDS, *given)
    assert "def f_grad(x, *, k):" in emitted and "k must be of type float" in emitted
    done = run("check", "-c", KEYWORDS, *given, "--wrt", "x,k")
    assert done.returncode == 0 and "3 entries of the gradient agree" in done.stderr and "  k " in done.stderr


@pytest.mark.parametrize("argv, said", [
    (("show", "--args", "np.ones(2), k=1.0)"), "--args is no Python expression, and no arguments of a call"),
    (("show", "--args", ""), "--args is no Python expression, and no arguments of a call"),
    (("show", "--args", "np.ones(2), q=1.0"), "got an unexpected keyword argument 'q'"),
    (("check", "--args", "2, k=1.0"), "hold no floating-point numbers, so there is nothing to compare"),
    (("check", "--args", "2.0, k=1.0", "--rtol", "-1"), "argument --rtol: -1 is less than 0"),
    (("check", "--args", "2.0, k=1.0", "--rows", "0"), "argument --rows: 0 is less than 1"),
])
def test_arguments_that_make_no_question(argv: tuple[str, ...], said: str) -> None:
    done = run(argv[0], "-c", KEYWORDS, *argv[1:])
    assert (done.returncode, done.stdout) == (2, "") and said in done.stderr


def test_a_file_of_a_package_is_a_module_of_it(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    (inner.parent / "constants.py").write_text("RATE = 2.0\n")
    (inner / "model.py").write_text("from ..constants import RATE\ndef f(x):\n    return RATE * x * x\n")
    text = source("show", "outer/inner/model.py:f", "--args", "3.0", cwd=tmp_path)
    assert text == source("show", "outer.inner.model:f", "--args", "3.0", cwd=tmp_path)
    assert text == source("show", "model.py", "--args", "3.0", cwd=inner)
