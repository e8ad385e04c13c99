"""Click metrics at the edges: one class, a constant score, one row, none; and rows that are refused."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.metrics import AUC, COPC, ECE, GAUC, KS, MCE, NE, PRAUC, RIG, Brier, Calibration, LogLoss

from ...tables import each_row
from ..own import stated
from .given import EVERY, REGISTERED, arguments, segmented

near = pytest.approx
nan = math.nan
ln = math.log
BOTH = pytest.mark.parametrize("weights", [None, "ones"])


def value(metric, labels, scores, weights=None):
    weight = [1.0] * len(labels) if isinstance(weights, str) else weights
    return metric.of(**arguments(metric, labels, scores), weights=weight)


def test_the_metrics_of_the_specification_are_there():
    names = {"auc", "gauc", "pr_auc", "ks", "logloss", "ne", "rig", "brier", "calibration", "copc"}
    names |= {"ece", "mce"}
    assert REGISTERED.keys() - stated("EDGES").keys() == names


EDGES = {
    # all positive at 0.4 and 0.2, all negative there, 1 0 0 at a constant 0.5, one positive 0.4, one negative
    AUC(): (nan, nan, 1 / 2, nan, nan),
    AUC(max_fpr=0.5, partial="raw"): (nan, nan, 1 / 8, nan, nan),
    AUC(max_fpr=0.5): (nan, nan, 1 / 2, nan, nan),
    GAUC(): (nan, nan, 1 / 2, nan, nan),
    GAUC(weight="clicks"): (nan, nan, 1 / 2, nan, nan),
    GAUC(single_class="half"): (1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2),
    GAUC(single_class="zero"): (0, 0, 1 / 2, 0, 0),
    # without a click there is no weight, so nothing is to be averaged
    GAUC(weight="clicks", single_class="half"): (1 / 2, nan, 1 / 2, 1 / 2, nan),
    PRAUC(): (1, nan, 1 / 3, 1, nan),
    PRAUC(rule="trapezoid"): (1, nan, (1 + 1 / 3) / 2, 1, nan),
    PRAUC(rule="trapezoid_first"): (1, nan, 1 / 3, 1, nan),
    PRAUC(rule="davis"): (1, nan, 1 / 3, 1, nan),
    LogLoss(): (-ln(0.4 * 0.2) / 2, -ln(0.6 * 0.8) / 2, ln(2), -ln(0.4), -ln(0.6)),
    NE(): (nan, nan, 3 * ln(2) / (3 * ln(3) - 2 * ln(2)), nan, nan),
    RIG(): (nan, nan, 1 - 3 * ln(2) / (3 * ln(3) - 2 * ln(2)), nan, nan),
    NE(base_rate=0.5): (nan, nan, 1, nan, nan),
    Brier(): ((0.36 + 0.64) / 2, (0.16 + 0.04) / 2, 1 / 4, 0.36, 0.16),
    Calibration(): (0.3, nan, 1.5, 0.4, nan),
    COPC(): (2 / 0.6, 0, 1 / 1.5, 1 / 0.4, 0),
    ECE(): (0.7, 0.3, 1 / 2 - 1 / 3, 0.6, 0.4),
    ECE(binning="width"): (0.7, 0.3, 1 / 2 - 1 / 3, 0.6, 0.4),
    MCE(): (0.8, 0.4, 1 / 2 - 1 / 3, 0.6, 0.4),
    MCE(binning="width"): (0.8, 0.4, 1 / 2 - 1 / 3, 0.6, 0.4),
    KS(): (nan, nan, 0, nan, nan),
}
# a metric that is not in it has its own in its own test
EDGES |= {metric: values for edges in stated("EDGES").values() for metric, values in edges.items()}


@BOTH
@each_row("metric", EDGES, ids=str)
def test_one_class_a_constant_score_and_one_row(metric, weights):
    rows = [
        ([1, 1], [0.4, 0.2]),
        ([0, 0], [0.4, 0.2]),
        ([1, 0, 0], [0.5] * 3),
        ([1], [0.4]),
        ([0], [0.4]),
    ]
    found = [value(metric, labels, scores, weights) for labels, scores in rows]
    assert found == near(list(EDGES[metric]), rel=1e-13, abs=1e-15, nan_ok=True)


def test_an_edge_for_every_metric():
    assert {metric.name for metric in EDGES} == set(REGISTERED)


@each_row("metric", EVERY, ids=str)
def test_no_rows_one_class_and_any_rows(metric):
    no_rows(metric)
    segments_without_rows_and_with_one_class(metric)
    values_are_within_bounds(metric)


def no_rows(metric):
    for weights in (None, "ones"):
        assert math.isnan(value(metric, [], [], weights))
        assert value(metric.replace(undefined="zero"), [], [], weights) == 0
        assert value(metric.replace(undefined="one"), [], [], weights) == 1
        with pytest.raises(sy.SteelyardError, match=f"is undefined: {metric.undefined_when}\n"):
            value(metric.replace(undefined="error"), [], [], weights)
    # rows of weight 0 are no rows
    assert math.isnan(value(metric, [1, 0, 1], [0.2, 0.4, 0.9], [0, 0, 0]))


def segments_without_rows_and_with_one_class(metric):
    """Segment 1 has no row, segment 2 one class; segment 0 knows of neither."""
    labels, scores = [1, 0, 1, 0, 1, 1], [0.9, 0.3, 0.5, 0.5, 0.2, 0.1]
    groups = np.zeros(6, np.int64)
    cut = segmented(
        labels, scores, segment=np.array([0, 0, 0, 0, 2, 2]), n_segments=3, group=groups, n_groups=1
    )
    found = metric.measure(cut)
    alone = [value(metric, labels[:4], scores[:4]), nan, value(metric, labels[4:], scores[4:])]
    assert found.tolist() == near(alone, rel=1e-12, nan_ok=True)


def values_are_within_bounds(metric):
    low, high = metric.bounds
    random = np.random.default_rng(7)
    for n in range(2, 40, 4):
        labels, scores = random.integers(0, 2, n), random.random(n).round(1)
        found = value(metric, labels, scores)
        assert math.isnan(found) or low - 1e-12 <= found <= high + 1e-12


def test_a_small_weight_beside_a_large_one():
    assert AUC().of([0.5, 0.5], [1, 0], weights=[1e16, 1]) == 0.5
    assert AUC().of([0.5, 0.5], [0, 1], weights=[1e16, 1]) == 0.5
    assert AUC().of([0.5, 0.5, 0.2], [1, 0, 0], weights=[1e16, 1, 1]) == 0.75
    assert KS().of([0.5, 0.5, 0.2], [1, 0, 0], weights=[1e16, 1, 1]) == 0.5


# ------------------------------------------------------------------------------------ what is taken


@each_row(
    "labels",
    [
        [True, False],
        [1.0, 0.0],
        np.array([1, 0], np.int8),
        np.array([1, 0], np.float32),
        np.array([True, 0], object),
        np.array([np.True_, np.float64(0)], object),
        pd.Series([1, 0], dtype="Int64"),
        pd.Series([True, False], dtype="boolean"),
        (1, 0),
    ],
)
def test_labels_that_are_0_and_1(labels):
    assert AUC().of(predictions=[0.9, 0.1], truth=labels) == 1


@each_row("kind", [np.float16, np.float32, np.float64, np.int8, np.int64, object])
def test_scores_of_any_numbers(kind):
    assert AUC().of(predictions=np.array([1, 0], kind), truth=[1, 0]) == 1


def test_truth_values_are_no_scores():
    with pytest.raises(sy.SteelyardError, match="the arrays, row 1: score is boolean: 'True'"):
        AUC().of(predictions=[True, False], truth=[1, 0])


def test_minus_zero_is_zero():
    for kind in (np.float32, np.float64):
        assert AUC().of(predictions=np.array([-0.0, 0.0], kind), truth=[1, 0]) == 0.5
        assert AUC().of(predictions=np.array([-0.0, 0.0], kind), truth=[1, 0], weights=[1, 1]) == 0.5


def test_a_score_of_minus_infinity_is_the_lowest():
    labels, scores = [1, 0, 1, 0], [1.0, 1.0, 0.0, -math.inf]
    for weights in (None, [1] * 4):
        assert AUC().of(predictions=scores, truth=labels, weights=weights) == 2.5 / 4
        assert KS().of(predictions=scores, truth=labels, weights=weights) == 1 / 2
        assert PRAUC().of(predictions=scores, truth=labels, weights=weights) == near(
            1 / 2 * 1 / 2 + 1 / 2 * 2 / 3
        )


@each_row("name", REGISTERED)
def test_what_is_given_stays_as_it_was(name):
    labels, scores, weights = np.array([1, 0, 1]), np.array([0.5, -0.0, 0.2]), np.array([1.0, 2.0, 0.0])
    before = [one.tobytes() for one in (labels, scores, weights)]
    for one in (labels, scores, weights):
        one.setflags(write=False)
    value(REGISTERED[name](), labels, scores, weights)
    assert [one.tobytes() for one in (labels, scores, weights)] == before


# ---------------------------------------------------------------------------------- what is refused

EVERY_NAME = each_row("name", REGISTERED)


def refused_by_all(said, asked):
    """Every metric refuses it, and says so."""
    for name, cls in REGISTERED.items():
        with pytest.raises(sy.SteelyardError) as caught:
            asked(cls())
        assert said in str(caught.value), name


@each_row(
    ("labels", "said"),
    [
        ([1, 2], "labels must be 0 and 1; found 1 and 2"),
        ([1, -1], "labels must be 0 and 1; found -1 and 1"),
        ([0.5, 1], "labels must be 0 and 1; found 0.5 and 1.0"),
        (["yes", "no"], "labels must be 0 and 1; found 'no' and 'yes'"),
        (np.array(["1", 0], object), "column 'label' holds values of several types (int, str)"),
        (["1", "0"], "found '0' and '1'\nthey are text: cast them to integers"),
        ([1, None], "row 2: label is null"),
        ([math.nan, 1], "row 1: label is null"),
        (["click", None], "row 2: label is null"),
        (pd.Series([1, None], dtype="Int64"), "row 2: label is null"),
        (pd.Series([None, True], dtype="boolean"), "row 1: label is null"),
    ],
    ids=str,
)
def test_labels_that_are_not(labels, said):
    refused_by_all(said, lambda metric: value(metric, labels, [0.5, 0.5]))


@EVERY_NAME
def test_several_labels_per_row(name):
    """Areas under curves have a meaning there, with a score for each label."""
    curves = name in ("auc", "pr_auc")
    said = "the truth is a matrix of 2 × 2, the prediction of 2" if curves else "needs one label per row"
    with pytest.raises(sy.SteelyardError, match=said):
        value(REGISTERED[name](), [[1, 0], [0, 1]], [0.5, 0.5])
    for odd, said in ((math.nan, "score in column 2 is NaN"), (math.inf, "score is inf")):
        with pytest.raises(sy.SteelyardError, match=said if curves else "needs one label per row"):
            value(REGISTERED[name](), [[1, 0], [0, 1]], [[0.5, 0.5], [0.5, odd]])


@each_row(
    ("weights", "said"),
    [
        ([1], "2 rows but 1 weight"),
        ([1, 1, 1], "2 rows but 3 weights"),
        ([], "2 rows but 0 weights"),
        (1.0, "weights is of type float, not one value per row"),
        ([[1, 1], [1, 1]], "weight has the shape 2 × 2"),
        ([1, -1], "row 2: weight is -1"),
        ([math.nan, 1], "row 1: weight is nan"),
        ([1, math.inf], "row 2: weight is inf"),
    ],
    ids=str,
)
def test_weights_that_are_refused(weights, said):
    refused_by_all(said, lambda metric: value(metric, [1, 0], [0.5, 0.5], weights))


@pytest.mark.parametrize("weights", [[1, 1], [1, 1, 1, 1], [1, -1, 1]])
def test_weights_of_several_classes(weights):
    given = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    with pytest.raises(sy.SteelyardError, match="3 rows but|weight is -1"):
        LogLoss().of(predictions=given, truth=["a", "b", "c"], weights=weights)


@each_row(
    ("groups", "said"),
    [
        (["a"], "2 rows but 1 group"),
        (["a", "b", "c"], "2 rows but 3 groups"),
        ([], "2 rows but 0 groups"),
        ([["a", "b"], ["b", "a"]], "group has the shape 2 × 2"),
    ],
    ids=str,
)
def test_a_group_for_each_row(groups, said):
    refused_by_all(said, lambda metric: metric.of([0.5, 0.5], [1, 0], groups))


def test_gauc_without_groups():
    with pytest.raises(sy.SteelyardError, match="gauc needs a group for each row"):
        GAUC().of([0.5, 0.5], [1, 0])


@EVERY_NAME
def test_lengths_and_nan_scores(name):
    with pytest.raises(sy.SteelyardError, match="3 predictions but 2 labels"):
        value(REGISTERED[name](), [1, 0], [0.1, 0.2, 0.3])
    with pytest.raises(sy.SteelyardError, match="row 2: score is 'nan'"):
        value(REGISTERED[name](), [1, 0], [0.1, math.nan])
    with pytest.raises(sy.SteelyardError, match="row 2: score is 'inf'\\nremove the row, or cap the score"):
        value(REGISTERED[name](), [1, 0], [0.1, math.inf])


PROBABILITIES = [name for name, cls in REGISTERED.items() if cls.needs == "probability"]


@each_row(
    ("text", "said"),
    [
        ("ne(base_rate=1)", "a number above 0 and below 1, or 'observed'"),
        ("rig(base_rate=1.5)", "a number above 0 and below 1, or 'observed'"),
        ("ne(base_rate=0)", "a number above 0 and below 1"),
        ("logloss(clip=0.6)", "a number above 0 and at most 0.5, or 'none'"),
        ("auc(max_fpr=1.01)", "a number above 0 and at most 1, or 'none'"),
    ],
)
def test_fields_that_are_out_of_range(text, said):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.metric(text)
    assert said in str(caught.value)


@each_row("text", ["ne(base_rate=0.999)", "rig(base_rate=1e-09)", "logloss(clip=0.5)", "auc(max_fpr=1)"])
def test_fields_at_the_end_of_their_range(text):
    assert str(sy.metric(text)) == text


def test_how_many_further_labels_there_are():
    with pytest.raises(sy.SteelyardError, match="row 3: label is 2, .*found 0, 1, 2, 3, 4 and 1,995 more"):
        sy.metric("auc").of(predictions=[0.5] * 2_000, truth=range(2_000))


def test_digits_enough_to_see_what_is_no_probability():
    with pytest.raises(sy.SteelyardError, match=r"row 2: score is 1\.0000001, .* from 0\.5 to 1\.0000001"):
        sy.metric("brier").of([0.5, 1.0000001], [1, 0])


def test_which_need_probabilities():
    known = {"brier", "calibration", "copc", "ece", "logloss", "mce", "ne", "rig"}
    assert set(PROBABILITIES) - stated("EDGES").keys() == known


@each_row("name", PROBABILITIES)
def test_what_is_no_probability_is_refused(name):
    metric = REGISTERED[name]()
    with pytest.raises(
        sy.SteelyardError, match=rf"row 2: score is 1\.5, and {name} needs probabilities in "
    ) as caught:
        metric.of([0.5, 1.5], [1, 0])
    assert "logits" not in str(caught.value)
    with pytest.raises(sy.SteelyardError, match="they look like logits"):
        metric.of([2.5, -1.5], [1, 0])
    for near in ([1.001, -0.0001], [0.7, -1.0], [2.0, -0.5]):  # no logits, which are further apart
        with pytest.raises(sy.SteelyardError, match="or calibrate the model") as caught:
            metric.of(predictions=near, truth=[1, 0])
        assert "logits" not in str(caught.value)


@each_row("name", sorted(REGISTERED.keys() - set(PROBABILITIES)))
def test_the_others_take_any_score(name):
    assert value(REGISTERED[name](), [1, 0], [2.5, -1.5]) == 1
