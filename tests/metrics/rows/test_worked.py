"""Click metrics on tables worked by hand, each field with its values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.engine.rows import states_of_arrays
from steelyard.metrics import AUC, COPC, ECE, GAUC, KS, MCE, NE, PRAUC, RIG, Brier, Calibration, LogLoss

from ...tables import each_row

near = pytest.approx
ln = math.log


def scored(metric, labels, scores, **beside):
    """The rows as a metric reads them."""
    return states_of_arrays(scores, labels, numbers=True, **beside).state(metric.need())


# ---------------------------------------------------------------- the examples of the specification

TWENTY = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0]
FROM_90 = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505]
FROM_40 = [0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.3, 0.1]
AS_PRINTED = [0.9, 0.8, 0.7, 0.8, *FROM_90[4:], *FROM_40]

USERS = [*"1111222334444444455666666"]
CLICKS = [1, 0, 0, 0, 1, 1, 0, 1, 0, *[0] * 8, 1, 1, 1, 0, 1, 0, 0, 1]
SCORES = [
    *(0.9, 0.9, 0.3, 0.1, 0.4, 0.4, 0.4, 0.2, 0.7),
    *(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
    *(0.5, 0.6, 0.8, 0.7, 0.6, 0.5, 0.2, 0.1),
]


@each_row(
    ("metric", "labels", "scores", "value"),
    [
        (AUC(), TWENTY, FROM_90 + FROM_40, 0.68),
        (AUC(), TWENTY, AS_PRINTED, 0.69),
        (AUC(), [1, 1, 0, 0], [0.8, 0.5, 0.5, 0.1], 0.875),
        (AUC(), CLICKS, SCORES, 0.5416666666666666),
        (LogLoss(), [1, 0], [0.51, 0.49], 0.6733445532637656),
        (LogLoss(), [1, 0], [0.99, 0.01], 0.01005033585350145),
        (NE(), [1, 0, 0, 0], [0.25] * 4, 1.0),
        (PRAUC(), [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], 0.8333333333333333),
        (PRAUC(rule="trapezoid"), [0, 0, 0, 1], [0.5] * 4, 0.625),
        (Calibration(), [1, 0, 0, 0], [0.5, 0.25, 0.25, 0.2], 1.2),
        (Brier(), [1, 0], [0.8, 0.4], 0.1),
    ],
)
def test_the_examples_of_the_specification(metric, labels, scores, value):
    assert metric.of(predictions=scores, truth=labels) == near(value, rel=1e-14)


@each_row(
    ("metric", "value"),
    [
        (GAUC(), 0.5444444444444445),
        (GAUC(weight="clicks"), 0.5),
        (GAUC(weight="pairs"), 0.5666666666666667),
        (GAUC(weight="uniform"), 0.47222222222222227),
        (GAUC(weight="uniform", single_class="half"), 0.48148148148148157),
        (GAUC(weight="uniform", single_class="zero"), 0.3148148148148148),
    ],
)
def test_gauc_of_the_specification(metric, value):
    assert metric.of(predictions=SCORES, truth=CLICKS, groups=USERS) == near(value, rel=1e-14)


def test_the_sure_model_orders_as_the_timid_one_does():
    assert AUC().of([0.51, 0.49], [1, 0]) == AUC().of([0.99, 0.01], [1, 0]) == 1


def test_logloss_of_several_classes_in_the_specification():
    given = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]
    value = LogLoss().of(predictions=given, truth=["a", "b", "c"], classes=["a", "b", "c"])
    assert value == near(0.3635480396729776, rel=1e-14)


# ------------------------------------------------------------------------------------ by hand: AUC

#      score   0.9  0.7  0.7  0.7  0.4  0.2
LABELS = [1, 1, 0, 1, 0, 0]
RANKED = [0.9, 0.7, 0.7, 0.7, 0.4, 0.2]


def test_auc_by_pairs():
    # 0.9 beats 3; each 0.7 beats 2 and ties with 1
    assert AUC().of(predictions=RANKED, truth=LABELS) == (3 + 2.5 + 2.5) / 9


def test_auc_by_weighted_pairs():
    # weights 2 1 | 1 3 0 (negatives 0.7, 0.4, 0.2): positives 0.9: 2, 0.7: 1 and 0.7: 1
    weights = [2, 1, 1, 1, 3, 0]
    over = 2 * (1 + 3) + 1 * (1 / 2 + 3) + 1 * (1 / 2 + 3)
    assert AUC().of(predictions=RANKED, truth=LABELS, weights=weights) == over / (4 * 4)


@pytest.mark.parametrize(("max_fpr", "area"), [(1 / 3, 2 / 9), (1 / 6, (1 / 3 + 2 / 3) / 2 / 6)])
def test_auc_up_to_a_false_positive_rate(max_fpr, area):
    # at 0.9: (0, 1/3); at 0.7: (1/3, 1), and halfway there (1/6, 2/3)
    assert AUC(max_fpr=max_fpr, partial="raw").of(predictions=RANKED, truth=LABELS) == near(area)
    least, most = max_fpr**2 / 2, max_fpr
    standardised = (1 + (area - least) / (most - least)) / 2
    assert AUC(max_fpr=max_fpr).of(predictions=RANKED, truth=LABELS) == near(standardised)


def test_auc_up_to_a_rate_within_a_later_step():
    # (0, 1/3), (1/3, 1), then 1: up to 1/2
    assert AUC(max_fpr=0.5, partial="raw").of(predictions=RANKED, truth=LABELS) == near(
        2 / 9 + (1 / 2 - 1 / 3)
    )


@pytest.mark.parametrize("partial", ["raw", "standardised"])
def test_the_whole_curve_is_no_part(partial):
    assert AUC(max_fpr=1, partial=partial).of(predictions=RANKED, truth=LABELS) == AUC().of(
        predictions=RANKED, truth=LABELS
    )


# ----------------------------------------------------------------------------------- by hand: GAUC

#  a: 1 0 0 0 at 0.9 0.5 0.9 0.1: beats 2, ties 1, AUC 2.5/3; 4 rows, 1 click, 3 pairs
#  b: 1 1 0 at 0.2 0.8 0.5: beats 1 of 2, AUC 1/2; 3 rows, 2 clicks, 2 pairs
#  c: 1 1 only positives; d: 0 only a negative
GROUP = [*"aaaabbbccd"]
G_LABELS = [1, 0, 0, 0, 1, 1, 0, 1, 1, 0]
G_SCORES = [0.9, 0.5, 0.9, 0.1, 0.2, 0.8, 0.5, 0.3, 0.3, 0.6]
A, B = 2.5 / 3, 1 / 2


@each_row(
    ("weight", "single_class", "value"),
    [
        ("impressions", "drop", (4 * A + 3 * B) / 7),
        ("impressions", "half", (4 * A + 3 * B + (2 + 1) * 0.5) / 10),
        ("impressions", "zero", (4 * A + 3 * B) / 10),
        ("clicks", "drop", (1 * A + 2 * B) / 3),
        ("clicks", "half", (1 * A + 2 * B + 2 * 0.5) / 5),
        ("clicks", "zero", (1 * A + 2 * B) / 5),
        ("pairs", "drop", (3 * A + 2 * B) / 5),
        ("pairs", "half", (3 * A + 2 * B) / 5),
        ("pairs", "zero", (3 * A + 2 * B) / 5),
        ("uniform", "drop", (A + B) / 2),
        ("uniform", "half", (A + B + 2 * 0.5) / 4),
        ("uniform", "zero", (A + B) / 4),
    ],
)
def test_gauc_by_groups(weight, single_class, value):
    metric = GAUC(weight=weight, single_class=single_class)
    assert metric.of(predictions=G_SCORES, truth=G_LABELS, groups=GROUP) == near(value, rel=1e-14)


def test_gauc_with_weights_of_rows():
    # a: the positive 2, the negatives 1 0 3: it ties with weight 0 and beats 1 and 3: AUC 1, weight 6
    # b: positives 1 at 0.2, 3 at 0.8, the negative 2: 3/4, weight 6
    weights = [2, 1, 0, 3, 1, 3, 2, 1, 1, 1]
    assert (
        GAUC().of(predictions=G_SCORES, truth=G_LABELS, groups=GROUP, weights=weights)
        == (6 * 1 + 6 * 3 / 4) / 12
    )


@pytest.mark.parametrize(
    ("single_class", "used"),
    [
        ("drop", "2 of 4 groups (70.0% of rows); groups with only one class are skipped"),
        ("half", "all 4 groups; groups with only one class count 0.5"),
        ("zero", "all 4 groups; groups with only one class count 0"),
    ],
)
def test_gauc_says_what_it_uses(single_class, used):
    metric = GAUC(single_class=single_class)
    (fact,) = metric.facts(scored(metric, G_LABELS, G_SCORES, groups=GROUP))
    assert fact.endswith(f"uses {used}: 1 all positive, 1 all negative.")
    both_classes = scored(metric, G_LABELS[:7], G_SCORES[:7], groups=GROUP[:7])
    assert metric.facts(both_classes) == []


# --------------------------------------------------------------------------------- by hand: pr_auc

# 0.9: 1 of 1; 0.7: 3 of 4 (two of three tied are positive); 0.4: 3 of 5; 0.2: 3 of 6
STEPS = {
    "step": 1 / 3 * 1 + 2 / 3 * 3 / 4,
    "trapezoid": 1 / 3 * (1 + 1) / 2 + 2 / 3 * (1 + 3 / 4) / 2,
    "trapezoid_first": 1 / 3 * (1 + 1) / 2 + 2 / 3 * (1 + 3 / 4) / 2,
    # from (1 hit, 0 misses) to (3, 1): precision t / (t + (t - 1) / 2) = 2t / (3t - 1), over t of 3
    "davis": 1 / 3 + (2 / 3 * 2 + 2 / 9 * ln(8 / 2)) / 3,
}


@pytest.mark.parametrize("rule", STEPS)
def test_pr_auc_by_steps(rule):
    assert PRAUC(rule=rule).of(predictions=RANKED, truth=LABELS) == near(STEPS[rule], rel=1e-14)


@each_row(
    ("rule", "value"),
    [
        # the miss on top: precision 0 at recall 0, then 1/2
        ("step", 1 / 2),
        ("trapezoid", (0 + 1 / 2) / 2),
        ("trapezoid_first", (0 + 1 / 2) / 2),
        # precision t / (t + 1) from t = 0 to 1
        ("davis", 1 - ln(2)),
    ],
)
def test_pr_auc_where_a_miss_is_on_top(rule, value):
    assert PRAUC(rule=rule).of([0.9, 0.1], [0, 1]) == near(value, rel=1e-14)


@each_row(
    ("rule", "value"), [("step", 1 / 4), ("trapezoid", 5 / 8), ("trapezoid_first", 1 / 4), ("davis", 1 / 4)]
)
def test_pr_auc_of_a_constant_score(rule, value):
    assert PRAUC(rule=rule).of(predictions=[0.5] * 4, truth=[0, 0, 0, 1]) == near(value, rel=1e-14)


def test_pr_auc_with_weights():
    # 0.9: a miss of 2; 0.5: a hit of 3; 0.1: a hit of 1
    assert PRAUC().of([0.9, 0.5, 0.1], [0, 1, 1], weights=[2, 3, 1]) == near(3 / 4 * 3 / 5 + 1 / 4 * 4 / 6)


# --------------------------------------------------------------------- by hand: probabilities as such

P_LABELS, P_SCORES = [1, 0, 0, 1], [0.8, 0.4, 0.1, 0.5]
LOSS = -(ln(0.8) + ln(0.6) + ln(0.9) + ln(0.5))


def test_logloss():
    assert LogLoss().of(predictions=P_SCORES, truth=P_LABELS) == near(LOSS / 4, rel=1e-14)
    assert LogLoss(base="2").of(predictions=P_SCORES, truth=P_LABELS) == near(LOSS / 4 / ln(2), rel=1e-14)
    weighted = -(3 * ln(0.8) + 0 * ln(0.6) + 1 * ln(0.9) + 2 * ln(0.5)) / 6
    assert LogLoss().of(predictions=P_SCORES, truth=P_LABELS, weights=[3, 0, 1, 2]) == near(
        weighted, rel=1e-14
    )


@pytest.mark.parametrize(("clip", "costs"), [(1e-15, -ln(1e-15)), (0.01, -ln(0.01)), (None, math.inf)])
@pytest.mark.parametrize("weights", [None, [1, 1]])
def test_logloss_of_a_certain_error(clip, costs, weights):
    metric = LogLoss(clip=clip)
    assert metric.of(predictions=[0.0, 0.0], truth=[1, 0], weights=weights) == near(costs / 2)
    assert metric.of(predictions=[1.0, 1.0], truth=[1, 0], weights=weights) == near(costs / 2)
    facts = metric.facts(scored(metric, [1, 0], [0.0, 0.0], weights=weights))
    assert facts == (["1 row was certain and wrong: logloss(clip=none) is infinite."] if clip is None else [])


def test_ne_and_rig():
    # half are positive: predicting 1/2 costs ln 2 a row; predicting 1/4 costs -(ln 1/4 + ln 3/4) / 2
    assert NE().of(predictions=P_SCORES, truth=P_LABELS) == near(LOSS / (4 * ln(2)), rel=1e-14)
    quarter = -2 * (ln(0.25) + ln(0.75))
    assert NE(base_rate=0.25).of(predictions=P_SCORES, truth=P_LABELS) == near(LOSS / quarter, rel=1e-14)
    assert RIG().of(predictions=P_SCORES, truth=P_LABELS) == near(1 - LOSS / (4 * ln(2)), rel=1e-14)
    assert RIG(base_rate=0.25).of(predictions=P_SCORES, truth=P_LABELS) == near(1 - LOSS / quarter, rel=1e-14)


def test_ne_with_weights():
    # three quarters of the weight is positive
    base = -(3 * ln(3 / 4) + 1 * ln(1 / 4))
    loss = -(3 * ln(0.8) + 1 * ln(0.6))
    assert NE().of([0.8, 0.4], [1, 0], weights=[3, 1]) == near(loss / base, rel=1e-14)


def test_ne_clips_where_it_is_told_to():
    """A certain error among two rows: its cost is that of the least chance, the other row's is ln 2."""
    labels, scores = [1, 0], [0.0, 0.5]
    for clip, least in ((1e-15, 1e-15), (1e-12, 1e-12), (0.25, 0.25), ("epsilon", 2.0**-52)):
        cost = (-ln(least) + ln(2)) / (2 * ln(2))
        assert NE(clip=clip).of(predictions=scores, truth=labels) == near(cost, rel=1e-14)
        assert RIG(clip=clip).of(predictions=scores, truth=labels) == near(1 - cost, rel=1e-14)
    single = np.array(scores, np.float32)
    assert NE(clip="epsilon").of(predictions=single, truth=labels) == near(
        (23 * ln(2) + ln(2)) / (2 * ln(2)), rel=1e-14
    )


def test_brier():
    assert Brier().of(predictions=P_SCORES, truth=P_LABELS) == near(
        (0.2**2 + 0.4**2 + 0.1**2 + 0.5**2) / 4, rel=1e-14
    )
    assert Brier().of([0.8, 0.4], [1, 0], weights=[1, 3]) == near((0.2**2 + 3 * 0.4**2) / 4, rel=1e-14)


def test_calibration_and_copc():
    assert Calibration().of(predictions=P_SCORES, truth=P_LABELS) == near(1.8 / 2, rel=1e-14)
    assert COPC().of(predictions=P_SCORES, truth=P_LABELS) == near(2 / 1.8, rel=1e-14)
    assert Calibration().of([0.8, 0.4], [1, 0], weights=[1, 3]) == near((0.8 + 1.2) / 1, rel=1e-14)
    assert COPC().of([0.8, 0.4], [1, 0], weights=[1, 3]) == near(1 / (0.8 + 1.2), rel=1e-14)


# ---------------------------------------------------------------------------- by hand: ece, mce and ks

E_LABELS, E_SCORES = [0, 1, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9]


@each_row(
    ("bins", "binning", "gaps"),
    [
        # (rows, mean label, mean probability)
        (1, "mass", [(6, 4 / 6, 2.8 / 6)]),
        (1, "width", [(6, 4 / 6, 2.8 / 6)]),
        (2, "mass", [(3, 2 / 3, 0.2), (3, 2 / 3, 2.2 / 3)]),
        (3, "mass", [(2, 1 / 2, 0.15), (2, 1 / 2, 0.45), (2, 1, 0.8)]),
        (4, "width", [(2, 1 / 2, 0.15), (1, 1, 0.3), (2, 1 / 2, 0.65), (1, 1, 0.9)]),
        (15, "mass", [(1, 0, 0.1), (1, 1, 0.2), (1, 1, 0.3), (1, 0, 0.6), (1, 1, 0.7), (1, 1, 0.9)]),
    ],
)
def test_ece_and_mce(bins, binning, gaps):
    ece = sum(n * abs(y - p) for n, y, p in gaps) / 6
    mce = max(abs(y - p) for _, y, p in gaps)
    assert ECE(bins=bins, binning=binning).of(predictions=E_SCORES, truth=E_LABELS) == near(ece, rel=1e-13)
    assert MCE(bins=bins, binning=binning).of(predictions=E_SCORES, truth=E_LABELS) == near(mce, rel=1e-13)


def test_equal_scores_are_never_split():
    # four rows of 0.2 begin in the first of two bins, so all are there; 0.8 begins in the second
    labels, scores = [1, 0, 0, 0, 1, 1], [0.2] * 4 + [0.8] * 2
    assert ECE(bins=2).of(predictions=scores, truth=labels) == near(4 / 6 * 0.05 + 2 / 6 * 0.2)
    assert ECE(bins=6).of(predictions=scores, truth=labels) == ECE(bins=2).of(
        predictions=scores, truth=labels
    )


def test_a_probability_of_one_is_in_the_last_bin_of_equal_width():
    # 0 and 0.5 are in the first of two: (0 + 1)/2 against (0.5 + 0)/2; 1 is alone in the last, and right
    assert MCE(bins=2, binning="width").of([1.0, 0.5, 0.0], [1, 0, 1]) == near(1 / 2 - 1 / 4)
    assert ECE(bins=2, binning="width").of([1.0, 0.5], [1, 0]) == near(1 / 2 * 0 + 1 / 2 * 0.5)


def test_ece_with_weights():
    # width 1/2: 0.2 with weights 1 and 3, 0.8 with weight 4
    labels, scores, weights = [1, 0, 1], [0.2, 0.2, 0.8], [1, 3, 4]
    assert ECE(bins=2, binning="width").of(predictions=scores, truth=labels, weights=weights) == near(
        0.05 / 2 + 0.2 / 2
    )
    assert MCE(bins=2, binning="width").of(predictions=scores, truth=labels, weights=weights) == near(0.2)


def test_ks():
    # at 0.9: 1/3 - 0; at 0.7: 1 - 1/3; at 0.4: 1 - 2/3
    assert KS().of(predictions=RANKED, truth=LABELS) == near(2 / 3, rel=1e-14)
    # weights: positives 4, negatives 1 + 3; at 0.7: 1 - 1/4
    assert KS().of(predictions=RANKED, truth=LABELS, weights=[2, 1, 1, 1, 3, 0]) == near(3 / 4, rel=1e-14)
    assert KS().of([0.9, 0.1], [0, 1]) == 0  # no threshold is better than none


# ---------------------------------------------------------------- what other libraries count


@pytest.mark.parametrize(("choice", "value"), [("zero", 0.0), ("half", 0.5), ("one", 1.0)])
@pytest.mark.parametrize("metric", [AUC, GAUC, KS, PRAUC])
def test_one_class_alone_counts_what_is_said(metric, choice, value):
    groups = (["a", "a"],) if metric is GAUC else ()
    assert metric(undefined=choice).of([0.3, 0.4], [0, 0], *groups) == value


@pytest.mark.parametrize(("kind", "digits"), [(np.float16, 10), (np.float32, 23), (np.float64, 52)])
def test_the_machine_epsilon_is_that_of_the_probabilities(kind, digits):
    """An impossible outcome costs -ln 2^-digits, the bits that the type has behind the point."""
    metric = LogLoss(clip="epsilon")
    assert metric.of(predictions=np.array([0.0, 0.0], kind), truth=[1, 0]) == near(digits * ln(2) / 2)
    assert metric.of(predictions=np.array([[1, 0]], kind), truth=["b"], classes=["a", "b"]) == near(
        digits * ln(2)
    )
    assert metric.of(predictions=np.array([0.0, 0.0], kind), truth=[1, 0], weights=[3, 1]) == near(
        digits * ln(2) * 3 / 4
    )


# 0.5 is the border of two bins; 1 is a bin of its own where each owns its lower border
ON_BORDERS = ([0.2, 0.5, 0.9, 1.0], [0, 1, 1, 0])


@each_row(
    ("metric", "value"),
    [
        (ECE(bins=2, binning="width"), 2 / 4 * (1 / 2 - 0.35) + 2 / 4 * (0.95 - 1 / 2)),
        (ECE(bins=2, binning="width_lower"), 1 / 4 * 0.2 + 2 / 4 * (1 - 0.7) + 1 / 4 * 1.0),
        (MCE(bins=2, binning="width"), 0.95 - 1 / 2),
        (MCE(bins=2, binning="width_lower"), 1.0),
    ],
)
def test_a_probability_on_a_border(metric, value):
    assert metric.of(*ON_BORDERS) == near(value)


@pytest.mark.parametrize(("halved", "times"), [("always", 1), ("two_classes", 1), ("never", 2)])
def test_squares_of_two_classes(halved, times):
    assert Brier(halved=halved).of([0.8, 0.4], [1, 0]) == near(times * (0.2**2 + 0.4**2) / 2)
    both = [[0.2, 0.8], [0.6, 0.4]]
    assert Brier(halved=halved).of(predictions=both, truth=[1, 0]) == near(times * (0.2**2 + 0.4**2) / 2)


@pytest.mark.parametrize(("halved", "part"), [("always", 1 / 2), ("two_classes", 1), ("never", 1)])
def test_squares_of_three_classes(halved, part):
    given = [[0.5, 0.3, 0.2], [0.0, 0.0, 1.0]]
    squares = [0.5**2 + 0.3**2 + 0.2**2, 1 + 1]
    value = Brier(halved=halved).of(
        predictions=given, truth=["a", "b"], weights=[3, 1], classes=["a", "b", "c"]
    )
    assert value == near(part * (3 * squares[0] + squares[1]) / 4)
