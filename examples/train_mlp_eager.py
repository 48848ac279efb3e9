"""A perceptron with two hidden layers learns which arm of a spiral a point lies on; a training loop as torch has it.

    python examples/train_mlp_eager.py

Only the import line differs from a script for torch.
"""
import math

import srcgrad.eager as torch
from srcgrad.eager import nn


def spirals(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Points on the two arms, and the arm: 0 or 1."""
    turn = torch.linspace(0.3, 1.0, count)
    arm = torch.arange(count) % 2
    angle = 2.0 * math.pi * turn + math.pi * arm
    points = torch.stack([turn * torch.cos(angle), turn * torch.sin(angle)], dim=1)
    return points, arm.float().unsqueeze(1)


def perceptron() -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))


def train(model: nn.Sequential, points: torch.Tensor, arms: torch.Tensor, steps: int, lr: float = 0.5) -> list[float]:
    """The losses before each step of gradient descent with momentum."""
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(points), arms)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main() -> None:
    torch.manual_seed(0)
    model = perceptron()
    points, arms = spirals(200)
    print(model)
    losses = train(model, points, arms, 400)
    for step in range(0, 400, 80):
        print(f"step {step:3}: loss {losses[step]:.4f}")
    with torch.no_grad():
        right = (model(points) > 0).float() == arms
    print(f"{right.sum().item()} of {len(arms)} points are on the right arm")


if __name__ == "__main__":
    main()
