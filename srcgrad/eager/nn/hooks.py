"""Hooks on the gradients of whole modules: their arguments and results pass through an operation that knows them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.eager.autograd.function import Function
from srcgrad.eager.graph import RemovableHandle
from srcgrad.eager.tensor import Tensor
from srcgrad.runtime.modes import mode

__all__ = ["GradientHooks", "call_between", "registered"]


def call_between(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`forward` of the module, between its hooks."""
    for hook, options in _unpaired(module._forward_pre_hooks):
        if options:
            args, kwargs = _new_arguments(hook(module, args, kwargs), args, kwargs)
        else:
            changed = hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    gradients = GradientHooks(module) if module._backward_hooks or module._backward_pre_hooks else None
    if gradients is not None:
        args = gradients.on_arguments(args)
    called: set[int] = set()
    try:
        result = module.forward(*args, **kwargs)
        for hook, options in _unpaired(module._forward_hooks):
            called.add(id(hook))
            result = _after(module, hook, options, args, kwargs, result)
    except Exception:
        for hook, options in _unpaired(module._forward_hooks):
            if options.get("always_call") and id(hook) not in called:
                _after(module, hook, options, args, kwargs, None)
        raise
    return result if gradients is None else gradients.on_result(result)


def _unpaired(hooks: dict[int, Any]) -> list[tuple[Any, dict[str, Any]]]:
    """Hooks with their options."""
    return [entry if isinstance(entry, tuple) else (entry, {}) for entry in hooks.values()]


def _after(module: Any, hook: Any, options: dict[str, Any], args: Any, kwargs: Any, result: Any) -> Any:
    changed = hook(module, args, kwargs, result) if options.get("with_kwargs") else hook(module, args, result)
    return result if changed is None else changed


def _new_arguments(changed: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    if changed is None:
        return args, kwargs
    if not isinstance(changed, tuple) or len(changed) != 2:
        raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                           f"{changed}.")
    return changed


class BackwardHookFunction(Function):
    """Gives its arguments back, as results of one node."""

    @staticmethod
    def forward(ctx: Any, *args: Tensor) -> tuple[Tensor, ...]:
        ctx.mark_non_differentiable(*[t for t in args if not t.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class GradientHooks:
    """One call of a module: the gradients of its results, and then of its arguments, shown to the hooks."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.before = list(module._backward_pre_hooks.values())
        self.hooks = list(module._backward_hooks.values())
        self.outputs: tuple[Any, ...] = ()
        self.inputs = 0
        self.shown: list[int] | None = None

    def on_arguments(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, joined to a node that shows their gradients."""
        self.inputs = len(args)
        joined, places, node = _joined(args)
        self.shown = places
        if node is not None:
            node.register_hook(self._arguments_done)
        return joined

    def on_result(self, result: Any) -> Any:
        """The result, joined to a node that shows its gradients."""
        whole = isinstance(result, tuple)
        outs = result if whole else (result,)
        joined, places, node = _joined(outs)
        if node is not None:
            node.register_prehook(lambda grads: self._results_done(grads, places, len(outs)))
        return joined if whole else joined[0]

    def _results_done(self, grads: tuple[Any, ...], places: list[int], count: int) -> Any:
        full = _spread(grads, places, count)
        for hook in self.before:
            full = _given(hook(self.module, full), full)
        self.outputs = full
        if not self.shown:
            for hook in self.hooks:
                found = hook(self.module, (None,) * self.inputs, full)
                if found is not None and any(g is not None for g in found):
                    raise RuntimeError("Backward hook for Modules where no input requires gradient should always "
                                       "return None or None for all gradients.")
        return tuple(full[i] for i in places)

    def _arguments_done(self, grads: tuple[Any, ...], _: Any) -> Any:
        places = self.shown or []
        full = _spread(grads, places, self.inputs)
        for hook in self.hooks:
            full = _given(hook(self.module, full, self.outputs), full)
        return tuple(full[i] for i in places)


def _joined(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int], Any]:
    """The values, tensors among them as results of one node; where these stand; and the node."""
    places = [i for i, x in enumerate(values) if isinstance(x, Tensor)]
    if not mode.grad or not any(values[i].requires_grad for i in places):
        return values, [], None
    found = list(values)
    for i, t in zip(places, BackwardHookFunction.apply(*(values[i] for i in places))):
        found[i] = t
    node = next(found[i].grad_fn for i in places if found[i].grad_fn is not None)
    return tuple(found), places, node


def _spread(grads: tuple[Any, ...], places: list[int], count: int) -> tuple[Any, ...]:
    full: list[Any] = [None] * count
    for i, g in zip(places, grads):
        full[i] = g
    return tuple(full)


def _given(found: Any, old: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a hook gave, or what there was."""
    if found is None:
        return old
    whole = found if isinstance(found, tuple) else (found,)
    if len(whole) != len(old):
        raise RuntimeError(f"Backward hook returned an invalid number of grad_input, got {len(whole)}, but expected "
                           f"{len(old)}")
    return whole


def registered(hooks: dict[int, Any], hook: Callable[..., Any], prepend: bool = False, **options: Any) -> Any:
    """A handle on a hook that joined the others, at their end or before them."""
    wanted = {name: True for name, value in options.items() if value}
    handle = RemovableHandle(hooks, (hook, wanted) if wanted else hook)         # type: ignore[arg-type]
    if prepend:
        hooks.move_to_end(handle.id, last=False)                            # type: ignore[attr-defined]
    return handle
