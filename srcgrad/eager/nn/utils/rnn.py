"""Sequences of several lengths in one tensor: padded, or packed step by step."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.eager.joining import cat, stack
from srcgrad.eager.nn.functional_pad import pad
from srcgrad.eager.tensor import Tensor, wrap

__all__ = ["PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
           "unpad_sequence"]


class PackedSequence(NamedTuple):
    """The elements of all sequences, those of the first step first, and how many there are in each step."""
    data: Any
    batch_sizes: Any
    sorted_indices: Any = None
    unsorted_indices: Any = None


def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0,
                 padding_side: str = "right") -> Tensor:
    """The sequences side by side, filled up to the longest."""
    longest = max(len(s) for s in sequences)
    rows = []
    for s in sequences:
        missing = longest - len(s)
        margins = (missing, 0) if padding_side == "left" else (0, missing)
        rows.append(pad(s, [0] * (2 * (s.dim() - 1)) + list(margins), value=padding_value))
    return stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences that `pad_sequence` put together."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:int(n)] for row, n in zip(rows, lengths)]


def pack_padded_sequence(input: Any, lengths: Any, batch_first: bool = False,
                         enforce_sorted: bool = True) -> PackedSequence:
    """Padded sequences without what they were filled up with, the longest first."""
    sizes = np.asarray(lengths._a if isinstance(lengths, Tensor) else lengths, np.int64)
    if np.any(sizes <= 0):
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
                           "<= 0")
    if enforce_sorted and np.any(np.diff(sizes) > 0):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
                           "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
                           "requirement if you do not need ONNX exportability.")
    rows = input if batch_first else input.transpose(0, 1)
    order = None if enforce_sorted else np.argsort(-sizes, kind="stable")
    if order is not None:
        rows, sizes = rows[wrap(order)], sizes[order]
    counts = [int(np.sum(sizes > t)) for t in range(int(sizes[0]))]
    data = cat([rows[:n, t] for t, n in enumerate(counts)])
    back = None if order is None else wrap(np.argsort(order))
    return PackedSequence(data, wrap(np.array(counts)), None if order is None else wrap(order), back)


def pack_sequence(sequences: Sequence[Any], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of several lengths, packed."""
    return pack_padded_sequence(pad_sequence(sequences), [len(s) for s in sequences], enforce_sorted=enforce_sorted)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
                        total_length: int | None = None) -> tuple[Any, Any]:
    """The sequences filled up to the longest, or to `total_length`, and their lengths."""
    counts = sequence.batch_sizes.tolist()
    steps = sequence.data.split(counts)
    sizes = np.array([sum(n > row for n in counts) for row in range(counts[0])])
    full = [pad(x, [0] * (2 * (x.dim() - 1)) + [0, counts[0] - len(x)], value=padding_value) for x in steps]
    if total_length is not None:
        if total_length < len(full):
            raise ValueError("Expected total_length to be at least the length of the longest sequence in input, but "
                             f"got total_length={total_length} and max sequence length being {len(full)}")
        full += [full[0] * 0 + padding_value] * (total_length - len(full))
    out, lengths = stack(full), wrap(sizes)
    if sequence.unsorted_indices is not None:
        out, lengths = out[:, sequence.unsorted_indices], lengths[sequence.unsorted_indices]
    return (out.transpose(0, 1) if batch_first else out), lengths
