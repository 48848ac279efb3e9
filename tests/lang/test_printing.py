"""Exact texts of expressions, statements and line breaks."""
from __future__ import annotations

import ast
import math
import time

import pytest

from srcgrad.errors import InternalError
from srcgrad.lang import core, layout, parse, printing, templates


def expr(text: str) -> core.Expr:
    return parse.expression(ast.parse(text, mode="eval").body, "<test>")


@pytest.mark.parametrize("text", [
    "a + b", "(a + b) * (c + d)", "a - (b - c)", "a / (b * c)", "-x**2", "(-x)**2", "2**-1", "(a**b)**c", "a**b**c",
    "--x", "a @ (b * c)", "not a and b or c", "(not a) == b", "not a == b", "a < (b < c)", "a < b in c",
    "a or (b or c)", "(a if b else c) + 1", "(x if a else y) if b else z", "x if a else y if b else z", "x[0, 1]",
    "x[1:-1]", "x[()]", "x[a,]", "x[i + 1:, ::2, None]", "x[..., 0]", "x[a if b else c]", "f(*a, **k, b=1)",
    "f((a, b))", "f((yield))", "f(i for i in x)", "[i for i in x if i]", "{k: v for k, v in c}", "{1, 2}",
    "{'a': 1, **b}", "lambda x, y=1, *, z: x", "lambda: (a, b)", "(lambda: 1)()", "(a,)", "((a, b), c)", "[*a, b]",
    "(a, b)[0]", "(1,) + x", "(1.5).real", "0.001", "1e-05", "1j", "\"a'b\"", "b'x'", "f'{x!r:>{w}}'",
    "f\"{a['k']}: {x:.3f}\\\"\"", "f'{{{x}}}\\n'", "f'{(lambda x: 1)}'", "...",
])
def test_text_as_it_stands(text):
    assert printing.text(expr(text)) == text


@pytest.mark.parametrize("value, text", [
    (-1, "-1"), (-0.0, "-0.0"), (1e-3, "0.001"), (math.inf, "float('inf')"), (-math.inf, "float('-inf')"),
    (math.nan, "float('nan')"), (2j, "2j"), (1 + 2j, "complex(1.0, 2.0)"), (-1j, "complex(-0.0, -1.0)"), (None, "None"),
    (True, "True"), (..., "..."), ("a\n", "'a\\n'"),
])
def test_constants(value, text):
    assert printing.text(core.Const(value)) == text
    assert repr(eval(text)) == repr(value)


def test_negative_constants_bind_as_they_are():
    assert printing.text(core.Bin("**", core.Const(-2), core.Const(-1.5))) == "(-2)**-1.5"
    assert printing.text(core.Bin("-", core.Name("a"), core.Const(-2))) == "a - -2"


def test_opaque_parts_and_functions_are_told_apart():
    assert [printing.text(expr(t)) for t in ("f'{a}'", "f'{b}'", "lambda: a", "lambda: b")] == [
        "f'{a}'", "f'{b}'", "lambda: a", "lambda: b"]


@pytest.mark.parametrize("text", [
    "a = 1", "a, b = b, a", "a = b, c", "a = (b, c), d", "a, *b = c", "a, = c", "x[0] = v", "u[1:-1] += v",
    "x.f = a, b", "x += 1", "f(x)", "return a, b", "return a,", "return", "break", "raise E('x')",
    "for i in (a, b):\n    f(i)\nelse:\n    f(0)", "while a:\n    continue",
    "if a:\n    f()\nelif b:\n    g()\nelse:\n    h()", "if a:\n    f()\nelse:\n    if b:\n        g()\n    h()",
])
def test_statements(text):
    looped = f"for i in x:\n{text}".replace("\n", "\n    ")
    printed = "\n".join(printing.block(templates.parse_block(looped)))
    assert printed == looped.replace("return\n", "return None\n").removesuffix("return") + (
        "return None" if text == "return" else "")


def test_with_try_refuse_and_comments():
    name, pass_ = core.Name, ()
    block = (
        core.With(((core.Call(name("f")), "a"), (name("b"), None)), (core.Comment("why"),)),
        core.Try((core.Effect(name("x")),), ((expr("(E, F)"), "e", pass_), (None, None, pass_)), (),
                 (core.Effect(name("y")),)),
        core.Refuse("no `x`", "write y"),
    )
    assert printing.block(block) == [
        "with f() as a, b:", "    # why", "    pass",
        "try:", "    x", "except (E, F) as e:", "    pass", "except:", "    pass", "finally:", "    y",
        "raise refuse('no `x`', 'write y')"]


def test_functions_and_parameters():
    P = core.Param
    params = (P("a", "positional"), P("b", default=core.Const(1), annotation=core.Name("int")), P("c", "varargs"),
              P("d", "keyword"), P("e", "varkw"))
    inner = core.Code("g", (P("a", "positional"), P("k", "keyword")), ())
    code = core.Code("f", params, (core.Bind(("h",), (core.Function(inner, ()),)),))
    assert printing.function(code) == "def f(a, /, b=1, *c, d, **e):\n    def h(a, /, *, k):\n        pass\n"
    assert printing.function(code, "df", annotations=True).startswith("def df(a, /, b: int = 1, *c, d, **e):\n")
    assert printing.parameters((P("a", "positional"),)) == "a, /"


def test_a_function_of_several_statements_is_no_expression():
    function = core.Function(core.Code("g", (), templates.parse_block("a = 1\nreturn a")), ())
    with pytest.raises(InternalError, match="several statements"):
        printing.text(core.Call(core.Name("f"), (function,)))


# ---------------------------------------------------------------- line breaks

LONG = "u[1:-1] + nu * dt / dx**2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - dt / (2.0 * dx) * (flux[2:] - flux[:-2])"
NAMES = [f"coefficient_{i}" for i in range(9)]


@pytest.mark.parametrize("line, want", [
    ("x = a", ["x = a"]),
    (f"return scale * ({LONG})", [
        "return (scale * (u[1:-1] + nu * dt / dx**2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])",
        "                 - dt / (2.0 * dx) * (flux[2:] - flux[:-2])))"]),
    (f"u_bar[1:-1] = first + {LONG}", [
        "u_bar[1:-1] = (first + u[1:-1] + nu * dt / dx**2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])",
        "               - dt / (2.0 * dx) * (flux[2:] - flux[:-2]))"]),
    (f"x = f({', '.join(NAMES)}, axis=0)", [
        f"x = f({', '.join(NAMES[:7])},", f"      {', '.join(NAMES[7:])}, axis=0)"]),
    (f"return {', '.join(NAMES)}", [f"return ({', '.join(NAMES[:6])},", f"        {', '.join(NAMES[6:])})"]),
    (f"if {' > 0 and '.join(NAMES[:6])} > 0:", [
        f"if ({' > 0 and '.join(NAMES[:5])} > 0", f"        and {NAMES[5]} > 0):"]),
    (f"x = f('{', '.join(NAMES)}')", [f"x = f('{', '.join(NAMES)}')"]),
])
def test_long_lines_break_inside_brackets(line, want):
    got = layout.wrap(line, "")
    body = "\n    pass" if line.endswith(":") else ""
    outer = "def f():\n " + "\n ".join(got) + body
    assert ast.dump(ast.parse(outer)) == ast.dump(ast.parse(f"def f():\n {line}{body}"))
    assert got == want


def test_printing_is_fast():
    lines = [f"x{i} = a[{i}] * ({LONG}) + np.sum(x{i}, axis=0, keepdims=True)" for i in range(60)]
    block = templates.parse_block("\n".join(lines))
    start = time.process_time()
    printing.block(block)
    printing.block(block)
    assert time.process_time() - start < 0.3
