"""A name belongs to one metric, and what a metric returns is checked."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

import steelyard as sy
from steelyard.metrics import by_name

pytestmark = pytest.mark.usefixtures("own_registry")


@pytest.mark.parametrize("name", ["ndcg", "NDCG", "f1", "ap", "召回率", "hit-rate"])
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
    none = ("confusion", "idcg", "judged@k")
    known = {**dict.fromkeys(lower, "lower"), **dict.fromkeys(none, "none")}
    known |= {"calibration": "nearest_1", "copc": "nearest_1"}
    assert ways == {name: known.get(name, "higher") for name in ways}


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


@pytest.mark.parametrize("returned", [None, "x", np.ones(2), np.ones((1, 1)), 5.0])
def test_what_per_query_must_give(returned):
    with pytest.raises(sy.SteelyardError, match="per_query of mine must give 1 numbers, one per query"):
        define(returned).of([1])


@pytest.mark.parametrize(("shown", "judged"), [([1, 1], [1]), ([3], [1]), ([[1], [2]], [[1], [1]])])
def test_what_is_shown_is_among_the_judged(shown, judged):
    with pytest.raises(sy.SteelyardError, match="is shown more often than it is judged"):
        sy.NDCG().of(shown, judged=judged)
    assert sy.NDCG().of([0, 2], judged=[2]) < 1
