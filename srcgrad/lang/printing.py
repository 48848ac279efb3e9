"""Core form -> Python source.

Statements are laid out here; expressions go through one adapter (core -> ast -> astor) whose every result is
parsed again and compared, so the text always means what the tree says.  The text is the same on every Python version.

>>> x = core.Name("x")
>>> text(core.Bin("*", core.Bin("+", x, core.Const(1)), x))
'(x + 1) * x'
>>> block((core.If(x, (core.Jump("break"),)),))
['if x:', '    break']
"""
from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import gast

from srcgrad.errors import InternalError, UnsupportedError
from srcgrad.lang import core, parse
from srcgrad.lang.layout import INDENT, wrap

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # astor looks up node classes that newer Pythons deprecate
    import astor.code_gen
    import astor.op_util

Block = tuple[core.Statement, ...]


# ---------------------------------------------------------------- expressions

def text(expr: core.Expr, bare: bool = False) -> str:
    """One line of Python for an expression; a tuple at the top goes without parentheses if `bare`.

    >>> text(core.Tuple((core.Name("a"), core.Name("b")))), text(core.Tuple((core.Name("a"), core.Name("b"))), True)
    ('(a, b)', 'a, b')
    """
    if isinstance(expr, core.Name):
        return expr.id
    return _text(expr, bare, tuple(id(e) for e in core.walk(expr) if isinstance(e, (core.Function, core.Opaque))))


@lru_cache(maxsize=8192)
def _text(expr: core.Expr, bare: bool, identities: tuple[int, ...]) -> str:
    """`identities` tells functions and opaque parts apart, which aren't compared by structure."""
    if isinstance(expr, core.Slice):  # only an index may hold one
        return text(core.Item(core.Name("_"), expr))[2:-1]
    tree = to_ast(expr)
    # a generator expression goes without parentheses only as the one argument of a call
    whole = isinstance(expr, core.Tuple) and not bare or isinstance(tree, ast.GeneratorExp)
    written = _astor(tree, not whole)
    return written if _means(written, tree) else _unparsed(tree)


def _astor(tree: ast.expr, strip: bool) -> str:
    if strip:
        tree._pp = 0  # type: ignore[attr-defined]  # what stands around binds loosest, so no parentheses are needed
    try:
        return astor.code_gen.to_source(tree, pretty_source="".join, source_generator_class=_Generator).strip()
    except Exception:  # astor lacks what newer Pythons have; ast.unparse then prints it
        return ""


def _unparsed(tree: ast.expr) -> str:
    return ast.unparse(ast.fix_missing_locations(tree))


def _means(written: str, tree: ast.expr) -> bool:
    try:
        return _same(ast.parse(f"({written})", mode="eval").body, tree)
    except (SyntaxError, ValueError):
        return False


def _same(a: Any, b: Any) -> bool:
    """Whether two trees are the same program: contexts and positions don't count."""
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(_same, a, b))
    if type(a) is not type(b):
        return False
    if isinstance(a, ast.AST):
        return all(_same(getattr(a, f, None), getattr(b, f, None)) for f in a._fields if f not in ("ctx", "kind"))
    return a == b and repr(a) == repr(b)


class _Generator(astor.code_gen.SourceGenerator):
    """astor's generator with one style for literals: strings and numbers as repr has them."""

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, (int, float, complex)) and not isinstance(value, bool):
            with self.delimit(node):
                self.write(repr(value))
        else:
            self.write("..." if value is Ellipsis else repr(value))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self.write(_f_string(node))

    def visit_Lambda(self, node: ast.Lambda) -> None:
        with self.delimit(node) as delimiters:
            astor.code_gen.set_precedence(delimiters.p, node.body)
            self.write("lambda " if _has_parameters(node.args) else "lambda")
            self.visit_arguments(node.args)
            self.write(": ", node.body)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not isinstance(node.op, ast.Pow):
            super().visit_BinOp(node)
            return
        with self.delimit(node, node.op):
            astor.code_gen.set_precedence(astor.op_util.Precedence.Pow + 1, node.left)
            astor.code_gen.set_precedence(astor.op_util.Precedence.PowRHS, node.right)
            self.write(node.left, "**", node.right)


def _has_parameters(a: ast.arguments) -> bool:
    return bool(a.posonlyargs or a.args or a.vararg or a.kwonlyargs or a.kwarg)


def _f_string(node: ast.JoinedStr) -> str:
    """An f-string that Python 3.10 reads as well: its quotes don't occur in the expressions inside."""
    inside = "".join(_replacement(v) for v in node.values if isinstance(v, ast.FormattedValue))
    quote = next((q for q in ("'", '"', "'''", '"""') if q not in inside), None)
    if quote is None or "\\" in inside:
        return _unparsed(node)
    return f"f{quote}{_f_parts(node.values, quote)}{quote}"


def _f_parts(values: list[ast.expr], quote: str) -> str:
    return "".join(_replacement(v) if isinstance(v, ast.FormattedValue) else _f_literal(v, quote) for v in values)


def _replacement(node: ast.FormattedValue) -> str:
    value = _astor(node.value, not isinstance(node.value, (ast.Tuple, ast.Lambda)))
    shown = "" if node.conversion < 0 else f"!{chr(node.conversion)}"
    spec = node.format_spec
    layout = f":{_f_parts(spec.values, chr(39))}" if isinstance(spec, ast.JoinedStr) else ""
    return f"{{{' ' if value.startswith('{') else ''}{value}{shown}{layout}}}"


def _f_literal(node: Any, quote: str) -> str:
    escaped = repr("'\"" + node.value)[4:-1].replace("\\'", "'")  # both quotes in it: repr picks '...' for certain
    return escaped.replace(quote[0], "\\" + quote[0]).replace("{", "{{").replace("}", "}}")


# ---------------------------------------------------------------- core -> ast

_BINARY = {symbol: getattr(ast, name) for name, symbol in parse.OPERATORS.items()}
_UNARY = {symbol: getattr(ast, name) for name, symbol in parse.UNARIES.items()}
_COMPARE = {symbol: getattr(ast, name) for name, symbol in parse.COMPARISONS.items()}
_LOAD = ast.Load()


def to_ast(expr: core.Expr) -> ast.expr:
    """The expression as a tree of Python's `ast` (without positions)."""
    made = _TO_AST.get(type(expr))
    if made is None:
        raise InternalError(f"no expression of the core form: {expr!r}")
    return made(expr)


def _maybe(expr: core.Expr | None) -> ast.expr | None:
    return None if expr is None else to_ast(expr)


def _all(items: Iterable[core.Expr]) -> list[ast.expr]:
    return [to_ast(item) for item in items]


def _const(e: core.Const) -> ast.expr:
    value = e.value
    if isinstance(value, float):
        return _real(value)
    if isinstance(value, complex):
        return _complex(value)
    if isinstance(value, int) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _real(value: float) -> ast.expr:
    if math.isnan(value) or math.isinf(value):
        return ast.Call(ast.Name("float", _LOAD), [ast.Constant(repr(value))], [])
    if math.copysign(1.0, value) < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _complex(value: complex) -> ast.expr:
    """Only a positive imaginary number is a literal; `complex(re, im)` keeps the signs of zeros."""
    if repr(value) == repr(complex(0.0, abs(value.imag))) and math.isfinite(value.imag):
        return ast.Constant(value)
    return ast.Call(ast.Name("complex", _LOAD), [_real(value.real), _real(value.imag)], [])


def _call(e: core.Call) -> ast.expr:
    return ast.Call(to_ast(e.func), _all(e.args), [ast.keyword(name, to_ast(value)) for name, value in e.kwargs])


def _compare(e: core.Compare) -> ast.expr:
    return ast.Compare(to_ast(e.left), [_COMPARE[op]() for op in e.ops], _all(e.rights))


def _dict(e: core.Dict) -> ast.expr:
    return ast.Dict([_maybe(key) for key in e.keys], _all(e.values))


def _function(e: core.Function) -> ast.expr:
    match e.code.body:
        case (core.Return(value),):
            result = to_ast(value)
        case (core.Refuse() as refused,):
            result = to_ast(refusal(refused))
        case _ if core.suspends(e.code.body):
            raise UnsupportedError("what takes the elements of this generator isn't followed", e.code.at or e.at,
                                   "Make it a list, `sum([...])` say.")
        case _:
            raise InternalError(f"a function of several statements can't stand inside an expression: {e.code.name}")
    return ast.Lambda(_ast_arguments(e.code.params), result)


def _ast_arguments(params: tuple[core.Param, ...]) -> ast.arguments:
    def some(*kinds: str) -> list[core.Param]:
        return [p for p in params if p.kind in kinds]

    def args(*kinds: str) -> list[ast.arg]:
        return [ast.arg(p.name, None) for p in some(*kinds)]
    return ast.arguments(
        posonlyargs=args("positional"), args=args("normal"), vararg=next(iter(args("varargs")), None),
        kwonlyargs=args("keyword"), kw_defaults=[_maybe(p.default) for p in some("keyword")],
        kwarg=next(iter(args("varkw")), None),
        defaults=[to_ast(p.default) for p in some("positional", "normal") if p.default is not None])


def refusal(stmt: core.Refuse) -> core.Expr:
    """The call that raises the refusal."""
    return core.Call(core.Name("refuse"), (core.Const(stmt.what), core.Const(stmt.remedy)))


_TO_AST: dict[type, Callable[[Any], ast.expr]] = {
    core.Name: lambda e: ast.Name(e.id, _LOAD),
    core.Const: _const,
    core.Bin: lambda e: ast.BinOp(to_ast(e.left), _BINARY[e.op](), to_ast(e.right)),
    core.Unary: lambda e: ast.UnaryOp(_UNARY[e.op](), to_ast(e.operand)),
    core.Compare: _compare,
    core.Bool: lambda e: ast.BoolOp(ast.And() if e.op == "and" else ast.Or(), _all(e.values)),
    core.Cond: lambda e: ast.IfExp(to_ast(e.test), to_ast(e.body), to_ast(e.orelse)),
    core.Call: _call,
    core.Star: lambda e: ast.Starred(to_ast(e.value), _LOAD),
    core.Yield: lambda e: ast.Yield(to_ast(e.value)),
    core.Attr: lambda e: ast.Attribute(to_ast(e.value), e.name, _LOAD),
    core.Item: lambda e: ast.Subscript(to_ast(e.value), to_ast(e.index), _LOAD),
    core.Slice: lambda e: ast.Slice(_maybe(e.lower), _maybe(e.upper), _maybe(e.step)),
    core.Tuple: lambda e: ast.Tuple(_all(e.items), _LOAD),
    core.List: lambda e: ast.List(_all(e.items), _LOAD),
    core.Dict: _dict,
    core.Function: _function,
    core.Opaque: lambda e: gast.gast_to_ast(e.node) if type(e.node).__module__.startswith("gast") else e.node,
}


# ---------------------------------------------------------------- statements

def function(code: core.Code, name: str | None = None, annotations: bool = False) -> str:
    """The source of a whole function, ending in a line break.

    >>> print(function(core.Code("f", (core.Param("x"),), (core.Return(core.Name("x")),))), end="")
    def f(x):
        return x
    """
    return "\n".join(_def(code, name or code.name, "", annotations)) + "\n"


def block(statements: Block, indent: str = "") -> list[str]:
    """The lines of a block; where nothing is to be done it says `pass`."""
    lines = [line for stmt in statements for line in _statement(stmt, indent)]
    idle = all(isinstance(stmt, core.Comment) for stmt in statements)
    return lines + [indent + "pass"] if idle else lines


def _statement(stmt: core.Statement, indent: str) -> list[str]:
    match stmt:
        case core.Comment(said):
            return [f"{indent}# {line}".rstrip() for line in said.splitlines() or [""]]
        case core.Bind((name,), (core.Function(code),)) if not _is_lambda(code):
            return _def(code, name, indent, False)
        case core.If():
            return _if(stmt, indent, "if")
        case core.For(_, source, result=str(result)):
            return wrap(f"{result} = yield from {text(source)}", indent)
        case core.For(target, source, body, orelse):
            return _loop(f"for {target} in {text(source)}:", body, orelse, indent)
        case core.While(test, body, orelse):
            return _loop(f"while {text(test)}:", body, orelse, indent)
        case core.With(items, body):
            managers = ", ".join(text(m) + (f" as {name}" if name else "") for m, name in items)
            return _headed(f"with {managers}:", body, indent)
        case core.Try():
            return _try(stmt, indent)
    return wrap(_simple(stmt), indent)


def _is_lambda(code: core.Code) -> bool:
    return code.name == parse.LAMBDA and len(code.body) == 1 and isinstance(code.body[0], (core.Return, core.Refuse))


def _simple(stmt: core.Statement) -> str:
    match stmt:
        case core.Bind((name,), (value,)):
            return f"{name} = {text(value, True)}"
        case core.Bind(names, values):
            return f"{', '.join(names)} = {', '.join(map(text, values))}"
        case core.Unpack(names, value, star):
            return f"{_targets(names, star)} = {text(value, True)}"
        case core.Store(place, op, value):
            return f"{text(place)} {op or ''}= {text(value, True)}"
        case core.Effect(core.Call(core.Attr(owner, "__delitem__"), (index,), ())):
            return f"del {text(core.Item(owner, index))}"
        case core.Effect(value):
            return text(value)
        case core.Return(value):
            return f"return {text(value, True)}"
        case core.Jump(kind, value):
            return kind if value is None else f"{kind} {text(value)}"
        case core.Refuse():
            return f"raise {text(refusal(stmt))}"
    raise InternalError(f"no statement of the core form: {stmt!r}")


def _targets(names: tuple[str, ...], star: int | None) -> str:
    shown = [f"*{name}" if i == star else name for i, name in enumerate(names)]
    return ", ".join(shown) + ("," if len(shown) == 1 else "") if shown else "()"


def _headed(head: str, body: Block, indent: str) -> list[str]:
    return wrap(head, indent) + block(body, indent + INDENT)


def _if(stmt: core.If, indent: str, word: str) -> list[str]:
    lines = _headed(f"{word} {text(stmt.test)}:", stmt.body, indent)
    match stmt.orelse:
        case ():
            return lines
        case (core.If() as other,):
            return lines + _if(other, indent, "elif")
    return lines + _headed("else:", stmt.orelse, indent)


def _loop(head: str, body: Block, orelse: Block, indent: str) -> list[str]:
    return _headed(head, body, indent) + (_headed("else:", orelse, indent) if orelse else [])


def _try(stmt: core.Try, indent: str) -> list[str]:
    lines = _headed("try:", stmt.body, indent)
    for kind, name, body in stmt.handlers:
        caught = "" if kind is None else " " + text(kind) + (f" as {name}" if name else "")
        lines += _headed(f"except{caught}:", body, indent)
    if stmt.orelse:
        lines += _headed("else:", stmt.orelse, indent)
    return lines + (_headed("finally:", stmt.final, indent) if stmt.final or not stmt.handlers else [])


def _def(code: core.Code, name: str, indent: str, annotations: bool) -> list[str]:
    declared = (("global", code.globals), ("nonlocal", code.nonlocals - code.globals))
    outer = [f"{indent}{INDENT}{word} {', '.join(sorted(names))}" for word, names in declared if names]
    head = wrap(f"def {name}({parameters(code.params, annotations)}):", indent)
    return [*head, *outer, *block(code.body, indent + INDENT)]


def parameters(params: tuple[core.Param, ...], annotations: bool = False) -> str:
    """The list of parameters as it stands between the parentheses of a def.

    >>> parameters((core.Param("x", "positional"), core.Param("y", default=core.Const(1)), core.Param("z", "keyword")))
    'x, /, y=1, *, z'
    """
    shown, last = [], ""
    for p in params:
        if last == "positional" and p.kind != "positional":
            shown.append("/")
        if p.kind == "keyword" and last not in ("varargs", "keyword"):
            shown.append("*")
        shown.append(_parameter(p, annotations))
        last = p.kind
    return ", ".join([*shown, "/"] if last == "positional" else shown)


def _parameter(p: core.Param, annotations: bool) -> str:
    note = f": {text(p.annotation)}" if annotations and p.annotation is not None else ""
    equals = " = " if note else "="
    value = "" if p.default is None else equals + text(p.default)
    return {"varargs": "*", "varkw": "**"}.get(p.kind, "") + p.name + note + value
