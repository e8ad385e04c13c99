"""Errors stand by stage, and what most of them have in common is written once."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.text.errors import base

from ..tables import each_row

ERRORS = Path(base.__file__).parent
STAGES = {"asking", "reading", "measuring", "merging", "writing"}
COMMON = {"__init__", "base", "forms"}


def declared(file: Path) -> list[str]:
    """The errors of a module, and what it says them with."""
    found = []
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found.append(node.name)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            found += [one.id for one in node.targets if isinstance(one, ast.Name) and one.id.islower()]
    return found


def test_a_module_is_a_stage() -> None:
    assert {file.stem for file in ERRORS.glob("*.py")} == STAGES | COMMON | {"as_trec_eval"}


def test_no_name_stands_for_two_errors() -> None:
    names = Counter(name for file in ERRORS.glob("*.py") for name in declared(file))
    twice = {name for name, count in names.items() if count > 1}
    assert not twice


def test_columns_of_different_lengths() -> None:
    with pytest.raises(sy.SteelyardError) as refused:
        sy.evaluate({"label": [1, 0, 1], "score": [0.5, 0.2]}, metrics="auc")
    assert str(refused.value) == (
        "3 values in column 'label' of predictions but 2 values in column 'score' of predictions\n"
        "give one value per row in each"
    )
    assert refused.value.render("zh") == (
        "预测的列 'label' 的值有 3 个，而预测的列 'score' 的值有 2 个\n请让每列每行各有一个值"
    )


@each_row(
    ("given", "said"),
    [
        ({"scores": [0.5]}, "2 labels but 1 score\ngive one score per label"),
        ({"predicted": [1]}, "2 labels but 1 prediction\ngive one prediction per label"),
        ({"scores": [0.5, 0.1], "groups": ["a"]}, "2 rows but 1 group\ngive one group per row"),
        ({"scores": [0.5, 0.1], "weights": [1, 1, 1]}, "2 rows but 3 weights\ngive one weight per row"),
    ],
)
def test_an_example_of_different_lengths(given: dict[str, list[float]], said: str) -> None:
    with pytest.raises(sy.SteelyardError) as refused:
        sy.explain("f1", labels=[1, 0], **given)  # type: ignore[arg-type]
    assert str(refused.value) == said


def test_a_title_that_is_no_text() -> None:
    result = sy.evaluate({"q": ["a"]}, {"q": {"a": 1}}, "mrr")
    with pytest.raises(sy.SteelyardError, match="^the title of a report must be text; got 5\n"):
        result.to_html(title=5)  # type: ignore[arg-type]
