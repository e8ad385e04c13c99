"""Fields at the ends of all numbers: each value is taken, or refused by a sentence; nothing else happens."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import steelyard as sy
from steelyard import DCG, NDCG, FBeta, FBetaAt, LogLoss
from steelyard.metrics import RatingMetric, TopAccuracy
from steelyard.metrics.registry import by_name

from ..tables import each_row

EXTREMES = [0, -1, 5e-324, 1e-308, 1e308, math.inf, -math.inf, math.nan, 2**63, 2**70, 10**400, 10**5000]
TEXTS = ["1e400", "nan", "-inf", "9" * 5000]
NAMES = [*map(repr, EXTREMES[:-2]), "10**400", "10**5000", *(text[:6] for text in TEXTS)]
VALUES = dict(zip(NAMES, EXTREMES + TEXTS, strict=True))
LOG = {"label": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.4], "query": ["a", "a", "b", "b"]}
FIELDS = [
    (cls, field.name)
    for cls in by_name().values()
    for field in dataclasses.fields(cls)
    if "number" in field.metadata
]


def taken(metric):
    """The values of a metric by its doors."""
    if isinstance(metric, sy.RankingMetric):
        yield metric.of([[1, 0, 2], [0, 1]])
        yield sy.evaluate({"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, {"q": {"b": 1, "a": 2}}, metric)[metric]
        yield sy.explain(metric, grades=[1, 0, 2]).value
    elif isinstance(metric, TopAccuracy):
        yield metric.of([[0.5, 0.5], [0.2, 0.8]], [0, 1])
    elif isinstance(metric, RatingMetric):
        yield metric.of(predictions=[1, 3, 3], truth=[1, 2, 3])
    else:
        for precision in (np.float64, np.float32, np.float16):
            log = {**LOG, "score": np.array(LOG["score"], precision)}
            yield from sy.evaluate(log, metrics=metric).table()["value"].to_list()


def or_refused(make):
    """What is made, or None where it is refused by a sentence of ordinary length."""
    refusal = ""
    try:
        return make()
    except sy.SteelyardError as error:
        refusal = str(error)
    assert len(refusal) < 400
    return None


def made(cls, name, value):
    others = {"k": 2} if cls.at == "required" else {}
    others |= {"ideal": "full", "k": 2} if name == "max_grade" else {}
    return or_refused(lambda: cls(**{**others, name: value}))


def _alike(cls, name):
    """What the use of a number depends on: the field, its meaning, and what the metric reads."""
    (field,) = (field for field in dataclasses.fields(cls) if field.name == name)
    return name, field.metadata["number"], cls.reads


# one metric for each kind of number, as the factories make them, and those whose formula has the number in it
MEASURED = list({_alike(cls, name): (cls, name) for cls, name in reversed(FIELDS)}.values())
MEASURED += [(NDCG, "k"), (NDCG, "depth"), (DCG, "k"), (by_name()["map"], "k"), (by_name()["mrr"], "floor")]
EACH = each_row(("cls", "name"), MEASURED, ids=[f"{cls.__name__}.{name}" for cls, name in MEASURED])


@EACH
def test_every_number_of_every_metric_is_taken_or_refused(cls, name):
    for said, value in VALUES.items():
        metric = made(cls, name, value)
        assert metric is None or sy.metric(str(metric)) == metric, said


@EACH
def test_a_number_that_is_taken_gives_values_within_bounds(cls, name):
    for said, value in VALUES.items():
        metric = made(cls, name, value)
        values = None if metric is None else or_refused(lambda: list(taken(metric)))  # noqa: B023
        if values is None:
            continue
        low, high = metric.bounds
        assert all(math.isnan(one) or low <= one <= high for one in values), said


@each_row("cls", [FBeta, FBetaAt])
@each_row("beta", [0, -1, math.inf, math.nan, 1e-61, 1e61, 1e308])
def test_beta_has_bounds(cls, beta):
    with pytest.raises(sy.SteelyardError, match=r"beta must be a number from 1e-60 to 1e\+60; got"):
        cls(k=2, beta=beta) if cls is FBetaAt else cls(beta=beta)


def test_f_beta_tends_to_recall_and_to_precision():
    # one of two shown is relevant, of three: precision 1/2, recall 1/3
    shown, judged = [1, 0], [1, 1, 1]
    assert FBetaAt(k=2, beta=1e60).of(shown, judged) == 1 / 3
    assert FBetaAt(k=2, beta=1e-60).of(shown, judged) == 1 / 2
    assert FBeta(beta=1e60).of_counts(tp=1, fp=1, fn=2) == pytest.approx(1 / 3, rel=1e-15)
    assert FBeta(beta=1e-60).of_counts(tp=1, fp=1, fn=2) == 1 / 2


@pytest.mark.parametrize("beta", [1e-60, 1, 1e60])
def test_f_beta_of_no_hit_is_0(beta):
    assert FBetaAt(k=2, beta=beta, denominator="retrieved").of([], judged=[1]) == 0.0
    assert FBeta(beta=beta).of_counts(tp=0, fp=1, fn=0) == 0.0
    assert FBeta(beta=beta).of_counts(tp=0, fp=0, fn=1) == 0.0
    assert math.isnan(FBeta(beta=beta).of_counts(tp=0, fp=0, fn=0))


@each_row("beta", [0.1, 0.5, 2, 3, 10])
def test_f_beta_is_the_harmonic_mean_weighted(beta):
    precision, recall = 3 / 5, 3 / 7
    value = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert FBeta(beta=beta).of_counts(tp=3, fp=2, fn=4) == pytest.approx(value, rel=1e-15)
    assert FBetaAt(k=5, beta=beta).of([1, 1, 1, 0, 0], [1] * 7) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("metric", ["ece", "mce"])
@pytest.mark.parametrize("binning", ["mass", "width"])
def test_bins_have_a_bound(metric, binning):
    with pytest.raises(sy.SteelyardError, match="bins must be a whole number above 0 and at most 1000000"):
        sy.metric(f"{metric}(bins=1000000000, binning={binning})")
    # a bin for every row
    most = sy.metric(f"{metric}(bins=1000000, binning={binning})")
    each = {"ece": (0.25 + 0.25) / 2, "mce": 0.25}[metric]
    assert most.of([0.25, 0.75], [0, 1]) == each


@pytest.mark.parametrize(
    "metric",
    [
        DCG(gain={1: 1e308}),
        NDCG(gain={1: 1e308}),
        NDCG(gain={1: 1e308}, ideal="judged_shown"),
        NDCG(ideal="full", max_grade=1e308, k=3),
    ],
    ids=str,
)
def test_gains_beyond_numbers(metric):
    with pytest.raises(sy.SteelyardError, match="the sum of gains is above 1e150"):
        metric.of([1, 1, 1])


@pytest.mark.parametrize("grade", [1e61, -1e200])
def test_grades_beyond_1e60_are_refused(grade):
    predictions = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}
    for door in (
        lambda: sy.evaluate(predictions, {"q": {"b": grade}, "r": {"a": 1}}, "dcg@10"),
        lambda: DCG(k=10).of([[grade, 1], [1]]),
    ):
        with pytest.raises(sy.SteelyardError, match="largest at most 1e60 in size") as caught:
            door()
        assert f"{abs(grade):g}" in str(caught.value)


def test_large_gains_have_an_interval_or_are_refused():
    predictions = {"q": {"a": 2.0}, "r": {"a": 1.0}, "s": {"a": 1.0}}
    truth = {"q": {"a": 1}, "r": {"a": 0}, "s": {"a": 1}}
    row = sy.evaluate(predictions, truth, DCG(gain={1: 1e140})).table().row(0, named=True)
    low, high = row["ci_low"], row["ci_high"]
    assert 0 <= low < 2e140 / 3 < high
    with pytest.raises(sy.SteelyardError, match="the sum of gains is above 1e150"):
        sy.evaluate(predictions, truth, DCG(gain={1: 1e160}))


@pytest.mark.parametrize("doors", ["of", "evaluate", "sliced"])
def test_a_zero_has_no_sign(doors):
    """The logarithm of 1 is 0, and what is taken from it -0."""
    log = {"label": [1, 0], "score": [1.0, 0.0], "shop": ["x", "y"]}
    if doors == "of":
        found = [
            LogLoss().of(predictions=log["score"], truth=log["label"]),
            LogLoss(clip="none").of([[1.0, 0.0]], ["a"], classes=["a", "b"]),
        ]
    else:
        by = ["shop"] if doors == "sliced" else []
        result = sy.evaluate(log, metrics=["logloss", "logloss(base=2)"], by=by)
        found = result.table()["value"].to_list()
        assert "-0" not in result.to_text()
        assert "-0" not in result.to_csv()
    assert [str(one) for one in found] == ["0.0"] * len(found)


def test_a_hair_below_zero_is_shown_as_what_it_is():
    result = sy.evaluate({"label": [1, 0], "score": [0.5 + 1e-5, 0.5 + 1e-5]}, metrics="rig")
    assert -1e-6 < result["rig"] < 0
    # -ln(1/4 - e²) / 2 = ln 2 + 2e², and 2e² / ln 2 = 2.885e-10
    assert "-2.885" in result.to_text()
    assert "e-10" in result.to_text()
    assert "-0.0000" not in result.to_text()


def test_the_floor_of_a_geometric_mean_is_below_1():
    with pytest.raises(sy.SteelyardError, match="floor must be a number above 0 and below 1; got '3'"):
        sy.metric("mrr(mean=geometric, floor=3)")
