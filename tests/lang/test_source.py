"""The source that is found is that of the code that runs."""
import doctest
import functools
import importlib.util
import linecache
import operator
import sys
import textwrap
import threading
import types

import gast
import numpy as np
import pytest

from srcgrad.errors import ArgumentError, SourceNotFound, UnsupportedError
from srcgrad.lang.load import load
from srcgrad.lang.source import find, is_user_function

OFFSET = 4.0
one, two, three = lambda x: x + 1, lambda x: x + 2, (lambda x: (lambda y: y + 3)(x))
same, twin = lambda x: x * 2, lambda x: x * 2
chosen, other = lambda x, f=lambda x: x - 1: f(x), lambda x: x if x else 0


def body(found):
    """The text of what the function returns."""
    tree = found.tree if isinstance(found.tree, gast.Lambda) else found.tree.body[-1]
    return gast.unparse(tree.body if isinstance(tree, gast.Lambda) else tree.value)


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Imports a text as a module from a file; calling again with the same name changes the file alone."""
    def write(text, name="made", load=True):
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        if not load:
            return path
        spec = importlib.util.spec_from_file_location(name, path)
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return made
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return write


# ---------------------------------------------------------------- plain functions and lambdas

def scaled(x, /, k=2.0, *rest, flag: bool = False, **more):
    return x * k + OFFSET


def test_plain_function():
    found = find(scaled)
    assert found.function is scaled
    assert found.name == found.tree.name == "scaled"
    assert found.file == __file__ and found.globals is globals()
    assert (found.cells, found.bound, found.bound_kwargs) == ({}, (), {})
    assert found.tree.lineno == scaled.__code__.co_firstlineno
    assert body(found) == "x * k + OFFSET"
    assert str(found.signature) == "(x, /, k=2.0, *rest, flag: bool = False, **more)"


@pytest.mark.parametrize("function, text", [
    (one, "x + 1"), (two, "x + 2"), (three, "(lambda y: y + 3)(x)"), (chosen, "f(x)"),
    (chosen.__defaults__[0], "x - 1"), (other, "x if x else 0"), (same, "x * 2"),
])
def test_lambdas_on_one_line(function, text):
    found = find(function)
    assert body(found) == text
    assert found.name == "lambda_" and isinstance(found.tree, gast.Lambda)
    assert found.tree.lineno == function.__code__.co_firstlineno


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns of code are known from Python 3.11 on")
def test_equal_lambdas_on_one_line_by_column():
    assert find(same).tree.col_offset < find(twin).tree.col_offset


def test_a_lambda_inside_of_a_lambda():
    assert body(find((lambda x: lambda y: x + y)(1))) == "x + y"


def test_lambdas_that_differ_in_the_type_of_a_constant():
    pair = [lambda: 1, lambda: 1.0, lambda: True, lambda: 0.0, lambda: -0.0]
    assert [body(find(f)) for f in pair] == ["1", "1.0", "True", "0.0", "-0.0"]


def test_closure_cells_are_the_functions_own():
    def outer(w):
        def inner(x):
            return w * x + OFFSET
        return inner

    three, five = find(outer(3)), find(outer(5))
    assert three.cells["w"].cell_contents == 3 and five.cells["w"].cell_contents == 5
    assert three.tree.lineno == five.tree.lineno == outer.__code__.co_firstlineno + 1


def test_finding_changes_nothing_for_the_next():
    first, second = find(two).tree, find(two).tree
    assert first is not second
    assert gast.dump(first, include_attributes=True) == gast.dump(second, include_attributes=True)


# ---------------------------------------------------------------- methods, partial, callables

class Layer:
    __scale = 2.0

    def __init__(self, w):
        self.w = w

    def apply(self, x):
        return self.w @ x

    def __private(self, x, __y=1):
        return self.__scale * x + __y

    @classmethod
    def made(cls, x):
        return cls(x).w

    @staticmethod
    def square(x):
        return x * x

    def __call__(self, x):
        return self.apply(x) + 1

    @functools.lru_cache    # noqa: B019  a cached method is what is tested
    def cached(self, x):
        return self.w - x

    def derived(self):
        return self.private(1)

    private = __private


class Static:
    @staticmethod
    def __call__(x):
        return x / 3

    half = functools.partialmethod(lambda self, k, x: x / k, 2)


def test_methods():
    layer = Layer(1)
    assert find(layer.apply).bound == (layer,) and body(find(layer.apply)) == "self.w @ x"
    assert find(Layer.apply).bound == () and find(Layer.apply).function is Layer.apply
    assert find(Layer.made).bound == (Layer,) and body(find(Layer.made)) == "cls(x).w"
    assert find(layer.square).bound == () and body(find(Layer.square)) == "x * x"
    assert find(Layer.__dict__["square"]).function is Layer.square
    assert find(layer.cached).bound == (layer,) and body(find(layer.cached)) == "self.w - x"


def test_callable_objects():
    layer = Layer(1)
    assert find(layer).bound == (layer,) and body(find(layer)) == "self.apply(x) + 1"
    assert find(layer).name == "__call__"
    static = Static()
    assert find(static).bound == () and body(find(static)) == "x / 3"
    assert find(static.half).bound == (static, 2) and body(find(static.half)) == "x / k"


def test_an_attribute_named_call_is_not_what_runs():
    layer = Layer(1)
    layer.__call__ = scaled
    assert find(layer).function is Layer.__call__


def test_private_names_are_mangled():
    found = find(Layer(1).private)
    assert body(found) == "self._Layer__scale * x + _Layer__y"
    assert list(found.signature.parameters) == [arg.id for arg in found.tree.args.args] == ["self", "x", "_Layer__y"]


def test_partial():
    inner = functools.partial(Layer(1).apply)
    inner.note = "so that the next one is nested"
    found = find(functools.partial(functools.partial(scaled, 1, flag=True, z=1), 2, z=2))
    assert (found.function, found.bound, found.bound_kwargs) == (scaled, (1, 2), {"flag": True, "z": 2})
    nested = find(functools.partial(inner, 5))
    assert nested.bound == (inner.func.__self__, 5)


def test_cached_function_is_followed():
    assert find(functools.cache(scaled)).function is scaled


# ---------------------------------------------------------------- decorators

def doubling(function):
    @functools.wraps(function)
    def wrapper(*args):
        return 2 * function(*args)
    return wrapper


def registered(label):
    return lambda function: function


@doubling
def decorated(x):
    return x + 1


@registered(lambda: 0)
@registered(
    "two lines")
def marked(x):
    return x + 5


def test_the_wrapper_is_what_runs():
    found = find(decorated)
    assert found.name == "wrapper" and body(found) == "2 * function(*args)"
    assert str(found.signature) == "(*args)"
    wrapped = found.cells["function"].cell_contents
    assert body(find(wrapped)) == "x + 1" and find(wrapped).tree.decorator_list == []


def test_decorators_are_removed_and_lines_kept():
    found = find(marked)
    assert found.tree.decorator_list == [] and body(found) == "x + 5"
    assert found.tree.lineno == found.tree.body[0].lineno - 1 == marked.__code__.co_firstlineno + 3


# ---------------------------------------------------------------- files

def test_two_functions_of_one_name(module):
    made = module("""
        def f(x):
            return x + 1
        first = f
        def f(x):
            return x + 2
        if True:
            def f(x): return x + 3
    """)
    assert body(find(made.first)) == "x + 1" and body(find(made.f)) == "x + 3"


def test_imports_and_names_elsewhere_in_the_file_decide_about_its_bytecode(module):
    made = module("""
        class A:
            def f(self, x):
                return super().f(math.cos(x).conjugate())
            g, h = lambda self, x: math.sin(x), lambda self, x: math.cos(x)
        def super(): return math
        if True:
            import math
    """)
    assert body(find(made.A.f)) == "super().f(math.cos(x).conjugate())"
    assert [body(find(f)) for f in (made.A.g, made.A.h)] == ["math.sin(x)", "math.cos(x)"]


def test_a_function_that_moved_is_still_found(module):
    made = module("def f(x):\n    return x + 1\ng = lambda x: x + 7\n")
    assert find(made.f).tree.lineno == 1
    module("# a new line\n\ndef f(x):\n    return x + 1\ng = lambda x: x + 7\n", load=False)
    assert find(made.f).tree.lineno == 3
    assert body(find(made.g)) == "x + 7"


def test_a_changed_file_is_refused(module):
    made = module("def f(x):\n    return x + 1\n")
    find(made.f)
    module("def f(x):\n    return x + 1.0\n", load=False)
    with pytest.raises(SourceNotFound, match=r"changed since f .*made\.py, line 1") as caught:
        find(made.f)
    assert "Reload the module" in str(caught.value)


def test_a_file_that_is_no_longer_python_or_gone(module):
    made = module("def f(x):\n    return x + 1\n")
    path = module("def f(x:\n", load=False)
    with pytest.raises(SourceNotFound, match="isn't Python"):
        find(made.f)
    path.unlink()
    with pytest.raises(SourceNotFound, match="can't be found"):
        find(made.f)


def test_tabs_future_imports_and_warnings(module, recwarn):
    with pytest.warns(SyntaxWarning):
        made = module("from __future__ import annotations\nclass A:\n\tdef f(self, x: Unknown):\n\t\treturn x is 1\n")
    recwarn.clear()
    assert body(find(made.A.f)) == "x is 1"
    assert not recwarn.list


def test_functions_with_asserts_that_pytest_rewrote():
    def checked(x):
        assert x > 0
        return x + 1
    assert body(find(checked)) == "x + 1"


def test_text_registered_in_linecache():
    text = "def f(x):\n    return x + k\n"
    linecache.cache["<cell 1>"] = len(text), None, text.splitlines(True), "<cell 1>"
    scope = {}
    exec(compile(text, "<cell 1>", "exec"), scope)
    assert body(find(scope["f"])) == "x + k" and find(scope["f"]).file == "<cell 1>"


def test_doctests():
    text = """
    >>> f = lambda x: x + 1
    >>> def g(x):
    ...     return x + 2
    >>> show(f), show(g)
    ('x + 1', 'x + 2')
    """
    example = doctest.DocTestParser().get_doctest(text, {"show": lambda f: body(find(f))}, "sample", None, None)
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


def test_generated_functions_are_found():
    text = "def f(x):\n    def pullback(g):\n        return helper(g * x) + OFFSET\n    return pullback\n"
    f, filename = load(text, "f", globals(), helpers={"helper": abs})
    assert body(find(f)) == "pullback" and find(f).file == filename
    inner = find(f(3))
    assert body(inner) == "helper(g * x) + OFFSET" and inner.tree.lineno == 2
    assert inner.cells["x"].cell_contents == 3 and inner.cells["helper"].cell_contents is abs


def test_threads_find_the_same():
    out, threads = [], []
    for _ in range(4):
        threads.append(threading.Thread(target=lambda: out.extend(find(two).tree.lineno for _ in range(20))))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out == [two.__code__.co_firstlineno] * 80


# ---------------------------------------------------------------- what has no source

@pytest.mark.parametrize("function", [len, np.sin, np.sum, operator.itemgetter(0), [].append, str.upper])
def test_builtins_have_none(function):
    with pytest.raises(SourceNotFound, match="isn't written in Python") as caught:
        find(function)
    assert "no rule" in str(caught.value)


def test_text_that_was_only_executed():
    scope = {}
    exec("def f(x): return x", scope)
    with pytest.raises(SourceNotFound, match=r"source of f \(<string>, line 1\) can't be found") as caught:
        find(scope["f"])
    assert "linecache" in str(caught.value)


def test_what_cannot_be_called():
    with pytest.raises(ArgumentError, match="can't be called"):
        find(3.0)


def test_classes_are_refused():
    with pytest.raises(UnsupportedError, match="Layer is a class"):
        find(Layer)


async def waits(x):
    return x


async def streams(x):
    yield x


@pytest.mark.parametrize("function, kind", [
    (waits, "an async function"), (streams, "an async generator")])
def test_suspended_functions_are_refused(function, kind):
    with pytest.raises(UnsupportedError, match=f"{function.__name__} is {kind}") as caught:
        find(function)
    assert caught.value.at.line == function.__code__.co_firstlineno
    assert f"def {function.__name__}(x):" in str(caught.value)


# ---------------------------------------------------------------- is_user_function

def test_user_functions():
    assert all(map(is_user_function, [
        scaled, one, Layer(1), Layer(1).apply, Layer.made, functools.partial(scaled, 1), functools.cache(scaled)]))


@pytest.mark.parametrize("obj", [
    len, np.sin, np.sum, np.vectorize(abs), np.linalg.norm, np.ma.masked_array, textwrap.dedent, functools.reduce,
    functools.partial(textwrap.dedent, ""), Layer, 3, None, types.SimpleNamespace(), eval("lambda x: x"),
])
def test_not_user_functions(obj):
    assert not is_user_function(obj)


def test_a_wrapper_of_a_library_function_is_the_users():
    assert is_user_function(doubling(np.linalg.norm))
