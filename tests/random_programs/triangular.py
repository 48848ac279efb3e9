"""Kind 3: triangular loops over a matrix, dot products, recurrences of numbers, accumulators."""
from __future__ import annotations

import random

from random_programs.writer import Scope, Writer

__all__ = ["Triangular", "write"]

SIZE = 3


class Triangular(Writer):
    """Statements over an n by n matrix B and vectors b, c of n, indexed by nested loops."""

    # ------------------------------------------------------------ places

    def row(self) -> str:
        """An index that is in range."""
        names = sorted(self.scope.indices)
        return self.rng.choice(names) if names and self.chance(0.85) else self.rng.choice(["0", "1", "-1", "n - 1"])

    def part(self) -> str:
        """A slice with an index as a bound."""
        i = self.row()
        if i == "-1":
            return ":-1"
        return self.rng.choice([f":{i}", f"{i}:", f"{i} + 1:", f":{i} + 1", f":{i}", f"{i} + 1:"])

    def cell(self) -> str:
        pick = self.rng.random()
        if pick < 0.6:
            return f"B[{self.row()}, {self.row()}]"
        return f"{self.rng.choice('bc')}[{self.row()}]"

    def strip(self, part: str) -> str:
        """A row, column or vector, cut by `part`."""
        return self.rng.choice([f"B[{self.row()}, {part}]", f"B[{part}, {self.row()}]", f"b[{part}]", f"c[{part}]",
                                f"B[{self.row()}, {part}]"])

    def value(self) -> str:
        """A number."""
        part = self.part()
        return self.rng.choice([
            self.cell(), self.cell(), f"{self.constant()} * {self.cell()} * {self.cell()}", f"s * {self.cell()}",
            f"{self.strip(part)} @ {self.strip(part)}", f"np.dot({self.strip(part)}, {self.strip(part)})",
            f"np.sin({self.cell()})", f"({self.cell()} - {self.constant()} * s)", "t",
            f"{self.cell()} / (1.5 + {self.cell()} ** 2)", f"np.sum({self.strip(part)})",
        ])

    def strip_value(self, part: str) -> str:
        """An array as long as `part`."""
        return self.rng.choice([
            f"{self.cell()} * {self.strip(part)}", f"{self.constant()} * {self.strip(part)}",
            f"np.sin({self.strip(part)})",
            f"{self.strip(part)} * {self.strip(part)} * 0.5", f"({self.strip(part)} + {self.value()})",
        ])

    # ------------------------------------------------------------ statements

    def statements(self, count: int, nesting: int) -> None:
        for _ in range(count):
            kinds = ["cell_write", "cell_update", "cell_divide", "strip_write", "strip_update", "strip_update",
                     "recurrence", "accumulate"] + (["loop", "loop", "branch", "inner_product"] if nesting else [])
            name = self.rng.choice(kinds)
            getattr(self, name)(nesting - 1) if name in ("loop", "branch") else getattr(self, name)()

    def cell_write(self) -> None:
        self.emit(f"{self.cell()} = {self.value()}")

    def cell_update(self) -> None:
        self.emit(f"{self.cell()} {self.rng.choice(['+=', '-=', '*='])} {self.value()}")

    def cell_divide(self) -> None:
        self.emit(f"{self.cell()} /= 1.5 + {self.cell()} ** 2")

    def strip_write(self) -> None:
        part = self.part()
        self.emit(f"{self.strip(part)} = {self.strip_value(part)}")

    def strip_update(self) -> None:
        part = self.part()
        self.emit(f"{self.strip(part)} {self.rng.choice(['+=', '-=', '*='])} {self.strip_value(part)}")

    def recurrence(self) -> None:
        self.emit(self.rng.choice([f"s = {self.constant()} * s + {self.value()}", f"s, t = t, {self.value()}",
                                   f"t = np.tanh(s + {self.value()})", f"s *= {self.cell()}", "t = s"]))

    def accumulate(self) -> None:
        self.emit(f"{self.rng.choice('st')} {self.rng.choice(['+=', '-='])} {self.value()}")

    def inner_product(self) -> None:
        """A dot product by hand, then used."""
        k, acc = self.fresh("k"), self.fresh("acc")
        i = self.row()
        self.emit(f"{acc} = 0.0")
        bound = i if i in self.scope.indices else "n"
        with self.block(f"for {k} in range({bound}):", **{k: SIZE}):
            self.emit(f"{acc} += {self.cell()} * {self.rng.choice([f'B[{i}, {k}]', f'b[{k}]', f'B[{k}, {i}]'])}")
        self.emit(f"{self.cell()} = ({self.cell()} - {acc}) / (1.5 + {self.cell()} ** 2)")

    def loop(self, nesting: int) -> None:
        i = self.fresh("i")
        outer = sorted(self.scope.indices)
        ranges = ["range(n)", "range(n - 1, -1, -1)", "range(1, n)", "range(0, n, 2)"]
        for o in outer:
            ranges += [f"range({o})", f"range({o} + 1)", f"range({o} + 1, n)", f"range({o}, n)",
                       f"range({o}, -1, -1)"] * 2
        with self.block(f"for {i} in {self.rng.choice(ranges)}:", **{i: SIZE}):
            self.statements(self.rng.randint(1, 3), nesting)

    def branch(self, nesting: int) -> None:
        names = sorted(self.scope.indices)
        test = f"{self.row()} {self.rng.choice(['<', '!=', '=='])} {self.row()}" \
            if names and self.chance(0.5) else f"{self.cell()} > {self.constant(-0.3)}"
        with self.block(f"if {test}:"):
            self.statements(self.rng.randint(1, 2), nesting)
        if self.chance(0.4):
            with self.block("else:"):
                self.statements(1, nesting)

    def program(self) -> str:
        self.scope = Scope({"b": SIZE, "c": SIZE})
        for line in ("n = len(x)", "B = A.copy()", "b = x * 1.0",
                     self.rng.choice(["c = np.zeros(n)", "c = y.copy()", "c = x * y"]), "s, t = 0.0, y[0]"):
            self.emit(line)
        for _ in range(self.rng.randint(1, 3)):
            self.loop(2)
            if self.chance(0.4):
                self.statements(1, 0)
        self.emit("return np.sum(B * B) + np.sum(b * c) + 0.3 * np.sum(c) + np.sum(b * y) + s + 0.5 * t")
        return "\n".join(["def f(x, y, A):", *self.lines, ""])


def write(rng: random.Random, basic: bool) -> str:
    """The text of a function f(x, y, A); all of it lies in the core language."""
    return Triangular(rng, basic).program()
