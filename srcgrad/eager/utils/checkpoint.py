"""Parts of a forward pass that are computed again for the backward pass, in place of being kept."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.eager.autograd.graph import saved_tensors_hooks
from srcgrad.eager.drawing import default_generator
from srcgrad.eager.tensor import Tensor
from srcgrad.runtime.modes import enable_grad, mode

__all__ = ["checkpoint", "checkpoint_sequential"]


class _Again:
    """Stands for the tensors that a call saves: their numbers are kept, and a second call makes them when needed."""

    def __init__(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], state: Any) -> None:
        self.call, self.args, self.kwargs, self.state = call, args, kwargs, state
        self.count = 0
        self.made: dict[int, Tensor] = {}

    def pack(self, _: Tensor) -> int:
        """The number of a tensor that is saved."""
        self.count += 1
        return self.count - 1

    def unpack(self, number: int) -> Tensor:
        """The tensor of that number."""
        if number not in self.made:
            self._run()
        return self.made.pop(number)

    def _run(self) -> None:
        generator = default_generator()
        now = generator.get_state()
        if self.state is not None:
            generator.set_state(self.state)
        made: list[Tensor] = []
        with enable_grad(), saved_tensors_hooks(lambda t: made.append(t), lambda _: made[0]):
            self.call(*map(_apart, self.args), **{name: _apart(x) for name, x in self.kwargs.items()})
        generator.set_state(now)
        if len(made) != self.count:
            raise RuntimeError("torch.utils.checkpoint: A different number of tensors was saved during the original "
                               "forward and recomputation.")
        self.made = dict(enumerate(made))


def _apart(x: Any) -> Any:
    return x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) and x._a.dtype.kind in "fc" else x


def checkpoint(function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None,
               preserve_rng_state: bool = True, **kwargs: Any) -> Any:
    """What the function gives; its intermediate values are computed again when gradients are."""
    if not mode.grad:
        return function(*args, **kwargs)
    again = _Again(function, args, kwargs, default_generator().get_state() if preserve_rng_state else None)
    with saved_tensors_hooks(again.pack, again.unpack):
        return function(*args, **kwargs)


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None,
                          **kwargs: Any) -> Any:
    """The functions one after the other, in so many parts of which each is a checkpoint, but the last."""
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(steps) // segments
    cuts = [k * size for k in range(segments)] + [len(steps)]

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def called(x: Any) -> Any:
            for step in steps[start:end]:
                x = step(x)
            return x
        return called
    for start, end in zip(cuts[:-2], cuts[1:-1]):
        input = checkpoint(part(start, end), input, **kwargs)
    return part(cuts[-2], cuts[-1])(input)
