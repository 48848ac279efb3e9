"""Takes active expressions apart where a rule needs the parts; everything else stays as the user wrote it.

        y = np.sum(np.sin(x) * c)       ->      t = np.sin(x); t_1 = t * c; y = np.sum(t_1)

An operand of an active operation is afterwards a *place* (a name, or items and fields of one), or an inactive
expression.  Conditional expressions with active values become `if` statements.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import replace

from srcgrad.analysis.interpret.expressions import basic_index
from srcgrad.analysis.interpret.indexing import SliceOf
from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.values import Array, DictOf, Known, ListOf, ObjectOf, TupleOf, members, number_of
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Bool,
    Call,
    Code,
    Compare,
    Cond,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    If,
    Item,
    List,
    Name,
    Return,
    Slice,
    Star,
    Statement,
    Store,
    Try,
    Tuple,
    Unary,
    Unpack,
    While,
    With,
    blocks,
    children,
    names_read,
    rebuild,
    statements,
    walk,
    with_blocks,
)
from srcgrad.lang.names import Fresh, bound_by
from srcgrad.passes.reverse.records import record_class
from srcgrad.passes.unit import Unit


def split(unit: Unit, facts: Facts) -> tuple[Unit, frozenset[str]]:
    """The function with its active expressions taken apart, and the temporaries that were made."""
    work = _Splitter(facts, unit.code, unit.fresh, unit.lengths)
    body = work.block(unit.code.body)
    return unit.with_body(body), frozenset(work.made)


class _Splitter:
    def __init__(self, facts: Facts, code: Code, fresh: Fresh, lengths: dict[Statement, str]) -> None:
        self.facts, self.fresh, self.lengths = facts, fresh, lengths
        self.made: list[str] = []
        self.steady = _steady(code)

    def block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for stmt in block:
            out.extend(self.statement(stmt))
        return tuple(out)

    def statement(self, stmt: Statement) -> list[Statement]:
        before: list[Statement] = []
        match stmt:
            case Bind(targets, values):
                return self._bind(stmt, targets, values)
            case Store(place, op, value):
                place = self._store_place(stmt, place, before)
                if not self.active(stmt, stmt.place) and not self.active(stmt, value):
                    return [*before, *self._measured(stmt, place, replace(stmt, place=place))]
                part = self._member if op is None else self.operand
                new: Statement = replace(stmt, place=place, value=part(stmt, value, before))
                return [*before, *self._measured(stmt, place, new)]
            case Unpack(_, value, _) | Return(value):
                value = self.operand(stmt, value, before)
                if isinstance(stmt, Unpack) and (names_read(value) & set(stmt.names)
                                                 or self._gathers(stmt, stmt.value)):
                    value = self._name("t", value, before)
                return [*before, replace(stmt, value=value)]
            case Effect(Call() as call):
                return self._effect(stmt, call)
            case If():
                test = self._test(stmt, before)
                return [*before, replace(stmt, test=test, body=self.block(stmt.body), orelse=self.block(stmt.orelse))]
            case For() | While() | Try() | With():
                return [with_blocks(stmt, tuple(self.block(b) for b in blocks(stmt)))]
        return [stmt]

    def _test(self, stmt: If, before: list[Statement]) -> Expr:
        """The decision as a name: the backward pass may want it."""
        if self._can_be_asked_again(stmt, stmt.test):
            return stmt.test
        return self._decision(stmt, stmt.test, before)

    def _decision(self, stmt: Statement, test: Expr, before: list[Statement]) -> Expr:
        """The test as a name that says the same whenever it is asked."""
        if isinstance(test, Name) and not self._may_change(stmt, test):
            return test
        return self._name("cond", self._truth(stmt, test), before)

    def _truth(self, stmt: Statement, test: Expr) -> Expr:
        """The test, whose value isn't something that may change."""
        if isinstance(test, Bool):
            return rebuild(test, tuple(
                self._truth(stmt, e) if isinstance(e, Bool) or not self._refers(stmt, e)
                else Call(Name("bool"), (e,), at=e.at) for e in test.values))
        return Call(Name("bool"), (test,), at=test.at) if self._may_change(stmt, test) else test

    def _may_change(self, stmt: Statement, expr: Expr) -> bool:
        return any(self.facts.written(ref.storage) for ref in self.facts.kind(stmt, expr).refs)

    def _refers(self, stmt: Statement, expr: Expr) -> bool:
        if isinstance(expr, Compare) or isinstance(expr, Unary) and expr.op == "not":
            return False
        item = self.facts.kind(stmt, expr)
        return item.active or bool(item.refs)

    def _can_be_asked_again(self, stmt: If, test: Expr) -> bool:
        """Whether the backward pass has all that the test reads anyway: comparisons of ints that are bound but once."""
        match test:
            case Compare(left, (op,), (right,)) if "in" not in op:
                return all(cheap(e) and self._is_steady_int(stmt, e) for e in (left, right))
            case Unary("not", operand):
                return self._can_be_asked_again(stmt, operand)
        return False

    def _is_steady_int(self, stmt: If, expr: Expr) -> bool:
        number = number_of(self.facts.value(stmt, expr))
        return number is not None and number.kind == "int" and names_read(expr) <= self.steady

    def _effect(self, stmt: Effect, call: Call) -> list[Statement]:
        before: list[Statement] = []
        if (stmt, id(call)) in self.facts.callees and self.facts.kind(stmt, call).active:
            # its backward function takes an adjoint of the result, though nobody uses that
            self._name("t", self.operation(stmt, call, before), before)
            return before
        args = tuple(self._member(stmt, a, before) if self.active(stmt, a) else a for a in call.args)
        func = call.func
        if isinstance(func, Attr) and isinstance(self.facts.value(stmt, func.value), (ListOf, DictOf)):
            func = Attr(self._owner_of_store(stmt, func.value, before), func.name, at=func.at)
            args = tuple(a if is_place(a) or isinstance(a, (Tuple, List)) else self.index(stmt, a, before)
                         for a in args)
        new = Effect(replace(call, func=func, args=args), at=stmt.at)
        if isinstance(func, Attr) and func.name == "__delitem__" and isinstance(args[0], Slice):
            return [*before, *self._measured(stmt, Item(func.value, args[0]), new)]
        return [*before, new]

    def _measured(self, stmt: Statement, place: Expr, new: Statement) -> list[Statement]:
        """Before a slice of a list is replaced its length gets a name."""
        if not isinstance(place, Item) or not isinstance(place.index, Slice) or not self._is_list(stmt):
            return [new]
        name = self.fresh.name("length")
        self.made.append(name)
        self.lengths[new] = name
        return [Bind((name,), (Call(Name("len"), (place.value,)),), at=stmt.at), new]

    def _is_list(self, stmt: Statement) -> bool:
        owner = stmt.place.value if isinstance(stmt, Store) and isinstance(stmt.place, Item) else \
            stmt.value.func.value if isinstance(stmt, Effect) and isinstance(stmt.value, Call) \
            and isinstance(stmt.value.func, Attr) else None
        if owner is None or not isinstance(self.facts.value(stmt, owner), ListOf):
            return False
        return self.facts.kind(stmt, owner).active or isinstance(stmt, Store) and self.active(stmt, stmt.value)

    def _bind(self, stmt: Bind, targets: tuple[str, ...], values: tuple[Expr, ...]) -> list[Statement]:
        if not any(self.active(stmt, v) for v in values):
            return [stmt]
        before: list[Statement] = []
        if len(targets) > 1:
            parts = [self.operand(stmt, v, before) for v in values]
            for k, part in enumerate(parts):
                # a slice of a list is a list of its own
                sliced = isinstance(value := values[k], Item) and isinstance(value.index, Slice) \
                    and isinstance(self.facts.value(stmt, value), ListOf)
                if isinstance(part, (Tuple, List, Dict)) or sliced \
                        or not isinstance(part, Name) and names_read(part) & set(targets):
                    parts[k] = self._name("t", part, before)
            return [*before, *_moves_apart(stmt, parts)]
        return self._assign(stmt, targets[0], values[0])

    def _assign(self, stmt: Statement, target: str, value: Expr) -> list[Statement]:
        if not self.active(stmt, value):
            return [Bind((target,), (value,), at=stmt.at)]
        if isinstance(value, (Cond, Bool)):
            return self._choice(stmt, target, value)
        before: list[Statement] = []
        rebinds = target in names_read(value)
        value = self.operation(stmt, value, before)
        if isinstance(value, (List, Tuple, Dict)):
            value = rebuild(value, tuple(self._name("t", e, before) if isinstance(e, (List, Dict)) else e
                                         for e in children(value)))
        if rebinds and not isinstance(value, Name):
            value = self._name("t", value, before)
        return [*before, Bind((target,), (value,), at=stmt.at)]

    def _choice(self, stmt: Statement, target: str, value: Cond | Bool) -> list[Statement]:
        """y = a if c else b   ->   if c: y = a; else: y = b"""
        before: list[Statement] = []
        if isinstance(value, Cond) and (taken := self._taken(stmt, value)) is not None:
            return self._assign(stmt, target, taken)
        if isinstance(value, Bool):
            rest = value.values[1] if len(value.values) == 2 else Bool(value.op, value.values[1:])
            first = self.operand(stmt, value.values[0], before)
            test: Expr = first if value.op == "and" else Unary("not", first)
            body, orelse = rest, first
        else:
            test, body, orelse = value.test, value.body, value.orelse
        test = self._decision(stmt, test, before)
        branches = [tuple(self._assign(stmt, target, v)) for v in (body, orelse)]
        return [*before, If(test, *branches, at=stmt.at)]

    def _taken(self, stmt: Statement, value: Cond) -> Expr | None:
        """a if c else b   ->   a or b, where c is certain"""
        certain = self.facts.evaluator.truth(self.facts.kind(stmt, value.test))
        return None if certain is None else value.body if certain else value.orelse

    # ------------------------------------------------------------ expressions

    def active(self, stmt: Statement, expr: Expr) -> bool:
        """Whether an expression must be taken apart: what is differentiated takes part, or a list or dict changes."""
        return self.facts.kind(stmt, expr).active or any(self._changes(stmt, e) for e in walk(expr))

    def _changes(self, stmt: Statement, expr: Expr) -> bool:
        return isinstance(expr, Call) and isinstance(expr.func, Attr) and expr.func.name in ("pop", "popitem") \
            and isinstance(self.facts.value(stmt, expr.func.value), (ListOf, DictOf))

    def _name(self, hint: str, value: Expr, before: list[Statement]) -> Name:
        name = self.fresh.name(hint)
        self.made.append(name)
        before.append(Bind((name,), (value,), at=value.at))
        return Name(name, at=value.at)

    def operand(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        """The expression as an operand: a place, an inactive expression, or a display of such."""
        if not self.active(stmt, expr):
            return self._inactive(stmt, expr, before)
        if isinstance(expr, Cond) and (taken := self._taken(stmt, expr)) is not None:
            return self.operand(stmt, taken, before)
        if isinstance(expr, (Cond, Bool)):
            name = self.fresh.name("t")
            self.made.append(name)
            before.extend(self._choice(stmt, name, expr))
            return Name(name, at=expr.at)
        value = self.operation(stmt, expr, before)
        transposed = isinstance(expr, Attr) and not self._is_field(stmt, expr.value, expr.name)
        if is_place(value) and not transposed or isinstance(value, (Tuple, Star)):
            return value
        if isinstance(value, List) and not self._is_written(stmt, expr):
            return value
        return self._name("t", value, before)

    def _is_written(self, stmt: Statement, expr: Expr) -> bool:
        """Whether something changes the object: its birth then is a statement of its own."""
        return any(self.facts.written(ref.storage) for ref in self.facts.kind(stmt, expr).refs)

    def operation(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        """The expression with operands in place of its active parts."""
        if not self.active(stmt, expr):
            return self._inactive(stmt, expr, before)
        match expr:
            case Name():
                return expr
            case Item(owner, index):
                return Item(self._owner(stmt, owner, before), self.index(stmt, index, before), at=expr.at)
            case Attr(owner, name) if self._is_field(stmt, owner, name):
                return Attr(self._owner(stmt, owner, before), name, at=expr.at)
            case Call(func, args, kwargs):
                part = self._given if (stmt, id(expr)) in self.facts.callees or self._shares(stmt, expr) else \
                    self.operand if record_class(self.facts, stmt, expr) is None else self._member
                return Call(self._callee(stmt, func, before), tuple(part(stmt, a, before) for a in args),
                            tuple((k, part(stmt, v, before)) for k, v in kwargs), at=expr.at)
        part = self._member if isinstance(expr, (List, Tuple, Dict)) else self.operand
        return rebuild(expr, tuple(part(stmt, e, before) for e in children(expr)))

    def _shares(self, stmt: Statement, call: Call) -> bool:
        """Whether the result may be a view of an argument."""
        refs = {ref.storage for ref in self.facts.kind(stmt, call).refs}
        return bool(refs) and any(ref.storage in refs for a in call.args for ref in self.facts.kind(stmt, a).refs)

    def _given(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        """An argument of a function with a derivative of its own, or one that the result may be a view of: a copy gets
        a name, since its adjoint may be in the shadow."""
        value = self.operand(stmt, expr, before)
        return self._name("t", value, before) if self._gathers(stmt, expr) and self.active(stmt, expr) else value

    def _member(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        """An operand that a container holds: an item of an array gets a name, unless it certainly is a number or a
        view, and so does a part of a list, since what is born has an adjoint of its own."""
        value = self.operand(stmt, expr, before)
        kind = self.facts.value(stmt, expr)
        born = isinstance(kind, Array) and kind.dims is None or isinstance(kind, (Array, ListOf)) \
            and self._gathers(stmt, expr)
        return self._name("t", value, before) if born and isinstance(value, (Item, Attr)) else value

    def _owner(self, stmt: Statement, owner: Expr, before: list[Statement]) -> Expr:
        value = self.operand(stmt, owner, before)
        return value if is_place(value) and not self._gathers(stmt, owner) else self._name("t", value, before)

    def _gathers(self, stmt: Statement, expr: Expr) -> bool:
        """Whether an item is a copy, so that a part of it isn't a part of its owner."""
        if not isinstance(expr, Item):
            return False
        owner, index = self.facts.value(stmt, expr.value), self.facts.value(stmt, expr.index)
        if isinstance(owner, (ListOf, TupleOf)):
            return isinstance(index, SliceOf)
        return isinstance(owner, Array) and basic_index(index) is not True

    def _is_field(self, stmt: Statement, owner: Expr, name: str) -> bool:
        value = self.facts.evaluator.value(self.facts.kind(stmt, owner))
        kinds = members(value)
        return all(isinstance(m, (ObjectOf, DictOf, TupleOf)) for m in kinds)

    def _callee(self, stmt: Statement, func: Expr, before: list[Statement]) -> Expr:
        """A method's owner is an operand like others."""
        if isinstance(func, Attr) and self.active(stmt, func.value):
            return Attr(self.operand(stmt, func.value, before), func.name, at=func.at)
        return func

    def index(self, stmt: Statement, index: Expr, before: list[Statement]) -> Expr:
        """An index that can be read again: anything but names, numbers and slices of these gets a name."""
        if isinstance(index, (Tuple, Slice)):
            return rebuild(index, tuple(self.index(stmt, e, before) for e in children(index)))
        return index if cheap(index) else self._name("index", index, before)

    def _store_place(self, stmt: Statement, place: Expr, before: list[Statement]) -> Expr:
        match place:
            case Item(owner, index):
                return Item(self._owner_of_store(stmt, owner, before), self.index(stmt, index, before), at=place.at)
            case Attr(owner, name):
                return Attr(self._owner_of_store(stmt, owner, before), name, at=place.at)
        return place

    def _owner_of_store(self, stmt: Statement, owner: Expr, before: list[Statement]) -> Expr:
        if isinstance(owner, Name):
            return owner
        if isinstance(owner, (Item, Attr)) and not self._has_call(owner):
            inner = self._store_place(stmt, owner, before)
            refs = self.facts.kind(stmt, owner).refs
            copied = bool(refs) and all(ref.storage.born_at(stmt) for ref in refs)         # `A[[0, 2]]`, say
            return inner if is_place(inner) and not copied else self._name("t", inner, before)
        if isinstance(owner, (Cond, Bool)) and self.active(stmt, owner):
            return self.operand(stmt, owner, before)
        return self._name("t", self.operation(stmt, owner, before), before)

    def _has_call(self, expr: Expr) -> bool:
        return any(isinstance(e, Call) for e in walk(expr))

    def _inactive(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        """Cheap expressions are read again where the backward pass wants them; others get a name."""
        value = self.facts.value(stmt, expr)
        if cheap(expr) or isinstance(expr, (Slice, Star)) or isinstance(value, (Known, DictOf, ObjectOf)):
            return expr
        if isinstance(expr, (Tuple, List)):
            return rebuild(expr, tuple(self._inactive(stmt, e, before) for e in children(expr)))
        if number_of(value) is not None and arithmetic(expr):
            return expr
        return self._name("t", expr, before)


def _moves_apart(stmt: Bind, parts: list[Expr]) -> list[Statement]:
    """`u, v, n = v, u, 0` as `u, v = v, u` and `n = 0`: what only hands values from name to name stands by itself."""
    moved = [k for k, part in enumerate(parts) if isinstance(part, Name)]
    others = [k for k, part in enumerate(parts) if isinstance(part, Const)]
    if not moved or not others or len(moved) + len(others) < len(parts):
        return [replace(stmt, values=tuple(parts))]
    return [replace(stmt, names=tuple(stmt.names[k] for k in group), values=tuple(parts[k] for k in group))
            for group in (moved, others)]


def _steady(code: Code) -> frozenset[str]:
    """Parameters and variables of `for` loops that nothing else binds."""
    counts = Counter(name for stmt in statements(code.body) for name in bound_by(stmt))
    targets = {stmt.target for stmt in statements(code.body) if isinstance(stmt, For)}
    return frozenset(p.name for p in code.params if not counts[p.name]) | {n for n in targets if counts[n] == 1}


def is_place(expr: Expr) -> bool:
    """A name, or items and fields of one, whose indices can be read again."""
    while isinstance(expr, (Item, Attr)):
        if isinstance(expr, Item) and not cheap(expr.index):
            return False
        expr = expr.value
    return isinstance(expr, Name)


def cheap(expr: Expr) -> bool:
    """Names, constants, attributes, and slices and integer arithmetic of these."""
    match expr:
        case Name() | Const():
            return True
        case Attr(value, _) | Unary(_, value):
            return cheap(value)
        case Bin(op, left, right):
            return op in ("+", "-", "*", "//", "%") and index_like(left) and index_like(right)
        case Slice() | Tuple():
            return all(cheap(e) for e in children(expr))
    return False


def index_like(expr: Expr) -> bool:
    """Integer arithmetic as it stands in subscripts."""
    match expr:
        case Name() | Const(int()):
            return True
        case Attr(value, _) | Unary("-", value):
            return index_like(value)
        case Bin(op, left, right):
            return op in ("+", "-", "*", "//", "%") and index_like(left) and index_like(right)
        case Item(value, index):
            return index_like(value) and index_like(index)
    return False


def arithmetic(expr: Expr) -> bool:
    """Plain arithmetic on names and numbers."""
    return all(isinstance(e, (Name, Const, Bin, Unary, Attr, Item, Slice, Tuple)) for e in walk(expr))
