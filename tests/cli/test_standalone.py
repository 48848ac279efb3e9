"""Standalone modules: the same gradients without srcgrad, or a TypeError that names the argument and the fact."""
from __future__ import annotations

import functools
import logging
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpus import PROGRAMS
from harness import as_tuple, clone, compare, derivative, differences, leaves, map_leaves
from srcgrad import SrcgradError, UnsupportedError, grad, value_and_grad

ROOT = Path(__file__).resolve().parent.parent.parent
# loops that write in place, views, callees, recursion, the shadow, lists, dicts, objects, while, branches, helpers
CHOSEN = ("heat_rod", "swap_two_buffers", "overlapping_slices", "callee_writes", "binary_recursion", "mutual_recursion",
          "history_of_states", "list_filled_in_a_loop", "dict_argument", "one_dataclass", "newton_sqrt", "kepler",
          "income_tax", "activation_by_name", "gauss_seidel_2d", "two_layer_network", "either_buffer", "logistic_loss",
          "gaussian_log_density", "optional_weights", "gray_scott", "surface_and_spread")
# a program that nothing of srcgrad, nor what it is written with, can be imported in
BLOCKED = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("srcgrad", "gast", "astor"):
            raise ImportError(f"{name} isn't there")
sys.meta_path.insert(0, Blocker())
"""


def load(text: str, name: str) -> Callable[..., Any]:
    scope: dict[str, Any] = {"__name__": "emitted"}
    exec(compile(text, "<emitted>", "exec"), scope)
    return scope[name]


def argument_of(gradients: tuple[Any, ...]) -> Any:
    return gradients[0] if len(gradients) == 1 else gradients


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return f(*clone(args))
    except Exception as error:
        return error


# ---------------------------------------------------------------- the same numbers

@pytest.mark.parametrize("special", [True, False], ids=["special", "general"])
@pytest.mark.parametrize("name", CHOSEN)
def test_the_same_gradient(name: str, special: bool) -> None:
    program = PROGRAMS[name]
    g = derivative(program.function, program.wrt)
    args = clone(program.inputs[0])
    text = g.standalone(*args) if special else g.standalone()
    assert "import srcgrad" not in text and "from srcgrad" not in text
    got = outcome(load(text, f"{name}_grad"), args)
    if not special and isinstance(got, TypeError):
        assert "must" in str(got)
        return
    compare(as_tuple(got, program.wrt), as_tuple(g(*clone(args)), program.wrt), rtol=1e-12, atol=1e-14)


CHANGES: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda a: float(a.reshape(-1)[0]), lambda a: a[None], lambda a: a.reshape(-1)[:1], lambda a: np.ones(a.shape, int),
    lambda a: np.atleast_1d(a)[..., :1], lambda a: a[..., None], lambda a: a.reshape(-1), lambda a: int(a.size))


def varied(args: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Arguments of other kinds: each in turn a scalar, of another rank, of length 1, of integers; and shared ones."""
    for k, arg in enumerate(args):
        for change in CHANGES:
            if any(isinstance(leaf, (np.ndarray, float)) for _, leaf in leaves(arg)):
                yield (*args[:k], map_leaves(functools.partial(_changed, change), arg), *args[k + 1:])
        yield (*args[:k], None, *args[k + 1:])
    yield (args[0],) * len(args)


def _changed(change: Callable[[np.ndarray], Any], leaf: Any) -> Any:
    return change(np.array(leaf)) if isinstance(leaf, (np.ndarray, float)) else leaf


@functools.cache
def gradient_of(name: str) -> Callable[..., Any]:
    """One derivative for both tests of a program, which knows what it has been called with."""
    return derivative(PROGRAMS[name].function, PROGRAMS[name].wrt)


@pytest.mark.filterwarnings("ignore:.* was compiled for:RuntimeWarning")
@pytest.mark.parametrize("special", [True, False], ids=["special", "general"])
@pytest.mark.parametrize("name", CHOSEN)
def test_other_arguments_give_the_same_gradient_or_an_error(name: str, special: bool) -> None:
    program = PROGRAMS[name]
    g = gradient_of(name)
    args = clone(program.inputs[0])
    emitted = load(g.standalone(*args) if special else g.standalone(), f"{name}_grad")
    for other in varied(args):
        got = outcome(emitted, other)
        if isinstance(got, TypeError) or isinstance(outcome(program.function, other), Exception):
            continue
        assert not isinstance(got, Exception), repr(got)
        want = outcome(g, other)        # last, since each kind of arguments is compiled
        if isinstance(want, UnsupportedError):
            # refused for this kind alone; the general text may be right for it
            want = argument_of(differences(program.function, clone(other), program.wrt))
        assert not isinstance(want, Exception), f"{got} instead of {want!r}"
        with np.errstate(all="ignore"):
            compare((got,), (want,), rtol=1e-6, atol=1e-8)


# ---------------------------------------------------------------- the errors

def rates(w, x, n=3, *, mode="sum", flag=True):
    for _ in range(n):
        w = w * x + 1.0
    return np.sum(w) if mode == "sum" else np.sum(w * w)


@pytest.mark.parametrize(("args", "words", "said"), [
    ((2.0, np.ones(3)), {}, "w must be an array, and got 2.0 of type float"),
    ((np.ma.ones(3), np.ones(3)), {}, "w must be an array, and got a float64 MaskedArray of shape (3,)"),
    (([1.0, 2.0], np.ones(3)), {}, "w must be an array, and got a list of length 2"),
    ((np.ones((2, 3)), np.ones(3)), {}, "w must have 1 dimension, and got a float64 array of shape (2, 3)"),
    ((np.ones(3, int), np.ones(3)), {}, "w must have dtype float64, and got an int64 array of shape (3,)"),
    ((np.ones(3), np.ones(1)), {}, "w.shape[0] must equal x.shape[0], and got a float64 array of shape (3,) and"),
    ((np.ones(3), np.ones(3), 2.0), {}, "n must be of type int, and got 2.0"),
    ((np.ones(3), np.ones(3)), {"mode": "all"}, "mode must be 'sum', and got 'all'"),
])
def test_errors_name_the_argument_and_the_fact(args: tuple[Any, ...], words: dict[str, Any], said: str) -> None:
    emitted = load(grad(rates).standalone(np.ones(3), np.ones(3)), "rates_grad")
    with pytest.raises(TypeError) as caught:
        emitted(*args, **words)
    assert said in str(caught.value)


def test_a_dimension_that_is_1_is_checked() -> None:
    emitted = load(grad(lambda x, y: np.sum(x * y)).standalone(np.ones((3, 1)), np.ones(4)), "lambda__grad")
    assert emitted(np.ones((2, 1)), np.ones(5)).shape == (2, 1)
    with pytest.raises(TypeError, match="x must have length 1 along dimension 1"):
        emitted(np.ones((3, 4)), np.ones(4))


LOG = logging.getLogger("lab.solver")


def logged(x):
    LOG.debug("at %g", x[0])
    return np.sum(x * x)


def test_loggers_are_asked_for_by_name() -> None:
    text = grad(logged).standalone(np.ones(2))
    assert "LOG = logging.getLogger('lab.solver')" in text
    assert load(text, "logged_grad")(np.ones(2)).tolist() == [2.0, 2.0]


def scaled_in_place(a, b):
    for i in range(len(a)):
        a[i] = a[i] * b[i]
    return np.sum(a * a)


def test_arguments_that_share_memory_are_refused() -> None:
    x = np.arange(1.0, 4.0)
    for text in (grad(scaled_in_place).standalone(x, x.copy()), grad(scaled_in_place).standalone()):
        emitted = load(text, "scaled_in_place_grad")
        np.testing.assert_allclose(emitted(x, x.copy()), grad(scaled_in_place)(x, x.copy()))
        with pytest.raises(TypeError, match="a.*b"):
            emitted(x, x)


# ---------------------------------------------------------------- what the function captured

TABLE = {"rates": (0.1, 0.2), "w": np.array([1.0, np.inf, np.nan])}
LIMIT = float("inf")
GENERATOR = np.random.default_rng(0)


def labels(n):
    # a comment that stays
    return "ab" * (n + OFFSET)


OFFSET = 1


def captures(x):
    y = min(x, LIMIT)
    for _ in labels(1):
        y = y * TABLE["rates"][0] + np.float32(2.0)
    return y * y


def test_globals_become_constants_and_functions() -> None:
    text = grad(captures).standalone(3.0)
    emitted = load(text, "captures_grad")
    assert emitted(3.0) == grad(captures)(3.0)
    assert "TABLE = {'rates': (0.1, 0.2)" in text
    assert "float('inf')" in text


def test_closures_become_constants() -> None:
    def outer(scale, act):
        def inner(x, bias=scale):
            return act(x * scale) + bias
        return inner
    f = outer(3.0, np.tanh)
    g = grad(f)
    for text in (g.standalone(0.3), g.standalone()):
        assert load(text, "inner_grad")(0.3) == g(0.3)


ACTIVATIONS = {"tanh": np.tanh, "relu": lambda z: np.maximum(z, 0.0), "scale": (2.0, abs)}


def activated(x, kind="relu"):
    return np.sum(ACTIVATIONS[kind](x)) * ACTIVATIONS["scale"][0]


def test_containers_of_functions() -> None:
    x = np.array([-1.0, 0.5])
    for kind in ("tanh", "relu"):
        emitted = load(grad(activated).standalone(x, kind), "activated_grad")
        np.testing.assert_array_equal(emitted(x, kind), grad(activated)(x, kind))


def test_functions_that_are_defaults_stay_what_they_are() -> None:
    def f(x, act=np.tanh):
        return np.sum(act(x))
    emitted = load(grad(f).standalone(), "f_grad")
    x = np.array([-1.0, 0.5])
    np.testing.assert_array_equal(emitted(x), grad(f)(x))
    with pytest.raises(TypeError, match="act"):
        emitted(x, np.sin)


def noisy(x):
    return x * GENERATOR.normal()


def tabled(x):
    return x * HUGE[0]


HUGE = np.zeros(5000)


@pytest.mark.parametrize(("f", "name"), [(noisy, "GENERATOR"), (tabled, "HUGE")])
def test_what_no_module_can_hold_is_refused_by_name(f: Callable[..., Any], name: str) -> None:
    with pytest.raises(UnsupportedError, match=f"can't hold `{name}`"):
        grad(f).standalone(1.0)


def test_bound_arguments_are_refused() -> None:
    class Model:
        def energy(self, x):
            return x * x

        @classmethod
        def made(cls, x):
            return x * x
    with pytest.raises(UnsupportedError, match="Model.energy`, and give the object as its first argument"):
        grad(Model().energy).standalone(2.0)
    for f in (Model.made, functools.partial(rates, np.ones(3))):
        with pytest.raises(UnsupportedError, match="Write a function of the other arguments that calls"):
            grad(f).standalone(2.0)


def test_ufuncs_of_scipy_are_imported() -> None:
    special = pytest.importorskip("scipy.special")
    gammaln = special.gammaln

    def density(x):
        return gammaln(x) * x
    text = grad(density).standalone()
    assert "from scipy.special import" in text
    assert load(text, "density_grad")(2.5) == pytest.approx(grad(density)(2.5))


def sum(x):  # hides the builtin on purpose
    return np.sum(x)


def uses_own_sum(x):
    y = sum(x * x)
    return y * max(1.0, 2.0)


def test_names_of_builtins_keep_apart() -> None:
    x = np.arange(3.0)
    g = grad(uses_own_sum)
    for text in (g.standalone(x), g.standalone()):
        np.testing.assert_allclose(load(text, "uses_own_sum_grad")(x), g(x))


def gradient(x):
    """A name that a helper has, too."""
    return x * 2


def add(x, depth):
    return x if depth == 0 else add(x * 1.5, depth - 1) + gradient(x)


def calls_namesakes(x, n):
    out = []
    for k in range(n):
        out.append(add(x, k))
    return out[-1] * out[0]


def test_names_of_helpers_keep_apart() -> None:
    g = grad(calls_namesakes)
    x = np.array([1.0, 2.0])
    for args in ((2.0, 3), ):
        for text in (g.standalone(*args), g.standalone()):
            np.testing.assert_allclose(load(text, "calls_namesakes_grad")(*args), g(*args))
    assert x.size == 2


def test_signatures_stay() -> None:
    def f(a, /, b=2.0, *rest, key=None, **more):
        return a * b * (1.0 if key is None else key)
    emitted = load(grad(f).standalone(3.0), "f_grad")
    assert emitted(3.0) == 2.0
    with pytest.raises(TypeError):
        emitted(a=3.0)
    assert load(value_and_grad(f).standalone(3.0), "f_value_and_grad")(3.0) == (6.0, 2.0)


def test_derivatives_of_derivatives() -> None:
    g = grad(grad(lambda x: x ** 3))
    assert load(g.standalone(2.0), "lambda__grad_grad")(2.0) == g(2.0) == 12.0


def refused_in_a_branch(x):
    if x > 1:
        return float(str(x))
    return x * x


def test_refusals_stay_errors() -> None:
    try:
        text = grad(refused_in_a_branch).standalone(0.5)
    except SrcgradError:
        pytest.skip("refused as a whole")
    emitted = load(text, "refused_in_a_branch_grad")
    assert emitted(0.5) == 1.0
    with pytest.raises(NotImplementedError, match="line"):
        emitted(2.0)


# ---------------------------------------------------------------- without srcgrad

def _program(tmp_path: Path, head: str) -> tuple[str, list[float]]:
    x = np.linspace(0.1, 1.0, 5)
    heat = PROGRAMS["heat_rod"]
    (tmp_path / "heat_rod_grad.py").write_text(derivative(heat.function, heat.wrt).standalone())
    (tmp_path / "rates_grad.py").write_text(grad(rates).standalone(x, x))
    code = ("import numpy as np, rates_grad, heat_rod_grad\n"
            "x = np.linspace(0.1, 1.0, 5)\nprint(*rates_grad.rates_grad(x, x).tolist())")
    return head + code, np.asarray(grad(rates)(x, x)).tolist()


def test_it_runs_where_srcgrad_is_not_to_be_had(tmp_path: Path) -> None:
    program, want = _program(tmp_path, BLOCKED)
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert list(map(float, run.stdout.split())) == want


@pytest.mark.long
def test_it_runs_in_an_environment_with_numpy_alone(tmp_path: Path) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    made = subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy"], capture_output=True, text=True)
    if made.returncode:
        pytest.skip("NumPy can't be installed here")
    program, want = _program(tmp_path, "")
    run = subprocess.run([python, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert list(map(float, run.stdout.split())) == want
    blank = subprocess.run([python, "-c", "import srcgrad"], cwd=tmp_path, capture_output=True, text=True)
    assert "No module named 'srcgrad'" in blank.stderr
