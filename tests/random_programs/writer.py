"""What the generators share: a text being written, the names in scope, random expressions of known shape."""
from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

__all__ = ["Scope", "Writer"]


@dataclass(frozen=True)
class Scope:
    """The names that may be read here: vectors with their lengths, matrices with their shapes, numbers, loop indices.

    `fixed` names may be read but neither written nor given another name; an index maps to its exclusive bound.
    """
    vectors: dict[str, int] = field(default_factory=dict)
    matrices: dict[str, tuple[int, int]] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    indices: dict[str, int] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()


class Writer:
    """Writes statements; every one keeps the shape of each name, so that blocks can be put anywhere."""

    def __init__(self, rng: random.Random, basic: bool = False) -> None:
        self.rng = rng
        self.basic = basic
        self.lines: list[str] = []
        self.depth = 1
        self.scope = Scope()
        self.used = 0

    # ------------------------------------------------------------ text

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def fresh(self, prefix: str) -> str:
        self.used += 1
        return f"{prefix}{self.used}"

    @contextmanager
    def block(self, header: str, **indices: int) -> Iterator[None]:
        """A nested block; names bound inside are forgotten after it."""
        outer = self.scope
        self.emit(header)
        self.depth += 1
        self.scope = replace(outer, indices={**outer.indices, **indices})
        yield
        self.depth -= 1
        self.scope = outer

    # ------------------------------------------------------------ choices

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def constant(self, low: float = 0.2, high: float = 0.9) -> str:
        return f"{self.rng.uniform(low, high):.2f}"

    def vectors(self, n: int, writable: bool = False) -> list[str]:
        s = self.scope
        return [v for v, m in s.vectors.items() if m == n and not (writable and v in s.fixed)]

    def any_vector(self, writable: bool = False, at_least: int = 1) -> str:
        s = self.scope
        return self.rng.choice([v for v, m in s.vectors.items() if m >= at_least and not (writable and v in s.fixed)])

    def index(self, n: int) -> str:
        """An index into n entries: a loop's, or a constant."""
        loops = [i for i, bound in self.scope.indices.items() if bound <= n]
        if loops and self.chance(0.6):
            return self.rng.choice(loops)
        return str(self.rng.randrange(-1, n))

    def window(self, m: int, n: int) -> str:
        """A slice that takes n of m entries."""
        first = self.rng.randrange(m - n + 1)
        forms = [f"{first}:{first + n}"]
        if first + n == m:
            forms.append(f"{first}:" if first else ":")
            forms.append(f":{m - n - 1}:-1" if n < m else "::-1")
        if first == 0 and n < m:
            forms.append(f":{n - m}")
        if m == 2 * n and n > 1:
            forms.append("::2")
        return self.rng.choice(forms)

    # ------------------------------------------------------------ expressions

    def vector(self, n: int, depth: int = 2) -> str:
        """An expression of n entries."""
        if depth == 0 or self.chance(0.25):
            return self.vector_leaf(n)
        return self.rng.choice(VECTOR_FORMS)(self, n, depth - 1)

    def vector_leaf(self, n: int) -> str:
        names = self.vectors(n)
        longer = [v for v, m in self.scope.vectors.items() if m >= n]
        rows = [a for a, (_, k) in self.scope.matrices.items() if k == n]
        columns = [a for a, (k, _) in self.scope.matrices.items() if k == n]
        pick = self.rng.random()
        if rows and pick < 0.1:
            a = self.rng.choice(rows)
            return f"{a}[{self.index(self.scope.matrices[a][0])}]"
        if columns and pick < 0.2:
            a = self.rng.choice(columns)
            return f"{a}[:, {self.index(self.scope.matrices[a][1])}]"
        if longer and (pick < 0.4 or not names):
            v = self.rng.choice(longer)
            return f"{v}[{self.window(self.scope.vectors[v], n)}]"
        if longer and pick < 0.48:
            v = self.rng.choice(longer)
            return f"{v}[{self.positions(self.scope.vectors[v], n)}]"
        return self.rng.choice(names) if names else f"np.full({n}, {self.number(0)})"

    def positions(self, m: int, n: int) -> str:
        """A list of n positions below m, some perhaps repeated."""
        return str([self.rng.randrange(m) for _ in range(n)])

    def number(self, depth: int = 1) -> str:
        """An expression for a number."""
        if depth == 0 or self.chance(0.3):
            return self.number_leaf()
        return self.rng.choice(NUMBER_FORMS)(self, depth - 1)

    def number_leaf(self) -> str:
        pick = self.rng.random()
        if self.scope.numbers and pick < 0.35:
            return self.rng.choice(self.scope.numbers)
        if self.scope.vectors and pick < 0.75:
            v = self.any_vector()
            return f"{v}[{self.index(self.scope.vectors[v])}]"
        if self.scope.matrices and pick < 0.85:
            a, (m, n) = self.rng.choice(sorted(self.scope.matrices.items()))
            return f"{a}[{self.index(m)}, {self.index(n)}]"
        return self.constant()

    def condition(self) -> str:
        """A test on the data, or on a loop's index."""
        if self.scope.indices and self.chance(0.4):
            return f"{self.rng.choice(sorted(self.scope.indices))} % 2 == {self.rng.randrange(2)}"
        test = f"{self.number(1)} {self.rng.choice('<>')} {self.constant(-0.3, 1.2)}"
        return f"not ({test})" if self.chance(0.1) else test


VectorForm = Callable[[Writer, int, int], str]
VECTOR_FORMS: list[VectorForm] = [
    lambda w, n, d: f"np.sin({w.vector(n, d)})",
    lambda w, n, d: f"np.tanh({w.vector(n, d)})",
    lambda w, n, d: f"np.cos({w.vector(n, d)})",
    lambda w, n, d: f"({w.vector(n, d)} + {w.vector(n, d)})",
    lambda w, n, d: f"({w.vector(n, d)} - {w.constant()} * {w.vector(n, d)})",
    lambda w, n, d: f"{w.constant()} * {w.vector(n, d)} * {w.vector(n, d)}",
    lambda w, n, d: f"{w.vector(n, 0)} * {w.number(1)}",
    lambda w, n, d: f"{w.vector(n, 0)} / (1.5 + {w.vector(n, 0)} ** 2)",
    lambda w, n, d: f"np.where({w.vector(n, 0)} > {w.constant(-0.5)}, {w.vector(n, d)}, {w.vector(n, d)})",
    lambda w, n, d: f"-{w.vector(n, 0)}",
]

NUMBER_FORMS: list[Callable[[Writer, int], str]] = [
    lambda w, d: f"np.sum({w.vector(w.rng.choice([2, 3]), 1)})",
    lambda w, d: f"{w.constant()} * np.dot({w.vector(3, 1)}, {w.vector(3, 0)})",
    lambda w, d: f"np.sin({w.number(d)})",
    lambda w, d: f"({w.number(d)} - {w.constant()} * {w.number(d)})",
    lambda w, d: f"{w.number(d)} * {w.number_leaf()}",
    lambda w, d: f"{w.number(d)} / (1.2 + {w.number_leaf()} ** 2)",
    lambda w, d: f"np.mean({w.vector(max(w.scope.vectors.values()), d)} ** 2)",
    lambda w, d: f"(0.5 if {w.condition()} else {w.number(d)})",
]
