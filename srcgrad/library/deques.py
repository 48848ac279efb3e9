"""What a deque of a longest length does, in plain Python."""
from __future__ import annotations


class BoundedDeque:
    """Stands for `collections.deque(maxlen=n)`: what comes in at one end pushes out what is at the other."""

    def __init__(self, maxlen):
        self._items = []
        self.maxlen = maxlen

    def append(self, item):
        self._items.append(item)
        if len(self._items) > self.maxlen:
            self._items.pop(0)

    def appendleft(self, item):
        self._items.insert(0, item)
        if len(self._items) > self.maxlen:
            self._items.pop()

    def extend(self, iterable):
        for item in iterable:
            self.append(item)

    def extendleft(self, iterable):
        for item in iterable:
            self.appendleft(item)

    def insert(self, index, item):
        if len(self._items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self._items.insert(index, item)

    def pop(self):
        return self._items.pop()

    def popleft(self):
        return self._items.pop(0)

    def remove(self, value):
        self._items.remove(value)

    def clear(self):
        self._items.clear()

    def reverse(self):
        self._items.reverse()

    def rotate(self, n=1):
        k = len(self._items)
        if k > 0:
            cut = -n % k
            self._items = self._items[cut:] + self._items[:cut]

    def copy(self):
        made = BoundedDeque(self.maxlen)
        made.extend(self._items)
        return made

    def count(self, value):
        return self._items.count(value)

    def index(self, value):
        return self._items.index(value)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        for item in self._items:
            yield item

    def __reversed__(self):
        for item in self._items[::-1]:
            yield item

    def __contains__(self, value):
        return value in self._items

    def __getitem__(self, index):
        return self._items[index]

    def __setitem__(self, index, value):
        self._items[index] = value

    def __delitem__(self, index):
        del self._items[index]

    def __eq__(self, other):
        if len(self._items) != len(other._items):
            return False
        for k in range(len(self._items)):
            if self._items[k] != other._items[k]:
                return False
        return True

    def __hash__(self):
        raise TypeError("unhashable type: 'collections.deque'")
