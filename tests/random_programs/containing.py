"""Kind 5: lists, dicts, tuples and objects of arrays and numbers, comprehensions, closures, calls, jumps among them."""
from __future__ import annotations

import random
from dataclasses import replace

from random_programs.jumping import COMPOUND, SIMPLE, Jumping

__all__ = ["Containing", "write"]

HELPERS = '''
class Box:
    def __init__(self, v, n=0.5):
        self.v = v
        self.n = n
        self.kept = []

    @property
    def size(self):
        return self.n * np.sum(self.v)

    def step(self, k):
        self.kept.append(self.v)
        self.v = self.v * k + 0.1
        self.n = np.sin(self.n + k)
        return self.v

    def __mul__(self, k):
        return Box(self.v * k, self.n)


def blend(first, *rest, scale=1.0, **more):
    total = first * scale
    for part in rest:
        total = total + 0.5 * part
    for key, part in more.items():
        if key != "skipped":
            total = total - 0.3 * part
    return total


def nest(items, depth):
    if depth == 0 or not items:
        return 0.3
    return np.sum(items[0]) * 0.2 + nest(items[1:], depth - 1) * 0.5


def scaled(items, k):
    for i, item in enumerate(items):
        yield item * k
        k = k * 0.5 if i % 2 else k


def put_into(items, table, u):
    items.append(u * 0.5)
    table["p"] = items[0] + u
    return items[-1]
'''

ON_ARRAYS = ("rebind", "slice_update", "item_write", "number_update", "alias", "whole_update")
ON_CONTAINERS = (
    "list_append", "list_append", "list_set", "list_in_place", "list_in_place", "list_pop", "list_insert",
    "list_joined", "list_read", "list_cut", "numbers_changed", "numbers_read", "dict_set", "dict_in_place", "dict_updated", "dict_got",
    "dict_removed", "field_set", "field_in_place", "method", "method", "object_made", "unpacked", "comprehension",
    "comprehension", "summed", "closure", "blended", "recursion", "putter",
)
LOOPS = ("for_each", "for_each", "for_zip", "for_items", "for_generator", "while_popped")


class Containing(Jumping):
    """`L` is a list of vectors, `N` one of numbers, neither ever empty; `D` a dict of vectors with `p` and `q`; `o` a
    Box."""

    def __init__(self, rng: random.Random, basic: bool) -> None:
        super().__init__(rng, basic)
        self.running = 0                # loops over L, which keeps its length there

    def statements(self, count: int, nesting: int) -> None:
        for k in range(count):
            pick = self.rng.random()
            if nesting > 0 and pick < 0.25:
                getattr(self, self.rng.choice(LOOPS))(nesting - 1)
            elif nesting > 0 and pick < 0.4:
                getattr(self, self.rng.choice(COMPOUND))(nesting - 1)
            elif pick < 0.5 and not self.basic:
                self.jump(last=k == count - 1)
            elif pick < 0.7:
                getattr(self, self.rng.choice(ON_ARRAYS if self.basic else SIMPLE))()
            else:
                getattr(self, self.rng.choice(ON_CONTAINERS))()

    def four(self) -> str:
        """An expression of four entries that is a new array, or an array that has other names."""
        if self.chance(0.3):
            return self.rng.choice(self.vectors(4, writable=True))
        return f"({self.vector(4)}) * 1.0"

    def place(self) -> str:
        """An index into a list that may be short."""
        if self.scope.indices and self.chance(0.4):
            return f"{self.rng.choice(sorted(self.scope.indices))} % len(L)"
        return self.rng.choice(["0", "-1", "len(L) // 2", "-1"])

    def some(self) -> str:
        """A vector that a container holds."""
        return self.rng.choice([f"L[{self.place()}]", 'D["p"]', 'D["q"]', "o.v"])

    # ------------------------------------------------------------ lists

    def resized(self, line: str) -> None:
        self.emit(line if not self.running else f"L[-1] = {self.four()}")

    def list_append(self) -> None:
        self.resized(f"L.append({self.four()})")

    def list_set(self) -> None:
        self.emit(f"L[{self.place()}] = {self.four()}")

    def list_in_place(self) -> None:
        self.emit(self.rng.choice([
            f"L[{self.place()}][{self.window(4, 3)}] {self.rng.choice(['=', '+=', '*='])} {self.vector(3, 1)}",
            f"L[{self.place()}][{self.index(4)}] {self.rng.choice(['=', '+='])} {self.number()}",
            f"L[{self.place()}] *= {self.number(1)}", f"L[{self.place()}] = L[{self.place()}]",
            "L[0], L[-1] = L[-1], L[0]"]))

    def list_pop(self) -> None:
        if self.running:
            return
        with self.block("if len(L) > 1:"):
            a = self.rng.choice(self.vectors(4, writable=True))
            self.emit(self.rng.choice([f"{a} = L.pop()", f"{a} = L.pop(0)", "L.pop()", "del L[0]", "L.pop(0)"]))

    def list_insert(self) -> None:
        self.resized(self.rng.choice([f"L.insert(0, {self.four()})", f"L.insert(-1, {self.four()})"]))

    def list_joined(self) -> None:
        self.resized(self.rng.choice([
            f"L.extend([{self.four()}, {self.four()}])", f"L += [{self.four()}]", f"L = L + [{self.four()}]",
            "L = L[::-1]", "L.reverse()", f"L = [{self.four()}, *L]", f"L[1:] = [{self.four()}]"]))

    def list_read(self) -> None:
        a = self.rng.choice(self.vectors(4, writable=True))
        self.emit(self.rng.choice([f"{a} = L[{self.place()}]", f"{a} = {self.some()} * {self.number(1)}",
                                   f"s = s * 0.5 + np.sum({self.some()} * {self.vector(4, 0)})"]))

    def list_cut(self) -> None:
        self.resized(self.rng.choice(["L = L[-3:]", "del L[2:]", "L = list(L)", "L = L[:2]"]))

    def numbers_changed(self) -> None:
        self.emit(self.rng.choice([f"N.append({self.number(1)})", f"N[-1] = {self.number(1)}",
                                   f"N[0] += {self.number(1)}", f"N.insert(0, {self.number(1)})", f"N = [s, {self.number(1)}]", "N = N[-4:]"]))

    def numbers_read(self) -> None:
        self.emit(self.rng.choice(["s = sum(N) * 0.3", "s = 0.5 * s + N[-1]", "s = s + max(N) * 0.2",
                                   "s = N.pop() if len(N) > 1 else 0.7 * s", "s += len(N) * N[0]"]))

    # ------------------------------------------------------------ dicts, objects, tuples

    def key(self) -> str:
        return self.rng.choice(['"p"', '"q"', '"p"', '"r"', '"u"'])

    def dict_set(self) -> None:
        key = self.key()
        if self.scope.indices and self.chance(0.3):
            key = f"{self.rng.choice(sorted(self.scope.indices))} % 2"
        self.emit(f"D[{key}] = {self.four()}")

    def dict_in_place(self) -> None:
        key = self.rng.choice(['"p"', '"q"'])
        self.emit(self.rng.choice([f"D[{key}][{self.window(4, 3)}] {self.rng.choice(['=', '+='])} {self.vector(3, 1)}",
                                   f"D[{key}] = D[{key}] * {self.number(1)}", f"D[{key}] += {self.vector(4, 1)}"]))

    def dict_updated(self) -> None:
        self.emit(self.rng.choice([f"D.update(p={self.four()})",
                                   f'D.update({{"q": {self.four()}, "r": {self.four()}}})',
                                   f"D.setdefault({self.key()}, {self.four()})", f'D = {{**D, "u": {self.four()}}}',
                                   "D = dict(D)"]))

    def dict_got(self) -> None:
        a = self.rng.choice(self.vectors(4, writable=True))
        self.emit(f"{a} = D.get({self.key()}, {self.rng.choice(self.vectors(4))}) * {self.number(1)}")

    def dict_removed(self) -> None:
        self.emit(self.rng.choice(['D.pop("r", None)', 's = s + np.sum(D.pop("u", np.zeros(4)))']))

    def field_set(self) -> None:
        self.emit(self.rng.choice([f"o.v = {self.four()}", f"o.n = {self.number(1)}", f"o.n += {self.number(1)}",
                                   f"s = s + o.n * {self.constant()}"]))

    def field_in_place(self) -> None:
        self.emit(f"o.v[{self.window(4, 3)}] {self.rng.choice(['=', '+=', '*='])} {self.vector(3, 1)}")

    def method(self) -> None:
        a = self.rng.choice(self.vectors(4, writable=True))
        self.emit(self.rng.choice([f"{a} = o.step({self.number(1)})", "s = 0.3 * s + o.size",
                                   f"o.step({self.number(0)})", f"o = o * {self.constant()}",
                                   "s = s + np.sum(o.kept[-1]) if o.kept else s"]))

    def object_made(self) -> None:
        self.emit(self.rng.choice([f"o = Box({self.four()})", f"o = Box(v={self.four()}, n={self.number(1)})",
                                   f"o.kept = [{self.four()}]"]))

    def unpacked(self) -> None:
        a, b = self.rng.sample(self.vectors(4, writable=True), 2)
        t = self.fresh("t")
        self.emit(f"{t} = ({self.four()}, {self.number(1)}, [{self.some()}])")
        self.emit(self.rng.choice([f"{a}, s, ({b},) = {t}", f"{a}, *_ = {t}", f"s = {t}[1] + np.sum({t}[2][0])",
                                   f"{a}, {b} = {t}[0], {t}[-1][0]"]))

    # ------------------------------------------------------------ comprehensions, functions

    def comprehension(self) -> None:
        k = self.number(1)
        v = self.rng.choice(self.vectors(4))
        forms = [f"N = [np.sum(e) * {self.constant()} for e in L]", f"N = [n * {k} for n in N if n > -2.0] or [s]",
                 f"D = {{key: e * {self.constant()} for key, e in D.items()}}",
                 f"s = 0.5 * s + sum(np.sum(e * {v}) for e in L)", f"N = [s + e @ {v} for i, e in enumerate(L)]"]
        if not self.running:
            forms += [f"L = [e * {k} for e in L]",
                      f"L = [e + {v} for e in L if e[0] > {self.constant(-0.5)}] or [{v} * 1.0]",
                      "L = [e * n for e, n in zip(L, N)]", "L = [D[key] for key in sorted(k for k in D if k in 'pq')]"]
        self.emit(self.rng.choice(forms))

    def summed(self) -> None:
        self.emit(self.rng.choice(["s = 0.2 * s + np.sum(np.array(L))", "s = 0.3 * s + np.sum(np.stack(L)[-1])",
                                   "s = s + np.mean(N)", "s = s + 0.1 * sum(map(np.sum, L))"]))

    def closure(self) -> None:
        g = self.fresh("g")
        a = self.rng.choice(self.vectors(4, writable=True))
        form = self.rng.randrange(3)
        if form == 0:
            self.emit(f"{g} = lambda u, k={self.constant()}: u * k + {a}")
        elif form == 1:
            with self.block(f"def {g}(u, scale={self.constant()}):"):
                with self.block(f"if np.sum(u) > {self.constant()}:"):
                    self.emit("return u * scale + s")
                self.emit(f"return u - {self.some()} * scale")
        else:
            with self.block(f"def {g}(u):"):
                self.emit(f"N.append(np.sum(u) * {self.constant()})")
                self.emit("return u * N[0]")
        self.emit(f"{a} = {g}({self.vector(4, 1)})")

    def blended(self) -> None:
        a = self.rng.choice(self.vectors(4, writable=True))
        self.emit(self.rng.choice([
            f"{a} = blend({self.vector(4, 1)}, *L, scale={self.number(1)})", f"{a} = blend(*L[:2], skipped=D)",
            f"{a} = blend({self.some()}, more={self.vector(4, 0)})",
            f"{a} = blend({self.vector(4, 1)}, {self.some()})"]))

    def recursion(self) -> None:
        self.emit(f"s = 0.5 * s + nest({self.rng.choice(['L', 'L[::-1]', '[o.v]'])}, {self.rng.randrange(4)})")

    def putter(self) -> None:
        a = self.rng.choice(self.vectors(4, writable=True))
        if not self.running:
            self.emit(f"{a} = put_into(L, D, {self.vector(4, 1)})")

    # ------------------------------------------------------------ loops

    def inside(self, header: str, nesting: int, vectors: tuple[str, ...] = (), numbers: tuple[str, ...] = (),
               **indices: int) -> None:
        """A loop over something that keeps its length there."""
        self.running += 1
        self.loops += 1
        with self.block(header, **indices):
            new = dict.fromkeys(vectors, 4)
            self.scope = replace(self.scope, vectors={**self.scope.vectors, **new},
                                 numbers=(*self.scope.numbers, *numbers), fixed=self.scope.fixed | set(vectors))
            self.body(nesting, 3)
        self.loops -= 1
        self.running -= 1

    def for_each(self, nesting: int) -> None:
        e, i = self.fresh("e"), self.fresh("i")
        if self.chance(0.5):
            self.inside(f"for {e} in {self.rng.choice(['L', 'L[::-1]', 'reversed(L)', 'L[:3]'])}:", nesting, (e,))
        else:
            self.inside(f"for {i}, {e} in enumerate(L[:4]):", nesting, (e,), **{i: 4})

    def for_zip(self, nesting: int) -> None:
        e, n = self.fresh("e"), self.fresh("n")
        self.inside(f"for {e}, {n} in zip(L, {self.rng.choice(['list(N)', 'N[:2]', 'N[::-1]'])}):", nesting, (e,), (n,))

    def for_items(self, nesting: int) -> None:
        key, e = self.fresh("key"), self.fresh("e")
        self.inside(f"for {key}, {e} in list(D.items()):", nesting, (e,))

    def for_generator(self, nesting: int) -> None:
        e = self.fresh("e")
        self.inside(f"for {e} in scaled(L, {self.number(1)}):", nesting, (e,))

    def while_popped(self, nesting: int) -> None:
        if self.running:
            return
        a = self.rng.choice(self.vectors(4, writable=True))
        with self.block("while len(L) > 1:"):
            self.emit(f"{a} = L.pop() * {self.number(1)}")
            self.running += 1
            self.statements(1, 0)
            self.running -= 1

    # ------------------------------------------------------------ the whole

    def result(self) -> str:
        held = ["np.sum(L[0] * L[-1])", "sum(N)", 'np.sum(D["p"]) + np.sum(D["q"] ** 2)', "o.size", "0.1 * len(L)"]
        return " + ".join([super().result(), *held])

    def program(self) -> str:
        self.start()
        self.emit(f"L = [{self.four()}, {self.rng.choice(['a', 'b * 2.0', 'x * y'])}]")
        self.emit(f"N = [s, {self.number(1)}]")
        self.emit(f'D = {{"p": {self.four()}, "q": {self.four()}}}')
        self.emit(f"o = Box({self.four()}, {self.number(1)})")
        self.statements(self.rng.randint(2, 4), 2)
        getattr(self, self.rng.choice(LOOPS))(1)
        self.statements(self.rng.randint(1, 3), 2)
        self.emit(f"return {self.result()}")
        return "\n".join([HELPERS, "", "def f(x, y, A):", *self.lines, ""])


def write(rng: random.Random, basic: bool) -> str:
    """The text of a function f(x, y, A)."""
    return Containing(rng, basic).program()
