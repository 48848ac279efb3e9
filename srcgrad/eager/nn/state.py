"""Saving what a module knows, and loading it again."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srcgrad.eager.nn.init import write
from srcgrad.eager.tensor import Tensor

if TYPE_CHECKING:
    from srcgrad.eager.nn.module import Module


@dataclass(frozen=True)
class LoadReport:
    """What didn't fit when a state was loaded."""
    missing_keys: list[str]
    unexpected_keys: list[str]

    def __iter__(self) -> Iterator[list[str]]:
        return iter((self.missing_keys, self.unexpected_keys))

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def state_of(module: Module, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """Path and tensor of each parameter and persistent buffer, module by module."""
    for name, param in module._parameters.items():
        if param is not None:
            yield prefix + name, param
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._transient:
            yield prefix + name, buffer
    for name, child in module._modules.items():
        if child is not None:
            yield from state_of(child, f"{prefix}{name}.")


def saved_state(module: Module, prefix: str, keep_vars: bool) -> OrderedDict[str, Tensor]:
    """The state as a dictionary; its tensors are detached unless `keep_vars`."""
    return OrderedDict((path, tensor if keep_vars else tensor.detach()) for path, tensor in state_of(module, prefix))


def load_into(module: Module, state: Mapping[str, Tensor], strict: bool) -> LoadReport:
    """Copies each tensor of the state to where its path leads; raises when that isn't possible."""
    if not isinstance(state, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    own = dict(state_of(module))
    report = LoadReport([path for path in own if path not in state], [path for path in state if path not in own])
    wrong = [problem for path in own if path in state for problem in _mismatch(path, own[path], state[path])]
    problems = [*_unmatched(report), *wrong] if strict else wrong
    for path in own.keys() & state.keys() if not problems else ():
        write(own[path], state[path]._a)
    if problems:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(problems))
    return report


def _mismatch(path: str, own: Tensor, new: Tensor) -> Iterator[str]:
    if not isinstance(new, Tensor):
        yield (f'While copying the parameter named "{path}", expected torch.Tensor or Tensor-like object from '
               f"checkpoint but received {type(new)}")
    elif tuple(own.shape) != tuple(new.shape):
        yield (f"size mismatch for {path}: copying a param with shape {new.shape} from checkpoint, "
               f"the shape in current model is {own.shape}.")


def _unmatched(report: LoadReport) -> Iterator[str]:
    for kind, keys in (("Unexpected", report.unexpected_keys), ("Missing", report.missing_keys)):
        if keys:
            names = ", ".join(f'"{key}"' for key in keys)
            yield f"{kind} key(s) in state_dict: {names}. "


def forget_gradients(params: Iterable[Tensor], set_to_none: bool) -> None:
    """Drops the gradients, or zeroes them in place, cut off whatever made them."""
    for param in params:
        gradient = param.grad
        if gradient is None:
            continue
        if set_to_none:
            param.grad = None
            continue
        if gradient.grad_fn is not None:
            param.grad = gradient = gradient.detach()
        write(gradient, 0.0)
