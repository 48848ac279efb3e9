"""Products of vectors and matrices, linear systems, factorisations."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.axes import axis
from srcgrad.eager.dtypes import as_dtype
from srcgrad.eager.extrema import result_of
from srcgrad.eager.op import Op, operation, record, record_many
from srcgrad.eager.pointwise import unsupported
from srcgrad.eager.protocols import TORCH, bind
from srcgrad.eager.quiet import quiet
from srcgrad.eager.table import function, plain
from srcgrad.eager.tensor import Tensor, method, wrap
from srcgrad.runtime.arrays import unbroadcast
from srcgrad.runtime.products import matmul_x1, matmul_x2

_dot, _mv, _mm, _bmm = (Op(f"{n}Backward0", np.matmul) for n in ("Dot", "Mv", "Mm", "Bmm"))
_many, _vector_matrix = Op("UnsafeViewBackward0", np.matmul), Op("SqueezeBackward4", np.matmul)
_by_ranks = {(1, 1): _dot, (2, 1): _mv, (2, 2): _mm, (1, 2): _vector_matrix}


def _same_type(x: Tensor, y: Tensor) -> None:
    if x._a.dtype != y._a.dtype:
        if x._a.ndim == y._a.ndim == 1:
            raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                               f"{x.dtype.legacy} and {y.dtype.legacy}")
        names = [as_dtype(t._a.dtype).legacy.lower().replace("long", "long int") for t in (x, y)]
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}")


def _product(x: Tensor, y: Tensor, op: Op | None = None) -> Tensor:
    _same_type(x, y)
    a, b = x._a, y._a
    if a.dtype.kind == "b":
        raise unsupported("dot" if a.ndim == b.ndim == 1 else "addmm_impl_cpu_", a.dtype)
    if not a.ndim or not b.ndim:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")
    try:
        with quiet:
            out = a @ b
    except ValueError:
        raise _mismatch(a, b) from None
    return record(op or _by_ranks.get((a.ndim, b.ndim), _many), out, (x, y))


def _mismatch(a: np.ndarray, b: np.ndarray) -> RuntimeError:
    def size(shape: tuple[int, ...]) -> str:
        return "x".join(map(str, shape))
    if a.ndim == 1 and b.ndim == 1:
        return RuntimeError(f"inconsistent tensor size, expected tensor [{len(a)}] and src [{len(b)}] to have the same "
                            f"number of elements, but got {len(a)} and {len(b)} elements respectively")
    if b.ndim == 1:
        return RuntimeError(f"size mismatch, got input ({a.shape[0]}), mat ({size(a.shape)}), vec ({len(b)})")
    left = (1, *a.shape) if a.ndim == 1 else a.shape
    if len(left) == 2 and b.ndim == 2:
        return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({size(left)} and {size(b.shape)})")
    if left[-1] != b.shape[-2]:
        if b.ndim == 2:
            rows = int(np.prod(left[:-1]))
            return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{left[-1]} and {size(b.shape)})")
        return RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{b.shape[0]}, "
                            f"{left[-1]}] but got: [{b.shape[0]}, {b.shape[-2]}].")
    from srcgrad.eager.pointwise import shape_error
    return shape_error(left[:-2], b.shape[:-2])


@function
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of vectors, matrices, or stacks of matrices."""
    return _product(input, other)


@method("__matmul__")
def _matmul(self: Tensor, other: Any) -> Any:
    if isinstance(other, np.ndarray):
        other = wrap(other)
    return _product(self, other) if isinstance(other, Tensor) else NotImplemented


@method("__rmatmul__")
def _rmatmul(self: Tensor, other: Any) -> Any:
    return _product(wrap(np.asarray(other)), self)


def _of_ranks(name: str, ranks: tuple[int, int], op: Op, what: str, second: str = "other") -> Any:
    def product(input: Tensor, *others: Tensor, **words: Tensor) -> Tensor:
        other, = others or (words[second],)
        if (input._a.ndim, other._a.ndim) != ranks:
            if name == "mm":
                _check_matrices((input._a.ndim, other._a.ndim))
            raise RuntimeError(what.format(input._a.ndim, other._a.ndim))
        return _product(input, other, op)
    return function(product, name)


def _check_matrices(ranks: tuple[int, int]) -> None:
    for rank, which in zip(ranks, ("self", "mat2")):
        if rank != 2:
            raise RuntimeError(f"{which} must be a matrix")


mm = _of_ranks("mm", (2, 2), _mm, "self must be a matrix", "mat2")
mv = _of_ranks("mv", (2, 1), _mv, "vector + matrix @ vector expected, got 1, {0}, {1}", "vec")
bmm = _of_ranks("bmm", (3, 3), _bmm, "batch1 must be a 3D tensor", "mat2")
dot = _of_ranks("dot", (1, 1), _dot, "1D tensors expected, but got {0}D and {1}D tensors", "tensor")
inner_of_vectors = _of_ranks("vdot", (1, 1), _dot, "1D tensors expected, but got {0}D and {1}D tensors")


@function
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The product over the last dimension of both."""
    return record(_inner, np.inner(input._a, other._a), (input, other))


_inner = Op("InnerBackward0", np.inner)


@function
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of two vectors' elements."""
    if input._a.ndim != 1 or vec2._a.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {input._a.ndim}-D")
    return input.unsqueeze(1) * vec2


function(outer, "ger")


@function
def addmm(input: Any, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * mat1 @ mat2"""
    if beta == 1 and alpha == 1 and isinstance(input, Tensor):
        return _affine(_addmm, input, mat1, mat2)
    return beta * input + alpha * matmul(mat1, mat2)


@operation("AddmmBackward0")
def _addmm(out_bar: Any, out: Any, bias: Any, x1: Any, x2: Any) -> Any:
    bias_bar = unbroadcast(out_bar, np.shape(bias))
    x1_bar = matmul_x1(out_bar, x2, np.shape(x1))
    x2_bar = matmul_x2(out_bar, x1, np.shape(x2))
    return bias_bar, x1_bar, x2_bar


def _affine(op: Op, bias: Tensor, x: Tensor, y: Tensor) -> Tensor:
    _same_type(x, y)
    try:
        with quiet:
            out = x._a @ y._a
    except ValueError:
        raise _mismatch(x._a, y._a) from None
    return record(op, out + bias._a, (bias, x, y))


@function
def addmv(input: Any, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * mat @ vec"""
    return beta * input + alpha * matmul(mat, vec)


@function
def baddbmm(input: Any, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * batch1 @ batch2"""
    return beta * input + alpha * matmul(batch1, batch2)


@plain
def einsum(equation: str, *operands: Any) -> Tensor:
    """A sum of products by subscripts."""
    found = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else list(operands)
    try:
        out = np.einsum(equation.replace(" ", ""), *(t._a for t in found))
    except ValueError as error:
        raise RuntimeError(f"einsum(): {error}") from None
    return record(_einsum, np.array(out), (equation.replace(" ", ""), tuple(found), False))


_einsum = Op("ViewBackward0", np.einsum)


@plain
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The product over several dimensions."""
    over: Any = tuple(tuple(d) for d in dims) if isinstance(dims, (tuple, list)) else dims
    return record(_tensordot, np.tensordot(a._a, b._a, over), (a, b, over))


_tensordot = Op("ViewBackward0", np.tensordot)


@function
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product."""
    return record(_kron, np.kron(input._a, other._a), (input, other))


_kron = Op("ViewBackward0", np.kron)


@function
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product along a dimension of 3."""
    d = dim if dim is not None else next((i for i, n in enumerate(input._a.shape) if n == 3), -1)
    sizes = [t._a.shape[axis(d, t._a.ndim)] if t._a.ndim else 1 for t in (input, other)]
    if sizes != [3, 3]:
        raise RuntimeError(f"linalg.cross: inputs dimension {d} must have length 3. Got {sizes[0]} and {sizes[1]}")
    x, y = input.movedim(d, -1), other.movedim(d, -1)
    return record(_cross, np.cross(x._a, y._a), (x, y, -1, -1, -1, None)).movedim(-1, d)


_cross = Op("LinalgCrossBackward0", np.cross)


# ---------------------------------------------------------------- torch.linalg

_solve, _inv, _det, _cholesky, _power = (
    Op("LinalgSolveExBackward0", np.linalg.solve), Op("LinalgInvExBackward0", np.linalg.inv),
    Op("LinalgDetBackward0", np.linalg.det), Op("LinalgCholeskyExBackward0", np.linalg.cholesky),
    Op("MatrixPowerBackward0", np.linalg.matrix_power))
_slogdet, _eigh, _eigvalsh = (Op("LinalgSlogdetBackward0", np.linalg.slogdet),
                              Op("LinalgEighBackward0", np.linalg.eigh),
                              Op("LinalgEighBackward0", np.linalg.eigvalsh))
_svd, _qr, _pinv = (Op("LinalgSvdBackward0", np.linalg.svd), Op("LinalgQrBackward0", np.linalg.qr),
                    Op("LinalgPinvBackward0", np.linalg.pinv))
_SLOGDET, _EIGH = (result_of("linalg_slogdet", "sign", "logabsdet"),
                   result_of("linalg_eigh", "eigenvalues", "eigenvectors"))
_SVD, _QR = result_of("linalg_svd", "U", "S", "Vh"), result_of("linalg_qr", "Q", "R")
LINALG: dict[str, Any] = {}


def _linalg(f: Any) -> Any:
    LINALG[f.__name__.strip("_")] = f
    return f


class LinAlgError(RuntimeError):
    """A matrix for which there is no such result."""


def _factored(f: Any, *args: Any) -> Any:
    name, a = f"linalg.{f.__name__}", args[0]
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if a.shape[-1] != a.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {a.shape[-2]} by "
                           f"{a.shape[-1]} matrices")
    try:
        return f(*args)
    except np.linalg.LinAlgError:
        raise LinAlgError(f"{name}: {_FAILURES.get(f.__name__, 'The algorithm failed.')}") from None


_FAILURES = {
    "inv": "The inversion could not be completed because the input matrix is singular.",
    "solve": "The solver failed because the input matrix is singular.",
    "cholesky": "The factorization could not be completed because the input is not positive-definite."}


@_linalg
def solve(A: Tensor, B: Tensor) -> Tensor:
    """The solution of A x = B."""
    return record(_solve, _factored(np.linalg.solve, A._a, B._a), (A, B))


@_linalg
def inv(A: Tensor) -> Tensor:
    """The inverse."""
    return record(_inv, _factored(np.linalg.inv, A._a), (A,))


@_linalg
def det(A: Tensor) -> Tensor:
    """The determinant."""
    return record(_det, np.linalg.det(A._a), (A,))


@_linalg
def slogdet(A: Tensor) -> tuple[Tensor, ...]:
    """The determinant's sign and logarithm."""
    return _SLOGDET(*record_many(_slogdet, tuple(np.linalg.slogdet(A._a)), (A,)))


@_linalg
def cholesky(A: Tensor) -> Tensor:
    """The lower factor L of A = L L^H."""
    return record(_cholesky, _factored(np.linalg.cholesky, A._a), (A, False))


@_linalg
def eigh(A: Tensor, UPLO: Any = "L") -> tuple[Tensor, ...]:
    """Eigenvalues and eigenvectors of a Hermitian matrix."""
    return _EIGH(*record_many(_eigh, tuple(np.linalg.eigh(A._a, UPLO)), (A, UPLO)))


@_linalg
def eigvalsh(A: Tensor, UPLO: Any = "L") -> Tensor:
    """Eigenvalues of a Hermitian matrix."""
    return record(_eigvalsh, np.linalg.eigvalsh(A._a, UPLO), (A, UPLO))


@_linalg
def svd(A: Tensor, full_matrices: bool = True) -> tuple[Tensor, ...]:
    """Singular values with the vectors of both sides."""
    found = tuple(np.linalg.svd(A._a, full_matrices))
    return _SVD(*record_many(_svd, found, bind(_svd.rule, (A, full_matrices), {})))


@_linalg
def svdvals(A: Tensor) -> Tensor:
    """Singular values."""
    values: Tensor = svd(A, False)[1]
    return values


@_linalg
def qr(A: Tensor, mode: Any = "reduced") -> tuple[Tensor, ...]:
    """The factors of A = Q R, Q with orthonormal columns and R upper triangular."""
    return _QR(*record_many(_qr, tuple(np.linalg.qr(A._a, mode)), bind(_qr.rule, (A, mode), {})))


@_linalg
def pinv(A: Tensor) -> Tensor:
    """The pseudo-inverse."""
    return record(_pinv, np.linalg.pinv(A._a), bind(_pinv.rule, (A,), {}))


@_linalg
def matrix_rank(A: Tensor) -> Tensor:
    """The number of singular values that count."""
    return wrap(np.asarray(np.linalg.matrix_rank(A._a), np.int64))


@_linalg
def cond(A: Tensor, p: Any = None) -> Tensor:
    """The ratio of the largest to the smallest singular value, or of norms."""
    if p is not None:
        return norm(A, p) * norm(inv(A), p)
    values = svdvals(A)
    return values[..., 0] / values[..., -1]


@_linalg
def matrix_power(A: Tensor, n: int) -> Tensor:
    """A matrix times itself, n times."""
    return record(_power, np.linalg.matrix_power(A._a, n), (A, n))


@_linalg
def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The norm of vectors."""
    return x.norm(ord, dim, keepdim)


@_linalg
def norm(x: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The norm of vectors, or of a matrix where an order is given for two dimensions."""
    if ord is not None and (x._a.ndim == 2 if dim is None else isinstance(dim, (tuple, list)) and len(dim) == 2):
        over = (0, 1) if dim is None else tuple(dim)
        return record(_matrix_norm, np.linalg.norm(x._a, ord, over, keepdim), (x, ord, over, keepdim))
    return x.norm(2 if ord is None else ord, dim, keepdim)


_matrix_norm = Op("LinalgMatrixNormBackward0", np.linalg.norm)
for _name in ("det", "slogdet", "matrix_power"):
    function(LINALG[_name], _name)
function(inv, "inverse")
function(lambda A: det(A).log(), "logdet")
function(cholesky, "cholesky")
LINALG["cross"] = lambda input, other, dim=-1: cross(input, other, dim)
LINALG["matmul"] = matmul


def _tensor(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else wrap(np.asarray(x))


def _numpy_dot(a: Any, b: Any) -> Any:
    x, y = _tensor(a), _tensor(b)
    if x._a.ndim and y._a.ndim and y._a.ndim <= 2:
        return matmul(x, y)
    if not x._a.ndim or not y._a.ndim:
        return x * y
    return record(_numpy_dot_op, np.dot(x._a, y._a), (x, y))


_numpy_dot_op = Op("DotBackward0", np.dot)
TORCH[np.dot] = _numpy_dot
TORCH[np.matmul] = lambda x1, x2: _product(_tensor(x1), _tensor(x2))

__all__ = ["LINALG", "einsum", "matmul"]
