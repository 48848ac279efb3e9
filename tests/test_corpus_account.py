"""What the corpus holds of the language and of arrays written in place: how many programs, how long, how mixed.

A program counts if no other one has the same kinds of statements in the same nesting.  `pytest -s` prints, for each
of the two, how many programs use each two constructs together.
"""
from __future__ import annotations

import itertools
from collections import Counter

import pytest

from corpus import PROGRAMS, Program
from corpus.skeleton import constructs, length, skeleton, tree
from harness import clone, gradient

GROUPS = {
    "language": ("beyond", "calls", "containers", "data_", "exceptions", "iteration_", "jumps", "realistic_", "whiles"),
    "in place": ("aliases", "inplace_", "stencils", "writes"),
}
FEWEST = {"language": 150, "in place": 160}

# The programs of the language that are refused, and why.
REFUSED: dict[str, str] = {
    # what stands at which place of a list isn't known, so what is written to may be an array, or a list
    "nested_list_argument": "it isn't known what is assigned to here",
    # it gives out what it reads and writes by ways of its own
    "numpy_with_callbacks": "there is no derivative rule for `numpy.nditer`",
}
MOST_REFUSED = 2


def _of(group: str) -> list[Program]:
    """The programs of a group; a name that ends in `_` is the beginning of a module's."""
    whole = {n for n in GROUPS[group] if not n.endswith("_")}
    begun = tuple(n for n in GROUPS[group] if n.endswith("_"))
    modules = {p.name: p.function.__module__.rpartition(".")[2] for p in PROGRAMS.values()}
    return [p for p in PROGRAMS.values() if modules[p.name] in whole or modules[p.name].startswith(begun)]


@pytest.mark.parametrize("group", GROUPS)
def test_number_and_size(group):
    counted = {skeleton(tree(p)): p for p in _of(group)}.values()
    assert len(counted) >= FEWEST[group]
    assert 2 * sum(length(p) >= 8 for p in counted) >= len(counted)
    assert 3 * sum(len(constructs(p)) >= 3 for p in counted) >= len(counted)
    assert all(len(p.inputs) >= 2 for p in counted)


def test_no_program_counts_twice():
    language, in_place = ({p.name for p in _of(group)} for group in GROUPS)
    assert not language & in_place


@pytest.mark.parametrize("group", GROUPS)
def test_constructs_meet(group):
    """Each of the twelve commonest constructs meets each other one in some program."""
    found = [constructs(p) for p in _of(group)]
    common = [name for name, _ in Counter(name for names in found for name in names).most_common()]
    pairs = Counter(pair for names in found for pair in itertools.combinations_with_replacement(sorted(names), 2))
    print(f"\n{group}: {len(found)} programs\n{_table(common, pairs)}")
    alone = [(a, b) for a, b in itertools.combinations(common[:12], 2) if not pairs[tuple(sorted((a, b)))]]
    assert not alone


def _table(names: list[str], pairs: Counter) -> str:
    width = max(map(len, names)) + 1
    heads = " " * (width + 3) + "".join(f"{k:>4}" for k in range(len(names)))
    rows = [f"{name:>{width}} {k:2}" + "".join(f"{pairs[tuple(sorted((name, other)))] or '.':>4}" for other in names)
            for k, name in enumerate(names)]
    return "\n".join([heads, *rows])


LANGUAGE = """
    append, assert, attribute write, augmented item, augmented name, break, call, class, comprehension, conditional,
    continue, del, dict, early return, f-string, for each, for range, generator, global, if, item write, lambda,
    loop else, match, nested loop, nonlocal, object, raise, recursion, return in loop, set, star, try, unpacking,
    walrus, while, with
"""


def test_every_construct_is_used_several_times():
    counts = Counter(name for p in _of("language") for name in constructs(p))
    assert not [name for name in map(str.strip, LANGUAGE.split(",")) if counts[name] < 2]


def test_few_are_refused():
    assert len(REFUSED) <= MOST_REFUSED and set(REFUSED) <= {p.name for p in _of("language")}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused_for_its_reason(name):
    from srcgrad.errors import UnsupportedError
    p = PROGRAMS[name]
    with pytest.raises(UnsupportedError) as refusal:
        for args in p.inputs:
            gradient(p.function, clone(args), p.wrt)
    assert REFUSED[name] in str(refusal.value)
