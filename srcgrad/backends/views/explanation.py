"""What was found out about a function, beside its source, and what follows from that for the gradient."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from srcgrad.analysis.interpret.expressions import Refused
from srcgrad.analysis.values import Value
from srcgrad.backends.views import findings
from srcgrad.backends.views.aligned import Aligned, align
from srcgrad.backends.views.kept import Kept, Reader, kept_values, read_lines, sizes
from srcgrad.backends.views.stretches import Stretch
from srcgrad.compiler import Artifact, Request, analyse
from srcgrad.errors import SrcgradError, UnsupportedError
from srcgrad.lang.source import Found

__all__ = ["explanation"]

Task = tuple[Found, "tuple[Value, ...]", Request, "tuple[Any, ...] | None"]


def explanation(task: Task, compile: Callable[[], Artifact]) -> str:
    """The page for one function and its arguments; what is refused stands in it and is no error."""
    found, _, _, samples = task
    page = _Page(found)
    try:
        front = analyse(*task)
        page.take(findings.kinds(front))
        page.take(findings.refusals(front))
        page.followed.update(findings.followed(front))
        page.section("Arguments", findings.arguments(front))
    except (UnsupportedError, Refused):
        pass        # compiling says it again, with its place
    try:
        _compiled(page, compile(), samples)
    except SrcgradError as error:
        page.refuse(error)
    return page.text()


def _compiled(page: _Page, artifact: Artifact, samples: tuple[Any, ...] | None) -> None:
    aligned = align(page.found, artifact.text, page.followed)
    params = tuple(page.found.signature.parameters)
    kept = kept_values(aligned, params)
    page.read(aligned, {k.name for k in kept}, lambda names: [f"its reversal reads {', '.join(names)}"])
    page.section("Kept for the backward part", _saved(aligned, artifact, kept, samples))
    helpers = _helpers(artifact.forward)
    page.read(aligned, set(helpers), lambda names: [f"helper: {name}" for name in names])
    page.read(aligned, {"shadow"}, lambda names: ["its adjoint is in the shadow, found by address"])
    everywhere = {name for name in helpers if any(name in line for line in (*aligned.forward, *_all(aligned)))}
    page.section("Helpers", [f"{name}: {helpers[name]}" for name in sorted(everywhere)])
    refused = [line.strip() for line in aligned.forward if line.strip().startswith("raise refuse")]
    page.section("Refused when it is reached", refused)


def _all(aligned: Aligned) -> list[str]:
    return [line for _, _, lines in aligned.groups() for line in lines]


def _saved(aligned: Aligned, artifact: Artifact, kept: list[Kept], samples: tuple[Any, ...] | None) -> list[str]:
    own = [k for k in kept if k.origin != "argument" or k.stack]
    measured: dict[str, int] = {}
    if samples is not None and own:
        measured = sizes(artifact.forward, samples, len(aligned.forward) + 1, {k.stack or k.name for k in own})
    lines = [_in_words(k, measured.get(k.stack or k.name)) for k in own]
    if given := [k.name for k in kept if k not in own]:
        lines.append(f"{', '.join(given)}: arguments, which are read as they are")
    return lines + ([f"{sum(measured.values())} bytes in all"] if measured else [])


def _in_words(k: Kept, size: int | None) -> str:
    what = k.origin if k.origin not in ("", "argument") else f"{k.name} before it is overwritten"
    if "," in what.partition(" = ")[0] and "[" not in k.name:
        what = f"{k.name} of {what}"
    how = f", as {k.stack}" if k.stack else ""
    bytes_ = "" if size is None else f": {size} bytes"
    return f"{what}{how}{bytes_}; read for {_listed(k.readers)}"


def _listed(readers: tuple[Reader, ...]) -> str:
    """line 8, lines 2 and 3 of step"""
    lines: dict[str, list[str]] = {}
    for function, line in readers:
        lines.setdefault(function, []).append(str(line))
    return ", ".join(f"line{'s' * (len(found) > 1)} {_and(found)}" + (f" of {function}" if function else "")
                     for function, found in lines.items())


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _helpers(function: Callable[..., Any]) -> dict[str, str]:
    """Names of the package's helpers in a generated function -> the first sentence of what they do."""
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None) or ()
    found: dict[str, str] = {}
    for name, cell in zip(code.co_freevars if code is not None else (), cells):
        obj = cell.cell_contents
        if isinstance(obj, (types.FunctionType, type)) and obj.__module__.startswith("srcgrad.runtime"):
            found[name] = _first_sentence(obj.__doc__ or "")
    return found


def _first_sentence(doc: str) -> str:
    return " ".join(doc.strip().partition("\n\n")[0].split()).partition(". ")[0].partition(".  ")[0].rstrip(".")


class _Page:
    """Collects notes by line, and sections below."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.notes: dict[int, list[str]] = {}
        self.sections: list[str] = []
        self.followed: dict[Stretch, findings.Notes] = {}

    def read(self, aligned: Aligned, names: set[str], say: Callable[[list[str]], list[str]]) -> None:
        """Notes which of the names the backward statements of each line read."""
        for stretch, lines in read_lines(aligned, names).items():
            _take(self.notes if stretch is None else self.followed[stretch],
                  {line: say(found) for line, found in lines.items()})

    def take(self, notes: dict[int, list[str]]) -> None:
        _take(self.notes, notes)

    def section(self, title: str, lines: list[str]) -> None:
        if lines:
            self.sections.append("\n".join([title, *(f"  {line}" for line in lines)]))

    def refuse(self, error: SrcgradError) -> None:
        at: Any = error.at
        if at is not None and at.file == self.found.file:
            self.take({at.line: [f"refused: {error.what}"]})
        self.section("Refused", str(error).split("\n"))

    def text(self) -> str:
        aligned = align(self.found, "def nothing():\n    pass\n")
        lines = _table(aligned.primal, aligned.first, self.notes)
        inside = ["\n".join([f"{stretch.name}, put in place", *_table(stretch.lines(), stretch.first, notes)])
                  for stretch, notes in self.followed.items()]
        return "\n\n".join(["\n".join(lines), *inside, *self.sections]) + "\n"


def _take(all_notes: dict[int, list[str]], notes: dict[int, list[str]]) -> None:
    for line, texts in notes.items():
        here = all_notes.setdefault(line, [])
        here.extend(text for text in texts if text not in here)


def _table(code: list[str], first: int, notes: dict[int, list[str]]) -> list[str]:
    """Numbered lines of code, each with its notes at the right."""
    width = min(max(map(len, code)), 100)
    digits = len(str(first + len(code)))
    lines = []
    for number, text in enumerate(code, first):
        for k, note in enumerate(notes.get(number) or [""]):
            left = f"{number:>{digits}}  {text:<{width}}" if k == 0 else " " * (digits + 2 + width)
            lines.append(f"{left}  | {note}".rstrip() if note else left.rstrip())
    return lines
