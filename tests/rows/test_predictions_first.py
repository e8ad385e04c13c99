"""Predictions first at every door; two arrays that could be swapped need names."""

from __future__ import annotations

import doctest
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import steelyard as sy
from steelyard.metrics import curves
from steelyard.metrics.rows import base as row

from ..tables import each_row

LABELS, SCORES = (
    [1, 0, 1, 0],
    [0.8, 0.3, 0.4, 0.6],
)  # 3 of 4 pairs in order; F1 is best at 0.4: 2 · 2/3 · 1 / (5/3)
TRUE, CALLED = [1, 1, 0, 0, 1], [1, 1, 1, 1, 0]  # 2 of 4 called are right, 2 of 3 true are found
DOORS = {
    "of": lambda *given: sy.AUC().of(*given),
    "evaluate": lambda *given: sy.evaluate(*given, "auc")["auc"],
    "best_threshold": lambda *given: sy.best_threshold("f1", *given),
    "precision_at_recall": lambda *given: sy.precision_at_recall(*given, recall=1.0),
    "scored": lambda *given: curves.curve("roc", curves.scored(*given)).area(),
    "explain": lambda *given: sy.explain("auc", *given).value,
    "which": lambda *given: sy.which(*given, {"auc": 0.75}).texts[0],
    "differences": lambda *given: sy.differences(*given, "auc", profiles=("sklearn", "keras")).gap,
    "check": lambda *given: bool(sy.check(*given, min={"auc": 0.7})),
}
VALUES = {
    "of": 3 / 4,
    "evaluate": 3 / 4,
    "best_threshold": (0.4, pytest.approx(4 / 5)),
    "precision_at_recall": (pytest.approx(2 / 3), 1.0, 0.4),
    "scored": 3 / 4,
    "explain": 3 / 4,
    "check": True,
}


@pytest.mark.parametrize("door", DOORS)
def test_scores_come_before_labels(door):
    found = DOORS[door](SCORES, LABELS)
    assert door not in VALUES or found == VALUES[door]
    with pytest.raises(
        sy.SteelyardError, match=r"predictions come first.*\nswap them, or pass predictions=…"
    ):
        DOORS[door](LABELS, SCORES)


def test_whole_numbers_are_scores_of_a_metric_that_reads_scores():
    assert sy.AUC().of([3, 1, 2, 7], [1, 0, 0, 1]) == 1
    with pytest.raises(sy.SteelyardError, match="two arrays could each be the truth"):
        sy.AUC().of([1, 0, 0, 1], [3, 1, 2, 7])


def test_ratings_are_not_swapped():
    """A truth of 0 and 1 does not make the other array the truth: 1 - 0.15 / 1 is not 1 - 0.15 / 0.9875."""
    told, true = [0.1, 0.9, 1.3, 0.2], [0, 1, 1, 0]
    assert sy.R2().of(told, true) == pytest.approx(1 - (0.01 + 0.01 + 0.09 + 0.04) / 1)
    with pytest.raises(sy.SteelyardError, match="predictions come first"):
        sy.R2().of(true, told)


@pytest.mark.parametrize("door", DOORS)
def test_two_arrays_that_could_be_swapped_are_refused(door):
    with pytest.raises(
        sy.SteelyardError, match=r"two arrays could each be the truth\npass predictions=… and truth=…"
    ):
        DOORS[door](CALLED, TRUE)
    with pytest.raises(sy.SteelyardError, match="two arrays could each be the truth"):  # as Keras has them
        DOORS[door](np.array(CALLED)[:, None], np.array(TRUE)[:, None])


@pytest.mark.parametrize("metric", ["precision", "sklearn:precision_score"])
def test_classes_with_names(metric):
    assert sy.evaluate(truth=TRUE, predictions=CALLED, metrics=metric)[metric] == 1 / 2
    assert sy.metric(metric).of(truth=TRUE, predictions=CALLED) == 1 / 2
    assert sy.metric(metric).of(CALLED, truth=TRUE) == 1 / 2
    with pytest.raises(sy.SteelyardError, match="precision.*: two arrays"):
        sy.metric(metric).of(TRUE, CALLED)


UNCLEAR = {
    "a class that is never predicted": ([0, 1, 2], [0, 1, 1]),
    "ratings": ([3, 5, 2], [2.5, 5, 4]),
    "two scores": ([0.5, 0.2], [0.25, 0.75]),
    "text": (["cat", "dog"], ["cat", "cat"]),
    "text that could be a path": (["a/b", "c"], ["c", "c"]),
    "flags": (np.array([True, False]), np.array([True, True])),
    "floats": (np.array([0.0, 1.0]), np.array([1, 0])),
    "columns": (np.array([[1], [0]]), [1, 1]),
    "a missing label": ([1, None, 0], [1, 1, 0]),
    "whole decimals": ([Decimal(1), Decimal(0)], [1, 1]),
    "matrices": ([[1, 0], [0, 1]], [[1, 1], [0, 1]]),
    "sparse matrices": (sparse.csr_array(np.eye(2)), sparse.csr_array(np.eye(2))),
}


UNCLEAR_WORDS = {
    ("ratings", "swapped"): "the second array holds 3, which is no label of 0 or 1, so either array could be",
}


@each_row("name", UNCLEAR)
@pytest.mark.parametrize("order", ["as given", "swapped"])
def test_refused(name, order):
    words = UNCLEAR_WORDS.get((name, order), "two arrays could each be")
    pair = UNCLEAR[name] if order == "as given" else UNCLEAR[name][::-1]
    with pytest.raises(sy.SteelyardError, match=f"{words} the truth"):
        sy.metric("accuracy").of(*pair)


CLEAR = {
    "Series": (pd.Series(SCORES), pl.Series(LABELS)),
    "a column": (np.array(SCORES)[:, None], LABELS),
    "flags": (np.array(SCORES, np.float32), np.array(LABELS, bool)),
    "decimals": ([Decimal(str(score)) for score in SCORES], LABELS),
    "text": (SCORES, ["no" if label == 0 else "yes" for label in LABELS]),
    "a fraction after many whole numbers": (
        [1.0] * 1000 + [0.0] * 1000 + SCORES,
        [1] * 1000 + [0] * 1000 + LABELS,
    ),
    "probabilities": ([[1 - score, score] for score in SCORES], LABELS),
    "Series of lists": (pl.Series([[1 - score, score] for score in SCORES]), LABELS),
}


@each_row("given", CLEAR.values(), ids=list(CLEAR))
def test_accepted(given):
    classes = ["no", "yes"] if "no" in list(given[1]) else [0, 1]
    named = sy.AUC().of(predictions=given[0], truth=given[1], classes=classes)
    assert sy.AUC().of(*given, classes=classes) == named
    assert sy.evaluate(*given, "auc", classes=classes)["auc"] == named
    with pytest.raises(sy.SteelyardError, match="predictions come first"):
        sy.AUC().of(*given[::-1], classes=classes)


def test_matrices_of_rankings_keep_their_order():
    """The relevant item stands second in the first list and first in the other."""
    assert (
        sy.evaluate(np.array([[1, 2], [2, 1]]), np.array([[1, 0], [1, 0]]), "mrr")["mrr"] == (1 / 2 + 1) / 2
    )


def test_lengths_that_differ_are_told_first():
    with pytest.raises(sy.SteelyardError, match="1 prediction but 2 labels"):
        sy.Accuracy().of([1], [1, 0])


def test_examples_of_these_functions_are_run():
    names = {found.name for found in doctest.DocTestFinder().find(row) if found.examples}
    assert "steelyard.metrics.rows.base.RowMetric.of" in names


def test_labels_beyond_0_and_1_are_named():
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate([0.1, 0.2], [0, 2], "auc")
    assert str(caught.value) == (
        "evaluate: the second array holds 2, which is no label of 0 or 1, so either array "
        "could be the truth\n"
        "pass labels of 0 and 1; for ratings and classes pass predictions=… and truth=…"
    )
