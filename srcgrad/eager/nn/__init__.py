"""Modules: what has parameters, and what is made of them; with torch's names, defaults and printing.

>>> import srcgrad.eager as torch
>>> model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
>>> sum(p.numel() for p in model.parameters())
65
"""
from srcgrad.eager.nn import functional, init, utils
from srcgrad.eager.nn.activations import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softmin,
    Softplus,
    Softsign,
    Tanh,
)
from srcgrad.eager.nn.containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from srcgrad.eager.nn.convolution import Conv1d, Conv2d
from srcgrad.eager.nn.linear import Bilinear, Identity, Linear
from srcgrad.eager.nn.losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MarginRankingLoss,
    MSELoss,
    NLLLoss,
    PoissonNLLLoss,
    SmoothL1Loss,
    SoftMarginLoss,
    TripletMarginLoss,
)
from srcgrad.eager.nn.module import Module
from srcgrad.eager.nn.normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm
from srcgrad.eager.nn.parameter import Parameter
from srcgrad.eager.nn.pooling import AdaptiveAvgPool1d, AdaptiveAvgPool2d, AvgPool1d, AvgPool2d, MaxPool1d, MaxPool2d
from srcgrad.eager.nn.shaping import CosineSimilarity, Dropout, Embedding, Flatten, Unflatten

__all__ = ["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss",
           "BatchNorm1d", "BatchNorm2d", "Bilinear", "CELU", "Conv1d", "Conv2d", "CosineEmbeddingLoss",
           "CosineSimilarity", "CrossEntropyLoss", "Dropout", "ELU", "Embedding", "Flatten", "GELU", "GLU",
           "GaussianNLLLoss", "GroupNorm", "Hardsigmoid", "Hardswish", "Hardtanh", "HingeEmbeddingLoss", "HuberLoss",
           "Identity", "KLDivLoss", "L1Loss", "LayerNorm", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax",
           "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d", "Mish", "Module", "ModuleDict", "ModuleList",
           "NLLLoss", "PReLU", "Parameter", "ParameterDict", "ParameterList", "PoissonNLLLoss", "ReLU", "ReLU6",
           "SELU", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "Softmax", "Softmin",
           "Softplus", "Softsign", "Tanh", "TripletMarginLoss", "Unflatten", "functional", "init", "utils"]
