"""What snippets print, beside what torch printed for them: values, types, names of nodes, errors, warnings.

Where the eager tensor differs, by choice or for want of a function, the recording says so (`differs`); a difference
that goes away, or that comes anew, fails here until `recording.py` is run again.
"""
from __future__ import annotations

import json
from typing import Any

import pytest

from eager.recording import FOLDER, differing, run, scenarios

CASES = [pytest.param(path, name, text, id=name) for path in sorted(FOLDER.glob("*.txt"))
         for name, text in scenarios(path)]


@pytest.fixture(scope="module")
def recorded() -> dict[Any, Any]:
    return {path: json.loads(path.with_suffix(".json").read_text()) for path in FOLDER.glob("*.txt")}


@pytest.mark.parametrize("path, name, text", CASES)
def test_prints_what_torch_printed(path: Any, name: str, text: str, recorded: dict[Any, Any]) -> None:
    expected, known = recorded[path]["torch"][name], recorded[path]["differs"].get(name, {})
    found = run("srcgrad.eager", text)
    assert len(found) == len(expected)
    for k, lines in differing(found, expected).items():
        assert known.get(k) == lines, f"{found[int(k)][0]}\n{found[int(k)][1]}\ntorch: {expected[int(k)][1]}"


def test_most_of_it_is_the_same(recorded: dict[Any, Any]) -> None:
    total = sum(len(results) for r in recorded.values() for results in r["torch"].values())
    differ = sum(len(lines) for r in recorded.values() for lines in r["differs"].values())
    assert total > 2000 and differ < total / 20
