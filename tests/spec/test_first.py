"""What no table can change is refused before one is opened."""

from __future__ import annotations

import os

import pytest

import steelyard as sy

from ..tables import each_row

MISSING = "no/such/file.parquet"  # whoever opens it finds nothing
OF_CALLS = [
    ({"metrics": "ndgc@10"}, "unknown metric 'ndgc@10'"),
    ({"metrics": "ndcg@10", "profile": "trec_evl"}, "unknown profile 'trec_evl'; did you mean 'trec_eval'"),
    ({"metrics": "mrr@10", "profile": "trec_eval"}, "trec_eval has no mrr@10"),
    ({"metrics": "auc", "profile": "trec_eval"}, "trec_eval has no auc"),
    ({"metrics": "ndcg@10", "tise": "given"}, "ndcg@10 has no convention 'tise'; did you mean 'ties'"),
    ({"metrics": "ndcg@10", "ties": "givn"}, "ties must be one of"),
    ({"metrics": "auc", "max_fpr": 2}, "auc: max_fpr must be"),
    ({"metrics": "f1@10", "beta": 2}, "f1 means beta=1"),
    ({"metrics": ["fbeta", "f1"], "beta": "2"}, "f1 means beta=1"),
    ({"metrics": "mrr", "ties": "expected", "mean": "median"}, "no expected value over ties"),
    (
        {"metrics": "mrr", "ties": "given", "conventions": {"ties": "expected"}},
        "ties is set twice in the call, to 'expected' and to 'given'",
    ),
    ({"metrics": "mrr", "by": 3}, "by must be text or a list of texts"),
    ({"metrics": "mrr", "by": ["country", "country"]}, "by names the column 'country' twice"),
    ({"metrics": "auc", "by": "metric"}, "and the result table has a column of that name"),
    ({"metrics": "mrr", "classes": ["a", "b"]}, "classes"),
    ({"metrics": "accuracy", "classes": []}, "classes"),
    ({"metrics": []}, "no metric was given"),
]


@each_row(("call", "message"), OF_CALLS)
def test_a_call_is_checked_before_a_table_is_opened(call, message):
    with pytest.raises(sy.SteelyardError, match=message):
        sy.evaluate(MISSING, MISSING, **call)


@each_row(("call", "message"), [one for one in OF_CALLS if "by" not in one[0] and one[0]["metrics"]])
def test_so_is_an_explanation(call, message):
    metric, *_ = [call["metrics"]] if isinstance(call["metrics"], str) else call["metrics"][1:]
    with pytest.raises(sy.SteelyardError, match=message):
        sy.explain(metric, MISSING, MISSING, query="q", **{k: v for k, v in call.items() if k != "metrics"})


def test_one_value_stated_twice_is_one():
    run, truth = {"q": {"a": 1.0}}, {"q": {"a": 1}}
    assert sy.evaluate(run, truth, "mrr", rel=1, conventions={"rel": 1.0}).spec()["mrr"]["rel"] == 1


def test_beta_is_what_f1_means():
    assert sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1, "b": 1}}, "f1@2", beta=1)["f1@2"] == 2 / 4
    assert sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1, "b": 1}}, "fbeta@2", beta=2)["fbeta@2"] == 5 / 10


def test_a_chart_of_a_metric_that_was_not_asked_for(steelyard):
    for asked, message in {
        "aucc": "unknown metric 'aucc'",
        "logloss": "this result has no 'logloss'",
    }.items():
        done = steelyard("evaluate", MISSING, "-m", "auc", "--chart", f"slices({asked})=x.svg")
        assert done.code == 2
        assert message in done.err


@pytest.mark.parametrize("option", ["--truth", "--exclude", "--weights"])
def test_a_file_that_is_not_there_before_another_is_read(steelyard, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.csv")  # who opens it waits for ever
    tables = {"--truth": "pipe.csv", option: "nothere.csv"}
    asked = [part for pair in tables.items() for part in pair]
    done = steelyard("evaluate", "pipe.csv", "-m", "mrr", *asked)
    assert done.code == 2
    assert "nothere.csv does not exist" in done.err


def test_values_of_queries_that_no_metric_has(steelyard):
    done = steelyard("evaluate", MISSING, "-m", "auc", "--per-query", "x.csv")
    assert done.code == 2
    assert "auc: computed from all rows or lists together" in done.err


def test_a_convention_of_another_name_once():
    with pytest.raises(sy.SteelyardError, match="did you mean 'judgements'"):
        sy.evaluate(MISSING, MISSING, "mrr", conventions={"truth": "all"})
    with pytest.raises(sy.SteelyardError, match="did you mean 'judgements'"):
        sy.metric("mrr(truth=all)")
