"""Metrics that users define merge as built-in ones do."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.conventions import number
from steelyard.kernels.means import ratio
from steelyard.metrics import registry
from steelyard.metrics.lists.base import AllListsMetric, PerListMetric

from ..rows.given import drawn
from .agreement import assert_agree, bytes_of
from .drawn import split_rows


@pytest.fixture(autouse=True)
def own_metrics(monkeypatch):
    """The registry is as before after each of these tests."""
    for name in ("_canonical", "_with_cutoff", "_without_cutoff"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))


def test_of_rankings():
    @sy.register("merged_mean_grade")
    class MeanGrade(sy.RankingMetric):
        """The mean grade of the first k items."""

        k: int | None = number(default=None, meaning="reads the first k", above=0, whole=True)
        missing_grade: float = number(default=0.0, meaning="the grade of a place without an item")

        at: ClassVar = "required"
        bounds: ClassVar = (0.0, float("inf"))

        def per_query(self, ranked):
            hits = ranked.hits
            share = hits.within(ranked.limit(self.k)) / hits.tied
            total = ranked.sum_by_query(hits.query, hits.grade * share)
            places = np.full(ranked.n_queries, float(self.k))
            return (total + self.missing_grade * (places - ranked.shown(self.k))) / places

    run = {"q1": {"a": 0.5, "b": 0.5}, "q2": {"a": 0.9}, "q3": {"b": 0.1}}
    truth = {"q1": {"a": 3, "b": 0}, "q2": {"a": 2}, "q3": {"b": 1}}
    metrics = ["merged_mean_grade@1", "merged_mean_grade(missing_grade=1)@2", "mrr(ties=item_asc)"]
    parts = [
        sy.partial({query: run[query]}, {query: truth[query]}, metrics, ties="expected") for query in run
    ]
    whole = sy.evaluate(run, truth, metrics, ties="expected")
    merged = sy.merge([bytes_of(part) for part in parts])
    assert_agree(merged, whole)
    # q1: 3 and 0 are tied for the first place
    assert merged["merged_mean_grade@1"] == pytest.approx((3 / 2 + 2 + 1) / 3)


@pytest.mark.parametrize("whole", ["units", "rows"])
def test_of_rows(whole):
    @sy.register("merged_mean_positive")
    class MeanPositive(sy.RowMetric):
        """The mean score of positives."""

        def per_segment(self, scored):
            return ratio(scored.total(scored.label * scored.score), scored.positives)

    frame = drawn(4).with_columns(query=pl.Series(np.arange(600) // 20))
    parts = split_rows(frame, np.arange(600) // 100 if whole == "units" else np.arange(600) % 6)
    options = {"metrics": ["merged_mean_positive", "auc"], "by": "country", "weights": "w"}
    merged = sy.merge([bytes_of(sy.partial(part, whole=whole, **options)) for part in parts])
    assert_agree(merged, sy.evaluate(pl.concat(parts), **options), fingerprints=False)


@pytest.mark.parametrize("whole", ["units", "rows"])
def test_of_classes_and_ratings(whole):
    @sy.register("merged_hits")
    class Hits(sy.ClassMetric):
        """The share of rows with the right class."""

        def per_segment(self, classified):
            return ratio(
                classified.total((classified.truth == classified.called).astype(float)), classified.total()
            )

    @sy.register("merged_bias")
    class Bias(sy.RatingMetric):
        """The mean of predicted minus true ratings."""

        bounds: ClassVar = (-float("inf"), float("inf"))

        def per_segment(self, rated):
            return ratio(rated.total(rated.predicted - rated.truth), rated.total())

    random = np.random.default_rng(5)
    classes = pl.DataFrame({name: random.choice(list("abc"), 60) for name in ("label", "predicted")})
    ratings = pl.DataFrame({"label": random.integers(1, 6, 60), "score": random.normal(3, 1, 60)})
    for frame, metrics in ((classes, ["merged_hits", "accuracy"]), (ratings, ["merged_bias", "mae"])):
        parts = split_rows(frame, random.integers(0, 4, 60))
        merged = sy.merge([bytes_of(sy.partial(part, metrics=metrics, whole=whole)) for part in parts])
        assert_agree(merged, sy.evaluate(pl.concat(parts), metrics=metrics), fingerprints=False)


def test_of_lists():
    @sy.register("merged_shown_items")
    class ShownItems(AllListsMetric):
        """How many different items all lists show together."""

        bounds: ClassVar = (0.0, float("inf"))
        limits: ClassVar = "none"

        def per_segment(self, lists):
            first = lists.first(self.k)
            return np.array([float(len(np.unique(first.item)))] * lists.n_segments)

    @sy.register("merged_length")
    class Length(PerListMetric):
        """How many items a list shows."""

        bounds: ClassVar = (0.0, float("inf"))

        def per_query(self, lists):
            return np.diff(lists.first(self.k).offsets).astype(float)

    lists = {"u": ["a", "b", "c"], "v": ["b", "d"], "w": ["e"]}
    metrics = ["merged_shown_items@2", "merged_length@2", "personalization@2"]
    parts = [bytes_of(sy.partial({user: shown}, metrics=metrics)) for user, shown in lists.items()]
    merged = sy.merge(parts)
    assert_agree(merged, sy.evaluate(lists, metrics=metrics))
    # a and b, b and d, e
    assert merged["merged_shown_items@2"] == 4
    assert merged["merged_length@2"] == pytest.approx((2 + 2 + 1) / 3)


def test_a_metric_that_is_not_defined_where_the_part_is_read(tmp_path):
    @sy.register("merged_for_a_while")
    class ForAWhile(sy.RankingMetric):
        """Whether the item at the top is relevant."""

        at: ClassVar = "never"

        def per_query(self, ranked):
            return ranked.relevant_in(1, 1.0)

    sy.partial({"q": ["a"]}, {"q": ["a"]}, "merged_for_a_while").save(tmp_path / "part.state")
    assert sy.merge(tmp_path / "part.state")["merged_for_a_while"] == 1.0
    del registry._canonical["merged_for_a_while"]
    with pytest.raises(sy.SteelyardError, match="merged_for_a_while"):
        sy.merge(tmp_path / "part.state")
