"""The public names: those of one list and every metric, found lazily, and cheap to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import steelyard
from steelyard.metrics import by_name

from .tables import each_row

PUBLIC = steelyard.__all__
METRICS = {cls.__name__ for cls in by_name().values() if cls.__module__.startswith("steelyard.")}


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_metric_and_a_few_other_names():
    assert set(PUBLIC) > METRICS
    assert len(set(PUBLIC) - METRICS) == 36, "a new public name is a promise: is it meant?"
    assert len(set(PUBLIC)) == len(PUBLIC)
    assert dir(steelyard) == sorted(PUBLIC)


def test_every_name_is_found():
    for name in [name for name in PUBLIC if name != "__version__"]:
        found = getattr(steelyard, name)
        assert found is getattr(steelyard, name)
        assert found.__name__.rpartition(".")[2] == {"F1": "FBeta"}.get(name, name)
        assert found.__doc__, name


@pytest.mark.parametrize(
    "name",
    ["SteelyardError", "evaluate", "explain", "metric", "register", "report", "Ranked", "Result", "choice"],
)
def test_a_name_is_found_where_nothing_else_was_imported(name):
    """One name of each module; a circular import would show here."""
    assert python(f"from steelyard import {name}; print({name}.__name__)") == f"{name}\n"


def test_a_function_with_the_name_of_a_folder_stays_the_function():
    code = (
        "import steelyard as sy; one = sy.report; from steelyard.render import page; print(sy.report is one)"
    )
    assert python(code) == "True\n"


def test_star_import():
    assert python(f"from steelyard import *; names = {{*dir()}}; print({{*{PUBLIC}}} - names)") == "set()\n"


@each_row("name", ["Evaluate", "evaluation_", "numpy", "NDCGAt", "_resolve"])
def test_other_names_are_not_there(name):
    with pytest.raises(AttributeError, match=f"module 'steelyard' has no attribute '{name}'"):
        getattr(steelyard, name)


def test_importing_the_package_imports_nothing_large():
    large = {"numpy", "polars", "numba", "pandas", "pyarrow", "scipy", "rich", "click"}
    code = f"import sys, steelyard; print(sorted({large} & set(sys.modules)))"
    assert python(code) == "[]\n"
    assert python(code.replace("steelyard;", "steelyard; dir(steelyard); steelyard.__version__;")) == "[]\n"


def test_the_version_is_the_package_s():
    from importlib.metadata import version

    assert steelyard.__version__ == version("steelyard")


def test_errors_are_value_errors_with_a_remedy():
    assert issubclass(steelyard.SteelyardError, ValueError)
    with pytest.raises(ValueError, match="unknown metric 'ndgc'") as error:
        steelyard.metric("ndgc")
    assert error.value.remedy.startswith("known: ")  # type: ignore[attr-defined]
    assert str(error.value) == f"{error.value.message}\n{error.value.remedy}"  # type: ignore[attr-defined]


def test_a_metric_of_one_s_own_is_as_good_as_any():
    """In a process of its own, so that the registry of this one stays as it is."""
    code = """
from typing import ClassVar
import steelyard as sy

@sy.register("first_is_relevant", zh="首位相关")
class FirstIsRelevant(sy.RankingMetric):
    "Whether the item at the top is relevant."
    rel: float = 1.0
    at: ClassVar = "never"

    def per_query(self, ranked: sy.Ranked):
        return ranked.relevant_in(1, self.rel)

run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 1.0}}
result = sy.evaluate(run, {"q1": {"a": 1}, "q2": {"a": 1}}, ["first_is_relevant", "首位相关(ties=expected)"])
print(result.table()["value"].to_list(), *result)
"""
    # q1 is a hit; in q2 ties put b first, or either with chance 1/2
    assert python(code) == "[0.5, 0.75] first_is_relevant first_is_relevant(ties=expected)\n"
