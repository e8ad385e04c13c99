"""Influence and intervals of small inputs, worked out elsewhere in exact fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.conventions import Certainty
from steelyard.engine.influence import Cells, Influence, Units
from steelyard.engine.scored import Rated, Scored
from steelyard.stats.intervals import limits, limits_of

from ..classified import of_labels
from ..tables import each_row
from . import influence_states as drawn

CLICKS = "a 1 .8, a 0 .3, b 0 .1, b 1 .4, c 1 .3, c 1 .6, d 0 .2, d 1 .7"
TIED = "a 1 .9, a 0 .4, a 0 .5, b 1 .5, b 0 .2, c 1 .7, c 1 .3, c 0 .6, d 0 .1, d 1 .5"
CLASSES = "a x x, a y x, b x x, b z z, c y y, c z y, d x z, d y y"
RATINGS = "a 4 3.5, a 2 2.5, b 5 4, c 1 2, c 3 3, d 4 4.5"


def columns(text):
    return list(zip(*(row.split() for row in text.split(", ")), strict=True))


def units(names):
    found, code = np.unique(np.array(names), return_inverse=True)
    return Units(n=len(found), code=code.reshape(-1), names=pl.Series(found))


def scored(text):
    names, label, score = columns(text)
    of = units(names)
    label, score = np.array(label, np.uint8), np.array(score, float)
    return Scored.of(label, score, units=of, group=of.code, n_groups=of.n)


def classified():
    names, truth, called = columns(CLASSES)
    return of_labels(np.array(truth), np.array(called), units=units(names))


def rated():
    names, truth, said = columns(RATINGS)
    return Rated.of(np.array(truth, float), np.array(said, float), units=units(names))


def fractions(text):
    return [float(Fraction(one)) for one in text.split()]


WORKED = [
    ("calibration", scored(CLICKS), 0.68, "21/250 -9/250 -23/250 11/250"),
    ("auc", scored(TIED), 19 / 25, "3/125 9/250 -12/125 9/250"),
    ("gauc", scored(TIED), 17 / 20, "9/200 3/100 -21/200 3/100"),
    ("gauc(weight=clicks)", scored(TIED), 4 / 5, "1/25 1/25 -3/25 1/25"),
    ("gauc(weight=pairs)", scored(TIED), 5 / 6, "1/18 1/36 -1/9 1/36"),
    ("gauc(weight=uniform)", scored(TIED), 7 / 8, "1/32 1/32 -3/32 1/32"),
    ("pr_auc", scored(TIED), 19 / 24, "-7/2880 19/2880 -31/2880 19/2880"),
    ("f1(average=macro)", classified(), 11 / 18, "-1/27 13/108 -1/24 -1/24"),
    ("f1(average=weighted)", classified(), 5 / 8, "-1/32 3/32 -1/24 -1/48"),
]


@each_row(("text", "rows", "value", "moves"), WORKED, ids=[row[0] for row in WORKED])
def test_influence_in_fractions(text, rows, value, moves):
    values, influence = drawn.known(sy.metric(text), rows)
    assert values[0] == pytest.approx(value, rel=1e-14)
    assert influence.total == pytest.approx(fractions(moves), abs=1e-15)


@each_row(
    ("text", "rows", "value", "moves"),
    [
        (
            "ne",
            scored(CLICKS),
            0.7361515954577955,
            [-0.09224636769473395, -0.00876365455508527, 0.19325638994455308, -0.09224636769473395],
        ),
        (
            "rig",
            scored(CLICKS),
            1 - 0.7361515954577955,
            [0.09224636769473395, 0.00876365455508527, -0.19325638994455308, 0.09224636769473395],
        ),
        (
            "logloss",
            scored(CLICKS),
            0.4870108332662241,
            [-0.04927539640993825, 0.005953697624941634, 0.09259709519493484, -0.04927539640993825],
        ),
        (
            "mcc",
            classified(),
            3 / 7,
            [-0.06122448979591835, 0.15646258503401358, -0.047619047619047616, -0.047619047619047616],
        ),
        (
            "rmse",
            rated(),
            0.67700320038633,
            [-0.05128812124138863, 0.06667455761380524, 0.010257624248277739, -0.025644060620694315],
        ),
        (
            "r2",
            rated(),
            0.7461538461538462,
            [0.00201183431952662, -0.013550295857988158, 0.018343195266272164, -0.006804733727810647],
        ),
    ],
    ids=["ne", "rig", "logloss", "mcc", "rmse", "r2"],
)
def test_influence_in_decimals(text, rows, value, moves):
    values, influence = drawn.known(sy.metric(text), rows)
    assert values[0] == pytest.approx(value, rel=1e-13)
    assert influence.total == pytest.approx(moves, abs=1e-14)


def test_influence_on_the_values_of_classes():
    values, influence = drawn.known(sy.metric("f1(average=none)"), classified())
    assert values == pytest.approx([2 / 3, 2 / 3, 1 / 2])
    assert drawn.moves(influence, 4)[:, 0] == pytest.approx(fractions("0 1/9 0 -1/9"), abs=1e-15)


@each_row(
    ("text", "rows", "variance", "low", "high"),
    [
        ("calibration", CLICKS, 0.026966666666666674, 0.2917085346831346, 1.5851438851532993),
        ("copc", CLICKS, None, 0.630857557705741, 3.4280793364041946),
        ("logloss", CLICKS, 0.01795439724888289, 0.20289367703429328, 1.1689844414351738),
        ("ne", CLICKS, 0.07259149146840818, 0.22967733392250353, 2.3594804164607255),
        ("rig", CLICKS, 0.07259149146840818, 1 - 2.3594804164607255, 1 - 0.22967733392250353),
        ("auc", TIED, 0.016182768775266122, 0.2155919580127274, 0.9733226523104569),
        ("gauc", TIED, 0.020892857142857144, 0.12066628628567952, 0.9957447516194604),
        ("gauc(weight=clicks)", TIED, 0.03, 0.08259872608426, 0.9944042667057198),
        ("gauc(weight=pairs)", TIED, 0.025, 0.08705032489027428, 0.996200466395035),
        ("gauc(weight=uniform)", TIED, 0.015625, 0.155621859267862, 0.9962527981132216),
        ("pr_auc", TIED, 0.0003092950263631687, 0.7233820188315824, 0.8466678642924025),
    ],
)
def test_intervals_from_influence(text, rows, variance, low, high):
    metric, state = sy.metric(text), scored(rows)
    values, influence = drawn.known(metric, state)
    if variance is not None:
        assert influence.variance[0] == pytest.approx(variance, rel=1e-12)
    found = limits_of(metric, state, values, None, influence, Certainty())
    assert (found.low[0], found.high[0]) == pytest.approx((low, high), rel=1e-9)


def test_auc_with_rows_as_units_has_the_variance_of_delong():
    rows = Scored.of(np.array([1, 1, 1, 0, 0], np.uint8), np.array([3.0, 2, 2, 2, 1]))
    values, influence = drawn.known(sy.metric("auc"), rows)
    assert influence.moves[0] == pytest.approx(fractions("1/18 -1/36 -1/36 0 0"), abs=1e-16)
    assert influence.moves[1] == pytest.approx(fractions("0 0 0 -1/12 1/12"), abs=1e-16)
    assert influence.variance[0] == pytest.approx(5 / 144, rel=1e-14)
    assert influence.effective[0] == pytest.approx(2)
    found = limits_of(sy.metric("auc"), rows, values, None, influence, Certainty())
    assert found.low[0] == pytest.approx(1.974609881054182e-07, rel=1e-6)
    assert found.high[0] == pytest.approx(0.9999999921015591, rel=1e-9)


def of_values(each, weight=None):
    each = np.array(each, float)
    weight = np.ones(len(each)) if weight is None else np.array(weight, float)
    cells = Cells(n=len(each), n_segments=1, code=None, owner=None, unit=None)
    value = np.array([(weight * each).sum() / weight.sum()])
    return value, Influence.of_ratio(cells, weight * each, weight, value)


@each_row(
    ("each", "weight", "low", "high"),
    [
        ([0.2, 0.5, 1, 0, 0.8], None, 0.1504577380816302, 0.8495422619183698),
        ([1] * 50, None, 0.9286524008666414, 1.0),
        ([1] * 47 + [0] * 3, None, 0.8378290831116182, 0.979385029651026),
        ([0.3] * 10, None, 0.21186360161860618, 0.40591774864921815),
        ([0.9, 0.1, 0.4, 0.6], [4, 1, 2, 1], 0.08947511321390494, 0.9692048957370512),
        ([1, 1, 0, 1], [4, 1, 2, 1], 0.2514521104939477, 0.9640185567507735),
    ],
)
def test_score_intervals_of_means(each, weight, low, high):
    value, influence = of_values(each, weight)
    found = limits("score", value, influence, 0.95, (0.0, 1.0))
    assert (found.low[0], found.high[0]) == pytest.approx((low, high), rel=1e-9)


def test_weighted_means_have_kish_units():
    _, influence = of_values([0.9, 0.1, 0.4, 0.6], [4, 1, 2, 1])
    assert influence.moves[0] == pytest.approx([0.13125, -0.0671875, -0.059375, -0.0046875])
    assert influence.variance[0] == pytest.approx(0.04433779761904763)
    assert influence.effective[0] == pytest.approx(2.909090909090909)


def test_median_and_geometric_mean():
    values = [0.1, 0.4, 0.2, 0.8, 0.5, 0.3, 0.9]
    run = {f"q{at}": {"a": 1.0} for at in range(7)}
    result = sy.evaluate(run, run, "mrr")  # any ranking: its values are put in by hand
    measured = result.measured[0]
    state = replace(measured.state, weight=None)
    each = np.array(values)
    for mean, value, low, high in (
        ("median", 0.4, 0.1, 0.9),
        ("geometric", 0.3650556765820695, 0.17808086676450854, 0.7483434319814997),
    ):
        metric = sy.metric(f"mrr(mean={mean})")
        whole = metric.measure(state, each)
        found = limits_of(metric, state, whole, each, metric.influence(state, whole, each), Certainty())
        assert whole[0] == pytest.approx(value)
        assert (found.low[0], found.high[0]) == pytest.approx((low, high), rel=1e-9)
