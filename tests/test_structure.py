"""The package's layers: who may import whom, read from the files; and that importing it costs next to nothing."""
from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "srcgrad"

# bottom to top: a module imports from its own layer and from those above it in this table
LAYERS = (
    ("errors", "options"),
    ("runtime",),
    ("lang",),
    ("rules", "library"),
    ("eager", "analysis"),
    ("passes",),
    ("compiler",),
    ("backends",),
    ("dispatch",),
    ("api",),
    ("integrations", "cli", "testing"),
    ("__main__",),
)
LAYER = {name: height for height, names in enumerate(LAYERS) for name in names}
# the compiler knows no tensors, and tensors don't reach the compiler: only api joins the two
STRANGERS = {("eager", "analysis"), ("analysis", "eager"), ("passes", "eager"), ("compiler", "eager"),
             ("backends", "eager"), ("dispatch", "eager"), ("eager", "library")}
# what may be imported beside the standard library; layers that aren't listed: NumPy and gast
THIRD_PARTY = {
    "errors": set(), "options": set(), "runtime": {"numpy"}, "eager": {"numpy"}, "lang": {"numpy", "gast", "astor"},
    "rules": {"numpy", "gast", "scipy"}, "library": {"numpy", "scipy"},
    "backends": {"numpy", "gast", "numba", "pygments"}, "integrations": {"numpy", "scipy", "dask"},
}
# loading them on demand is the very purpose of these two
DOORS = {PACKAGE, f"{PACKAGE}.__main__"}


# ---------------------------------------------------------------- reading imports

def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST, known: Iterable[str]) -> Iterator[str]:
    """Full names of all modules that the statements of `tree` import, those inside functions included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"relative import in line {node.lineno}"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in known else str(node.module)


def without_type_checking(tree: ast.Module) -> ast.Module:
    """The module without what only a type checker reads."""
    class Drop(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
            self.generic_visit(node)
            return node.orelse if ast.unparse(node.test).endswith("TYPE_CHECKING") else node
    return Drop().visit(tree)


def import_graph(root: Path) -> dict[str, set[str]]:
    """Each module of the package below `root`, with all that it imports."""
    trees = {module_name(path, root): without_type_checking(ast.parse(path.read_text(encoding="utf-8")))
             for path in sorted(root.joinpath(PACKAGE).rglob("*.py"))}
    return {name: set(imported(tree, trees)) - {name} for name, tree in trees.items()}


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def inside(module: str) -> bool:
    return module.split(".")[0] == PACKAGE


# ---------------------------------------------------------------- the rules

def wrong_imports(graph: dict[str, set[str]]) -> list[str]:
    """What breaks the order, one sentence each."""
    return [sentence for module, targets in sorted(graph.items()) if module not in DOORS
            for target in sorted(targets) if inside(target) for sentence in judge(module, target)]


def judge(module: str, target: str) -> Iterator[str]:
    if target == PACKAGE:
        yield f"{module} imports the package itself"
        return
    below, above = layer(target), layer(module)
    for name, where in ((above, module), (below, target)):
        if name not in LAYER:
            yield f"{where} lies in no known layer"
            return
    if LAYER[below] > LAYER[above]:
        yield f"{module} imports {target}, a layer above it"
    elif (above, below) in STRANGERS:
        yield f"{module} imports {target}, which it must not know"


def wrong_third_parties(graph: dict[str, set[str]]) -> list[str]:
    out = []
    for module, targets in sorted(graph.items()):
        allowed = THIRD_PARTY.get(layer(module), {"numpy", "gast"}) if module not in DOORS else set()
        foreign = {t.split(".")[0] for t in targets if not inside(t)} - set(sys.stdlib_module_names)
        out += [f"{module} imports {name}" for name in sorted(foreign - allowed)]
    return out


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that reach each other."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        todo = [start]
        while todo:
            new = graph.get(todo.pop(), set()) & graph.keys() - seen
            seen |= new
            todo += new
        reach[start] = seen
    groups = {tuple(sorted(m for m in reach[start] if start in reach[m])) for start in graph if start in reach[start]}
    return [list(group) for group in sorted(groups)]


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    return import_graph(ROOT)


def test_every_file_is_read(graph: dict[str, set[str]]) -> None:
    assert {"srcgrad", "srcgrad.lang.core", "srcgrad.api", "srcgrad.compiler"} <= graph.keys()


def test_imports_go_downwards(graph: dict[str, set[str]]) -> None:
    assert wrong_imports(graph) == []


def test_no_import_cycles(graph: dict[str, set[str]]) -> None:
    assert cycles({m: t for m, t in graph.items() if m not in DOORS}) == []


def test_other_packages_are_imported_where_allowed(graph: dict[str, set[str]]) -> None:
    assert wrong_third_parties(graph) == []


# ---------------------------------------------------------------- the checks themselves

@pytest.mark.parametrize(("files", "expected"), [
    ({"lang/a.py": "import srcgrad.errors"}, []),
    ({"lang/a.py": "def f():\n    from srcgrad.passes import split"}, ["a layer above"]),
    ({"passes/a.py": "from srcgrad import grad"}, ["the package itself"]),
    ({"passes/a.py": "import srcgrad"}, ["the package itself"]),
    ({"eager/a.py": "from srcgrad.analysis import values"}, ["must not know"]),
    ({"extra/a.py": "from srcgrad.lang import core"}, ["no known layer"]),
    ({"lang/a.py": "if TYPE_CHECKING:\n    from srcgrad.api import grad"}, []),
])
def test_order_is_checked(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    found = wrong_imports(import_graph(package_of(tmp_path, files)))
    assert len(found) == len(expected)
    assert all(part in sentence for part, sentence in zip(expected, found))


def test_cycles_are_found(tmp_path: Path) -> None:
    files = {"lang/a.py": "import srcgrad.lang.b", "lang/b.py": "from srcgrad.lang import c, a", "lang/c.py": ""}
    assert cycles(import_graph(package_of(tmp_path, files))) == [["srcgrad.lang.a", "srcgrad.lang.b"]]


def test_other_packages_are_found(tmp_path: Path) -> None:
    files = {"runtime/a.py": "import numpy.linalg, os, scipy.special", "lang/a.py": "import gast"}
    assert wrong_third_parties(import_graph(package_of(tmp_path, files))) == ["srcgrad.runtime.a imports scipy"]


def package_of(directory: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = directory / PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return directory


# ---------------------------------------------------------------- what importing costs

def in_process(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_import_is_fast() -> None:
    """Below 0.2 s beyond NumPy: the best of five, so that a busy machine doesn't count."""
    code = "import time, numpy; t = time.perf_counter(); import srcgrad; print(time.perf_counter() - t)"
    assert min(float(in_process(code)) for _ in range(5)) < 0.2


def test_import_loads_no_compiler() -> None:
    code = "import sys, srcgrad; print(*(m for m in sys.modules if m.split('.')[0] in ('srcgrad', 'gast', 'scipy')))"
    loaded = in_process(code).split()
    assert "srcgrad" in loaded
    assert not {"srcgrad.compiler", "srcgrad.api", "gast", "scipy"} & set(loaded)
