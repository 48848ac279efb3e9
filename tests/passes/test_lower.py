"""Core form = original: every construct is lowered, printed, run, and compared with the function it came from."""
from __future__ import annotations

import itertools
import linecache
import textwrap

import gast
import numpy as np
import pytest

from srcgrad.errors import UnsupportedError
from srcgrad.lang import core, names, printing, verify
from srcgrad.passes.lower import lower

_number = itertools.count()


def code_of(text: str) -> core.Code:
    """The core form of the function `f` (or the lambda) that the text defines, verified."""
    text = textwrap.dedent(text)
    file = f"<lowered {next(_number)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    tree = gast.parse(text).body[-1]
    code = lower(tree.value if isinstance(tree, gast.Expr) else tree, file)
    verify.verify(code)
    return code


def lowered(text: str) -> str:
    return printing.function(code_of(text))


def refuse(what: str, remedy: str):
    raise UnsupportedError(what, remedy=remedy)


def run(text: str, name: str, args: tuple):
    """(what came out, what was printed and written), and the error if there was one."""
    log: list = []

    def say(*values):
        log.append(repr(values))
        return values[-1]
    scope = {"np": np, "say": say, "refuse": refuse}
    exec(textwrap.dedent(text), scope)
    args = tuple(a.copy() if isinstance(a, (np.ndarray, list)) else a for a in args)
    try:
        result = scope[name](*args)
    except UnsupportedError:
        raise
    except Exception as error:
        result = (type(error), str(error))
    return repr(result), log, repr(args)


ARRAY = np.arange(1.0, 6.0)
ROUND_TRIPS: dict[str, tuple[str, list[tuple]]] = {}


def trip(name: str, *inputs: tuple, text: str) -> None:
    ROUND_TRIPS[name] = text, list(inputs)


trip("chained", (1,), (ARRAY,), text="""
def f(x):
    a = b = say(x)
    return a, b, a is b
""")
trip("chained_place", (ARRAY,), text="""
def f(x):
    i = x[i] = 2
    return i
""")
trip("chained_rebound", (1,), text="""
def f(x):
    a = (a, b) = c = x, 2
    return a, b, c
""")
trip("chained_tuples", ([1, 2],), text="""
def f(x):
    x[0] = y, z = say(x[1]), 5
    return y, z
""")
trip("swap", (1, 2), text="""
def f(a, b):
    a, b = b, a + b
    a, b = b, a
    return a, b
""")
trip("swap_items", (ARRAY,), ([1, 2],), text="""
def f(x):
    x[0], x[1] = x[1], x[0]
    return x
""")
trip("swap_rows", (ARRAY,), text="""
def f(x):
    x = x.reshape(5, 1)
    x[0], x[1] = x[1], x[0]
    return x
""")
trip("index_bound_after", (ARRAY,), text="""
def f(x):
    i = 0
    x[i], i = 9, 1
    return i
""")
trip("index_bound_before", (ARRAY,), text="""
def f(x):
    i, x[i] = 1, 9
    return i
""")
trip("unpack", (ARRAY,), ([1, 2, 3],), ([1],), text="""
def f(x):
    a, *b, c = x
    [d, e], g = (a, b), c
    return a, b, c, d, e, g
""")
trip("unpack_twice", ([1, 2],), ([1],), text="""
def f(x):
    _, _ = x
    a, a = 1, 2
    return _, a
""")
trip("annotated", (ARRAY,), text="""
def f(x):
    a: float = x
    b: int
    x[0]: int = 7
    return a
""")
trip("augmented", (3,), (ARRAY,), text="""
def f(x):
    y = x
    y += 1
    y **= 2
    return x, y
""")
trip("augmented_order", (ARRAY,), text="""
def f(x):
    rows = [x, x]
    rows[say(0)][say(1), ] += say(5)
    x[say(1) + 1:say(9)] -= say(2)
    return x
""")
trip("augmented_attribute", (1,), (ARRAY,), text="""
class C: pass
def f(x):
    c = C()
    c.d = C()
    c.d.e = x
    c.d.e += 1
    return x, c.d.e
""")
trip("early_return", (3,), (2,), (1,), text="""
def f(x):
    if x > 2:
        return 'a'
    y = say(x)
    if y > 1: return y
    return -y
""")
trip("nested_return", (2,), (1,), (0,), text="""
def f(x):
    y = 0
    if x > 0:
        if x > 1:
            return 'b'
        y = say(x)
    else:
        y = 2
    y += 1
    return y
""")
trip("return_in_loop", ([1, 3],), ([],), text="""
def f(x):
    for v in x:
        if v > 2: return v
    return 0
""")
trip("no_return", (0,), (1,), text="""
def f(x):
    if x:
        say(1)
        return
    say(2)
""")
trip("with_return", (1,), (2,), text="""
def f(x):
    with np.errstate(all='ignore') as s:
        if x > 1: return x
        y = 2
        return y
""")
trip("dead_code", (1,), text="""
def f(x):
    return x
    say(1)
""")
trip("for_targets", (ARRAY,), text="""
def f(x):
    for i, (a, b) in enumerate(zip(x, x)):
        say(i, a, b)
    for x[0] in range(3): pass
    return i, x
""")
trip("loop_else", ([1, 2],), ([1],), text="""
def f(x):
    for v in x:
        if v == 2: break
    else:
        say('none')
    while x:
        x = x[:-1]
    else:
        say('empty')
""")
trip("while_true", (7,), text="""
def f(x):
    while True:
        x -= 1
        if x < 0:
            return x
        if x == 5: continue
        say(x)
""")
trip("walrus_if", ([1],), ([1, 2],), ([1, 2, 3],), text="""
def f(x):
    if (n := len(x)) > 2 and n < 5: return n
    elif (m := n + 1) > 2: return m
    return (k := 3) + k
""")
trip("walrus_while", (4,), text="""
def f(x):
    while (x := x - 1) > 0:
        say(x)
    else:
        say('end')
    return x
""")
trip("walrus_continue", (4,), text="""
def f(x):
    while (x := x - 1) > 0:
        if x == 2: continue
        say(x)
    else:
        say('end')
    return x
""")
trip("walrus_nested", (4,), text="""
def f(x):
    y = (a := (b := x + 1) * 2) + a + b
    return y, a, b
""")
trip("walrus_in_order", (4,), text="""
def f(x):
    y = [x + (x := 1), x + (z := (x := 3)), (x := 1) + (x := 2), (say(x), x)[1] + (x := 7) + x]
    y += [max(say(x) or x, *(w := [8, x]), key=(m := abs)), say(m(-2)), {'a': say(x), 'b': (n := 5), 'c': n}]
    y += [abs(x) + sum([(z := i) + z for i in w]) + z]
    return y, x, z, w, n
""")
trip("nested_def", (2,), text="""
def f(x):
    y = x
    def g(z, k=y, *r, s=3, **q):
        'doc'
        if z: return z + y + k + s
    y = 7
    return g(1), g(0)
""")
trip("recursive_def", (7,), text="""
def f(x):
    def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
    return fib(x)
""")
trip("decorated", (3,), text="""
def f(x):
    def twice(g): return lambda v: g(g(v))
    @twice
    @twice
    def h(v): return v * 2
    return h(x)
""")
trip("lambdas", (2,), text="""
def f(x):
    g = lambda a, b=x: a + b + x
    return (lambda: g(1))(), sorted([3, 1], key=lambda v: -v)
""")
trip("asserts", (1,), (2,), (9,), text="""
def f(x):
    assert x > 1, f'{x} is small'
    assert not x > 5
    return x
""")
trip("try_all", (2,), (0,), ('a',), text="""
def f(x):
    try:
        y = 1 / x
    except (ZeroDivisionError, TypeError) as e:
        say(str(e))
        raise ValueError('v') from e
    else:
        say('fine')
    finally:
        say('last')
    return y
""")
trip("reraise", ([1],), (None,), text="""
def f(x):
    try:
        return x[3]
    except IndexError:
        raise
    except:
        return 'other'
""")
trip("imports", (4,), text="""
def f(x):
    import math as m, numpy.linalg
    import numpy.linalg as la
    from math import sqrt as s, pi
    return m.sin(x), s(x), pi, numpy.linalg is la
""")
trip("deletions", ([1, 2],), text="""
def f(x):
    y = x
    del y, x[0]
    class_ = x
    return class_
""")
trip("expressions", (3,), (0,), text="""
def f(x):
    'doc'
    ...
    say(x)
    a = x if x > 1 or x < -1 else -x
    return {'a': a, **{'b': [*range(x)]}}, {x}, [i for i in range(x) if i], f'{a:>{5}}|{x!r}'
""")
trip("parameters", (1,), (1, 2, 3), text="""
def f(a, /, b=2, *c, d=4, **e):
    return a, b, c, d, e
""")
trip("dead_yield", (1,), text="""
def f(x):
    def g():
        yield 1
    return x
""")
trip("untaken_refusal", (0,), text="""
def f(x):
    if x:
        global zz
        zz = 1
    return x
""")
MANY = "def f(x):\n" + "".join(f"""\
    if x > {i}:
        if x == {i + 1}:
            return {i}
        say({i})
""" for i in range(12)) + "    return x"
trip("many_returns", (0,), (3,), (99,), text=MANY)


@pytest.mark.parametrize("text, inputs", ROUND_TRIPS.values(), ids=ROUND_TRIPS.keys())
def test_core_form_gives_the_same(text, inputs):
    printed = text.partition("def f(")[0] + lowered(text)
    for args in inputs:
        assert run(printed, "f", args) == run(text, "f", args)


@pytest.mark.parametrize("text", [
    "lambda x, y=2: x * y + (lambda z: z + x)(1)", "lambda x: (y := x + 1) * y", "lambda x: [x + i for i in range(3)]"])
def test_lambdas_become_functions(text):
    assert run(lowered(text), "lambda_", (3,)) == run(f"lambda_ = {text}", "lambda_", (3,))


# ---------------------------------------------------------------- exact forms

@pytest.mark.parametrize("before, after", [
    ("a = b = v", "a = v\nb = v"),
    ("a = b = g(x)", "a = g(x)\nb = a"),
    ("a, b = b, a", "a, b = b, a"),
    ("(a, b), c[0] = v", "t, c_1 = v\na, b = t\nc[0] = c_1"),
    ("x.f, y = v", "f_1, y_1 = v\nx.f = f_1\ny = y_1"),
    ("rows[k].u[g(i)] += v", "u = rows[k].u\nk_1 = g(i)\nu[k_1] += v"),
    ("u[1:-1, n - 1] += v", "u[1:-1, n - 1] += v"),
    ("while (e := g(x)) > 1:\n    x = h(e)", "e = g(x)\nwhile e > 1:\n    x = h(e)\n    e = g(x)"),
    ("for a, b in v:\n    pass", "for item in v:\n    a, b = item"),
    ("assert not a", "if a:\n    raise AssertionError()"),
])
def test_exact_forms(before, after):
    text = "def f(x):\n" + textwrap.indent(before, "    ")
    assert lowered(text) == "def f(x):\n" + textwrap.indent(after, "    ") + "\n    return None\n"


def test_a_guard_takes_the_rest_as_its_else():
    assert lowered("def f(x):\n if x > 0:\n  return 1\n y = 2\n return y") == (
        "def f(x):\n    if x > 0:\n        return 1\n    else:\n        y = 2\n        return y\n")


def test_returns_stand_at_the_end_only():
    code = code_of(ROUND_TRIPS["nested_return"][0])
    assert returns_elsewhere(code.body) == 0


def test_copies_are_limited():
    """Twelve branches that return in one arm would give 2**12 copies."""
    code = code_of(MANY)
    assert sum(1 for _ in core.statements(code.body)) < 200


def returns_elsewhere(block: tuple[core.Statement, ...]) -> int:
    inner = sum(returns_elsewhere(b) for b in core.blocks(block[-1])) if block else 0
    return inner + sum(isinstance(s, core.Return) for s in core.statements(block[:-1]))


# ---------------------------------------------------------------- refusals, names, places

@pytest.mark.parametrize("body, said", [
    ("class C(*bases): pass", "the bases of this class"), ("async def g(): pass", "`async`"),
    ("x = g((yield x))", "`yield` in this place"), ("from . import y", "a relative import"),
    ("y = g(x and (z := 1))", "`:=`"),
    ("y = 1 if x else (z := 1)", "`:=`"), ("y = x < g(x, (x := 1))", "`:=`"), ("y = {x: (x := 1)}", "`:=`"),
])
def test_what_is_refused_is_refused_in_its_place(body, said):
    code = code_of(f"def f(x):\n    {body}\n    return x")
    refusal = code.body[-1]
    assert isinstance(refusal, core.Refuse) and refusal.what.startswith(said)
    assert refusal.remedy and refusal.at is not None and refusal.at.line == 2


def test_temporaries_avoid_every_name_of_the_function():
    code = code_of("""
        def f(item, t, c_1):
            for a, b in item:
                (a, t), c[0] = item
            def g(item_1, t_1): return t_2
            return item""")
    made = names.local(code) - {"item", "t", "c_1", "a", "b", "g"}
    assert made == {"item_2", "t_3", "c_2"}


def test_statements_know_their_places():
    code = code_of("def f(x):\n    if (x >\n            1):\n        y = x\n        return y\n    return 2")
    branch, = code.body
    assert (branch.at.line, branch.at.column, branch.at.end_line, branch.at.end_column) == (2, 4, 3, 13)
    assert [s.at.line for s in branch.body + branch.orelse] == [4, 5, 6]
    assert (code.at.line, code.at.end_column) == (1, 5)


def test_free_names_of_nested_functions():
    code = code_of("def f(x):\n def g(z, k=x):\n  w = z + y\n  return h(w)\n y = 1\n return g")
    default, made = code.body[:2]
    assert default.values == (core.Name("x"),)
    assert set(made.values[0].free) == {*default.names, "y", "h"}
