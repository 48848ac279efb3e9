"""All Python in README and docs runs, and so do the examples in the package's docstrings.

The blocks of one page run one after the other with the same names.  Blocks with prompts are compared with what they
print.  A block right after the comment `<!-- not run: why -->` is only compiled.
"""
from __future__ import annotations

import doctest
import importlib
import linecache
import pkgutil
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import srcgrad

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.joinpath("docs").rglob("*.md"))]
BLOCK = re.compile(r"^(?P<skip><!-- not run: [^\n]+ -->\n)?```(?:python|pycon)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    text: str
    runs: bool

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(page, text.count("\n", 0, found.start("text")) + 1, found["text"], not found["skip"])
            for found in BLOCK.finditer(text)]


def run(block: Block, names: dict[str, Any]) -> None:
    if ">>>" in block.text:
        run_prompts(block, names)
        return
    code = compile(block.text, f"<{block.name}>", "exec")
    # functions of the block can be differentiated only if their source can be found
    linecache.cache[f"<{block.name}>"] = len(block.text), None, block.text.splitlines(True), f"<{block.name}>"
    if block.runs:
        exec(code, names)


def run_prompts(block: Block, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, block.name, str(block.page), block.line - 1)
    report: list[str] = []
    if block.runs:
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
    assert not report, "".join(report)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_code_blocks_of_a_page(page: Path) -> None:
    names: dict[str, Any] = {"__name__": "__page__"}
    for block in blocks(page):
        run(block, names)


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


def test_blocks_are_found_with_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    skipped, shell = "<!-- not run: too long -->\n```python\ny = 1\n```\n", "```bash\nls\n```\n"
    page = page_of(tmp_path, "# a\n\n```python\nx = 1\n```\n" + skipped + shell)
    assert [(b.name, b.text, b.runs) for b in blocks(page)] == [
        ("page.md:4", "x = 1\n", True), ("page.md:8", "y = 1\n", False)]


@pytest.mark.parametrize(("text", "error"), [
    ("```python\n1 / 0\n```\n", ZeroDivisionError),
    ("```python\nx = 1\n```\n\n```pycon\n>>> x + 1\n3\n```\n", AssertionError),
    ("<!-- not run: why -->\n```python\nx = = 1\n```\n", SyntaxError),
])
def test_wrong_blocks_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, error: type[Exception]) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    with pytest.raises(error):
        test_code_blocks_of_a_page(page_of(tmp_path, text))
