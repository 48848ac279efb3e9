"""grad, value_and_grad, vjp and check_grads, as users call them."""
from __future__ import annotations

import functools
import inspect
import math
import operator
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import srcgrad
from srcgrad import ArgumentError, Options, SourceNotFound, UnsupportedError, check_grads, grad, value_and_grad, vjp

ROOT = Path(__file__).resolve().parent.parent


def area(w, h=2.0):
    """The area of a box."""
    return w * w * h


# ---------------------------------------------------------------- grad

def test_the_first_argument_is_differentiated():
    assert grad(area)(3.0) == 12.0
    assert grad(area)(3.0, 5.0) == 30.0
    assert grad(area)(h=5.0, w=3.0) == 30.0


@pytest.mark.parametrize("argnums, expected", [
    (0, 30.0), (1, 9.0), (-1, 9.0), ("h", 9.0), ((0,), (30.0,)), ((1, 0), (9.0, 30.0)), (("h", "w"), (9.0, 30.0)),
    (("h", 0), (9.0, 30.0)), (("w",), (30.0,))])
def test_argnums(argnums, expected):
    assert grad(area, argnums)(3.0, 5.0) == expected
    assert value_and_grad(area, argnums=argnums)(3.0, 5.0) == (45.0, expected)


@pytest.mark.parametrize("argnums, text", [
    (2, "area has no argument 2"), (-3, "no argument -3"),
    ("z", "no argument 'z'.*\n.*0 \\(w\\), 1 \\(h\\)"), (True, "bool"),
    (1.0, "float"), ((), "empty"), ((0, 0), "twice"), ([0], "list"), (None, "NoneType")])
def test_wrong_argnums_are_refused_at_once(argnums, text):
    for make in (grad, value_and_grad):
        with pytest.raises(ArgumentError, match=text):
            make(area, argnums)


def test_an_argument_that_is_named_twice_is_refused():
    with pytest.raises(ArgumentError, match="means one argument of area twice"):
        grad(area, (0, "w"))(3.0)


def test_what_cannot_be_called_is_refused():
    for thing in (3, "area", np.ones(3)):
        with pytest.raises(ArgumentError, match="can't be called"):
            grad(thing)
    with pytest.raises(ArgumentError, match="Put @classmethod above @grad"):
        grad(classmethod(area))


def test_functions_without_parameters_and_without_source():
    with pytest.raises(ArgumentError, match="It takes no arguments"):
        grad(lambda: 1.0)
    with pytest.raises(SourceNotFound):
        grad(print)(1.0)
    with pytest.raises(UnsupportedError, match="class"):
        grad(dict)(1.0)


def test_has_aux():
    def f(x):
        return x * x, {"twice": 2.0 * x}
    assert grad(f, has_aux=True)(3.0) == (6.0, {"twice": 6.0})
    assert grad(f, argnums=(0,), has_aux=True)(3.0) == ((6.0,), {"twice": 6.0})
    assert value_and_grad(f, has_aux=True)(3.0) == ((9.0, {"twice": 6.0}), 6.0)
    value, pullback, aux = vjp(f, 3.0, has_aux=True)
    assert (value, aux, pullback(2.0)) == (9.0, {"twice": 6.0}, (12.0,))


def test_starred_arguments():
    def f(scale, *xs, k=1.0, **more):
        return scale * xs[0] * xs[1] * k * more["q"]
    assert grad(f, 1)(2.0, 3.0, 5.0, q=7.0) == 70.0
    assert grad(f, (2, 0))(2.0, 3.0, 5.0, q=7.0) == (42.0, 105.0)
    assert grad(f, "xs")(2.0, 3.0, 5.0, q=7.0) == (70.0, 42.0)
    assert grad(f, "k")(2.0, 3.0, 5.0, q=7.0) == 210.0
    assert grad(f, "more")(2.0, 3.0, 5.0, q=7.0) == {"q": 30.0}
    with pytest.raises(ArgumentError, match="2 arguments"):
        grad(f, 3)(2.0, 3.0, 5.0, q=7.0)


def test_non_scalar_results_are_refused():
    with pytest.raises(TypeError, match="vjp"):
        grad(lambda x: x * 2.0)(np.ones(3))


# ---------------------------------------------------------------- kinds of functions

def test_as_a_decorator():
    @grad
    def slope(x):
        return x * x

    @grad(argnums=1)
    def slope_of_second(x, y):
        return x * y * y

    @value_and_grad(argnums="y")
    def both(x, y):
        return x * y
    assert slope(3.0) == 6.0 and slope_of_second(2.0, 3.0) == 12.0 and both(2.0, 3.0) == (6.0, 2.0)


class Spring:
    def __init__(self, k):
        self.k = k

    def energy(self, x, scale=1.0):
        return self.k * x * x * scale

    @grad
    def force(self, x):
        return self.k * x * x

    @grad(argnums=(1, "x"))
    def two(self, x, y):
        return self.k * x * y

    @staticmethod
    @grad
    def static(x):
        return x * x

    @grad
    @staticmethod
    def inner_static(x):
        return x * x

    __call__ = energy


def test_derivatives_are_methods():
    spring = Spring(3.0)
    assert spring.force(2.0) == 12.0 and Spring.force(spring, 2.0) == 12.0
    assert spring.two(2.0, 5.0) == (6.0, 15.0)
    assert spring.static(2.0) == Spring.static(2.0) == spring.inner_static(2.0) == Spring.inner_static(2.0) == 4.0
    assert spring.force.__name__ == "force_grad" and "def force" in spring.force.source(2.0)
    Spring.late = grad(Spring.energy)
    assert spring.late(2.0) == 12.0 and Spring.late(spring, 2.0).k == 4.0


def test_bound_methods_partials_and_callable_objects():
    spring = Spring(3.0)
    assert grad(spring.energy)(2.0) == 12.0
    assert grad(spring.energy, "scale")(2.0) == 12.0
    assert grad(spring)(2.0, scale=2.0) == 24.0
    assert grad(functools.partial(area, 3.0))(5.0) == 9.0
    assert grad(functools.partial(area, h=5.0))(3.0) == 30.0
    assert grad(functools.partial(area, h=5.0))(3.0, h=1.0) == 6.0
    assert grad(functools.lru_cache(area))(3.0) == 12.0
    assert grad(lambda x: x * x)(3.0) == 6.0
    spring.k = 5.0
    assert grad(spring.energy)(2.0) == 20.0
    with pytest.raises(ArgumentError, match=r"0 \(x\), 1 \(scale\)"):
        grad(spring.energy, 2)(1.0)


def test_functions_of_libraries():
    assert grad(np.sin)(0.5) == pytest.approx(math.cos(0.5))
    assert grad(math.log)(2.0) == 0.5
    assert grad(operator.mul, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert grad(abs)(-2.0) == -1.0
    np.testing.assert_array_equal(grad(np.sum)(np.ones((2, 3))), np.ones((2, 3)))
    np.testing.assert_allclose(grad(np.linalg.norm)(np.array([3.0, 4.0])), [0.6, 0.8])


def test_closures_and_globals_are_read_at_each_call():
    factor = 2.0
    def f(x):
        return x * x * factor
    g = grad(f)
    assert g(3.0) == 12.0
    factor = 5.0
    assert g(3.0) == 30.0


# ---------------------------------------------------------------- arguments and gradients

class Pair(NamedTuple):
    a: np.ndarray
    b: float


@dataclass
class Layer:
    w: np.ndarray
    name: str


def test_gradients_have_the_structure_of_the_argument():
    def f(p, q):
        return p.a @ p.a * p.b + np.sum(q["layers"][0].w)
    p, q = Pair(np.array([1.0, 2.0]), 3.0), {"layers": [Layer(np.ones(2, np.float32), "in")]}
    gp, gq = grad(f, (0, 1))(p, q)
    assert type(gp) is Pair and gp.a.tolist() == [6.0, 12.0] and gp.b == 5.0
    assert type(gq["layers"][0]) is Layer and gq["layers"][0].name is None
    assert gq["layers"][0].w.dtype == np.float32 and gq["layers"][0].w.tolist() == [1.0, 1.0]


def test_integers_run_as_they_are_and_have_float_gradients():
    assert grad(area)(3) == 12.0 and type(grad(area)(3)) is float
    g = grad(lambda x: np.sum(x * x))(np.arange(3))
    assert g.dtype == np.float64 and g.tolist() == [0.0, 2.0, 4.0]


def test_an_unused_argument_has_zeros():
    assert grad(lambda x, y: y)(1.0, 2.0) == 0.0
    assert grad(lambda x: 1.0)(np.ones(2)).tolist() == [0.0, 0.0]


def test_an_argument_without_derivative_is_named():
    with pytest.raises(ArgumentError, match="argument 'w' is of type str"):
        grad(area)("a")


# ---------------------------------------------------------------- vjp

def test_vjp_of_an_array():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    value, pullback = vjp(lambda x, y: x * y, x, y)
    assert value.tolist() == [3.0, 8.0]
    for _ in range(2):
        gx, gy = pullback(np.array([1.0, 10.0]))
        assert gx.tolist() == [3.0, 40.0] and gy.tolist() == [1.0, 20.0]


def test_vjp_has_one_gradient_for_each_primal():
    value, pullback = vjp(area, 3.0)
    assert value == 18.0 and pullback(1.0) == (12.0,)
    assert vjp(lambda x, flag, y: x * y if flag else x, 2.0, True, 3.0)[1](1.0) == (3.0, None, 2.0)
    assert vjp(lambda *xs: xs[0] * xs[1], 2.0, 3.0)[1](1.0) == (3.0, 2.0)
    with pytest.raises(ArgumentError, match="no argument"):
        vjp(area)


def test_an_adjoint_of_another_shape_is_refused():
    _, pullback = vjp(lambda x: x * 2.0, np.ones(3))
    with pytest.raises(ArgumentError, match=r"shape \(3,\), and its adjoint \(2,\)"):
        pullback(np.ones(2))
    assert "def " in pullback.source()


# ---------------------------------------------------------------- what a derivative says of itself

def test_metadata():
    g = grad(area)
    assert g.__name__ == "area_grad" and g.__wrapped__ is area and g.__module__ == __name__
    assert g.__doc__.startswith("The gradient of area with respect to argument 0.") and area.__doc__ in g.__doc__
    assert value_and_grad(area, ("w", 1)).__doc__.startswith(
        "The value and the gradient of area with respect to w and argument 1.")
    assert inspect.signature(g) == inspect.signature(area)
    assert repr(g) == "<grad of area with respect to argument 0>"


def test_source():
    g = grad(area)
    text = g.source(3.0, 2.0)
    assert text.startswith("def area_grad(w, h") and text == g.source(1.0, h=7.0)
    assert "def area_grad(w, h" in g.source()


def test_stages_are_named_and_valid_python():
    stages = dict(grad(area).stages(3.0, 2.0))
    assert len(stages) > 2
    for text in (*stages.values(), *dict(grad(area).stages()).values()):
        compile(text, "stage", "exec")


def test_second_derivatives():
    assert grad(grad(lambda x: x * x * x))(2.0) == pytest.approx(12.0)


# ---------------------------------------------------------------- check_grads

def test_check_grads_accepts_what_is_right():
    check_grads(lambda x, y: (x * y, {"s": np.sum(x)}), (np.array([1.0, 2.0]), 3.0))
    check_grads(lambda x, n: x * n, (np.float32(2), 3))
    check_grads(lambda p: p.a * p.b, [Pair(np.ones(2), 3.0)])
    check_grads(lambda z, w: np.real(z * w) ** 2, (np.array([1 + 2j, 3.0]), 2j))


def test_check_grads_finds_what_is_wrong():
    step = iter(range(100))
    with pytest.raises(AssertionError, match="respect to `y` is off"):
        # a function that drifts from call to call agrees with no gradient
        check_grads(lambda x, y: x + y * next(step), (1, 2.0))


@pytest.mark.parametrize(("change", "said"), [
    (lambda g: g * np.array([1.0, 1.0, 1.0 + 1e-4, 1.0]), r"1 of 4 .*\n.*\n  x +x\[2\] .*\*\n"),
    (lambda g: g * np.array([1.0, -1.0, 1.0, 1.0]), r"1 of 4 .*\n.*\n  x +x\[1\] .*\*\n"),
    (lambda g: g + np.array([np.nan, 0.0, 0.0, 0.0]), r"1 of 4 .*\n.*\n  x +x\[0\] +nan .*\*\n"),
    (lambda g: g + 1j, "4 of 4 entries"),
    (lambda g: g[:3], r"x has shape \(4,\), and its gradient \(3,\)"),
    (lambda g: g[:, None], r"x has shape \(4,\), and its gradient \(4, 1\)"),
    (lambda g: None, "x has no gradient")])
def test_check_grads_says_which_entry_is_wrong(change, said, monkeypatch):
    def planted(*args, **words):
        value, pullback = vjp(*args, **words)
        return value, lambda value_bar: tuple(map(change, pullback(value_bar)))
    monkeypatch.setattr("srcgrad.testing.vjp", planted)
    with pytest.raises(AssertionError, match=said):
        check_grads(lambda x: np.sum(x ** 2), (np.linspace(1.0, 2.0, 4),))


def test_check_grads_says_that_a_value_is_not_finite():
    with pytest.raises(AssertionError, match="isn't finite"), np.errstate(invalid="ignore"):
        check_grads(lambda x: np.sqrt(x - 3.0), (1.0,))


def test_check_grads_refuses_to_compare_nothing():
    for args in ((2,), (np.arange(3),), ("a",), ()):
        with pytest.raises(ArgumentError, match="no argument with floating-point numbers, so there is nothing"):
            check_grads(lambda x=1: x * x, args)
    for nothing, said in ((None, "None"), ("a", "a value of type str")):
        with pytest.raises(ArgumentError, match=f"the function returned {said}, which holds no numbers"):
            check_grads(lambda x, found=nothing: found, (2.0,))


def test_check_grads_checks_derivatives_of_derivatives():
    check_grads(lambda x, y: x ** 3 * y, (2.0, 3.0), order=2)


@pytest.mark.parametrize(("args", "words", "said"), [
    (2.0, {}, "as one tuple"), ((2.0,), {"order": 0}, "order is 0"), ((2.0,), {"order": np.ones(2)}, "order is array"),
    ((2.0,), {"modes": ("forward",)}, "there is no mode 'forward'"), ((2.0,), {"eps": 0}, "eps is 0")])
def test_check_grads_says_what_it_takes(args, words, said):
    with pytest.raises(ArgumentError, match=said):
        check_grads(lambda x: x * x, args, **words)


# ---------------------------------------------------------------- the package

def test_public_names_are_loaded_on_first_use():
    code = ("import sys, srcgrad; assert 'srcgrad.api' not in sys.modules and 'numpy' not in sys.modules;"
            "srcgrad.grad; assert 'srcgrad.compiler' not in sys.modules and 'gast' not in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    assert set(srcgrad.__all__) <= set(dir(srcgrad))
    for name in srcgrad.__all__:
        assert getattr(srcgrad, name) is not None
    with pytest.raises(AttributeError, match="'srcgrad' has no attribute 'nothing'"):
        _ = srcgrad.nothing


def test_options_choose_other_compilations_with_the_same_result():
    for options in (Options(plain=True), Options(general=True), Options(checked=True)):
        assert grad(area, options=options)(3.0) == 12.0
