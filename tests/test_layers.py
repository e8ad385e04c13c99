"""What is imported when. The order of the layers themselves is import-linter's (`make check`)."""

from __future__ import annotations

import ast
import subprocess
import sys

HEAVY = {"click", "numba", "numpy", "pandas", "polars", "pyarrow", "rich", "scipy"}

SMALL_EVALUATION = """
import steelyard as sy
sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["ndcg@10", "map", "recall@5"])
"""


def imported_by(code: str) -> set[str]:
    """The top-level modules that a new interpreter holds after `code`."""
    return {name.partition(".")[0] for name in modules_after(code)}


def modules_after(code: str) -> set[str]:
    """Every module that a new interpreter holds after `code`."""
    tell = "\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code + tell], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_the_package_brings_nothing_heavy():
    assert imported_by("import steelyard") & HEAVY == set()


def test_the_commands_bring_what_is_heavy_only_when_they_run():
    assert imported_by("import steelyard.cli.main") & HEAVY == {"click"}


def test_a_small_evaluation_waits_neither_for_a_compiler_nor_for_optional_packages():
    assert imported_by(SMALL_EVALUATION) & {"numba", "pandas", "pyarrow", "scipy"} == set()


def test_a_small_evaluation_draws_nothing():
    drawing = (
        "steelyard.render.charts",
        "steelyard.render.page",
        "steelyard.stats.compare",
        "steelyard.stats.gates",
        "steelyard.demo",
    )
    assert [name for name in modules_after(SMALL_EVALUATION) if name.startswith(drawing)] == []


def asked_in(module: ast.Module) -> set[str]:
    """The classes that a module asks for by `isinstance` or `issubclass`."""
    calls = [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass")
    ]
    return {
        name.id
        for call in calls
        for part in call.args[1:]
        for name in ast.walk(part)
        if isinstance(name, ast.Name)
    }


def test_only_metrics_ask_what_kind_of_metric_it_is(root):
    """Others read what a metric says of itself, so that a metric of a new kind brings all it needs."""
    from steelyard.metrics import Metric

    kinds, further = set(), [Metric]
    while further:
        further = [kind for one in further for kind in one.__subclasses__()]
        kinds |= {kind.__name__ for kind in further if kind.__module__.startswith("steelyard.metrics")}
    assert {"RankingMetric", "RowMetric", "ThresholdMetric", "LogLoss"} <= kinds
    package = root / "src" / "steelyard"
    asked = {
        file.relative_to(package).as_posix(): found
        for file in package.rglob("*.py")
        if "metrics" not in file.relative_to(package).parts
        and (found := asked_in(ast.parse(file.read_text("utf-8"))) & kinds)
    }
    assert asked == {}
