"""Gradients checked against differences."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.autograd.calls import grad
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.runtime.modes import no_grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """Gradients and differences disagree."""


def gradcheck(func: Callable[..., Any], inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
              raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
              check_grad_dtypes: bool = False, **words: Any) -> bool:
    """Whether the gradients of `func` agree with central differences, for all inputs that require one."""
    given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    active = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]
    if not active:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have "
                         "requires_grad=True.")
    for i in active:
        if given[i]._a.dtype not in (np.float64, np.complex128):
            warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or complex. This "
                          "check will likely fail if all the inputs are not of double precision floating point or "
                          "complex. ", UserWarning, stacklevel=2)
    try:
        _check(func, given, active, eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(func: Callable[..., Any], given: tuple[Any, ...], active: list[int], eps: float, atol: float,
           rtol: float) -> None:
    outs = _outputs(func(*given))
    if not any(o.requires_grad for o in outs):
        numeric = [_numeric(func, given, i, k, eps) for i in active for k in range(len(outs))]
        if any(np.any(np.abs(n) > atol) for n in numeric):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    for k, out in enumerate(outs):
        if not out.requires_grad:
            continue
        analytic = _analytic(out, [given[i] for i in active])
        for place, (i, found) in enumerate(zip(active, analytic)):
            expected = _numeric(func, given, i, k, eps)
            if not np.allclose(found, expected, rtol, atol, equal_nan=True):
                raise GradcheckError(f"Jacobian mismatch for output {k} with respect to input {place},\n"
                                     f"numerical:{wrap(expected)}\nanalytical:{wrap(found)}\n")


def _outputs(found: Any) -> list[Tensor]:
    outs = found if isinstance(found, (tuple, list)) else (found,)
    return [o for o in outs if isinstance(o, Tensor) and o._a.dtype.kind in "fc"]


def _steps(a: np.ndarray) -> tuple[complex, ...]:
    return (1.0, 1.0j) if a.dtype.kind == "c" else (1.0,)


def _analytic(out: Tensor, xs: list[Tensor]) -> list[np.ndarray]:
    """By backward: a row an element of each input (real and imaginary part apart), a column one of the output."""
    columns: list[list[np.ndarray]] = [[] for _ in xs]
    for j in range(out.numel()):
        for seed in _steps(out._a):
            start = np.zeros(out._a.size, out._a.dtype)
            start[j] = seed
            found = grad(out, xs, wrap(start.reshape(out._a.shape)), retain_graph=True, allow_unused=True)
            for column, g, x in zip(columns, found, xs):
                column.append(_parts(np.zeros_like(x._a) if g is None else g._a))
    return [np.stack(c, 1) if c else np.zeros((_parts(x._a).size, 0)) for c, x in zip(columns, xs)]


def _parts(a: np.ndarray) -> np.ndarray:
    """The elements as real numbers: of complex ones real and imaginary part, one after the other."""
    flat = a.ravel()
    return np.stack([flat.real, flat.imag], 1).ravel() if a.dtype.kind == "c" else flat


def _numeric(func: Callable[..., Any], given: tuple[Any, ...], i: int, k: int, eps: float) -> np.ndarray:
    """By differences, arranged alike."""
    a = given[i]._a
    rows = []
    for j in range(a.size):
        for step in _steps(a):
            high, low = (_moved(func, given, i, j, sign * eps * step, k) for sign in (1.0, -1.0))
            rows.append((high - low) / (2 * eps))
    return np.stack(rows) if rows else np.zeros((0, 0))


def _moved(func: Callable[..., Any], given: tuple[Any, ...], i: int, j: int, step: complex, k: int) -> np.ndarray:
    a = given[i]._a.copy()
    a.reshape(-1)[j] += step if a.dtype.kind == "c" else np.real(step)
    with no_grad():
        found = _outputs(func(*given[:i], wrap(a).requires_grad_(), *given[i + 1:]))
    return _parts(found[k]._a.copy()).astype(np.float64)


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6,
                  atol: float = 1e-5, rtol: float = 1e-3, raise_exception: bool = True, **words: Any) -> bool:
    """As `gradcheck`, for the gradients themselves."""
    given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    seeds = _seeds(func, given, grad_outputs)
    n = len(given)
    active = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def gradients(*args: Any) -> Any:
        xs = [x if not isinstance(x, Tensor) or i not in active or x.requires_grad else x.detach().requires_grad_()
              for i, x in enumerate(args[:n])]
        from srcgrad.runtime.modes import enable_grad
        with enable_grad():
            outs = _outputs(func(*xs))
            pairs = [(o, s) for o, s in zip(outs, args[n:]) if o.requires_grad]
            found = grad([o for o, _ in pairs], [xs[i] for i in active], [s for _, s in pairs], create_graph=True,
                         allow_unused=True)
        return tuple(g for g in found if g is not None)
    return gradcheck(gradients, (*given, *seeds), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)


def _seeds(func: Callable[..., Any], given: tuple[Any, ...], grad_outputs: Any) -> tuple[Tensor, ...]:
    if grad_outputs is not None:
        return tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)
    rng = np.random.default_rng(0)
    return tuple(wrap(rng.standard_normal(o._a.shape).astype(o._a.dtype)).requires_grad_()
                 for o in _outputs(func(*given)))
