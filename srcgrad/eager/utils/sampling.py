"""In which order the elements of a data set are taken, and in which batches."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from srcgrad.eager.drawing import numbers

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler",
           "WeightedRandomSampler"]


class Sampler:
    """What gives indices, one after the other."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler):
    """All indices in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """All indices in an order drawn anew each time; or so many, `replacement` allowing repetitions."""

    def __init__(self, data_source: Any, replacement: bool = False, num_samples: int | None = None,
                 generator: Any = None) -> None:
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self.num_samples = len(data_source) if num_samples is None else num_samples

    def __iter__(self) -> Iterator[int]:
        rng, n = numbers(self.generator), len(self.data_source)
        if self.replacement:
            yield from rng.integers(0, n, self.num_samples).tolist()
            return
        for start in range(0, self.num_samples, max(1, n)):
            yield from rng.permutation(n).tolist()[:self.num_samples - start]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Some indices in an order drawn anew each time."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for k in numbers(self.generator).permutation(len(self.indices)).tolist():
            yield self.indices[k]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with weights."""

    def __init__(self, weights: Sequence[float], num_samples: int, replacement: bool = True,
                 generator: Any = None) -> None:
        self.weights = [float(w) for w in weights]
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        total = sum(self.weights)
        shares = [w / total for w in self.weights]
        yield from numbers(self.generator).choice(len(shares), self.num_samples, self.replacement, shares).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """The indices of a sampler in lists."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        n = len(self.sampler)                                               # type: ignore[arg-type]
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
