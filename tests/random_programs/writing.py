"""Kind 6: functions that write into arrays, views of many layouts, rows, buffers in lists and outside, helpers."""
from __future__ import annotations

import random
from dataclasses import replace

from random_programs.aliasing import COMPOUND, Aliasing

__all__ = ["Writing", "write"]

HELPERS = '''
WORK = np.zeros(4)


def shift(u, k):
    u[1:] = u[:-1] * k
    u[0] += k
    return u


def halves(u):
    return u[:2], u[2:]


def mix(u, w):
    t = u[0] * 1.0
    u[:] = w[::-1]
    w *= 0.5
    w[-1] = t
'''


NESTING = COMPOUND | {"rows", "buffers"}


class Writing(Aliasing):
    """What `Aliasing` writes, and all other ways by which an array changes."""

    def statements(self, count: int, nesting: int) -> None:
        for _ in range(count):
            name = self.rng.choice([k for k in self.kinds() if nesting or k not in NESTING])
            getattr(self, name)(nesting - 1) if name in NESTING else getattr(self, name)()

    def kinds(self) -> list[str]:
        own = ["out_argument", "masked_out", "filled", "sorted", "put", "copied_to", "added_at", "flat_item",
               "matrix_flat", "matrix_view_write", "piece_of_split", "helper", "helper", "listed", "outer_buffer",
               "integer_list", "power"]
        return [*super().kinds(), *own, "rows", "rows", "buffers"]

    def target(self, n: int = 4) -> str:
        """A vector, or a view of n entries."""
        whole = self.vectors(n, writable=True)
        return self.rng.choice(whole) if whole and self.chance(0.5) else self.writable_view(n)

    # ------------------------------------------------------------ functions that write

    def out_argument(self) -> None:
        n = self.width([2, 3, 4])
        f = self.rng.choice(["np.multiply", "np.add", "np.subtract", "np.maximum"])
        self.emit(f"{f}({self.vector(n, 1)}, {self.vector(n, 0)}, out={self.target(n)})")

    def masked_out(self) -> None:
        v = self.rng.choice(self.vectors(4, writable=True))
        mask = f"{self.vector_leaf(4)} > {self.constant(-0.5)}"
        self.emit(self.rng.choice([f"np.multiply({self.vector(4, 0)}, {self.number()}, out={v}, where={mask})",
                                   f"np.copyto({v}, {self.vector(4, 1)}, where={mask})",
                                   f"np.putmask({v}, {mask}, {self.vector(4, 0)})",
                                   f"np.place({v}, {mask}, {self.vector(2, 0)} * 1.0)"]))

    def filled(self) -> None:
        self.emit(f"{self.target(self.width([2, 3, 4]))}.fill({self.number()})")

    def sorted(self) -> None:
        self.emit(f"{self.target(self.width([2, 3, 4]))}.sort()")

    def put(self) -> None:
        v = self.rng.choice(self.vectors(4, writable=True))
        value = self.number() if self.chance(0.4) else self.vector(self.rng.choice([2, 3]), 1)
        self.emit(f"np.put({v}, {self.positions(4, 3)}, {value})")

    def copied_to(self) -> None:
        n = self.width([2, 3, 4])
        self.emit(f"np.copyto({self.target(n)}, {self.vector(n, 1) if self.chance(0.7) else self.number()})")

    def added_at(self) -> None:
        v = self.rng.choice(self.vectors(4, writable=True))
        f = self.rng.choice(["add", "add", "subtract", "multiply"])
        value = self.number() if self.chance(0.3) else self.vector(3, 1)
        self.emit(f"np.{f}.at({v}, {self.positions(4, 3)}, {value})")

    # ------------------------------------------------------------ views

    def flat_item(self) -> None:
        v = self.rng.choice(self.vectors(4, writable=True))
        self.emit(f"{v}.reshape(2, 2)[{self.index(2)}, {self.index(2)}] {self.rng.choice(['=', '+='])} {self.number()}")

    def matrix(self) -> str:
        return self.rng.choice([a for a in self.scope.matrices if a not in self.scope.fixed])

    def matrix_flat(self) -> None:
        a = self.matrix()
        self.emit(self.rng.choice([f"{a}.flat[{self.rng.randrange(-4, 4)}] = {self.number()}",
                                   f"{a}.flat[1:] = {self.vector(3, 1)}", f"{a}.ravel()[1] += {self.number()}",
                                   f"np.fill_diagonal({a}, {self.number()})",
                                   f"{a}.reshape(-1)[{self.index(4)}] *= {self.number()}"]))

    def matrix_view_write(self) -> None:
        a = self.matrix()
        view = self.rng.choice([f"{a}.T", f"np.swapaxes({a}, 0, 1)", f"{a}[::-1, ::-1]", f"{a}[None][0]",
                                f"np.atleast_2d({a})", f"np.moveaxis({a}, 0, 1)", f"np.asarray({a})",
                                f"np.flip({a}, 0)"])
        name = self.fresh("w")
        self.emit(f"{name} = {view}")
        self.emit(f"{name}[{self.index(2)}] {self.rng.choice(['=', '+=', '*='])} {self.vector(2, 1)}")
        if self.chance(0.4):
            self.emit(f"{a}[{self.index(2)}, {self.index(2)}] += np.sum({name}) * 0.3")

    def piece_of_split(self) -> None:
        v = self.rng.choice(self.vectors(4, writable=True))
        p, q = self.fresh("p"), self.fresh("q")
        self.emit(f"{p}, {q} = {self.rng.choice([f'np.split({v}, 2)', f'halves({v})', f'{v}.reshape(2, 2)'])}")
        self.emit(f"{self.rng.choice([p, q])}[:] = {q} * {self.number()} - {p}")

    # ------------------------------------------------------------ aliases

    def helper(self) -> None:
        a, b = (self.rng.choice(self.vectors(4, writable=True)) for _ in range(2))
        self.emit(self.rng.choice([f"{a} = shift({b}, {self.number()})", f"shift({b}[::-1], {self.number()})",
                                   f"mix({a}, {b} * 1.0)", f"mix({a}, A[0, 0] + {b})",
                                   f"mix({a}[:2], {b}[2:] * 1.0)"]))

    def listed(self) -> None:
        names = [self.rng.choice(self.vectors(4, writable=True)) for _ in range(3)]
        box = self.fresh("box")
        self.emit(f"{box} = [{', '.join(names)}]")
        self.emit(f"{box}[{self.index(3)}][{self.index(4)}] {self.rng.choice(['=', '+='])} {self.number()}")
        if self.chance(0.5):
            self.emit(f"{names[0]} = {box}[{self.index(3)}]")

    def outer_buffer(self) -> None:
        self.emit(f"WORK[:] = {self.vector(4, 1)}")
        self.emit(f"WORK[{self.index(4)}] {self.rng.choice(['=', '*=', '+='])} {self.number()}")
        self.emit(f"{self.target(4)} {self.rng.choice(['=', '+='])} WORK * {self.constant()}"
                  if self.chance(0.6) else f"s = s + 0.3 * np.sum(WORK * {self.vector(4, 0)})")

    def integer_list(self) -> None:
        k = self.fresh("k")
        self.emit(f"{k} = np.argsort({self.vector_leaf(4)})")
        v = self.rng.choice(self.vectors(4, writable=True))
        self.emit(f"{v}[{k}] {self.rng.choice(['=', '*=', '+='])} {self.vector(4, 1)}")
        self.emit(f"{k} += 0" if self.chance(0.3) else f"{k}[0] = {self.rng.randrange(4)}")

    def power(self) -> None:
        self.emit(f"{self.target(self.width([2, 3, 4]))} **= 2")

    # ------------------------------------------------------------ loops over what is written

    def rows(self, nesting: int) -> None:
        a, row = self.matrix(), self.fresh("r")
        over = self.rng.choice([a, f"{a}.T", f"{a}[::-1]", f"np.split({self.rng.choice(self.vectors(4))} * 1.0, 2)"])
        with self.block(f"for {row} in {over}:"):
            inner = self.scope
            self.scope = replace(inner, vectors={**inner.vectors, row: 2})
            self.statements(self.rng.randint(1, 2), nesting)
            self.scope = inner
            self.emit(f"{row} {self.rng.choice(['*=', '+=', '-='])} {self.number()}")

    def buffers(self, nesting: int) -> None:
        n, i = self.rng.randint(1, 4), self.fresh("i")
        names = [self.fresh("u") for _ in range(self.rng.choice([2, 3]))]
        for name in names:
            self.emit(f"{name} = {self.vector(4, 1)} * 1.0")
        with self.block(f"for {i} in range({n}):", **{i: max(n, 1)}):
            inner = self.scope
            self.scope = replace(inner, vectors={**inner.vectors, **dict.fromkeys(names, 4)})
            self.emit(f"{names[-1]}[1:] = {self.constant()} * {names[0]}[:-1] + {self.vector(3, 1)}")
            self.statements(self.rng.randint(0, 2), nesting)
            self.scope = inner
            self.emit(f"{', '.join(names)} = {', '.join(names[1:] + names[:1])}")
        self.scope = replace(self.scope, vectors={**self.scope.vectors, names[0]: 4})

    def program(self) -> str:
        self.start()
        self.emit("WORK[:] = 0.0")
        self.statements(self.rng.randint(3, 7), 2)
        self.rows(1)
        self.statements(self.rng.randint(1, 4), 2)
        self.emit(f"return {self.result()}")
        return "\n".join([HELPERS, "", "def f(x, y, A):", *self.lines, ""])


def write(rng: random.Random, basic: bool) -> str:
    """The text of a function f(x, y, A)."""
    return Writing(rng, False).program()

