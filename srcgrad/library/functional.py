"""functools and operator."""
from __future__ import annotations

import functools
import operator

from srcgrad.library.registry import equivalent


@equivalent(functools.reduce, count=2)
def reduce_(function, iterable, /):
    started = False
    for item in iterable:
        if not started:
            total = item
            started = True
        else:
            total = function(total, item)
    if not started:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


@equivalent(functools.reduce)
def reduce_from(function, iterable, initial, /):
    total = initial
    for item in iterable:
        total = function(total, item)
    return total


@equivalent(operator.getitem)
def getitem(a, b, /):
    return a[b]


@equivalent(operator.iadd)
def iadd(a, b, /):
    a += b
    return a


@equivalent(operator.isub)
def isub(a, b, /):
    a -= b
    return a


@equivalent(operator.imul)
def imul(a, b, /):
    a *= b
    return a


@equivalent(operator.itruediv)
def itruediv(a, b, /):
    a /= b
    return a


@equivalent(operator.setitem)
def setitem(a, b, c, /):
    a[b] = c


@equivalent(operator.concat)
def concat(a, b, /):
    return a + b


@equivalent(operator.call) if hasattr(operator, "call") else lambda f: f
def call(function, /, *args, **kwargs):
    return function(*args, **kwargs)


@equivalent(operator.itemgetter, writes=True, count=1)
def itemgetter(item, /):
    return lambda owner: owner[item]


@equivalent(operator.itemgetter, writes=True, count=2)
def itemgetter_of_two(first, second, /):
    return lambda owner: (owner[first], owner[second])


@equivalent(operator.attrgetter, writes=True, count=1)
def attrgetter(attr, /):
    return lambda owner: getattr(owner, attr)


@equivalent(operator.methodcaller, writes=True, count=1)
def methodcaller(name, /):
    return lambda owner: getattr(owner, name)()


@equivalent(operator.methodcaller, writes=True, count=2)
def methodcaller_with(name, argument, /):
    return lambda owner: getattr(owner, name)(argument)
