"""Iterators: those of the builtins where they run over other iterators, and itertools."""
from __future__ import annotations

import builtins
import itertools
import operator
from typing import Any

import numpy as np

from srcgrad.library.registry import equivalent

# ---------------------------------------------------------------- builtins


@equivalent(builtins.enumerate)
def enumerate_(iterable, start=0):
    index = start
    for item in iterable:
        yield index, item
        index = index + 1


@equivalent(builtins.map, count=2)
def map_(function, iterable, /):
    for item in iterable:
        yield function(item)


@equivalent(builtins.iter, count=1)
def iter_(iterable, /):
    for item in iterable:
        yield item


@equivalent(builtins.iter, count=2)
def until(function, sentinel, /):
    while True:
        item = function()
        if item == sentinel:
            break
        yield item


@equivalent(builtins.filter)
def filter_(function, iterable, /):
    for item in iterable:
        if item if function is None else function(item):
            yield item


def zip_sequence_first(sequence, iterable):
    """zip(sequence, iterable): the iterable isn't asked for more than is needed"""
    n = len(sequence)
    k = 0
    if n > 0:
        for item in iterable:
            yield sequence[k], item
            k = k + 1
            if k >= n:
                break


def zip_iterable_first(iterable, sequence):
    """zip(iterable, sequence)"""
    k = 0
    for item in iterable:
        if k >= len(sequence):
            break
        yield item, sequence[k]
        k = k + 1


def zip_both(first, second):
    """zip(first, second) of two iterators, the second of which ends and does nothing else"""
    others = list(second)
    k = 0
    for item in first:
        if k >= len(others):
            break
        yield item, others[k]
        k = k + 1


def transposed(rows):
    """zip(*rows)"""
    items = list(rows)
    lengths = [len(row) for row in items]
    for k in range(min(lengths, default=0)):
        yield tuple([row[k] for row in items])


@equivalent(np.ndenumerate)
def ndenumerate(arr):
    for index in np.ndindex(arr.shape):
        yield index, arr[index]


@equivalent(np.fromiter)
def fromiter(iter, dtype, count=-1):
    items = list(iter) if count < 0 else list(itertools.islice(iter, count))
    return np.array(items).astype(dtype)


# ---------------------------------------------------------------- itertools

@equivalent(itertools.count)
def count(start=0, step=1):
    value = start
    while True:
        yield value
        value = value + step


@equivalent(itertools.repeat, count=1)
def repeat_for_ever(object):
    while True:
        yield object


@equivalent(itertools.repeat)
def repeat(object, times):
    for _ in range(times):
        yield object


@equivalent(itertools.cycle)
def cycle(iterable, /):
    items = list(iterable)
    while len(items) > 0:
        for item in items:
            yield item


@equivalent(itertools.chain)
def chain(*iterables):
    for iterable in iterables:
        for item in iterable:
            yield item


@equivalent(itertools.chain.from_iterable)
def chain_from_iterable(iterable, /):
    for part in iterable:
        for item in part:
            yield item


@equivalent(itertools.accumulate, count=1)
def accumulated_sums(iterable):
    started = False
    for item in iterable:
        if not started:
            total = item
            started = True
        else:
            total = total + item
        yield total


@equivalent(itertools.accumulate, count=2)
def accumulated(iterable, func):
    started = False
    for item in iterable:
        if not started:
            total = item
            started = True
        else:
            total = func(total, item)
        yield total


@equivalent(itertools.accumulate)
def accumulate(iterable, func=operator.add, *, initial):
    total = initial
    yield total
    for item in iterable:
        total = func(total, item)
        yield total


@equivalent(itertools.islice, count=2, last=...)
def all_of(iterable, stop, /):
    for item in iterable:
        yield item


@equivalent(itertools.islice, count=2)
def first_of(iterable, stop, /):
    k = 0
    if stop > 0:
        for item in iterable:
            yield item
            k = k + 1
            if k >= stop:
                break


@equivalent(itertools.islice, count=3, last=...)
def all_from(iterable, start, stop, /):
    k = 0
    for item in iterable:
        if k >= start:
            yield item
        k = k + 1


@equivalent(itertools.islice, count=3)
def between(iterable, start, stop, /):
    k = 0
    if stop > 0:
        for item in iterable:
            if k >= start:
                yield item
            k = k + 1
            if k >= stop:
                break


@equivalent(itertools.islice, count=4)
def every_so_many(iterable, start, stop, step, /):
    k = 0
    if stop is None or stop > 0:
        for item in iterable:
            if k >= (start or 0) and (k - (start or 0)) % (step or 1) == 0:
                yield item
            k = k + 1
            if stop is not None and k >= stop:
                break


@equivalent(itertools.takewhile)
def takewhile(predicate, iterable, /):
    for item in iterable:
        if not predicate(item):
            break
        yield item


@equivalent(itertools.dropwhile)
def dropwhile(predicate, iterable, /):
    dropping = True
    for item in iterable:
        if dropping and not predicate(item):
            dropping = False
        if not dropping:
            yield item


@equivalent(itertools.filterfalse)
def filterfalse(predicate, iterable, /):
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


@equivalent(itertools.starmap)
def starmap(function, iterable, /):
    for arguments in iterable:
        yield function(*arguments)


@equivalent(itertools.pairwise)
def pairwise(iterable, /):
    started = False
    for item in iterable:
        if not started:
            last = item
            started = True
        else:
            pair = last, item
            last = item
            yield pair


@equivalent(itertools.compress)
def compress(data, selectors):
    for item, selected in zip(data, selectors):
        if selected:
            yield item


@equivalent(itertools.product, count=1)
def product_of_one(iterable, /):
    for item in iterable:
        yield item,


@equivalent(itertools.product, count=2)
def product_of_two(first, second, /):
    others = list(second)
    for a in first:
        for b in others:
            yield a, b


@equivalent(itertools.product, count=3)
def product_of_three(first, second, third, /):
    seconds = list(second)
    thirds = list(third)
    for a in first:
        for b in seconds:
            for c in thirds:
                yield a, b, c


@equivalent(itertools.product)
def product(*iterables, repeat=1):
    pools = []
    for iterable in iterables:
        pools.append(list(iterable))
    pools = pools * repeat
    total = 1
    for pool in pools:
        total = total * len(pool)
    for number in range(total):
        items = []
        block = total
        for pool in pools:
            block = block // len(pool)
            items.append(pool[number // block % len(pool)])
        yield tuple(items)


def _taken(pool, places):
    items = []
    for k in places:
        items.append(pool[k])
    return tuple(items)


@equivalent(itertools.combinations, count=2, last=2)
def pairs(iterable, r):
    pool = list(iterable)
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            yield pool[i], pool[j]


@equivalent(itertools.combinations, count=2, last=3)
def triples(iterable, r):
    pool = list(iterable)
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            for k in range(j + 1, len(pool)):
                yield pool[i], pool[j], pool[k]


@equivalent(itertools.combinations)
def combinations(iterable, r):
    pool = list(iterable)
    for chosen in itertools.combinations(range(len(pool)), r):
        yield _taken(pool, chosen)


@equivalent(itertools.combinations_with_replacement, count=2, last=2)
def pairs_with_replacement(iterable, r):
    pool = list(iterable)
    for i in range(len(pool)):
        for j in range(i, len(pool)):
            yield pool[i], pool[j]


@equivalent(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable, r):
    pool = list(iterable)
    for chosen in itertools.combinations_with_replacement(range(len(pool)), r):
        yield _taken(pool, chosen)


@equivalent(itertools.permutations, count=2, last=2)
def ordered_pairs(iterable, r):
    pool = list(iterable)
    for i in range(len(pool)):
        for j in range(len(pool)):
            if i != j:
                yield pool[i], pool[j]


@equivalent(itertools.permutations)
def permutations(iterable, r=None):
    pool = list(iterable)
    for chosen in itertools.permutations(range(len(pool)), r):
        yield _taken(pool, chosen)


@equivalent(itertools.zip_longest, count=2)
def zip_longest(first, second, /):
    a = list(first)
    b = list(second)
    for k in range(max(len(a), len(b))):
        yield (a[k] if k < len(a) else None), (b[k] if k < len(b) else None)


@equivalent(itertools.zip_longest, count=2, keywords=True)
def zip_longest_filled(first, second, /, *, fillvalue):
    a = list(first)
    b = list(second)
    for k in range(max(len(a), len(b))):
        yield (a[k] if k < len(a) else fillvalue), (b[k] if k < len(b) else fillvalue)


@equivalent(itertools.zip_longest)
def zip_longest_of_many(*iterables, fillvalue=None):
    rows = []
    longest = 0
    for iterable in iterables:
        row = list(iterable)
        rows.append(row)
        longest = max(longest, len(row))
    for k in range(longest):
        items = []
        for row in rows:
            items.append(row[k] if k < len(row) else fillvalue)
        yield tuple(items)


@equivalent(itertools.groupby)
def groupby(iterable, key=None):
    groups: list[Any] = []
    group: list[Any] = []
    last = None
    for item in iterable:
        mark = item if key is None else key(item)
        if len(group) > 0 and mark != last:
            groups.append((last, group))
            group = []
        group.append(item)
        last = mark
    if len(group) > 0:
        groups.append((last, group))
    for found in groups:
        yield found


if hasattr(itertools, "batched"):           # Python 3.12 and later
    @equivalent(itertools.batched)
    def batched(iterable, n):
        items = list(iterable)
        for start in range(0, len(items), n):
            yield tuple(items[start:start + n])
