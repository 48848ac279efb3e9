"""The builtin functions."""
from __future__ import annotations

import builtins

from srcgrad.library.registry import equivalent


class Missing:
    """What a parameter is that isn't given, where None is something else."""


@equivalent(builtins.sum)
def sum_(iterable, /, start=0):
    total = start
    for item in iterable:
        total = total + item
    return total


@equivalent(builtins.list)
def list_(iterable=(), /):
    items = []
    for item in iterable:
        items.append(item)
    return items


@equivalent(builtins.sorted)
def sorted_(iterable, /, *, key=None, reverse=False):
    items = list(iterable)
    items.sort(key=key, reverse=reverse)
    return items


@equivalent(builtins.next)
def next_(iterator, default=Missing, /):
    for item in iterator:
        return item
    if default is Missing:
        raise StopIteration
    return default


@equivalent(builtins.any)
def any_(iterable, /):
    for item in iterable:
        if item:
            return True
    return False


@equivalent(builtins.all)
def all_(iterable, /):
    for item in iterable:
        if not item:
            return False
    return True


@equivalent(builtins.divmod)
def divmod_(x, y, /):
    return x // y, x % y


@equivalent(builtins.min)
def min_(first, /, *others, key=None, default=Missing):
    if others:
        if key is None:
            return _least((first, *others), default)
        return _least_by((first, *others), key, default)
    if key is None:
        return _least(first, default)
    return _least_by(first, key, default)


def _least(items, default):
    found = False
    for item in items:
        if not found:
            least = item
            found = True
        elif item < least:
            least = item
    if found:
        return least
    if default is Missing:
        raise ValueError("min() iterable argument is empty")
    return default


def _least_by(items, key, default):
    found = False
    for item in items:
        item_key = key(item)
        if not found:
            least = item
            least_key = item_key
            found = True
        elif item_key < least_key:
            least = item
            least_key = item_key
    if found:
        return least
    if default is Missing:
        raise ValueError("min() iterable argument is empty")
    return default


@equivalent(builtins.max)
def max_(first, /, *others, key=None, default=Missing):
    if others:
        if key is None:
            return _greatest((first, *others), default)
        return _greatest_by((first, *others), key, default)
    if key is None:
        return _greatest(first, default)
    return _greatest_by(first, key, default)


def _greatest(items, default):
    found = False
    for item in items:
        if not found:
            greatest = item
            found = True
        elif item > greatest:
            greatest = item
    if found:
        return greatest
    if default is Missing:
        raise ValueError("max() iterable argument is empty")
    return default


def _greatest_by(items, key, default):
    found = False
    for item in items:
        item_key = key(item)
        if not found:
            greatest = item
            greatest_key = item_key
            found = True
        elif item_key > greatest_key:
            greatest = item
            greatest_key = item_key
    if found:
        return greatest
    if default is Missing:
        raise ValueError("max() iterable argument is empty")
    return default
