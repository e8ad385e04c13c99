"""Which values are best, and which systems may be compared."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy
from steelyard.render.charts import Pairs, PerQuery
from steelyard.render.side_by_side import side_by_side
from steelyard.render.system import BEST


def log(scores, by=("a", "a", "b", "b")):
    return pl.DataFrame({"label": [1, 0, 1, 0], "score": scores, "site": by, "shop": by})


def best(*results):
    """The rows that are marked, as (system, slice, metric)."""
    (part,) = side_by_side([result.system(f"s{place}") for place, result in enumerate(results)])
    return [
        (system.name, row.get(system.by[0]) if system.by else None, row["metric"])
        for system in part.systems
        for row in system.rows.filter(pl.col(BEST)).to_dicts()
    ]


METRICS = ["auc", "logloss", "calibration"]
GOOD, BAD = [0.9, 0.1, 0.8, 0.2], [0.6, 0.4, 0.3, 0.7]


def test_the_best_of_the_whole_and_of_each_slice():
    """GOOD is in order everywhere, BAD in a alone: there auc is a tie, and none is best."""
    marked = best(*(sy.evaluate(log(scores), metrics=METRICS, by="site") for scores in (GOOD, BAD)))
    assert ("s0", None, "auc") in marked
    assert ("s0", "b", "auc") in marked
    assert ("s0", "a", "auc") not in marked
    # lower is better, and s0 is lower everywhere
    losses = [one for one in marked if one[2] == "logloss"]
    assert losses == [("s0", site, "logloss") for site in (None, "a", "b")]
    # each foretells 2 clicks of 2 in all, so none is nearer to 1
    assert not any(metric == "calibration" and site is None for _, site, metric in marked)


def test_as_far_from_1_on_either_side_both_are_best():
    given = ([0.75, 0.0, 0.75, 0.0], [1.0, 0.5, 1.0, 0.0], [0.5, 0.0, 0.5, 0.0])
    results = [sy.evaluate(log(scores), metrics="calibration") for scores in given]
    # 1.5 / 2, 2.5 / 2 and 1 / 2 of the clicks
    assert best(*results) == [("s0", None, "calibration"), ("s1", None, "calibration")]


def test_slices_stand_against_slices_of_the_same_columns_only():
    by_site = sy.evaluate(log(GOOD), metrics="auc", by="site")
    by_shop = sy.evaluate(log(BAD), metrics="auc", by="shop")
    assert best(by_site, by_shop) == [("s0", None, "auc")]


def test_one_alone_is_no_best_and_none_is_where_conventions_differ():
    one = sy.evaluate(log(GOOD), metrics="auc")
    assert best(one) == []
    other = sy.evaluate(log(BAD), metrics="auc", unlabelled="drop")
    (part,) = side_by_side([one.system("a"), other.system("b")])
    assert part.unlike == {"auc"}
    assert [str(note) for note in part.notes] == [
        "auc: the systems were measured under different conventions (unlabelled), so none is marked best."
    ]
    assert not any(system.rows[BEST].any() for system in part.systems)


def test_systems_that_share_no_metric_stand_apart():
    parts = side_by_side(
        [
            sy.evaluate(log(GOOD), metrics="auc").system("a"),
            sy.evaluate(log(GOOD), metrics="brier").system("b"),
            sy.evaluate(log(BAD), metrics=["auc", "logloss"]).system("c"),
        ]
    )
    assert [[system.name for system in part.systems] for part in parts] == [["a", "c"], ["b"]]
    assert [[system.place for system in part.systems] for part in parts] == [[0, 2], [1]]


def values(queries, found):
    return PerQuery(metric="mrr", queries=pl.Series(queries), values=pl.Series(found).to_numpy(), overall=0.5)


def test_pairs():
    """b differs by 1/4, c by −1/2; a and d stand in one only, e is undefined in the other."""
    one = values(["a", "c", "b", "e"], [1.0, 0.5, 0.5, 1.0])
    other = values(["b", "c", "d", "e"], [0.25, 1.0, 1.0, float("nan")])
    made = Pairs.of(("one", "other"), one, other)
    assert made.frame.rows() == [("b", 0.5, 0.25, 0.25), ("c", 0.5, 1.0, -0.5)]
    assert (made.undefined, made.in_one_only) == (1, 2)


def test_pairs_of_ids_of_two_types():
    with pytest.raises(sy.SteelyardError, match="differ in type"):
        Pairs.of(("one", "other"), values(["1"], [1.0]), values([1], [1.0]))
