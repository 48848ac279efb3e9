"""Modules made of modules."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import index
from typing import Any

from srcgrad.eager.nn.module import Module, bracketed
from srcgrad.eager.nn.parameter import Parameter
from srcgrad.eager.tensor import Tensor


class _Numbered(Module):
    """Modules under the names "0", "1", ..."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, at: Any) -> Any:
        modules = list(self._modules.items())
        if isinstance(at, slice):
            return self._with(OrderedDict(modules[at]))
        return self._modules[self._name_at(at)]

    def _with(self, modules: OrderedDict[str, Module]) -> Any:
        """The same kind of module of some of the modules."""
        made: Any = type(self)
        return made(list(modules.values()))

    def _name_at(self, at: int) -> str:
        size, place = len(self), index(at)
        if not -size <= place < size:
            raise IndexError(f"index {place} is out of range")
        return list(self._modules)[place]

    def __setitem__(self, at: int, module: Module) -> None:
        setattr(self, self._name_at(at), module)

    def __delitem__(self, at: int | slice) -> None:
        names = list(self._modules)[at] if isinstance(at, slice) else [self._name_at(at)]
        self._renumber([module for name, module in self._modules.items() if name not in names])

    def _renumber(self, modules: Iterable[Module]) -> None:
        rest = list(modules)
        self._modules.clear()
        for place, module in enumerate(rest):
            self.add_module(str(place), module)

    def append(self, module: Module) -> Any:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Adds modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def insert(self, at: int, module: Module) -> Any:
        """Puts a module before the place `at`."""
        modules = list(self._modules.values())
        modules.insert(at, module)
        self._renumber(modules)
        return self


class Sequential(_Numbered):
    """Modules, each fed with what the one before gave.

    >>> import srcgrad.eager as torch
    >>> model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2), torch.nn.ReLU())
    >>> model
    Sequential(
      (0): Flatten(start_dim=1, end_dim=-1)
      (1): Linear(in_features=4, out_features=2, bias=True)
      (2): ReLU()
    )
    >>> model(torch.ones(3, 2, 2)).shape
    torch.Size([3, 2])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], Mapping)
        pairs = args[0].items() if named else ((str(place), module) for place, module in enumerate(args))
        for name, module in pairs:
            self.add_module(name, module)

    def _with(self, modules: OrderedDict[str, Module]) -> Sequential:
        return type(self)(modules)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules whose parameters are listed with those of the owner."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __repr__(self) -> str:
        """As a module; neighbours that print alike stand on one line."""
        lines, place = [], 0
        for text, group in groupby(map(repr, self)):
            count = len(list(group))
            head = f"({place}): " if count == 1 else f"({place}-{place + count - 1}): {count} x "
            lines.append((head + text).replace("\n", "\n  "))
            place += count
        return bracketed(self._get_name(), lines)


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Names and modules."""
        return self._modules.items()

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Adds modules, or replaces those of the same name."""
        for key, module in modules.items() if isinstance(modules, Mapping) else modules:
            self[key] = module

    def pop(self, key: str) -> Module:
        """Takes a module out."""
        return self._modules.pop(key)


class ParameterList(Module):
    """A list of parameters that are listed with those of the owner; tensors become parameters."""

    def __init__(self, values: Iterable[Tensor] | None = None) -> None:
        super().__init__()
        self.extend(values or ())

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._parameters.values())

    def __getitem__(self, at: Any) -> Any:
        values = list(self._parameters.values())
        return type(self)(values[at]) if isinstance(at, slice) else values[at]

    def __setitem__(self, at: int, value: Tensor) -> None:
        setattr(self, list(self._parameters)[at], _as_parameter(value))

    def append(self, value: Tensor) -> ParameterList:
        """Adds a parameter at the end."""
        self.register_parameter(str(len(self)), _as_parameter(value))
        return self

    def extend(self, values: Iterable[Tensor]) -> ParameterList:
        """Adds parameters at the end."""
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return _listed(self)


class ParameterDict(Module):
    """Parameters by name; tensors become parameters."""

    def __init__(self, parameters: Mapping[str, Tensor] | None = None) -> None:
        super().__init__()
        self.update(parameters or {})

    def __getitem__(self, key: str) -> Parameter:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Tensor) -> None:
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, key: str) -> bool:
        return key in self._parameters

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._parameters.keys()

    def items(self) -> Iterable[tuple[str, Parameter]]:
        """Names and parameters."""
        return self._parameters.items()

    def values(self) -> Iterable[Parameter]:
        """The parameters."""
        return self._parameters.values()

    def update(self, parameters: Mapping[str, Tensor]) -> None:
        """Adds parameters, or replaces those of the same name."""
        for key, value in parameters.items():
            self[key] = value

    def extra_repr(self) -> str:
        return _listed(self)


def _as_parameter(value: Tensor) -> Parameter:
    return value if isinstance(value, Parameter) else Parameter(value)


def _listed(module: Module) -> str:
    """Type and size of each parameter, a line each."""
    sizes = ((name, param, "x".join(map(str, param.shape))) for name, param in module._parameters.items())
    return "\n".join(f"  ({name}): Parameter containing: [{param.dtype} of size {size}]" for name, param, size in sizes)
