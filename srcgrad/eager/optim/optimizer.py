"""What all optimizers have in common: groups of parameters, their state, saving and loading it."""
from __future__ import annotations

import copy
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np

from srcgrad.eager.nn.state import forget_gradients
from srcgrad.eager.tensor import Tensor, bump, wrap
from srcgrad.runtime.modes import enable_grad

State = dict[str, Any]


class Optimizer:
    """Groups of parameters with options, and a state for each parameter.

    A subclass says in `_update` how one parameter changes; whatever it changes, it changes in place.
    """
    _opt_called = False         # whether there was a step: schedulers warn of being called before the first

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            "torch.FloatTensor")
        self.defaults = defaults
        self.state: defaultdict[Tensor, State] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own; what isn't given is as the optimizer's defaults say."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = _listed(param_group["params"])
        if params and isinstance(params[0], tuple):
            param_group["param_names"] = [name for name, _ in params]
            params = [param for _, param in params]
        self._check_params(params)
        param_group["params"] = params
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self.param_groups.append(param_group)

    def _check_params(self, params: list[Any]) -> None:
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is "
                                f"{type(param).__name__}")
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        if len(params) != len(set(params)):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                          "an error", stacklevel=4)
        if not set(params).isdisjoint(chain.from_iterable(group["params"] for group in self.param_groups)):
            raise ValueError("some parameters appear in more than one parameter group")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets all gradients, or zeroes them in place."""
        for group in self.param_groups:
            forget_gradients(group["params"], set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes each parameter that has a gradient; gives back what the closure gave, which is called first."""
        self._opt_called = True
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is not None:
                    self._step_one(param, group)
        return loss

    def _step_one(self, param: Tensor, group: dict[str, Any]) -> None:
        """One step of one parameter, which the version counter learns of."""
        gradient: np.ndarray = param.grad._a                            # type: ignore[union-attr]
        self._update(param._a, -gradient if group["maximize"] else gradient, self.state[param], group)
        bump(param)

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        """Changes the array `param`, given the gradient (which stays as it is) and the options."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """State and options, with numbers in place of parameters."""
        params = chain.from_iterable(group["params"] for group in self.param_groups)
        number: dict[int, int] = {}
        for param in params:
            number.setdefault(id(param), len(number))
        groups = [{**{k: v for k, v in group.items() if k != "params"},
                   "params": [number[id(param)] for param in group["params"]]} for group in self.param_groups]
        return {"state": {number[id(param)]: state for param, state in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state that `state_dict` gave; the parameters must be as many."""
        saved = copy.deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(new["params"]) != len(old["params"]) for new, old in zip(saved, self.param_groups)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                             "group")
        params = {number: param for new, old in zip(saved, self.param_groups)
                  for number, param in zip(new["params"], old["params"])}
        self.state = defaultdict(dict, {params[number]: copy.deepcopy(state)
                                        for number, state in state_dict["state"].items()})
        self.param_groups = [{**new, "params": old["params"]} for new, old in zip(saved, self.param_groups)]

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for place, group in enumerate(self.param_groups):
            lines += [*([""] if place else []), f"Parameter Group {place}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name not in ("params", "param_names")]
        return "\n".join([*lines, ")"])


def count_step(state: State) -> int:
    """The number of this step; the first is 1.  It is kept as a tensor, as the other parts of the state are."""
    if "step" not in state:
        state["step"] = wrap(np.zeros((), np.float32))
    state["step"]._a += 1
    return int(state["step"]._a)


def kept(state: State, name: str, like: np.ndarray, start: float = 0.0) -> np.ndarray:
    """The array of a part of the state, which starts with the same number everywhere."""
    if name not in state:
        state[name] = wrap(np.full_like(like, start))
    array: np.ndarray = state[name]._a
    return array


def ways(given: dict[str, Any], *known: str) -> dict[str, Any]:
    """Torch's options that say how to compute a step, not which: they are kept, printed and have no effect here."""
    defaults = {"foreach": None, "fused": None, "capturable": False, "differentiable": False}
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"got an unexpected keyword argument '{name}'")
        if name == "differentiable" and value:
            raise NotImplementedError("srcgrad.eager has no differentiable optimizers: write the step with tensors")
    return {name: given.get(name, defaults[name]) for name in known}


def check_not_negative(options: dict[str, float]) -> None:
    """Refuses options below zero; the keys are what messages call them."""
    for name, value in options.items():
        if not float(value) >= 0.0:
            raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: tuple[float, float]) -> None:
    """Refuses decay rates outside [0, 1)."""
    for place, beta in enumerate(betas):
        if not 0.0 <= float(beta) < 1.0:
            raise ValueError(f"Invalid beta parameter at index {place}: {beta}")


def _listed(params: Any) -> list[Any]:
    if isinstance(params, set):
        raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of tensors "
                        "in sets will change between runs. Please use a list instead.")
    if isinstance(params, Tensor):
        return [params]
    return list(params) if isinstance(params, Iterable) else [params]
