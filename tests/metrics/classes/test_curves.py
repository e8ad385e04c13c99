"""Areas under the curves of several classes and of several labels, worked by hand."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

import steelyard as sy
from steelyard.metrics import AUC, PRAUC

from ...tables import each_row

near = pytest.approx

# Against the rest, a has 3/4, b 2/3 and c 1; a and b have (1 + 1/2) / 2, a and c (1/2 + 1) / 2, b and c 1.
CLASSES = ["a", "a", "b", "c"]
CHANCES = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.3, 0.4, 0.3], [0.5, 0.1, 0.4]]

# The first label is above two, and one, of two negatives; the second twice above one of two.
LABELS = [[1, 0], [1, 1], [0, 0], [0, 1]]
SCORES = [[0.9, 0.2], [0.4, 0.6], [0.5, 0.7], [0.1, 0.3]]

OF_CLASSES = [
    (AUC(), (3 / 4 + 2 / 3 + 1) / 3),
    (AUC(average="ovr_weighted"), (2 * 3 / 4 + 2 / 3 + 1) / 4),
    # own classes score 0.7, 0.4, 0.4, 0.4: above all 8 others, and three times above all but 0.5 and 0.5
    (AUC(average="ovr_micro"), (8 + 6 + 6 + 6) / (4 * 8)),
    (AUC(average="ovo_macro"), (3 / 4 + 3 / 4 + 1) / 3),
    (AUC(average="ovo_weighted"), (3 * 3 / 4 + 3 * 3 / 4 + 2 * 1) / 8),
    (AUC(average="none"), [3 / 4, 2 / 3, 1]),
    # a is first and third, b second, c first
    (PRAUC(), ((1 + 2 / 3) / 2 + 1 / 2 + 1) / 3),
    (PRAUC(average="ovr_weighted"), (2 * (1 + 2 / 3) / 2 + 1 / 2 + 1) / 4),
    # 0.7, then below two others three of 0.4 in one step
    (PRAUC(average="ovr_micro"), 1 / 4 * 1 + 3 / 4 * 4 / 6),
    (PRAUC(average="none"), [(1 + 2 / 3) / 2, 1 / 2, 1]),
]


@each_row(("metric", "value"), OF_CLASSES, ids=lambda one: str(one)[:40])
def test_of_several_classes(metric, value):
    assert metric.of(predictions=CHANCES, truth=CLASSES) == near(value, rel=1e-14)


OF_LABELS = [
    (AUC(), (3 / 4 + 2 / 4) / 2),
    (AUC(average="ovr_weighted"), (2 * 3 / 4 + 2 * 2 / 4) / 4),
    # 0.9 above 4, 0.4 above 2, 0.6 above 3 and 0.3 above 2 of the negatives 0.5, 0.1, 0.2, 0.7
    (AUC(average="ovr_micro"), (4 + 2 + 3 + 2) / 16),
    (AUC(average="none"), [3 / 4, 2 / 4]),
    # a row with both labels and one with none have no curve
    (AUC(average="samples"), (1 + 1) / 2),
    (AUC(average="samples", undefined_class="zero"), (1 + 0 + 0 + 1) / 4),
    (AUC(average="samples", undefined_class="half"), (1 + 1 / 2 + 1 / 2 + 1) / 4),
    (AUC(average="samples", undefined_class="one"), 1),
    (AUC(average="samples", undefined_class="nan"), nan),
    (PRAUC(average="samples"), 1),
    (PRAUC(average="samples", undefined_class="zero"), 3 / 4),
    (PRAUC(average="none"), [(1 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2]),
]


@each_row(("metric", "value"), OF_LABELS, ids=lambda one: str(one)[:60])
def test_of_several_labels(metric, value):
    assert metric.of(predictions=SCORES, truth=LABELS) == near(value, rel=1e-14, nan_ok=True)


@each_row(
    ("rule", "macro", "weighted"),
    [
        ("skip", 1.0, 1.0),
        ("zero", 2 / 3, 1.0),
        ("half", 5 / 6, 1.0),
        ("one", 1.0, 1.0),
        ("nan", nan, 1.0),  # a class without rows weighs nothing
    ],
)
def test_a_class_without_rows(rule, macro, weighted):
    given = [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]]
    for average, value in (("ovr_macro", macro), ("ovr_weighted", weighted)):
        metric = AUC(average=average, undefined_class=rule)
        assert metric.of(predictions=given, truth=[0, 1, 0], classes=[0, 1, 2]) == near(value, nan_ok=True)
    # every two classes that occur, whatever the rule
    assert AUC(average="ovo_macro", undefined_class=rule).of(predictions=given, truth=[0, 1, 0]) == 1.0
    assert AUC(average="none", undefined="half").of(predictions=given, truth=[0, 1, 0]) == [1.0, 1.0, 0.5]


@pytest.mark.parametrize("rule", ["skip", "zero", "half", "one", "nan"])
def test_no_row_has_no_value(rule):
    empty = np.zeros((0, 3))
    assert np.isnan(
        AUC(undefined_class=rule).of(predictions=empty, truth=np.zeros(0, int), classes=[0, 1, 2])
    )
    assert np.isnan(
        PRAUC(undefined_class=rule, average="samples").of(predictions=empty, truth=empty.astype(int))
    )


def test_a_label_of_every_row_has_a_precision_and_no_roc():
    labels, scores = [[1, 1], [1, 0]], [[0.2, 0.9], [0.3, 0.1]]
    assert AUC(average="none").of(predictions=scores, truth=labels) == near([nan, 1.0], nan_ok=True)
    assert PRAUC(average="none").of(predictions=scores, truth=labels) == [1.0, 1.0]


def test_weights_are_copies():
    for metric, _ in OF_LABELS:
        copied = metric.of(predictions=[*SCORES, SCORES[1], SCORES[3]], truth=[*LABELS, LABELS[1], LABELS[3]])
        assert metric.of(predictions=SCORES, truth=LABELS, weights=[1, 2, 1, 2]) == near(
            copied, rel=1e-14, nan_ok=True
        )


def test_what_has_no_meaning():
    with pytest.raises(sy.SteelyardError, match="average=samples is for rows of several labels"):
        AUC(average="samples").of(predictions=CHANCES, truth=CLASSES)
    with pytest.raises(sy.SteelyardError, match="needs one class per row"):
        AUC(average="ovo_macro").of(predictions=SCORES, truth=LABELS)
    with pytest.raises(sy.SteelyardError, match="undefined_class must be one of 'skip', 'zero'"):
        AUC(undefined_class="drop")


def test_each_class_is_a_row_of_the_result():
    result = sy.evaluate(
        np.array(SCORES), np.array(LABELS), ["auc(average=none)", "pr_auc", "f1(average=macro)"]
    )
    table = result.table()
    rows = table.filter(table["metric"] == "auc(average=none)")
    assert rows["class"].to_list() == ["0", "1"]
    assert rows["value"].to_list() == near([3 / 4, 2 / 4])
    assert rows["n"].to_list() == [4, 4]
    assert result["pr_auc"] == near(((1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2) / 2)


@each_row(
    ("text", "said"),
    [
        ("auc", "auc: a class without a row in the truth is left out."),
        ("auc(undefined_class=zero)", "class '2' is undefined and counts 0 in the average"),
        ("auc(undefined_class=nan)", "class '2' is undefined and makes the average undefined"),
        ("auc(average=ovo_weighted)", "a class without a row in the truth is left out."),
        ("pr_auc(undefined_class=half)", "class '2' is undefined and counts 0.5 in the average"),
    ],
)
def test_a_class_without_a_curve_is_told(text, said):
    given = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]])
    result = sy.evaluate(given, np.array([0, 1, 0]), text, classes=[0, 1, 2])
    assert any(said in str(note) for note in result.notes)


@pytest.mark.parametrize("text", ["auc(average=ovr_micro)", "auc(average=none)", "auc(average=ovr_weighted)"])
def test_a_class_that_changes_nothing_is_not_told(text):
    given = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]])
    result = sy.evaluate(
        given, np.array([0, 1, 0]), text, classes=[0, 1, 2], conventions={"undefined_class": "zero"}
    )
    assert not any("undefined_class" in str(note) for note in result.notes)


def test_a_row_without_a_curve_is_told():
    result = sy.evaluate(np.array(SCORES), np.array(LABELS), "auc(average=samples, undefined_class=zero)")
    assert any("2 rows are undefined and count 0 in the average" in str(note) for note in result.notes)


@pytest.mark.parametrize("average", ["ovr_macro", "ovr_weighted", "ovr_micro", "none", "samples"])
@pytest.mark.parametrize("name", ["auc", "pr_auc"])
def test_intervals_are_there(name, average):
    rng = np.random.default_rng(3)
    labels = (rng.random((200, 3)) < 0.4).astype(int)
    scores = 0.3 * labels + rng.random((200, 3))
    table = sy.evaluate(scores, labels, f"{name}(average={average})").table()
    for low, value, high in table.select("ci_low", "value", "ci_high").rows():
        assert 0 < low < value < high < 1


@each_row("weighted", [False, True])
@each_row("metric", [one for one, _ in OF_CLASSES], ids=str)
def test_explained_of_classes(metric, weighted):
    weights = [1.0, 2.0, 0.5, 1.5] if weighted else None
    value = metric.of(predictions=CHANCES, truth=CLASSES, weights=weights)
    made = sy.explain(metric, labels=CLASSES, scores=CHANCES, weights=weights)
    assert list(made.values) == near(value if isinstance(value, list) else [value])
    assert "auc" in str(made)


@each_row("metric", [one for one, _ in OF_LABELS], ids=str)
def test_explained_of_labels(metric):
    value = metric.of(predictions=SCORES, truth=LABELS)
    made = sy.explain(metric, labels=LABELS, scores=SCORES)
    assert list(made.values) == near(value if isinstance(value, list) else [value], nan_ok=True)
