"""What derivatives offer in Python itself: texts, debuggers, notebooks, type checkers."""
from __future__ import annotations

import io
import pdb
import re
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

from srcgrad import grad, value_and_grad
from srcgrad.backends.views.side_by_side import side_by_side
from srcgrad.lang.source import find
from srcgrad.testing import Entry, Report, compare_with_differences

ROOT = Path(__file__).resolve().parent.parent.parent


def drift(x, steps):
    y = x * 1.0
    for _ in range(steps):
        y = y + 0.1 * np.sin(y)
    return np.sum(y * y)


def risky(x, n):
    a = np.zeros(3)
    y = x * x
    a[n] = y
    return np.sum(a)


# ---------------------------------------------------------------- texts

def test_explain_says_what_is_kept_and_why() -> None:
    text = grad(drift).explain(np.ones(4), 5)
    lines = text.splitlines()
    assert any("y = y + 0.1 * np.sin(y)" in line and "y: float64 array of rank 1, active" in line for line in lines)
    kept = [line for line in lines if "y_saved" in line]
    # five times four numbers of eight bytes
    assert len(kept) == 1 and "160 bytes" in kept[0] and "read for line" in kept[0]
    assert "x: float64 array of rank 1, active" in text and "steps: int" in text


def test_explain_shows_functions_that_were_put_in_place() -> None:
    def slope(angle, steepness):
        turned = np.sin(angle)
        return steepness * turned

    def path(x):
        first = slope(x, 2.0)
        return np.sum(slope(first, 3.0))

    _, _, page = grad(path).explain(np.ones(4)).partition("slope, put in place\n")
    line = next(line for line in page.splitlines() if "turned = np.sin(angle)" in line)
    assert "turned: float64 array of rank 1, active" in line


def scaled(x, k):
    y = x * x

    for entry in y:
        k = k + entry * entry
    return k * y


def total_of_scaled(x):
    start = 2.0
    y = scaled(x, start)
    return np.sum(y)


def test_lines_of_functions_that_were_put_in_place_are_their_own() -> None:
    """The reversal of a callee stands beside the callee's lines, and beside the call, not beside what follows it."""
    page = grad(total_of_scaled).explain(np.ones(4))
    own, _, inside = page.partition("scaled, put in place\n")
    assert "|" not in next(line for line in own.splitlines() if "return np.sum(y)" in line)
    read = {line.split("|")[0].strip()[2:].strip(): line for line in inside.splitlines() if "|" in line}
    assert "y: float64 array" in read["y = x * x"] and "reads k, y" in read["return k * y"]
    kept = inside.partition("Kept for the backward part")[2]
    assert "k = start: 8 bytes; read for line" in kept and kept.count("of scaled") == 3
    beside = side_by_side(find(total_of_scaled), grad(total_of_scaled).source(np.ones(4))).splitlines()
    at = next(k for k, line in enumerate(beside) if "return np.sum(y)" in line)
    assert "y_bar = 1.0" in beside[at] and any("reversed(range(len(y)))" in line for line in beside[:at])


def test_kinds_of_several_classes_are_named() -> None:
    class One:
        def of(self, x):
            return x

    class Two:
        def of(self, x):
            return 2.0 * x

    both = [One(), Two()]

    def summed(x):
        s = 0.0
        for part in both:
            s = s + part.of(x)
        return s

    assert "part: One or Two" in grad(summed).explain(1.0)


def test_explain_names_helpers_and_the_shadow() -> None:
    text = grad(drift).explain()
    assert "helper: unbroadcast" in text or "helper: gradient" in text
    assert "gradient: The gradient of the argument" in text


def test_explain_shows_what_is_refused() -> None:
    def bad(x):
        y = x * 2
        return float(str(y))
    text = grad(bad).explain(2.0)
    refused = [line for line in text.splitlines() if "return float(str(y))" in line]
    assert "refused: " in refused[0] and "Refused" in text


def test_notebooks_show_both_sides_in_colour() -> None:
    g = grad(drift)
    html = g._repr_html_()
    assert html.startswith("<table>") and html.count("<tr>") > 5 and "y_bar" in html and "style=" in html
    g(np.ones(3), 2)
    assert "y_bar" in g._repr_html_() and "<script" not in html
    refused = grad(eval("lambda x: x"))._repr_html_()
    assert refused.startswith("<pre>") and "&lt;lambda&gt;" in refused


# ---------------------------------------------------------------- tables

def test_tables_list_the_largest_errors_first() -> None:
    report = compare_with_differences(grad(drift), (np.linspace(0.1, 1.0, 3), 2))
    assert report.agrees and len(report.entries) == 3
    assert "x[2]" in report.table() and len(report.table(rows=1).splitlines()) == 3
    wrong = Report("f", (Entry("x", "x[0]", 1.0, 1.0, 1e-6), Entry("x", "x[1]", 1.0, 3.0, 1e-6)))
    assert not wrong.agrees and "x[1]" in wrong.table().splitlines()[2] and wrong.table().count("*") == 1
    assert not Report("f", (Entry("x", "x", float("nan"), 1.0, 1e-6),)).agrees


# ---------------------------------------------------------------- debuggers and profilers

def test_pdb_steps_through_the_generated_source() -> None:
    g = grad(drift)
    x = np.ones(2)
    g(x, 2)
    commands = io.StringIO("step\n" * 3 + "break\nlist\nnext\nnext\nwhere\np y_saved\ncontinue\n")
    said = io.StringIO()
    debugger = pdb.Pdb(stdin=commands, stdout=said, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    generated = g.select((x, 2), {})[0].artifact.forward
    debugger.runcall(generated, x, 2)
    shown = said.getvalue()
    assert "<generated drift_grad-" in shown
    assert "-> y_saved = []" in shown or "y_saved.append(y)" in shown
    assert "for _ in range(steps):" in shown and "# backward" in shown


def test_a_break_point_in_the_generated_source(tmp_path: Path) -> None:
    """The debugger is started from the outside, and stops in a line of the backward part."""
    (tmp_path / "program.py").write_text(
        "import numpy as np\nfrom srcgrad import grad\n"
        "def f(x):\n    y = np.sin(x)\n    return np.sum(y * y)\n"
        "g = grad(f)\nx = np.ones(2)\ng(x)\nbreakpoint()\nprint(g(x))\n")
    # from the next line into the call, through dispatch, to the text that runs
    commands = "tbreak f_grad\n" + "step\n" * 150 + "where\nquit\n"
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, input=commands, capture_output=True, text=True,
                          env={"PYTHONPATH": str(ROOT), "PATH": ""}, timeout=60)
    assert "<generated f_grad-" in done.stdout and "y_bar = 2.0 * y" in done.stdout


def test_errors_of_the_function_show_its_lines_and_the_generated_ones() -> None:
    with pytest.raises(IndexError) as caught:
        grad(risky)(2.0, 5)
    shown = "".join(traceback.format_exception(caught.value))
    assert "a[n] = " in shown and "<generated risky_grad-" in shown and "out of bounds" in shown


def test_line_profiler_counts_generated_lines() -> None:
    line_profiler = pytest.importorskip("line_profiler")
    g = grad(drift)
    x = np.ones(3)
    g(x, 4)
    generated = g.select((x, 4), {})[0].artifact.forward
    profiler = line_profiler.LineProfiler(generated)
    profiler.runcall(g, x, 4)
    said = io.StringIO()
    profiler.print_stats(said)
    assert "y_saved.append(y)" in said.getvalue()


# ---------------------------------------------------------------- type checkers

TYPED = """
from typing import Any
import numpy as np
from srcgrad import grad, value_and_grad
from srcgrad.backends.views.side_by_side import side_by_side
from srcgrad.lang.source import find

def loss(w: float, x: float, n: int = 3) -> float:
    return w * x * n

@grad
def plain(w: float, n: int) -> float:
    return w * n

@value_and_grad(argnums=1)
def both(w: float, x: float) -> float:
    return w * x

reveal_type(grad(loss).__call__)
reveal_type(plain.__call__)
reveal_type(both.__call__)
grad(loss)(1.0, 2.0, n=4)
grad(loss)("one", 2.0)
plain(1.0, n="three")
both(1.0)
"""


def test_type_checkers_see_the_parameters(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "typed.py").write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--follow-imports=silent", "typed.py"]
    env = {"MYPYPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    told = done.stdout.replace("builtins.", "").replace("Tuple", "tuple")
    assert re.search(r'"def \(w: float, x: float, n: int =( ...)?\) -> Any"', told), told
    assert '"def (w: float, n: int) -> Any"' in told
    assert '"def (w: float, x: float) -> tuple[float, Any]"' in told
    lines = TYPED.split("\n")
    for line in ('grad(loss)("one", 2.0)', 'plain(1.0, n="three")', "both(1.0)"):
        assert f"typed.py:{lines.index(line) + 1}: error" in told, told
    assert "Found 3 errors" in told


def test_value_and_grad_offers_the_same() -> None:
    both = value_and_grad(drift)
    assert both.explain(np.ones(2), 1) and both._repr_html_()
