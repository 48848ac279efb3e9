"""scipy.sparse: products with matrices that aren't differentiated."""
from __future__ import annotations

from scipy import sparse

from srcgrad.library.registry import equivalent_method
from srcgrad.runtime.sparse import product, product_from_left

# of arrays and matrices alike
BASE = next(cls for cls in sparse.csr_array.__mro__[::-1] if "__matmul__" in vars(cls))


@equivalent_method(BASE, "__matmul__")
@equivalent_method(BASE, "dot")
@equivalent_method(sparse.spmatrix, "__mul__")
def times(self, other):
    return product(self, other)


@equivalent_method(BASE, "__rmatmul__")
@equivalent_method(sparse.spmatrix, "__rmul__")
def from_left(self, other):
    return product_from_left(other, self)
