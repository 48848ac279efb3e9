"""All Python in README and docs runs, and so do their commands, and the examples in the package's docstrings.

    python -m pytest tests/docs --regenerate

writes what blocks print into the pages anew.  Read what has changed before it is committed.
"""
from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import srcgrad
from docblocks import PAGES, blocks, matches, run_page, write


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a page's files are written and its blocks run."""
    place = tmp_path / "page"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.syspath_prepend(str(place))
    return place


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_code_blocks_of_a_page(page: Path, directory: Path, request: pytest.FixtureRequest) -> None:
    wrong = run_page(page, directory)
    if request.config.getoption("--regenerate"):
        write(page, wrong)
    else:
        assert [(old.name, old.text) for old, _ in wrong] == [(new.name, new.text) for _, new in wrong]


def modules() -> list[str]:
    found = pkgutil.walk_packages(srcgrad.__path__, "srcgrad.", onerror=lambda name: None)
    return [m.name for m in found if not m.name.endswith("__main__")]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


# ---------------------------------------------------------------- the machinery itself

def page_of(directory: Path, text: str) -> Path:
    page = directory / "page.md"
    page.write_text(text)
    return page


def test_blocks_are_found_with_their_lines(tmp_path: Path) -> None:
    skipped, shell = "<!-- not run: too long -->\n```python\ny = 1\n```\n", "```bash\nls\n```\n"
    page = page_of(tmp_path, "# a\n\n```python\nx = 1\n```\n" + skipped + shell)
    assert [(b.name, b.text, b.runs) for b in blocks(page)] == [
        ("page.md:4", "x = 1\n", True), ("page.md:8", "y = 1\n", False)]


@pytest.mark.parametrize(("text", "error"), [
    ("```python\n1 / 0\n```\n", ZeroDivisionError),
    ("```python\nx = 1\n```\n\n```pycon\n>>> x + 1\n3\n```\n", AssertionError),
    ("<!-- not run: why -->\n```python\nx = = 1\n```\n", SyntaxError),
    ("```console\n$ false\n```\n", AssertionError),
])
def test_wrong_blocks_fail(tmp_path: Path, directory: Path, text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        run_page(page_of(tmp_path, text), directory)


@pytest.mark.parametrize("wrong", [
    "```python\nprint(1)\n```\n<!-- output -->\n```text\n2\n```\n",
    "```console\n$ echo 1\n2\n```\n",
    "```console\n$ echo 2\n2\n$ echo 1\n2\n```\n",
])
def test_wrong_output_is_found_and_mended(tmp_path: Path, directory: Path, wrong: str) -> None:
    page = page_of(tmp_path, f"# a\n\n{wrong}\n```python\nx = 3\n```\n\n{wrong}")
    changes = run_page(page, directory)
    assert len(changes) == 2
    write(page, changes)
    at = wrong.rindex("2")
    right = wrong[:at] + "1" + wrong[at + 1:]
    assert page.read_text() == f"# a\n\n{right}\n```python\nx = 3\n```\n\n{right}"


def test_files_are_there_for_commands_and_imports(tmp_path: Path, directory: Path) -> None:
    file = "<!-- file: numbers_of_page.py -->\n```python\nN = 3\n```\n"
    use = "```console\n$ python -c 'import numbers_of_page as n; print(n.N)'\n3\n```\n"
    assert run_page(page_of(tmp_path, file + use + "```python\nimport numbers_of_page\n```\n"), directory) == []


def test_dots_stand_for_any_text() -> None:
    assert matches("a 1\nb 2\nc\n", "a ...\nc\n")
    assert not matches("a 1\nb\n", "a ...\nc\n")
