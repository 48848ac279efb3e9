"""From `FILE.py:FUNC` or `package.module:func` to the function and the names around it."""
from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from srcgrad.cli.failure import Failure

__all__ = ["find_target", "explain"]


def find_target(text: str) -> tuple[Any, dict[str, Any]]:
    """The function that the text names, and the globals of its module."""
    place, colon, name = text.rpartition(":")
    if not (place and colon and name):
        raise Failure(f"'{text}' names no function: write FILE.py:FUNC or package.module:func", code=2)
    module = _from_file(Path(place)) if place.endswith(".py") else _from_name(place)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise Failure(f"{place} has no '{name}'{_defined(module)}", code=2)
        found = getattr(found, part)
    if not callable(found):
        raise Failure(f"'{name}' in {place} is no function but of type {type(found).__name__}", code=2)
    return found, vars(module)


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise Failure(f"there is no file {path}", code=2)
    name = path.stem if path.stem not in sys.modules else f"_srcgrad_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # as `python FILE.py` does
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise Failure(f"{path} failed when it was run: {explain(error)}") from error
    return module


def _from_name(name: str) -> ModuleType:
    sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise Failure(f"there is no module '{name}'; a file is given as FILE.py:FUNC", code=2) from error
        raise Failure(f"importing {name} failed: {explain(error)}") from error
    except (Exception, SystemExit) as error:
        raise Failure(f"importing {name} failed: {explain(error)}") from error


def _defined(module: ModuleType) -> str:
    names = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return f"; it defines {', '.join(names)}" if names else ""


def explain(error: BaseException) -> str:
    """The error in one line, with the line of the user's program where it was raised."""
    text = traceback.format_exception_only(type(error), error)[-1].strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if "importlib" not in frame.filename and Path(__file__).parent != Path(frame.filename).parent]
    if isinstance(error, SyntaxError):
        return f"{text} (line {error.lineno})"
    return f"{text} (line {frames[-1].lineno} of {Path(frames[-1].filename).name})" if frames else text
