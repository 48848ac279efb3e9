"""Programs that are refused, and wrong uses, each with what it is called with.

`@refused(args)`: the gradient with respect to the first argument is asked for.  `@wrong`: the function is called.
"""
from __future__ import annotations

import copy
import ctypes
import io
import json
import math
import pickle
import random
import struct
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad import check_grads, grad, value_and_grad, vjp

X = np.array([0.5, 1.5, 2.5])
REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}
WRONG: dict[str, Callable[[], Any]] = {}


def refused(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(f: Callable[..., Any]) -> Callable[..., Any]:
        REFUSED[f.__name__] = f, args
        return f
    return add


def wrong(f: Callable[[], Any]) -> Callable[[], Any]:
    WRONG[f.__name__] = f
    return f


# ---------------------------------------------------------------- ways that values can't be followed on

@refused(X)
def strides(x):
    windows = np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8))
    return np.sum(windows * windows)


@refused(X)
def iterator_over_an_array(x):
    total = 0.0
    for entry in np.nditer(x):
        total += entry * entry
    return total


@refused(X)
def memory(x):
    view = memoryview(x)
    return view[0] * view[1]


@refused(X)
def bytes_and_back(x):
    return np.sum(np.frombuffer(x.tobytes()))


@refused(X)
def text_and_back(x):
    return float(str(x[0])) * x[1]


@refused(X)
def formatted_and_back(x):
    return float(f"{x[0]:.3f}") ** 2


@refused(X)
def json_and_back(x):
    return json.loads(json.dumps([x[0], x[1]]))[0]


@refused(X)
def pickled(x):
    return np.sum(pickle.loads(pickle.dumps(x)))


@refused(X)
def packed(x):
    return struct.unpack("d", struct.pack("d", x[0]))[0]


@refused(X)
def through_a_file(x):
    file = io.BytesIO()
    np.save(file, x)
    file.seek(0)
    return np.sum(np.load(file))


@refused(2.0)
def foreign_function(x):
    cosine = ctypes.CDLL(None).cos
    cosine.restype, cosine.argtypes = ctypes.c_double, [ctypes.c_double]
    return cosine(x) * x


@refused(X)
def in_a_thread(x):
    results = []
    thread = threading.Thread(target=lambda: results.append(np.sum(x)))
    thread.start()
    thread.join()
    return results[0]


@refused(2.0)
def evaluated_text(x):
    return eval("x * x", {"x": x})


@refused(2.0)
def executed_text(x):
    names = {"x": x}
    exec("y = x * x", names)
    return names["y"]


# ---------------------------------------------------------------- constructs

@refused(2.0)
def a_set(x):
    return sum({x, x + 1.0})


@refused(2.0)
def classes_made_anew(x):
    scales = []
    for k in range(2):
        class Scale:
            factor = k * x

            def of(self, v):
                return self.factor * v
        scales.append(Scale())
    return scales[0].of(x) + scales[1].of(x)


@refused(2.0)
def coroutine(x):
    async def work():
        return x * x
    try:
        work().send(None)
    except StopIteration as done:
        return done.value


@refused(X)
def name_that_a_module_lacks(x):
    return np.summ(x)


@refused(2.0)
def derivative_inside(x):
    return grad(lambda y: y * y)(x)


@refused(X)
def locals_by_name(x):
    y = x * x
    return np.sum(locals()["y"])


@refused(2.0)
def attribute_of_a_module(x):
    math.last = x * x
    return math.last


# ---------------------------------------------------------------- arrays

@refused(X)
def array_of_objects(x):
    return np.sum(np.array([x[0], x[1]], dtype=object))


@refused(X)
def masked(x):
    return np.ma.masked_less(x, 1.0).sum()


@refused(X)
def matrix(x):
    return np.sum(np.asmatrix(x) * 2.0)


@refused(X)
def resized(x):
    y = x.copy()
    y.resize(5)
    return np.sum(y)


@refused(X)
def other_dtype_of_the_same_memory(x):
    return np.sum(x.view(np.int64))


@refused(X)
def histogram(x):
    return np.sum(np.histogram(x, weights=x)[0])


@refused(X)
def roots(x):
    return np.sum(np.abs(np.roots(x)))


@refused(np.diag(X))
def eigenvectors(a):
    return np.sum(np.abs(np.linalg.eig(a)[1]))


@refused(X)
def drawn(x):
    return np.sum(np.random.default_rng(0).gamma(x))


@refused(X)
def drawn_from_a_list(x):
    return sum(random.sample([x[0], x[1]], k=1))


# ---------------------------------------------------------------- wrong uses

@wrong
def gradient_of_a_number():
    return grad(3.0)


@wrong
def gradient_of_nothing_with_source():
    return grad(len)([1.0])


@wrong
def no_such_position():
    return grad(lambda x: x * x, argnums=1)


@wrong
def no_such_name():
    return grad(lambda x: x * x, argnums="y")


@wrong
def the_same_argument_twice():
    return grad(lambda x, y: x * y, argnums=(0, "x"))(1.0, 2.0)


@wrong
def argnums_of_another_type():
    return grad(lambda x: x * x, argnums=1.5)


@wrong
def no_argnums():
    return grad(lambda x: x * x, argnums=())


@wrong
def options_of_another_type():
    return grad(lambda x: x * x, options="plain")


@wrong
def a_classmethod():
    return grad(classmethod(lambda cls, x: x * x))


@wrong
def gradient_of_an_array():
    return grad(lambda x: x * x)(X)


@wrong
def gradient_of_a_complex_number():
    return grad(lambda x: np.sum(x) * 1j)(X)


@wrong
def array_with_fields():
    def by_name(x):
        table = np.zeros(3, dtype=[("value", float)])
        table["value"] = x
        return np.sum(table["value"])
    return grad(by_name)(X)


@wrong
def gradient_of_a_text():
    return grad(lambda x: "text")(2.0)


@wrong
def gradient_of_a_tuple():
    return grad(lambda x: (x, x))(2.0)


@wrong
def gradient_of_none():
    return grad(lambda x: None)(2.0)


@wrong
def aux_that_is_missing():
    return grad(lambda x: x * x, has_aux=True)(2.0)


@wrong
def argument_is_a_text():
    return grad(lambda x: x)("text")


@wrong
def argument_is_none():
    return grad(lambda x: 1.0)(None)


@wrong
def argument_is_a_bool():
    return grad(lambda x: 1.0 * x)(True)


@wrong
def argument_is_an_array_of_bools():
    return grad(np.sum)(np.array([True, False]))


@wrong
def argument_is_an_array_of_objects():
    return grad(np.sum)(np.array([1.0, None]))


@wrong
def argument_is_a_set():
    return grad(lambda x: sum(x))({1.0, 2.0})


@wrong
def arguments_share_memory():
    def move(a, b):
        a[0] = b[1]
        return np.sum(a * b)
    x = X.copy()
    return grad(move)(x, x)


@wrong
def nothing_to_differentiate():
    return vjp(lambda name: 1.0, "name")


@wrong
def adjoint_of_another_shape():
    _, pullback = vjp(np.tanh, X)
    return pullback(np.ones(2))


@wrong
def adjoint_of_another_structure():
    _, pullback = vjp(lambda x: {"a": x, "b": 2.0 * x}, 1.0)
    return pullback({"a": 1.0})


@wrong
def adjoint_is_a_text():
    _, pullback = vjp(np.tanh, X)
    return pullback("adjoint")


@wrong
def source_is_gone():
    return grad(eval(compile("lambda x: x * x", "<made>", "eval")))(1.0)


@wrong
def arguments_of_a_check_one_by_one():
    return check_grads(lambda x: x * x, 2.0)


@wrong
def a_check_of_order_zero():
    return check_grads(lambda x: x * x, (2.0,), order=0)


@wrong
def a_check_of_a_mode_there_is_not():
    return check_grads(lambda x: x * x, (2.0,), modes=("sideways",))


@wrong
def value_and_gradient_of_a_class():
    return value_and_grad(copy.Error)(1.0)
