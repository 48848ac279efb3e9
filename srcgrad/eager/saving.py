"""Saving to files, and loading again what nobody can have put code into."""
from __future__ import annotations

import io
import os
import pickle
from typing import Any

from srcgrad.eager.devices import device

__all__ = ["load", "save"]

# what a file may be made of when only weights are to be loaded
_HARMLESS = {
    ("srcgrad.eager.python", "_unpickle"), ("srcgrad.eager.tensor", "Tensor"),
    ("srcgrad.eager.nn.parameter", "Parameter"), ("srcgrad.eager.dtypes", "Size"), ("srcgrad.eager.dtypes", "dtype"),
    ("collections", "OrderedDict"), ("collections", "defaultdict"), ("collections", "Counter"),
    ("numpy", "ndarray"), ("numpy", "dtype"),
    *((f"numpy.{core}.{where}", name) for core in ("core", "_core") for where, name in (
        ("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))),
    *(("builtins", name) for name in ("set", "frozenset", "complex", "slice", "range", "bytearray", "dict", "list"))}


def save(obj: Any, f: Any, pickle_module: Any = pickle, pickle_protocol: int = 2, **ignored: Any) -> None:
    """Writes an object, in which tensors may be, to a file or a stream."""
    protocol = max(pickle_protocol, 4)          # the first that writes arrays as bytes
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as stream:
            pickle_module.dump(obj, stream, protocol)
    else:
        pickle_module.dump(obj, f, protocol)


def load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
         mmap: bool | None = None, **options: Any) -> Any:
    """Reads what `save` wrote; of anything but tensors, numbers and containers only with `weights_only=False`."""
    if isinstance(map_location, (str, device)):
        device(map_location)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as stream:
            return _read(stream, pickle_module, weights_only)
    return _read(f, pickle_module, weights_only)


def _read(stream: Any, module: Any, weights_only: bool | None) -> Any:
    content = stream.read()
    if content[:2] == b"PK":
        raise RuntimeError("torch.load(): this file was written by PyTorch itself, whose format isn't read here: save "
                           "the arrays there with numpy.savez, and load these.")
    if weights_only is False:
        return (module or pickle).loads(content)
    return _Careful(io.BytesIO(content)).load()


class _Careful(pickle.Unpickler):
    """Makes tensors, numbers and containers only."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _HARMLESS:
            raise pickle.UnpicklingError(
                "Weights only load failed. In PyTorch 2.6, we changed the default value of the `weights_only` argument "
                f"in `torch.load` from `False` to `True`. Unsupported global: {module}.{name}: load with "
                "`weights_only=False` if the file comes from a trusted source.")
        return super().find_class(module, name)
