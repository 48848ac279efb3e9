"""The core form: parsing into it, walking it, verifying it, and templates."""
from __future__ import annotations

import ast

import gast
import pytest

from srcgrad.errors import InternalError
from srcgrad.lang import core, names, parse, printing, templates, verify

A, B, X = core.Name("a"), core.Name("b"), core.Name("x")
ONE = core.Const(1)


def expr(text: str) -> core.Expr:
    return parse.expression(ast.parse(text, mode="eval").body, "<test>")


# ---------------------------------------------------------------- parse

@pytest.mark.parametrize("text, want", [
    ("a + 1", core.Bin("+", A, ONE)),
    ("not a", core.Unary("not", A)),
    ("a < b <= 1", core.Compare(A, ("<", "<="), (B, ONE))),
    ("a is not None", core.Compare(A, ("is not",), (core.Const(None),))),
    ("a and b and x", core.Bool("and", (A, B, X))),
    ("a if x else b", core.Cond(X, A, B)),
    ("x(a, *b, k=1, **a)", core.Call(X, (A, core.Star(B)), (("k", ONE), (None, A)))),
    ("x.y[a:, ::b]", core.Item(core.Attr(X, "y"), core.Tuple((core.Slice(A), core.Slice(None, None, B))))),
    ("[a, (b,)]", core.List((A, core.Tuple((B,))))),
    ("{1: a, **b}", core.Dict((ONE, None), (A, B))),
])
def test_expressions_become_core_nodes(text, want):
    assert expr(text) == want
    assert parse.expression(gast.parse(text, mode="eval").body, "<test>") == want


@pytest.mark.parametrize("text, reads", [
    ("f'{a!r:>{b}}'", ("a", "b")),
    ("[i + a for i in b if i > x]", ("b", "x", "a")),
    ("{k: v for k, v in a for a in k}", ("a",)),
    ("[y for y in y]", ("y",)),
    ("{a, b}", ("a", "b")),
    ("[(lambda i, j=x: i + j + a)(b) for b in range(3)]", ("range", "x", "a")),
])
def test_opaque_parts_know_what_they_read(text, reads):
    opaque = expr(text)
    assert isinstance(opaque, core.Opaque)
    assert opaque.reads == reads


def test_a_lambda_knows_its_free_names():
    function = expr("lambda x, y=a, *z, k=1: x + y + b + z[k]")
    assert isinstance(function, core.Function)
    assert function.free == ("a", "b")
    assert [(p.name, p.kind) for p in function.code.params] == [
        ("x", "normal"), ("y", "normal"), ("z", "varargs"), ("k", "keyword")]


def test_columns_count_characters(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("é = 'ü' + abc\n", encoding="utf-8")
    value = parse.expression(ast.parse(file.read_text(encoding="utf-8")).body[0].value, str(file))
    assert value.right.at == core.At(str(file), 1, 10, 1, 13)


def test_every_part_has_its_place():
    assert all(e.at is not None and e.at.line == 1 for e in core.walk(expr("f(a + b[0, 1:], k=-x) if a else (b, [1])")))


def test_literals_that_compare_equal_in_python_differ():
    literals = [core.Const(v) for v in (1, 1.0, True, 0.0, -0.0, "1", b"1", None)]
    assert len(set(literals)) == len(literals)


# ---------------------------------------------------------------- walking

def test_map_keeps_what_does_not_change():
    whole = expr("f(a + 1, b * x)")
    changed = core.substitute(whole, {"a": X})
    assert changed == expr("f(x + 1, b * x)")
    assert changed.args[1] is whole.args[1]
    assert core.substitute(whole, {"q": X}) is whole


@pytest.mark.parametrize("text", [
    "a + b", "-a", "a < b < 1", "a or b", "a if b else x", "f(a, *b, k=1, **x)", "a.b", "a[1:b, ::x]", "(a, b)", "[a]",
    "{1: a, **b}"])
def test_rebuild_over_the_same_children_gives_the_same_node(text):
    for node in core.walk(expr(text)):
        assert core.rebuild(node, core.children(node)) == node


# ---------------------------------------------------------------- names

def test_fresh_names_collide_with_nothing():
    fresh = names.Fresh({"x", "x_1"})
    assert [fresh.name(h) for h in ("x", "x", "y", "y", "lambda", "sum", "u[0]")] == [
        "x_2", "x_3", "y", "y_1", "lambda_1", "sum_1", "u_0"]


def test_free_names_of_a_function():
    body = templates.parse_block("t = a + x\nfor i in range(n):\n    t += b[i]\nreturn t")
    code = core.Code("f", (core.Param("x"), core.Param("n", default=core.Name("d"))), body)
    assert names.free(code) == ("d", "a", "range", "b")
    assert names.local(code) == {"x", "n", "t", "i"}


# ---------------------------------------------------------------- verify

GOOD = core.Bind(("x",), (A,))


@pytest.mark.parametrize("body, why", [
    ((core.Bind(("x", "y"), (A,)),), "differ in number"),
    ((core.Bind((), ()),), "no names"),
    ((core.Bind(("x", "x"), (A, B)),), "twice at once"),
    ((core.Bind(("1x",), (A,)),), "can't be assigned"),
    ((core.Bind(("if",), (A,)),), "can't be assigned"),
    ((core.Bind(["x"], (A,)),), "aren't a tuple"),
    ((core.Bind(("x",), ("a",)),), "no expression"),
    ((core.Bind(("x",), (core.Slice(A),)),), "a Slice in this place"),
    ((core.Bind(("x",), (core.Call(A, (core.Slice(),)),)),), "a Slice in this place"),
    ((core.Bind(("x",), (core.Item(A, core.List((core.Slice(),))),)),), "a Slice in this place"),
    ((core.Effect(core.Star(A)),), "a Star in this place"),
    ((core.Effect(core.Bin("add", A, B)),), "a malformed Bin"),
    ((core.Effect(core.Compare(A, ("<",), ())),), "a malformed Compare"),
    ((core.Effect(core.Bool("and", (A,))),), "a malformed Bool"),
    ((core.Effect(core.Name("a.b")),), "a malformed Name"),
    ((core.Effect(core.Const([1])),), "a malformed Const"),
    ((core.Effect(core.Attr(A, "1")),), "a malformed Attr"),
    ((core.Effect(core.Dict((ONE,), ())),), "a malformed Dict"),
    ((core.Unpack(("x",), A, 1),), "star"),
    ((core.Store(A, None, B),), "needs an operator"),
    ((core.Store(core.Call(A), None, B),), "a place"),
    ((core.Store(core.Attr(A, "b"), "+=", B),), "unknown operator"),
    ((core.If(A, [GOOD]),), "isn't a tuple"),
    ((core.If(A, (A,)),), "no statement"),
    ((core.Jump("break"),), "outside of a loop"),
    ((core.For("i", A, (), (core.Jump("continue"),)),), "outside of a loop"),
    ((core.While(A, (core.Jump("break", B),)),), "with a value"),
    ((core.Jump("goto"),), "unknown jump"),
    ((core.With((), ()),), "With of nothing"),
    ((core.Try((), ((None, "e", ()),)),), "can't name an exception"),
    ((GOOD, GOOD), "in two places"),
    ((core.Bind(("f",), (core.Function(core.Code("f", (), (core.Jump("break"),)), ()),)),), "outside of a loop"),
])
def test_broken_grammar_is_found(body, why):
    with pytest.raises(InternalError, match=why):
        verify.verify(core.Code("f", (core.Param("a"),), body))


@pytest.mark.parametrize("params", [
    (core.Param("a"), core.Param("a")),
    (core.Param("a", "varkw"), core.Param("b")),
    (core.Param("a", "vararg"),),
    (core.Param("1a"),),
])
def test_broken_parameters_are_found(params):
    with pytest.raises(InternalError):
        verify.verify(core.Code("f", params, ()))


def test_the_message_names_the_statement():
    with pytest.raises(InternalError, match=r"in Effect\(value=Bin\(op='plus'"):
        verify.verify(core.Code("f", (), (core.If(A, (core.Effect(core.Bin("plus", A, B)),)),)))


# ---------------------------------------------------------------- templates

def shown(text: str, **values) -> list[str]:
    return printing.block(templates.parse_block(text, **values))


def test_placeholders_are_expressions_names_and_parts_of_names():
    assert shown("{x}_bar{i} = {g} * {c}", x=X, i=2, g=core.Bin("+", A, B), c=0.5) == ["x_bar2 = (a + b) * 0.5"]
    assert shown("{x}.{field}({k}_=a)", x=X, field="T", k="axis") == ["x.T(axis_=a)"]
    assert shown("for {i} in a:\n    {x}[{i}] -= 1", i="i", x=X) == ["for i in a:", "    x[i] -= 1"]


def test_a_placeholder_on_its_own_line_is_a_block():
    inner = templates.parse_block("a = 1\nb = 2")
    assert shown("if {t}:\n    {body}\nelse:\n    pass", t=A, body=inner) == ["if a:", "    a = 1", "    b = 2"]
    assert shown("if {t}:\n    {body}", t=A, body=()) == ["if a:", "    pass"]


def test_comments_stay():
    assert shown("# line {n}: it's \"{t}\"\na = 1", n=3, t="a[0]") == ["# line 3: it's \"a[0]\"", "a = 1"]


def test_each_call_gives_new_statements():
    first, second = templates.parse_block("a = 1"), templates.parse_block("a = 1")
    assert first[0] is not second[0]
    verify.verify(core.Code("f", (), first + second))


@pytest.mark.parametrize("text, values", [
    ("a = {g}", {}), ("{x}_bar = 1", {"x": ONE}), ("import os", {}), ("a = b = 1", {})])
def test_bad_templates_raise(text, values):
    with pytest.raises(InternalError):
        templates.parse_block(text, **values)
