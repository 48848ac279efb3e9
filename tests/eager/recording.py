"""Snippets run statement by statement, as at a prompt, with torch or with the eager tensor in its place.

    python tests/eager/recording.py

rewrites `recorded/*.json` where torch is installed; where it isn't, only what is known to differ.
A snippet file holds scenarios, each under a line `### name`.
"""
from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import io
import json
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "recorded"
SUBMODULES = ("nn", "nn.functional", "nn.init", "nn.utils", "nn.utils.rnn", "optim", "optim.lr_scheduler", "autograd",
              "autograd.functional", "autograd.graph", "utils", "utils.checkpoint", "utils.data", "special", "func",
              "distributions")
KEPT_WARNINGS = (UserWarning, FutureWarning)

_address = re.compile(r"0x[0-9a-fA-F]+")
_number = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def scenarios(path: Path) -> Iterator[tuple[str, str]]:
    """The names and texts of a file's scenarios."""
    for part in path.read_text().split("### ")[1:]:
        name, _, text = part.partition("\n")
        yield f"{path.stem}:{name}", text


def statements(text: str) -> Iterator[ast.stmt]:
    """The statements; of a long tuple, each element by itself."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Tuple) and len(statement.value.elts) > 2:
            for element in statement.value.elts:
                yield ast.Expr(element)
        else:
            yield statement


def run(module: str, text: str) -> list[list[str]]:
    """Each statement with what it prints: results as at a prompt, errors and warnings in one line each."""
    torch = importlib.import_module(module)
    known = {"torch": torch, **{f"torch.{name}": importlib.import_module(f"{module}.{name}") for name in SUBMODULES}}
    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "optim": torch.optim, "np": np,
             "__name__": "__x__"}
    with _importable({} if module == "torch" else known):
        try:
            return [[ast.unparse(statement), _one(statement, names, module)] for statement in statements(text)]
        finally:
            torch.set_grad_enabled(True)


@contextlib.contextmanager
def _importable(modules: dict[str, Any]) -> Iterator[None]:
    """Has `import` find these; other modules that are loaded meanwhile stay loaded."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old


def _one(statement: ast.stmt, names: dict[str, Any], module: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), "<snippet>", "eval"), names)
                if value is not None:
                    print(repr(value))
            else:
                exec(compile(ast.Module([statement], []), "<snippet>", "exec"), names)
        except BaseException as error:      # noqa: BLE001 (an exception of any kind is a result)
            lines = str(error).strip().splitlines()
            print("!!", f"{type(error).__name__}:", lines[0][:400] if lines else "")
    for warning in caught:
        if issubclass(warning.category, KEPT_WARNINGS):
            print("~~", f"{warning.category.__name__}:", str(warning.message).splitlines()[0][:100], file=out)
    return _address.sub("0x", out.getvalue()).replace(module, "torch").rstrip()


def differing(found: list[list[str]], expected: list[list[str]]) -> dict[str, list[int]]:
    """Statements, by number, whose lines differ beyond rounding, with the numbers of these lines."""
    wrong = {}
    for k, ((_, a), (_, b)) in enumerate(zip(found, expected, strict=True)):
        lines, wanted = a.splitlines(), b.splitlines()
        if len(lines) != len(wanted):
            wrong[str(k)] = [-1]
        elif bad := [i for i, pair in enumerate(zip(lines, wanted)) if not _close(*pair)]:
            wrong[str(k)] = bad
    return wrong


def _close(a: str, b: str) -> bool:
    if a == b:
        return True
    if _number.sub("#", a) != _number.sub("#", b):
        return False
    pairs = [(float(x), float(y)) for x, y in zip(_number.findall(a), _number.findall(b))]
    return all(abs(x - y) <= 1e-5 * max(abs(x), abs(y)) + 1e-12 for x, y in pairs)


def record() -> None:
    """Writes what torch prints, and where the eager tensor prints something else."""
    installed = importlib.util.find_spec("torch") is not None
    for path in sorted(FOLDER.glob("*.txt")):
        texts = dict(scenarios(path))
        expected = {name: run("torch", text) for name, text in texts.items()} if installed else \
            json.loads(path.with_suffix(".json").read_text())["torch"]
        found = {name: run("srcgrad.eager", text) for name, text in texts.items()}
        known = {name: wrong for name in texts if (wrong := differing(found[name], expected[name]))}
        path.with_suffix(".json").write_text(json.dumps({"torch": expected, "differs": known}, indent=0))
        print(path.stem, sum(map(len, expected.values())), "statements,", sum(map(len, known.values())), "differ")


if __name__ == "__main__":
    record()
