"""The code blocks of a page of documentation, and what is done with them.

A comment on the line above a block says what it is:

    <!-- not run: why -->    the block is only compiled
    <!-- file: model.py -->  the block is a file of that name, written to the page's directory before it runs
    <!-- output -->          the block is what the block before it has printed

Blocks of Python run one after the other with the same names.  Blocks with prompts are compared with what they print.
In a block of the language `console`, lines that begin with `$ ` are commands, run in the page's directory, and what is
below them is what they print; `...` stands for any text.  A command that fails ends the test: one that is meant
to is followed by `|| echo ...`.  All else (`text`, `toml`, `bash`) is only shown.
"""
from __future__ import annotations

import contextlib
import doctest
import io
import linecache
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.joinpath("docs").rglob("*.md"))]
BLOCK = re.compile(r"^(?:<!-- (?P<mark>[^\n]+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
RUN = ("python", "pycon", "console")


@dataclass(frozen=True)
class Block:
    """One block: where it stands, and what the comment above it says."""
    page: Path
    line: int
    language: str
    mark: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page.name}:{self.line}"

    @property
    def runs(self) -> bool:
        return not self.mark.startswith("not run: ")

    @property
    def file(self) -> str | None:
        return self.mark.removeprefix("file: ") if self.mark.startswith("file: ") else None

    @property
    def is_output(self) -> bool:
        return self.mark == "output"


def blocks(page: Path) -> list[Block]:
    """The blocks of a page that mean something to the tests."""
    text = page.read_text(encoding="utf-8")
    found = [Block(page, text.count("\n", 0, m.start("text")) + 1, m["language"], m["mark"] or "", m["text"])
             for m in BLOCK.finditer(text)]
    return [block for block in found if block.language in RUN or block.is_output or block.file]


# ---------------------------------------------------------------- running a page

class Session:
    """The names and the directory that the blocks of one page share."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.names: dict[str, Any] = {"__name__": "__page__"}
        self.printed = ""
        _write_commands(directory / ".bin")

    def run(self, block: Block) -> Block:
        """The block as it ought to be: another one only where it shows what was printed, and that is wrong."""
        if block.is_output:
            return block if matches(self.printed, block.text) else replace(block, text=self.printed)
        if block.language == "console":
            return self._commands(block) if block.runs else block
        if ">>>" in block.text:
            _run_prompts(block, self.names)
        elif block.language == "python":
            self._python(block)
        elif block.file:
            (self.directory / block.file).write_text(block.text)
        return block

    def _python(self, block: Block) -> None:
        name = block.file or f"<{block.name}>"
        if block.file:
            (self.directory / block.file).write_text(block.text)
        code = compile(block.text, name, "exec", dont_inherit=True)
        # functions of the block can be differentiated only if their source can be found
        linecache.cache[name] = len(block.text), None, block.text.splitlines(True), name
        if block.runs:
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(code, self.names)
            self.printed = _tidy(output.getvalue())

    def _commands(self, block: Block) -> Block:
        lines: list[str] = []
        for command, shown in _commands_of(block.text):
            printed = self._printed_by(command)
            lines += [f"$ {command}\n", shown if matches(printed, shown) else printed]
        return replace(block, text="".join(lines))

    def _printed_by(self, command: str) -> str:
        path = os.pathsep.join([str(self.directory / ".bin"), os.environ.get("PATH", "")])
        run = subprocess.run(["bash", "-c", command], cwd=self.directory, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, "COLUMNS": "100"})
        assert run.returncode == 0, f"$ {command}\n{run.stdout}"
        return _tidy(run.stdout)


def _tidy(text: str) -> str:
    """Without spaces at the ends of lines and empty lines at the end, as it may stand in a page."""
    lines = [line.rstrip() for line in text.rstrip().splitlines()]
    return "\n".join(lines) + "\n" if lines else ""


def _write_commands(directory: Path) -> None:
    """`srcgrad` and `python`, as in an environment that srcgrad is installed in."""
    directory.mkdir()
    for name, module in (("python", ""), ("srcgrad", " -m srcgrad")):
        script = directory / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
        script.chmod(0o755)


def _commands_of(text: str) -> Iterator[tuple[str, str]]:
    """Each command, and what is shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def matches(printed: str, shown: str) -> bool:
    """Whether what was printed is what is shown, where `...` stands for any text."""
    pattern = ".*".join(map(re.escape, _tidy(shown).split("...")))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def _run_prompts(block: Block, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, block.name, str(block.page), block.line - 1)
    report: list[str] = []
    if block.runs:
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
    assert not report, "".join(report)


def run_page(page: Path, directory: Path) -> list[tuple[Block, Block]]:
    """Runs all blocks of a page; those that show what isn't printed, each with what belongs there."""
    session = Session(directory)
    ran = [(block, session.run(block)) for block in blocks(page)]
    return [(old, new) for old, new in ran if old.text != new.text]


def write(page: Path, changes: list[tuple[Block, Block]]) -> None:
    """Puts what belongs there into the page."""
    lines = page.read_text(encoding="utf-8").splitlines(True)
    # from the end, so that the places of the others stay right
    for old, new in sorted(changes, key=lambda change: -change[0].line):
        start = old.line - 1
        lines[start:start + len(old.text.splitlines())] = new.text.splitlines(True)
    page.write_text("".join(lines), encoding="utf-8")
