"""Generated sources, kept to be read: each is exactly what its golden file says, on every version of Python.

    python -m pytest tests/test_golden.py --regenerate

writes the files anew, and the generated texts in README and design page.  Read what has changed before it is committed.
"""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from golden import pages
from golden.cases import CASES, HERE, Case, Printed, at_line_one
from harness import check_program
from srcgrad import grad


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_generated_source(case: Case, request: pytest.FixtureRequest) -> None:
    text = case.text()
    if request.config.getoption("--regenerate"):
        case.path.write_text(text, encoding="utf-8")
    assert case.path.is_file(), f"{case.path.name} is missing: run pytest tests/test_golden.py --regenerate"
    assert text == case.path.read_text(encoding="utf-8")


def test_pages_show_what_is_generated(request: pytest.FixtureRequest) -> None:
    wanted = pages.wanted()
    if request.config.getoption("--regenerate"):
        for (page, name), text in wanted.items():
            pages.write_block(page, name, text)
    assert {place: pages.block(*place).strip() for place in wanted} == {k: text.strip() for k, text in wanted.items()}


def test_every_file_has_a_case() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(CASES)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_text_is_python_that_names_lines_of_the_program(case: Case) -> None:
    program, *texts = re.split(r"^# ---- .*\n", case.text(), flags=re.MULTILINE)
    for text in texts:
        compile(text, case.path.name, "exec")
        assert re.search(r"# line \d+: ", text)


def test_same_text_when_compiled_again() -> None:
    case = CASES["coupled_fields"]
    assert case.text() == case.text()


def test_moved_function_is_the_same_program() -> None:
    """What is printed is the derivative of the program as it stands in its own file, but for the line numbers."""
    case = CASES["callee_writes"]
    printed = case.printed[0]
    assert isinstance(printed, Printed) and printed.args is not None
    here, alone = (grad(f, argnums=printed.argnums) for f in (case.function, at_line_one(case.function)))
    lines = re.compile(r"line \d+")
    assert lines.sub("", here.source(*printed.args)) == lines.sub("", alone.source(*printed.args))
    assert here.source(*printed.args) != alone.source(*printed.args)


VARIANTS = [case for case in CASES.values() if case.function.__module__.endswith("variants")]


@pytest.mark.parametrize("case", VARIANTS, ids=lambda case: case.function.__name__)
def test_variants_are_right(case: Case) -> None:
    """The programs of the corpus are checked elsewhere; these programs are here only."""
    for printed in case.printed:
        if printed.by is grad and printed.args is not None:
            wrt = printed.argnums if isinstance(printed.argnums, tuple) else (printed.argnums,)
            check_program(case.function, printed.args, wrt)


def test_texts_do_not_depend_on_the_order_of_sets() -> None:
    code = ("import sys; sys.path[:0] = sys.argv[1:]; from corpus import PROGRAMS; from srcgrad import grad\n"
            "for name in ('lambdas_by_name', 'function_by_branch', 'dict_of_fields', 'layers_by_inheritance'):\n"
            "    p = PROGRAMS[name]; print(grad(p.function, argnums=p.argnums).source(*p.inputs[0]))")
    paths = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
    texts = {subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True,
                            env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in ("1", "4")}
    assert len(texts) == 1
