"""The pipeline: from a function to the source of its derivative.  The only file that knows the order of the passes."""
from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from srcgrad.analysis.general import generalise
from srcgrad.analysis.guards import Guard
from srcgrad.analysis.interpret.interpreter import Entry, Facts, interpret
from srcgrad.analysis.reality import holds_complex, is_real, meets_complex
from srcgrad.analysis.sizes import Sizes, facts_as_guards
from srcgrad.analysis.values import Value
from srcgrad.errors import UnsupportedError
from srcgrad.lang import printing
from srcgrad.lang.core import Code, Const, Name, Statement, suspends
from srcgrad.lang.source import Found, find
from srcgrad.lang.verify import verify
from srcgrad.options import Options
from srcgrad.passes.apart import apart
from srcgrad.passes.assemble import Assembler, Parts
from srcgrad.passes.callees import Callees, Compiled
from srcgrad.passes.check import Checker
from srcgrad.passes.cut import cut
from srcgrad.passes.finish import Finished, finish, finish_callee, load_code
from srcgrad.passes.inline import check_settled, inline_all
from srcgrad.passes.needs import Needs
from srcgrad.passes.outer_names import check_outer_names, hold_outer_names
from srcgrad.passes.outside import hold_outside
from srcgrad.passes.place import Placed, place
from srcgrad.passes.prepare import prepare
from srcgrad.passes.resolve import resolve
from srcgrad.passes.reverse.adjoints import State
from srcgrad.passes.reverse.backward import Backward
from srcgrad.passes.reverse.context import Context, Mixed
from srcgrad.passes.reverse.steps import Step, check_reachable
from srcgrad.passes.split import split
from srcgrad.passes.tries import Tries
from srcgrad.passes.unit import Unit, unit_of
from srcgrad.passes.versions import number_versions

Result = TypeVar("Result")


@dataclass(frozen=True)
class Request:
    """What is asked for: `wrt` are indices into the function's parameters; mode is grad, value_and_grad or vjp."""
    wrt: tuple[int, ...]
    mode: str = "grad"
    has_aux: bool = False
    options: Options = Options()


@dataclass(frozen=True)
class Artifact:
    """A compiled derivative.

    text        the whole generated source
    forward     takes all parameters positionally.  grad: the gradient (a tuple of several; with aux
                (gradients, aux)); value_and_grad: (value, gradients); vjp: (value, record)
    pullback    vjp: takes (record, the cotangent of the value), any number of times
    guards      what else was assumed
    arguments   what it was specialised on
    """
    text: str
    forward: Callable
    pullback: Callable | None
    guards: tuple[Guard, ...]
    arguments: tuple[Value, ...]


def compile_gradient(found: Found, values: tuple[Value, ...], request: Request,
                     samples: tuple[Any, ...] | None = None) -> Artifact:
    """Compiles the derivative of a function for these kinds of arguments; `samples` are the arguments themselves."""
    with _rare_collections():
        made = _final(found, values, request, samples)
    guards = facts_as_guards(made.guards, tuple(p.name for p in made.params))
    return Artifact(made.text, made.forward, made.pullback, guards, made.arguments)


def _final(found: Found, values: tuple[Value, ...], request: Request, samples: tuple[Any, ...] | None) -> Finished:
    # a function of its own, so that most of what was made is gone when collections are frequent again
    *_, (_, last) = _stages(found, values, request, samples)
    assert not isinstance(last, Code)
    return last()


_compiling = threading.Lock()
_thresholds: list[tuple[int, int, int]] = []        # what to put back: one entry a compilation that is running
_MANY = 500_000


@contextmanager
def _rare_collections() -> Iterator[None]:
    """A compilation makes millions of small objects and few cycles: looking for cycles rarely saves a tenth of it."""
    with _compiling:
        before = gc.get_threshold()
        _thresholds.append(before)
        if 0 < before[0] < _MANY:
            gc.set_threshold(_MANY, *before[1:])
    try:
        yield
    finally:
        with _compiling:
            first = _thresholds[0]
            _thresholds.pop()
            if not _thresholds:
                gc.set_threshold(*first)


def stages(found: Found, values: tuple[Value, ...], request: Request,
           samples: tuple[Any, ...] | None = None) -> Iterator[tuple[str, str]]:
    """The name of each stage with the program as it is after it: every one is valid Python."""
    for name, stage in _stages(found, values, request, samples):
        yield name, printing.function(stage) if isinstance(stage, Code) else stage().text


def analyse(found: Found, values: tuple[Value, ...], request: Request,
            samples: tuple[Any, ...] | None = None) -> Front:
    """The function as it is when it's about to be reversed, with all that was found out about it."""
    entry = _entry(found, values, request, samples)
    *_, (_, front) = _lower(unit_of(found), entry, Callees(_callee_facts, partial(_build_callee, request.options)))
    return front


def core_form(function: Callable) -> Callable:
    """The function in core form, to run: it gives the same results.

    >>> core_form(lambda x: x * 2)(3)
    6
    """
    unit = unit_of(find(function))
    return load_code(unit, unit.code, {})


def _stages(found: Found, values: tuple[Value, ...], request: Request,
            samples: tuple[Any, ...] | None) -> Iterator[tuple[str, Code | Callable[[], Finished]]]:
    """Generated functions are finished only when they are called for."""
    unit = unit_of(found)
    if suspends(unit.code.body):
        raise UnsupportedError(f"{found.name} is a generator, which can't be differentiated", unit.code.at,
                               "Write a plain function that returns its result.")
    entry = _entry(found, values, request, samples)
    callees = Callees(_callee_facts, partial(_build_callee, request.options))
    if not entry.complex:
        callees.guards.update({("real", p): is_real(p, v) for p, v in zip(found.signature.parameters, entry.values)})
    for name, front in _lower(unit, entry, callees):
        yield name, front.unit.code
    context, parts = _settled(front, partial(_reverse, front, request, callees))
    made = partial(finish, context, parts, request.mode, entry.values, front.origin)
    yield "plain", partial(made, optimise=False)
    yield "final", partial(made, optimise=not request.options.plain)


@dataclass(frozen=True)
class Front:
    """A function ready to be reversed: its statements split, and what is known of them."""
    unit: Unit
    facts: Facts | None = None
    counters: Mapping[Statement, str] = field(default_factory=dict)
    tries: Tries = field(default_factory=Tries)
    temporaries: frozenset[str] = frozenset()
    origin: Mapping[str, str] = field(default_factory=dict)


def _lower(unit: Unit, entry: Entry, callees: Callees) -> Iterator[tuple[str, Front]]:
    """The stages before anything is reversed; the last has the facts."""
    facts_of = partial(_facts, entry, callees, {})
    unit = hold_outer_names(cut(unit))
    yield "core", Front(_verified(unit))
    unit, facts = inline_all(unit, lambda unit, optimistic: facts_of(unit, optimistic, unit.chains), callees.kept)
    while (parted := apart(unit, facts)) is not None:
        unit, facts = parted, facts_of(parted, False, parted.chains)
    yield "inline", Front(_verified(unit))
    unit, facts = hold_outside(unit, facts, facts_of)
    unit, origin = number_versions(resolve(unit, facts))
    yield "resolve", Front(_verified(unit))
    unit, temporaries = split(unit, facts_of(unit))
    ready = prepare(unit, facts_of)
    facts = facts_of(ready.unit)
    check_settled(facts)
    check_outer_names(ready.unit, facts)
    _refuse_unmade(facts)
    made = temporaries | ready.made | ready.unit.made
    yield "split", Front(_verified(ready.unit), facts, ready.counters, ready.tries, made, origin)


def _refuse_unmade(facts: Facts) -> None:
    """What should have been rewritten before, and wasn't, has no derivative: without an error that would be zero."""
    for stmt in (*facts.replacements, *(stmt for stmt, _ in facts.rewrites)):
        if stmt in facts.before:
            raise UnsupportedError("it isn't known for certain what this does, so it can't be differentiated", stmt.at,
                                   "Decide it by a test in the same statement, or write the cases out.")


def _facts(entry: Entry, callees: Callees, assumed: dict[Any, Any], unit: Unit, optimistic: bool = False,
           chains: Mapping[Statement, tuple[Any, ...]] | None = None) -> Facts:
    """What is known of the function; with `chains`, calls may still be put in place.

    assumed: which lengths are equal, as far as that was needed before; so the next walk need not find it out.
    """
    facts = interpret(unit.code, unit.outer, entry, callees, optimistic, chains, assumed,
                      callees.work, unit.found.function, unit.steps,
                      callees.kept.wrong_guesses)
    # names that later passes take out of the program (of callees put in place, say) still decided what it is
    callees.guards.update(facts.guards)
    return facts


def _callee_facts(found: Found, entry: Entry, callees: Callees) -> Facts:
    *_, (_, front) = _lower(unit_of(found), entry, callees)
    assert front.facts is not None
    callees.complex = callees.complex or meets_complex(front.facts)
    return front.facts


def _build_callee(options: Options, found: Found, entry: Entry, result_in_place: bool, made: Compiled,
                  callees: Callees) -> str:
    """Compiles the two functions of a callee into its cells; gives their text."""
    entry = replace(entry, result_in_place=result_in_place)
    *_, (_, front) = _lower(unit_of(found), entry, callees)
    return _settled(front, partial(_reverse_callee, options, entry, result_in_place, made, callees, front), callee=True)


def _reverse_callee(options: Options, entry: Entry, result_in_place: bool, made: Compiled, callees: Callees,
                    front: Front) -> str:
    context, backward, assembler = _context(front, Request(tuple(sorted(entry.active)), "vjp", False, options), callees)
    context.takes_shadow = made.takes_shadow
    if made.takes_shadow:
        backward.contributor.shadow_name()
    state = State()
    seed = [] if result_in_place and not assembler.gives_either else assembler.seed(Name(context.takes[1]), state)
    steps = backward.block(front.unit.code.body, state)
    kept = assembler.contents_of_arguments(sorted(entry.in_place))
    placed = _placed(context, steps, seed, state, options, kept)
    parts = assembler.callee(placed, seed, state, made.gives)
    return finish_callee(context, parts, made, front.origin, optimise=not options.plain)


def _settled(front: Front, reverse: Callable[[], Result], callee: bool = False) -> Result:
    """The program reversed, where it is known of every storage whether its adjoint must lie in the shadow."""
    while True:
        try:
            return reverse()
        except Mixed as mixed:
            assert front.facts is not None
            if callee and any(s.origin == "argument" for s in mixed.storages):
                raise UnsupportedError("a container that is passed on here holds arrays some of which are written",
                                       front.unit.code.at, "Pass the arrays one by one.") from None
            for storage in mixed.storages:
                front.facts.note_written(storage)


def _entry(found: Found, values: tuple[Value, ...], request: Request, samples: tuple[Any, ...] | None) -> Entry:
    if request.options.general and samples is not None:
        values = tuple(map(generalise, values, samples))
    names = list(found.signature.parameters)
    sizes = Sizes({} if samples is None or request.options.general else dict(zip(names, samples)))
    return Entry(values, frozenset(request.wrt), sizes, complex=holds_complex(samples or ()))


def _context(front: Front, request: Request, callees: Callees) -> tuple[Context, Backward, Assembler]:
    assert front.facts is not None
    context = Context(front.unit, front.facts, request.options.plain)
    context.counters, context.tries = dict(front.counters), front.tries
    context.callees = callees
    context.complex = callees.complex = callees.complex or context.complex
    context.temporaries |= front.temporaries
    backward = Backward(context)
    return context, backward, Assembler(context, backward.contributor, request.wrt, request.has_aux)


def _reverse(front: Front, request: Request, callees: Callees) -> tuple[Context, Parts]:
    """The adjoint of every statement, then what is saved for it, then whole functions."""
    context, backward, assembler = _context(front, request, callees)
    unit = front.unit
    state = State()
    g = Name(context.takes[1]) if request.mode == "vjp" else Const(1.0)
    seed = assembler.seed(g, state)
    steps = backward.block(unit.code.body, state)
    check_reachable(steps)
    placed = _placed(context, steps, seed, state, request.options, assembler.contents_of_containers())
    if request.mode == "vjp":
        return context, assembler.split(placed, seed, state)
    return context, assembler.joint(placed, seed, state, request.mode == "value_and_grad")


def _placed(context: Context, steps: list[Step], seed: list[Statement], state: State, options: Options,
            kept: Needs = frozenset()) -> Placed:
    """What is saved has been decided; in checked mode the text also asserts what that rests on."""
    if not options.checked:
        return place(context, steps, seed, kept=kept)
    checker = Checker(context, steps)
    return checker.insert(place(context, steps, seed, kept=kept), state)


def _verified(unit: Unit) -> Unit:
    verify(unit.code)
    return unit
