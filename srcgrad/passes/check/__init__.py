"""Checked mode: asserts what was inferred, while the generated function runs.

Every statement of the forward part is followed by calls that look at what it made: kinds, lengths, views, separate
storages, arrays that nobody writes.  What an adjoint reads is remembered where its statement runs, and compared where
the adjoint starts, whether it was saved or taken to be still there::

        t1 = x * w                              t1 = x * w
        ...                             ->      check_kind("line 2, `t1`", t1, ("array", "float64", (n,)))
                                                remember(seen, 1, {"x": x})
        x_bar = t1_bar * w                      check_held(seen, 1, "line 2", {"x": x})
                                                x_bar = t1_bar * w

The calls are put in when everything has been decided but nothing optimised.
"""
from srcgrad.passes.check.checker import Checker

__all__ = ["Checker"]
