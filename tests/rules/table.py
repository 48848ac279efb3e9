"""One row for each function that has a rule: calls over broadcasting, axes, 0-d, empty and complex arguments."""
from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np
from scipy import linalg, special

from rules.checking import Case, case
from srcgrad.runtime.writes import reshaped

_rng = np.random.default_rng(7)


def x(*shape: int) -> Any:
    """Distinct numbers of both signs, none near 0 and no two near each other."""
    n = math.prod(shape)
    return _rng.permutation(np.linspace(-1.9, 1.7, n + n % 2) + 0.03)[:n].reshape(shape)


def p(*shape: int) -> Any:
    """Numbers from 0.4 to 1.6."""
    return _rng.uniform(0.4, 1.6, shape)


def u(*shape: int) -> Any:
    """Numbers from -0.8 to 0.8."""
    return _rng.uniform(-0.8, 0.8, shape)


def c(*shape: int) -> Any:
    """Complex numbers, in all four quadrants."""
    return x(*shape) + 1j * x(*shape)


def spd(n: int, *stack: int, dtype: Any = float) -> Any:
    """Matrices that are far from singular, symmetric and positive definite."""
    a = _rng.normal(size=(*stack, n, n)) + (1j * _rng.normal(size=(*stack, n, n)) if dtype is complex else 0)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)


def unary(draw: Any, complex_too: bool = True) -> list[Case]:
    """The shapes that a function of one argument is tried at."""
    cases = [case(draw(2, 3)), case(draw()), case(float(draw(1)[0])), case(np.array(draw())), case(draw(0, 3))]
    return [*cases, case(u(4) + 1j * u(4))] if complex_too else cases


def binary(left: Any, right: Any) -> list[Case]:
    """The broadcasts that a function of two arguments is tried at."""
    return [case(left(2, 3), right(2, 3)), case(left(2, 3), right(3)), case(left(3), right(2, 3)),
            case(left(2, 1), right(1, 3)), case(left(2, 3), float(right(1)[0])), case(float(left(1)[0]), right(2, 1)),
            case(float(left(1)[0]), float(right(1)[0])), case(left(0, 3), right(3)), case(left(1), np.array(right()))]


def reduction(draw: Any, complex_too: bool = False) -> list[Case]:
    cases = [case(draw(2, 3)), case(draw(2, 3), axis=0), case(draw(2, 3), axis=-1),
    case(draw(2, 3), 1, keepdims=True),
             case(draw(2, 3, 2), axis=(0, -1)), case(draw(2, 3, 2), (1,), keepdims=True),
             case(draw(4), keepdims=True),
             case(draw(2, 1), axis=1)]
    return [*cases, case(c(2, 3), axis=1)] if complex_too else cases


ROWS: dict[Any, list[Case]] = {
    # arithmetic
    np.add: [*binary(x, x), case(c(2, 3), c(3)), case(x(3), c(2, 1))],
    np.subtract: [*binary(x, x), case(c(2, 3), c(3))],
    np.multiply: [*binary(x, x), case(c(2, 3), c(3)), case(x(3), c(2, 1))],
    np.divide: [*binary(x, p), case(c(2, 3), c(3))],
    np.power: [*binary(p, x), case(x(3), 2), case(p(3), 3.0), case(c(3), 2), case(c(3), c(3)), case(2.5, 2),
               case(x(2, 1), np.array([0, 1, 2]))],
    np.float_power: [case(p(2, 3), x(3)), case(x(3), 2)],
    np.remainder: [case(x(2, 3), p(3)), case(7.3, 2.1), case(-7.3, 2.1)],
    np.fmod: [case(x(2, 3), p(3)), case(-7.3, 2.1)],
    np.negative: unary(x), np.positive: unary(x),
    np.absolute: unary(x), np.fabs: unary(x, False),
    np.square: unary(x), np.sqrt: unary(p), np.cbrt: unary(x, False), np.reciprocal: unary(p),
    np.hypot: binary(x, x), np.copysign: binary(x, x),
    np.ldexp: [case(x(2, 3), np.array([1, 2, -3])), case(1.5, 2)],
    # elementwise
    np.exp: unary(x), np.exp2: unary(x), np.expm1: unary(x), np.log: unary(p), np.log2: unary(p), np.log10: unary(p),
    np.log1p: unary(p), np.logaddexp: binary(x, x), np.logaddexp2: binary(x, x),
    np.sin: unary(x), np.cos: unary(x), np.tan: unary(u), np.arcsin: unary(u), np.arccos: unary(u), np.arctan: unary(x),
    np.arctan2: binary(x, x), np.sinh: unary(x), np.cosh: unary(x), np.tanh: unary(x), np.arcsinh: unary(x),
    np.arccosh: [*unary(lambda *s: 1.0 + p(*s), False), case(c(4))], np.arctanh: unary(u),
    np.deg2rad: unary(x, False), np.radians: unary(x, False), np.rad2deg: unary(x, False), np.degrees: unary(x, False),
    np.sinc: [*unary(x, False), case(np.array([0.0, 1e-3, 0.0099, 0.0101, 1.0]))],
    math.erf: [case(0.3), case(-1.2)], math.erfc: [case(0.3), case(-1.2)],
    math.gamma: [case(0.3), case(3.7), case(-1.2)], math.lgamma: [case(0.3), case(12.5), case(-1.2)],
    # selection
    np.maximum: binary(x, x), np.minimum: binary(p, x), np.fmax: binary(x, p), np.fmin: binary(x, x),
    np.clip: [case(x(2, 3), -0.5, 0.7), case(x(2, 3), None, 0.7), case(x(2, 3), a_min=-0.5, a_max=None),
              case(0.3, -1.0, 1.0),
              case(x(2, 3), -p(3), p(2, 1)), case(x(6), 0.71, 0.2)],
    np.where: [case(x(2, 3) > 0, x(2, 3), x(3)), case(x(3) > 0, x(2, 1), 0.5), case(True, 1.5, x(3)),
               case(True, 1.0, 2.0),
               case(x(3) > 0, c(3), x(3))],
    np.heaviside: [case(np.array([-1.0, 0.0, 2.0]), x(3)), case(np.zeros((2, 1)), x(3))],
    np.nan_to_num: [case(x(2, 3))],
    np.select: [case([np.array([True, False, False, True]), np.array([True, True, False, False])], [x(4), x(4)], x(4)),
                case([np.array([True, False, False])], [x(2, 1)], 0.5), case([np.array([True, False])], [x(2)])],
    # reductions
    np.sum: [*reduction(x, True), case(x(0, 3)), case(x(0, 3), axis=0), case(np.array(0.5)), case([0.5, 1.5])],
    np.mean: [*reduction(x, True), case(np.array(0.5)), case(0.5), case([0.5, 1.5])],
    np.var: [*reduction(x, True),
             case(x(4), ddof=1)], np.std: [*(r for r in reduction(x, True) if r.args[0].shape != (2, 1)),
                                                               case(x(4), ddof=1)],
    np.prod: [*reduction(x, True), case(np.array([0.0, 2.0, 3.0])),
              case(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]), axis=1),
              case(x(0, 3)), case(np.array([[[0.0, 2.0]], [[1.0, 3.0]]]), axis=(0, 2))],
    np.max: reduction(x), np.min: reduction(x), np.amax: reduction(x), np.amin: reduction(x), np.ptp: reduction(x),
    np.median: [*reduction(x), case(x(5)), case(x(4, 3), axis=(-1, 0))],
    np.average: [case(x(2, 3)), case(x(2, 3), axis=1), case(x(2, 3), 1, p(3)), case(x(2, 3), axis=0, weights=p(2)),
                 case(x(2, 3), weights=p(2, 3)), case(x(2, 3), axis=-1, weights=p(2, 3), keepdims=True),
                 case(x(2, 3, 4), axis=(2, 0), weights=p(4, 2))],
    np.nansum: [case(x(2, 3), axis=1), case(x(3))], np.nanmean: [case(x(2, 3), axis=1), case(x(3))],
    np.cumsum: [case(x(4)), case(x(2, 3)), case(x(2, 3), axis=0), case(x(2, 3), -1), case(x(0)), case(c(3))],
    np.cumprod: [case(x(4)), case(x(2, 3)), case(x(2, 3), axis=0), case(x(2, 3), -1),
                 case(np.array([2.0, 0.0, 3.0, 0.0])),
                 case(np.array([[2.0, 0.0, 3.0], [1.0, 2.0, 4.0]]), 0), case(c(3))],
    np.diff: [case(x(5)), case(x(2, 3)), case(x(4, 3), axis=0), case(x(5), 2), case(x(3), n=3), case(x(2), n=5)],
    np.trapezoid: [case(x(5)), case(x(2, 5), dx=0.5), case(x(5), np.sort(x(5))), case(x(5, 2), np.sort(x(5)), axis=0),
                   case(x(2, 5), x(2, 5)), case(x(5, 2), x(5, 1), axis=0), case(x(1))],
    np.linalg.norm: [case(x(4)), case(x(2, 3)), case(x(2, 3), axis=1), case(x(2, 3), 2, -1),
                     case(x(2, 3), 1, axis=0, keepdims=True),
                     case(x(2, 3), np.inf, axis=1), case(x(4), -np.inf), case(x(4), 3), case(x(2, 3), "fro"),
                     case(x(2, 3), 2),
                     case(p(2, 3), 1), case(p(2, 3), np.inf), case(-p(2, 3), -1), case(x(2, 3, 2), 2, axis=(2, 0)),
                     case(p(2, 3, 2), 1, axis=(2, 0), keepdims=True), case(c(4)), case(c(2, 3), axis=1)],
    # products
    np.matmul: [case(x(2, 3), x(3, 2)), case(x(2, 3), x(3)), case(x(2), x(2, 3)), case(x(3), x(3)),
                case(x(4, 2, 3), x(3, 2)),
                case(x(2, 3), x(4, 3, 2)), case(x(4, 1, 2, 3), x(5, 3, 2)), case(x(3), x(4, 3, 2)),
                case(x(4, 2, 3), x(3)),
                case(c(2, 3), c(3)), case(x(0, 3), x(3, 2)), case(x(1, 2, 3), x(4, 3, 2))],
    np.dot: [case(x(3), x(3)), case(x(2, 3), x(3)), case(x(3), x(3, 2)), case(x(2, 3), x(3, 2)), case(2.0, x(2, 3)),
             case(x(2, 3), 2.0), case(1.5, 2.5), case(x(2, 4, 3), x(5, 3, 2)), case(x(3), x(4, 3, 2)),
             case(x(2, 4, 3), x(3)),
             case(c(2, 3), c(3))],
    np.inner: [case(x(3), x(3)), case(x(2, 3), x(4, 3)), case(x(2, 3), x(3)), case(x(3), x(2, 3)), case(2.0, x(3)),
               case(x(2, 2, 3), x(4, 3)), case(x(2), 0.5)],
    np.outer: [case(x(2), x(3)), case(x(2, 2), x(3)), case(x(2), 1.5), case(c(2), c(3))],
    np.vdot: [case(x(3), x(3)), case(x(2, 3), x(2, 3)), case(c(3), c(3)), case(c(2, 2), x(4))],
    np.tensordot: [case(x(2, 3, 4), x(3, 4, 2)), case(x(2, 3), x(3, 4), 1), case(x(2), x(3), 0),
                   case(x(2, 3, 4), x(4, 5, 2), ([0, 2], [2, 0])),
                   case(x(2, 3, 4), x(4, 5), axes=(2, 0)), case(x(2, 3, 4), x(3, 2, 5), axes=((-2, 0), (0, 1))),
                   case(c(2, 3), c(3, 2), 1)],
    np.einsum: [case("ij,jk->ik", x(2, 3), x(3, 2)), case("ij,jk", x(2, 3), x(3, 2)), case("ij->j", x(2, 3)),
                case("ii", x(3, 3)),
                case("ii->i", x(3, 3)), case("iij,j->i", x(2, 2, 3), x(3)),
                case("...ij,...jk->...ik", x(4, 2, 3), x(3, 2)),
                case("i,j,k->", x(2), x(3), x(2)), case("ij,ij->", x(2, 3), x(1, 3)),
                case(" b i , b i -> b ", x(2, 3), x(2, 3)),
                case("...i->...", x(2, 3)), case("ij,kj->ki", c(2, 3), c(4, 3)),
                case("i...,...i", x(2, 3), x(3, 2)), case("ij->ji", x(2, 3)),
                case("i,->i", x(2), 1.5), case("ij,j->i", x(2, 3), x(3), optimize=True)],
    np.kron: [case(x(2), x(3)), case(x(2, 3), x(3, 2)), case(x(2), x(2, 3)), case(x(2, 2), x(3)), case(c(2), c(2))],
    np.cross: [case(x(3), x(3)), case(x(2, 3), x(3)), case(x(3), x(2, 3)), case(x(4, 1, 3), x(2, 3))],
    np.convolve: [case(x(5), x(3)), case(x(3), x(5)), case(x(5), x(3), "same"), case(x(5), x(4), "same"),
                  case(x(3), x(5), mode="valid"),
                  case(x(5), x(2), "valid"), case(x(2), x(5), "same"), case(c(4), c(3))],
    # linalg
    np.linalg.solve: [case(spd(3), x(3)), case(spd(3), x(3, 2)), case(spd(2, 4), x(4, 2, 3)),
                      case(spd(2, 4), x(2, 3)), case(spd(2), x(4, 2, 1)),
                      case(spd(2, 4), x(2)), case(spd(2) + 0.3j * x(2, 2), c(2))],
    np.linalg.inv: [case(spd(3)), case(spd(2, 4)), case(spd(2) + 0.3j * x(2, 2))],
    np.linalg.det: [case(x(3, 3)), case(x(4, 2, 2)), case(np.array([[1.0, 2.0], [2.0, 4.0]])),
                    case(np.ones((3, 3))), case(c(2, 2)),
                    case(x(1, 1))],
    np.linalg.slogdet: [case(spd(3)), case(-spd(3)), case(spd(2, 4)), case(spd(2) + 0.3j * x(2, 2)),
                        case(spd(2), outputs=(1,))],
    np.linalg.matrix_power: [case(x(2, 2), 3), case(spd(2), -2), case(x(2, 2), 0), case(x(2, 2), 1),
                             case(x(4, 2, 2), 2)],
    **dict.fromkeys((np.nanmax, np.nanmin), [case(x(2, 3)), case(x(2, 3), axis=0), case(x(2, 3), 1, keepdims=True)]),
    # Fourier transforms
    **dict.fromkeys((np.fft.fft, np.fft.ifft), [
        case(c(4)), case(x(5)), case(c(2, 3), 5, 0), case(c(4, 2), 3, axis=0, norm="ortho"),
        case(c(2, 4), norm="forward")]),
    np.fft.rfft: [
        case(x(4)), case(x(5)), case(x(2, 3), 5, 0), case(x(4, 2), 3, axis=0, norm="ortho"),
        case(x(2, 4), norm="forward")],
    np.fft.irfft: [case(c(4)), case(x(5)), case(c(3), 5), case(c(2, 3), 6, 0), case(c(4, 2), 3, axis=0, norm="ortho"),
                   case(c(2, 4), norm="forward")],
    **dict.fromkeys((np.fft.fft2, np.fft.ifft2), [case(c(3, 4)), case(x(2, 3, 2), axes=(0, 1), norm="ortho")]),
    **dict.fromkeys((np.fft.fftn, np.fft.ifftn), [case(c(3, 4, 2)), case(x(2, 3), axes=(1,))]),
    **dict.fromkeys((np.fft.fftshift, np.fft.ifftshift), [case(x(5)), case(c(2, 3), axes=1)]),
    # scipy.special
    **dict.fromkeys((special.gammaln, special.loggamma, special.gamma, special.rgamma, special.digamma, special.exp1,
                     special.y0, special.y1, special.k0, special.k1), unary(p, False)),
    special.polygamma: [case(1, p(3)), case(np.array([1, 2]), p(3, 2))],
    **dict.fromkeys((special.beta, special.betaln, special.rel_entr, special.kl_div), binary(p, p)),
    **dict.fromkeys((special.gammainc, special.gammaincc), [case(1.7, p(3)), case(np.array([0.6, 2.0]), p(3, 2))]),
    special.betainc: [case(1.7, 0.8, u(3) * 0.4 + 0.5)],
    **dict.fromkeys((special.erf, special.erfc, special.erfcx, special.erfi, special.ndtr, special.log_ndtr,
                     special.dawsn, special.expit, special.log_expit, special.expm1, special.exp10, special.exp2,
                     special.cbrt, special.j0, special.j1, special.i0, special.i0e, special.i1, special.expi),
                    unary(x, False)),
    **dict.fromkeys((special.erfinv, special.log1p), unary(u, False)),
    special.erfcinv: [case(1.0 + u(2, 3))],
    **dict.fromkeys((special.logit, special.ndtri, special.ellipk, special.ellipe), [case(0.5 + 0.4 * u(2, 3))]),
    special.entr: unary(p, False),
    special.xlogy: [*binary(p, p), case(np.array([0.0, 1.0]), p(2), outputs=None)],
    special.xlog1py: binary(p, p),
    special.logsumexp: [case(x(2, 3)), case(x(2, 3), axis=1), case(x(2, 3), 0, p(2, 3)), case(x(2, 3), 1, p(3), True)],
    **dict.fromkeys((special.softmax, special.log_softmax), [case(x(4)), case(x(2, 3), axis=1), case(x(2, 3))]),
    **dict.fromkeys((special.jv, special.yv, special.iv, special.kv), [case(1.5, p(3)), case(2, p(2, 1))]),
    # scipy.linalg
    linalg.solve: [case(spd(3), x(3)), case(spd(3), x(3, 2))],
    linalg.inv: [case(spd(3))], linalg.det: [case(spd(3))],
    linalg.cholesky: [case(spd(3)), case(spd(3), lower=True), case(spd(3), True)],
    linalg.cho_factor: [case(spd(3), outputs=(0,)), case(spd(3), True, outputs=(0,))],
    linalg.cho_solve: [case((np.linalg.cholesky(spd(3)), True), x(3)),
                       case((np.linalg.cholesky(spd(3)).T, False), x(3, 2))],
    linalg.solve_triangular: [case(spd(3), x(3)), case(spd(3), x(3, 2), lower=True), case(spd(3), x(3), 1),
                              case(spd(3), x(3), "T", True, True)],
    linalg.expm: [case(x(3, 3)), case(u(2, 2, 2))], linalg.sqrtm: [case(spd(3))],
    linalg.toeplitz: [case(x(4)), case(x(3), x(4))], linalg.block_diag: [case(x(2, 3), x(1, 2), x(3))],
    # linear algebra
    np.linalg.cholesky: [case(spd(3)), case(spd(2, 4)), case(spd(3, dtype=complex))],
    np.linalg.eigh: [case(spd(3)), case(spd(3), "U"), case(spd(2, 4)), case(spd(3), outputs=(0,)),
                     case(spd(3), outputs=(1,)),
                     case(spd(3, dtype=complex), outputs=(0,)), case(spd(3, dtype=complex), "U", outputs=(0,))],
    np.linalg.eigvalsh: [case(spd(3)), case(spd(3), UPLO="U"), case(spd(2, 4)), case(spd(3, dtype=complex))],
    np.linalg.svd: [case(x(3, 2), False), case(x(2, 3), full_matrices=False), case(x(2, 3, 3)),
                    case(x(3, 2), True, False), case(x(4, 2), outputs=(1,)), case(c(3, 2), False, outputs=(1,)),
                    case(c(3, 2), compute_uv=False)],
    np.linalg.qr: [case(x(3, 3)), case(x(4, 2)), case(x(2, 3, 2)), case(x(3, 2), outputs=(1,))],
    np.linalg.pinv: [case(x(3, 2)), case(x(2, 3)), case(spd(2)), case(x(2, 3, 2)), case(c(3, 2))],
    np.linalg.lstsq: [case(x(4, 2), x(4), outputs=(0,)), case(x(4, 2), x(4, 3), None, outputs=(0, 1)),
                      case(x(4, 2), x(4), outputs=(1,))],
    # shaping
    np.transpose: [case(x(2, 3)), case(x(2, 3, 4), (2, 0, 1)), case(x(2, 3, 4), axes=[-1, 0, 1]), case(x(3)),
                   case(x())],
    np.permute_dims: [case(x(2, 3, 4), (2, 0, 1))],
    np.matrix_transpose: [case(x(4, 2, 3))], np.linalg.matrix_transpose: [case(x(4, 2, 3))],
    np.swapaxes: [case(x(2, 3, 4), 0, -1)],
    np.moveaxis: [case(x(2, 3, 4), 0, -1), case(x(2, 3, 4), (0, 1), (-1, 0))],
    np.lib.stride_tricks.sliding_window_view: [case(x(5), 2), case(x(3, 4), (2, 3)), case(x(3, 4), 2, axis=-1)],
    reshaped: [case(x(2, 3), (3, 2)), case(x(2, 3), -1)],
    np.reshape: [case(x(2, 3), (3, 2)), case(x(2, 3), -1), case(x(2, 3), (3, 2), "F"), case(0.5, (1, 1)),
                 case(x(0, 3), (3, 0))],
    np.ravel: [case(x(2, 3)), case(x(2, 3), "F"), case(0.5)],
    np.ndarray.flatten: [case(x(2, 3)), case(x(2, 3), "F")],
    np.squeeze: [case(x(1, 3, 1)), case(x(1, 3, 1), -1), case(x(1))],
    np.expand_dims: [case(x(2, 3), 0), case(x(2, 3), (0, -1)), case(0.5, 0)],
    np.atleast_1d: [case(0.5), case(x(2))], np.atleast_2d: [case(x(3)), case(0.5)], np.atleast_3d: [case(x(3)),
                    case(x(2, 3))],
    np.broadcast_to: [case(x(3), (2, 3)), case(x(2, 1), (4, 2, 3)), case(0.5, (2,)), case(x(1), (0,))],
    np.flip: [case(x(2, 3)), case(x(2, 3), 0), case(x(2, 3), axis=(0, -1))],
    np.fliplr: [case(x(2, 3))], np.flipud: [case(x(2, 3))],
    np.roll: [case(x(5), 2), case(x(2, 3), 1), case(x(2, 3), -1, axis=1), case(x(2, 3), (1, 2), axis=(0, 1))],
    np.rot90: [case(x(2, 3)), case(x(2, 3), 3), case(x(2, 3, 4), k=-1, axes=(1, 2))],
    np.tile: [case(x(3), 2), case(x(2, 3), (2, 1)), case(x(3), (2, 2)), case(x(2, 3), 2), case(0.5, 3),
              case(x(2), (0,))],
    np.repeat: [case(x(3), 2), case(x(2, 3), 2, axis=1), case(x(2, 3), [1, 0, 2], axis=-1), case(x(2, 3), 2),
                case(0.5, 3)],
    np.pad: [case(x(3), 1), case(x(2, 3), ((1, 0), (2, 1))), case(x(2, 3), (1, 2), mode="edge"),
             case(x(4), 2, "reflect"), case(x(3), (2, 1), "wrap"),
             case(x(2, 3), 1, "symmetric"), case(x(3), 1, constant_values=2)],
    np.tril: [case(x(3, 3)), case(x(2, 3), -1), case(x(4, 2, 3), k=1), case(x(3))], np.triu: [case(x(3, 3)),
              case(x(2, 3), 1), case(x(3))],
    # joining
    np.concatenate: [case([x(2), x(3)]), case((x(2, 3), x(2, 1)), axis=1), case([x(2, 3), x(2, 1)], -1),
                     case([x(2, 2), x(3)], axis=None),
                     case([x(0), x(2)]), case([x(2), c(2)])],
    np.stack: [case([x(2), x(2)]), case([x(2, 3), x(2, 3)], axis=-1), case((x(2), x(2)), 1), case([0.5, 1.5])],
    np.vstack: [case([x(3), x(2, 3)]), case([x(2), x(2)]), case((0.5, 1.5))],
    np.hstack: [case([x(3), x(2)]), case([x(2, 3), x(2, 1)]), case((0.5, 1.5))],
    np.column_stack: [case([x(3), x(3, 2)]), case([x(2), x(2)])],
    np.dstack: [case([x(3), x(3)]), case([x(2, 3), x(2, 3)]), case([x(2, 3, 1), x(2, 3, 2)])],
    np.append: [case(x(2), x(3)), case(x(2), 0.5), case(x(2, 3), x(1, 3), axis=0)],
    np.split: [case(x(6), 3), case(x(4, 2), [1, 3]), case(x(2, 4), 2, axis=1, outputs=(1,))],
    np.array_split: [case(x(7), 3)], np.vsplit: [case(x(4, 2), 2)],
    np.array: [case([0.5, 1.5]), case([[0.5, 1.5], (2.5, 3.5)]), case([x(2), x(2)]), case(x(2, 3)), case(0.5),
               case([[x(2)], [x(2)]]), case([1, 0.5])],
    np.asarray: [case([0.5, 1.5]), case(x(2, 3)), case(0.5)], np.asanyarray: [case(x(2, 3))],
    np.ascontiguousarray: [case(x(2, 3)), case(0.5)], np.asfortranarray: [case(x(2, 3))],
    np.copy: [case(x(2, 3)), case(0.5), case([0.5, 1.5])],
    np.full: [case((2, 3), 0.5), case((2, 3), x(3)), case(2, 0.5)], np.full_like: [case(x(2, 3), 0.5),
              case(x(2, 3), x(2, 1))],
    np.linspace: [case(0.5, 2.0, 5), case(0.5, x(3), 4), case(x(2), x(2), num=3, axis=-1),
                  case(0.0, 1.0, 4, endpoint=False), case(0.5, 1.5, 1)],
    # indexing
    operator.getitem: [case(x(3), 1), case(x(2, 3), (slice(None), 1)), case(x(4), slice(None, None, -2)),
                       case(x(4), np.array([1, 1, 3])),
                       case(x(2, 3), ([0, 0, 1], [2, 2, 0])), case(x(2, 3), x(2, 3) > 0),
                       case(x(2, 3), (None, Ellipsis, -1)), case(x(3), [0, 0]),
                       case(x(2, 3), (np.array([0, 0]), slice(1, None))), case(x(3), slice(2, 2))],
    np.take: [case(x(4), [1, 1, -1]), case(x(2, 3), [0, 2, 2], axis=1), case(x(2, 3), 4),
              case(x(2, 3), [[0], [0]], axis=-1), case(x(3), 1)],
    np.take_along_axis: [case(x(2, 3), np.array([[0, 0], [2, 1]]), 1),
                         case(x(2, 3), np.array([[1, 1, 0]]), axis=0), case(x(2, 3), np.array([1, 1, 5]), axis=None),
                         case(x(1, 3), np.array([[0, 0], [2, 1]]), axis=-1)],
    np.compress: [case([True, False, True], x(3)), case([True, False], x(2, 3), axis=0)],
    np.sort: [case(x(5)), case(x(2, 3)), case(x(2, 3), axis=0), case(x(2, 3), axis=None)],
    np.diagonal: [case(x(3, 3)), case(x(2, 3), 1), case(x(3, 2), -1), case(x(2, 3, 4), axis1=-1, axis2=0)],
    np.diag: [case(x(3)), case(x(3), 1), case(x(3), -1), case(x(3, 3)), case(x(2, 3), 1), case(x(3, 2), k=-1)],
    np.trace: [case(x(3, 3)), case(x(2, 3), 1), case(x(3, 2), offset=-1), case(x(2, 3, 4), 0, 2, 0),
               case(x(2, 2), 5)],
    np.bincount: [case(np.array([0, 2, 2]), x(3)), case(np.array([0, 2, 2]), weights=x(3), minlength=5)],
    np.interp: [case(np.array([0.1, 0.5, 1.7, -1.0, 4.0]), np.array([0.0, 1.0, 3.0]), x(3)),
                case(0.5, np.array([0.0, 1.0, 3.0]), x(3))],
    # casts
    float: [case(0.5), case(np.float64(0.5))], np.float64: [case(x(2)), case(0.5)], np.longdouble: [case(0.5)],
    np.float32: [], np.float16: [],         # too coarse for differences; see test_casts
    np.complex128: [case(0.5, 1.5), case(c(3)), case(0.5)], np.complex64: [], np.clongdouble: [case(0.5)],
    np.ndarray.astype: [case(x(2), np.float64), case(c(2), complex), case(x(2), complex)],
    **({np.astype: [case(x(2), np.float64)]} if hasattr(np, "astype") else {}),
    np.ndarray.item: [case(x(1)), case(x(1, 1))], np.ndarray.tolist: [case(x(2, 3)), case(x(2, 3), outputs=(1,))],
    np.real: [case(c(3)), case(x(3)), case(0.5)], np.imag: [case(c(3)), case(x(3))],
    np.conjugate: [case(c(3)), case(x(3)), case(0.5)], np.angle: [case(c(2, 3)), case(c(3), deg=True), case(x(3))],
    # Python
    builtins.max: [case(0.5, 1.5), case(0.5, 1.5, -1.0), case([0.5, 1.5, 0.7]), case((0.5,))],
    builtins.min: [case(0.5, 1.5), case([0.5, 1.5, 0.7])],
    builtins.sum: [case([0.5, 1.5]), case([x(2), x(2)], x(2)), case([x(2), 0.5], 1.0), case([])],
    math.log: [case(2.5, 3.0)],
}
