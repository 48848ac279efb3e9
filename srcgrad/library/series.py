"""What the functions of `numpy.polynomial` share."""
from __future__ import annotations

import numpy as np
from numpy.polynomial import polyutils

from srcgrad.library.registry import equivalent


@equivalent(polyutils.as_series)
def as_series(alist, trim=True):
    arrays = [np.atleast_1d(np.asarray(a)) for a in alist]
    return [polyutils.trimseq(a) * 1.0 for a in arrays] if trim else [a * 1.0 for a in arrays]
