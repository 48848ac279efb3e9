"""What users read when srcgrad refuses: every text as it is, kept in `refusals.txt` to be read as prose.

    python -m pytest tests/refusals --regenerate

writes the file anew.  Read what has changed before it is committed.
"""
from __future__ import annotations

import inspect
import linecache
import re
import textwrap
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refusals import programs
from refusals.programs import REFUSED, WRONG
from srcgrad import SrcgradError, grad

FILE = Path(__file__).parent / "refusals.txt"


def alone(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function as if it stood in a file of its own, so that lines count from 1 whatever stands above it."""
    text = textwrap.dedent(inspect.getsource(f))
    text = text[text.index("def "):]
    name = f"{f.__name__}.py"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    names = dict(vars(programs))
    exec(compile(text, name, "exec"), names)
    found = names[f.__name__]
    assert isinstance(found, types.FunctionType)
    return found


def refusal(call: Callable[[], Any]) -> SrcgradError:
    with pytest.raises(SrcgradError) as caught:
        call()
    return caught.value


def errors() -> dict[str, tuple[Callable[..., Any], SrcgradError]]:
    """Each program with what is raised."""
    found = {}
    for name, (f, args) in REFUSED.items():
        program = alone(f)
        found[name] = program, refusal(lambda program=program, args=args: grad(program)(*args))
    for name, f in WRONG.items():
        program = alone(f)
        found[name] = program, refusal(program)
    return found


def page() -> str:
    parts = []
    for program, error in errors().values():
        source = "".join(linecache.getlines(program.__code__.co_filename)).strip()
        parts.append(f"{source}\n\n{textwrap.indent(f'{type(error).__name__}: {error}', '  > ')}\n")
    return ("\n" + "-" * 100 + "\n\n").join(parts)


def test_texts_are_those_of_the_file(request: pytest.FixtureRequest) -> None:
    text = page()
    if request.config.getoption("--regenerate"):
        FILE.write_text(text, encoding="utf-8")
    assert text == FILE.read_text(encoding="utf-8")


def test_there_are_many() -> None:
    assert len(REFUSED) + len(WRONG) >= 60


@pytest.mark.parametrize("name", [*REFUSED, *WRONG])
def test_says_what_and_what_to_do(name: str) -> None:
    f, args = REFUSED.get(name, (None, ()))
    program = alone(f or WRONG[name])
    error = refusal((lambda: grad(program)(*args)) if f else program)
    assert error.what and error.remedy
    assert "\n" not in error.what and not error.what.endswith(".")
    assert not re.search(r"\b[Yy]ou (may|should)\b|!|[A-Z]{2,}Error", error.what + error.remedy)
    if f:
        assert error.at is not None and error.at.file == f"{name}.py"
        shown = linecache.getline(error.at.file, error.at.line).strip()
        assert shown in str(error) and "^" in str(error)
