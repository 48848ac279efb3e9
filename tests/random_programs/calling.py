"""Kind 2: what kind 1 has, and callees that write, reshapes, while, lists of arrays, np.add.at, early returns."""
from __future__ import annotations

import random
from dataclasses import replace

from random_programs.aliasing import Aliasing
from random_programs.writer import Scope

__all__ = ["Calling", "write"]


class Calling(Aliasing):
    """`callees` maps a callee's name to whether it returns a number ('number'), an argument ('vector') or nothing."""

    def __init__(self, rng: random.Random, basic: bool, callees: dict[str, str]) -> None:
        super().__init__(rng, basic)
        self.callees = callees
        self.lists: dict[str, int] = {}

    def kinds(self) -> list[str]:
        more = ["call", "call", "call", "join", "list_of_results", "while_loop"]
        beyond = [] if self.basic else ["flatten", "fold", "add_at", "write_in_list", "write_in_list"]
        top = ["guard"] if self.depth == 1 or not self.basic and self.chance(0.3) else []
        return super().kinds() + more + beyond + top

    # ------------------------------------------------------------ calls

    def call(self) -> None:
        if not self.callees:
            return
        name, gives = self.rng.choice(sorted(self.callees.items()))
        call = f"{name}({self.argument()}, {self.argument()}, {self.number()})"
        if gives == "vector":
            call = f"{self.rng.choice(self.vectors(3, writable=True))} = {call}" \
                if self.vectors(3, writable=True) else f"s += np.sum({call})"
        elif gives == "number":
            call = f"s = 0.5 * s + {call}" if "s" in self.scope.numbers else call
        self.emit(call)

    def argument(self) -> str:
        """Three entries that the callee may write."""
        names = self.vectors(3, writable=True)
        return self.rng.choice(names) if names and self.chance(0.4) else self.writable_view(3)

    # ------------------------------------------------------------ shapes

    def flatten(self) -> None:
        a = self.rng.choice(self.vectors(4, writable=True))
        how = self.rng.choice(["reshape(-1)", "ravel()", "reshape(4)", "T.reshape(-1)", "flatten()"])
        self.emit(f"{a} = {self.rng.choice(self.matrices())}.{how}")

    def matrices(self) -> list[str]:
        return [a for a in self.scope.matrices if a not in self.scope.fixed]

    def fold(self) -> None:
        a = self.rng.choice(self.matrices())
        self.emit(f"{a} = {self.rng.choice(self.vectors(4, writable=True))}.reshape(2, 2)")

    def join(self) -> None:
        a = self.rng.choice(self.vectors(4, writable=True))
        forms = [f"np.concatenate([{self.vector(1)}, {self.vector(3)}])",
                 f"np.append({self.vector(3)}, {self.number()})",
                 f"np.concatenate(({self.vector(2)}, {self.vector(2)}))",
                 f"np.array([{self.number()}, {self.number()}, {self.number()}, {self.number()}])",
                 f"np.stack([{self.vector(2)}, {self.vector(2)}], axis=1)[0] * {self.vector(2)}",
                 f"np.cumsum({self.vector(4)})", f"np.roll({self.vector(4)}, 1)"]
        form = self.rng.choice(forms)
        self.emit(f"{a}[:2] = {form}" if "stack" in form else f"{a} = {form}")

    # ------------------------------------------------------------ other writes

    def add_at(self) -> None:
        a = self.rng.choice(self.vectors(4, writable=True))
        if self.chance(0.2):
            self.emit(f"{a}.sort()")
            return
        self.emit(f"np.{self.rng.choice(['add', 'subtract'])}.at({a}, {self.positions(4, 3)}, {self.vector(3, 1)})")

    # ------------------------------------------------------------ lists

    def list_of_results(self) -> None:
        """A list appended to in a loop and read in another."""
        results, i, t = self.fresh("r"), self.fresh("i"), self.fresh("t")
        n = self.rng.randint(0, 3)
        self.emit(f"{results} = [{self.vector(3)}]" if self.chance(0.5) else f"{results} = []")
        with self.block(f"for {i} in range({n}):", **{i: max(n, 1)}):
            self.emit(f"{results}.append({self.vector(3)}{'' if self.chance(0.3) and not self.basic else ' * 1.0'})")
            self.statements(1, 0)
        with self.block(f"for {t} in {results}:"):
            self.scope = replace(self.scope, vectors={**self.scope.vectors, t: 3},
                                 fixed=self.scope.fixed | ({t} if self.basic else set()))
            self.emit(f"s = 0.7 * s + np.sum({self.vector(3, 1)} * {t})")
            if not self.basic:
                self.statements(1, 0)

    def list_of_arrays(self) -> None:
        """A list of three arrays; its name is known to the rest of the program where that is sure to be reached."""
        name = self.rng.choice(sorted(self.lists)) if self.lists and self.chance(0.3) else self.fresh("bufs")
        members = [self.rng.choice(self.vectors(4, writable=True)) for _ in range(3)]
        self.emit(f"{name} = [{', '.join(members)}]")
        if self.depth == 1:
            self.lists[name] = 3

    def write_in_list(self) -> None:
        if not self.lists or self.depth == 1 and self.chance(0.3):
            self.list_of_arrays()
        if not self.lists:
            return
        name = self.rng.choice(sorted(self.lists))
        k, m = self.place(), self.place()
        a = self.rng.choice(self.vectors(4, writable=True))
        self.emit(self.rng.choice([
            f"{name}[{k}][{self.window(4, 3)}] *= {self.vector(3, 1)}",
            f"{name}[{k}][{self.index(4)}] = {self.number()}",
            f"{name}[{k}], {name}[{m}] = {name}[{m}], {name}[{k}]", f"{a} = {name}[{k}]", f"{name}[{k}] = {a}",
            f"{name}[{k}] += {self.vector(4, 1)}", f"{a} = {a} * {name}[{m}]",
        ]))

    def place(self) -> str:
        if self.scope.indices and self.chance(0.5):
            return f"{self.rng.choice(sorted(self.scope.indices))} % 3"
        return str(self.rng.randrange(3))

    # ------------------------------------------------------------ control flow

    def while_loop(self, nesting: int) -> None:
        k = self.fresh("k")
        n = self.rng.randint(1, 3)
        self.emit(f"{k} = 0")
        data = f" and {self.number()} < {self.constant(0.5, 2.0)}" if self.chance(0.4) else ""
        with self.block(f"while {k} < {n}{data}:", **{k: n}):
            self.statements(self.rng.randint(1, 3), nesting)
            self.emit(f"{k} += 1")

    def guard(self) -> None:
        """An early return."""
        with self.block(f"if {self.number(2)} > {self.constant(0.8, 2.5)}:"):
            if self.chance(0.5):
                self.statements(1, 0)
            self.emit(f"return {self.result()}" if self.callees else "return 0.5")

    def program(self) -> str:
        self.start()
        self.emit("v = a[1:]")
        self.scope = replace(self.scope, vectors={**self.scope.vectors, "v": 3})
        self.statements(self.rng.randint(4, 8), 2)
        self.emit(f"return {self.result()}")
        return "\n".join(["def f(x, y, A):", *self.lines, ""])


def _callee(rng: random.Random, basic: bool, name: str, gives: str) -> str:
    """A function of two vectors of 3 and a number, that writes the vectors."""
    w = Aliasing(rng, True)
    w.scope = Scope({"p": 3, "q": 3}, {}, ("r",))
    for _ in range(rng.randint(1, 3)):
        getattr(w, rng.choice(["item_write", "slice_write", "slice_update", "whole_update", "number_update"]))()
    if rng.random() < 0.4:
        with w.block(f"if {w.condition()}:"):
            w.slice_update()
    if rng.random() < 0.3:
        with w.block("for j in range(2):", j=2):
            w.item_write()
    if rng.random() < 0.2 and not basic:
        w.emit("p, q = q, p")
    last = {"number": f"return {w.number(2)}", "vector": f"return {rng.choice(['p', 'q', 'p * q'])}"}
    w.emit(last.get(gives, "q *= r"))
    return "\n".join([f"def {name}(p, q, r):", *w.lines, "", ""])


def write(rng: random.Random, basic: bool) -> str:
    """The text of a function f(x, y, A), after the functions that it calls."""
    callees = {f"g{k}": rng.choice(["number", "vector", "nothing"]) for k in range(rng.randint(1, 2))}
    texts = [_callee(rng, basic, name, gives) for name, gives in callees.items()]
    return "\n".join([*texts, Calling(rng, basic, callees).program()])
