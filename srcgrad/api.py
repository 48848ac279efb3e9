"""grad, value_and_grad and vjp."""
from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

import numpy as np

from srcgrad.dispatch import (
    Argnums,
    Compile,
    Question,
    Selection,
    Variant,
    Variants,
    check_argnums,
    select,
    variants_of,
)
from srcgrad.errors import ArgumentError, SrcgradError
from srcgrad.options import Options
from srcgrad.runtime import tensors
from srcgrad.runtime.forms import check_form, form_of
from srcgrad.runtime.structure import zeros_like

if TYPE_CHECKING:
    from srcgrad.compiler import Artifact
    from srcgrad.rules.rule import Rule

__all__ = ["grad", "value_and_grad", "vjp", "Derivative", "BoundDerivative", "Pullback"]

P = ParamSpec("P")
R = TypeVar("R")
Arguments = tuple[Any, ...]
DEFAULT = Options()


# ---------------------------------------------------------------- what users call

@overload
def grad(f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False,
         options: Options = DEFAULT) -> Derivative[P, Any]: ...


@overload
def grad(f: None = None, argnums: Argnums = 0, has_aux: bool = False,
         options: Options = DEFAULT) -> Callable[[Callable[P, Any]], Derivative[P, Any]]: ...


def grad(f: Any = None, argnums: Any = 0, has_aux: bool = False, options: Options = DEFAULT) -> Any:
    """The gradient of a function that returns one real number: called with the arguments of `f`.

    `argnums` is the position or the name of an argument, or a tuple of them, which gives a tuple of gradients.  The
    `self` of a method isn't counted.  With `has_aux`, `f` returns a number and something else, and the result is a
    pair of the gradient and that.  `.source(*args)` is the Python text that runs for such arguments.

        >>> def loss(w, x):
        ...     return w * w * x
        >>> grad(loss)(3.0, 2.0)
        12.0
        >>> grad(loss, argnums=("x", "w"))(3.0, 2.0)
        (9.0, 12.0)

    As a decorator: `@grad` or `@grad(argnums=1)`.
    """
    return _derivative(f, argnums, "grad", has_aux, options)


@overload
def value_and_grad(f: Callable[P, R], argnums: Argnums = 0, has_aux: bool = False,
                   options: Options = DEFAULT) -> Derivative[P, tuple[R, Any]]: ...


@overload
def value_and_grad(f: None = None, argnums: Argnums = 0, has_aux: bool = False,
                   options: Options = DEFAULT) -> Callable[[Callable[P, R]], Derivative[P, tuple[R, Any]]]: ...


def value_and_grad(f: Any = None, argnums: Any = 0, has_aux: bool = False, options: Options = DEFAULT) -> Any:
    """As `grad`, but the result is a pair of the function's value and the gradient.

        >>> value_and_grad(lambda x: x ** 3)(2.0)
        (8.0, 12.0)

    With `has_aux` the first of the pair is all that `f` returns: the value and the rest.
    """
    return _derivative(f, argnums, "value_and_grad", has_aux, options)


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False, options: Options = DEFAULT) -> Any:
    """The value of `f(*primals)`, and a function from an adjoint of the value to a tuple of gradients, one each.

    The value may be anything: an array, a tuple, a dict.  The function, the pullback, may be called often.
    A primal that has no derivative (None, a string, a bool) gets None.

        >>> y, pullback = vjp(np.multiply, np.array([1.0, 2.0]), 3.0)
        >>> pullback(np.array([1.0, 0.0]))
        (array([3., 0.]), 1.0)

    With `has_aux`, `f` returns a pair, and the result is the value, the pullback and the other half.
    """
    places = tuple(i for i, primal in enumerate(primals) if zeros_like(primal) is not None)
    if not places:
        raise ArgumentError("vjp was given no argument that has a derivative", remedy="Call vjp(f, x, ...).")
    derivative: Derivative[..., Any] = Derivative(f, places, "vjp", has_aux, options)
    return derivative.pull(primals, places)


def _derivative(f: Any, argnums: Any, mode: str, has_aux: bool, options: Options) -> Any:
    if f is None:
        return lambda f: _derivative(f, argnums, mode, has_aux, options)
    return Derivative(f, argnums, mode, has_aux, options)


# ---------------------------------------------------------------- the function that is differentiated

class _Target:
    """The plain function that runs when `f` is called, and the arguments that it gets beside the caller's.

    Where `f` is a derivative itself, what is differentiated is the function that was generated for the arguments.
    """

    def __init__(self, f: Any) -> None:
        self.bound: Arguments = ()
        self.bound_kwargs: dict[str, Any] = {}
        self.inner: Derivative[..., Any] | None = None
        self.function: types.FunctionType
        self._take(f)

    def _take(self, f: Any) -> None:
        if isinstance(f, types.FunctionType):
            self.function = f
        elif isinstance(f, staticmethod):
            self._take(f.__func__)
        elif isinstance(f, (types.MethodType, BoundDerivative)):
            self._take(f.__func__)
            self.bound = (*self.bound, f.__self__)
        elif isinstance(f, Derivative):
            target, _ = f.target()
            self.inner, self.function = f, target.function
            self.bound, self.bound_kwargs = target.bound, target.bound_kwargs
        else:
            self._look_up(f)

    def _look_up(self, f: Any) -> None:
        from srcgrad.lang.source import find
        plain = _as_python(f)
        if plain is not None:
            self.function = plain
            return
        found = find(f)
        self.function, self.bound, self.bound_kwargs = found.function, found.bound, found.bound_kwargs


def _as_python(f: Any) -> types.FunctionType | None:
    """A Python function that calls the library function `f`; None where `f` has no rule."""
    from srcgrad.rules.registry import rule_for
    from srcgrad.rules.spellings import SYNONYMS
    try:
        rule = rule_for(SYNONYMS.get(f, f))
    except TypeError:       # unhashable: nothing that has a rule
        return None
    return None if rule is None else _spelled(f, rule)


@functools.cache
def _spelled(f: Callable[..., Any], rule: Rule) -> types.FunctionType:
    """`def sin(x): return np.sin(x)`, with the parameters that the rule knows."""
    from srcgrad.lang.load import load
    name = f.__name__
    required = [p for p in rule.params if p not in rule.defaults]
    # only NumPy's own functions have all the parameters that the rule knows
    from_numpy = isinstance(f, np.ufunc) or str(f.__module__).startswith("numpy") and not isinstance(f, type)
    known = rule.params if from_numpy else tuple(required) or rule.params[:1]
    params = [f"{p}={rule.defaults[p]!r}" if p in rule.defaults and p in known[1:] else p for p in known]
    args = ", ".join(f"{p}={p}" if p in rule.defaults and p in known[1:] else p for p in known)
    text = f"def {name}({', '.join(params)}):\n    return {_full_name(f)}({args})\n"
    modules = {"__name__": "<srcgrad>", "np": np, "math": math, "function": f}
    return load(text, name, modules, filename_hint=name)[0]


def _full_name(f: Callable[..., Any]) -> str:
    """How a program that imports NumPy as np calls it."""
    modules: tuple[tuple[Any, str], ...] = ((np, "np"), (np.linalg, "np.linalg"), (np.fft, "np.fft"), (math, "math"))
    for module, prefix in modules:
        if getattr(module, f.__name__, None) is f:
            return f"{prefix}.{f.__name__}"
    return "function"


# ---------------------------------------------------------------- the derivative

class Derivative(Generic[P, R]):
    """A function that computes a derivative of `__wrapped__`, compiled for the arguments that it is called with.

    In a class it is a method like any other.
    """
    __wrapped__: Callable[..., Any]

    def __init__(self, f: Callable[P, Any], argnums: Argnums = 0, mode: str = "grad", has_aux: bool = False,
                 options: Options = DEFAULT, *, method: bool = False, compile: Compile | None = None) -> None:
        _check_callable(f, mode)
        if not isinstance(options, Options):
            raise ArgumentError(f"the options are {_a(options)}", remedy="Write options=Options(plain=True), say.")
        check_argnums(argnums, getattr(f, "__code__", None), str(getattr(f, "__name__", "the function")))
        self.__wrapped__ = f
        self._argnums, self._mode, self._has_aux, self._options = argnums, mode, has_aux, options
        self._method = method
        self._compile = compile
        self._target: _Target | None = None
        self._variants: Variants
        # the variants, once they are known, of a function that gets the caller's arguments and no others
        self._direct: Variants | None = None
        self._selection: Selection
        self._describe(f)

    def _describe(self, f: Any) -> None:
        self._name = str(getattr(f, "__name__", type(f).__name__))
        suffix = {"grad": "grad", "value_and_grad": "value_and_grad"}.get(self._mode, self._mode)
        what = {"grad": "The gradient", "value_and_grad": "The value and the gradient"}.get(self._mode, "The pullback")
        self.__name__ = f"{self._name}_{suffix}"
        self.__qualname__ = f"{getattr(f, '__qualname__', self._name)}_{suffix}"
        self.__module__ = getattr(f, "__module__", None) or __name__
        doc = getattr(f, "__doc__", None)
        title = f"{what} of {self._name} with respect to {_listed(self._argnums)}."
        self.__doc__ = f"{title}\n\n{doc}" if doc else title

    def __repr__(self) -> str:
        return f"<{self._mode} of {self._name} with respect to {_listed(self._argnums)}>"

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if tensors.among(*args, *kwargs.values()):
            on_tensors: Any = self._lifted.on_tensors(args, kwargs)
            return on_tensors
        if self._direct is None:
            variant, values = self.select(args, kwargs)
        else:
            values = self._direct.values(args, kwargs)
            variant = self._direct.find(values)
        result: Any = variant.artifact.forward(*values)
        return result if self._selection.plain else self._arrange(result)

    def _arrange(self, result: Any) -> Any:
        arrange = self._selection.arrange
        if self._mode == "value_and_grad":
            return result[0], arrange(result[1])
        return (arrange(result[0]), result[1]) if self._has_aux else arrange(result)

    @functools.cached_property
    def _lifted(self) -> tensors.Lifted:
        """This derivative as a function of tensors; it is differentiated again only if that is asked for."""
        def derive(mode: str, places: Argnums) -> Derivative[..., Any]:
            return Derivative(self, places, mode, False, self._options)
        return tensors.Lifted(self.__name__, self, derive, lazy=True)

    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """The Python text that runs for these arguments; without any, the text that is right for all arguments."""
        return self._artifact(args, kwargs).text

    def standalone(self, /, *args: Any, **kwargs: Any) -> str:
        """A module with this derivative that imports NumPy and nothing of srcgrad, for such arguments.

        The function begins by checking that its arguments are of these kinds; without arguments the module is for all
        numbers and arrays, and for what annotations and defaults say.

            >>> def loss(w):
            ...     return w * w
            >>> "def loss_grad(w):" in grad(loss).standalone(3.0)
            True
        """
        return self._standalone(args, kwargs, None)

    def _standalone(self, args: Arguments, kwargs: dict[str, Any], command: str | None) -> str:
        from srcgrad.backends.standalone.module import standalone_module
        from srcgrad.backends.standalone.subject import made_from, subject_of
        target, selection = self.target()
        bound = (*target.bound, *target.bound_kwargs.values())
        what = "value and gradient" if self._mode == "value_and_grad" else "gradient"
        title = f"The {what} of {self._name} with respect to {' and '.join(selection.wrt)}."
        subject = subject_of(self._chain(args, kwargs), target.function, selection.plain, bound, title)
        return standalone_module(subject, made_from(target.function, command))

    def _chain(self, args: Arguments, kwargs: dict[str, Any]) -> list[Artifact]:
        """What is compiled for these arguments, and what that was made from."""
        target, _ = self.target()
        return [self._artifact(args, kwargs), *(target.inner._chain(args, kwargs) if target.inner else ())]

    def explain(self, /, *args: Any, **kwargs: Any) -> str:
        """What was found out about the function, line by line: kinds, what is active, what is kept and why, helpers.

            >>> print(grad(lambda x: x * x).explain(3.0).splitlines()[-1])
              x: arguments, which are read as they are
        """
        from srcgrad.backends.views.explanation import explanation
        variants = self._general_variants()
        if not (args or kwargs):
            return explanation(variants.task(None), variants.general)
        variants, values = self._question(args, kwargs)
        return explanation(variants.task(values), lambda: variants.find(values).artifact)

    def _repr_html_(self) -> str:
        """For notebooks: the function beside its backward statements, for the arguments of the latest compilation."""
        from srcgrad.backends.views.side_by_side import as_html, as_text
        from srcgrad.lang.source import find
        try:
            target, _ = self.target()
            known = self._variants.all if target.inner is None else ()
            return as_html(find(target.function), known[-1].artifact.text if known else self._artifact((), {}).text)
        except SrcgradError as error:
            return as_text(f"{self!r}\n{error}")

    def _artifact(self, args: Arguments, kwargs: dict[str, Any]) -> Artifact:
        """What is compiled for these arguments; without any, what is right for all."""
        if args or kwargs:
            return self.select(args, kwargs)[0].artifact
        return self._general_variants().general()

    def _general_variants(self) -> Variants:
        target, _ = self.target()
        if target.inner is None:
            return self._variants
        generated: Any = target.inner._general_variants().general().forward
        return variants_of(generated, self._asked(), self._compile)

    def stages(self, /, *args: Any, **kwargs: Any) -> Iterator[tuple[str, str]]:
        """The names of the stages of the compilation for these arguments, each with its text."""
        from srcgrad.compiler import stages
        self.target()
        if not (args or kwargs):
            return stages(*self._general_variants().task(None))
        variants, values = self._question(args, kwargs)
        return stages(*variants.task(values))

    def pull(self, primals: Arguments, places: tuple[int, ...], keywords: dict[str, Any] | None = None) -> Any:
        """What `vjp` returns; `places` are those of the primals that have a gradient."""
        variant, values = self.select(primals, keywords or {})
        value, record = variant.artifact.forward(*values)
        value, aux = value if self._has_aux else (value, None)
        pullback = Pullback(variant, record, self._selection, value, len(primals), places)
        return (value, pullback, aux) if self._has_aux else (value, pullback)

    # ---- from arguments to the variant

    def target(self) -> tuple[_Target, Selection]:
        """The function that is differentiated and its arguments that are; found on the first call."""
        if self._target is None:
            target = _Target(self.__wrapped__)
            bound = len(target.bound) + self._method
            self._selection = select(self._argnums, target.function.__code__, self._name, bound)
            self._variants = variants_of(target.function, self._asked(), self._compile)
            self._target = target
            if target.inner is None and not (target.bound or target.bound_kwargs):
                self._direct = self._variants
        return self._target, self._selection

    def _asked(self) -> Question:
        return Question(self._selection.wrt, self._mode, self._has_aux, self._options)

    def select(self, args: Arguments, kwargs: dict[str, Any]) -> tuple[Variant, Arguments]:
        """The variant for these arguments, and one value a parameter."""
        variants, values = self._question(args, kwargs)
        return variants.find(values), values

    def _question(self, args: Arguments, kwargs: dict[str, Any]) -> tuple[Variants, Arguments]:
        target, _ = self.target()
        if target.inner is not None:
            variant, values = target.inner.select(args, kwargs)
            generated: Any = variant.artifact.forward
            return variants_of(generated, self._asked(), self._compile), values
        values = self._variants.values((*target.bound, *args), {**target.bound_kwargs, **kwargs})
        return self._variants, values

    # ---- as a method

    def __set_name__(self, owner: type, name: str) -> None:
        if self._binds() and self._target is None:
            self._method = True

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None or not self._binds():
            return self
        return BoundDerivative(self if self._method else self._as_method, instance)

    def _binds(self) -> bool:
        """Whether `__wrapped__` as an attribute of a class would be a method."""
        f = self.__wrapped__
        return f._binds() if isinstance(f, Derivative) else isinstance(f, types.FunctionType)

    @functools.cached_property
    def _as_method(self) -> Derivative[..., Any]:
        return Derivative(self.__wrapped__, self._argnums, self._mode, self._has_aux, self._options, method=True,
                          compile=self._compile)


class BoundDerivative:
    """A derivative as a method of an object, as Python's own bound methods."""

    def __init__(self, derivative: Derivative[..., Any], instance: Any) -> None:
        self.__func__ = derivative
        self.__self__ = instance
        self.__name__, self.__qualname__ = derivative.__name__, derivative.__qualname__
        self.__doc__ = derivative.__doc__

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)

    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """As `Derivative.source`."""
        return self.__func__.source(self.__self__, *args, **kwargs) if args or kwargs else self.__func__.source()

    def explain(self, /, *args: Any, **kwargs: Any) -> str:
        """As `Derivative.explain`."""
        return self.__func__.explain(self.__self__, *args, **kwargs) if args or kwargs else self.__func__.explain()

    def __repr__(self) -> str:
        return f"<bound {self.__func__!r} of {self.__self__!r}>"


class Pullback:
    """From an adjoint of the value to the gradients of the primals: a tuple with one entry each."""

    def __init__(self, variant: Variant, record: Any, selection: Selection, value: Any, primals: int,
                 places: tuple[int, ...]) -> None:
        self._variant, self._record, self._selection = variant, record, selection
        self._primals, self._places = primals, places
        self._form = form_of(value)

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        check_form(self._form, cotangent)
        pullback = self._variant.artifact.pullback
        assert pullback is not None
        found = self._selection.arrange(pullback(self._record, cotangent))
        gradients: list[Any] = [None] * self._primals
        for place, gradient in zip(self._places, found, strict=True):
            gradients[place] = gradient
        return tuple(gradients)

    def source(self) -> str:
        """The Python text that runs."""
        return self._variant.artifact.text


def _check_callable(f: Any, mode: str) -> None:
    if isinstance(f, classmethod):
        raise ArgumentError(f"{mode} was given a classmethod", remedy=f"Put @classmethod above @{mode}.")
    if not callable(f):
        raise ArgumentError(f"{mode} was given {_a(f)}, which can't be called", remedy="Pass a function.")


def _a(x: Any) -> str:
    return "None" if x is None else f"an object of type {type(x).__name__}"


def _listed(argnums: Argnums) -> str:
    entries = argnums if isinstance(argnums, tuple) else (argnums,)
    return " and ".join(entry if isinstance(entry, str) else f"argument {entry}" for entry in entries)
