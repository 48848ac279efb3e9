"""The base of all modules: attributes that are parameters, buffers or modules, and what walks over them."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from srcgrad.eager.dtypes import dtype as DType
from srcgrad.eager.dtypes import numpy_dtype
from srcgrad.eager.graph import RemovableHandle
from srcgrad.eager.nn.hooks import call_between, registered
from srcgrad.eager.nn.parameter import Parameter
from srcgrad.eager.nn.state import LoadReport, forget_gradients, load_into, saved_state
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.tensor import device as Device
from srcgrad.runtime.modes import no_grad

Self = TypeVar("Self", bound="Module")


class Module:
    """What has parameters and a `forward`.

    Parameters, buffers and modules that are assigned as attributes are listed, moved, saved and loaded with it.

    >>> import srcgrad.eager as torch
    >>> class Affine(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = torch.nn.Parameter(torch.tensor([2.0]))
    ...     def forward(self, x):
    ...         return x * self.scale
    >>> Affine()(torch.tensor([3.0]))
    tensor([6.], grad_fn=<MulBackward0>)
    >>> [name for name, _ in Affine().named_parameters()]
    ['scale']
    """

    training: bool

    def __init__(self) -> None:
        store = super().__setattr__
        store("training", True)
        store("_parameters", OrderedDict())
        store("_buffers", OrderedDict())
        store("_modules", OrderedDict())
        store("_transient", set())
        store("_forward_pre_hooks", OrderedDict())
        for kind in ("_forward_hooks", "_backward_pre_hooks", "_backward_hooks"):
            store(kind, OrderedDict())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; to be written by each module."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`forward`, between the hooks."""
        if self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks:
            return call_between(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:
        """Calls `hook(module, args, output)` after each forward; what it returns, unless None, is the output."""
        return registered(self._forward_hooks, hook, prepend, with_kwargs=with_kwargs, always_call=always_call)

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False,
                                  with_kwargs: bool = False) -> RemovableHandle:
        """Calls `hook(module, args)` before each forward; what it returns, unless None, are the arguments."""
        return registered(self._forward_pre_hooks, hook, prepend, with_kwargs=with_kwargs)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, gradients of the arguments, gradients of the results)` in each backward pass."""
        return registered(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, gradients of the results)` before the module's part of each backward pass."""
        return registered(self._backward_pre_hooks, hook, prepend)

    # ------------------------------------------------------------ attributes

    def __getattr__(self, name: str) -> Any:
        for kind in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(kind)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._replace(name, "parameters", own.get("_parameters"), value)
        elif isinstance(value, Module):
            self._replace(name, "module", own.get("_modules"), value)
        elif name in own.get("_parameters", ()):
            self._parameters[name] = _only_none(value, "parameter", name, "torch.nn.Parameter")
        elif name in own.get("_modules", ()):
            self._modules[name] = _only_none(value, "child module", name, "torch.nn.Module")
        elif name in own.get("_buffers", ()):
            self._buffers[name] = value if isinstance(value, Tensor) else _only_none(
                value, "buffer", name, "torch.nn.Buffer, torch.Tensor")
        else:
            super().__setattr__(name, value)

    def _replace(self, name: str, kind: str, home: dict[str, Any] | None, value: Any) -> None:
        """Puts the value under its kind, and away from where the name was."""
        if home is None:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        for other in (self.__dict__, self._parameters, self._buffers, self._modules):
            if other is not home:
                other.pop(name, None)
        self._transient.discard(name)
        home[name] = value

    def __delattr__(self, name: str) -> None:
        for kind in (self._parameters, self._buffers, self._modules):
            if name in kind:
                del kind[name]
                self._transient.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def _check_name(self, name: str, what: str, home: dict[str, Any]) -> None:
        """Refuses what can't name an attribute."""
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {_type_name(name)}")
        if "." in name:
            raise KeyError(f"{what} name can't contain \".\"")
        if name == "":
            raise KeyError(f"{what} name can't be empty string \"\"")
        if hasattr(self, name) and name not in home:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Makes `param` the parameter of that name; None keeps the name free."""
        self._check_name(name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_type_name(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Makes `tensor` part of the module's state, but nothing that is learned."""
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        self._buffers[name] = tensor
        (self._transient.discard if persistent else self._transient.add)(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as `add_module`."""
        self.add_module(name, module)

    def add_module(self, name: str, module: Module | None) -> None:
        """Makes `module` the submodule of that name."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_name(name, "module", self._modules)
        self._modules[name] = module

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as `"body.0"`."""
        found: Module = self
        for name in target.split(".") if target else ():
            if name not in found._modules:
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}`")
            found = found._modules[name]
        return found

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as `"body.0.weight"`."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if name not in owner._parameters:
            raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`")
        return owner._parameters[name]

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path such as `"body.1.running_mean"`."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if name not in owner._buffers:
            raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`")
        found: Tensor = owner._buffers[name]
        return found

    # ------------------------------------------------------------ walking

    def named_modules(self, memo: set[Module] | None = None, prefix: str = "",
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """The module itself and all below it with their paths, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _join(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """The module itself and all below it."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules right below, with their names, each once."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules right below."""
        return (module for _, module in self.named_children())

    def _named_members(self, kind: str, prefix: str, recurse: bool,
                       remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
        owners = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        seen: set[int] = set()
        for path, owner in owners:
            for name, member in getattr(owner, kind).items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield _join(path, name), member

    def named_parameters(self, prefix: str = "", recurse: bool = True,
                         remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their paths; a shared one comes once."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, as optimizers take them."""
        return (param for _, param in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True,
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their paths."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def apply(self: Self, fn: Callable[[Module], Any]) -> Self:
        """Calls `fn` on every module below and then on this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # ------------------------------------------------------------ modes and state

    def train(self: Self, mode: bool = True) -> Self:
        """Sets the mode of this module and of all below: dropout and the like act in training only."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self: Self) -> Self:
        """The same as `train(False)`."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Freezes the parameters, or thaws them."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or zeroes them in place."""
        forget_gradients(self.parameters(), set_to_none)

    def to(self: Self, *args: Any, device: Any = None, dtype: Any = None) -> Self:
        """Gives all floating parameters and buffers another dtype, in place; the device can only be the CPU."""
        for wanted in args:
            if isinstance(wanted, DType):
                dtype = wanted
            elif wanted is not None:
                device = wanted
        if device is not None:
            Device(device)
        return self if dtype is None else self._cast(dtype)

    def _cast(self: Self, dtype: Any) -> Self:
        kind = numpy_dtype(dtype)
        for tensor in (*self.parameters(), *self.buffers()):
            if tensor.is_floating_point():
                gradient, tensor.grad = tensor.grad, None
                tensor.data = wrap(tensor._a.astype(kind))
                tensor.grad = None if gradient is None else wrap(gradient._a.astype(kind))
        return self

    def cpu(self: Self) -> Self:
        """The module itself: it lies on the CPU."""
        return self

    share_memory = cpu

    def to_empty(self: Self, *, device: Any, recurse: bool = True) -> Self:
        """The module itself: it lies on the CPU."""
        return self.to(device)

    def cuda(self: Self, device: Any = None) -> Self:
        """Refuses: modules lie on the CPU."""
        raise AssertionError("Torch not compiled with CUDA enabled")

    def type(self: Self, dst_type: Any) -> Self:
        """The same as `to(dst_type)`."""
        return self._cast(getattr(dst_type, "wanted", dst_type))

    def half(self: Self) -> Self:
        """The same as `to(torch.float16)`."""
        return self._cast("float16")

    def float(self: Self) -> Self:
        """The same as `to(torch.float32)`."""
        return self._cast("float32")

    def double(self: Self) -> Self:
        """The same as `to(torch.float64)`."""
        return self._cast("float64")

    def state_dict(self, prefix: str = "", keep_vars: bool = False) -> OrderedDict[str, Tensor]:
        """Path -> tensor for all parameters and persistent buffers; the tensors share memory with the module."""
        return saved_state(self, prefix, keep_vars)

    def load_state_dict(self, state_dict: dict[str, Tensor], strict: bool = True) -> LoadReport:
        """Copies the tensors into the module's own; with `strict`, the names must agree."""
        with no_grad():
            return load_into(self, state_dict, strict)

    # ------------------------------------------------------------ printing

    def extra_repr(self) -> str:
        """What stands between the brackets when the module is printed."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        own = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        if len(own) == 1 and not children:
            return f"{self._get_name()}({own[0]})"
        return bracketed(self._get_name(), own + children)


def bracketed(name: str, lines: Iterable[str]) -> str:
    """The name, and in brackets the lines, indented, if there are any."""
    body = "\n  ".join(lines)
    return f"{name}(\n  {body}\n)" if body else f"{name}()"


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _only_none(value: Any, what: str, name: str, wanted: str) -> Any:
    """None, the only other value that an attribute of a kind may have."""
    if value is not None:
        raise TypeError(f"cannot assign '{_type_name(value)}' as {what} '{name}' ({wanted} or None expected)")
    return value


def _type_name(value: object) -> str:
    """The type's name as torch's messages have it."""
    kind = type(value)
    if kind is Tensor:
        return f"torch.{value.dtype.legacy}Tensor"                      # type: ignore[attr-defined]
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
