"""Reports of gradients that are not numbers, with where the operation was carried out."""
from __future__ import annotations

import warnings

from srcgrad.eager.graph import ANOMALY, WATCHERS, trace

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:
    """Turns the reports on or off at once; as a context manager until the block ends."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.previous = list(ANOMALY)
        _set(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _put(self.previous)


class detect_anomaly:
    """Inside, operations remember where they were carried out, and a gradient with NaN is an error that says so."""

    def __init__(self, check_nan: bool = True) -> None:
        self.previous = list(ANOMALY)
        self.check_nan = check_nan
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
                      "enabled for debugging.", UserWarning, stacklevel=2)

    def __enter__(self) -> None:
        self.previous = list(ANOMALY)
        _set(True, self.check_nan)

    def __exit__(self, *exception: object) -> None:
        _put(self.previous)


def is_anomaly_enabled() -> bool:
    """Whether the reports are on."""
    return bool(ANOMALY)


def is_anomaly_check_nan_enabled() -> bool:
    """Whether a gradient with NaN is an error."""
    return bool(ANOMALY and ANOMALY[0])


def _set(on: bool, check_nan: bool) -> None:
    _put([check_nan] if on else [])


def _put(state: list[bool]) -> None:
    """Makes this the state, in which nodes remember where they were made while there is one."""
    ANOMALY[:] = state
    WATCHERS[:] = [w for w in WATCHERS if w is not trace] + [trace] * bool(state)
