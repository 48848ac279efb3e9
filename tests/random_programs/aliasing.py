"""Kind 1: aliases, views, swaps, masks, writes to slices, branches, for loops."""
from __future__ import annotations

import random
from dataclasses import replace

from random_programs.writer import Scope, Writer

__all__ = ["Aliasing", "write"]


class Aliasing(Writer):
    """Statements over vectors of 4, views of 3 and a 2 by 2 matrix."""

    def statements(self, count: int, nesting: int) -> None:
        """`count` statements, nested at most `nesting` deep."""
        for _ in range(count):
            kinds = self.kinds() if nesting else [k for k in self.kinds() if k not in COMPOUND]
            name = self.rng.choice(kinds)
            getattr(self, name)(nesting - 1) if name in COMPOUND else getattr(self, name)()

    def kinds(self) -> list[str]:
        """The statements to choose from; what stands there twice is chosen twice as often."""
        simple = ["rebind", "alias", "swap", "view", "view", "item_write", "slice_write", "slice_write", "slice_update",
                  "slice_update", "whole_update", "number_update"]
        beyond = [] if self.basic else ["mask_write", "list_write", "rebind_to_view", "matrix_view"]
        return simple + beyond + ["branch", "loop"] * 2

    # ------------------------------------------------------------ names

    def rebind(self) -> None:
        n = self.rng.choice([3, 4])
        targets = self.vectors(n, writable=True)
        if targets:
            self.emit(f"{self.rng.choice(targets)} = {self.vector(n)} * 1.0")

    def alias(self) -> None:
        names = self.vectors(4, writable=True)
        if len(names) > 1:
            a, b = self.rng.sample(names, 2)
            self.emit(f"{a} = {b}")

    def swap(self) -> None:
        names = self.vectors(4, writable=True)
        if len(names) < 2:
            return
        if len(names) > 2 and self.chance(0.4):
            a, b, c = self.rng.sample(names, 3)
            self.emit(f"{a}, {b}, {c} = {b}, {c}, {a}")
            return
        a, b = self.rng.sample(names, 2)
        if self.chance(0.5):
            self.emit(f"{a}, {b} = {b}, {a}")
            return
        t = self.fresh("t")
        for line in (f"{t} = {a}", f"{a} = {b}", f"{b} = {t}"):
            self.emit(line)

    def view(self) -> None:
        """A view of three entries under an old or a new name."""
        old = self.vectors(3, writable=True)
        name = self.rng.choice(old) if old and self.chance(0.6) else self.fresh("v")
        self.emit(f"{name} = {self.writable_view(3)}")
        self.scope = replace(self.scope, vectors={**self.scope.vectors, name: 3})

    def width(self, widths: list[int]) -> int:
        """One of these lengths that some writable vector has."""
        longest = max(m for v, m in self.scope.vectors.items() if v not in self.scope.fixed)
        return self.rng.choice([n for n in widths if n <= longest])

    def writable_view(self, n: int) -> str:
        v = self.any_vector(writable=True, at_least=n)
        return f"{v}[{self.window(self.scope.vectors[v], n)}]"

    def rebind_to_view(self) -> None:
        """A name of four entries that becomes a reversed view."""
        a, b = (self.rng.choice(self.vectors(4, writable=True)) for _ in range(2))
        self.emit(f"{a} = {b}[::-1]")

    def matrix_view(self) -> None:
        names = [a for a in self.scope.matrices if a not in self.scope.fixed]
        if names:
            a = self.rng.choice(names)
            self.emit(self.rng.choice([f"{a} = {a}.T", f"{a}[{self.index(2)}] = {self.vector(2)}",
                                       f"{a}[:, {self.index(2)}] *= {self.vector(2, 0)}",
                                       f"{a} = {a}[::-1]", f"{a}.T[{self.index(2)}] += {self.number()}"]))

    # ------------------------------------------------------------ writes

    def item_write(self) -> None:
        v = self.any_vector(writable=True)
        i = self.index(self.scope.vectors[v])
        self.emit(f"{v}[{i}] {self.rng.choice(['=', '=', '+=', '*=', '-='])} {self.number(2)}")

    def slice_write(self) -> None:
        n = self.width([2, 3])
        self.emit(f"{self.writable_view(n)} = {self.vector(n)}")

    def slice_update(self) -> None:
        n = self.width([2, 3, 4])
        divide = self.chance(0.15)
        value = f"(1.5 + {self.vector(n, 0)} ** 2)" if divide else self.vector(n, 1)
        self.emit(f"{self.writable_view(n)} {'/=' if divide else self.rng.choice(['+=', '-=', '*='])} {value}")

    def whole_update(self) -> None:
        v = self.any_vector(writable=True)
        value = self.vector(self.scope.vectors[v], 1) if self.chance(0.6) else self.number()
        self.emit(f"{v} {self.rng.choice(['+=', '*=', '-='])} {value}")

    def mask_write(self) -> None:
        v = self.rng.choice(self.vectors(4, writable=True))
        mask = f"{self.vector_leaf(4)} > {self.constant(-0.5)}"
        if self.chance(0.5):
            self.emit(f"{v}[{mask}] {self.rng.choice(['*=', '+=', '='])} {self.number()}")
            return
        m = self.fresh("m")
        self.emit(f"{m} = {mask}")
        self.emit(f"{v}[{m}] = {self.rng.choice(self.vectors(4))}[{m}]")

    def list_write(self) -> None:
        v = self.rng.choice(self.vectors(4, writable=True))
        op = self.rng.choice(["=", "+=", "*="])
        self.emit(f"{v}[{self.positions(4, 3)}] {op} {self.vector(3, 1)}")

    def number_update(self) -> None:
        s = self.rng.choice(self.scope.numbers)
        self.emit(f"{s} = {self.number(2)}" if self.chance(0.5) else f"{s} += {self.number(1)}")

    # ------------------------------------------------------------ compound statements

    def branch(self, nesting: int) -> None:
        with self.block(f"if {self.condition()}:"):
            self.statements(self.rng.randint(1, 3), nesting)
            self.emit("pass")
        if self.chance(0.5):
            with self.block("else:"):
                self.statements(self.rng.randint(1, 2), nesting)
                self.emit("pass")

    def loop(self, nesting: int) -> None:
        i = self.fresh("i")
        n = self.rng.randint(0, 4) if self.chance(0.3) else self.rng.randint(2, 4)
        ranges = [f"range({n})", f"range({n})", f"range({max(n - 1, 0)}, -1, -1)", f"range(0, {n}, 2)"]
        with self.block(f"for {i} in {self.rng.choice(ranges)}:", **{i: max(n, 1)}):
            self.statements(self.rng.randint(1, 4), nesting)
            self.emit("pass")

    # ------------------------------------------------------------ the whole

    def start(self) -> None:
        """The names that the body works with, from the arguments x, y (of 4) and A (2 by 2)."""
        self.scope = Scope({"x": 4, "y": 4}, {"A": (2, 2)}, (), {}, frozenset("xyA"))
        names = {}
        for name in "abc":
            names[name] = 4
            self.emit(f"{name} = {self.rng.choice(['x.copy()', 'y * 1.0', 'np.sin(x)', 'x * y', 'np.zeros(4)'])}")
        self.emit("B = A * 1.0")
        self.emit(f"s = {self.rng.choice(['0.0', 'x[0]', 'np.sum(y)'])}")
        fixed = frozenset("xyA") if self.basic or self.chance(0.6) else frozenset()
        self.scope = Scope({"x": 4, "y": 4, **names}, {"A": (2, 2), "B": (2, 2)}, ("s",), {}, fixed)

    def result(self) -> str:
        """All that was computed, in one number."""
        terms = [f"{self.constant()} * np.sum({v} * {v})" if k % 2 else f"np.sum({v})"
                 for k, v in enumerate(self.scope.vectors)]
        return " + ".join(terms + [f"np.sum({a} * {a})" for a in self.scope.matrices] + list(self.scope.numbers))

    def program(self) -> str:
        self.start()
        self.statements(self.rng.randint(2, 5), 2)
        self.loop(1)
        self.statements(self.rng.randint(1, 4), 2)
        self.emit(f"return {self.result()}")
        return "\n".join(["def f(x, y, A):", *self.lines, ""])


COMPOUND = frozenset({"branch", "loop", "while_loop"})


def write(rng: random.Random, basic: bool) -> str:
    """The text of a function f(x, y, A)."""
    return Aliasing(rng, basic).program()
