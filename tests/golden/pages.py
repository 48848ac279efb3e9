"""Generated text that stands in the pages: which blocks, and what belongs there."""
from __future__ import annotations

import linecache
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad import grad

ROOT = Path(__file__).resolve().parent.parent.parent
README = ROOT / "README.md"
DESIGN = ROOT / "docs" / "explanation" / "design.md"
# the arguments with which the design page shows its function's way through the compiler
STAGED = np.ones(4), 0.1, 3


def block(page: Path, name: str) -> str:
    """The text of the code block right after the comment `<!-- name -->`."""
    found = _pattern(name).findall(page.read_text(encoding="utf-8"))
    assert len(found) == 1, f"{len(found)} blocks of {page.name} are marked {name!r}"
    return found[0][1]


def write_block(page: Path, name: str, text: str) -> None:
    """Puts `text` into that block."""
    old = page.read_text(encoding="utf-8")
    page.write_text(_pattern(name).sub(lambda m: m[1] + text.strip() + "\n" + m[3], old), encoding="utf-8")


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {re.escape(name)} -->\n```python\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)


def wanted() -> dict[tuple[Path, str], str]:
    """What belongs into each block."""
    example = {(README, "generated source"): _output(block(README, "example"))}
    return example | {(DESIGN, f"stage {name}"): text for name, text in _stages().items()}


def _output(program: str) -> str:
    run = subprocess.run([sys.executable, "-c", _FROM_FILE, program], env={**os.environ, "PYTHONPATH": str(ROOT)},
                         capture_output=True, text=True, check=True)
    return run.stdout


# the example reads its own source, as it does where it lies in a file
_FROM_FILE = """
import linecache, sys
text = sys.argv[1]
linecache.cache["example.py"] = len(text), None, text.splitlines(True), "example.py"
exec(compile(text, "example.py", "exec"), {"__name__": "__main__"})
"""


def _stages() -> dict[str, str]:
    text = block(DESIGN, "staged program")
    names: dict[str, Any] = {"np": np, "__name__": "staged"}
    linecache.cache["<staged>"] = len(text), None, text.splitlines(True), "<staged>"
    exec(compile(text, "<staged>", "exec"), names)
    stages = dict(grad(names["decay"]).stages(*STAGED))
    return {name: stages[name] for name in ("inline", "split", "plain", "final")}
