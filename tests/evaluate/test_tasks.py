"""`task=` of `sy.evaluate`: the metrics that `--task` measures."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics.registry import TASKS

from ..tables import each_row

RUN = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0, "b": 2.0}}
TRUTH = {"q": {"a": 1}, "r": {"a": 1}}
LOG = {"user": [1, 1, 2, 2], "label": [1, 0, 0, 1], "score": [0.2, 0.1, 0.3, 0.4]}


def labels(result) -> list[str]:
    return [label for label, _ in result.items()]


@pytest.mark.parametrize("task", ["retrieval", "search", "ranking", "rerank"])
def test_rankings(task):
    assert labels(sy.evaluate(RUN, TRUTH, task=task)) == list(TASKS[task])


@pytest.mark.parametrize("task", ["ctr", "classification", "rating"])
def test_rows(task):
    assert labels(sy.evaluate(LOG, task=task)) == list(TASKS[task])


def test_metrics_come_first_and_each_is_measured_once():
    result = sy.evaluate(RUN, TRUTH, ["mrr", sy.MAP(k=10)], task="ranking")
    assert labels(result) == ["mrr", "map@10", "ndcg@10", "precision@10"]
    own_name = sy.evaluate(RUN, TRUTH, "P_5", task="retrieval", profile="trec_eval")
    assert labels(own_name) == ["P_5", "recall@100", "hit_rate@100"]


def test_metrics_without_their_tables_are_skipped_with_a_note():
    result = sy.evaluate(RUN, metrics="personalization@1", task="recommendation", catalog=["a", "b", "c"])
    assert labels(result) == ["personalization@1", "coverage@10"]
    assert str(result.notes[-1]) == (
        "task 'recommendation' skips ndcg@10, recall@10 (need truth); diversity@10 (needs features); "
        "novelty@10 (needs history)."
    )
    several = sy.evaluate(
        pl.DataFrame({"user": ["u"], "item": ["a"], "p": [1.0], "q": [2.0]}),
        task="recommendation",
        catalog=["a", "b"],
        columns={"score": ["p", "q"]},
    )
    assert [one.notes[-1].key for one in several.values()] == ["left_out_of_task"] * 2


@each_row(
    ("task", "message"),
    [
        ("serch", "unknown task 'serch'; did you mean 'search'?"),
        ("", "unknown task ''"),
        (["search"], "task must be one of 'retrieval', 'search', 'ranking', .*; got \\['search'\\]"),
        ("recommendation", "task 'recommendation' has no table that it needs"),
    ],
)
def test_refused(task, message):
    with pytest.raises(sy.SteelyardError, match=message):
        sy.evaluate(RUN, task=task)


def test_a_metric_that_the_profile_lacks():
    with pytest.raises(sy.SteelyardError, match="task 'search' includes mrr@10, which trec_eval"):
        sy.evaluate(RUN, TRUTH, task="search", profile="trec_eval")


def test_a_gate_takes_no_task():
    with pytest.raises(sy.SteelyardError, match="check takes no metrics and no task"):
        sy.check(RUN, TRUTH, min={"mrr": 0.5}, task="ranking")
