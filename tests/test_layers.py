"""What is imported when. The order of the layers themselves is import-linter's (`make check`)."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"click", "numba", "numpy", "pandas", "polars", "pyarrow", "rich", "scipy"}

SMALL_EVALUATION = """
import steelyard as sy
sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["ndcg@10", "map", "recall@5"])
"""


def imported_by(code: str) -> set[str]:
    """The top-level modules that a new interpreter holds after `code`."""
    tell = "\nimport sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code + tell], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_the_package_brings_nothing_heavy():
    assert imported_by("import steelyard") & HEAVY == set()


def test_the_commands_bring_what_is_heavy_only_when_they_run():
    assert imported_by("import steelyard.cli.main") & HEAVY == {"click"}


def test_a_small_evaluation_waits_neither_for_a_compiler_nor_for_optional_packages():
    assert imported_by(SMALL_EVALUATION) & {"numba", "pandas", "pyarrow", "scipy"} == set()
