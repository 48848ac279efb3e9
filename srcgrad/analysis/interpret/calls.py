"""What a call gives: known functions by rule and table, methods of arrays and lists, the user's own functions."""
from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from srcgrad.analysis.interpret import (
    attribute_dicts,
    class_statements,
    classes,
    closures,
    constructors,
    containers,
    fields,
    iterators,
    methods,
    narrowing,
    new_classes,
    operators,
    quiet,
    settable,
    texts,
    unfollowed,
)
from srcgrad.analysis.interpret.draws import refuse_active
from srcgrad.analysis.interpret.expressions import HOLE, Evaluator, numeric
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.sharing import gives_view, viewed
from srcgrad.analysis.interpret.special import SPECIAL
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env, drop_slots, reach
from srcgrad.analysis.scope import Outer, Touched
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    Closure,
    DictOf,
    Known,
    Lazy,
    ListOf,
    Number,
    ObjectOf,
    OneOf,
    RangeOf,
    Super,
    TupleOf,
    Value,
    first_length,
    held,
    members,
    number_of,
)
from srcgrad.lang.core import Attr, Call, Const, Expr, Item, Name, Star, rebuild, suspends
from srcgrad.lang.source import is_followed, is_user_function
from srcgrad.library.registry import Equivalent, equivalent_of, is_library, method_of
from srcgrad.rules.nondifferentiable import draws, is_nondifferentiable, is_pure, leaves_the_program
from srcgrad.rules.registry import has_rule
from srcgrad.rules.spellings import SYNONYMS
from srcgrad.runtime.closures import Captured
from srcgrad.runtime.copies import check_unshared
from srcgrad.runtime.outside import Setter

SEVERAL_RESULTS = frozenset((np.linalg.slogdet, np.linalg.eigh, np.linalg.svd, np.linalg.qr, np.meshgrid, np.split,
                             np.array_split, np.hsplit, np.vsplit, np.dsplit, np.gradient, np.modf, np.frexp, np.divmod,
                             np.broadcast_arrays, np.linalg.lstsq, np.linalg.eig, divmod))
SPLITS = frozenset((np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit))
# Functions that give an array or a number, whatever their arguments are.
SURELY_NUMERIC: frozenset[Any] = frozenset((
    np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.eye,
    np.identity, np.tri, np.arange, np.linspace, np.array, np.asarray, np.argmax, np.argmin, np.argsort, np.argwhere,
    np.searchsorted, np.digitize, np.round, np.isclose, np.any, np.all, np.count_nonzero, np.flatnonzero, np.isin))
READS_ITEMS = frozenset((min, max, sum, sorted, tuple, any, all))
# Functions whose rules are for numbers and arrays: what else there may be among the elements.
NUMBERS_OF: dict[Any, Any] = {sum: (ObjectOf, ListOf, TupleOf), min: ObjectOf, max: ObjectOf}
PLAIN_BUILTINS = (len, int, bool, str, abs, round, min, max, sum, isinstance, print, repr, type, id, hasattr, format,
                  float, complex, all, any, divmod, pow, callable)
# Functions that make a new array of numbers, for which no rule is needed where those aren't differentiated.
CREATORS: frozenset[Any] = frozenset((
    np.arange, np.logspace, np.geomspace, np.hamming, np.hanning, np.blackman, np.bartlett, np.kaiser, np.vander))
# Functions that never call what they are given, and those that call no method of what it holds.
_CALL_NOTHING: frozenset[Any] = frozenset((
    print, isinstance, issubclass, type, hasattr, id, repr, str, format, callable, getattr, setattr, delattr, len,
    functools.lru_cache, functools.cache, functools.update_wrapper))
_ASK_NOTHING: frozenset[Any] = frozenset((len, np.shape, np.ndim, np.size, issubclass))
# Keywords whose value decides what is computed: an int argument that is passed here is specialised on.
STRUCTURAL = frozenset(("axis", "axes", "ord", "ddof", "k", "offset", "axis1", "axis2", "keepdims", "order", "n"))


class Calls:
    """Says what a call gives; user functions that are met are noted in `callees`."""

    def __init__(self, callees: dict, user_result: Callable | None = None) -> None:
        self.callees = callees
        self.user_result = user_result
        self.env: Env = {}

    def __call__(self, ev: Evaluator, expr: Call, env: Env) -> Abstract:
        self.callees.pop((ev.site, id(expr)), None)
        ev.descents.pop((ev.site, id(expr)), None)
        self.env = env
        if isinstance(expr.func, Attr):
            if (found := attribute_dicts.call(ev, expr, expr.func, env)) is not None:
                return found
            owner = ev(expr.func.value, env)
            if isinstance(owner.value, Super):
                return classes.super_call(self, ev, expr, expr.func, owner, env)
            if not isinstance(ev.value(owner), Known):
                return methods.call(self, ev, expr, expr.func, owner, env)
        return self.called(ev, expr, ev(expr.func, env), env)

    def called(self, ev: Evaluator, expr: Call, callee: Abstract, env: Env) -> Abstract:
        """What calling the value gives."""
        function = ev.value(callee)
        if callee.partial and (wait := narrowing.unsure(ev, expr, 0, callee, is_method=False)) is not None:
            self.arguments(ev, expr, env, inlined=True)
            return wait
        if any(isinstance(m, Closure) and m.function in ev.heap.escaping for m in members(function)):
            self.arguments(ev, expr, env, inlined=True)
            return NOT_YET              # it is going to be an object that says which function it is
        if isinstance(function, Closure) and fields.forwarded(function.function, (), (), expr.at) is not None:
            self.arguments(ev, expr, env, inlined=True)
            return ev.rewrite(expr, partial(_forwarded, function, expr))
        if isinstance(function, Known) and isinstance(function.obj, type):
            made = constructors.construct(self, ev, expr, function.obj, env)
            if made is not None:
                return made
        if isinstance(function, ObjectOf) and issubclass(function.cls, Captured):
            self.arguments(ev, expr, env, inlined=True)
            return closures.call(ev, expr, function.cls)
        if isinstance(function, ObjectOf) and operators.method(function.cls, "__call__") is not None:
            fields.guard_class(ev, function.cls, "__call__")
            args, kwargs = self.arguments(ev, expr, env, inlined=True)
            return ev.rewrite(expr, lambda parts, make: _by_method(expr, parts), callee, *args, *kwargs.values())
        if isinstance(function, OneOf) \
                and (split := narrowing.by_kind(ev, expr, 0, callee, is_method=False)) is not None:
            return split
        target = function.obj if isinstance(function, Known) else function
        if target is zip and len(expr.args) == 1 and isinstance(expr.args[0], Star):
            return iterators.spread_rows(ev, expr, env)
        inlined = isinstance(function, Closure) or _user_code(target) or is_library(target) or is_followed(target) \
            or isinstance(target, types.MethodType) and equivalent_of(target) is not None \
            or _hashable(target) and target in iterators.ITERATORS and equivalent_of(target) is not None
        args, kwargs = self.arguments(ev, expr, env, inlined=inlined and target)
        if isinstance(function, Closure):
            return self.user(ev, expr, function, args, kwargs)
        if not isinstance(function, Known):
            return self.opaque(ev, expr, None, [callee, *args], kwargs)
        return self.known(ev, expr, function.obj, args, kwargs, env)

    def arguments(self, ev: Evaluator, expr: Call, env: Env,
                  inlined: Any = False) -> tuple[list[Abstract], dict[str, Abstract]]:
        """The arguments one by one; what is spread must have a known length, unless the callee is put in place."""
        args: list[Abstract] = []
        for arg in expr.args:
            if isinstance(arg, Star) and inlined:
                item = ev(arg.value, env)
                if isinstance(item.value, Lazy) and item.active and isinstance(arg.value, Call):
                    item = self._listed(ev, arg.value, item)
                if not _takes_any_number(inlined):
                    self._assume_length(ev, item)
                args.extend([item] if item.items is None else item.items)
            else:
                args.extend(containers.spread(ev, arg, env) if isinstance(arg, Star) else [ev(arg, env)])
        kwargs = {}
        for name, value in expr.kwargs:
            item = ev(value, env)
            if name is not None:
                kwargs[name] = self._specialise(ev, name, item)
            elif inlined:
                kwargs["**"] = item
            else:
                kwargs.update(self._spread_keywords(ev, value, item, env))
        return args, kwargs

    def _assume_length(self, ev: Evaluator, item: Abstract) -> None:
        """How many arguments an array is spread to is taken for granted: parameters with defaults depend on it."""
        form = first_length(ev.value(item))
        size = None if form is None or form.constant is not None else ev.size(form)
        if size is not None:
            ev.guards[("is", form, size)] = (form, size)

    def _spread_keywords(self, ev: Evaluator, expr: Expr, item: Abstract, env: Env) -> dict[str, Abstract]:
        keys = containers.keys(item)
        if not isinstance(ev.value(item), DictOf) or containers.ANY in keys:
            raise Refused("the keywords that `**` spreads here aren't known", "name them one by one", expr.at)
        return {key: part for key in keys if (part := containers.read(ev, item, key, env)) is not None}

    def _specialise(self, ev: Evaluator, name: str, item: Abstract) -> Abstract:
        number = number_of(item.value)
        if name not in STRUCTURAL or isinstance(item.value, Known):
            return item
        if number is not None and number.linear is not None:
            size = ev.size(number.linear)
            if size is not None:
                ev.guards[("is", number.linear, size)] = (number.linear, size)
                return Abstract(Known(size))
        return item

    # ------------------------------------------------------------ known functions

    def known(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract],
              kwargs: dict[str, Abstract], env: Env) -> Abstract:
        """What a call of a particular function gives."""
        if function is range or function is reversed and args and isinstance(ev.value(args[0]), RangeOf):
            return Abstract(RangeOf())
        if function is list and args and isinstance(ev.value(args[0]), DictOf):
            key = containers.a_key(args[0])
            return ev.fresh(expr, ListOf(key.value), key.varied)
        if function is list and args and isinstance(ev.value(args[0]), RangeOf):
            return ev.fresh(expr, ListOf(Number("int")), False)
        if _hashable(function) and (function in iterators.ITERATORS or function in READS_ITEMS):
            keyed = [containers.is_keyed(a) and isinstance(ev.value(a), DictOf) for a in args]
            if any(keyed):
                return ev.rewrite(expr, partial(_as_lists, expr, keyed))
        special = _hashable(function) and SPECIAL.get(function)
        if special:
            found = special(self, ev, expr, args, kwargs, env)
            if found is not None:
                return found
        if class_statements.is_maker(function) \
                and (found := class_statements.of_maker(ev, expr, function, args, kwargs, env)):
            return found
        texts.check_call(ev, function, args, expr.at)
        if _hashable(function) and function in iterators.ITERATORS:
            return self.iterator(ev, expr, function, args, kwargs)
        if isinstance(function, Setter):
            cells = () if function.cell is None else ((function.name, function.cell),)
            ev.touched |= Touched(bound=frozenset((Outer(function.name, function.globals, cells),)))
            return Abstract(Known(None))
        if function is check_unshared:
            return Abstract(Known(None))
        if function in (eval, exec, locals) or function in (vars, dir) and not args:
            raise Refused(f"`{function.__name__}` reaches names that no one can follow", "use the names themselves",
                          expr.at)
        if _hashable(function) and function == np.add.at and len(args) == 3:
            for ref in args[0].refs:
                ev.heap.mark(ref.storage, written=True, active=args[2].active)
            return Abstract(Known(None))
        spelled = SYNONYMS.get(function, function) if _hashable(function) else function
        if function is next and isinstance(args[0].value, Lazy) and isinstance(expr.args[0], Name):
            return Abstract(UNKNOWN, varied=args[0].active)     # it is advanced, and may be again elsewhere
        plain = equivalent_of(function, tuple(map(iterators.constant, args)), bool(kwargs))
        ruled = has_rule(spelled) and not _holds_other_things(ev, function, args)
        changing = not (_hashable(function) and function in _CALL_NOTHING) \
            and any(quiet.is_loud_function(ev, item, env) for item in (*args, *kwargs.values()))
        if plain is not None and (plain.writes or changing or _wants_plain_form(plain, ruled, args, kwargs)):
            return self.user(ev, expr, plain.function, args, kwargs)
        if changing and not (_user_code(function) or is_library(function)):
            if _any_active(args, kwargs) and not ruled and not (_hashable(function) and is_nondifferentiable(spelled)):
                return self.opaque(ev, expr, function, args, kwargs)
            raise Refused(f"a function that changes something is passed to `{getattr(function, '__name__', 'this')}`",
                          "write it as a loop", expr.at)
        if ruled:
            return self._operation(ev, expr, function, spelled, args, kwargs)
        created = _hashable(function) and function in CREATORS and not _any_active(args, kwargs)
        if created or _hashable(function) and is_nondifferentiable(spelled) or function in PLAIN_BUILTINS:
            return self._inactive(ev, expr, function, args, kwargs)
        if isinstance(getattr(function, "__self__", None), str) and function.__name__ == "format":
            return self._introspection(ev, expr, format, [*args, *kwargs.values()])
        if _user_code(function) or is_library(function) or is_followed(function) and _any_active(args, kwargs):
            return self.user(ev, expr, function, args, kwargs)
        return self.opaque(ev, expr, function, args, kwargs)

    def _operation(self, ev: Evaluator, expr: Call, function: Any, spelled: Any, args: list[Abstract],
                   kwargs: dict[str, Abstract]) -> Abstract:
        active = any(item.active for item in [*args, *kwargs.values()])
        counts = [None if not isinstance(a, Star) or (items := ev(a.value, self.env).items) is None else len(items)
                  for a in expr.args]
        if active and any(counts):
            return ev.rewrite(expr, partial(_spread_out, expr, counts), *args)
        if active and any(isinstance(value := ev.value(a), ObjectOf) and not _is_scipys(value.cls) for a in args):
            if len(args) == len(expr.args) and not kwargs and (listed := _sequences(function, args, ev)):
                return ev.rewrite(expr, partial(_as_lists, expr, listed), *args)
            raise Refused(f"NumPy's `{getattr(function, '__name__', function)}` of an object of your own isn't "
                          "supported", "call it with the arrays that the object holds", expr.at)
        for name in ("out", "where", "casting", "dtype"):
            if active and name in kwargs and kwargs[name].value != Known(None):
                remedy = "leave it out, and cast the result by `astype`" if name == "dtype" else \
                    "write the result to a name, and what it is for on a line of its own"
                raise Refused(f"`{name}=` isn't supported yet where the arguments are differentiated", remedy, expr.at)
        plain = len(args) == len(expr.args)
        values = [ev.argument_value(e, a) for e, a in zip(expr.args, args)] if plain else [ev.value(a) for a in args]
        value = ev.result(function, values, {k: ev.value(v) for k, v in kwargs.items()})
        if spelled in SURELY_NUMERIC and value == UNKNOWN:
            value = Array(None, None)
        if active and value == UNKNOWN and len(args) == 2:
            value = self._of_sparse(ev, args)
        if spelled in SPLITS and value == UNKNOWN:
            value = ListOf(Array(None, None))
        if spelled not in SEVERAL_RESULTS:
            value = numeric(value, *(ev.value(a) for a in args))
        named = {k: ev.value(v) for k, v in kwargs.items()}
        shares = gives_view(spelled, [ev.value(a) for a in args], named)
        owner = viewed(spelled)
        if shares is not None and len(args) > owner and isinstance(ev.value(args[owner]), Array) \
                and isinstance(value, Array):
            return self.view(ev, expr, spelled, shares, value, args[owner], active, len(args) + len(kwargs) == 1)
        result = ev.fresh(expr, value, active)
        return self._elements_views(ev, result, args) if shares else result

    def _of_sparse(self, ev: Evaluator, args: list[Abstract]) -> Value:
        """What a sparse matrix and an array give: an array of as many dimensions."""
        kinds = [ev.value(a) for a in args]
        for k, (kind, other) in enumerate(zip(kinds, kinds[::-1])):
            if isinstance(kind, ObjectOf) and isinstance(other, Array) and other.dims is not None:
                data = containers.read(ev, args[k], "data", self.env)
                entries = None if data is None else ev.value(data)
                dtypes = [a.dtype for a in (entries, other) if isinstance(a, Array) and a.dtype is not None]
                dtype = np.result_type(*dtypes) if len(dtypes) == 2 else None
                return Array(dtype, (None,) * len(other.dims))
        return UNKNOWN

    def _elements_views(self, ev: Evaluator, result: Abstract, owners: list[Abstract]) -> Abstract:
        """np.split and its like: the elements of the list, or tuple, are views."""
        refs = frozenset(ref for owner in owners for ref in ev.view(owner, None))
        if result.items is not None:
            items = tuple(Abstract(part.value, refs | part.refs if isinstance(part.value, Array) else part.refs,
                                   part.varied) for part in result.items)
            ev.heap.unite(ref for part in items for ref in part.refs)
            for ref in (ref for part in items for ref in part.refs):
                ev.heap.mark(ref.storage, loose=True)
            return Abstract(result.value, result.refs, result.varied, items)
        for ref in result.refs:
            for part in list(ref.storage.fields.values()):
                ev.heap.put(ref.storage, "*", Abstract(part.value, refs, part.varied))
        return result

    def view(self, ev: Evaluator, expr: Expr, function: Any, shares: bool, value: Value, owner: Abstract, active: bool,
             alone: bool) -> Abstract:
        """A view, or what may be one; `alone`: the owner is all that the function is given."""
        transposed = function is np.transpose and alone
        refs = ev.view(owner, Attr(HOLE, "T") if transposed else None)
        if shares:
            return Abstract(value, refs, owner.varied)
        return Abstract(value, ev.perhaps_copy(expr, refs, value, active), owner.varied)

    def _inactive(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract], kwargs: dict) -> Abstract:
        if draws(function) and any(a.active for a in [*args, *kwargs.values()]):
            refuse_active(function.__name__, args, expr.at)
        if leaves_the_program(function) and any(a.active for a in [*args, *kwargs.values()]):
            raise Refused(f"a value that is differentiated is sent out of the program by `{function.__name__}`",
                          "call it outside of the function", expr.at)
        if function in (print, isinstance, type, hasattr, id, repr, str, format, callable):
            return self._introspection(ev, expr, function, args)
        if function is bool:
            quiet.check_implied(ev, args, quiet.TRUTH, expr.at)
        elif not _hashable(function) or function not in _ASK_NOTHING:
            quiet.check_inside(ev, [*args, *kwargs.values()], quiet.ANY_OF_THEM, expr.at)
        if any(isinstance(a.value, Closure) and a.active for a in [*args, *kwargs.values()]):
            raise Refused(f"a function that reads what is differentiated is passed to `{function.__name__}`",
                          "write it as a loop", expr.at)
        if not _hashable(function) or not (is_pure(function) or function in PLAIN_BUILTINS):
            return unfollowed.of_call(ev, expr, function, args, kwargs)
        value = ev.result(function, [ev.value(a) for a in args], {k: ev.value(v) for k, v in kwargs.items()})
        surely = function in SURELY_NUMERIC or isinstance(function, np.ufunc) and function.nout == 1
        result = ev.fresh(expr, Array(None, None) if surely and value == UNKNOWN else value, False)
        return self._elements_views(ev, result, args) if gives_view(function, (), {}) else result

    def _introspection(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract]) -> Abstract:
        if function in (isinstance, type) and args:
            new_classes.check_told_apart(ev, args, expr)
            settable.check_class(ev, args[:1], args[1].value.obj if len(args) == 2 and isinstance(args[1].value, Known)
                                 else None, expr.at)
        if function in (print, str, repr, format):
            quiet.check_inside(ev, args, quiet.TEXT, expr.at)
        if function is isinstance and len(args) == 2 and (classes := _classes_in(args[1].value)) is not None:
            known = narrowing.is_instance(ev.whole(args[0]), classes)
            if known is not None:
                return Abstract(Known(known))
        if function is callable and len(args) == 1:
            known = narrowing.agreed(narrowing.is_callable(m) for m in members(ev.whole(args[0])))
            if known is not None and not args[0].partial:
                return Abstract(Known(known))
        if function is type and len(args) == 1 and (cls := narrowing.class_of(ev.whole(args[0]))) is not None:
            return Abstract(Known(cls))
        if function in (str, repr, format) and any(a.active for a in args):
            ev.heap.note_text(ev.loops)
        return Abstract(Known(None) if function is print else UNKNOWN)

    def method_in_library(self, ev: Evaluator, expr: Call, name: str, owner: Abstract, args: list[Abstract],
                          kwargs: dict[str, Abstract]) -> Abstract | None:
        """A call of the plain Python form of a method, where that is needed."""
        cls = narrowing.class_of(ev.value(owner))
        plain = None if cls is None else method_of(cls, name)
        if plain is not None and (plain.writes or any(a.active for a in [owner, *args, *kwargs.values()])):
            return self.user(ev, expr, plain.function, [owner, *args], kwargs, receiver=True)
        return None

    def _listed(self, ev: Evaluator, expr: Call, item: Abstract) -> Abstract:
        """f(*iterator) spreads the list of its elements."""
        def build(parts: tuple[Expr, ...], make: Make) -> Expr:
            return Call(make.outside("list", list), (rebuild(expr, parts),), at=expr.at)
        return ev.rewrite(expr, build, item)

    def iterator(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract],
                 kwargs: dict[str, Abstract]) -> Abstract:
        """An iterator; where it has to be run in place, its generator is noted."""
        made, generator = iterators.made(ev, expr, function, args, kwargs, self.env, makes_generator(function))
        if generator is not None:
            self.callees[(ev.site, id(expr))] = (generator, False)
            ev.generators += 1
        return made

    def user(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract], kwargs: dict,
              receiver: bool = False) -> Abstract:
        method = new_classes.of_method(ev, expr, function, receiver, self.env)
        if method is not None:
            return method
        if makes_generator(function):
            made = self.iterator(ev, expr, function, args, kwargs)
            self.callees[(ev.site, id(expr))] = (function, receiver)
            return made
        if "**" in kwargs:
            if not (ev.optimistic or containers.is_settled(ev, kwargs["**"])):
                return NOT_YET                      # it may get more keys
            known = containers.keys(kwargs["**"])
            if known and all(containers.surely(ref.storage, key, self.env) and key != containers.ANY
                             for key in known for ref in kwargs["**"].refs):
                return ev.rewrite(expr, partial(_spelled, expr, known))
        self.callees[(ev.site, id(expr))] = (function, receiver)
        if self.user_result is not None:
            result = self.user_result(ev, expr, function, receiver, args, kwargs, self.env)
            if result is not None:
                drop_slots(self.env, reach([*args, *kwargs.values()]))
                return result
        return NOT_YET

    def opaque(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract], kwargs: dict) -> Abstract:
        """Code that can't be looked into: fine as long as nothing that is differentiated gets there."""
        if any(a.active for a in [*args, *kwargs.values()]):
            if function is None:
                raise unfollowed.unknown_function(ev, expr, self.env, args[1:])
            name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) \
                or type(function).__name__
            module = getattr(function, "__module__", None)
            full = f"{module}.{name}" if module and module not in ("builtins", "__main__") else name
            raise Refused(f"there is no derivative rule for `{full}`",
                          "write it with supported NumPy functions, or pass its result as an argument", expr.at)
        for item in [*args, *kwargs.values()]:
            for ref in item.refs:
                ev.heap.mark(ref.storage, loose=True)
        drop_slots(self.env, reach([*args, *kwargs.values()]))
        return unfollowed.of_call(ev, expr, function, args, kwargs)


def _wants_plain_form(plain: Equivalent, has_rule: bool, args: list[Abstract],
                      kwargs: dict[str, Abstract]) -> bool:
    """Whether a call needs the plain Python form of its function: a rule takes sequences, and no keys of them."""
    items = [*args, *kwargs.values()]
    if not any(item.active for item in items):
        return False
    special = bool(kwargs) or plain.count is not None
    return not has_rule or special or any(isinstance(item.value, Lazy) for item in items)


def _holds_other_things(ev: Evaluator, function: Any, args: list[Abstract]) -> bool:
    """Whether what is added up, or the largest of, may be something else than numbers and arrays."""
    if not _hashable(function) or function not in NUMBERS_OF:
        return False
    values = [ev.value(a) for a in args]
    parts = [*held(values[0]), *values[1:]] if values and (function is sum or len(values) == 1) else values
    return any(isinstance(m, NUMBERS_OF[function]) for part in parts for m in members(part))


def makes_generator(function: Any) -> bool:
    """Whether calling the function only makes a generator."""
    if isinstance(function, Closure):
        return suspends(function.function.code.body)
    while isinstance(function, (functools.partial, types.MethodType)):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    return isinstance(function, types.FunctionType) and bool(function.__code__.co_flags & inspect.CO_GENERATOR)


def _takes_any_number(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & inspect.CO_VARARGS)


def _user_code(function: Any) -> bool:
    return is_user_function(function)


def _as_lists(expr: Call, listed: list[bool], parts: tuple[Expr, ...], make: Make) -> Expr:
    """max(d)   ->   max(list(d)), of a dict, or of an object that gives its elements"""
    func, *given = parts
    made = [Call(make.outside("list", list), (e,), at=expr.at) if yes else e
            for e, yes in zip(given, [*listed, *(False for _ in expr.kwargs)])]
    return rebuild(expr, (func, *made))


def _sequences(function: Any, args: list[Abstract], ev: Evaluator) -> list[bool] | None:
    """Which of the arguments are objects that the function takes as the sequence of what they give."""
    asked = ("__iter__",) if isinstance(function, types.BuiltinFunctionType) else ("__len__", "__getitem__")
    classes = [value.cls if isinstance(value := ev.value(a), ObjectOf) else None for a in args]
    known = all(cls is None or all(hasattr(cls, name) for name in asked) and not hasattr(cls, "__array__")
                for cls in classes)
    return [cls is not None for cls in classes] if known else None


def _is_scipys(cls: type) -> bool:
    """Whether the rules for SciPy's functions know its objects: sparse matrices."""
    return cls.__module__.partition(".")[0] == "scipy"


def _hashable(function: Any) -> bool:
    try:
        hash(function)
    except TypeError:
        return False
    return True


def _spelled(expr: Call, keys: list[Any], parts: tuple[Expr, ...], make: Make) -> Expr:
    """f(**d)   ->   f(a=d["a"], b=d["b"])"""
    whole = rebuild(expr, parts)
    assert isinstance(whole, Call)
    kwargs: list[tuple[str | None, Expr]] = []
    for name, value in whole.kwargs:
        if name is None:
            held = make.bind(value)
            kwargs.extend((key, Item(held, Const(key), at=expr.at)) for key in keys)
        else:
            kwargs.append((name, value))
    return replace(whole, kwargs=tuple(kwargs))


def _spread_out(expr: Call, counts: list[int | None], parts: tuple[Expr, ...], make: Make) -> Expr:
    """np.multiply(*t)   ->   np.multiply(t[0], t[1])"""
    whole = rebuild(expr, parts)
    assert isinstance(whole, Call)
    args: list[Expr] = []
    for arg, count in zip(whole.args, counts):
        if isinstance(arg, Star) and count is not None:
            held = make.bind(arg.value)
            args.extend(Item(held, Const(k), at=expr.at) for k in range(count))
        else:
            args.append(arg)
    return replace(whole, args=tuple(args))


def _forwarded(closure: Closure, expr: Call, parts: tuple[Expr, ...], make: Make) -> Expr:
    whole = rebuild(expr, parts)
    assert isinstance(whole, Call)
    call = fields.forwarded(closure.function, whole.args, whole.kwargs, expr.at)
    assert call is not None
    return call


def _by_method(expr: Call, parts: tuple[Expr, ...]) -> Expr:
    """layer(x)   ->   layer.__call__(x)"""
    whole = rebuild(expr, parts)
    assert isinstance(whole, Call)
    return replace(whole, func=Attr(whole.func, "__call__", at=expr.at))


def _any_active(args: list[Abstract], kwargs: dict[str, Abstract]) -> bool:
    return any(item.active for item in [*args, *kwargs.values()])


def _classes_in(value: Value) -> Any:
    """The class, or the tuple of classes, that a value is known to be."""
    if isinstance(value, TupleOf):
        found = tuple(_classes_in(item) for item in value.items)
        return None if None in found else found
    return value.obj if isinstance(value, Known) else None
