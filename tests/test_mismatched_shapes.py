"""What fails in the function fails in the gradient, though what it would have computed isn't needed there."""
from __future__ import annotations

import numpy as np
import pytest

from srcgrad import grad

FAILING = [
    lambda x: np.sum(x @ np.ones(4)),
    lambda x: np.sum(x * np.ones(4)),
    lambda x: np.dot(np.ones(4), x),
    lambda x: np.inner(x, np.ones(4)),
    lambda x: np.vdot(np.ones(4), x),
    lambda x: np.sum(np.ones((4, 4)) @ x),
    lambda x: np.sum(np.concatenate([x, np.ones((4, 2))])),
    lambda x: np.sum(np.stack([x, np.ones(4)])),
    lambda x: np.sum(x.reshape(2, 2)),
    lambda x: x[5],
    lambda x: np.sum(np.broadcast_to(x, (4,))),
    lambda x: np.sum(np.where(np.ones(4) > 0, x, 1.0)),
    lambda x: np.sum(x, axis=1),
    lambda x: np.sum(np.split(x, 2)[0]),
    lambda x: np.einsum("i,i", x, np.ones(4)),
]


@pytest.mark.parametrize("f", FAILING)
def test_shapes_that_do_not_fit(f) -> None:
    x = np.ones(3)
    with pytest.raises((ValueError, IndexError)):
        f(x)
    with pytest.raises((ValueError, IndexError)):
        grad(f)(x)


def test_vectors_of_another_length_later() -> None:
    g = grad(lambda x, w: x @ w)
    np.testing.assert_array_equal(g(np.ones(3), np.full(3, 2.0)), np.full(3, 2.0))
    with pytest.raises(ValueError):
        g(np.ones(3), np.ones(4))
