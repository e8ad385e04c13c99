"""Values of some of the classes: those that were named, while the rows have others too."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import steelyard as sy

from ...tables import each_row

# of the ten rows of three classes, a and c are named: b was called a once, and a was called b once
TEN = (list("aaaaabbbcc"), list("aaabcbbacc"))


@each_row(
    ("metric", "value"),
    [
        (sy.Precision(average="none", unnamed="other"), [3 / 4, 2 / 3]),
        (sy.Recall(average="none", unnamed="other"), [3 / 5, 2 / 2]),
        (sy.Precision(average="micro", unnamed="other"), (3 + 2) / (4 + 3)),
        (sy.Recall(average="weighted", unnamed="other"), (5 * 3 / 5 + 2 * 2 / 2) / 7),
        (sy.F1(average="macro", unnamed="other"), (6 / 9 + 4 / 5) / 2),
        (sy.Specificity(average="none", unnamed="other"), [4 / 5, 7 / 8]),
        (sy.Confusion(unnamed="other"), [[3, 1], [0, 2]]),
        (sy.Confusion(unnamed="other", normalise="all"), [[3 / 6, 1 / 6], [0, 2 / 6]]),
    ],
    ids=str,
)
def test_some_of_the_classes(metric, value):
    found = np.array(metric.of(predictions=TEN[1], truth=TEN[0], classes=["a", "c"]))
    assert found == pytest.approx(np.array(value))


def test_some_of_the_classes_by_every_door(tmp_path):
    table = pl.DataFrame({"label": TEN[0], "predicted": TEN[1]})
    table.write_csv(tmp_path / "rows.csv")
    said = {"classes": ["a", "c"], "conventions": {"unnamed": "other"}}
    for given in (table, tmp_path / "rows.csv", {"label": TEN[0], "predicted": TEN[1]}):
        result = sy.evaluate(given, metrics=["f1(average=macro)"], **said)
        assert result["f1(average=macro)"] == pytest.approx((6 / 9 + 4 / 5) / 2)
        assert [note.key for note in result.notes].count("unnamed_classes") == 1
        assert any("4 rows have a true or predicted class that is not named" in str(n) for n in result.notes)
    arrays = sy.evaluate(
        predictions=TEN[1], truth=TEN[0], metrics="f1(average=macro, unnamed=other)", classes=["a", "c"]
    )
    assert arrays["f1(average=macro, unnamed=other)"] == pytest.approx((6 / 9 + 4 / 5) / 2)
    made = sy.explain(
        "f1(average=macro)", labels=TEN[0], predicted=TEN[1], classes=["a", "c"], unnamed="other"
    )
    assert made.value == pytest.approx((6 / 9 + 4 / 5) / 2)


def test_a_class_that_was_not_named_is_an_error_unless_it_is_said():
    for metric in (sy.F1(average="macro"), sy.Accuracy(), sy.Confusion()):
        with pytest.raises(sy.SteelyardError, match="label 'b' is none of the classes 'a' and 'c'"):
            metric.of(predictions=TEN[1], truth=TEN[0], classes=["a", "c"])


def test_columns_of_several_labels_that_are_named():
    truth, called = [[1, 0, 1], [0, 1, 1]], [[1, 1, 0], [0, 1, 1]]
    metric = sy.Precision(average="micro", unnamed="other")
    assert metric.of(predictions=called, truth=truth, classes=[2, 0]) == 2 / 2
    assert metric.of(predictions=called, truth=truth, classes=[1]) == 1 / 2
    assert metric.of(predictions=called, truth=truth) == 3 / 4
