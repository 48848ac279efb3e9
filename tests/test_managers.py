"""`with`: generators as context managers, made anywhere; what a manager gives is bound like by any other statement."""
from __future__ import annotations

import contextlib

import numpy as np
import pytest

from harness import check_program
from srcgrad import grad

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
X = np.array([0.4, 1.3, 0.7, -0.5, 0.9, 1.1])


# ---------------------------------------------------------------- what isn't differentiated

@contextlib.contextmanager
def level(k):
    yield k + 1.5


class Level:
    def __init__(self, k):
        self.k = k

    def __enter__(self):
        return 2.0 * self.k

    def __exit__(self, *error):
        pass


@contextlib.contextmanager
def counting(log):
    log.append(1.0)
    yield len(log)
    log.append(2.0)


loud = False


@contextlib.contextmanager
def louder():
    global loud
    old, loud = loud, True
    try:
        yield
    finally:
        loud = old


def given_anew_in_each_iteration(x):
    total = 0.0
    for k in range(len(x)):
        with level(k) as d:
            total += d * x[k] ** 2
    return total


def given_by_a_class(x):
    total = 0.0
    levels = [Level(k) for k in range(len(x))]
    for k in range(len(x)):
        with levels[k] as d:
            total += d * x[k] ** 2
    return total


def given_by_code_that_is_not_followed(x):
    total = 0.0
    for k in range(len(x)):
        with contextlib.closing(open(__file__)) as file:
            n = len(file.read(k))
            total += n * x[k] ** 2
    return total


def changes_a_list(x):
    total, log = 0.0, []
    for k in range(len(x)):
        with counting(log) as d:
            total += d * x[k] ** 2 * len(log)
    return total * sum(log)


def changes_a_global(x):
    with louder():
        total = np.sum(x ** 2) * (3.0 if loud else 1.0)
    return total * (5.0 if loud else 1.0)


# ---------------------------------------------------------------- made inside the function

def made_inside(x):
    log = []

    @contextlib.contextmanager
    def scaled(factor):
        log.append(factor)
        yield factor * x
        log.append(2.0 * factor)
    with scaled(x[0]) as y:
        total = np.sum(y * y)
    return total + sum(log)


def cleans_up(x):
    state = {"depth": 1.0}

    @contextlib.contextmanager
    def deeper():
        state["depth"] *= 2.0
        try:
            yield state["depth"]
        finally:
            state["depth"] /= 4.0
    total = 0.0
    for e in x:
        with deeper() as d:
            if e < 0:
                continue
            total += d * e ** 2
    return total * state["depth"]


def kept_by_a_name(x):
    @contextlib.contextmanager
    def scaled(factor):
        yield factor * x
    manager = scaled(x[0])
    with manager as y:
        total = np.sum(y * y)
    with scaled(2.0) as y, scaled(x[1]) as z:
        total += np.sum(y * z)
    return total


def one_of_two_yields(x):
    @contextlib.contextmanager
    def chosen(flag):
        if flag:
            yield x[0] * 2.0
        else:
            yield x[1] ** 2
    total = 0.0
    for k in range(4):
        with chosen(k % 2 == 0) as d:
            total += d * x[k]
    return total


def left_by_return(x):
    log = []

    @contextlib.contextmanager
    def scaled(f):
        yield f * x
        log.append(f)

    def inner():
        for k in range(3):
            with scaled(x[k]) as y:
                if y[1] > 0.8:
                    return np.sum(y ** 2)
        return x[0]
    return inner() + sum(log)


# ---------------------------------------------------------------- exceptions

def catches(x):
    total = x[0]

    @contextlib.contextmanager
    def safely():
        nonlocal total
        try:
            yield
        except ValueError:
            total = total * 2.0
        finally:
            total = total + x[1]
    for e in x:
        with safely():
            total += e ** 2
            if e < 0:
                raise ValueError
            total *= x[2]
    return total


@contextlib.contextmanager
def recovering(x, log):
    try:
        yield x * 2.0
    except ZeroDivisionError:
        log.append(x[0] ** 2)
    else:
        log.append(x[1])


def recovers(x):
    log = []
    for k in range(3):
        with recovering(x, log) as y:
            log.append(y[k] * 3.0)
            if k == 1:
                raise ZeroDivisionError
            log.append(y[k])
    return sum((k + 1) * e for k, e in enumerate(log))


# ---------------------------------------------------------------- methods

class Model:
    def __init__(self, x):
        self.x, self.scale, self.training = x, 1.0, False

    @contextlib.contextmanager
    def train(self, scale):
        old = self.training, self.scale
        self.training, self.scale = True, scale
        try:
            yield self
        finally:
            self.training, self.scale = old

    def loss(self):
        return np.sum((self.x * self.scale) ** 2) * (3.0 if self.training else 1.0)


def by_method(x):
    model = Model(x)
    with model.train(x[0]) as trained:
        loss = trained.loss()
    return loss * model.loss()


@pytest.mark.parametrize("program", [
    given_anew_in_each_iteration, given_by_a_class, given_by_code_that_is_not_followed, changes_a_list,
    changes_a_global, made_inside, cleans_up, kept_by_a_name, one_of_two_yields, left_by_return, catches, recovers,
    by_method])
@each_way
def test_with(program, options):
    check_program(program, (X,), (0,), **options)


def test_binds_the_users_name():
    text = grad(given_by_code_that_is_not_followed).source(X)
    assert "with contextlib.closing(open(__file__)) as file:\n" in text
