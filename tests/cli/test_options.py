"""One declaration: the options of the commands and the keywords of the functions have the same names."""

from __future__ import annotations

import inspect

import pytest

import steelyard as sy
from steelyard.cli.main import steelyard as program

# in Python: the tables and results are values, conventions are keywords, and the bar needs no option
IN_PYTHON = {"progress", "conventions", "further", "options"}
# other names, as Python has them: several metrics, no two flags of one kind, a table as `by` or as `claims`
OTHERWISE = {
    "metrics": "metric",
    "systems": "predictions",
    "paired": "unpaired",
    "min": "min_",
    "max": "max_",
    "claims": "claim",
    "storage_options": "storage_option",
}


@pytest.mark.parametrize(
    "function",
    [sy.evaluate, sy.compare, sy.check, sy.explain, sy.which, sy.differences],
    ids=lambda one: one.__name__,
)
def test_every_keyword_is_an_option(function):
    options = {option.name for option in program.commands[function.__name__].params}
    keywords = set(inspect.signature(function).parameters) - IN_PYTHON
    assert {OTHERWISE.get(name, name) for name in keywords} <= options
