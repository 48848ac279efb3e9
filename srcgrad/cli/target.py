"""From `FILE.py:FUNC`, `package.module:func`, `-` or a text to the function and the names around it."""
from __future__ import annotations

import importlib
import importlib.util
import linecache
import sys
import traceback
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from srcgrad.cli.failure import Failure

__all__ = ["STDIN", "Target", "explain", "find_target"]

STDIN = "<stdin>"


@dataclass(frozen=True)
class Target:
    """A function of the user's, and the globals of its module."""
    function: Any
    scope: dict[str, Any]


def find_target(text: str | None, code: str | None = None) -> Target:
    """The function that the text names, in a file, a module, the standard input (`-`) or this code."""
    if code is not None:
        return _target(_run(code, "<string>"), text or "", "the code")
    if text is None:
        raise Failure("the function is missing: write FILE.py:FUNC, package.module:func, - or -c CODE", code=2)
    place, _, name = text.rpartition(":") if ":" in text else (text, "", "")
    if not place:
        raise Failure(f"'{text}' names no function: write FILE.py:FUNC or package.module:func", code=2)
    if place in ("-", STDIN):
        return _target(_run(sys.stdin.read(), STDIN), name, "the standard input")
    if text.endswith(":"):
        raise Failure(f"'{text}' names no function: write FILE.py:FUNC or package.module:func", code=2)
    module = _from_file(Path(place)) if place.endswith(".py") else _from_name(place)
    return _target(module, name, place)


def _target(module: ModuleType, name: str, place: str) -> Target:
    if not name:
        name = _only(module, place)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise Failure(f"{place} has no '{name}'{_defined(module)}", code=2)
        found = getattr(found, part)
    if not callable(found):
        raise Failure(f"'{name}' in {place} is no function but of type {type(found).__name__}", code=2)
    return Target(found, vars(module))


def _only(module: ModuleType, place: str) -> str:
    """The one function that the module defines."""
    names = [name for name in _names(module) if not isinstance(vars(module)[name], type)]
    if len(names) == 1:
        return names[0]
    if not names:
        raise Failure(f"{place} defines no function", code=2)
    raise Failure(f"{place} defines several functions, {', '.join(names)}: name one, as in {_named(place, names[-1])}",
                  code=2)


def _named(place: str, name: str) -> str:
    return {"the code": f"-c CODE {name}", "the standard input": f"-:{name}"}.get(place, f"{place}:{name}")


# ---------------------------------------------------------------- running what holds the function

def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise Failure(f"there is no file {path}", code=2)
    if (path.resolve().parent / "__init__.py").is_file():
        return _from_package(path.resolve())
    name = path.stem if path.stem not in sys.modules else f"_srcgrad_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # as `python FILE.py` does
    sys.path.insert(0, str(path.resolve().parent))
    _guarded(lambda: spec.loader.exec_module(module), f"{path} failed when it was run")  # type: ignore[union-attr]
    return module


def _from_package(path: Path) -> ModuleType:
    """The module of a file that lies in a package, so that its relative imports work."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    sys.path.insert(0, str(folder))
    return _from_name(".".join(parts))


def _run(code: str, file: str) -> ModuleType:
    """A module that no file holds; `linecache` knows its text, as it does in a notebook."""
    module = types.ModuleType("__main__")
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    sys.path.insert(0, "")
    _guarded(lambda: exec(compile(code, file, "exec"), vars(module)), f"{file} failed when it was run")
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


def _guarded(run: Callable[[], object], failed: str) -> None:
    try:
        run()
    except (Exception, SystemExit) as error:
        raise Failure(f"{failed}: {explain(error)}") from error


def _names(module: ModuleType) -> list[str]:
    """The functions and classes that the module itself defines."""
    return [name for name, value in vars(module).items()
            if callable(value) and getattr(value, "__module__", None) == module.__name__]


def _defined(module: ModuleType) -> str:
    names = _names(module)
    return f"; it defines {', '.join(names)}" if names else ""


def explain(error: BaseException) -> str:
    """The error in one line, with the line of the user's program where it was raised."""
    text = traceback.format_exception_only(type(error), error)[-1].strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if "importlib" not in frame.filename and Path(__file__).parent != Path(frame.filename).parent]
    if isinstance(error, SyntaxError):
        return f"{text} (line {error.lineno})"
    return f"{text} (line {frames[-1].lineno} of {Path(frames[-1].filename).name})" if frames else text
