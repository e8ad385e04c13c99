"""Plant small faults in the source, one at a time, and count those that the tests catch.

    python tools/mutants.py --count 60 --seed 2026
    python tools/mutants.py --only 7,19 --tests build/old    # these two, with build/old/tests

The faults are drawn in equal parts from the packages that turn rows into values. Each fault is planted and
the test that caught it in an earlier run is tried (`build/mutants/killers.json`), then the nearest tests.
For the faults that survive these all tests run once, on a copy of the source without faults that records
which tests reach the place of which fault; then each of these faults is planted again, and all tests that
reach it run. A test that fails without a fault is ignored.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
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
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

WORK = Path("build", "mutants")
KILLERS = WORK / "killers.json"
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
MARKS = """
import json, os
from pathlib import Path

seen, reports, folder = set(), {}, Path(os.environ["MUTANT_MARKS"])


def mark(number):
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    if (number, test) not in seen:
        seen.add((number, test))
        with open(folder / f"{os.getpid()}.reached", "a", encoding="utf-8") as file:
            file.write(json.dumps([number, test]) + "\\n")


def pytest_runtest_logreport(report):
    passed, seconds = reports.get(report.nodeid, (True, 0.0))
    reports[report.nodeid] = (passed and not report.failed, seconds + report.duration)


def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        (folder / "reports.json").write_text(json.dumps(reports), "utf-8")
"""


class Mutant(NamedTuple):
    """A fault: the file, which of its nodes, which fault of this node, and the words for it."""

    path: Path
    node: int
    fault: int
    name: str


class Tests(NamedTuple):
    """The tests that pass without a fault, with their seconds, and those that reach each mutant."""

    seconds: dict[str, float]
    reach: dict[int, list[str]]


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


def importers(path: Path) -> set[Path]:
    """A kernel module and those that import it, directly or not: Numba compiles it into them."""
    users, size = {path}, 0
    while size < len(users):
        size = len(users)
        names = "|".join(user.stem for user in users)
        imports = re.compile(rf"kernels\.({names}) import")
        others = [other for other in path.parent.glob("*.py") if other.stem != "__init__"]
        users.update(other for other in others if imports.search(other.read_text("utf-8")))
    return users


def marked(mutants: list[Mutant]) -> dict[Path, str]:
    """Sources that call `mark` with a mutant's number where its statement starts.

    A compiled loop cannot call it: kernels call it in each plain function that may reach the mutant.
    """
    trees: dict[Path, ast.Module] = {}
    marks: list[tuple[int, list[Any], ast.stmt]] = []
    passed_on = {
        node.id
        for path in Path("src/steelyard/kernels").glob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        for node in [*call.args, *(word.value for word in call.keywords)]
        if isinstance(node, ast.Name)
    }
    for number, mutant in enumerate(mutants):
        for path in importers(mutant.path) if "kernels" in mutant.path.parts else [mutant.path]:
            tree = trees.setdefault(path, ast.parse(path.read_text("utf-8")))
            if "kernels" in path.parts:
                marks += [
                    (number, function.body, function.body[0])
                    for function in ast.walk(tree)
                    if isinstance(function, ast.FunctionDef)
                    and not function.decorator_list
                    and function.name not in passed_on
                ]
                continue
            node = nodes_of(tree)[mutant.node]
            blocks = [
                (block, statement)
                for parent in ast.walk(tree)
                for field in ("body", "orelse", "finalbody")
                if isinstance(block := getattr(parent, field, None), list)
                for statement in block
                if node in inside(statement)
            ]
            marks.append((number, *blocks[-1]))
    for number, block, statement in marks:
        call = ast.parse(f'__import__("steelyard_marks").mark({number})').body[0]
        documented = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        block.insert(block.index(statement) + documented, call)
    return {path: ast.unparse(ast.fix_missing_locations(tree)) for path, tree in trees.items()}


def unpack(tree: Path, tests: Path | None) -> None:
    """The files of HEAD in a fresh folder, with other tests where they are given."""
    shutil.rmtree(tree, ignore_errors=True)
    packed = subprocess.run(["git", "archive", "HEAD"], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(tree, filter="data")
    # Numba keeps what it compiled while a file has the same time
    for path in tree.glob("src/steelyard/kernels/*.py"):
        os.utime(path, (crc := zlib.crc32(path.read_bytes()), crc))
    if tests:
        shutil.rmtree(tree / "tests")
        shutil.copytree(tests / "tests", tree / "tests")
        shutil.copy(tests / "conftest.py", tree)
    for name in LEFT_OUT:
        place = tree / "tests" / name
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)


def pytest(tree: Path, some: list[str], limit: float, cache: Path, *options: str) -> tuple[int, str]:
    """Run tests in a tree; the exit code (1 where they take longer than `limit` seconds) and the output."""
    names = tree / "asked.txt"
    names.write_text("\n".join(some), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *options]
    surroundings = {"PYTHONPATH": str((tree / "src").resolve()), "NUMBA_CACHE_DIR": str(cache.resolve())}
    run = subprocess.Popen(
        [*command, "-m", "not peers and not long", f"@{names.name}"],
        cwd=tree,
        env=os.environ | surroundings | {"CI": "true"},  # the same examples each time
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        output = run.communicate(timeout=limit)[0]
        return run.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        return 1, f"ERROR more than {limit:.0f} s\n"


def tests_of(mutants: list[Mutant], folder: Path, tests: Path | None, processes: int) -> Tests:
    """Run all tests once, without faults, and see which mutants they reach; kept for the next time."""
    tree = folder / "marked"
    unpack(tree, tests)
    key = hashlib.sha256(repr(mutants).encode())
    for path in sorted([*tree.glob("*.py"), *tree.glob("src/**/*.py"), *tree.glob("tests/**/*.py")]):
        key.update(path.read_bytes())
    kept = folder / f"reached-{key.hexdigest()[:12]}.json"
    if not kept.exists():
        notes = (folder / "marks").resolve()
        shutil.rmtree(notes, ignore_errors=True)
        notes.mkdir()
        os.environ["MUTANT_MARKS"] = str(notes)
        (tree / "src/steelyard_marks.py").write_text(MARKS, "utf-8")
        for path, source in marked(mutants).items():
            (tree / path).write_text(source, "utf-8")
        workers = str(processes if processes > 1 else 0)
        options = [
            "-p",
            "steelyard_marks",
            "--continue-on-collection-errors",
            "-n",
            workers,
            "--dist",
            "worksteal",
        ]
        some = ["src/steelyard", "tests", "docs", "README.md"]
        _, output = pytest(tree, some, 7200, folder / "numba-marked", *options)
        (folder / "marks.log").write_text(output, "utf-8")
        lines = {line for file in notes.glob("*.reached") for line in file.read_text("utf-8").splitlines()}
        reports = json.loads((notes / "reports.json").read_text("utf-8"))
        kept.write_text(json.dumps([reports, [json.loads(line) for line in sorted(lines)]]), "utf-8")
    reports, reached = json.loads(kept.read_text("utf-8"))
    seconds = {test: time for test, (is_sound, time) in reports.items() if is_sound}
    print(
        f"{len(seconds)} tests; {len(reports) - len(seconds)} fail without a fault and are ignored",
        flush=True,
    )
    reach: dict[int, set[str]] = {}
    for number, where in reached:
        test, _, phase = where.rpartition(" (")
        # a fixture may serve its whole file, and what runs on import serves all
        start = test if phase == "call)" else test.partition("::")[0] + "::" if test else ""
        reach.setdefault(number, set()).add(start)
    return Tests(
        seconds,
        {
            number: [test for test in seconds if {test, test.partition("::")[0] + "::", ""} & starts]
            for number, starts in reach.items()
        },
    )


def nearest(mutant: Mutant, tree: Path) -> list[str]:
    """The doctests of the module, and test files of its name or that import it or a name from it."""
    body = ast.parse((tree / mutant.path).read_text("utf-8")).body
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)} | {
        mutant.path.stem
    }
    near = {}
    for path in sorted(tree.glob("tests/**/test_*.py")):
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
    return [str(mutant.path), *(str(path.relative_to(tree)) for path in some)]


class Trials:
    """Runs of tests against faults, in a tree of their own."""

    def __init__(self, folder: Path, tests: Path | None) -> None:
        self.folder, self.tree = folder, folder / "tree"
        self.ignored: set[str] = set()  # tests that fail without a fault
        unpack(self.tree, tests)

    def failing(self, some: list[str], limit: float, cache: Path) -> str:
        """The first of some tests that fails, or nothing."""
        left_out = [f"--deselect={name}" for name in sorted(self.ignored)]
        code, output = pytest(self.tree, some, limit, cache, "-x", "-n", "0", *left_out)
        if code == 4:  # the fault changes the names of the tests
            files = list(dict.fromkeys(name.partition("::")[0] for name in some))
            code, output = pytest(self.tree, files, limit, cache, "-x", "-n", "0", *left_out)
        if code in (0, 5):
            return ""
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
        return failed[1] if failed else f"exit code {code}"

    def killer(self, mutant: Mutant, parts: list[tuple[list[str], float]]) -> str:
        """The first test that fails with the fault, or nothing; each part has its limit in seconds."""
        target, cache = self.tree / mutant.path, self.folder / "numba"
        sound, stamp = target.read_text("utf-8"), target.stat()
        if "kernels" in mutant.path.parts:  # compiled callers keep the old callee in the cache
            cache = self.folder / "numba-mutant"
            shutil.rmtree(cache, ignore_errors=True)
            if (self.folder / "numba").exists():
                shutil.copytree(self.folder / "numba", cache)
            for user in importers(mutant.path):
                for old in cache.rglob(f"{user.stem}.*"):
                    old.unlink()
        target.write_text(planted(mutant), "utf-8")
        try:
            return next(filter(None, (self.failing(some, limit, cache) for some, limit in parts if some)), "")
        finally:
            target.write_text(sound, "utf-8")
            os.utime(target, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    def near(self, mutant: Mutant, known: list[str]) -> str:
        """The killer among the tests that caught the fault before and the nearest ones."""
        there = []
        for file, _, function in (name.partition("::") for name in known):
            same = [Path(file)] if (self.tree / file).exists() else []  # else it may have moved
            moved = [path.relative_to(self.tree) for path in self.tree.glob(f"tests/**/{Path(file).name}")]
            there += [f"{path}::{function}" for path in same or moved]
        return self.killer(mutant, [(there, 300), (nearest(mutant, self.tree), 900)])

    def far(self, mutant: Mutant, names: list[str], seconds: dict[str, float]) -> str:
        """The killer among the tests that reach the fault, the quick ones first."""
        names = sorted(names, key=lambda name: seconds[name])
        limit = 300 + 20 * sum(seconds[name] for name in names)
        return self.killer(mutant, [(names[:200], limit), (names[200:], limit)])

    def unsound(self, killers: set[str]) -> set[str]:
        """Which of some tests fail without a fault too."""
        if not killers:
            return set()
        _, output = pytest(self.tree, sorted(killers), 3600, self.folder / "numba", "-n", "0")
        failed = set(re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE))
        self.ignored |= failed
        return failed


def report(number: int, mutant: Mutant, by: str) -> None:
    """Print what became of a mutant, and keep the test that caught it."""
    print(f"{'caught  ' if by else 'SURVIVED'} {number:3d} {mutant.name}{by and ': ' + by}", flush=True)
    if "::" in by:
        killers = json.loads(KILLERS.read_text("utf-8")) if KILLERS.exists() else {}
        killers[mutant.name] = list(dict.fromkeys([by, *killers.get(mutant.name, [])]))
        KILLERS.write_text(json.dumps(killers, indent=1), "utf-8")


def main() -> int:
    """Read the command line, and run the tests with each mutant."""
    parser = argparse.ArgumentParser(prog="python tools/mutants.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", default="", help="numbers of mutants, with commas between")
    parser.add_argument("--tests", type=Path, help="a folder with other tests and their conftest.py")
    parser.add_argument("--folder", type=Path, default=WORK, help="where to work")
    parser.add_argument("--near", action="store_true", help="run only the nearest tests")
    parser.add_argument("--processes", type=int, default=2, help="for the run of all tests without faults")
    asked = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    asked.folder.mkdir(parents=True, exist_ok=True)
    every = drawn(asked.count, asked.seed)
    only = [int(number) for number in asked.only.split(",") if number] or list(range(len(every)))
    trials = Trials(asked.folder, asked.tests)
    known = json.loads(KILLERS.read_text("utf-8")) if KILLERS.exists() else {}
    caught: dict[int, str] = {}
    left = only
    while left:
        for number in left:
            caught[number] = trials.near(every[number], known.get(every[number].name, []))
            report(number, every[number], caught[number])
        unsound = trials.unsound({by for by in caught.values() if "::" in by})
        left = [number for number in only if caught[number] in unsound]
    survivors = [number for number in only if not caught[number]]
    if survivors and not asked.near:
        tests = tests_of([every[number] for number in survivors], asked.folder, asked.tests, asked.processes)
        for at, number in enumerate(survivors):
            caught[number] = trials.far(every[number], tests.reach.get(at, []), tests.seconds)
            report(number, every[number], caught[number])
    print(f"{sum(map(bool, caught.values()))} of {len(only)} mutants caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
