"""Recurrent networks over sequences, of several layers and in both directions."""
from __future__ import annotations

import math
import warnings
from typing import Any

from srcgrad.eager.joining import cat, stack
from srcgrad.eager.nn import functional as F
from srcgrad.eager.nn import init
from srcgrad.eager.nn.fresh import zeros
from srcgrad.eager.nn.module import Module
from srcgrad.eager.nn.parameter import Parameter
from srcgrad.eager.nn.recurrent_cells import State, activation, gru_step, lstm_step, rnn_step
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.nn.utils.rnn import PackedSequence


class RNNBase(Module):
    """Layers of cells, each of which goes over what the one below gave."""
    gates: int
    step: Any
    pair = False        # the state is one of two tensors

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        _check(hidden_size, num_layers, dropout, proj_size)
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        rows = self.gates * hidden_size
        for layer in range(num_layers):
            wide = input_size if layer == 0 else hidden_size * self._directions
            for suffix in self._suffixes(layer):
                shapes = {"weight_ih": (rows, wide), "weight_hh": (rows, hidden_size),
                          **({"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {})}
                for name, shape in shapes.items():
                    setattr(self, name + suffix, Parameter(zeros(*shape, dtype=dtype, device=device)))
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][:self._directions]

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters, a list for each layer and direction."""
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")[:4 if self.bias else 2]
        return [[getattr(self, name + suffix) for name in names]
                for layer in range(self.num_layers) for suffix in self._suffixes(layer)]

    def reset_parameters(self) -> None:
        """Draws all parameters uniformly within one over the root of the hidden size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for param in self.parameters():
            init.uniform_(param, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing: what it is for is on GPUs."""

    def _activation(self) -> Any:
        return None

    # ------------------------------------------------------------ forward

    def forward(self, input: Any, hx: State = None) -> Any:
        if isinstance(input, PackedSequence):
            sizes = [int(n) for n in input.batch_sizes]
            order, back = input.sorted_indices, input.unsorted_indices
            outs, state = self._run(list(input.data.split(sizes)), self._permuted(hx, order))
            return PackedSequence(cat(outs), input.batch_sizes, order, back), self._permuted(state, back)
        if input.dim() not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched = input.dim() == 3
        if not batched:
            return self._single(input, hx)
        steps = list(input.unbind(1 if self.batch_first else 0))
        outs, state = self._run(steps, hx)
        out = stack(outs)
        return out.transpose(0, 1) if self.batch_first else out, state

    def _single(self, input: Tensor, hx: State) -> Any:
        """Of one sequence without a dimension for the batch."""
        outs, state = self._run([row.unsqueeze(0) for row in input], self._each(hx, lambda h: h.unsqueeze(1)))
        return stack(outs).squeeze(1), self._each(state, lambda h: h.squeeze(1))

    def _permuted(self, state: State, order: Any) -> State:
        """The states of the sequences in another order."""
        return state if order is None else self._each(state, lambda h: h[:, order])

    def _each(self, state: State, f: Any) -> State:
        if state is None:
            return None
        return tuple(map(f, state)) if self.pair else f(state)

    def _run(self, steps: list[Tensor], hx: State) -> tuple[list[Tensor], State]:
        """What the last layer gives in each step, and the last states of all layers and directions."""
        if steps and steps[0].shape[-1] != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                               f"{steps[0].shape[-1]}")
        count, batch = self.num_layers * self._directions, len(steps[0])
        if hx is None:
            start = zeros(count, batch, self.hidden_size, dtype=steps[0].dtype)
            hx = (start, start) if self.pair else start
        self._each(hx, lambda h: _check_state(h, (count, batch, self.hidden_size)))
        last: list[State] = []
        for layer in range(self.num_layers):
            first = layer * self._directions
            found = [self._direction(steps, suffix, self._each(hx, lambda h, k=first + d: h[k]), reverse=d == 1)
                     for d, suffix in enumerate(self._suffixes(layer))]
            last += [state for _, state in found]
            steps = [cat(parts, -1) for parts in zip(*(outs for outs, _ in found))] if self.bidirectional \
                else found[0][0]
            if self.dropout and layer < self.num_layers - 1:
                steps = [F.dropout(x, self.dropout, self.training) for x in steps]
        states = tuple(map(stack, zip(*last))) if self.pair else stack(last)
        return steps, states

    def _direction(self, steps: list[Tensor], suffix: str, start: State, reverse: bool) -> tuple[list[Tensor], State]:
        """One layer in one direction.  Steps may be of fewer and fewer rows, as those of packed sequences are."""
        weight, own = getattr(self, "weight_ih" + suffix), getattr(self, "weight_hh" + suffix)
        bias, own_bias = (getattr(self, name + suffix, None) for name in ("bias_ih", "bias_hh"))
        sizes = [len(x) for x in steps]
        given = F.linear(cat(steps), weight, bias).split(sizes)
        activate = self._activation()
        outs: list[Any] = [None] * len(steps)
        ended: list[State] = []
        rows = sizes[-1] if reverse else sizes[0]
        state = self._each(start, lambda h: h[:rows])
        for t in (reversed(range(len(steps))) if reverse else range(len(steps))):
            if sizes[t] < rows:
                ended.append(self._each(state, lambda h, n=sizes[t]: h[n:]))
                state = self._each(state, lambda h, n=sizes[t]: h[:n])
            elif sizes[t] > rows:
                state = self._joined(state, self._each(start, lambda h, a=rows, b=sizes[t]: h[a:b]))
            rows = sizes[t]
            state = type(self).step(given[t], state, own, own_bias, activate)
            outs[t] = state[0] if self.pair else state
        for rest in reversed(ended):
            state = self._joined(state, rest)
        return outs, state

    def _joined(self, state: State, more: State) -> State:
        return tuple(cat(pair) for pair in zip(state, more)) if self.pair else cat([state, more])

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0),
                            ("bidirectional", False)):
            value = getattr(self, name)
            text += "" if value == usual else f", {name}={value}"
        return text


def _check(hidden_size: int, num_layers: int, dropout: float, proj_size: int) -> None:
    if not 0 <= dropout <= 1 or isinstance(dropout, bool):
        raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being "
                         "zeroed")
    if not isinstance(hidden_size, int):
        raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
    if hidden_size <= 0:
        raise ValueError("hidden_size must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size:
        raise NotImplementedError("srcgrad.eager has no projections of the hidden state: apply nn.Linear to the output")
    if dropout > 0 and num_layers == 1:
        warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                      f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}", UserWarning,
                      stacklevel=3)


def _check_state(state: Tensor, expected: tuple[int, ...]) -> None:
    if state.dim() != 3:
        raise RuntimeError(f"For batched 3-D input, hx should also be 3-D but got {state.dim()}-D tensor")
    if tuple(state.shape) != expected:
        raise RuntimeError(f"Expected hidden size {expected}, got {list(state.shape)}")


class RNN(RNNBase):
    """Elman's network, with tanh or relu.

    >>> import srcgrad.eager as torch
    >>> out, last = torch.nn.RNN(3, 4, num_layers=2)(torch.zeros(5, 1, 3))
    >>> out.shape, last.shape
    (torch.Size([5, 1, 4]), torch.Size([2, 1, 4]))
    """
    gates, step = 1, staticmethod(rnn_step)

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
                 bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
                 device: Any = None, dtype: Any = None) -> None:
        activation(nonlinearity)
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
                         device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def _activation(self) -> Any:
        return activation(self.nonlinearity)


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997); the state is a pair (hidden, cell)."""
    gates, step, pair = 4, staticmethod(lstm_step), True


class GRU(RNNBase):
    """Gated recurrent units (Cho et al., 2014)."""
    gates, step = 3, staticmethod(gru_step)
