"""Attention of several heads, and what transformers are made of (Vaswani et al., 2017)."""
from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from srcgrad.eager.nn import functional as F
from srcgrad.eager.nn import init
from srcgrad.eager.nn.containers import ModuleList
from srcgrad.eager.nn.fresh import full, zeros
from srcgrad.eager.nn.linear import Linear
from srcgrad.eager.nn.module import Module
from srcgrad.eager.nn.normalization import LayerNorm
from srcgrad.eager.nn.parameter import Parameter
from srcgrad.eager.nn.shaping import Dropout
from srcgrad.eager.nn.tensors import Tensor


class NonDynamicallyQuantizableLinear(Linear):
    """Torch's name for the projection of the heads' outputs."""


class MultiheadAttention(Module):
    """What several heads look up in `value`, by how their queries fit the keys; and their mean weights.

    >>> import srcgrad.eager as torch
    >>> x = torch.zeros(5, 1, 4)
    >>> out, weights = torch.nn.MultiheadAttention(4, 2)(x, x, x)
    >>> out.shape, weights.shape
    (torch.Size([5, 1, 4]), torch.Size([1, 5, 5]))
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
                 add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
                 vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                             f"num_heads={num_heads} instead")
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError("MultiheadAttention: add_bias_kv and add_zero_attn aren't there: join rows to "
                                      "key and value before")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._same = self.kdim == self.vdim == embed_dim
        wide = {"dtype": dtype, "device": device}
        shapes = {"in_proj_weight": (3 * embed_dim, embed_dim), "q_proj_weight": (embed_dim, embed_dim),
                  "k_proj_weight": (embed_dim, self.kdim), "v_proj_weight": (embed_dim, self.vdim)}
        for name, shape in shapes.items():
            wanted = self._same == (name == "in_proj_weight")
            self.register_parameter(name, Parameter(zeros(*shape, **wide)) if wanted else None)
        self.register_parameter("in_proj_bias", Parameter(zeros(3 * embed_dim, **wide)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **wide)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the projections as Glorot does; no shifts."""
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if self._parameters[name] is not None:
                init.xavier_uniform_(self._parameters[name])
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
                need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
                is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
        batched = query.dim() == 3
        given = [x if batched else x.unsqueeze(0) for x in (query, key, value)]
        if batched and not self.batch_first:
            given = [x.transpose(0, 1) for x in given]
        q, k, v = (self._heads(x, *pair) for x, pair in zip(given, self._projections()))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        scores = _masked(scores, attn_mask, key_padding_mask if batched or key_padding_mask is None
                         else key_padding_mask.unsqueeze(0))
        weights = scores.softmax(-1)
        if self.dropout and self.training:
            weights = F.dropout(weights, self.dropout)
        out = (weights @ v).transpose(1, 2).flatten(2)
        out = self.out_proj(out)
        if not batched:
            out = out.squeeze(0)
        elif not self.batch_first:
            out = out.transpose(0, 1)
        if not need_weights:
            return out, None
        shown = weights.mean(1) if average_attn_weights else weights
        return out, shown if batched else shown.squeeze(0)

    def _projections(self) -> list[tuple[Any, Any]]:
        """Weight and shift of queries, keys and values."""
        weights: Any = self.in_proj_weight.chunk(3) if self._same else (
            self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        shifts = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return list(zip(weights, shifts))

    def _heads(self, x: Tensor, weight: Tensor, shift: Tensor | None) -> Any:
        """(batch, length, features) projected, as (batch, heads, length, features of a head)."""
        found: Any = F.linear(x, weight, shift)
        return found.reshape(*found.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)


def _masked(scores: Any, mask: Any, padding: Any) -> Any:
    """The scores, minus infinity where masks are true; masks of numbers are added."""
    if mask is not None:
        if mask.dim() == 3:
            mask = mask.reshape(scores.shape[0], -1, *mask.shape[1:])
        scores = scores.masked_fill(mask, -math.inf) if mask._a.dtype == bool else scores + mask
    if padding is not None:
        padding = padding[:, None, None, :]
        scores = scores.masked_fill(padding, -math.inf) if padding._a.dtype == bool else scores + padding
    return scores


# ---------------------------------------------------------------- layers

def _activation(given: Any) -> Callable[[Any], Any]:
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return F.relu if given == "relu" else F.gelu


class _Layer(Module):
    """Attention, then a network of two layers for each place, each beside a path around it."""

    def _make(self, d_model: int, nhead: int, wide: int, dropout: float, activation: Any, eps: float, norm_first: bool,
              attentions: tuple[str, ...], attention: dict[str, Any], linear: dict[str, Any]) -> None:
        for name in attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, **attention, **linear))
        self.linear1 = Linear(d_model, wide, **linear)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(wide, d_model, **linear)
        self.norm_first = norm_first
        count = len(attentions) + 1
        for k in range(1, count + 1):
            setattr(self, f"norm{k}", LayerNorm(d_model, eps, **linear))
        for k in range(1, count + 1):
            setattr(self, f"dropout{k}", Dropout(dropout))
        self.activation = _activation(activation)

    def _beside(self, x: Any, k: int, block: Callable[[Any], Any]) -> Any:
        """`x` and what the block makes of it, normalised before or after."""
        norm, dropout = getattr(self, f"norm{k}"), getattr(self, f"dropout{k}")
        if self.norm_first:
            return x + dropout(block(norm(x)))
        return norm(x + dropout(block(x)))

    def _feed_forward(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Attention to the sequence itself and a network for each place."""

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: Any = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self._make(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, norm_first, ("self_attn",),
                   {"batch_first": batch_first}, {"bias": bias, "device": device, "dtype": dtype})

    def forward(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                is_causal: bool = False) -> Any:
        x = self._beside(src, 1, lambda x: self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0])
        return self._beside(x, 2, self._feed_forward)


class TransformerDecoderLayer(_Layer):
    """Attention to the sequence itself, then to what the encoder gave, and a network for each place."""

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: Any = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self._make(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, norm_first,
                   ("self_attn", "multihead_attn"), {"batch_first": batch_first},
                   {"bias": bias, "device": device, "dtype": dtype})

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                tgt_is_causal: bool = False, memory_is_causal: bool = False) -> Any:
        x = self._beside(tgt, 1, lambda x: self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0])
        x = self._beside(x, 2, lambda x: self.multihead_attn(x, memory, memory, memory_key_padding_mask, False,
                                                             memory_mask)[0])
        return self._beside(x, 3, self._feed_forward)


class _Stack(Module):
    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm


class TransformerEncoder(_Stack):
    """Several encoder layers, one after the other."""

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
                 enable_nested_tensor: bool = True, mask_check: bool = True) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                is_causal: bool | None = None) -> Any:
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(_Stack):
    """Several decoder layers, one after the other."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Any:
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder."""

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
                 dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = F.relu,
                 custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5,
                 batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
                 device, dtype)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.encoder = custom_encoder if custom_encoder is not None else TransformerEncoder(
            TransformerEncoderLayer(*layer), num_encoder_layers, norm())
        self.decoder = custom_decoder if custom_decoder is not None else TransformerDecoder(
            TransformerDecoderLayer(*layer), num_decoder_layers, norm())
        for param in self.parameters():
            if param.dim() > 1:
                init.xavier_uniform_(param)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
                memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                **hints: Any) -> Any:
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Minus infinity above the diagonal, to be added: nothing looks ahead."""
        mask: Any = full((sz, sz), -math.inf, dtype, device)
        return mask.triu(1)

