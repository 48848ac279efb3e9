"""Generated text runs in the user's globals and closure, and leaves both as they were."""
import functools
import gc
import inspect
import linecache
import pickle
import traceback
import types

import pytest

from srcgrad.errors import InternalError, SrcgradError, UnsupportedError
from srcgrad.lang.core import At
from srcgrad.lang.load import load, load_all

WEIGHT = 3.0


def test_runs_in_the_given_globals_and_adds_nothing():
    before = dict(globals())
    f, _ = load("def f(x):\n    return WEIGHT * x\n", "f", globals())
    assert f(2.0) == 6.0
    assert f.__globals__ is globals()
    assert globals() == before


def test_a_rebound_global_is_seen():
    scope = {"k": 1}
    f, _ = load("def f():\n    return k\n", "f", scope)
    scope["k"] = 2
    assert f() == 2


def test_globals_may_be_written_by_the_text_itself():
    scope = {"k": 1}
    f, _ = load("def f():\n    global k\n    k = 5\n", "f", scope)
    f()
    assert scope == {"k": 5}


def test_cells_are_shared_both_ways():
    def outer():
        count = 10

        def read():
            return count

        def write(value):
            nonlocal count
            count = value
        return read, write

    read, write = outer()
    cells = {"count": read.__closure__[0]}
    f, _ = load("def f():\n    nonlocal count\n    count += 1\n    return count\n", "f", {}, cells)
    write(20)
    assert f() == 21
    assert read() == 21


def test_helpers_and_plain_cell_values():
    f, _ = load("def f(x):\n    return helper(x) + c\n", "f", {}, {"c": 5}, {"helper": abs, "unused": 1})
    assert f(-2) == 7
    assert f.__code__.co_freevars == ("c", "helper")


def test_names_of_the_text_mean_its_own_functions():
    text = ("def even(n):\n    return True if n == 0 else odd(n - 1)\n\n"
            "def odd(n):\n    return False if n == 0 else even(n - 1)\n")
    made = load_all(text, ["odd", "even"], {"odd": None})
    assert list(made) == ["odd", "even"]
    assert made["even"](10) is True and made["odd"](10) is False
    assert made["odd"].__code__.co_filename == made["even"].__code__.co_filename


def test_a_function_calls_itself():
    f, _ = load("def f(n):\n    return 1 if n == 0 else n * f(n - 1)\n", "f", {})
    assert f(5) == 120


def test_defaults_of_the_text_are_evaluated_in_its_scope():
    f, _ = load("def f(a, b=k, *, c, d=h + 1):\n    return a, b, c, d\n", "f", {"k": 7}, helpers={"h": 1})
    assert f(1, c=2) == (1, 7, 2, 2)
    assert str(inspect.signature(f)) == "(a, b=7, *, c, d=2)"


def test_given_defaults_replace_those_of_the_text_unevaluated():
    default = []
    f, _ = load("def f(a=undefined, *, b=undefined):\n    return a, b\n", "f", {}, defaults=((default,), {"b": 2}))
    assert f()[0] is default and f()[1] == 2


def test_lines_and_names_are_those_of_the_text():
    text = "# a heading\n\ndef f(x):\n    y = x\n    return 1 / y\n"
    f, filename = load(text, "f", {}, filename_hint="f_grad")
    assert f.__code__.co_firstlineno == 3
    assert filename.startswith("<generated f_grad-") and filename.endswith(">")
    assert (f.__name__, f.__qualname__) == ("f", "f")
    with pytest.raises(ZeroDivisionError) as caught:
        f(0)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (frame.filename, frame.lineno, frame.line, frame.name) == (filename, 5, "return 1 / y", "f")
    assert inspect.getsource(f) == "def f(x):\n    y = x\n    return 1 / y\n"


def test_inner_functions_have_clean_qualified_names():
    f, _ = load("def f():\n    def g():\n        pass\n    return g\n", "f", {})
    assert f().__qualname__ == "f.<locals>.g"


def test_filenames_differ():
    text = "def f():\n    pass\n"
    assert load(text, "f", {})[1] != load(text, "f", {})[1]


def test_linecache_entry_lives_as_long_as_any_code():
    f, filename = load("def f(x):\n    def pullback(g):\n        return g * x\n    return pullback\n", "f", {})
    linecache.checkcache()
    assert linecache.getline(filename, 3) == "        return g * x\n"
    pullback = f(2)
    del f
    gc.collect()
    assert linecache.getline(filename, 3) == "        return g * x\n"
    del pullback
    gc.collect()
    assert filename not in linecache.cache


def test_entry_of_a_recursive_function_goes_too():
    f, filename = load("def f():\n    return f\n", "f", {})
    assert f() is f
    del f
    gc.collect()
    assert filename not in linecache.cache


def test_super_and_class_cell():
    class Base:
        def value(self):
            return 1

    class Child(Base):
        pass

    text = "def value(self):\n    return super().value() + 1\n"
    method, _ = load(text, "value", {}, {"__class__": types.CellType(Child)})
    assert method(Child()) == 2


@pytest.mark.parametrize("text, message", [
    ("def f(:\n", "isn't Python"),
    ("import numpy\n", "more than plain functions"),
    ("@cache\ndef f():\n    pass\n", "more than plain functions"),
    ("def g():\n    pass\n", "doesn't define f"),
    ("def f():\n    pass\n\ndef f():\n    pass\n", "one name twice"),
])
def test_text_that_cannot_be_loaded(text, message):
    with pytest.raises(InternalError, match=message):
        load(text, "f", {})


@pytest.mark.parametrize("cells, helpers", [({"a": 1}, {"a": 2}), ({}, {"f": 2})])
def test_names_with_two_meanings(cells, helpers):
    with pytest.raises(InternalError, match="two meanings"):
        load("def f():\n    pass\n", "f", {}, cells, helpers)


# ---------------------------------------------------------------- errors

def register(name, text):
    linecache.cache[name] = len(text), None, text.splitlines(True), name


def test_error_text_has_what_where_carets_and_remedy():
    register("model.py", "def f(x):\n    seen = {x, 1}\n")
    error = UnsupportedError("a set can't be differentiated", At("model.py", 2, 11, 2, 17), "Use a tuple.")
    assert str(error) == (
        "a set can't be differentiated\n"
        '  File "model.py", line 2\n'
        "    seen = {x, 1}\n"
        "           ^^^^^^\n"
        "  Use a tuple.")


def test_error_without_place_or_text():
    assert str(UnsupportedError("no")) == "no"
    assert str(UnsupportedError("no", At("nowhere.py", 3, 0, 3, 1))) == 'no\n  File "nowhere.py", line 3'


def test_carets_of_wide_text_tabs_and_several_lines():
    register("wide.py", "\tx =\t'数' + é\ny = (1,\n     2)\n")
    assert str(UnsupportedError("no", At("wide.py", 1, 5, 1, 8))).splitlines()[2:] == [
        "    x =\t'数' + é", "       \t^^^^"]
    assert str(UnsupportedError("no", At("wide.py", 2, 4, 3, 7))).splitlines()[2:] == ["    y = (1,", "        ^^^"]


def test_error_keeps_its_text_and_pickles():
    register("gone.py", "x = 1\n")
    error = UnsupportedError("no", At("gone.py", 1, 0, 1, 1), "Don't.")
    text = str(error)
    linecache.cache.pop("gone.py")
    again = pickle.loads(pickle.dumps(error))
    assert str(error) == str(again) == text
    assert isinstance(again, NotImplementedError) and isinstance(again, SrcgradError)
    assert (again.what, again.at, again.remedy) == ("no", error.at, "Don't.")


def test_loaded_functions_work_with_functools():
    f, _ = load("def f(x):\n    return x\n", "f", {})
    assert functools.partial(f, 1)() == 1
