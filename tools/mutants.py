"""Plant small faults in the source, one at a time, and count those that the tests catch.

    python tools/mutants.py --count 60 --seed 2026
    python tools/mutants.py --only 7,19 --tests build/old    # these two, with build/old/tests

The faults are drawn in equal parts from the packages that turn rows into values. For each fault run the tests
that caught it in an earlier run (`build/mutants/killers.json`), then the nearest tests, then all tests.
A test that catches a fault also runs without it; tests that fail without a fault are ignored.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

WORK = Path("build", "mutants")
TREE = WORK / "tree"
KILLERS = WORK / "killers.json"
EVERYTHING = ["src/steelyard", "tests", "docs", "README.md"]
NO_SUCH_TEST, NO_TESTS = 4, 5  # exit codes of pytest
PACKAGES = ["metrics", "engine", "kernels"]
# the places of tests that run nothing of these packages, or that run them through a browser or a wheel
LEFT_OUT = ["browser", "fuzz", "typing", "test_budget.py", "test_docs.py", "test_quick.py", "test_wheel.py"]
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}


class Mutant(NamedTuple):
    """A fault: the file, which of its nodes, which fault of this node, and the words for it."""

    path: Path
    node: int
    fault: int
    name: str


def faults(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    """The faults that a node can have; each is a description and what plants it."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = COMPARISONS[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} to {other.__name__}", lambda: node.ops.__setitem__(0, other())
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        new = ARITHMETIC[type(node.op)]
        if not (isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)):
            yield f"{type(node.op).__name__} to {new.__name__}", lambda: setattr(node, "op", new())
    elif isinstance(node, ast.BoolOp):
        turned = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"to {type(turned).__name__}", lambda: setattr(node, "op", turned)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "without not", lambda: setattr(node, "operand", ast.UnaryOp(ast.Not(), node.operand))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value in (0, 0.5, 1, 2):
        yield f"{node.value} to {node.value + 1}", lambda: setattr(node, "value", node.value + 1)


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, without inner functions and error messages."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Raise | ast.Assert):
            yield from inside(child)


def nodes_of(tree: ast.Module) -> list[ast.AST]:
    """Every node inside a function's statements: no annotations, decorators, defaults or error messages."""
    return [
        node
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.name not in ("__repr__", "__str__")
        for statement in function.body
        if not isinstance(statement, ast.FunctionDef | ast.Raise | ast.Assert)
        for node in inside(statement)
    ]


def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a file."""
    return [
        Mutant(path, at, n, f"{path}:{node.lineno}:{node.col_offset + 1} {fault}")  # type: ignore[attr-defined]
        for at, node in enumerate(nodes_of(ast.parse(path.read_text("utf-8"))))
        for n, (fault, _) in enumerate(faults(node))
    ]


def drawn(count: int, seed: int) -> list[Mutant]:
    """Different mutants in equal parts from the packages; large files are drawn more often."""
    chance = random.Random(seed)
    every: dict[Mutant, None] = {}
    for number, name in enumerate(PACKAGES):
        files = sorted(Path("src/steelyard", name).rglob("*.py"))
        sizes = [path.stat().st_size for path in files]
        upto = len(every) + count // len(PACKAGES) + (number < count % len(PACKAGES))
        while len(every) < upto:
            if several := mutants_of(chance.choices(files, sizes)[0]):
                every[chance.choice(several)] = None
    return list(every)


def planted(mutant: Mutant) -> str:
    """The source of the file with the fault."""
    tree = ast.parse(mutant.path.read_text("utf-8"))
    list(faults(nodes_of(tree)[mutant.node]))[mutant.fault][1]()
    return ast.unparse(tree)


def unpack(tests: Path | None) -> None:
    """The files of HEAD in a fresh folder, with other tests where they are given."""
    shutil.rmtree(TREE, ignore_errors=True)
    packed = subprocess.run(["git", "archive", "HEAD"], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(TREE, filter="data")
    if tests:
        shutil.rmtree(TREE / "tests")
        shutil.copytree(tests / "tests", TREE / "tests")
        shutil.copy(tests / "conftest.py", TREE)
    for name in LEFT_OUT:
        place = TREE / "tests" / name
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)


def pytest(names: list[str], limit: float, cache: str, *options: str) -> tuple[int, str]:
    """Run tests in the tree; the exit code (-9 after `limit` seconds) and the output."""
    arguments = TREE / "arguments.txt"
    arguments.write_text("\n".join(names), "utf-8")
    marks = [] if any("::" in name for name in names) else ["-m", "not peers and not long"]
    plugins = ["-p", "no:randomly", "-p", "no:cacheprovider"]
    paths = {"PYTHONPATH": str((TREE / "src").resolve()), "NUMBA_CACHE_DIR": str((WORK / cache).resolve())}
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", *plugins, *options, *marks, f"@{arguments.name}"],
        cwd=TREE,
        env=os.environ | paths | {"CI": "true"},  # the same examples each time
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        output = run.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        return run.wait(), ""
    if run.returncode == NO_TESTS and not marks:
        raise SystemExit(f"pytest ran none of {' '.join(names)}:\n{output}")
    return run.returncode, output


def nearest(mutant: Mutant) -> list[str]:
    """The doctests of the module, and test files of its name or that import it or a name from it."""
    body = ast.parse((TREE / mutant.path).read_text("utf-8")).body
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)} | {
        mutant.path.stem
    }
    near = {}
    for path in sorted(TREE.glob("tests/**/test_*.py")):
        imported = {
            name
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("steelyard")
            for name in [*(node.module or "").split("."), *(alias.name for alias in node.names)]
        }
        if path.stem == f"test_{mutant.path.stem}":
            near[path] = 0
        elif names & imported:
            near[path] = len(imported)  # few imports: a test of little else
    some = sorted(near, key=lambda path: near[path])[:10]
    return [str(mutant.path), *(str(path.relative_to(TREE)) for path in some)]


def killer(mutant: Mutant, names: list[str], limit: float, ignored: set[str], *options: str) -> str:
    """The first test that fails with the fault and passes without it, or nothing."""
    target = TREE / mutant.path
    sound = target.read_text("utf-8")
    # compiled callers keep the old callee in the cache
    cache = "numba-mutant" if "kernels" in mutant.path.parts else "numba"
    while left := [name for name in names if name not in ignored]:
        target.write_text(planted(mutant), "utf-8")
        try:
            left_out = [f"--deselect={name}" for name in sorted(ignored)]
            code, output = pytest(left, limit, cache, "-x", *options, *left_out)
        finally:
            target.write_text(sound, "utf-8")
        if code in (0, NO_TESTS) or (code == NO_SUCH_TEST and "::" in left[0]):
            break
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
        if not failed:  # it never ends, or pytest cannot start
            collected, output = pytest(left, 900, "numba", "-n", "0", "--collect-only")
            if collected not in (0, NO_TESTS):
                raise SystemExit(f"pytest cannot start without a fault:\n{output}")
            return f"exit code {code}"
        by = failed[1]
        whole = [] if "::" in by else ["--collect-only"]  # a file that cannot be imported
        # the fault may have changed the name of the test
        if pytest([by], 900, "numba", "-n", "0", *whole)[0] in (0, NO_SUCH_TEST):
            return by
        print(f"fails without a fault: {by}", flush=True)
        ignored.add(by)
    return ""


def main() -> int:
    """Read the command line, and run the tests with each mutant."""
    parser = argparse.ArgumentParser(prog="python tools/mutants.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", default="", help="numbers of mutants, with commas between")
    parser.add_argument("--tests", type=Path, help="a folder with other tests and their conftest.py")
    asked = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    unpack(asked.tests)
    mutants = drawn(asked.count, asked.seed)
    only = [int(number) for number in asked.only.split(",") if number] or list(range(len(mutants)))
    killers = json.loads(KILLERS.read_text("utf-8")) if KILLERS.exists() else {}
    ignored: set[str] = set()
    caught = 0
    for number in only:
        mutant = mutants[number]
        before = killers.get(mutant.name, [])
        shutil.rmtree(WORK / "numba-mutant", ignore_errors=True)
        by = ""
        for name in before:
            if not by and (TREE / name.partition("::")[0]).exists():
                by = killer(mutant, [name], 300, ignored, "-n", "0")
        by = by or killer(mutant, nearest(mutant), 900, ignored, "-n", "0")
        by = by or killer(mutant, EVERYTHING, 3600, ignored, "-n", "2")
        print(f"{'caught  ' if by else 'SURVIVED'} {number:3d} {mutant.name}{by and ': ' + by}", flush=True)
        caught += bool(by)
        if "::" in by:
            killers[mutant.name] = list(dict.fromkeys([by, *before]))
            KILLERS.write_text(json.dumps(killers, indent=1), "utf-8")
    print(f"{caught} of {len(only)} mutants caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
