"""The README's example prints what it says, and its commands are what a fresh checkout can run."""
from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"


def marked(name: str) -> tuple[str, str]:
    """Language and text of the code block right after the comment `<!-- name -->`."""
    pattern = rf"^<!-- {re.escape(name)} -->\n```(\w+)\n(.*?)^```$"
    found = re.findall(pattern, README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found) == 1, f"{len(found)} blocks are marked {name!r}"
    return found[0]


def test_generated_source_is_the_real_one(tmp_path: Path) -> None:
    script = tmp_path / "example.py"
    script.write_text(marked("example")[1])
    run = subprocess.run([sys.executable, str(script)], cwd=ROOT, env=with_checkout(), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == marked("generated source")[1].strip()


def with_checkout() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize("name", ["main command", "test command"])
def test_command_is_one_line_that_sets_up_its_own_environment(name: str) -> None:
    language, text = marked(name)
    assert language == "bash"
    assert len(text.splitlines()) == 1
    first, install, *rest = (shlex.split(part) for part in text.split("&&"))
    assert first[:3] == ["python3", "-m", "venv"]
    assert install[0] == f"{first[3]}/bin/python"
    assert rest and all(command[0].startswith(f"{first[3]}/bin/") for command in rest)


@pytest.mark.parametrize("name", ["main command", "test command"])
def test_files_of_a_command_exist(name: str) -> None:
    words = [word.split(":")[0] for word in shlex.split(marked(name)[1])]
    files = [word for word in words if word.endswith(".py")]
    assert all((ROOT / file).is_file() for file in files)
    assert bool(files) == (name == "main command")


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))
    local = [t for t in targets if "://" not in t]
    assert local
    assert [t for t in local if not (ROOT / t).exists()] == []


def test_continuous_integration_reads_the_readme() -> None:
    """The markers that .ci/run looks for are those of this file."""
    names = re.findall(r'readme_command "([^"$]+)"', (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert sorted(names) == ["main command", "test command"]
    assert all(marked(name) for name in names)
