"""Distributions: densities that integrate to 1, entropies and divergences by sums, printing, refusals."""
from __future__ import annotations

import math
from typing import Any

import pytest

import srcgrad.eager as torch
from srcgrad.eager import distributions as D


def wide() -> Any:
    return torch.linspace(-40.0, 40.0, 80001, dtype=torch.float64)


def double(x: Any) -> Any:
    return torch.tensor(x, dtype=torch.float64)


@pytest.mark.parametrize("d", [
    D.Normal(double(0.5), double(1.5)), D.Laplace(double(0.5), double(0.75)), D.Gamma(double(2.5), double(1.5)),
    D.Exponential(double(0.7)), D.LogNormal(double(0.2), double(0.5)), D.Beta(double(2.5), double(1.5)),
    D.Uniform(double(-1.0), double(2.5)),
])
def test_densities_entropies_and_moments(d: Any) -> None:
    x = wide()
    low = {"Gamma": 0.0, "Exponential": 0.0, "LogNormal": 0.0, "Beta": 0.0, "Uniform": -1.0}.get(type(d).__name__, -40)
    high = {"Beta": 1.0, "Uniform": 2.5}.get(type(d).__name__, 40.0)
    x = x[(x > low) & (x < high)]
    log = d.log_prob(x)
    density, step = log.exp(), 1e-3
    assert (density.sum() * step).item() == pytest.approx(1, abs=2e-3)
    assert (-(density * log).sum() * step).item() == pytest.approx(d.entropy().item(), abs=4e-3)
    assert ((density * x).sum() * step).item() == pytest.approx(d.mean.item(), abs=4e-3)
    assert ((density * (x - d.mean) ** 2).sum() * step).item() == pytest.approx(d.variance.item(), rel=6e-3)
    torch.manual_seed(1)
    drawn = d.sample((40000,))
    assert drawn.mean().item() == pytest.approx(d.mean.item(), abs=0.05)
    assert drawn.std().item() == pytest.approx(d.stddev.item(), rel=0.05)


@pytest.mark.parametrize("d", [D.Poisson(double(2.5)), D.Geometric(double(0.3)), D.Binomial(6, double(0.3))])
def test_probabilities_of_counts(d: Any) -> None:
    k = torch.arange(7 if isinstance(d, D.Binomial) else 80, dtype=torch.float64)
    p = d.log_prob(k).exp()
    assert p.sum().item() == pytest.approx(1) and (p * k).sum().item() == pytest.approx(d.mean.item())
    assert (p * (k - d.mean) ** 2).sum().item() == pytest.approx(d.variance.item())


def test_classes() -> None:
    m = D.Categorical(torch.tensor([1.0, 1.0, 2.0]))
    assert m.log_prob(torch.tensor(2)).item() == pytest.approx(math.log(0.5))
    assert m.entropy().item() == pytest.approx(1.5 * math.log(2)) and m.sample((4, 2)).shape == (4, 2)
    logits = D.Categorical(logits=torch.tensor([[0.0, 1.0], [2.0, 3.0]]))
    assert torch.allclose(logits.log_prob(torch.tensor([0, 1])), torch.tensor([-1.3133, -0.3133]), atol=1e-4)
    assert D.OneHotCategorical(torch.tensor([0.2, 0.8])).sample((3,)).sum(-1).tolist() == [1, 1, 1]
    probs = torch.tensor([0.3, 0.7], requires_grad=True)
    (-D.Categorical(probs).log_prob(torch.tensor(1)) * 2.0).backward()
    assert torch.allclose(probs.grad, torch.tensor([2.0, -0.8571]), atol=1e-4)
    with pytest.raises(ValueError, match="to be within the support"):
        m.log_prob(torch.tensor(5))


def test_gradients_reach_parameters_through_samples() -> None:
    loc = torch.zeros(3, requires_grad=True)
    d = D.Normal(loc, 1.0)
    assert d.rsample().requires_grad and not d.sample().requires_grad
    d.rsample((5,)).sum().backward()
    assert loc.grad.tolist() == [5.0, 5.0, 5.0]
    with pytest.raises(NotImplementedError, match=r"use sample\(\)"):
        D.Gamma(1.0, 1.0).rsample()


@pytest.mark.parametrize(("p", "q"), [
    (D.Normal(double(0.5), double(1.5)), D.Normal(double(-0.5), double(2.0))),
    (D.Laplace(double(0.5), double(0.75)), D.Laplace(double(0.0), double(1.0))),
    (D.Exponential(double(0.7)), D.Exponential(double(1.2))),
])
def test_divergences_are_integrals(p: Any, q: Any) -> None:
    x = wide()
    x = x[x > 0] if isinstance(p, D.Exponential) else x
    total = (p.log_prob(x).exp() * (p.log_prob(x) - q.log_prob(x))).sum() * 1e-3
    assert total.item() == pytest.approx(D.kl_divergence(p, q).item(), abs=2e-3)


def test_divergences_of_classes_and_of_different_kinds() -> None:
    p, q = D.Categorical(torch.tensor([0.5, 0.5])), D.Categorical(torch.tensor([0.25, 0.75]))
    assert D.kl_divergence(p, q).item() == pytest.approx(0.1438, abs=1e-4)
    assert D.kl_divergence(D.Bernoulli(0.3), D.Bernoulli(0.6)).item() == pytest.approx(0.1838, abs=1e-4)
    with pytest.raises(NotImplementedError, match="p type Normal and q type LogNormal"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.LogNormal(0.0, 1.0))


def test_vectors() -> None:
    cov = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
    d = D.MultivariateNormal(torch.zeros(2), cov)
    assert d.log_prob(torch.tensor([1.0, -1.0])).item() == pytest.approx(-3.2605, abs=1e-4)
    assert torch.allclose(d.covariance_matrix, cov, atol=1e-6)
    both = D.Independent(D.Normal(torch.zeros(3), torch.ones(3)), 1)
    assert both.log_prob(torch.zeros(3)).item() == pytest.approx(-2.7568, abs=1e-4) and both.event_shape == (3,)


def test_printing_and_checks() -> None:
    assert repr(D.Normal(0.0, 1.0)) == "Normal(loc: 0.0, scale: 1.0)"
    assert repr(D.Categorical(torch.ones(2))) == "Categorical(probs: torch.Size([2]))"
    with pytest.raises(ValueError, match=r"Expected parameter scale \(Tensor of shape \(\)\) of distribution Normal"):
        D.Normal(0.0, -1.0)
    with pytest.raises(ValueError, match="Either `probs` or `logits` must be specified"):
        D.Bernoulli()
