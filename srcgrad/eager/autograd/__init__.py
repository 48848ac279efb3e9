"""What torch has under `torch.autograd`."""
from __future__ import annotations

from srcgrad.eager.autograd import function, functional, grad_mode, graph
from srcgrad.eager.autograd.anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from srcgrad.eager.autograd.calls import backward, grad
from srcgrad.eager.autograd.function import Function
from srcgrad.eager.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from srcgrad.eager.autograd.variable import Variable
from srcgrad.runtime.modes import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["Function", "GradcheckError", "Variable", "backward", "detect_anomaly", "enable_grad", "function",
           "functional", "grad", "grad_mode", "gradcheck", "gradgradcheck", "graph", "inference_mode",
           "is_anomaly_enabled",
           "no_grad", "set_detect_anomaly", "set_grad_enabled"]
