"""Data sets, and their elements in batches."""
from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.eager.creation import tensor
from srcgrad.eager.drawing import numbers
from srcgrad.eager.joining import stack
from srcgrad.eager.tensor import Tensor
from srcgrad.eager.utils.sampling import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = ["BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset",
           "RandomSampler", "Sampler", "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset",
           "WeightedRandomSampler", "default_collate", "get_worker_info", "random_split"]


class Dataset:
    """What has elements: `data[i]` and, as a rule, `len(data)`."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """What has elements one after the other: `iter(data)`."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class ConcatDataset(Dataset):
    """The elements of several data sets, one after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: Any) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset):
    """The elements of several iterable data sets, one after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self.datasets)


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

    def __init__(self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
                 batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable[[Any], Any] | None = None,
                 pin_memory: bool = False, drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None,
                 multiprocessing_context: Any = None, generator: Any = None, *, prefetch_factor: int | None = None,
                 persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True) -> None:
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                             "drop_last")
        if batch_size is not None and batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        self.dataset, self.num_workers, self.drop_last = dataset, num_workers, drop_last
        self.generator = generator
        self._stream = isinstance(dataset, IterableDataset)
        if self._stream and (shuffle or sampler is not None):
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified shuffle option, but got "
                             f"shuffle={shuffle}")
        if sampler is None and not self._stream:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        self.sampler = sampler
        self.batch_size = batch_size if batch_sampler is None else None
        self.batch_sampler = batch_sampler
        if batch_sampler is None and batch_size is not None and sampler is not None:
            self.batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        batched = self.batch_sampler is not None or (self._stream and batch_size is not None)
        self.collate_fn = collate_fn or (default_collate if batched else _as_tensors)

    def __len__(self) -> int:
        if self._stream:
            n, size = len(self.dataset), self.batch_size or 1
            return n // size if self.drop_last else -(-n // size)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)

    def __iter__(self) -> Iterator[Any]:
        if self._stream:
            elements = iter(self.dataset)
            for batch in elements if self.batch_size is None else BatchSampler(
                    elements, self.batch_size, self.drop_last):
                yield self.collate_fn(batch)
        elif self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
        else:
            for chosen in self.batch_sampler:
                yield self.collate_fn([self.dataset[i] for i in chosen])


def _as_tensors(item: Any) -> Any:
    """An element as it is, arrays as tensors."""
    if isinstance(item, np.ndarray):
        return tensor(item)
    if isinstance(item, (tuple, list)):
        return type(item)(map(_as_tensors, item))
    return item


def get_worker_info() -> None:
    """None: there are no workers."""
