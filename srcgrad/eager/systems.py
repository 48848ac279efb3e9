"""More of linear algebra: norms, chains, least squares, triangular systems, exponentials; compositions mostly."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import linalg
from srcgrad.eager.compositions import chain_matmul
from srcgrad.eager.extrema import result_of
from srcgrad.eager.table import function
from srcgrad.eager.tensor import Tensor, wrap

__all__: list[str] = []

_LSTSQ, _EIG = result_of("linalg_lstsq", "solution", "residuals", "rank", "singular_values"), result_of(
    "linalg_eig", "eigenvalues", "eigenvectors")


def _linalg(f: Any) -> Any:
    """Puts the function among those of `torch.linalg`."""
    linalg.LINALG[f.__name__] = f
    setattr(linalg, f.__name__, f)
    return f


@_linalg
def matrix_norm(A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """The norm of matrices."""
    return A.norm(2, dim, keepdim) if ord == "fro" else linalg.norm(A, ord, dim, keepdim)


@_linalg
def multi_dot(tensors: Any) -> Any:
    """The product of several matrices, the first and the last of which may be vectors."""
    found = list(tensors)
    if len(found) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(found)}")
    first, last = found[0].dim() == 1, found[-1].dim() == 1
    if first:
        found[0] = found[0].unsqueeze(0)
    if last:
        found[-1] = found[-1].unsqueeze(1)
    out = chain_matmul(*found)
    out = out.squeeze(-1) if last else out
    return out.squeeze(0) if first else out


@_linalg
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """The products of vectors along a dimension."""
    return (x.conj() * y).sum(dim)


function(vecdot, "vecdot", methods=False)


@_linalg
def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonals of matrices."""
    return A.diagonal(offset, dim1, dim2)


@_linalg
def solve_triangular(A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """The solution of a system whose matrix is triangular; what lies on the other side isn't read."""
    used = A.triu() if upper else A.tril()
    if unitriangular:
        one = wrap(np.eye(A.shape[-1], dtype=A._a.dtype))
        used = (A.triu(1) if upper else A.tril(-1)) + one
    if left:
        return linalg.solve(used, B)
    return linalg.solve(used.transpose(-2, -1), B.transpose(-2, -1)).transpose(-2, -1)


@_linalg
def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The solution of least squares."""
    solution = linalg.pinv(A) @ B
    m, n = A.shape[-2:]
    rank = linalg.matrix_rank(A)
    empty = wrap(np.zeros(0, A._a.dtype))
    residuals = ((A @ solution - B) ** 2).sum(-2) if m > n and int(rank.min()) == n else empty
    return _LSTSQ(solution, residuals, rank, empty)


@_linalg
def eig(A: Any) -> Any:
    """Eigenvalues and eigenvectors of any square matrix, as complex numbers; they have no derivative here."""
    _refuse("eig", A)
    values, vectors = np.linalg.eig(A._a)
    kind = np.result_type(A._a.dtype, np.complex64)
    return _EIG(wrap(values.astype(kind)), wrap(vectors.astype(kind)))


@_linalg
def eigvals(A: Any) -> Any:
    """Eigenvalues of any square matrix, as complex numbers; they have no derivative here."""
    _refuse("eigvals", A)
    return wrap(np.linalg.eigvals(A._a).astype(np.result_type(A._a.dtype, np.complex64)))


def _refuse(name: str, A: Tensor) -> None:
    if A.requires_grad:
        raise NotImplementedError(f"linalg.{name} has no derivative here: use linalg.eigh for a symmetric matrix, or "
                                  "detach() the matrix")


@_linalg
def matrix_exp(A: Any) -> Any:
    """The exponential of square matrices: halved until small, a series, and squared again."""
    size = float(np.max(np.sum(np.abs(A._a), axis=-1), initial=0.0))
    halvings = max(0, int(np.ceil(np.log2(size))) + 1) if size > 0.5 else 0
    small = A / 2.0 ** halvings
    one = wrap(np.broadcast_to(np.eye(A.shape[-1], dtype=A._a.dtype), A._a.shape))
    total = one + small
    term = small
    for k in range(2, 19):
        term = term @ small / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


function(matrix_exp, "matrix_exp")
function(linalg.pinv, "pinverse")


@function
def svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """Singular values with the vectors of both sides, those of the right as columns."""
    u, s, vh = linalg.svd(input, full_matrices=not some)
    return result_of("svd", "U", "S", "V")(u, s, vh.mH)


@function
def qr(input: Any, some: bool = True) -> Any:
    """The factors of A = Q R."""
    q, r = linalg.qr(input, "reduced" if some else "complete")
    return result_of("qr", "Q", "R")(q, r)


@function
def cholesky_solve(input: Any, L: Any, upper: bool = False) -> Any:
    """The solution of a system whose matrix has this Cholesky factor."""
    low = L.mH if upper else L
    return solve_triangular(low.mH, solve_triangular(low, input, upper=False), upper=True)


@function
def pdist(input: Any, p: float = 2.0) -> Any:
    """The distances of all pairs of rows."""
    i, j = np.triu_indices(input.shape[0], 1)
    return (input[wrap(i)] - input[wrap(j)]).norm(p, -1)


