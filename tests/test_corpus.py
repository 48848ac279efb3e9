"""The corpus of whole programs, under every option; and what the corpus itself must be."""
from __future__ import annotations

import functools
import itertools
import sys
from collections import Counter

import numpy as np
import pytest

from corpus import CORE, LATER, NASTY, PROGRAMS, Program
from corpus.skeleton import constructs, length, operations, shape, skeleton
from harness import (
    assert_fresh,
    call_derivative,
    check_core_form,
    check_pullback,
    check_value,
    clone,
    compare,
    derivative,
    differences,
    leaves,
    same,
)

# ---------------------------------------------------------------- references, once a process


@functools.cache
def wanted(p: Program) -> list[tuple]:
    """The differences at each input."""
    return [differences(p.function, args, p.wrt) for args in p.inputs]


@functools.cache
def optimised(p: Program) -> list[tuple]:
    """The gradients at each input with default options, by one derivative that meets all inputs in turn."""
    return _gradients(p)


def _gradients(p: Program, **options: bool) -> list[tuple]:
    g = derivative(p.function, p.wrt, **options)
    return [call_derivative(g, args, p.wrt) for args in p.inputs]


# ---------------------------------------------------------------- checks

def core_form(p: Program) -> None:
    check_core_form(p.function, p.inputs)


def gradient(p: Program) -> None:
    for got, want in zip(optimised(p), wanted(p)):
        compare(got, want)


def plain(p: Program) -> None:
    _agrees(p, plain=True)


def general(p: Program) -> None:
    _agrees(p, general=True)


def checked(p: Program) -> None:
    _agrees(p, checked=True)


def _agrees(p: Program, **options: bool) -> None:
    for got, want, numeric in zip(_gradients(p, **options), optimised(p), wanted(p)):
        compare(got, numeric)
        compare(got, want, rtol=1e-10, atol=1e-12)


def value(p: Program) -> None:
    for args, want in zip(p.inputs, optimised(p)):
        check_value(p.function, args, p.wrt, want)


def pullback(p: Program) -> None:
    for args, want in zip(p.inputs, optimised(p)):
        check_pullback(p.function, args, p.wrt, want)


def first_input(p: Program) -> None:
    """Optimised and plain at the first input, against differences."""
    args = p.inputs[0]
    want = differences(p.function, args, p.wrt)
    for options in ({}, {"plain": True}):
        compare(call_derivative(derivative(p.function, p.wrt, **options), args, p.wrt), want)


QUICK = (core_form, first_input)
SWEEP = (gradient, plain, general, checked, value, pullback)


def _cases(names: object) -> list:
    """Each program at its first input; under every option, and at all inputs, in the long run."""
    return [pytest.param(PROGRAMS[n], c, id=f"{n}-{c.__name__}", marks=_marks(k, c))
            for (k, n), c in itertools.product(enumerate(names), (*QUICK, *SWEEP))]


def _marks(k: int, check: object) -> list:
    """All options for one program in eight; for the others too under the marker `sweep`."""
    if check not in SWEEP:
        return []
    return [pytest.mark.long] if k % 8 == 0 else [pytest.mark.long, pytest.mark.sweep]


@pytest.mark.parametrize("p, check", _cases(CORE))
def test_program(p, check):
    check(p)


# a refusal is the same under every option, and some take a minute
@pytest.mark.long
@pytest.mark.parametrize("p, check", [
    pytest.param(PROGRAMS[n], c, id=f"{n}-{c.__name__}", marks=[pytest.mark.sweep] if c in SWEEP else [])
    for n, c in itertools.product(LATER, (*QUICK, *SWEEP))])
def test_right_or_refused(p, check):
    from srcgrad.errors import InternalError, SrcgradError
    try:
        check(p)
    except InternalError:
        raise
    except SrcgradError as refusal:
        assert str(refusal)


# ---------------------------------------------------------------- the corpus itself

@pytest.mark.long
@pytest.mark.sweep
@pytest.mark.parametrize("p", PROGRAMS.values(), ids=PROGRAMS)
def test_runs_and_is_smooth(p):
    """Each program gives the same finite number again for the same arguments, and has no kink nearby."""
    for args, slopes in zip(p.inputs, wanted(p)):
        first = p.function(*clone(args))
        assert np.ndim(first) == 0 and np.isrealobj(first) and np.isfinite(first)
        assert p.function(*clone(args)) == first
        compare(differences(p.function, args, p.wrt, step=5e-7), slopes, rtol=1e-5, atol=1e-6)
        compare(differences(p.function, args, p.wrt, step=1e-5), slopes, rtol=1e-5, atol=1e-6)


@pytest.mark.long
@pytest.mark.sweep
@pytest.mark.parametrize("p", PROGRAMS.values(), ids=PROGRAMS)
def test_depends_on_every_active_argument(p):
    for k in range(len(p.wrt)):
        slopes = [leaf for at_input in wanted(p) for _, leaf in leaves(at_input[k]) if leaf is not None]
        assert any(np.any(np.abs(s) > 1e-6) for s in slopes), f"argument {p.wrt[k]} doesn't matter"


@pytest.mark.long
@pytest.mark.sweep
@pytest.mark.parametrize("p", PROGRAMS.values(), ids=PROGRAMS)
def test_inputs_take_different_ways(p):
    ways = [(_sizes(args), _lines_run(p, args)) for args in p.inputs]
    assert len(ways) >= 2
    for a, b in itertools.combinations(ways, 2):
        assert a != b


def _sizes(args: tuple) -> tuple:
    return tuple((path, np.shape(leaf)) for path, leaf in leaves(args))


def _lines_run(p: Program, args: tuple) -> Counter:
    seen: Counter = Counter()

    def tracer(frame, event, _):
        if frame.f_code.co_filename != p.function.__code__.co_filename:
            return None
        seen[frame.f_lineno, event] += 1
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        p.function(*clone(args))
    finally:
        sys.settrace(before)
    return seen


# Programs whose arrays have no dimension of 1 in any input; a new program must have one.
WITHOUT_A_ONE = frozenset("""
    insert_and_pop three_time_levels one_of_several callees_that_write ring_of_slices own_different_shapes out_classattr
    out_dict out_default out_closure wr_branch_alias splits the_last_writer_counts lists_as_indices heat_1d
    wave_with_three_levels gauss_seidel alternating_directions lid_driven_cavity fft_by_butterflies
    lay_reshape_of_strided lay_blocks table_updated_row_by_row views_in_lists_and_objects pieces_by_split
    the_shape_is_set blocks_in_a_loop arguments_of_many_layouts head_and_rest until_it_stops lengths_and_distances
    numbers_from_numbers some_of_endless writes_in_between made_inside epidemic_with_events network_of_local_layers
    integrator_classes accumulators_by_factory local_grid_in_place local_records schedule_by_kind
""".split())

# Further programs of a shape that another has: they are run, and counted nowhere.
ALIKE = frozenset("""
    own_different_shapes own_arguments_swapped wr_chain own_two_pairs out_closure wr_aug_ops lay_zero_d_alias lay_f32
    own_view_index rec_alias
""".split())


def test_an_input_has_a_dimension_of_one():
    missing = []
    for p in CORE.values():
        shapes = [np.shape(leaf) for args in p.inputs for _, leaf in leaves(args) if np.ndim(leaf)]
        if shapes and not any(1 in shape for shape in shapes):
            missing.append(p.name)
    assert set(missing) == WITHOUT_A_ONE


def test_some_inputs_are_empty():
    empty = [p for p in CORE.values() if any(0 in np.shape(v) or v is None or isinstance(v, int) and v == 0
                                             for args in p.inputs for _, v in leaves(args))]
    assert len(empty) >= 20


def test_shapes_are_distinct():
    groups: dict[tuple, list[str]] = {}
    for p in PROGRAMS.values():
        if p.name not in ALIKE:
            groups.setdefault(shape(p), []).append(p.name)
    assert not [names for names in groups.values() if len(names) > 1]


def test_skeleton_tells_nesting_but_not_repetition():
    import ast
    flat, longer, nested = (ast.parse(text) for text in (
        "for i in x:\n    a = i\nb = 1",
        "for i in x:\n    a = i\n    c = a\nb = 1",
        "for i in x:\n    a = i\n    b = 1"))
    assert skeleton(flat) == skeleton(longer) != skeleton(nested)


def test_size_and_variety():
    assert len(CORE) >= 130
    assert sum(length(p) >= 8 for p in CORE.values()) * 2 >= len(CORE)
    assert sum(len(constructs(p)) >= 3 for p in CORE.values()) * 3 >= len(CORE)
    assert set(LATER) <= set(PROGRAMS)
    assert len(NASTY) == 20 and set(NASTY) <= set(PROGRAMS)


def test_table_of_constructs():
    """Every two common constructs meet in some program; `pytest -s` shows in how many."""
    found = {p.name: constructs(p) for p in CORE.values()}
    counts = Counter(name for names in found.values() for name in names)
    common = [name for name, _ in counts.most_common()]
    pairs = Counter(pair for names in found.values() for pair in itertools.product(names, repeat=2))
    print("\n" + _table(common, pairs))
    for a, b in itertools.combinations(common[:10], 2):
        assert pairs[a, b], f"no program combines {a} and {b}"


def _table(names: list[str], pairs: Counter) -> str:
    width = max(map(len, names)) + 1
    rows = [f"{name:>{width}} {k:2} " + "".join(f"{pairs[name, other] or '.':>4}" for other in names)
            for k, name in enumerate(names)]
    return "\n".join([" " * (width + 4) + "".join(f"{k:>4}" for k in range(len(names))), *rows])


COMMON = """
    np.sin np.cos np.tan np.arcsin np.arccos np.arctan np.arctan2 np.sinh np.cosh np.tanh np.exp np.expm1 np.log
    np.log1p np.log2 np.log10 np.sqrt np.square np.abs np.sign np.power np.reciprocal np.negative np.hypot np.logaddexp
    np.add np.subtract np.multiply np.divide np.maximum np.minimum np.clip np.where np.floor np.mod
    np.sum np.prod np.mean np.std np.max np.min np.cumsum np.cumprod np.average np.any np.argmax np.argmin
    np.dot np.vdot np.inner np.outer np.matmul np.tensordot np.einsum np.kron np.cross np.trace np.diag np.diagonal
    np.tril np.triu np.linalg.norm np.linalg.solve np.linalg.inv np.linalg.det np.linalg.slogdet np.linalg.cholesky
    np.swapaxes np.moveaxis np.expand_dims np.squeeze np.broadcast_to np.flip np.roll np.repeat np.tile np.newaxis
    np.concatenate np.stack np.hstack np.vstack np.column_stack np.append np.split np.pad np.take np.diff np.sort
    np.argsort np.searchsorted np.nonzero np.zeros np.ones np.zeros_like np.ones_like np.full np.empty np.eye np.arange
    np.linspace np.array np.asarray np.add.at .sum .mean .dot .T .reshape .copy .ravel .flatten .transpose .max .min
    .prod .var .cumsum .trace .clip .item .fill .shape .size .ndim math.sin math.cos math.tan math.exp math.log
    math.sqrt math.atan math.atan2 math.tanh math.hypot math.log1p math.pi
""".split()


def test_common_operations_are_used():
    used = set().union(*(operations(p) for p in CORE.values()))
    assert sorted(set(COMMON) - used) == []


# ---------------------------------------------------------------- the harness itself

def test_clone_keeps_layout_and_sharing():
    base = np.arange(24.0)
    fortran = np.asfortranarray(base.reshape(4, 6))
    args = (base[::-2], {"part": base[3:9], "rows": fortran[::-1, 1:]}, [fortran.T])
    a, inner, (t,) = clone(args)
    same((a, inner, [t]), args)
    assert a.strides == (-16,) and inner["rows"].strides == args[1]["rows"].strides
    assert np.shares_memory(a, inner["part"]) and np.shares_memory(inner["rows"], t)
    assert not any(np.shares_memory(v, w) for _, v in leaves((a, inner, t)) for w in (base, fortran))


def test_differences_follow_the_structure():
    def f(params, k):
        return params["w"][0] ** 2 * params["b"] + k * np.sum(params["w"])

    slopes, = differences(f, ({"w": np.array([3.0, 1.0]), "b": 2.0, "name": "p"}, 4), (0,))
    compare(slopes, {"w": np.array([16.0, 4.0]), "b": 9.0, "name": None})


@pytest.mark.parametrize("got, want", [
    (np.array([1.0, 2.0]), np.array([1.0, 2.001])), (np.array([1.0, np.nan]), np.array([1.0, 2.0])),
    (np.array([1.0]), np.float64(1.0)), (None, 1.0), ((1.0,), (1.0, 1.0)), ({"a": 1.0}, {"b": 1.0}),
])
def test_compare_sees(got, want):
    with pytest.raises(AssertionError):
        compare(got, want)


@pytest.mark.parametrize("results", [lambda x, y: (x[1:], y * 1.0), lambda x, y: (x.copy(),) * 2,
                                     lambda x, y: (np.broadcast_to(0.0, (2,)), y + x)])
def test_fresh_sees(results):
    x, y = np.ones(3), np.ones(3)
    assert_fresh((x.copy(), y.copy()), (x, y))
    with pytest.raises(AssertionError):
        assert_fresh(results(x, y), (x, y))
