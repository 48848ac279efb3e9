"""Classes made inside: what is in them gets names of the function, and a call makes the class.

    class Spring(Base):
        stiffness = 2.0 * k                     Spring_stiffness = 2.0 * k
        def energy(self, d): ...        ->      def Spring_energy(self, d): ...
                                                Spring = new_class("Spring", (Base,), ..., energy=Spring_energy)

So methods are functions made inside, which read the variables around them when they are called.
"""
from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import gast

from srcgrad.lang import core, names, parse
from srcgrad.lang.source import mangle
from srcgrad.passes.lower.context import Lowering, Statements, lowers
from srcgrad.passes.lower.hoist import Refused
from srcgrad.passes.lower.simple import module_named
from srcgrad.passes.rename import rename_expr, rename_statement

RUNTIME = "srcgrad.runtime.classes"
_MEANS_CLASS = "__class__"


@lowers("ClassDef")
def class_(node: Any, low: Lowering) -> Statements:
    return _ClassBody(node, low).lowered()


def set_on_classes(tree: Any) -> frozenset[str]:
    """The attributes that are set on what looks like a class: its name, `cls`, `type(self)`, `self.__class__`."""
    made = {node.name for node in parse.nodes(tree) if parse.kind(node) == "ClassDef"} | {"cls"}
    places = (node for node in parse.nodes(tree) if parse.kind(node) == "Attribute" and parse.kind(node.ctx) == "Store")
    return frozenset(place.attr for place in places if _looks_like_class(place.value, made))


def _looks_like_class(owner: Any, made: set[str]) -> bool:
    match parse.kind(owner):
        case "Name":
            return owner.id in made or owner.id == _MEANS_CLASS
        case "Call":
            return parse.kind(owner.func) == "Name" and owner.func.id == "type"
        case "Attribute":
            return bool(owner.attr == _MEANS_CLASS or owner.attr in made)
    return False


class _ClassBody:
    """A class statement; `members`: the names that its body has bound so far, with the function's names for them."""

    def __init__(self, node: Any, low: Lowering) -> None:
        for child in node.body:
            mangle(child, node.name)
        self.node, self.low = node, low
        self.at = low.at(node, node)
        if self.at is not None:
            self.at = replace(self.at, end_line=self.at.line, end_column=self.at.column + len(f"class {node.name}"))
        self.members: dict[str, str] = {}
        self.annotations: dict[str, str] = {}
        # a method that says `super()` means the class as it was made, whatever its name means later
        own = bool(node.decorator_list) or any(_mentions_class(child) for child in node.body)
        self.name = low.fresh.name(f"plain_{node.name}") if own else node.name

    def lowered(self) -> Statements:
        node, low = self.node, self.low
        if any(parse.kind(base) == "Starred" for base in node.bases):
            raise Refused("the bases of this class are spread by `*`", "name them one by one", node)
        bases = core.Tuple(tuple(map(low.expr, node.bases)))
        keywords = [(k.arg, low.expr(k.value)) for k in node.keywords]
        if any(name is None for name, _ in keywords):
            raise Refused("the keywords of this class are spread by `**`", "name them one by one", node)
        decorators = [low.expr(decorator) for decorator in node.decorator_list]
        body = [stmt for child in node.body for stmt in self._member(child)]
        for stmt in body:
            if isinstance(stmt, core.Refuse):
                return [stmt]
        sure = _surely_bound(body)
        if unsure := [name for name, own in self.members.items() if own not in sure]:
            raise Refused(f"whether this class has `{unsure[0]}` depends on a test", "Define it on every way.", node)
        return [*body, *self._made(bases, keywords, decorators)]

    def _made(self, bases: core.Expr, keywords: list[tuple[str, core.Expr]], decorators: list[core.Expr]) -> Statements:
        variables = [name for name in self.members if name in self.low.set_on_classes]
        args = (core.Const(self.node.name), bases,
                core.Dict(tuple(core.Const(name) for name, _ in keywords), tuple(value for _, value in keywords)),
                core.Dict(tuple(map(core.Const, self.annotations)), tuple(map(core.Const, self.annotations.values()))),
                core.Tuple(tuple(map(core.Const, variables))))
        maker = core.Attr(module_named(RUNTIME, self.at, "new_class"), "new_class", at=self.at)
        members = tuple((name, core.Name(own)) for name, own in self.members.items())
        out: Statements = [core.Bind((self.name,), (core.Call(maker, args, members, at=self.at),), at=self.at)]
        if self.name != self.node.name:
            value: core.Expr = core.Name(self.name, at=self.at)
            for decorator in reversed(decorators):
                value = core.Call(decorator, (value,), at=self.at)
            out.append(core.Bind((self.node.name,), (value,), at=self.at))
        return out

    def _member(self, child: Any) -> Statements:
        """A statement of the body; what functions inside read isn't what the class has."""
        match parse.kind(child):
            case "Global" | "Nonlocal" | "Delete":
                raise Refused(f"`{parse.kind(child).lower()}` in the body of a class isn't supported", "Leave it out.",
                              child)
            case "AnnAssign" if parse.kind(child.target) == "Name":
                self.annotations[child.target.id] = _annotation(child.annotation)
        self._check_scopes(child)
        written = parse.names_in(child)
        to_class: dict[str, core.Expr] = {_MEANS_CLASS: core.Name(self.name)}
        return [self._in_class(rename_statement(stmt, to_class), written, child)
                for stmt in self.low.statement(child)]

    def _in_class(self, stmt: core.Statement, written: set[str], child: Any) -> core.Statement:
        """A statement with the function's names for what the class has."""
        before = dict(self.members)
        bound = [name for s in core.statements((stmt,)) for name in names.bound_by(s) if name in written]
        for name in bound:
            if name not in self.members:
                self.members[name] = self.low.fresh.name(f"{self.node.name}_{name.strip('_')}")
        own: dict[str, core.Expr] = {name: core.Name(variable) for name, variable in self.members.items()}
        early = {name for e in core.expressions(stmt) for name in _read_here(e)} & self.members.keys() - before.keys()
        if early and not isinstance(stmt, core.Refuse):
            raise Refused(f"`{min(early)}` is read in the body of a class before it is bound there",
                          "Give one of the two another name.", child)
        return _with_names(stmt, own, {name: own[name] for name in bound})

    def _check_scopes(self, child: Any) -> None:
        """Comprehensions and classes in the body of a class don't see what it has."""
        for node in parse.nodes(child):
            hidden: set[str] = set()
            if parse.kind(node) in ("ListComp", "SetComp", "DictComp", "GeneratorExp"):
                hidden = set(parse.reads(node)) - set(parse.reads(node.generators[0].iter))
            elif parse.kind(node) == "ClassDef":
                hidden = {n.id for stmt in node.body for n in parse.nodes(stmt) if parse.kind(n) == "Name"}
            if found := hidden & self.members.keys():
                raise Refused(f"`{min(found)}` means something else here than in the class around it",
                              "Give one of the two another name.", node)


def _with_names(stmt: core.Statement, own: dict[str, core.Expr], targets: dict[str, core.Expr]) -> core.Statement:
    """The statement with other names, but for those that functions read when they are called."""
    values = tuple(_read_in_class(e, own) for e in core.expressions(stmt))
    inner = tuple(tuple(_with_names(s, own, targets) for s in block) for block in core.blocks(stmt))
    bare = core.with_expressions(stmt, tuple(core.Const(None) for _ in values))
    bare = core.with_blocks(bare, tuple(() for _ in inner)) if inner else bare
    new = core.with_expressions(rename_statement(bare, targets), values)
    return core.with_blocks(new, inner) if inner else new


def _read_in_class(expr: core.Expr, to: dict[str, core.Expr]) -> core.Expr:
    def change(e: core.Expr) -> core.Expr:
        match e:
            case core.Function(code, _):
                params = tuple(p if p.default is None else replace(p, default=_read_in_class(p.default, to))
                               for p in code.params)
                code = replace(code, params=params)
                return core.Function(code, names.free(code), at=e.at)
            case core.Name() | core.Opaque():
                return rename_expr(e, to)
        return e
    made: core.Expr = core.map_expr(change, expr)
    return made


def _read_here(expr: core.Expr) -> Iterable[str]:
    """What the expression itself reads, without the functions in it."""
    for e in core.walk(expr):
        if isinstance(e, core.Name):
            yield e.id
        elif isinstance(e, core.Opaque):
            yield from e.reads


def _mentions_class(node: Any) -> bool:
    return any(parse.kind(n) == "Name" and n.id in (_MEANS_CLASS, "super") for n in parse.nodes(node))


def _annotation(node: Any) -> str:
    """An annotation as a text, which is how data classes read those of modules that put them off."""
    if parse.kind(node) == "Constant" and isinstance(node.value, str):
        return str(node.value)
    return ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(node)))


def _surely_bound(block: Iterable[core.Statement]) -> set[str]:
    """The names that the block binds on every way through it."""
    out: set[str] = set()
    for stmt in block:
        if isinstance(stmt, core.If):
            out |= _surely_bound(stmt.body) & _surely_bound(stmt.orelse)
        elif isinstance(stmt, core.With):
            out |= set(names.bound_by(stmt)) | _surely_bound(stmt.body)
        elif not isinstance(stmt, (core.For, core.While, core.Try)):
            out |= set(names.bound_by(stmt))
    return out
