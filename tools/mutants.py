"""Plant small faults in the source, one at a time, and count those that the tests catch.

    python tools/mutants.py --count 60 --seed 2026
    python tools/mutants.py --only 7,19 --tests-of 841a6ca0    # these mutants, with the tests of a commit

The places are drawn in equal parts from the packages that turn rows into values. Each mutant runs the tests
nearest to it first, then those of the other packages; the first failure ends its run.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import random
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

TREE = Path("build", "mutants", "tree")
NEAREST = {
    "metrics": ["tests/metrics", "src/steelyard/metrics", "tests/laws"],
    "rank": ["tests/laws", "tests/evaluate"],
    "align": ["tests/engine", "tests/evaluate", "tests/laws"],
    "states": ["tests/engine", "tests/metrics", "tests/rows"],
    "kernels": ["tests/kernels", "tests/laws"],
    "engine": ["tests/engine", "tests/evaluate", "tests/laws", "tests/metrics", "tests/rows"],
}
EVERY = ["tests/metrics", "tests/laws", "tests/evaluate", "tests/rows", "tests/differential", "tests/measure"]
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
    """A fault: the file, its line, what it does, and the source with it."""

    path: Path
    line: int
    fault: str
    source: str


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
        yield "without not", lambda: setattr(node, "op", ast.UAdd())
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value in (0, 0.5, 1, 2):
        yield f"{node.value} to {node.value + 1}", lambda: setattr(node, "value", node.value + 1)


def bodies(tree: ast.Module) -> Iterator[ast.AST]:
    """Every node inside a function's statements: no annotations, decorators, defaults or error messages."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                if not isinstance(statement, ast.Raise | ast.Assert | ast.FunctionDef):
                    yield from ast.walk(statement)


def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a file."""
    source = path.read_text("utf-8")
    found = []
    places = [
        (at, n) for at, node in enumerate(bodies(ast.parse(source))) for n, _ in enumerate(faults(node))
    ]
    for at, n in dict.fromkeys(places):
        tree = ast.parse(source)
        node = list(bodies(tree))[at]
        fault, plant = list(faults(node))[n]
        plant()
        found.append(Mutant(path, node.lineno, fault, ast.unparse(tree)))
    return found


def drawn(count: int, seed: int) -> list[Mutant]:
    """Mutants in equal parts from the packages that exist."""
    chance = random.Random(seed)
    packages = [name for name in NEAREST if Path("src/steelyard", name).is_dir()]
    every = []
    for number, name in enumerate(packages):
        files = sorted(Path("src/steelyard", name).rglob("*.py"))
        share = count // len(packages) + (number < count % len(packages))
        sizes = [path.stat().st_size for path in files]
        while share:
            several = mutants_of(chance.choices(files, sizes)[0])
            if several:
                every.append(chance.choice(several))
                share -= 1
    return every


def caught(mutant: Mutant, number: int) -> bool:
    """Whether a test fails with the fault."""
    package = mutant.path.parts[2]
    target = TREE / mutant.path
    sound = target.read_text("utf-8")
    target.write_text(mutant.source, "utf-8")
    # compiled callers keep the old callee in a cache that they share
    cache = Path("build", "mutants", "numba", str(number) if package == "kernels" else "shared").resolve()
    source = os.environ | {"PYTHONPATH": str((TREE / "src").resolve()), "NUMBA_CACHE_DIR": str(cache)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-n",
        "2",
        "--dist",
        "worksteal",
        "-m",
        "not peers",
    ]
    paths = [path for path in dict.fromkeys([*NEAREST[package], *EVERY]) if (TREE / path).exists()]
    nearest = [path for path in paths if path in NEAREST[package]]
    try:
        for some in (nearest, [path for path in paths if path not in nearest]):
            if subprocess.run([*command, *some], cwd=TREE, env=source, capture_output=True).returncode == 1:
                return True
        return False
    finally:
        target.write_text(sound, "utf-8")
        if package == "kernels":
            shutil.rmtree(cache, ignore_errors=True)


def main() -> int:
    """Read the command line, and run the tests once for each mutant."""
    parser = argparse.ArgumentParser(prog="python tools/mutants.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", default="", help="numbers of mutants, with commas between")
    parser.add_argument("--tests-of", metavar="COMMIT", help="take the tests of this commit")
    asked = parser.parse_args()
    shutil.rmtree(TREE, ignore_errors=True)
    packed = subprocess.run(["git", "archive", "HEAD"], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(TREE, filter="data")
    if asked.tests_of:
        shutil.rmtree(TREE / "tests")
        command = ["git", "archive", asked.tests_of, "tests"]
        packed = subprocess.run(command, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(TREE, filter="data")
    only = {int(number) for number in asked.only.split(",") if number}
    wanted = [
        (number, mutant)
        for number, mutant in enumerate(drawn(asked.count, asked.seed))
        if not only or number in only
    ]
    found = 0
    for number, mutant in wanted:
        is_caught = caught(mutant, number)
        found += is_caught
        verdict = "caught  " if is_caught else "SURVIVED"
        print(f"{verdict} {number:3d} {mutant.path}:{mutant.line} {mutant.fault}", flush=True)
    print(f"{found} of {len(wanted)} mutants caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
