"""The examples for tensors run as programs: the tutorial prints what torch prints, the training learns."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(name: str) -> str:
    command = [sys.executable, str(ROOT / "examples" / name)]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_tutorial_prints_what_torch_prints() -> None:
    """The file was written by the same script with `import torch` for its import line."""
    assert run("autograd_tutorial.py") == Path(__file__).with_name("autograd_tutorial.txt").read_text(encoding="utf-8")


def test_the_perceptron_learns() -> None:
    output = run("train_mlp_eager.py")
    losses = [float(x) for x in re.findall(r"loss (\d\.\d+)", output)]
    assert losses[0] > 0.6 and losses[-1] < 0.2
    right, count = map(int, re.search(r"(\d+) of (\d+) points", output).groups())       # type: ignore[union-attr]
    assert right > 0.9 * count


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import train_mlp_compiled
    return train_mlp_compiled


def test_eager_and_compiled_training_agree(compiled) -> None:
    model, weights, points, arms = compiled.start(32)
    eager = compiled.train(model, points, arms, compiled.STEPS, compiled.LR)
    plain = compiled.descend(weights, points.numpy(), arms.numpy(), compiled.STEPS)
    np.testing.assert_allclose(eager, plain, rtol=0, atol=1e-5)
    assert eager[-1] < eager[0] - 0.05


def test_the_compiled_step_is_faster(compiled) -> None:
    """At batch 32; how much is measured by the example itself, since here the machine may be busy."""
    ratios = []
    for _ in range(3):
        model, weights, points, arms = compiled.start(32)
        slow = compiled.seconds(lambda n: compiled.train(model, points, arms, n), 20, 5)    # noqa: B023
        fast = compiled.seconds(lambda n: compiled.descend(weights, points.numpy(), arms.numpy(), n), 20, 5)   # noqa
        ratios.append(slow / fast)
    assert max(ratios) > 1
