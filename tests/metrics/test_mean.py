"""From the values of queries to one: the fields that every metric has."""

from __future__ import annotations

import math
from math import log2, nan

import pytest

import steelyard as sy
from steelyard import MAP, MRR, NDCG, HitRate, PrecisionAt, RecallAt, RPrecision

from ..tables import each_row
from .worked import check, table, tables

THREE = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]  # reciprocal ranks 1, 1/2 and 1/4
FOUR = [*THREE, [0, 0, 0, 0]]
RELEVANT = [[1], [1], [1], [1]]

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (MRR(), THREE, None, (1 + 1 / 2 + 1 / 4) / 3),
    (MRR(mean="arithmetic"), FOUR, RELEVANT, (1 + 1 / 2 + 1 / 4 + 0) / 4),
    (MRR(mean="median"), THREE, None, 1 / 2),
    (MRR(mean="median"), FOUR, RELEVANT, (1 / 2 + 1 / 4) / 2),
    (MRR(mean="geometric"), THREE, None, (1 * 1 / 2 * 1 / 4) ** (1 / 3)),
    (MRR(mean="geometric"), FOUR, RELEVANT, (1 * 1 / 2 * 1 / 4 * 1e-5) ** (1 / 4)),
    (MRR(mean="geometric", floor=1 / 2), FOUR, RELEVANT, (1 * 1 / 2 * 1 / 2 * 1 / 2) ** (1 / 4)),
    # undefined values are left out of every mean
    (MRR(), FOUR, None, (1 + 1 / 2 + 1 / 4) / 3),
    (MRR(mean="median"), FOUR, None, 1 / 2),
    (MRR(mean="geometric"), FOUR, None, (1 * 1 / 2 * 1 / 4) ** (1 / 3)),
    (MRR(mean="median", undefined="one"), FOUR, None, (1 + 1 / 2) / 2),
    (MRR(mean="geometric", undefined="zero"), FOUR, None, (1 * 1 / 2 * 1 / 4 * 1e-5) ** (1 / 4)),
    (MRR(mean="median"), [[0]], None, nan),
    (MRR(mean="geometric"), [[0]], None, nan),
    # pooled metrics know no mean
    (HitRate(k=1, pooling="pooled", mean="median"), THREE, None, 1 / 3),
    # the first N of each list, whatever k is
    (MRR(depth=3), THREE, None, (1 + 1 / 2 + 0) / 3),
    (MRR(k=5, depth=1), THREE, None, 1 / 3),
    (PrecisionAt(depth=2), [1, 0, 1], None, 1 / 2),
    (PrecisionAt(k=5, depth=2), [1, 0, 1], None, 1 / 5),
    (PrecisionAt(k=5, depth=2, denominator="retrieved"), [1, 0, 1], None, 1 / 2),
    (RecallAt(depth=2), [1, 0, 1], None, 1 / 2),
    (MAP(k=3, depth=2, denominator="shown"), [1, 0, 1], [1, 1, 1], 1 / 2),
    (MAP(k=3, depth=2, denominator="hits"), [1, 0, 1], [1, 1, 1], 1),
    (RPrecision(depth=1), [1, 1, 0], None, 1 / 2),
    (NDCG(depth=2), [1, 0, 1], None, 1 / (1 + 1 / log2(3))),
    (NDCG(depth=2, ideal="judged_shown"), [1, 0, 1], [1, 1, 1], 1 / (1 + 1 / log2(3))),
    (NDCG(depth=2, ideal="retrieved"), [1, 0, 1], None, 1),
    (NDCG(k=3, depth=2, ideal="topk"), [1, 0, 1], None, 1),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


@pytest.mark.parametrize(
    ("mean", "value"),
    [
        ("arithmetic", (3 * 1 + 1 / 2 + 2 * 1 / 4) / 6),
        ("geometric", (1**3 * (1 / 2) * (1 / 4) ** 2) ** (1 / 6)),
        ("median", (1 / 2 + 1) / 2),  # of 1/4, 1/4, 1/2, 1, 1, 1
    ],
)
def test_weights(mean, value):
    said, true = tables(THREE)
    weights = {"q00": 3, "q01": 1, "q02": 2}
    assert sy.evaluate(said, true, "mrr", weights=weights, mean=mean)["mrr"] == pytest.approx(
        value, rel=1e-15
    )


def test_weights_of_sums():
    said, true = tables([[1, 0], [0, 0]], [[1, 1], [1]])
    result = sy.evaluate(said, true, "recall(pooling=pooled)@2", weights={"q00": 2, "q01": 0.5})
    assert list(result.table()["value"]) == [(2 * 1 + 0.5 * 0) / (2 * 2 + 0.5 * 1)]


@each_row("floor", [0, -1, math.inf, "low", None])
def test_the_floor_is_above_0(floor):
    with pytest.raises(sy.SteelyardError, match="mrr: floor must be a number above 0"):
        MRR(mean="geometric", floor=floor)


def test_lists_and_judged_lists_must_be_as_many():
    with pytest.raises(ValueError, match="2 ranked lists but 1 lists of judged grades"):
        MRR().of([[1], [0]], judged=[[1]])


@pytest.mark.parametrize("choice", ["zero", "one"])
def test_a_pooled_value_that_is_undefined_is_filled_too(choice):
    # nothing is relevant anywhere: the one value there is has no denominator
    metric = RecallAt(k=2, pooling="pooled", undefined=choice)
    assert metric.of([[0], [0]]) == {"zero": 0.0, "one": 1.0}[choice]
