"""One derivative as the text of a module that imports NumPy and nothing of this package."""
from __future__ import annotations

import ast
import builtins
import inspect
import keyword
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from srcgrad.analysis.guards import Guard
from srcgrad.analysis.values import Value
from srcgrad.backends.standalone.helpers import Place
from srcgrad.backends.standalone.inside import NUMERIC
from srcgrad.backends.standalone.literals import NotPlain, literal
from srcgrad.backends.standalone.requirements import Fact, facts_of, prose
from srcgrad.backends.standalone.texts import (
    bound_names,
    free_names,
    header_end,
    identifiers,
    needed_first,
    renamed,
)
from srcgrad.backends.standalone.units import Unit, Units
from srcgrad.errors import UnsupportedError
from srcgrad.lang.layout import INDENT, wrap

__all__ = ["Subject", "standalone_module"]

_INSIDE = "srcgrad.backends.standalone.inside"
_CHECK = "check_arguments"
_ORDER = ("import", "constant", "main", "function", "helper")


@dataclass(frozen=True)
class Subject:
    """A compiled derivative, and all that a module says of it.

    function    the generated function, which takes all parameters positionally
    signature   that of the user's function; parameters in the order in which `function` takes them
    values      what it was specialised on, one a parameter
    guards      what else was assumed
    title       one sentence: "The gradient of loss with respect to w."
    """
    function: Any
    signature: inspect.Signature
    values: tuple[Value, ...]
    guards: tuple[Guard, ...]
    title: str


def standalone_module(subject: Subject, made: str) -> str:
    """The text of the module; `made` says in its header how it came to be.

    Raises UnsupportedError where something that the function captured can't be written into a module.
    """
    return _Module(subject).text(made)


class _Module:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.params = tuple(subject.signature.parameters)
        self.units = Units(subject.function.__name__)
        self.main = self.units.add(subject.function, subject.function.__name__)
        self.units.all[self.main].kind = "main"
        self._add_signature()
        self._add_checks()

    def text(self, made: str) -> str:
        names = _Names(self.units, self.main).chosen
        parts = {key: self._rendered(unit, names, key) for key, unit in self.units.all.items()}
        imports = sorted(parts[k] for k, u in self.units.all.items() if u.kind == "import")
        rest = [parts[key].rstrip() for key in self._in_order(names) if self.units.all[key].kind != "import"]
        head = f'"""{self.subject.title}\n\n{made}\n"""\nfrom __future__ import annotations\n\n'
        return head + "\n".join(imports) + "\n\n" + _joined(rest) + "\n"

    # ------------------------------------------------------------ the function itself

    def _add_signature(self) -> None:
        """The generated function takes what the user's function takes, with the defaults of today."""
        unit = self.units.all[self.main]
        shown = self._parameters(unit)
        header = f"def {unit.own}({shown}):"
        lines = unit.text.rstrip().split("\n")
        unit.text = "\n".join([header, *lines[header_end(unit.text):]]) + "\n"

    def _parameters(self, unit: Unit) -> str:
        shown: list[str] = []
        last: Any = None
        for p in self.subject.signature.parameters.values():
            if last is p.POSITIONAL_ONLY and p.kind is not p.POSITIONAL_ONLY:
                shown.append("/")
            if p.kind is p.KEYWORD_ONLY and last not in (p.VAR_POSITIONAL, p.KEYWORD_ONLY):
                shown.append("*")
            star = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
            shown.append(star + p.name + ("" if p.default is p.empty else f"={self._default(unit, p)}"))
            last = p.kind
        return ", ".join([*shown, "/"] if last is inspect.Parameter.POSITIONAL_ONLY else shown)

    def _default(self, unit: Unit, p: inspect.Parameter) -> str:
        if isinstance(p.default, (int, float, str, bytes, type(None))):
            try:
                return literal(p.default)
            except NotPlain:
                pass
        name = f"{p.name}_default"
        unit.reads[name] = self.units.add(p.default, name)
        return name

    # ------------------------------------------------------------ its checks

    def _add_checks(self) -> None:
        facts = facts_of(self.params, self.subject.values, self.subject.guards)
        if not facts:
            return
        main = self.units.all[self.main]
        reads: dict[str, Hashable] = {}
        reads["require"] = self.units.helper(Place(_INSIDE, "require"))
        lines = [line for fact in facts for line in self._requirement(fact, reads)]
        text = "\n".join([f"def {_CHECK}({', '.join(self.params)}):",
                          f'    """Raise TypeError unless the arguments are of the kinds that {main.own} is for."""',
                          *_guarded(lines)])
        self._refuse_hidden(reads)
        key = "check", self.main
        self.units.all[key] = Unit("main", _CHECK, text + "\n", reads)
        main.reads[_CHECK] = key
        lines = main.text.split("\n")
        main.text = "\n".join([lines[0], f"    {_CHECK}({', '.join(self.params)})", *lines[1:]])

    def _refuse_hidden(self, reads: dict[str, Hashable]) -> None:
        hidden = {_CHECK, *reads, "type", "len", "isinstance", "all", "repr"} & set(self.params)
        if hidden:
            raise UnsupportedError(f"the argument `{min(hidden)}` hides a name that the checks of a module need", None,
                                   "Give it another name.")

    def _requirement(self, fact: Fact, reads: dict[str, Hashable]) -> Iterator[str]:
        condition = self._in_plain_numpy(fact, reads)
        yield from wrap(f"require({condition}, {prose(condition)!r}, {', '.join(fact.about)})", INDENT)

    def _in_plain_numpy(self, fact: Fact, reads: dict[str, Hashable]) -> str:
        """The condition with its objects as the module knows them."""
        tree = ast.parse(fact.text, mode="eval")
        spelled = {name: self._spelled(name, obj, reads) for name, obj in fact.objects}

        class Spell(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.expr:
                return ast.parse(spelled[node.id], mode="eval").body if node.id in spelled else node

        return ast.unparse(ast.fix_missing_locations(Spell().visit(tree)))

    def _spelled(self, name: str, obj: Any, reads: dict[str, Hashable]) -> str:
        known = str(getattr(obj, "__name__", ""))
        if isinstance(obj, type) and getattr(builtins, known, None) is obj:
            return known
        if isinstance(obj, type) and getattr(np, known, None) is obj:
            reads["np"] = self.units.add(np, "np")
            return f"np.{known}"
        if callable(obj) or obj is NUMERIC:
            key = self.units.helper(Place(_INSIDE, "NUMERIC")) if obj is NUMERIC else self.units.add(
                obj, (known or name).strip("<>"))
            own = self.units.all[key].own
            reads[own] = key
            return own
        if isinstance(obj, tuple) and all(isinstance(c, type) for c in obj):
            return f"({', '.join(self._spelled(name, c, reads) for c in obj)},)"
        try:
            text = literal(obj)
        except NotPlain as error:
            raise self.units.refused(name.lstrip("_"), str(error)) from None
        if "np" in free_names(text):
            reads["np"] = self.units.add(np, "np")
        return text

    # ------------------------------------------------------------ layout

    def _rendered(self, unit: Unit, names: dict[Hashable, str], key: Hashable) -> str:
        name = names[key]
        if unit.kind == "import":
            return _import(unit.imports, name)
        mapping = {unit.own: name, **{n: names[read] for n, read in unit.reads.items()}}
        changed = {old for old, new in mapping.items() if old != new}
        if inside := changed & bound_names(unit.text):
            raise UnsupportedError(f"`{min(inside)}` means two things in the functions that go into one module", None,
                                   "Give one of the two another name.")
        return renamed(unit.text, mapping)

    def _in_order(self, names: dict[Hashable, str]) -> list[Hashable]:
        """By kind, in the order in which they were met; but what a definition needs when it runs stands before it."""
        out: dict[Hashable, None] = {}

        def emit(key: Hashable) -> None:
            unit = self.units.all[key]
            if key in out or unit.kind == "import" or key in opened:
                return
            opened.add(key)
            for name in sorted(needed_first(unit.text)):
                if name in unit.reads:
                    emit(unit.reads[name])
            out[key] = None

        opened: set[Hashable] = set()
        for kind in _ORDER:
            for key, unit in self.units.all.items():
                if unit.kind == kind:
                    emit(key)
        return list(out)


class _Names:
    """A name for each piece: the one that the texts call it by, unless that means something else somewhere."""

    def __init__(self, units: Units, main: Hashable) -> None:
        self.units = units
        self.met = set(dir(builtins)) | set(keyword.kwlist) | units.undefined
        for unit in units.all.values():
            if unit.text:
                self.met |= identifiers(unit.text)
        self.taken = set(dir(builtins)) | set(keyword.kwlist) | units.undefined
        self.chosen: dict[Hashable, str] = {}
        for kind in ("main", "function", "constant", "import", "helper"):
            for key, unit in units.all.items():
                if unit.kind == kind:
                    self._choose(key, unit)

    def _choose(self, key: Hashable, unit: Unit) -> None:
        name = unit.own
        if name in self.taken or self._bound_where_read(key):
            name = next(n for k in count(1) if (n := f"{unit.own}_{k}") not in self.met | self.taken)
        self.taken.add(name)
        self.chosen[key] = name

    def _bound_where_read(self, key: Hashable) -> bool:
        """Whether a text that reads the piece under another name binds this one itself."""
        own = self.units.all[key].own
        return any(own in bound_names(u.text) for u in self.units.all.values() if u.text
                   for name, read in u.reads.items() if read == key and name != own)


def _import(imports: tuple[str, str | None], name: str) -> str:
    module, attribute = imports
    if attribute is None:
        return f"import {module}" if name == module else f"import {module} as {name}"
    return f"from {module} import {attribute}" + ("" if name == attribute else f" as {name}")


def _guarded(lines: list[str]) -> list[str]:
    """What looks into containers may find them without the part that it looks for."""
    if not any("[" in line.replace(".shape[", "") or ".__dict__" in line for line in lines):
        return lines
    return ["    try:", *(f"    {line}" for line in lines), "    except (LookupError, AttributeError) as error:",
            '        raise TypeError(f"an argument lacks a part that it must have: {error}") from error']


def _joined(parts: list[str]) -> str:
    """Two empty lines around definitions of several lines, none between constants."""
    out = ""
    for k, part in enumerate(parts):
        short = "\n" not in part and (k == 0 or "\n" not in parts[k - 1])
        out += part if k == 0 else f"\n{part}" if short else f"\n\n\n{part}"
    return out
