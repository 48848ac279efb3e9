"""One step of recurrent networks, and the modules that take one."""
from __future__ import annotations

import math
from typing import Any

from srcgrad.eager.nn import functional as F
from srcgrad.eager.nn import init
from srcgrad.eager.nn.fresh import zeros
from srcgrad.eager.nn.module import Module
from srcgrad.eager.nn.parameter import Parameter
from srcgrad.eager.nn.tensors import Tensor

State = Any         # the hidden state, or for LSTM a pair of it and the cell's


def rnn_step(given: Tensor, state: State, weight: Tensor, bias: Tensor | None, activate: Any) -> State:
    """The state after one step; `given` is the input times its weights."""
    return activate(given + F.linear(state, weight, bias))


def lstm_step(given: Tensor, state: State, weight: Tensor, bias: Tensor | None, _: Any) -> State:
    """The hidden state and the cell's after one step."""
    hidden, cell = state
    enter, forget, new, leave = (given + F.linear(hidden, weight, bias)).chunk(4, -1)
    cell = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
    return leave.sigmoid() * cell.tanh(), cell


def gru_step(given: Tensor, state: State, weight: Tensor, bias: Tensor | None, _: Any) -> State:
    """The state after one step."""
    own = F.linear(state, weight, bias)
    (reset, keep, new), (own_reset, own_keep, own_new) = given.chunk(3, -1), own.chunk(3, -1)
    reset, keep = (reset + own_reset).sigmoid(), (keep + own_keep).sigmoid()
    new = (new + reset * own_new).tanh()
    return (state - new) * keep + new


class _Cell(Module):
    gates: int
    step: Any

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = self.gates * hidden_size
        for name, shape in (("weight_ih", (rows, input_size)), ("weight_hh", (rows, hidden_size)),
                            ("bias_ih", (rows,)), ("bias_hh", (rows,))):
            wanted = bias or name.startswith("weight")
            self.register_parameter(name, Parameter(zeros(*shape, dtype=dtype, device=device)) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all parameters uniformly within one over the root of the hidden size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for param in self.parameters():
            init.uniform_(param, -bound, bound)

    def _start(self, input: Tensor) -> State:
        return zeros(*input.shape[:-1], self.hidden_size, dtype=input.dtype)

    def _activation(self) -> Any:
        return None

    def forward(self, input: Tensor, hx: State = None) -> State:
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {self.input_size}")
        state = self._start(input) if hx is None else hx
        given = F.linear(input, self.weight_ih, self.bias_ih)
        return type(self).step(given, state, self.weight_hh, self.bias_hh, self._activation())

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias is True else f"{text}, bias={self.bias}"


class RNNCell(_Cell):
    """`tanh(W_ih x + b_ih + W_hh h + b_hh)`, or with relu."""
    gates, step = 1, staticmethod(rnn_step)

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def _activation(self) -> Any:
        return activation(self.nonlinearity)

    def extra_repr(self) -> str:
        text = super().extra_repr()
        return text if self.nonlinearity == "tanh" else f"{text}, nonlinearity={self.nonlinearity}"


class LSTMCell(_Cell):
    """One step of long short-term memory; the state is a pair (hidden, cell)."""
    gates, step = 4, staticmethod(lstm_step)

    def _start(self, input: Tensor) -> State:
        return super()._start(input), super()._start(input)


class GRUCell(_Cell):
    """One step of a gated recurrent unit."""
    gates, step = 3, staticmethod(gru_step)


def activation(name: str) -> Any:
    """tanh or relu."""
    if name not in ("tanh", "relu"):
        raise ValueError(f"Unknown nonlinearity '{name}'. Select from 'tanh' or 'relu'.")
    return F.tanh if name == "tanh" else F.relu
