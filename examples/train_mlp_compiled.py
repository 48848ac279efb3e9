"""The perceptron of `train_mlp_eager.py` as a plain NumPy function whose gradient srcgrad writes; both side by side.

    python examples/train_mlp_compiled.py

Prints the generated gradient, how far the losses of the two are apart over 200 steps from the same start, and what a
training step takes with either, for three sizes of the batch.
"""
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from train_mlp_eager import perceptron, spirals, train

import srcgrad.eager as torch
from srcgrad import value_and_grad

STEPS, LR, MOMENTUM = 200, 0.1, 0.9
BATCHES = (32, 512, 4096)


def loss(w1, b1, w2, b2, w3, b3, points, arms):
    h = np.tanh(points @ w1 + b1)
    h = np.tanh(h @ w2 + b2)
    z = h @ w3 + b3
    return np.mean(np.logaddexp(0.0, z) - arms * z)


gradient = value_and_grad(loss, argnums=tuple(range(6)))


def descend(weights: list[np.ndarray], points: np.ndarray, arms: np.ndarray, steps: int) -> list[float]:
    """The losses before each step; the weights are changed in place."""
    flat, parts = joined(weights)
    speed = np.zeros_like(flat)
    losses = []
    for _ in range(steps):
        value, slopes = gradient(*parts, points, arms)
        losses.append(float(value))
        speed *= MOMENTUM
        speed += np.concatenate([slope.ravel() for slope in slopes])
        flat -= LR * speed
    for weight, part in zip(weights, parts):
        weight[...] = part
    return losses


def joined(weights: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """All weights in one vector, and views of it in their shapes: one update instead of six."""
    flat = np.concatenate([w.ravel() for w in weights])
    ends = np.cumsum([w.size for w in weights])
    return flat, [part.reshape(w.shape) for part, w in zip(np.split(flat, ends[:-1]), weights)]


def start(batch: int) -> tuple[Any, list[np.ndarray], Any, Any]:
    """A model, its weights as arrays of their own (inputs x outputs), and a batch."""
    torch.manual_seed(0)
    model = perceptron()
    weights = [param.detach().numpy().T.copy() for param in model.parameters()]
    return model, weights, *spirals(batch)


def seconds(run: Callable[[int], Any], steps: int = 50, rounds: int = 7) -> float:
    """Processor time of a step: the best of several rounds, after one that doesn't count."""
    run(steps)
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        run(steps)
        times.append((time.process_time() - begin) / steps)
    return min(times)


def main() -> None:
    model, weights, points, arms = start(32)
    print(gradient.source(*weights, points.numpy(), arms.numpy()))
    eager = train(model, points, arms, STEPS, LR)
    compiled = descend(weights, points.numpy(), arms.numpy(), STEPS)
    print(f"losses: {eager[0]:.4f} to {eager[-1]:.4f}, and {compiled[0]:.4f} to {compiled[-1]:.4f}")
    print(f"greatest difference over {STEPS} steps: {np.max(np.abs(np.subtract(eager, compiled))):.1e}\n")
    print("batch   eager step   compiled step   ratio")
    for batch in BATCHES:
        model, weights, points, arms = start(batch)
        x, y = points.numpy(), arms.numpy()
        slow = seconds(lambda n: train(model, points, arms, n, LR))         # noqa: B023 - called at once
        fast = seconds(lambda n: descend(weights, x, y, n))                 # noqa: B023
        print(f"{batch:5}   {slow * 1e6:7.0f} us   {fast * 1e6:10.0f} us   {slow / fast:5.1f}")


if __name__ == "__main__":
    main()
