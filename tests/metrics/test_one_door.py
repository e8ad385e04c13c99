"""``.of`` and ``evaluate`` are one door: the same value of the same arrays, or the same refusal."""

from __future__ import annotations

import dataclasses
from math import log

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import steelyard as sy
from steelyard.metrics import by_name

from ..tables import each_row

NAN = float("nan")
LABELS, SCORES = [1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125]
MASK = [False, True, False, False]
WIDE = [[0.25, 0.75], [0.5, 0.5], [0.75, 0.25], [0.875, 0.125]]
SEVERAL = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0]])
CALLED = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
LARGE = np.array([2**53 + 1, 2**53, 2, 1])

NAMES = [
    name.replace("@k", "@1")
    for name, cls in by_name().items()
    if cls.reads not in ("hits", "lists") and name != "gauc"
]
# one metric for each way of reading, and some more
READINGS = [
    *("auc", "pr_auc", "ks", "brier", "logloss", "ece"),
    *("accuracy", "f1", "fbeta(average=macro)", "confusion", "top_accuracy@1", "rmse"),
]
OF_CLASSES = [name for name in NAMES if by_name()[name.replace("@1", "@k")].reads != "ratings"]


def test_every_way_of_reading_is_tried():
    """Metrics that the tests leave out read their rows as one of those they try."""

    def way(text):
        metric = sy.metric(text)
        fields = {field.name for field in dataclasses.fields(metric)}
        return metric.reads, getattr(metric, "needs", None), "average" in fields, "k" in fields

    assert {way(name) for name in NAMES} == {way(name) for name in READINGS}


def of(metric, labels, scores, **options):
    try:
        value = sy.metric(metric).of(predictions=scores, truth=labels, **options)
    except sy.SteelyardError as error:
        return str(error)
    return np.ravel(value).tolist()


def evaluated(metric, labels, scores, **options):
    try:
        result = sy.evaluate(predictions=scores, truth=labels, metrics=metric, **options)
    except sy.SteelyardError as error:
        return str(error)
    return result.table()["value"].to_list()


ODD = {
    "plain": (LABELS, SCORES),
    "a masked label": (np.ma.masked_array(LABELS, MASK), SCORES),
    "a masked score": (LABELS, np.ma.masked_array(SCORES, MASK)),
    "a mask that hides nothing": (np.ma.masked_array(LABELS), np.ma.masked_array(SCORES)),
    "columns as Keras gives them": (np.array(LABELS)[:, None], np.array(SCORES)[:, None]),
    "columns of single precision": (np.array(LABELS)[:, None], np.array(SCORES, np.float32)[:, None]),
    "half precision": (LABELS, np.array(SCORES, np.float16)),
    "complex scores": (LABELS, np.array(SCORES) + 0j),
    "complex labels": (np.array(LABELS) * 1j, SCORES),
    "ragged scores": (LABELS, [[0.5, 0.5], [1.0], [0.0], [1.0]]),
    "ragged labels": ([1, [0], 1, 0], SCORES),
    "a NaN among scores": (LABELS, [0.75, NAN, 0.25, 0.125]),
    "an infinite score": (LABELS, [0.75, 0.5, float("inf"), 0.125]),
    "a score of minus infinity": (LABELS, [0.75, 0.5, 0.25, -float("inf")]),
    "a NaN among labels": ([1.0, NAN, 1.0, 0.0], SCORES),
    "None among labels": ([1, None, 1, 0], SCORES),
    "None among scores": (LABELS, [0.75, None, 0.25, 0.125]),
    "text beside numbers": ([1, "0", 1, 0], SCORES),
    "labels of text": (["yes", "no", "yes", "no"], SCORES),
    "classes of text": (["b", "a", "b", "c"], ["b", "b", "b", "c"]),
    "truth values": ([True, False, True, False], [True, True, False, False]),
    "whole numbers": (LABELS, [1, 1, 0, 0]),
    "integers above 2^53": (LABELS, LARGE),
    "unsigned integers above 2^63": (LABELS, LARGE.astype(np.uint64) + np.uint64(2**63)),
    "labels above 2^53": (LARGE, [2.0, 1.0, 2.0, 1.0]),
    "probabilities of two classes": (LABELS, WIDE),
    "probabilities of single precision": (LABELS, np.array(WIDE, np.float32)),
    "probabilities that do not sum to 1": (LABELS, np.array(WIDE) * 2),
    "a masked probability": (LABELS, np.ma.masked_array(WIDE, np.outer(MASK, [True, False]))),
    "several labels per row": (SEVERAL, CALLED),
    "sparse matrices": (sparse.csr_matrix(SEVERAL), sparse.csc_array(CALLED)),
    "a sparse column": (sparse.coo_array(np.array(LABELS)[:, None]), SCORES),
    "three dimensions": (LABELS, np.zeros((4, 2, 2))),
    "more labels than scores": ([1, 0, 1, 0, 1], SCORES),
    "more scores than labels": ([1, 0, 1], SCORES),
    "pandas of other indexes": (pd.Series(LABELS), pd.Series(SCORES, index=[3, 2, 1, 0])),
    "nullable pandas": (pd.Series([1, None, 1, 0], dtype="Int64"), pd.Series(SCORES)),
    "Polars": (pl.Series(LABELS), pl.Series(SCORES)),
    "dates": (LABELS, np.array(["2024-01-01"] * 4, "M8[D]")),
    "tuples": (tuple(LABELS), tuple(SCORES)),
}


@each_row(("labels", "scores"), ODD.values(), ids=list(ODD))
def test_arrays(labels, scores):
    for name in READINGS:
        assert repr(of(name, labels, scores)) == repr(evaluated(name, labels, scores)), name


@pytest.mark.parametrize("door", [of, evaluated])
def test_sparse_matrices_of_classes(door):
    # 4 cells are called and true, 2 are called and false, 2 are true and not called
    found = door("fbeta(average=micro)", sparse.csr_matrix(SEVERAL), sparse.csc_array(CALLED))
    assert found == [2 * 4 / (2 * 4 + 2 + 2)]


WEIGHTS = {
    "whole numbers": [1, 2, 0, 1],
    "NaN": [1.0, NAN, 1.0, 1.0],
    "None": [1, None, 1, 1],
    "masked": np.ma.masked_array([1.0, 2.0, 1.0, 1.0], MASK),
    "below 0": [1, -1, 1, 1],
    "infinite": [1, float("inf"), 1, 1],
    "complex": [1j, 1, 1, 1],
    "text": ["1", "1", "1", "1"],
    "ragged": [[1], [1, 1], [1], [1]],
    "a column": np.ones((4, 1)),
    "a matrix": np.ones((4, 2)),
    "sparse": sparse.csr_array(np.ones((4, 1))),
    "too few": [1, 1],
    "none": [],
}


@each_row("weights", WEIGHTS.values(), ids=list(WEIGHTS))
def test_weights(weights):
    for name in NAMES:
        given = (LABELS, WIDE if name.startswith("top_") else SCORES)
        found = [repr(door(name, *given, weights=weights)) for door in (of, evaluated)]
        assert found[0] == found[1], name


@pytest.mark.parametrize(
    "classes", [[0, 1], [1, 0], [0, 2], ["0", "1"], [0, 1, 2], [0], [1, 1], [0, "1"], "01"]
)
@pytest.mark.parametrize("scores", [SCORES, [1, 1, 0, 0], WIDE], ids=["scores", "classes", "probabilities"])
def test_classes(classes, scores):
    for name in (name for name in READINGS if name in OF_CLASSES):
        found = [repr(door(name, LABELS, scores, classes=classes)) for door in (of, evaluated)]
        assert found[0] == found[1], name


def test_of_two_classes_the_second_is_the_positive_one():
    """A score is the probability of 0 where 0 is named second."""
    labels, scores = [0, 1, 0, 1], [0.3, 0.2, 0.5, 0.9]
    expected = -(log(0.3) + log(1 - 0.2) + log(0.5) + log(1 - 0.9)) / 4  # 1.1057
    assert sy.metric("logloss").of(predictions=scores, truth=labels, classes=[1, 0]) == pytest.approx(
        expected, rel=1e-15
    )
    # of the four pairs of a 0 and a 1, only 0.3 > 0.2 and 0.5 > 0.2 are in order
    assert sy.metric("auc").of(predictions=scores, truth=labels, classes=[1, 0]) == 2 / 4
    squares = (0.7**2 + 0.2**2 + 0.5**2 + 0.9**2) / 4
    assert sy.metric("brier").of(predictions=scores, truth=labels, classes=[1, 0]) == pytest.approx(
        squares, rel=1e-15
    )


@each_row("name", [*OF_CLASSES, "gauc", "rmse", "mae", "mse", "r2"])
def test_no_rows(name):
    """The one difference: no row has no value, and is nothing to evaluate."""
    metric = sy.metric(name)
    empty = np.zeros((0, 2)) if name.startswith("top_") else []
    groups = ([],) if name == "gauc" else ()
    value = np.ravel(metric.of(empty, [], *groups))
    assert np.isnan(value).all() or (name == "confusion" and not value.any())
    if name != "gauc":
        assert evaluated(name, [], empty).startswith("predictions has no rows")


GROUPS = {
    "text": ["a", "a", "b", "b"],
    "whole numbers": np.array([7, 7, 2**60, 2**60]),
    "unsigned": np.array([7, 7, 2**63, 2**63], np.uint64),
    "categories": pd.Categorical(["a", "a", "b", "b"]),
    "a column": [["a"], ["a"], ["b"], ["b"]],
    "a mask that hides nothing": np.ma.masked_array([7, 7, 9, 9]),
}


@each_row("groups", GROUPS.values(), ids=list(GROUPS))
def test_groups(groups):
    # the first group is in order, the second too: (2 * 1 + 2 * 1) / 4; turned round the second is not
    assert sy.metric("gauc").of(predictions=SCORES, truth=LABELS, groups=groups) == 1.0
    assert sy.metric("gauc").of(predictions=SCORES, truth=[1, 0, 0, 1], groups=groups) == (2 * 1 + 2 * 0) / 4


FILL = "remove the row, or fill the id"
NO_GROUPS = {
    "None": (["a", None, "b", "b"], f"the arrays, row 2: group is missing\n{FILL}"),
    "NaN beside text": (["a", NAN, "b", "b"], f"the arrays, row 2: group is missing\n{FILL}"),
    "masked": (np.ma.masked_array([7, 7, 9, 9], MASK), f"the arrays, row 2: group is missing\n{FILL}"),
    "None beside numbers": ([7, None, 9, 9], f"the arrays, row 2: group is missing\n{FILL}"),
    "NaN beside numbers": (
        [7, NAN, 9, 9],
        "the arrays, row 2: group is of type float64 (as 'nan'), but ids are text or integers\n"
        "pandas turns integers into floats where one is missing: drop those rows, then cast: "
        "df['group'].astype('int64')",
    ),
    "sparse": (
        sparse.csr_array([[7], [7], [9], [9]]),
        "groups is a sparse matrix, not one value per row\ngive a list or an array",
    ),
    "too few": (["a", "b"], "4 rows but 2 groups\ngive one group per row"),
}


@each_row(("groups", "said"), NO_GROUPS.values(), ids=list(NO_GROUPS))
def test_groups_that_are_refused(groups, said):
    with pytest.raises(sy.SteelyardError) as refused:
        sy.metric("gauc").of(predictions=SCORES, truth=LABELS, groups=groups)
    assert str(refused.value) == said
