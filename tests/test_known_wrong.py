"""Programs that are known to be wrong: each is a strict xfail until it is right, or refused."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_program


def number_or_list(x):
    a, b = x[0], [x[1], x[2]]
    for _ in range(3):
        if isinstance(a, list):
            a[0] = a[0] * 2
            s = a[0] + a[1]
        else:
            s = a * 1.5
        a, b = b, a
    return s + (b if not isinstance(b, list) else b[0])


@pytest.mark.xfail(strict=True, reason="a name that is a number or a list that is changed, and is swapped")
def test_a_name_that_is_a_number_or_a_changing_list():
    check_program(number_or_list, (np.array([0.4, -1.3, 0.8]),), (0,))
