"""Iterators over sequences as objects that know how far they are, for those that are kept, shared, or put away."""
from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from typing import Any

from srcgrad.library.registry import equivalent


@dataclass
class Cursor:
    """Stands for an iterator over `items`; the next one is that at `position`."""
    items: Any
    position: int

    def __iter__(self):
        return self

    def __next__(self):
        if self.position >= len(self.items):
            raise StopIteration
        return self.take()

    def more(self):
        return self.position < len(self.items)

    def take(self):
        item = self.items[self.position]
        self.position = self.position + 1
        return item


@dataclass
class ChangingCursor(Cursor):
    """Stands for an iterator over a list that may grow: once it has been at the end, it stays there."""

    def __next__(self):
        if not self.more():
            raise StopIteration
        return self.take()

    def more(self):
        if self.position >= len(self.items):
            self.position = sys.maxsize
        return self.position < len(self.items)


@dataclass
class Branch:
    """Stands for one of the iterators that `itertools.tee` makes of another one: `taken` is what was taken of that."""
    source: Any
    taken: Any
    position: int

    def __iter__(self):
        return self

    def __next__(self):
        if not self.more():
            raise StopIteration
        return self.take()

    def more(self):
        return self.position < len(self.taken) or self.source.more()

    def take(self):
        if self.position >= len(self.taken):
            self.taken.append(self.source.take())
        item = self.taken[self.position]
        self.position = self.position + 1
        return item


CURSORS = (Cursor, ChangingCursor, Branch)


def cursor_of(items):
    """iter(items), of a sequence or of what is such an object already"""
    return Cursor(items, 0)


# ---------------------------------------------------------------- one by one

def next_or(iterator, default):
    """next(iterator, default), of an object of the user"""
    try:
        return iterator.__next__()
    except StopIteration:
        return default


def next_of_cursor(cursor, default):
    """next(cursor, default)"""
    if cursor.more():
        return cursor.take()
    return default


# ---------------------------------------------------------------- several at once

def zip_iterators(first, second):
    """zip(first, second) of two objects of the user, which may be one"""
    more = True
    while more:
        try:
            a = first.__next__()
            b = second.__next__()
        except StopIteration:
            more = False
        if more:
            yield a, b


def zip_two(first, second):
    """zip(first, second) of two cursors, which may be one"""
    while first.more():
        a = first.take()
        if not second.more():
            break
        yield a, second.take()


def zip_three(first, second, third):
    """zip(first, second, third) of cursors"""
    while first.more():
        a = first.take()
        if not second.more():
            break
        b = second.take()
        if not third.more():
            break
        yield a, b, third.take()


def zip_all(*cursors):
    """zip(*cursors)"""
    more = len(cursors) > 0
    while more:
        items = []
        for cursor in cursors:
            if more and cursor.more():
                items.append(cursor.take())
            else:
                more = False
        if more:
            yield tuple(items)


def zip_longest(*cursors, fillvalue=None):
    """itertools.zip_longest(*cursors, fillvalue=fillvalue)"""
    more = True
    while more:
        more = False
        items = []
        for cursor in cursors:
            if cursor.more():
                items.append(cursor.take())
                more = True
            else:
                items.append(fillvalue)
        if more:
            yield tuple(items)


# ---------------------------------------------------------------- tee

@equivalent(itertools.tee, count=1)
@equivalent(itertools.tee, count=2, last=2)
def tee_two(iterable, n=2, /):
    return ChangingCursor(iterable, 0), ChangingCursor(iterable, 0)


@equivalent(itertools.tee, count=2, last=3)
def tee_three(iterable, n, /):
    return ChangingCursor(iterable, 0), ChangingCursor(iterable, 0), ChangingCursor(iterable, 0)


@equivalent(itertools.tee)
def tee(iterable, n, /):
    return tuple([ChangingCursor(iterable, 0) for _ in range(n)])


def branches_two(cursor):
    """tee(cursor)"""
    taken: list[Any] = []
    return Branch(cursor, taken, 0), Branch(cursor, taken, 0)


def branches(cursor, n):
    """tee(cursor, n)"""
    taken: list[Any] = []
    return tuple([Branch(cursor, taken, 0) for _ in range(n)])
