"""Optimizers: what takes gradients and changes parameters, with torch's formulas and defaults.

>>> import srcgrad.eager as torch
>>> x = torch.tensor([1.0], requires_grad=True)
>>> optimizer = torch.optim.SGD([x], lr=0.25)
>>> (x ** 2).sum().backward()
>>> optimizer.step()
>>> x
tensor([0.5000], requires_grad=True)
"""
from srcgrad.eager.optim import lr_scheduler
from srcgrad.eager.optim.adagrad import Adagrad
from srcgrad.eager.optim.adam import Adam, AdamW
from srcgrad.eager.optim.by_sign import ASGD, Rprop
from srcgrad.eager.optim.lbfgs import LBFGS
from srcgrad.eager.optim.optimizer import Optimizer
from srcgrad.eager.optim.rmsprop import RMSprop
from srcgrad.eager.optim.sgd import SGD
from srcgrad.eager.optim.variants import Adadelta, Adamax, NAdam, RAdam

__all__ = ["ASGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "NAdam", "Optimizer", "RAdam", "RMSprop",
           "Rprop", "SGD", "lr_scheduler"]
