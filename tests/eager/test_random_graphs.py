"""Random expression graphs: the tensor's gradient is the compiled one, bit for bit under `plain`, else to rounding."""
from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad
import srcgrad.eager as torch

# what a statement makes of operands of its kind; {v} and {w} have shapes that broadcast, {m} is a matrix
ELEMENTWISE = ["np.sin({v})", "np.cos({v}) * {w}", "np.exp(-{v} * {v})", "np.tanh({v})",
               "np.sqrt(1.5 + np.square({v}))",
               "{v} + {w}", "{v} - 0.5 * {w}", "{v} * {w}", "{v} / (2.0 + {w} * {w})", "1.0 / (1.5 + {v} * {v})",
               "np.log(2.0 + {v} * {v})", "({v} * {v} + 0.5) ** 1.5", "{v} ** 2", "{v} ** 3", "-{v}", "np.abs({v})",
               "np.arctan({v})", "np.maximum({v}, {w} + 0.013)", "np.minimum({v}, 0.77)", "np.hypot({v}, {w} + 3.0)",
               "np.arctan2({v}, {w} * {w} + 1.0)", "2.5 / (3.0 + {v})", "np.log1p({v} * {v})", "np.expm1(0.1 * {v})"]
MATRIX = ["{m} @ {m}.T", "{m}.T", "{m} @ np.transpose({m})", "np.concatenate([{m}, {m} * 2.0])", "{m}[1:]", "{m}[::2]",
          "np.reshape({m}, -1)", "{m} * np.sum({m}, axis=0)", "{m} - np.mean({m}, axis=1, keepdims=True)",
          "np.max({m}, axis=0)", "{m}.sum(axis=1)", "np.cumsum({m}, axis=0)", "np.var({m}, axis=0)", "{m}[:, 0]",
          "np.stack([{m}[0], {m}[1]])", "np.prod({m}, axis=1)", "{m}[[1, 0]]", "np.linalg.norm({m}, axis=1)"]


def write(seed: int) -> tuple[str, Callable[..., Any], tuple[np.ndarray, ...]]:
    """A function of three arrays that gives one number, its name, and arguments."""
    rng = random.Random(seed)
    arrays = (np.random.default_rng(seed).normal(size=(3, 3)), np.random.default_rng(seed + 1).normal(size=3),
              np.random.default_rng(seed + 2).normal(size=()))
    scope: dict[str, Any] = {"np": np}
    known = dict(zip("abs", arrays))
    lines = []
    for k in range(rng.randint(4, 12)):
        line = f"t{k} = {_expression(rng, known)}"
        exec(line, scope, known)
        lines.append(line)
    total = " + ".join(f"np.sum({name} * {rng.choice(['1.0', '0.3', name])})" for name in known)
    text = f"def graph_{seed}(a, b, s):\n" + "".join(f"    {line}\n" for line in lines) + f"    return {total}\n"
    file = f"<graph {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), scope)
    return text, scope[f"graph_{seed}"], arrays


def _expression(rng: random.Random, known: dict[str, Any]) -> str:
    matrices = [n for n, v in known.items() if np.ndim(v) == 2 and np.shape(v)[0] > 1 and np.shape(v)[1] > 0]
    if rng.random() < 0.35:
        return rng.choice(MATRIX).format(m=rng.choice(matrices))
    v = rng.choice(list(known))
    fitting = [n for n in known if _broadcast(known[n], known[v])]
    return rng.choice(ELEMENTWISE).format(v=v, w=rng.choice(fitting))


def _broadcast(a: Any, b: Any) -> bool:
    try:
        np.broadcast_shapes(np.shape(a), np.shape(b))
    except ValueError:
        return False
    return True


def eager(function: Callable[..., Any], arrays: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    function(*tensors).backward()
    return [t.grad.numpy() for t in tensors]


@pytest.mark.parametrize("seed", range(25))
def test_bit_for_bit(seed: int) -> None:
    text, function, arrays = write(seed)
    with np.errstate(all="ignore"):
        expected = srcgrad.grad(function, argnums=(0, 1, 2), options=srcgrad.Options(plain=True))(*arrays)
        rounded = srcgrad.grad(function, argnums=(0, 1, 2))(*arrays)
    found = eager(function, arrays)
    for name, one, other, near in zip("abs", found, expected, rounded):
        np.testing.assert_array_equal(one, other, err_msg=f"{name} in\n{text}")
        np.testing.assert_allclose(one, near, rtol=1e-8, atol=1e-10, err_msg=f"{name} in\n{text}")
