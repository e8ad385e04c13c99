"""Predictions and labels as plain arrays, lists and series."""

from __future__ import annotations

from math import log

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import steelyard as sy
from steelyard.text.errors.base import ColumnError, ValueInDataError

from ..tables import each_row
from .given import ANIMALS, CHANCES, CLICKS, GUESSES, LOG, check, sk

SCORES, LABELS = LOG["p"], LOG["clicked"]
VALUES = {name: value for name, value in CLICKS.items() if name != "gauc"}
FORMS = {
    "lists": (SCORES, LABELS),
    "tuples": (tuple(SCORES), tuple(LABELS)),
    "numpy": (np.array(SCORES), np.array(LABELS)),
    "booleans": (np.array(SCORES), np.array(LABELS, bool)),
    "strided": (np.repeat(SCORES, 2)[::2], np.repeat(LABELS, 2)[::2]),
    "polars": (pl.Series(SCORES), pl.Series(LABELS)),
    "pandas": (pd.Series(SCORES), pd.Series(LABELS, index=list("fedcba"))),
    "pandas nullable": (pd.Series(SCORES, dtype="Float64"), pd.Series(LABELS, dtype="boolean")),
    "of two kinds": (SCORES, pl.Series(LABELS)),
}


@each_row(("scores", "labels"), FORMS.values(), ids=list(FORMS))
def test_every_form_gives_the_same_numbers(scores, labels):
    check(sy.evaluate(scores, labels, list(VALUES)), VALUES)


@each_row("make", [list, tuple, np.array, pl.Series, pd.Series, pd.Categorical])
def test_classes(make):
    result = sy.evaluate(
        predictions=make(GUESSES), truth=make(ANIMALS), metrics=["accuracy", "f1(average=macro)"]
    )
    assert result["accuracy"] == 3 / 5
    assert result["f1(average=macro)"] == pytest.approx(
        sk.f1_score(ANIMALS, GUESSES, average="macro"), rel=1e-12
    )


def test_whole_numbers_are_classes_and_floats_are_scores():
    """As `.of` reads them: 2 is another class than 1, and 2.0 is above the threshold."""
    for said, value in (([0, 2, 1], 2 / 3), ([0.0, 2.0, 1.0], 3 / 3)):
        assert sy.evaluate(predictions=said, truth=[0, 1, 1], metrics="accuracy")["accuracy"] == value
        assert sy.Accuracy().of(predictions=said, truth=[0, 1, 1]) == value


def test_labels_that_are_text_with_scores_that_are_not():
    labels = ["yes" if label else "no" for label in LABELS]
    assert sy.evaluate(SCORES, labels, "auc", classes=["no", "yes"])["auc"] == pytest.approx(CLICKS["auc"])


@pytest.mark.parametrize(
    "make", [list, np.array, lambda rows: pl.Series(rows, dtype=pl.Array(pl.Float64, 3)), pl.Series]
)
def test_probabilities_with_a_column_per_class(make):
    result = sy.evaluate(predictions=make(CHANCES), truth=ANIMALS, metrics=["logloss", "auc", "accuracy"])
    assert result["logloss"] == pytest.approx(
        -(log(0.7) + log(0.3) + log(0.7) + log(0.3) + log(0.6)) / 5, rel=1e-12
    )
    assert result["auc"] == pytest.approx(sk.roc_auc_score(ANIMALS, CHANCES, multi_class="ovr"), rel=1e-12)
    assert result["accuracy"] == 3 / 5
    assert "the probabilities belong to the classes cat, cow, dog, in this order." in result.notes
    turned = [row[::-1] for row in CHANCES]
    named = sy.evaluate(make(turned), ANIMALS, "auc", classes=["dog", "cow", "cat"])
    assert named["auc"] == pytest.approx(result["auc"], rel=1e-12)


@pytest.mark.parametrize("kind", [np.uint8, bool, np.float64])
def test_several_labels_per_row(kind):
    """Right of the first label: 1 of 2 calls, 1 of 1 there; of the second: 1 of 1 calls, 1 of 2 there."""
    truth = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1]])
    called = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 1]])
    result = sy.evaluate(
        called.astype(kind), truth, ["f1(average=macro)", "precision(average=micro)", "accuracy"]
    )
    assert result["f1(average=macro)"] == pytest.approx((2 / 3 + 2 / 3 + 1) / 3, rel=1e-15)
    assert result["precision(average=micro)"] == 3 / 4
    assert result["accuracy"] == 2 / 3
    assert result.tally.to_dict()["rows"] == 3


def test_scores_of_several_labels_are_compared_with_the_threshold():
    scores = np.array([[0.9, 0.2], [0.6, 0.4], [0.1, 0.8]], np.float32)
    result = sy.evaluate(
        scores,
        np.array([[1, 0], [0, 1], [0, 1]]),
        ["recall(average=none)", "recall(average=none, threshold=0.4)"],
    )
    assert result.table()["value"].to_list() == [1.0, 1 / 2, 1.0, 1.0]
    assert result.table()["class"].to_list() == ["0", "1", "0", "1"]


def test_matrices_are_rankings_for_metrics_of_rankings():
    """The first row has its hit at rank 2, the second at rank 1."""
    scores, labels = np.array([[0.3, 0.6], [0.2, 0.7]]), np.array([[1, 0], [0, 1]])
    result = sy.evaluate(scores, labels, ["mrr", "recall(average=micro)"])
    assert dict(result) == {"mrr": (1 / 2 + 1) / 2, "recall(average=micro)": 1 / 2}


@each_row(
    "labels",
    [
        [1, None, 0],
        [1.0, float("nan"), 0.0],
        pd.Series([True, None, False], dtype="boolean"),
        pl.Series([1, None, 0]),
        np.ma.masked_array([1, 0, 0], [False, True, False]),
    ],
)
def test_a_label_that_is_missing(labels):
    with pytest.raises(sy.SteelyardError, match="the arrays, row 2: label is null"):
        sy.evaluate([0.2, 0.4, 0.7], labels, "auc")
    result = sy.evaluate([0.2, 0.4, 0.7], labels, ["auc", "mae"], unlabelled="drop")
    assert result["auc"] == 0.0
    assert result["mae"] == pytest.approx((0.8 + 0.7) / 2, rel=1e-15)
    assert "1 row without a label: left out." in result.notes


@pytest.mark.parametrize("make", [list, np.array, pl.Series, pd.Series])
def test_weights_are_an_array_too(make):
    """0.8 twice, 0.4 three times, and 0.9 not at all."""
    result = sy.evaluate(SCORES, LABELS, ["auc", "accuracy"], weights=make([2, 1, 1, 3, 1, 0]))
    assert result["auc"] == pytest.approx((2 * 2 + 3 * 2) / (5 * 3), rel=1e-15)
    assert result["accuracy"] == (2 + 1 + 1) / 8


REFUSED = {
    "lengths": ([0.1, 0.2], [1], {}, "2 predictions but 1 label"),
    "labels alone": ([0.1, 0.2], None, {}, "predictions is an array, and there are no labels to go with it"),
    "a table beside an array": (
        [0.1],
        pl.DataFrame({"label": [1]}),
        {},
        "truth is not an array with one entry per row",
    ),
    "a path beside an array": ([0.1], "labels.csv", {}, "truth is not an array with one entry per row"),
    "a number": (np.float64(0.1), [1], {}, "predictions is of type float64, not one value per row"),
    "nothing": ([], [], {}, "predictions has no rows"),
    "an empty array": (np.zeros(0), np.zeros(0), {}, "predictions has no rows"),
    "uneven lists": (
        [[0.1, 0.9], [0.2, 0.8], [1.0]],
        [1, 0, 1],
        {},
        "predictions mixes single values and lists, or lists of different lengths: "
        "row 3 holds a list of 1, and the first row a list of 2",
    ),
    "complex numbers": (np.array([1j, 2]), [1, 0], {}, "predictions has values of type complex128"),
    "too many dimensions": (np.zeros((2, 2, 2)), [1, 0], {}, "score has the shape 2 × 2 × 2"),
    "text": (["0.1", "x"], [1, 0], {}, "the arrays, row 1: score is text: '0.1'"),
    "text in a matrix": ([["a", "b"], ["a", "b"]], [1, 0], {}, "probabilities must be numbers; got"),
    "NaN": ([0.1, float("nan")], [1, 0], {}, "the arrays, row 2: score is 'nan'"),
    "infinity": ([0.1, float("inf")], [1, 0], {}, "the arrays, row 2: score is 'inf'"),
    "columns": (
        [0.1, 0.2],
        [1, 0],
        {"columns": {"score": "p"}},
        "columns names a column, and plain arrays have none",
    ),
    "by": ([0.1, 0.2], [1, 0], {"by": "country"}, "by names a column, and plain arrays have none"),
    "weights": ([0.1, 0.2], [1, 0], {"weights": "w"}, "weights names a column, and plain arrays have none"),
    "a table of weights": (
        [0.1, 0.2],
        [1, 0],
        {"weights": {1: 2.0}},
        "weights of queries cannot be used for rows",
    ),
    "weights of another length": ([0.1, 0.2], [1, 0], {"weights": [1.0]}, "2 rows but 1 weight"),
    "negative weights": ([0.1, 0.2], [1, 0], {"weights": [1.0, -1.0]}, "the arrays, row 2: weight is -1"),
    "sparse": (
        pytest.importorskip("scipy.sparse").csr_array([[1, 0]]),
        np.array([[1, 0]]),
        {},
        "predictions is a sparse matrix",
    ),
    "matrices of other shapes": (np.eye(2), np.eye(2, 3), {}, "the truth is a matrix of 2 × 3, the"),
}


@each_row(("scores", "labels", "options", "message"), REFUSED.values(), ids=list(REFUSED))
def test_what_is_refused(scores, labels, options, message):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(predictions=scores, truth=labels, metrics="auc", **options)
    assert caught.value.message.startswith(message)
    assert caught.value.remedy


def test_groups_need_a_table():
    with pytest.raises(sy.SteelyardError, match="gauc needs a group for each row") as caught:
        sy.evaluate(SCORES, LABELS, "gauc")
    assert "give a table with a column of groups" in caught.value.remedy


def test_lists_of_paths_stay_paths(tmp_path, monkeypatch):
    """Text is read as classes only where none of it could be a path."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sy.SteelyardError, match="cat.csv does not exist"):
        sy.evaluate(["cat.csv"], ["cat"], "accuracy")
    (tmp_path / "cat").write_text("")
    with pytest.raises(sy.SteelyardError, match="cat is empty"):
        sy.evaluate(predictions=["cat"], truth=["cat"], metrics="accuracy")


def test_what_was_given_is_unchanged():
    scores, labels = np.array([-0.0, 0.5]), np.array([0, 1])
    sy.evaluate(scores, labels, ["auc", "logloss", "f1"])
    assert np.signbit(scores[0])
    assert labels.tolist() == [0, 1]


@pytest.mark.parametrize("metric", ["auc", "rmse", "accuracy"])
@pytest.mark.parametrize("huge", [10**400, -(10**400)])
def test_a_whole_number_that_no_type_holds_is_not_missing(metric, huge):
    for given in (([huge, 1], [1, 0]), ({"score": [huge, 1], "label": [1, 0]},), ([1, 0], [huge, 0])):
        with pytest.raises(ColumnError, match="holds integers of more than 64 bits"):
            sy.evaluate(*given, metrics=metric)


def test_a_whole_number_of_128_bits_is_no_class():
    with pytest.raises(ValueInDataError, match="too large an integer"):
        sy.evaluate(predictions=[10**30, 1], truth=[1, 0], metrics="accuracy")


def test_a_list_that_begins_with_a_sparse_matrix_is_refused():
    with pytest.raises(sy.SteelyardError):
        sy.evaluate([sparse.eye(2, dtype=bool), 1], np.eye(4), "accuracy")
