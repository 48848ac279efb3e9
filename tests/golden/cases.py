"""What is printed into the golden files."""
from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corpus import PROGRAMS
from corpus.registry import mat, vec
from golden import variants
from srcgrad import grad, value_and_grad, vjp

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Printed:
    """One text: by which function, in which arguments, specialised on these or (None) right for all."""
    by: Callable[..., Any]
    argnums: int | tuple[int, ...]
    args: tuple[Any, ...] | None

    @property
    def title(self) -> str:
        wrt = self.argnums if isinstance(self.argnums, tuple) else (self.argnums,)
        to_what = "all arguments" if self.by is vjp else f"argument{'s' * (len(wrt) > 1)} {', '.join(map(str, wrt))}"
        return f"{self.by.__name__} in {to_what}, {'for any types' if self.args is None else 'specialised'}"

    def text(self, function: Callable[..., Any]) -> str:
        if self.by is vjp:
            assert self.args is not None
            return vjp(function, *self.args)[1].source()
        derivative = self.by(function, argnums=self.argnums)
        return derivative.source() if self.args is None else derivative.source(*self.args)


@dataclass(frozen=True)
class Case:
    """A program with the texts that are printed for it."""
    function: Callable[..., Any]
    printed: tuple[Printed, ...]

    @property
    def path(self) -> Path:
        return HERE / f"{self.function.__name__}.txt"

    def text(self) -> str:
        """The program, and then each derivative under a title."""
        function = at_line_one(self.function)
        parts = [f"# {self.function.__name__}", inspect.getsource(function).strip()]
        for printed in self.printed:
            parts += [f"# ---- {printed.title}", printed.text(function).strip()]
        return "\n\n".join(parts) + "\n"


# ---------------------------------------------------------------- programs whose lines count from one

def at_line_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as if it stood alone in a file, like every function of its module that it may call.

    So the lines that a generated text names don't change with what stands above the function.
    """
    assert isinstance(function, types.FunctionType)
    names = dict(function.__globals__)
    for name, value in list(names.items()):
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            _define_alone(value, names)
            if value.__name__ != name:
                names[name] = value
    return names[function.__name__]


def _define_alone(function: types.FunctionType, names: dict[str, Any]) -> None:
    text = textwrap.dedent(inspect.getsource(function))
    first = ast.parse(text).body[0].lineno
    text = "".join(text.splitlines(True)[first - 1:])
    filename = f"<golden {function.__module__}.{function.__name__}>"
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    exec(compile(text, filename, "exec"), names)


# ---------------------------------------------------------------- the programs

def _field(*shape: int) -> np.ndarray:
    return 0.5 + 0.3 * np.sin(np.arange(np.prod(shape, dtype=int), dtype=float)).reshape(shape)


REGRESSION = vec(3), mat(8, 3), (np.arange(8) % 2).astype(float)
FLOW = _field(12), 0.1, 1e-3, 0.1, 5


def _variants() -> Iterator[Case]:
    v = variants
    yield Case(v.loss, (Printed(grad, 0, REGRESSION), Printed(value_and_grad, 0, REGRESSION), Printed(grad, 0, None)))
    yield Case(v.poisson_deviance, (Printed(grad, 0, REGRESSION),))
    yield Case(v.cauchit_loss, (Printed(grad, 0, REGRESSION),))
    yield Case(v.energy, (Printed(grad, 0, FLOW), Printed(grad, (0, 1), FLOW), Printed(vjp, 0, FLOW),
                          Printed(grad, 0, None)))
    yield Case(v.heat, (Printed(grad, (0, 1), (_field(12), 0.1, 5)),))
    yield Case(v.wide_stencil, (Printed(grad, 0, (_field(12), 0.1, 5)),))
    yield Case(v.two_dimensions, (Printed(grad, 0, (_field(6, 5), 0.1, 5)),))
    yield Case(v.coupled_fields, (Printed(grad, (0, 1), (_field(12), _field(12), 0.03, 0.06, 5)),))
    yield Case(v.under_a_branch, (Printed(grad, 0, (_field(12), 0.1, True, 5)),))


CORPUS = """
    quadratic_root income_tax newton_sqrt arithmetic_geometric_mean horner triple_loop_product
    list_filled_in_a_loop history_of_states dict_argument one_dataclass either_buffer
    callee_writes several_results linear_recursion binary_recursion
    swap_two_buffers rotate_three_buffers alias_then_write prefix_products gauss_seidel_2d overlapping_slices
    gaussian_log_density two_layer_network recurrent_network cross_entropy
""".split()
ALSO = {
    "newton_sqrt": ("value_and_grad", "vjp"), "history_of_states": ("vjp",), "callee_writes": ("vjp",),
    "two_layer_network": ("value_and_grad",), "gaussian_log_density": ("general",), "swap_two_buffers": ("general",),
}


def _corpus() -> Iterator[Case]:
    for name in CORPUS:
        p = PROGRAMS[name]
        first = p.inputs[0]
        others = {"value_and_grad": Printed(value_and_grad, p.argnums, first), "vjp": Printed(vjp, p.argnums, first),
                  "general": Printed(grad, p.argnums, None)}
        yield Case(p.function, (Printed(grad, p.argnums, first), *(others[kind] for kind in ALSO.get(name, ()))))


CASES = {case.function.__name__: case for case in [*_variants(), *_corpus()]}
