"""Whether gradients are recorded: a mode of each thread, set by context managers that are decorators too."""
from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any, TypeVar

__all__ = ["enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "mode", "no_grad",
           "set_grad_enabled"]

F = TypeVar("F", bound=Callable[..., Any])


class Mode(threading.local):
    """What holds in the running thread; a new thread starts with these."""
    grad: bool = True
    inference: bool = False


mode = Mode()


def is_grad_enabled() -> bool:
    """Whether operations of this thread are recorded.

    >>> with no_grad():
    ...     is_grad_enabled()
    False
    """
    return mode.grad


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside of `inference_mode`."""
    return mode.inference


class _Setting:
    """A context manager, and a decorator for functions and generators, that leaves things as they were before."""
    _cuts = False       # whether what is computed inside is a constant

    def _again(self) -> _Setting:
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exception: object) -> None:
        raise NotImplementedError

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function):
            return self._decorate_generator(function)

        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)
        decorated.__no_gradient__ = self._cuts              # type: ignore[attr-defined]
        return decorated        # type: ignore[return-value]

    def _decorate_generator(self, function: Any) -> Any:
        """The mode holds only while the generator's own body runs."""
        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            with self._again():
                running = function(*args, **kwargs)
                step = functools.partial(next, running)
            try:
                while True:
                    try:
                        with self._again():
                            item = step()
                    except StopIteration as stop:
                        return stop.value
                    step = _next_step(running, (yield item))
            finally:
                with self._again():
                    running.close()
        return decorated


def _next_step(running: Any, sent: Any) -> Any:
    return functools.partial(running.send, sent)


class _Grad(_Setting):
    """Turns recording on or off."""
    _on = True

    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: Any = None) -> None:
        self.previous = mode.grad

    def __enter__(self) -> None:
        self.previous = mode.grad
        mode.grad = self._on and not mode.inference

    def __exit__(self, *exception: object) -> None:
        mode.grad = self.previous


class no_grad(_Grad):
    """Inside, nothing is recorded for gradients.  Also a decorator, with and without brackets.

    >>> with no_grad():
    ...     is_grad_enabled()
    False
    """
    _on = False
    _cuts = True


class enable_grad(_Grad):
    """Inside, operations are recorded, also within `no_grad`."""
    _on = True


class set_grad_enabled(_Setting):
    """Turns recording on or off at once; as a context manager until the block ends.

    >>> with set_grad_enabled(False):
    ...     is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError("set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                            f"{type(mode).__name__}")
        self.previous = _mode().grad
        self.mode = mode
        self._cuts = not self.mode
        _mode().grad = self.mode

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def _again(self) -> set_grad_enabled:
        return type(self)(self.mode)

    def __call__(self, function: F) -> F:
        _mode().grad = self.previous
        return super().__call__(function)

    def __enter__(self) -> None:
        _mode().grad = self.mode

    def __exit__(self, *exception: object) -> None:
        _mode().grad = self.previous


class inference_mode(_Setting):
    """As `no_grad`; results can't be recorded later either."""

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: Any = True) -> None:
        self.on = self._cuts = mode is not False
        self.previous = (_mode().grad, _mode().inference)

    def _again(self) -> inference_mode:
        again: inference_mode = type(self)(self.on)
        return again

    def __enter__(self) -> None:
        self.previous = (_mode().grad, _mode().inference)
        _mode().grad, _mode().inference = not self.on, self.on

    def __exit__(self, *exception: object) -> None:
        _mode().grad, _mode().inference = self.previous


def _mode() -> Mode:
    return mode
