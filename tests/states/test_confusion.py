"""Confusion counts in parts: the metrics of classes give what they give for the whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from steelyard.messages.errors import SteelyardError
from steelyard.metrics import F1, MCC, Accuracy, BalancedAccuracy, Confusion, Precision, Recall
from steelyard.states import Classified, ConfusionTable

from .parts import seeds, together

METRICS = [
    Accuracy(),
    BalancedAccuracy(),
    Confusion(),
    MCC(),
    *(cls(average=average) for cls in (F1, Precision, Recall) for average in ("micro", "macro", "none")),
]
NAMES = {
    "two numbers": np.array([0, 1]),
    "numbers": np.array([0, 1, 7]),
    "numbers without 1": np.array([0, 5, 9]),
    "text": np.array(["cat", "dog", "猫"]),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@settings(max_examples=40)
@given(seed=seeds)
def test_parts_give_what_the_whole_gives(names, weighted, seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 50))
    label, said = random.choice(names, n), random.choice(names, n)
    fields = {
        "weight": random.choice([0.0, 0.5, 2.0], n) if weighted else np.ones(n),
        "segment": random.integers(0, 3, n),
    }
    at = random.integers(0, 5, n)

    def table(some):
        cut = {name: column[some] for name, column in fields.items()}
        return ConfusionTable.of(Classified.of_labels(label[some], said[some], n_segments=4, **cut))

    merged = together(random, [table(at == part) for part in np.unique(at)])
    whole, cells = Classified.of_labels(label, said, n_segments=4, **fields), merged.classified()
    assert cells.rows.tolist() == whole.rows.tolist()
    assert cells.classes == whole.classes
    for metric in METRICS:
        np.testing.assert_array_equal(metric.measure(cells), metric.measure(whole))
    assert ConfusionTable.from_bytes(merged.to_bytes()) == merged


def test_two_parts_by_hand():
    one = ConfusionTable.of(Classified.of_labels(np.array([0, 0]), np.array([0, 0])))
    two = ConfusionTable.of(Classified.of_labels(np.array([5, 5]), np.array([0, 5])))
    assert one.classes == (0, 1)
    assert one.merge(two).classes == (0, 5)
    assert one.merge(two).classified().confusion.tolist() == [[[2, 0], [1, 1]]]
    assert Accuracy().measure(one.merge(two).classified()).tolist() == [3 / 4]


def test_merged_parts_know_how_many_rows_each_class_has():
    whole = Classified.of_labels(
        np.array(["a", "a", "a", "b", "b"]),
        np.array(["a", "a", "b", "b", "b"]),
        weight=np.array([2.0, 0.5, 1.0, 3.0, 0.0]),  # a row of weight 0 is no row
        segment=np.array([0, 0, 0, 0, 1]),
        n_segments=2,
    )
    table = ConfusionTable.of(whole)
    cells = table.merge(ConfusionTable.empty()).classified()
    assert cells.class_rows.tolist() == whole.class_rows.tolist() == [[3, 1], [0, 0]]
    metric = Recall(average="none")
    rows, merged = (metric.covered(state, metric.measure(state)) for state in (whole, cells))
    assert (
        [part.tolist() for part in merged]
        == [part.tolist() for part in rows]
        == [[[3, 1], [0, 0]], [[0, 0], [0, 0]]]
    )
    twice = table.merge(table).classified()
    assert twice.class_rows.tolist() == [[6, 2], [0, 0]]


def test_named_classes_must_be_the_same():
    def table(classes):
        return ConfusionTable.of(Classified.of_labels(np.array(["a"]), np.array(["b"]), classes=classes))

    assert table(["a", "b", "c"]).merge(table(["a", "b", "c"])).classes == ("a", "b", "c")
    for other in (["b", "a", "c"], None):
        with pytest.raises(SteelyardError, match="one part has the classes 'a', 'b' and 'c', another"):
            table(["a", "b", "c"]).merge(table(other))
    numbers = ConfusionTable.of(Classified.of_labels(np.array([3]), np.array([4])))
    with pytest.raises(SteelyardError, match="some classes are text and some are whole numbers"):
        table(None).merge(numbers)


def test_several_labels_per_row_have_no_confusion_table():
    rows = Classified.of_matrices(np.eye(2), np.eye(2))
    with pytest.raises(SteelyardError, match="confusion table"):
        ConfusionTable.of(rows)
