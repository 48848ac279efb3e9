"""Functions and modules against what torch itself gave: values, gradients, names of nodes, printing.

`nn_expected.json` is written by `nn_cases.py` where torch is installed.
"""
from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch
from eager import nn_cases as cases

EXPECTED = json.loads(Path(__file__).with_name("nn_expected.json").read_text(encoding="utf-8"))

# torch calls these after accidents of how it composes them
OTHER_NODES = {
    "linear_batches", "linear_vector", "linear_no_bias", "glu", "bilinear", "attention", "adaptive_avg_pool1d",
    "adaptive_avg_pool2d", "batch_norm_by_statistics", "group_norm", "conv1d_unbatched", "conv2d_unbatched",
    "max_pool1d", "avg_pool1d", "pad_reflect", "pad_replicate", "pad_circular", "dropout_all",
    *(f"{loss}_{r}" for r in ("mean", "sum", "none") for loss in (
        "cross_entropy_smoothed", "cross_entropy_probabilities", "kl_div", "kl_div_log_target", "margin_ranking",
        "cosine_embedding", "triplet", "poisson", "gaussian", "hinge_embedding")),
    "cross_entropy_2d", "kl_div_batchmean", "pairwise_distance"}


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(np.array(got, float), np.array(want, float), rtol=1e-7, atol=1e-9)


def test_the_cases_are_those_that_were_recorded() -> None:
    assert EXPECTED["cases"].keys() == cases.CASES.keys()
    assert EXPECTED["modules"].keys() == cases.MODULES.keys()
    assert len(EXPECTED["reprs"]) == len(cases.REPRS)


@pytest.mark.parametrize("name", cases.CASES)
def test_function(name: str) -> None:
    want, got = EXPECTED["cases"][name], cases.run(torch, name)
    assert got["shape"] == want["shape"]
    close(got["out"], want["out"])
    for mine, theirs in zip(got["grads"], want["grads"], strict=True):
        assert (mine is None) == (theirs is None)
        if theirs is not None:
            close(mine, theirs)
    if name not in OTHER_NODES:
        assert got["node"] == want["node"]


@pytest.mark.parametrize("name", cases.MODULES)
def test_module(name: str) -> None:
    want, got = EXPECTED["modules"][name], cases.run_module(torch, name)
    for part in ("repr", "state", "modules"):
        assert got[part] == want[part]
    close(got["out"], want["out"])
    close(got["evaluated"], want["evaluated"])
    assert got["grads"].keys() == want["grads"].keys()
    for path, gradient in want["grads"].items():
        close(got["grads"][path], gradient)


@pytest.mark.parametrize("place", range(len(cases.REPRS)))
def test_printing(place: int) -> None:
    assert repr(cases.REPRS[place](torch.nn)) == EXPECTED["reprs"][place]


TWICE = [name for name in cases.CASES if not name.endswith("_at_edges") and name not in (
    "relu", "relu6", "max_pool2d_ties", "dropout_all", "bce_at_bounds", "bce_logits_large", "log_softmax_large",
    "embedding_padding")]         # the last has no gradient by intention


@pytest.mark.parametrize("name", TWICE)
def test_first_and_second_derivatives_against_differences(name: str) -> None:
    function, arrays = cases.CASES[name]
    inputs = tuple(torch.tensor(a, requires_grad=True) for a in arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.autograd.gradcheck(lambda *x: function(torch, *x), inputs)
        assert torch.autograd.gradgradcheck(lambda *x: function(torch, *x), inputs)
