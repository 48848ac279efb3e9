"""What once gave stale or wrong gradients: names outside of the function, rebound arguments, wrong results."""
from __future__ import annotations

import enum
import math
import types

import numpy as np
import pytest

from srcgrad import AliasError, ArgumentError, Options, UnsupportedError, grad, value_and_grad, vjp

OPTIONS = [Options(), Options(plain=True), Options(general=True), Options(checked=True)]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
ONES = np.ones(2)


def square(x):
    return x * x


def cube(x):
    return x * x * x


@pytest.fixture
def module():
    """A module of the user's, whose functions use its own globals."""
    made = types.ModuleType("model")
    exec_in(made)
    return made


def exec_in(made):
    import linecache
    text = (
        "import numpy as np\n"
        "c = 2.0\n"
        "def scaled(x):\n"
        "    return x * c\n"
        "def power(x, n):\n"
        "    if n == 0:\n"
        "        return x * c\n"
        "    return power(x, n - 1) * x\n"
        "def outer(x):\n"
        "    return scaled(x) + c\n"
        "class Model:\n"
        "    def __init__(self):\n"
        "        self.w = np.array([1.0, 2.0])\n"
        "    def dot(self, x):\n"
        "        return np.sum(self.w * x)\n"
        "    def twice(self, x):\n"
        "        return 2.0 * self.dot(x)\n"
        "    @staticmethod\n"
        "    def square(x):\n"
        "        return x * x\n"
        "    @classmethod\n"
        "    def cube(cls, x):\n"
        "        return x * x * x\n"
    )
    name = f"<regressions {id(made):x}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    exec(compile(text, name, "exec"), made.__dict__)


# ---------------------------------------------------------------- callees

callee = square


def calls_a_global(x):
    return callee(x) + 1.0


@each_way
def test_a_callee_that_is_rebound_is_followed(options, monkeypatch):
    d = grad(calls_a_global, options=options)
    assert d(3.0) == 6.0
    for new, slope in [(cube, 27.0), (np.sin, math.cos(3.0)), (math.exp, math.exp(3.0)), (square, 6.0)]:
        monkeypatch.setitem(globals(), "callee", new)
        assert d(3.0) == pytest.approx(slope)


@each_way
def test_callees_of_callees_and_numbers_of_other_modules_are_followed(options, module):
    d = grad(lambda x: module.outer(x), options=options)
    assert d(3.0) == 2.0
    module.c = 7.0
    assert d(3.0) == 7.0
    module.c = True
    assert d(3.0) == 1.0
    module.scaled = square
    assert d(3.0) == 6.0


@each_way
def test_recursive_functions_of_other_modules_read_their_globals_as_they_are(options, module):
    d = grad(lambda x: module.power(x, 1), options=options)
    assert d(3.0) == 12.0
    module.c = 5.0
    assert d(3.0) == 30.0


@each_way
def test_a_callee_with_new_code_or_new_defaults_is_compiled_anew(options):
    def scale(x, k=2.0, *, n=1.0):
        return k * x * n

    def tripled(x, k=2.0, *, n=1.0):
        return k * x * n * 3.0

    def f(x):
        return scale(x) * x

    d = grad(f, options=options)
    assert d(1.0) == 4.0
    scale.__defaults__ = (np.array(5.0),)
    assert d(1.0) == 10.0
    scale.__kwdefaults__ = {"n": 2}
    assert d(1.0) == 20.0
    scale.__code__ = tripled.__code__
    assert d(1.0) == 60.0


@each_way
def test_a_function_argument_with_new_code_is_compiled_anew(options):
    def inner(x):
        return x * x

    d = grad(lambda x, fn: fn(x) * 1.0, options=options)
    assert d(3.0, inner) == 6.0
    inner.__code__ = cube.__code__
    assert d(3.0, inner) == 27.0


def with_factor(k):
    def power(x, n):
        if n == 0:
            return x
        return k * power(x, n - 1) * x
    return power


@each_way
def test_recursive_closures_of_one_code_stay_apart(options):
    doubled, tripled = with_factor(2.0), with_factor(3.0)
    assert grad(lambda x: doubled(x, 1) + tripled(x, 1), options=options)(3.0) == 30.0


# ---------------------------------------------------------------- methods

@each_way
def test_methods_that_are_replaced_are_followed(options, module):
    d = grad(lambda m, x: m.twice(x), argnums=1, options=options)
    m = module.Model()
    np.testing.assert_array_equal(d(m, ONES), [2.0, 4.0])
    module.Model.dot = lambda self, x: np.sum(x)
    np.testing.assert_array_equal(d(m, ONES), [2.0, 2.0])
    module.Model.twice = lambda self, x: 3.0 * np.sum(x)
    np.testing.assert_array_equal(d(m, ONES), [3.0, 3.0])


@each_way
def test_static_and_class_methods_of_an_argument(options, module):
    assert grad(lambda m, x: m.square(x) + m.cube(x), argnums=1, options=options)(module.Model(), 2.0) == 16.0


@each_way
def test_functions_of_a_class_that_are_replaced_are_followed(options, module):
    d = grad(lambda x: module.Model.square(x) + module.Model.cube(x), options=options)
    assert d(2.0) == 16.0
    module.Model.square = staticmethod(lambda x: x)
    assert d(2.0) == 13.0


# ---------------------------------------------------------------- data outside of the function

settings = {"mode": "a", "n": 2, "scale": 1.0, "act": np.sin}


def uses_settings(x):
    if settings["mode"] == "a":
        x = x * x
    for _ in range(settings["n"]):
        x = x * 2.0
    return settings["act"](x * settings["scale"])


@each_way
def test_what_is_in_a_global_dict_is_followed(options, monkeypatch):
    d = grad(uses_settings, options=options)
    assert d(1.0) == pytest.approx(8.0 * math.cos(4.0))
    for key, value, slope in [("act", np.exp, 8.0 * math.exp(4.0)), ("mode", "b", 4.0 * math.exp(4.0)),
                              ("n", 1, 2.0 * math.exp(2.0)), ("scale", np.array(2.0), 4.0 * math.exp(4.0))]:
        monkeypatch.setitem(settings, key, value)
        assert d(1.0) == pytest.approx(slope)


class Holder:
    def __init__(self):
        self.w, self.act = np.array([1.0, 2.0]), np.sin


holder = Holder()


@each_way
def test_what_is_in_a_global_object_is_followed(options, monkeypatch):
    d = grad(lambda x: np.sum(holder.act(holder.w * x)), options=options)
    np.testing.assert_allclose(d(ONES), [math.cos(1.0), 2.0 * math.cos(2.0)])
    monkeypatch.setattr(holder, "act", np.exp)
    np.testing.assert_allclose(d(ONES), [math.exp(1.0), 2.0 * math.exp(2.0)])
    monkeypatch.setattr(holder, "w", 2)
    np.testing.assert_allclose(d(ONES), [2.0 * math.exp(2.0)] * 2)


layers = [np.eye(2), np.ones((2, 2))]


@each_way
def test_what_is_in_a_global_list_is_followed(options, monkeypatch):
    def f(x):
        for w in layers:
            x = w @ x
        return np.sum(x)

    d = grad(f, options=options)
    np.testing.assert_array_equal(d(ONES), [2.0, 2.0])
    monkeypatch.setitem(globals(), "layers", [np.ones((3, 2)), np.ones((1, 3))])
    np.testing.assert_array_equal(d(ONES), [3.0, 3.0])
    monkeypatch.setitem(globals(), "layers", [np.array([1.0, 4.0])])
    np.testing.assert_array_equal(d(ONES), [1.0, 4.0])


# ---------------------------------------------------------------- arguments whose names are bound anew

@each_way
def test_a_gradient_has_the_shape_of_the_argument_that_was_given(options):
    def f(x, n):
        for _ in range(n):
            x = np.concatenate([x, 2.0 * x])
        return np.sum(x)

    np.testing.assert_array_equal(grad(f, options=options)(ONES, 2), [9.0, 9.0])
    np.testing.assert_array_equal(vjp(f, ONES, 2, options=options)[1](1.0)[0], [9.0, 9.0])


@each_way
def test_a_gradient_has_the_dtype_of_the_argument_that_was_given(options):
    def f(x, n):
        for _ in range(n):
            x = x[:-1].astype(np.float64) * 2.0
        return np.sum(x * x)

    g = grad(f, options=options)(np.ones(3, np.float32), 2)
    assert g.dtype == np.float32
    np.testing.assert_array_equal(g, [32.0, 0.0, 0.0])


@each_way
def test_a_gradient_has_the_structure_of_the_argument_that_was_given(options):
    def f(p):
        for _ in range(3):
            p = [p[0] * 2.0]
        return p[0]

    assert grad(f, options=options)([1.0, 5.0]) == [8.0, 0.0]


@each_way
def test_a_callee_may_bind_its_argument_anew(options):
    def grow(x, n):
        for _ in range(2):
            x = np.concatenate([x, 2.0 * x])
        if n == 0:
            return x
        return grow(x, n - 1)

    np.testing.assert_array_equal(grad(lambda x: np.sum(grow(x, 1)), options=options)(ONES), [81.0, 81.0])


# ---------------------------------------------------------------- wrong results and arguments

@each_way
@pytest.mark.parametrize("result", [lambda y: y, lambda y: [y, 1], lambda y: {"y": y}, lambda y: (y, 1, 2)],
                         ids=["number", "list", "dict", "three"])
def test_with_aux_the_result_must_be_a_pair(options, result):
    def f(x):
        return result(np.sum(x))

    for make in (grad, value_and_grad):
        with pytest.raises(ArgumentError, match="returns a pair"):
            make(f, has_aux=True, options=options)(ONES)
    with pytest.raises(ArgumentError, match="returns a pair"):
        vjp(f, ONES, has_aux=True, options=options)


@pytest.mark.parametrize("x, what", [(np.ma.array([1.0, 2.0], mask=[0, 1]), "a masked array"),
                                     (np.ones((2, 2)).view(np.matrix), "a matrix")])
def test_arrays_with_operations_of_their_own_are_refused(x, what):
    with pytest.raises(ArgumentError, match=what):
        grad(lambda x: np.sum(x * x))(x)


def test_an_array_without_derivative_is_called_by_its_dtype():
    with pytest.raises(ArgumentError, match="an array of dtype bool"):
        grad(np.sum)(np.array([True]))


class Level(enum.IntEnum):
    HIGH = 3


def test_a_member_of_an_enumeration_has_no_derivative():
    with pytest.raises(ArgumentError, match="of type Level"):
        grad(square)(Level.HIGH)
    assert grad(lambda p: p["x"] * p["level"])({"x": 2.0, "level": Level.HIGH}) == {"x": 3.0, "level": None}


# ---------------------------------------------------------------- what can't be followed

class Vector:
    def __init__(self, w):
        self.w = w

    def __getitem__(self, i):
        return self.w[i]

    def __mul__(self, other):
        return np.sum(self.w * other)

    def __neg__(self):
        return -np.sum(self.w)


@each_way
@pytest.mark.parametrize("f, want", [(lambda p: p[0] * 3.0, [3.0, 0.0]), (lambda p: p * 3.0, [3.0, 3.0]),
                                     (lambda p: -p, [-1.0, -1.0])], ids=["item", "times", "minus"])
def test_operators_of_objects(options, f, want):
    np.testing.assert_allclose(grad(f, options=options)(Vector(np.ones(2))).w, want)


@each_way
@pytest.mark.parametrize("f", [lambda x: eval("x * x"), lambda x: locals()["x"] * x, lambda x: vars()["x"] * x],
                         ids=["eval", "locals", "vars"])
def test_reading_names_through_the_back_door_is_refused(options, f):
    with pytest.raises(UnsupportedError, match="reaches names"):
        grad(f, options=options)(2.0)


@each_way
def test_a_derivative_may_be_called_on_the_way(options):
    seen = []
    slope = grad(square)

    def f(x, report):
        report(2.0)
        return x * x

    assert grad(f, options=options)(3.0, lambda v: seen.append(slope(v))) == 6.0
    assert seen == [4.0]


# ---------------------------------------------------------------- names that generated text needs

@each_way
def test_a_variable_may_be_called_underscore(options):
    def f(x):
        _ = x * 2.0
        for k in range(2):
            _ = _ * x + np.sum(_)
            _[0] = _[1] * k + x[0]
        return np.sum(_ * _)

    check_against_differences(f, np.array([1.0, 2.0, 3.0]), options)


@each_way
def test_variables_may_be_called_like_builtins(options):
    def f(x):
        reversed = x * 2.0
        for float in (0.0, 1.0):
            reversed = reversed * x + float
        len = reversed[0]
        return len * np.sum(reversed * reversed)

    check_against_differences(f, np.array([1.0, 2.0, 3.0]), options)


def check_against_differences(f, x, options):
    steps = 1e-6 * np.eye(len(x))
    np.testing.assert_allclose(grad(f, options=options)(x), [(f(x + e) - f(x - e)) / 2e-6 for e in steps], rtol=1e-5)


def test_a_parameter_that_hides_a_builtin_which_is_needed_is_refused():
    def f(x, reversed):
        for _ in range(2):
            x = x * x * reversed
        return x

    with pytest.raises(UnsupportedError, match="the parameter `reversed` hides a builtin"):
        grad(f)(2.0, 1.0)

    def g(x, len):
        return x * len

    assert grad(g)(2.0, 3.0) == 3.0


# ---------------------------------------------------------------- adjoints of structured values

@pytest.mark.parametrize("wrong, text", [
    (np.ones(2), "no sequence of 2"), ((np.ones(2),), "no sequence of 2"),
    ((np.ones(2), {"n": np.ones(3)}), r"\[1\]\['n'\]"),
    ((np.ones(2), {"m": 1.0}), "same keys"), (("a", {"n": np.ones(2)}), "shape"), (None, "no sequence of 2"),
])
def test_an_adjoint_must_have_the_structure_of_the_value(wrong, text):
    _, pullback = vjp(lambda x: (x, {"n": 2.0 * x}), ONES)
    with pytest.raises(ArgumentError, match=text):
        pullback(wrong)
    np.testing.assert_array_equal(pullback([ONES, {"n": ONES}])[0], [3.0, 3.0])


def test_options_of_another_kind_are_refused():
    with pytest.raises(ArgumentError, match="the options are an object of type dict"):
        grad(square, options={"plain": True})


class Spring:
    def __init__(self, k):
        self.k = k

    def force(self, x):
        return self.k * x


def test_method_set_on_an_instance_is_seen():
    spring = Spring(3.0)
    derivative = grad(lambda x, spring: spring.force(x))
    assert derivative(1.0, spring) == 3.0
    spring.force = lambda x: 5.0 * x
    assert derivative(1.0, spring) == 5.0


def test_one_array_twice_in_an_argument_that_is_written_is_refused():
    def scaled(arrays):
        arrays[0] *= 2.0
        return np.sum(arrays[0] * arrays[1])

    x = np.array([1.0, 2.0])
    with pytest.raises(AliasError, match="arrays"):
        grad(scaled)([x, x])
    np.testing.assert_allclose(grad(scaled)([x, x.copy()])[0], 2.0 * x)


def test_a_number_through_text_is_refused():
    with pytest.raises(UnsupportedError, match="text"):
        grad(lambda x: float(str(x)) * 2.0)(1.5)
    assert grad(lambda x: x * float("2.0"))(1.5) == 2.0
