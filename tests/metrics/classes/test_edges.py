"""One class, one row, no row, absent classes, and what is said about them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.kernels import forced
from steelyard.metrics import (
    AUC,
    ECE,
    F1,
    FPR,
    KS,
    MCC,
    Accuracy,
    BalancedAccuracy,
    Confusion,
    FBeta,
    LogLoss,
    Precision,
    Recall,
    Specificity,
    TopAccuracy,
    by_name,
)
from steelyard.metrics.classes.base import AveragedMetric, ClassMetric, ThresholdMetric
from steelyard.text.errors import SteelyardError

from ...classified import of_labels, of_probabilities
from ...tables import each_row

CLASS_METRICS = [cls for cls in by_name().values() if issubclass(cls, ClassMetric)]
THRESHOLD = [cls for cls in CLASS_METRICS if issubclass(cls, ThresholdMetric)]
AVERAGED = [cls for cls in CLASS_METRICS if issubclass(cls, AveragedMetric)]
SCALARS = [cls for cls in THRESHOLD if cls is not Confusion]

nan = pytest.approx(math.nan, nan_ok=True)


def test_all_metrics_of_classes_are_here():
    assert {cls.name for cls in CLASS_METRICS} == {
        "accuracy",
        "precision",
        "recall",
        "specificity",
        "fpr",
        "fbeta",
        "jaccard",
        "balanced_accuracy",
        "mcc",
        "confusion",
        "top_accuracy",
    }


@each_row("cls", SCALARS, ids=lambda cls: cls.name)
def test_no_row_is_undefined(cls):
    assert cls().of(predictions=[], truth=[]) == nan


@each_row("average", ["micro", "macro", "weighted"])
@each_row("cls", AVERAGED, ids=lambda cls: cls.name)
def test_no_row_is_undefined_under_every_average(cls, average):
    assert cls(average=average).of(predictions=[], truth=[]) == nan
    assert cls(average=average).of(predictions=[], truth=[], classes=["a", "b", "c"]) == nan


@each_row(
    ("metric", "only_positive", "only_negative"),
    [
        (Precision(), 1, math.nan),
        (Recall(), 1, math.nan),
        (F1(), 1, math.nan),
        (Specificity(), math.nan, 1),
        (FPR(), math.nan, 0),
        (Accuracy(), 1, 1),
        (BalancedAccuracy(), 1, 1),
        (MCC(), math.nan, math.nan),
        (F1(average="macro"), 1, 1),
        (F1(average="weighted"), 1, 1),
        (F1(average="micro"), 1, 1),
    ],
    ids=str,
)
def test_one_class_or_one_row(metric, only_positive, only_negative):
    for n in (1, 3):
        assert metric.of(predictions=[1] * n, truth=[1] * n) == pytest.approx(only_positive, nan_ok=True)
        assert metric.of(predictions=[0] * n, truth=[0] * n) == pytest.approx(only_negative, nan_ok=True)
        assert metric.of(predictions=[0.7] * n, truth=[1] * n) == pytest.approx(only_positive, nan_ok=True)


def test_a_constant_score():
    labels, scores = [1, 0, 0, 0], [0.5] * 4
    assert Precision().of(predictions=scores, truth=labels) == 1 / 4
    assert Precision(strict=True).of(predictions=scores, truth=labels) == nan
    assert MCC().of(predictions=scores, truth=labels) == nan
    assert Recall(strict=True).of(predictions=scores, truth=labels) == 0


@each_row("cls", AVERAGED, ids=lambda cls: cls.name)
def test_undefined_is_filled_as_asked(cls):
    nothing = ([], [])
    assert cls(undefined="zero").of(*nothing) == 0
    assert cls(undefined="one").of(*nothing) == 1
    with pytest.raises(SteelyardError, match="undefined"):
        cls(undefined="error").of(*nothing)


def test_an_undefined_class_counts_0_in_a_mean_and_is_told():
    rows = of_labels(np.array(list("aab")), np.array(list("aaa")))
    macro = Precision(average="macro")
    assert macro.measure(rows)[0] == (2 / 3 + 0) / 2
    assert macro.facts(rows) == [
        "precision(average=macro): class 'b' is undefined and counts 0 in the average (undefined_class=zero)."
    ]
    assert Precision(average="none").measure(rows)[0] == pytest.approx([2 / 3, math.nan], nan_ok=True)
    assert F1(average="macro").facts(rows) == []


def test_a_class_that_nobody_saw_exists_only_where_it_is_named():
    assert F1(average="macro").of(predictions=["a", "b"], truth=["a", "b"]) == 1
    assert F1(average="macro").of(predictions=["a", "b"], truth=["a", "b"], classes=["a", "b", "c"]) == 2 / 3
    assert F1(average="none").of(predictions=["a"], truth=["a"], classes=["b", "a"]) == pytest.approx(
        [math.nan, 1], nan_ok=True
    )
    assert Confusion().of(predictions=["a"], truth=["a"], classes=["a", "b"]) == [[1, 0], [0, 0]]
    assert Confusion().of(predictions=["a"], truth=["a"]) == [[1]]


def test_labels_of_0_and_1_are_always_two_classes():
    assert Confusion().of(predictions=[1], truth=[1]) == [[0, 0], [0, 1]]
    assert F1(average="none").of(predictions=[1], truth=[1]) == pytest.approx([math.nan, 1], nan_ok=True)


def test_the_second_of_two_classes_is_the_positive_one():
    labels, called = ["spam", "ham", "ham"], ["spam", "spam", "ham"]
    assert Precision().of(predictions=called, truth=labels) == 1 / 2  # ham, spam
    assert Precision().of(predictions=called, truth=labels, classes=["spam", "ham"]) == 1
    rows = of_labels(np.array(labels), np.array(called))
    assert Precision().facts(rows) == [
        "precision: the positive class is 'spam', the second of 'ham' and 'spam'."
    ]


def test_named_classes_go_with_scores():
    assert (
        Recall().of(predictions=[0.1, 0.9, 0.2], truth=["no", "yes", "yes"], classes=["no", "yes"]) == 1 / 2
    )
    assert Recall().of(predictions=[0.1, 0.9, 0.2], truth=["no", "yes", "yes"], classes=["yes", "no"]) == 0


def test_which_of_one_class_is_positive_is_unknown():
    assert Precision().of(predictions=["a", "a"], truth=["a", "a"]) == nan
    rows = of_labels(np.array(["a"]), np.array(["a"]))
    assert "only class 'a' is there" in Precision().facts(rows)[0]


def test_balanced_accuracy_leaves_out_what_is_not_true_and_says_so():
    rows = of_labels(np.array(list("aab")), np.array(list("acb")))
    assert BalancedAccuracy().measure(rows)[0] == (1 / 2 + 1) / 2
    assert BalancedAccuracy().facts(rows) == [
        "balanced_accuracy: a class without a row in the truth is left out."
    ]


def test_auc_leaves_out_a_class_without_rows_and_says_so():
    rows = of_probabilities(
        np.array([0, 1, 0]), np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]]), classes=[0, 1, 2]
    )
    for average in ("ovr_macro", "ovr_weighted", "ovo_macro"):
        metric = AUC(average=average)
        assert metric.measure(rows)[0] == 1
        assert "left out" in metric.facts(rows)[0]
    assert AUC().of([[0.5, 0.5], [0.5, 0.5]], [0, 0], classes=[0, 1]) == nan


def test_logloss_of_an_impossible_class():
    given = [[1.0, 0.0], [0.5, 0.5]]
    assert LogLoss(clip=None).of(predictions=given, truth=["b", "a"]) == math.inf
    assert LogLoss(clip=0.25, base=2).of(predictions=given, truth=["b", "a"]) == (2 + 1) / 2
    rows = of_probabilities(np.array(["b", "a"]), np.array(given))
    assert "infinite" in LogLoss(clip=None).facts(rows)[0]
    assert LogLoss().facts(rows) == []
    assert LogLoss().of(predictions=np.zeros((0, 2)), truth=[]) == nan
    assert ECE().of(predictions=np.zeros((0, 2)), truth=[]) == nan


def test_weight_0_is_no_row_and_weight_2_is_two_rows():
    labels, called = list("abcab"), list("abacb")
    doubled = [*labels, *labels[:2]], [*called, *called[:2]]
    without = labels[:2] + labels[3:], called[:2] + called[3:]
    for cls in SCALARS:
        metric = cls(average="macro") if issubclass(cls, AveragedMetric) else cls()
        assert metric.of(predictions=called, truth=labels, weights=[2, 2, 1, 1, 1]) == pytest.approx(
            metric.of(predictions=doubled[1], truth=doubled[0])
        )
        assert metric.of(predictions=called, truth=labels, weights=[1, 1, 0, 1, 1]) == pytest.approx(
            metric.of(predictions=without[1], truth=without[0]), nan_ok=True
        )


def test_noise_of_weights_leaves_no_rest_where_there_is_none():
    rng = np.random.default_rng(5)
    called, weights = rng.integers(0, 3, 1000), rng.random(1000)
    assert MCC().of(predictions=called, truth=np.zeros(1000, int), weights=weights) == nan
    assert Specificity().of(predictions=[1, 0, 1] * 3, truth=np.ones(9, int), weights=weights[:9]) == nan


def test_wholes_booleans_and_floats_are_one_kind():
    assert Accuracy().of(predictions=[1, 0], truth=[True, False]) == 1
    assert Accuracy().of(predictions=[1, 2, 1], truth=[1.0, 2.0, 3.0]) == 2 / 3
    assert Accuracy().of(predictions=["a", "a"], truth=np.array(["a", "b"], object)) == 1 / 2


BAD = [
    (Precision(), (list("abc"), list("abc")), {}, "precision needs two classes; found 3: 'a', 'b' and 'c'"),
    (Precision(), (list("abc"), list("abc")), {}, "average=micro, macro, weighted, none"),
    (Precision(), ([[1, 0]], [[1, 0]]), {}, "a row may have several"),
    (MCC(), ([[1, 0]], [[1, 0]]), {}, "needs one class per row"),
    (BalancedAccuracy(), ([[1, 0]], [[1, 0]]), {}, "needs one class per row"),
    (Confusion(), ([[1, 0]], [[1, 0]]), {}, "needs one class per row"),
    (
        Accuracy(),
        (["a", "d"], ["a", "a"]),
        {"classes": ["a", "b"]},
        "row 2: label 'd' is none of the classes",
    ),
    (Accuracy(), (["a", "a"], ["a", "d"]), {"classes": ["a", "b"]}, "row 2: predicted class 'd'"),
    (Accuracy(), (["a"], ["a"]), {"classes": ["a", "a"]}, "names 'a' twice"),
    (Accuracy(), (["a"], [1]), {}, "some classes are text and some are whole numbers"),
    (Accuracy(), (["a"], ["a"]), {"classes": [1, 2]}, "some classes are text and some are whole numbers"),
    (Accuracy(), (np.array(["a", None], object), ["a", "a"]), {}, "row 2: label is null"),
    (Accuracy(), (np.array([1, math.nan], object), [1, 1]), {}, "row 2: label is null"),
    (
        Accuracy(),
        (np.array([1, "a"], object), [1, 1]),
        {},
        "column 'label' holds values of several types (int, str)",
    ),
    (Accuracy(), ([1.0, math.nan, 2.0], [1, 1, 2]), {}, "row 2: label is null"),
    (Accuracy(), ([1, 2, 3], [0.3, 1.5, 2.5]), {}, "row 1: predicted class is 0.3, which is not a class"),
    (Accuracy(), ([1, 0], [1]), {}, "1 prediction but 2 labels"),
    (Accuracy(), ([1, 0], [1, 1]), {"weights": [1]}, "2 rows but 1 weight"),
    (Accuracy(), ([1, 0], [1, 1]), {"weights": [1, -1]}, "row 2: weight is -1"),
    (Accuracy(), ([1, 0], [0.5, math.nan]), {}, "the arrays, row 2: score is 'nan'"),
    (Accuracy(), ([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, math.nan]]), {}, "row 2: score in column 2 is NaN"),
    (Accuracy(), ([[1, 0]], [[1, 0, 1]]), {}, "1 × 2"),
    (Accuracy(), ([[1, 2]], [[1, 0]]), {}, "row 1: the truth matrix has 2"),
    (Accuracy(), ([0, 1], [[0.5, 0.5], [0.5, 0.6]]), {}, "row 2: probabilities sum to 1.1, not to 1"),
    (Accuracy(), ([0, 1], [[0.5, 0.5], [0.5, 0.6]]), {}, "tolerance 0.001"),
    (Accuracy(), ([0, 1], [[0.5, 0.5], [1.5, -0.5]]), {}, "row 2: a probability is 1.5"),
    (Accuracy(), ([0, 1], [[0.5, 0.5], [1.0000001, 0.0]]), {}, "row 2: a probability is 1.0000001"),
    (Accuracy(), ([0, 1], [[0.5, 0.5], [math.nan, 0.5]]), {}, "row 2: a probability is nan"),
    (Accuracy(), (["a", "b"], [[0.5, 0.25, 0.25]] * 2), {}, "3 columns for the 2 classes 'a' and 'b'"),
    (TopAccuracy(k=1), (["a"], ["a"]), {}, "needs a probability for each class"),
    (TopAccuracy(k=1), ([1], [0.5]), {}, "needs"),
    (KS(), (["a", "b"], [[0.5, 0.5]] * 2), {}, "ks is for labels of 0 and 1"),
    (AUC(), ([0, 1], [[0.5, 0.2], [0.5, 0.5]]), {}, "row 1: probabilities sum to 0.7"),
]


@each_row(("metric", "data", "more", "said"), BAD)
def test_bad_input_is_told(metric, data, more, said):
    with pytest.raises(SteelyardError) as caught:
        metric.of(predictions=data[1], truth=data[0], **more)
    assert said in str(caught.value)


@each_row(
    ("metric", "given", "said"),
    [
        (Specificity(), {"fp": 1}, "specificity needs tn"),
        (FPR(), {"fp": 1}, "fpr needs tn"),
        (Accuracy(), {"tp": 1, "fp": 1, "fn": 1}, "accuracy needs tn"),
        (BalancedAccuracy(), {"tp": 1, "fp": 1, "fn": 1}, "balanced_accuracy needs tn"),
        (MCC(), {"tp": 1}, "mcc needs fp, fn and tn"),
        (Confusion(), {"tp": 1, "fp": 1, "fn": 1}, "confusion needs tn"),
        (Precision(), {"tp": 1}, "precision needs fp"),
        (Recall(), {"tp": 1}, "recall needs fn"),
        (F1(), {"tp": 1, "fp": 1}, "f1 needs fn"),
        (F1(average="macro"), {"tp": 1, "fp": 1, "fn": 1}, "f1(average=macro) needs tn"),
        (F1(), {"tp": -1, "fp": 1, "fn": 1}, "tp is -1"),
        (F1(), {"tp": 1, "fp": 1, "fn": 1, "tn": math.nan}, "tn is nan"),
    ],
)
def test_counts_that_are_missing_or_none(metric, given, said):
    with pytest.raises(SteelyardError) as caught:
        metric.of_counts(**given)
    assert said in str(caught.value)


def test_counts_that_make_no_difference_may_be_left_out():
    assert Precision().of_counts(tp=3, fp=1) == 3 / 4
    assert Recall().of_counts(tp=1, fn=3) == 1 / 4
    assert Specificity().of_counts(fp=1, tn=3) == 3 / 4


def test_a_confusion_matrix_that_is_too_large_is_refused():
    n = 5_001  # its square is 25,010,001
    labels = np.arange(n)
    with pytest.raises(SteelyardError, match="confusion of 5,001 classes has 25,010,001 cells"):
        Confusion().of(predictions=labels, truth=labels)
    rows = of_labels(labels[:51], labels[:51], segment=np.zeros(51, int), n_segments=10_000)
    with pytest.raises(
        SteelyardError, match=r"confusion of 10,000 slices and 51 classes has 26,010,000 cells"
    ):
        Confusion().measure(rows)


def test_the_cells_of_a_confusion_matrix_are_named_once():
    rows = of_labels(np.array(["a", "b"]), np.array(["a", "a"]))
    assert Confusion().entries(rows) == [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    assert Confusion().entries(rows) is Confusion(threshold=0.3).entries(rows)


@pytest.mark.parametrize("side", ["kernel", "twin"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_probability_of_minus_zero_is_zero(side, kind):
    # of a, 1 and 0 against 0 and 0: two above, two tied; of b, 1 and 1 against 0 and 1: the same
    given = np.array([[1, -0.0], [-0.0, 1], [0, 1], [-0.0, 1]], kind)
    truth = np.array(["a", "a", "b", "b"])
    with forced(side):
        rows = of_probabilities(truth, given)
        assert not np.signbit(rows.probability).any()
        assert AUC().measure(rows).tolist() == [((1 + 1 + 0.5 + 0.5) / 4 + (0.5 + 0.5 + 1 + 1) / 4) / 2]
    assert np.signbit(given).sum() == 3  # the caller's own stay as they were


def test_f1_is_fbeta_with_beta_1():
    assert F1() == FBeta(beta=1)
    assert str(FBeta(beta=1).text({"beta": 2.0})) == "f1"
