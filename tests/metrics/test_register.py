"""A name belongs to one metric, and what a metric returns is checked."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import pytest

import steelyard as sy
from steelyard.metrics import by_name
from steelyard.metrics.ranking.base import pooling_choice

from ..tables import each_row
from .own import stated


@each_row("name", ["ndcg", "NDCG", "f1", "ap", "召回率", "hit-rate"])
def test_a_name_that_is_taken(name):
    with pytest.raises(sy.SteelyardError, match="there is a metric"):

        @sy.register(name)
        class Mine(sy.RankingMetric):
            k: int | None = None
            at: ClassVar = "required"


@pytest.mark.parametrize("name", [5, "", "a@b", "x(y)"])
def test_a_name_that_no_text_could_hold(name):
    with pytest.raises(sy.SteelyardError, match="cannot be the name of a metric"):

        @sy.register(name)
        class Mine(sy.RankingMetric):
            at: ClassVar = "never"


@pytest.mark.parametrize("way", ["highest", "Lower", None])
def test_a_direction_that_there_is_not(way):
    with pytest.raises(
        sy.SteelyardError, match="Mine.direction must be one of 'higher', 'lower', 'nearest_1'"
    ):

        @sy.register("mine")
        class Mine(sy.RankingMetric):
            at: ClassVar = "never"
            direction: ClassVar = way


def test_the_old_way_to_declare_a_direction_is_refused():
    class Shared(sy.RankingMetric):
        higher_is_better: ClassVar = False

    with pytest.raises(sy.SteelyardError, match="Mine declares higher_is_better") as caught:

        @sy.register("mine")
        class Mine(Shared):
            at: ClassVar = "never"

    assert "direction: ClassVar" in caught.value.remedy


def test_every_metric_says_which_values_are_better():
    ways = {name: cls.direction for name, cls in by_name().items()}
    lower = ("brier", "ece", "fpr", "logloss", "mae", "mce", "mse", "ne", "rmse")
    lower += ("gini@k", "miscalibration@k", "repetition@k")
    none = ("confusion", "exposure@k", "idcg", "judged@k", "popularity@k", "popularity_lift@k")
    known = {**dict.fromkeys(lower, "lower"), **dict.fromkeys(none, "none")}
    known |= dict.fromkeys(("calibration", "copc", "exposure_ratio@k"), "nearest_1")
    known |= stated("DIRECTION")  # by the own tests of other metrics
    assert ways == {name: known.get(name, "higher") for name in ways}


@each_row(
    ("base", "method", "written"),
    [
        (sy.RankingMetric, "per_query", "def per_query(self, ranked)"),
        (sy.GainMetric, "per_query", "def per_query(self, ranked)"),
        (sy.RowMetric, "per_segment", "def per_segment(self, scored)"),
        (sy.ClassMetric, "per_segment", "def per_segment(self, classified)"),
        (sy.RatingMetric, "per_segment", "def per_segment(self, rated)"),
    ],
)
def test_a_metric_without_its_formula_is_refused_where_it_is_registered(base, method, written):
    class Hollow(base):
        """Nothing inside."""

    with pytest.raises(sy.SteelyardError, match=f"^Hollow does not define {method}") as caught:
        sy.register("hollow")(Hollow)
    assert caught.value.remedy == f"write {written} in the class Hollow"
    assert "hollow" not in by_name()


def test_a_metric_may_define_what_calls_the_formula_instead():
    @sy.register("ready")
    class Ready(sy.RankingMetric):
        """Always a half."""

        at: ClassVar = "never"

        def each(self, ranked):
            return np.full(ranked.n_queries, 0.5)

    assert Ready().of([1]) == 0.5


def test_a_plain_metric_says_what_it_reads_and_defines_the_rest():
    class Plain(sy.Metric):
        """Nothing inside."""

    with pytest.raises(sy.SteelyardError, match=r"Plain.reads must be one of 'hits', 'lists'"):
        sy.register("plain")(Plain)
    Plain.reads = "lists"
    with pytest.raises(sy.SteelyardError, match="Plain does not define need"):
        sy.register("plain")(Plain)


def test_a_state_that_the_base_class_does_not_read():
    class Mine(sy.RankingMetric):
        """Something of lists."""

        reads: ClassVar = "lists"

        def per_query(self, ranked):
            return ranked.judged

    said = "Mine reads 'lists', and has need, measure and covered from RankingMetric, which reads 'hits'"
    with pytest.raises(sy.SteelyardError, match=said) as caught:
        sy.register("mine")(Mine)
    assert caught.value.remedy == "derive Mine from sy.Metric, and define need, measure and covered"


def test_a_metric_of_lists_that_does_not_say_how_many_items_it_reads_is_given_all():
    @sy.register("mine")
    class Mine(sy.Metric):
        """Something of lists."""

        at: ClassVar = "never"
        reads: ClassVar = "lists"

        def need(self, stated=()):
            return dataclasses.replace(sy.MRR(order="given").need(stated), reads="lists", metric="mine")

        def measure(self, lists, each=None):
            return np.array([len(lists.item)])

        def covered(self, lists, values, each=None):
            return np.zeros(len(values)), np.zeros(len(values))

    assert sy.evaluate({"q": ["a", "b", "c"]}, {"q": ["a"]}, "mine")["mine"] == 3


def define(returned):
    @sy.register("mine")
    class Mine(sy.RankingMetric):
        "One's own."

        at: ClassVar = "never"

        def per_query(self, ranked):
            return returned

    return Mine()


def test_ones_own_may_be_defined_again_and_give_whole_numbers():
    assert define(np.array([1])).of([1]) == 1.0
    assert define(np.array([3])).of([1]) == 3.0
    assert sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, ["mrr", "mine"])["mine"] == 3.0


@each_row("returned", [None, "x", np.ones(2), np.ones((1, 1)), 5.0])
def test_what_per_query_must_give(returned):
    with pytest.raises(sy.SteelyardError, match="per_query of mine must give 1 numbers, one per query"):
        define(returned).of([1])


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        (np.ma.masked_array([0.5], [True]), "masked values"),
        (np.array([1j]), "complex numbers"),
        ([1 + 2j], "complex numbers"),
    ],
)
def test_values_that_would_lose_a_part(returned, found):
    with pytest.raises(sy.SteelyardError, match=f"must give 1 numbers, one per query; got {found}"):
        define(returned).of([1])

    @sy.register("mine_of_rows")
    class MineOfRows(sy.RowMetric):
        """One's own."""

        def per_segment(self, scored):
            return returned

    with pytest.raises(sy.SteelyardError, match=f"must give 1 number, one per slice; got {found}"):
        MineOfRows().of([0.2, 0.1], [1, 0])


def test_a_masked_array_without_a_masked_value_is_an_array():
    assert define(np.ma.masked_array([0.5], [False])).of([1]) == 0.5


@pytest.mark.parametrize(("shown", "judged"), [([1, 1], [1]), ([3], [1]), ([[1], [2]], [[1], [1]])])
def test_what_is_shown_is_among_the_judged(shown, judged):
    with pytest.raises(sy.SteelyardError, match="is shown more often than it is judged"):
        sy.NDCG().of(shown, judged=judged)
    assert sy.NDCG().of([0, 2], judged=[2]) < 1


def test_a_metric_of_ones_own_that_gives_infinity_warns_of_nothing():
    @sy.register("endless")
    class Endless(sy.RankingMetric):
        def per_query(self, ranked):
            return np.full(ranked.n_queries, np.inf)

    # warnings are errors in tests
    assert sy.evaluate({"q": ["a"], "r": ["a"]}, {"q": ["a"], "r": ["b"]}, "endless")["endless"] == np.inf


def test_a_metric_of_ones_own_may_be_pooled():
    @sy.register("found")
    class Found(sy.RankingMetric):
        pooling: str = pooling_choice()

        def parts(self, ranked):
            return ranked.relevant_in(None, 1.0), ranked.shown(None)

    run, truth = {"q": ["a"], "r": ["b", "c", "d"]}, {"q": ["a"], "r": ["z"]}
    assert sy.evaluate(run, truth, "found")["found"] == (1 / 1 + 0 / 3) / 2
    pooled = sy.evaluate(run, truth, "found(pooling=pooled)")
    assert pooled["found(pooling=pooled)"] == (1 + 0) / (1 + 3)
