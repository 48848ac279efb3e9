"""Complex numbers: gradients are dL/dRe + i dL/dIm, whatever rules the function needs."""
from __future__ import annotations

import cmath
import pickle
from typing import Any

import numpy as np
import pytest

from harness import call_derivative, compare, derivative, differences, gradient
from rules.checking import active, is_complex
from rules.table import ROWS

MODES = {"optimised": {}, "plain": {"plain": True}, "general": {"general": True}}
# their results are compared by parts in the rules' own tests
SEVERAL = (np.linalg.eigh, np.linalg.slogdet, np.linalg.svd, np.linalg.qr)


def total(value):
    """A real number that depends on the real and on the imaginary parts of all entries."""
    flat = np.ravel(value)
    return np.sum((np.arange(1.0, 1.0 + flat.size) * (0.5 - 0.25j) * flat).real)


def complex_cases() -> list[Any]:
    out = []
    for function, cases in ROWS.items():
        for k, case in enumerate(cases):
            if function not in SEVERAL and is_complex((case.args, function(*case.args, **case.kwargs))):
                out.append(pytest.param(function, case, id=f"{function.__name__}-{k}"))
    return out


def loss_of(function: Any, arity: int, keywords: dict[str, Any], path: Any) -> Any:
    """A function whose text calls the NumPy function."""
    names = ", ".join("abc"[:arity])
    given = "".join(f", {name}={value!r}" for name, value in keywords.items())
    path.write_text(f"def loss({names}):\n    return total(function({names}{given}))\n")
    space = {"function": function, "total": total}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["loss"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function, case", complex_cases())
def test_the_rule_s_conjugations(function: Any, case: Any, mode: str, tmp_path: Any) -> None:
    loss = loss_of(function, len(case.args), case.kwargs, tmp_path / "loss.py")
    wrt = tuple(k for k, a in enumerate(case.args) if active(a) and np.size(a))
    if not wrt:
        pytest.skip("empty")
    compare(gradient(loss, case.args, wrt, **MODES[mode]), differences(loss, case.args, wrt), rtol=2e-5)


def spectrum(x, z):
    a = np.sum(np.real(np.exp(1j * x) * z))
    return a + np.abs(np.sum(z ** 2 / (1 + z)))


def written_in_place(x, z):
    w = z.copy()
    w[1:] = x[:-1] * w[:-1]
    for k in range(3):
        w[k] = w[k] * w[k + 1] - 1j * x[k]
    return np.sum(w.real * w.imag)


def real_into_complex(x, z):
    b = np.zeros(4, complex)
    b[:] = x
    b *= z
    return np.sum(np.abs(b))


def real_and_imaginary_views(x, z):
    b = np.zeros(4, complex)
    b.real = x
    b.imag[1:] = x[:-1] ** 2
    return np.sum(np.abs(b * z) ** 2)


def numbers(x, z):
    c = complex(x[0], x[1])
    d = c * c + cmath.exp(c) * z[0]
    e = d.conjugate() / abs(d) + cmath.sqrt(z[1]) ** 3
    return e.real - 2.0 * e.imag + cmath.phase(d)


def by_a_branch(x, z):
    s = 0.0
    for k in range(4):
        if x[k] > 0.0:
            s = s + z[k] * x[k]
        else:
            s = s + x[k]
    return abs(s)


def schroedinger(x, z):
    psi = z / np.linalg.norm(z)
    for _ in range(3):
        psi = psi * np.exp(-0.1j * x)
        left = np.roll(psi, 1)
        psi = psi + 0.05j * (left - 2.0 * psi + np.roll(psi, -1))
    return np.sum(np.abs(psi) ** 2 * np.arange(4.0))


def recursive(z, n):
    return z if n == 0 else recursive(z * z + 0.1, n - 1)


def through_a_callee(x, z):
    return np.sum(np.abs(recursive(z * 0.3 + x * 0.1, 3)))


def cut(x, z):
    return np.sum(np.where(x > 0.0, np.sqrt(z), 0.0).imag)


PROGRAMS = [spectrum, written_in_place, real_into_complex, real_and_imaginary_views, numbers, by_a_branch, schroedinger,
            through_a_callee, cut]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(function: Any, mode: str) -> None:
    rng = np.random.default_rng(1)
    args = rng.normal(size=4), rng.normal(size=4) + 1j * rng.normal(size=4)
    got = gradient(function, args, (0, 1), **MODES[mode])
    assert got[0].dtype == float and got[1].dtype == complex
    compare(got, differences(function, args, (0, 1)))


def test_a_complex_result_has_no_gradient() -> None:
    with pytest.raises(Exception, match="complex"):
        gradient(lambda z: z * z, (1.0 + 2.0j,), (0,))


def test_a_general_form_for_real_arguments_is_not_used_for_complex_ones() -> None:
    from srcgrad import grad
    from srcgrad.options import Options

    def loss(x):
        return np.sum(np.abs(x * x))

    g = grad(loss, options=Options(general=True))
    real, unreal = np.array([1.0, -2.0]), np.array([1.0 + 1.0j, -2.0])
    compare((g(real), g(unreal)), (2 * real, 2 * unreal))


# ---------------------------------------------------------------- where types don't tell

W = np.array([1 + 0.5j, 2 - 1j, -1 + 2j, 0.5 + 1j])
STORED = pickle.dumps(W)


def from_code_that_is_not_followed(x, z):
    w = pickle.loads(STORED)
    y = x * w
    return np.sum(np.abs(y + z) ** 2 * x) + np.sum((y * w).imag)


def number_by_number(x, z):
    w = pickle.loads(STORED)
    s = 0.0
    for k in range(4):
        s = s + w[k] * x[k] * abs(z[k])
    return abs(s) ** 2


def in_a_recursive_function(x, n):
    return x if n == 0 else in_a_recursive_function(x * pickle.loads(STORED), n - 1)


def from_a_callee(x, z):
    return np.sum(np.abs(in_a_recursive_function(x, 2)) * np.abs(z))


@pytest.mark.parametrize("mode", [*MODES, "checked"])
@pytest.mark.parametrize("function", [from_code_that_is_not_followed, number_by_number, from_a_callee],
                         ids=lambda f: f.__name__)
def test_what_comes_from_outside_may_be_complex(function: Any, mode: str) -> None:
    rng = np.random.default_rng(1)
    args = rng.normal(size=4), rng.normal(size=4) + 1j * rng.normal(size=4)
    options = MODES.get(mode, {"checked": True})
    compare(gradient(function, args, (0,), **options), differences(function, args, (0,)))


def all_of_them(parts):
    return sum(np.sum(np.abs(p * p)) for p in (parts.values() if isinstance(parts, dict) else parts))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("real, mixed", [
    ([np.ones(2), 3.0], [np.ones(2), np.array([1j, 2.0])]), ({"a": np.ones(2)}, {"a": np.array([1j, 2.0])}),
    ((np.ones(2), np.ones(3)), (np.ones(2), np.array([1j, 2.0, 1 + 1j])))], ids=["list", "dict", "tuple"])
def test_containers_with_complex_members_after_real_ones(real: Any, mixed: Any, mode: str) -> None:
    g = derivative(all_of_them, (0,), **MODES[mode])
    for parts in (real, mixed):
        compare(call_derivative(g, (parts,), (0,)), differences(all_of_them, (parts,), (0,)))


# ---------------------------------------------------------------- real values in complex arrays

TURNED = np.exp(1j * np.arange(4.0))


def parts_and_all(x):
    c = np.zeros(4, complex)
    c[:] = x
    c.real += x
    return np.sum(np.abs(c * TURNED + 1.0) ** 2)


def added(x):
    c = np.zeros(4, complex)
    c[1:] += x[:-1]
    c[0] = x[0] * x[1]
    np.add.at(c, [0, 0], x[:2])
    return np.sum(np.abs(c * TURNED + 1.0) ** 2)


def real_for_a_while(z):
    c = np.zeros(4, complex)
    r = np.real(z * z)
    c[:] = r
    c[1:3] = r[3]
    c *= r
    return np.sum(np.real(c * TURNED * z))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mode", [*MODES, "checked"])
@pytest.mark.parametrize("function", [parts_and_all, added, real_for_a_while], ids=lambda f: f.__name__)
def test_what_is_real_gets_the_real_part(function: Any, mode: str) -> None:
    x = np.random.default_rng(2).normal(size=4)
    args = (x + 1j * x[::-1] ** 2 if function is real_for_a_while else x,)
    options = MODES.get(mode, {"checked": True})
    compare(gradient(function, args, (0,), **options), differences(function, args, (0,)))
