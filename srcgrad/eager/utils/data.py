"""Data sets, and their elements in batches."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.eager.creation import tensor
from srcgrad.eager.drawing import numbers
from srcgrad.eager.joining import stack
from srcgrad.eager.tensor import Tensor

__all__ = ["DataLoader", "Dataset", "Subset", "TensorDataset", "default_collate", "random_split"]


class Dataset:
    """What has elements: `data[i]` and, as a rule, `len(data)`."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls


class TensorDataset(Dataset):
    """The rows of several tensors, taken together.

    >>> TensorDataset(tensor([1.0, 2.0]), tensor([3, 4]))[1]
    (tensor(2.), tensor(4))
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(len(t) != len(tensors[0]) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class Subset(Dataset):
    """Some elements of another data set."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Parts of these lengths, or shares, their elements drawn by chance."""
    n = len(dataset)
    sizes = [int(n * share) if isinstance(share, float) else int(share) for share in lengths]
    if any(isinstance(share, float) for share in lengths):
        for k in range(n - sum(sizes)):
            sizes[k % len(sizes)] += 1
    if sum(sizes) != n:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = numbers(generator).permutation(n).tolist()
    ends = np.cumsum(sizes).tolist()
    return [Subset(dataset, order[end - size:end]) for end, size in zip(ends, sizes)]


def default_collate(batch: list[Any]) -> Any:
    """The elements of a batch joined along a new first dimension."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch)
    if isinstance(first, dict):
        return {key: default_collate([item[key] for item in batch]) for key in first}
    if isinstance(first, (tuple, list)):
        return [default_collate(list(column)) for column in zip(*batch)]
    if isinstance(first, str):
        return batch
    return tensor(np.stack(batch) if isinstance(first, np.ndarray) else batch)


class DataLoader:
    """The elements of a data set in batches, in order or shuffled anew for each pass.

    >>> loader = DataLoader(TensorDataset(tensor([1.0, 2.0, 3.0])), batch_size=2)
    >>> [batch for batch, in loader]
    [tensor([1., 2.]), tensor([3.])]
    """

    def __init__(self, dataset: Any, batch_size: int = 1, shuffle: bool = False, *, drop_last: bool = False,
                 collate_fn: Callable[[list[Any]], Any] | None = None, generator: Any = None, num_workers: int = 0,
                 pin_memory: bool = False) -> None:
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last
        self.collate_fn = collate_fn or default_collate
        self.generator = generator

    def __len__(self) -> int:
        n = len(self.dataset)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        n = len(self.dataset)
        order = numbers(self.generator).permutation(n).tolist() if self.shuffle else range(n)
        for k in range(len(self)):
            chosen = order[k * self.batch_size:(k + 1) * self.batch_size]
            yield self.collate_fn([self.dataset[i] for i in chosen])
