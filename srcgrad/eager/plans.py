"""From a rule's text to the functions that save what it reads and run it, on arrays and on tensors.

A rule is compiled once for each kind of call: which parameters need adjoints, and which are tensors.  What the sliced
text reads is saved; what it reads for its shape alone is saved as a shape.
"""
from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from srcgrad.eager import structures
from srcgrad.eager.kinds import ACTIVE, ACTIVE_SEQUENCE, SEQUENCE, TENSOR
from srcgrad.rules.rule import Rule, definition
from srcgrad.rules.slicing import slice_for

_SHAPES = {"shape": "np.shape", "ndim": "np.ndim", "size": "np.size", "shapes": "shapes", "nested": "nested_shapes"}
_OF_SHAPE = {text: kind for kind, text in _SHAPES.items()}


@dataclass(frozen=True, eq=False)
class Plan:
    """How one kind of call of an operation is saved and reversed.

    collect   (node, out, arguments): puts what backward reads into the node
    arrays    (node, out_bar) -> adjoints of the active parameters in order, on arrays
    tensors   the same on tensors, so that it is recorded itself
    saved     names of what is saved, in the order of `node.saved`
    active    positions of the active parameters
    key       the kinds of the arguments
    op        the operation
    """
    collect: Callable[[Any, Any, Any], None]
    arrays: Callable[[Any, Any], tuple[Any, ...]]
    tensors: Callable[[Any, Any], tuple[Any, ...]]
    saved: tuple[str, ...]
    active: tuple[int, ...]
    sequences: bool
    real_linear: bool
    key: tuple[int, ...] = ()
    op: Any = None


def make_plan(rule: Rule, key: tuple[int, ...], many: bool, recompute: Callable[..., Any] | None,
              translate: Callable[[Any], Any]) -> Plan:
    """The plan for arguments of the kinds `key`, one for each parameter; `many`: there are several results.

    `recompute` makes the result again from the arguments, for operations of which torch saves the operands only.
    `translate` gives what stands for a function of the rule's text where it runs on tensors.
    """
    active = tuple(i for i, kind in enumerate(key) if kind in (ACTIVE, ACTIVE_SEQUENCE))
    lines, bars = _sliced(rule, [rule.params[i] for i in active])
    lines, needed = _by_shape(lines, rule)
    if recompute is not None and ("out", "whole") in needed:
        lines = [_recomputation(rule), *lines]
        needed = ((needed - {("out", "whole")}) | {(p, "whole") for p in rule.params})
    saved = [_Saved(name, kind, _kind_of(rule, key, name, many)) for name, kind in sorted(needed)]
    collect = _compiled(_collecting(rule, saved), structures.COLLECTING, rule)
    common = {**rule.globals, "_recompute": recompute}
    on_arrays = {**common, **structures.ON_ARRAYS}
    on_tensors = {**{name: translate(value) for name, value in common.items()}, **structures.ON_TENSORS}
    text = _backward(saved, lines, bars, tensors=False)
    return Plan(collect, _compiled(text, on_arrays, rule),
                _compiled(_backward(saved, lines, bars, tensors=True), on_tensors, rule),
                tuple(s.label for s in saved), active, ACTIVE_SEQUENCE in key, rule.real_linear)


@dataclass(frozen=True)
class _Saved:
    name: str
    kind: str       # "whole" or a kind of shape
    given: int      # one of OTHER ... ACTIVE_SEQUENCE; TENSOR for the result

    @property
    def label(self) -> str:
        return self.name if self.kind == "whole" else f"{self.name}_{self.kind}"


def _kind_of(rule: Rule, key: tuple[int, ...], name: str, many: bool) -> int:
    if name == "out":
        return SEQUENCE if many else TENSOR
    return key[rule.params.index(name)]


# ---------------------------------------------------------------- the text of the rule

def _sliced(rule: Rule, wanted: list[str]) -> tuple[list[ast.stmt], list[str]]:
    """The statements that the adjoints of these parameters need, and their names."""
    kept = slice_for(rule, wanted)
    tree = definition(rule.function)
    statements = [s for s in tree.body if isinstance(s, ast.Assign)]
    lines: list[ast.stmt] = [copy.deepcopy(s) for s, line in zip(statements, rule.body, strict=True)
                             if any(line is k for k in kept)]
    return lines, [rule.returned[name] for name in wanted]


def _recomputation(rule: Rule) -> ast.stmt:
    return ast.parse(f"out = _recompute({', '.join(rule.params)})").body[0]


def _by_shape(lines: list[ast.stmt], rule: Rule) -> tuple[list[ast.stmt], set[tuple[str, str]]]:
    """The lines with `np.shape(x)` as `x_shape`, and what they read of out and of the parameters."""
    given = {"out", *rule.params}
    needed: set[tuple[str, str]] = set()

    class Rewrite(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            kind = _OF_SHAPE.get(ast.unparse(node.func))
            if kind and len(node.args) == 1 and isinstance(node.args[0], ast.Name) and node.args[0].id in given:
                needed.add((node.args[0].id, kind))
                return ast.Name(f"{node.args[0].id}_{kind}", ast.Load())
            return self.generic_visit(node)

        def visit_Name(self, node: ast.Name) -> ast.AST:
            if isinstance(node.ctx, ast.Load) and node.id in given:
                needed.add((node.id, "whole"))
            return node

    return [ast.fix_missing_locations(Rewrite().visit(line)) for line in lines], needed


class _Steps(ast.NodeTransformer):
    """`a // b` as a call: the operator of tensors refuses to be differentiated, in a rule's text it is a constant."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.FloorDiv):
            return node
        return ast.Call(ast.Name("steps", ast.Load()), [node.left, node.right], [])


# ---------------------------------------------------------------- the functions

def _collecting(rule: Rule, saved: list[_Saved]) -> str:
    """What puts the saved values into the node, with versions where a tensor was written in place before."""
    values = "".join(f"{_taken(rule, s)}, " for s in saved)
    whole = [_argument(rule, s.name) for s in saved if s.kind == "whole" and s.given in (TENSOR, ACTIVE)]
    lines = ["def collect(node, out, args):", f"    node.saved = ({values})"]
    if any(s.kind == "whole" and s.given in (SEQUENCE, ACTIVE_SEQUENCE) for s in saved):
        lines.append("    node.versions = versions(node.saved)")
    elif whole:
        test = " or ".join(f"{v}._vc is not None" for v in whole if v != "out")
        if test:
            lines += [f"    if {test}:", "        node.versions = versions(node.saved)"]
        if "out" in whole and not test:
            pass                # a new result has no writes yet
    return "\n".join(lines)


def _argument(rule: Rule, name: str) -> str:
    return "out" if name == "out" else f"args[{rule.params.index(name)}]"


def _taken(rule: Rule, saved: _Saved) -> str:
    value = _argument(rule, saved.name)
    if saved.kind != "whole":
        return f"{saved.kind}_of({value})"
    if saved.name == "out":
        return "twin(out)"
    return value if saved.given in (TENSOR, ACTIVE) else f"kept({value})"


def _backward(saved: list[_Saved], lines: list[ast.stmt], bars: list[str], tensors: bool) -> str:
    text = ["def backward(node, out_bar):"]
    if saved:
        text += ["    saved = node.saved", "    if saved is None:", "        freed(node)",
                 f"    {''.join(s.label + ', ' for s in saved)}= saved"]
    for i, s in enumerate(saved):
        if s.kind != "whole":
            continue
        if s.given in (SEQUENCE, ACTIVE_SEQUENCE):
            text.append(f"    {s.name} = opened(node, {i}, {s.name})")
            if tensors and s.name == "out":
                text.append("    out = rejoined(node, out)")
        elif s.given in (TENSOR, ACTIVE):
            text += [f"    if {s.name}._vc is not None:", f"        check(node, {i}, {s.name})"]
            if not tensors:
                text.append(f"    {s.name} = {s.name}._a")
            elif s.name == "out":
                text.append("    out = rejoined(node, out)")
    lines = [_Steps().visit(copy.deepcopy(line)) for line in lines] if tensors else lines
    text += [f"    {line}" for statement in lines for line in ast.unparse(statement).splitlines()]
    result = f"({', '.join(bars)},)"
    return "\n".join([*text, "    if node.fix is not None:", f"        return refit({result}, node.fix)",
                      f"    return {result}"])


def _compiled(text: str, names: Mapping[str, Any], rule: Rule) -> Any:
    scope = dict(names)
    exec(compile(text, f"<rule of {rule.function.__name__}>", "exec"), scope)
    return scope["collect"] if "collect" in text.partition("(")[0] else scope["backward"]

