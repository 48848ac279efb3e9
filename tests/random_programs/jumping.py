"""Kind 4: writes, views and swaps under jumps: break, continue, else, returns in loops, try, with, match."""
from __future__ import annotations

import random

from random_programs.aliasing import Aliasing

__all__ = ["Jumping", "write"]

SIMPLE = ("rebind", "alias", "swap", "view", "item_write", "slice_write", "slice_update", "whole_update",
          "number_update", "number_update")
COMPOUND = ("branch", "loop", "leaving_loop", "leaving_loop", "endless_loop", "guarded", "guarded", "quiet", "choice")


class Jumping(Aliasing):
    """`loops` counts the loops around: there `break` and `continue` may stand."""

    def __init__(self, rng: random.Random, basic: bool) -> None:
        super().__init__(rng, basic)
        self.loops = 0
        self.callee = False

    def statements(self, count: int, nesting: int) -> None:
        for k in range(count):
            if nesting > 0 and self.chance(0.5):
                getattr(self, self.rng.choice(COMPOUND))(nesting - 1)
            elif self.chance(0.25):
                self.jump(last=k == count - 1)
            else:
                getattr(self, self.rng.choice(SIMPLE))()

    def body(self, nesting: int, most: int = 3) -> None:
        self.statements(self.rng.randint(1, most), nesting)
        self.emit("pass")

    # ------------------------------------------------------------ jumps

    def jump(self, last: bool) -> None:
        """A way out under a condition, after one more statement perhaps."""
        kinds = ["return"] + (["break", "continue"] * 2 if self.loops else []) + ["raise"] * self.trying
        with self.block(f"if {self.condition()}:"):
            if self.chance(0.4):
                getattr(self, self.rng.choice(SIMPLE))()
            kind = self.rng.choice(kinds)
            self.emit({"return": f"return {self.result()}", "raise": "raise ValueError"}.get(kind, kind))

    trying = 0

    # ------------------------------------------------------------ loops

    def loop(self, nesting: int) -> None:
        self.loops += 1
        super().loop(nesting)
        self.loops -= 1

    def leaving_loop(self, nesting: int) -> None:
        """A loop that may be left, with or without an else."""
        i, n = self.fresh("i"), self.rng.randint(1, 4)
        header = self.rng.choice([f"for {i} in range({n}):", f"for {i} in {list(range(n))}:",
                                  f"for {i} in iter(range({n})):"])
        self.loops += 1
        with self.block(header, **{i: n}):
            if self.chance(0.5):
                self.statements(1, 0)
            self.jump(last=False)
            self.body(nesting)
        self.loops -= 1
        if self.chance(0.3):
            with self.block("else:"):
                self.body(0, 2)

    def endless_loop(self, nesting: int) -> None:
        k, n = self.fresh("k"), self.rng.randint(1, 3)
        self.emit(f"{k} = 0")
        self.loops += 1
        with self.block("while True:", **{k: n + 1}):
            with self.block(f"if {k} >= {n}:"):
                self.emit("break")
            self.emit(f"{k} += 1")
            self.body(nesting)
        self.loops -= 1

    # ------------------------------------------------------------ exceptions and managers

    def guarded(self, nesting: int) -> None:
        """A try whose body may raise in its midst."""
        with self.block("try:"):
            self.trying += 1
            self.statements(self.rng.randint(1, 2), nesting)
            self.failing()
            self.statements(self.rng.randint(0, 2), nesting)
            self.emit("pass")
            self.trying -= 1
        for caught in self.rng.choice([["ValueError"], ["(IndexError, ValueError)"], ["IndexError", "ValueError"]]):
            with self.block(f"except {caught}:"):
                self.body(0, 2)
        if self.chance(0.3):
            with self.block("else:"):
                self.body(0, 2)
        if self.chance(0.3):
            with self.block("finally:"):
                self.emit(f"s = 0.9 * s + {self.number(0)}")

    def failing(self) -> None:
        """What raises now and then."""
        if self.chance(0.5) and self.scope.indices:
            v = self.any_vector(writable=True)
            i = self.rng.choice(sorted(self.scope.indices))
            with self.block(f"if {i} > 0:"):
                self.emit("raise ValueError")
            self.emit(f"{v}[{i} % {self.scope.vectors[v]}] *= {self.number(1)}")
        else:
            with self.block(f"if {self.condition()}:"):
                if self.chance(0.3):
                    getattr(self, self.rng.choice(SIMPLE))()
                self.emit("raise ValueError")

    def quiet(self, nesting: int) -> None:
        with self.block("with np.errstate(all='ignore'):"):
            self.body(nesting)

    def choice(self, nesting: int) -> None:
        what = self.rng.choice(sorted(self.scope.indices)) if self.scope.indices else f"int({self.number(1)} > 0.3)"
        with self.block(f"match {what}:"):
            for k in range(self.rng.randint(1, 2)):
                with self.block(f"case {k}:"):
                    self.body(nesting, 2)
            if self.chance(0.6):
                with self.block("case _:"):
                    self.body(0, 2)

    def branch(self, nesting: int) -> None:
        with self.block(f"if {self.condition()}:"):
            self.body(nesting)
        if self.chance(0.5):
            with self.block("else:"):
                self.body(nesting, 2)

    def program(self) -> str:
        self.start()
        self.statements(self.rng.randint(1, 2), 2)
        self.leaving_loop(2)
        self.statements(self.rng.randint(1, 3), 2)
        self.emit(f"return {self.result()}")
        return "\n".join(["def f(x, y, A):", *self.lines, ""])


def write(rng: random.Random, basic: bool) -> str:
    """The text of a function f(x, y, A)."""
    return Jumping(rng, basic).program()
