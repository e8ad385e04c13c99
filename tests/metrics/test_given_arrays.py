"""What a caller may hand to ``.of`` as an array, and what is refused with one clear sentence."""

from __future__ import annotations

from array import array
from collections import deque
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.engine.columns import binary

from ..tables import each_row

LABELS = [1, 0, 1, 0]
SCORES = [0.8, 0.3, 0.4, 0.6]
COMPLEX = np.array([1 + 1j, 0, 1, 0])


def test_a_masked_label_is_a_null_and_not_what_stands_under_the_mask():
    labels = np.ma.masked_array(LABELS, [False, True, False, False])
    with pytest.raises(sy.SteelyardError, match="row 2: label is null"):
        sy.Accuracy().of(predictions=[1, 1, 1, 0], truth=labels)
    # without the second row every class is right
    assert sy.Accuracy(unlabelled="drop").of(predictions=[1, 1, 1, 0], truth=labels) == 1.0


@pytest.mark.parametrize("metric", [sy.AUC(), sy.LogLoss(), sy.F1()])
def test_a_masked_score_is_refused(metric):
    scores = np.ma.masked_array(SCORES, [False, False, True, False])
    with pytest.raises(sy.SteelyardError, match="row 3"):
        metric.of(predictions=scores, truth=LABELS)


def test_a_masked_grade_is_refused():
    with pytest.raises(sy.SteelyardError, match="a grade is NaN"):
        sy.NDCG().of(np.ma.masked_array([1, 0, 1], [False, False, True]))


def test_a_class_beyond_64_bits_with_a_sign_is_no_other_class():
    huge = np.array([2**64 - 1, 0, 1], np.uint64)
    with pytest.raises(sy.SteelyardError, match="row 1: label is 18446744073709551615, which is not a class"):
        sy.Accuracy().of(predictions=[-1, 0, 1], truth=huge)


@each_row(
    ("metric", "given", "told"),
    [
        (sy.AUC(), (LABELS, ["a", "b", "a", "b"]), "the arrays, row 1: score is text: 'a'"),
        (
            sy.AUC(),
            (LABELS, [0.5, 0.1, 10**400, 0.2]),
            "the arrays: column 'score' holds integers of more than 64 bits",
        ),
        (
            sy.AUC(),
            (LABELS, [0.5, Decimal("sNaN"), 0.1, 0.2]),
            "holds values of several types (Decimal, float)",
        ),
        (sy.AUC(), (LABELS, COMPLEX), "predictions has values of type complex128"),
        (sy.AUC(), (LABELS, {"a": 1}), "predictions is of type dict, not one value per row"),
        (sy.AUC(), (LABELS, [0.5, [0.5], 0.1, 0.2]), "row 2 holds a list of 1, and the first row a single"),
        (sy.AUC(), ([{1}, 1, 0, 0], SCORES), "label"),
        (sy.AUC(), (np.array(["2020-01-01"] * 4, "M8[D]"), SCORES), "label"),
        (sy.AUC(), (5, SCORES), "truth is of type int, not one value per row"),
        (
            sy.GAUC(),
            (LABELS, SCORES, ["a", 1, None, "a"]),
            "'group' holds values of several types (int, str)",
        ),
        (sy.F1(), (LABELS, {1, 2}), "predictions is of type set"),
        (sy.F1(), ([[1, 0], [0]], LABELS), "row 2 holds a list of 1, and the first row a list of 2"),
        (sy.Accuracy(), (LABELS, [1, 0, 10**400, 0]), "column 'score' holds integers of more than 64 bits"),
        (sy.Accuracy(), ([1, Decimal("sNaN"), 1, 1], SCORES), "several types (Decimal, int)"),
        (sy.TopAccuracy(k=1), (["a", "b"], np.array([[1, "a"], [0, 1]], object)), "several types (int, str)"),
        (sy.Accuracy(), (np.zeros((2, 2, 2)), np.zeros((2, 2, 2))), "label has the shape 2 × 2 × 2"),
        (sy.AUC(), ([0.5, 1, 0, np.void(b"ab")], SCORES), "several types (float, int, void)"),
        (sy.GAUC(), (LABELS, SCORES, [1, Decimal("sNaN"), 0, 0]), "several types (Decimal, int)"),
        (sy.RMSE(), (["a", "b"], [1, 2]), "the arrays, row 1: label is 'a', which is not a number"),
        (sy.RMSE(), ([1, 2], np.array([1, 2], "m8[s]")), "score has values of type timedelta64"),
        (sy.RMSE(), ({}, []), "truth is of type dict"),
        (sy.NDCG(), (["a", "b"],), "row 1: grade is 'a', which is not a number"),
        (sy.NDCG(), (0.5,), "grade is of type float"),
        (sy.NDCG(), ({"a": 1},), "grade is of type dict"),
        (sy.NDCG(), (COMPLEX,), "grade has values of type complex128"),
        (sy.NDCG(), (np.zeros((2, 2, 2)),), "a list of grades has the shape 2 × 2"),
    ],
)
def test_what_is_no_array_of_plain_values_is_refused(metric, given, told):
    names = ("grades",) if len(given) == 1 else ("truth", "predictions", "groups")
    with pytest.raises(sy.SteelyardError) as refused:
        metric.of(**dict(zip(names, given, strict=False)))
    assert told in str(refused.value)


@pytest.mark.parametrize(("grades", "judged"), [([1, np.nan], None), ([1], [1, np.inf]), ([], [np.nan])])
def test_grades_that_are_not_finite_are_refused(grades, judged):
    with pytest.raises(sy.SteelyardError, match="a grade is NaN or infinite"):
        sy.NDCG().of(grades, judged=judged)


@each_row(
    ("weights", "told"),
    [
        ("score", "weights is of type str, not one value per row"),
        ({"q": 1}, "weights is of type dict, not one value per row"),
        ([1, "a", 1, 1], "the arrays: column 'weight' holds values of several types (int, str)"),
        (np.array(2.0), "weights is of type ndarray, not one value per row"),
    ],
)
def test_weights_that_are_no_numbers_are_refused(weights, told):
    with pytest.raises(sy.SteelyardError) as refused:
        sy.AUC().of(predictions=SCORES, truth=LABELS, weights=weights)
    assert refused.value.message == told


@pytest.mark.parametrize(
    "scores",
    [range(4, 0, -1), array("d", [4, 3, 2, 1]), deque([4, 3, 2, 1]), pl.Series([4, 3, 2, 1]).cast(pl.Int128)],
)
def test_any_sequence_of_numbers_will_do(scores):
    # the positives, first and third, come before 2 and 1 of the 2 negatives
    assert sy.AUC().of(predictions=scores, truth=LABELS) == 3 / 4
    assert sy.evaluate(predictions=scores, truth=LABELS, metrics="auc")["auc"] == 3 / 4


@each_row(
    ("given", "why"),
    [
        ({"labels": [[1], 0], "scores": [1, 0]}, "labels mixes single values and lists"),
        ({"labels": ["\ud800", "b"], "predicted": ["a", "b"]}, "column 'label' holds"),
        ({"labels": 5, "scores": [1, 0]}, "labels is of type int, not one value per row"),
        ({"labels": [1, 0], "scores": {"a": 1}}, "scores is of type dict, not one value per row"),
    ],
)
def test_an_example_that_is_no_column_is_refused(given, why):
    with pytest.raises(sy.SteelyardError, match=why):
        sy.explain("f1", **given)


@pytest.mark.parametrize(
    "lists", [[(1, 0), [0, 1]], [np.array([1, 0]), range(2)], pl.Series([[1, 0], [0, 1]])]
)
def test_several_lists_may_be_of_any_kind(lists):
    # the relevant item stands first in one list and second in the other
    assert sy.MRR().of(lists) == (1 / 1 + 1 / 2) / 2


@each_row("classes", [0.5, "ab", [None, 1], [[1], 2], {"a": 1}.values, np.array(2)])
def test_classes_that_are_no_names_are_refused(classes):
    with pytest.raises(sy.SteelyardError, match="classes must be a list of texts or of whole numbers"):
        sy.Accuracy().of(predictions=SCORES, truth=LABELS, classes=classes)


@pytest.mark.parametrize("depth", [10**400, -(10**400), 1j, np.complex64(1)])
def test_what_no_float_can_hold_is_no_value_of_a_field(depth):
    with pytest.raises(sy.SteelyardError, match="depth must be a whole number above 0"):
        sy.PrecisionAt(k=1, depth=depth)


class Large(np.ndarray):
    """Refuses to become a list as a whole, as an array of a hundred million rows would."""

    def tolist(self):
        assert self.size <= 5
        return super().tolist()


def test_labels_that_are_refused_are_not_turned_into_a_list():
    labels = np.array([0, 1, 2, 3, 4, 5, 6, 7]).view(Large)
    with pytest.raises(sy.SteelyardError) as caught:
        binary(labels)
    assert (
        caught.value.message
        == "row 3: label is 2, and labels must be 0 and 1; found 0, 1, 2, 3, 4 and 3 more"
    )


@pytest.mark.parametrize("said", [[1, 0], ["a", "b"], [0.2, 0.7]])
def test_without_any_label_a_value_is_undefined(said):
    """No row is left where rows without a label are dropped, whatever was predicted for them."""
    assert np.isnan(sy.Accuracy(unlabelled="drop").of(predictions=said, truth=[None, None]))
