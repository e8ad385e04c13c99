"""A metric's text wins over the call, the call over the profile, the profile over the defaults."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics.base import MetricRequest

from ..tables import each_row

SAID = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "c": 1.0}}
TRUE = {"q1": {"b": 1}, "q2": {"c": 2, "z": 1}, "q3": {"a": 1}}


def only(result):
    [(_, metric)] = result.metrics
    return metric


def evaluate(metric, **options):
    return sy.evaluate(SAID, TRUE, metric, **options)


@each_row(
    ("metric", "options", "missing"),
    [
        ("mrr", {}, "keep"),
        ("mrr", {"profile": "steelyard:2026"}, "keep"),
        ("mrr", {"profile": "trec_eval"}, "skip"),
        ("mrr", {"missing": "skip"}, "skip"),
        ("mrr", {"profile": "trec_eval", "missing": "keep"}, "keep"),
        ("mrr(missing=keep)", {"missing": "skip"}, "keep"),
        ("mrr(missing=keep)", {"profile": "trec_eval"}, "keep"),
        ("mrr(missing=keep)", {"profile": "trec_eval", "missing": "skip"}, "keep"),
        ("trec_eval:mrr", {}, "skip"),
        ("trec_eval:mrr", {"missing": "keep"}, "skip"),
        ("trec_eval:mrr(missing=keep)", {"missing": "skip"}, "keep"),
        ("steelyard:2026:mrr", {"profile": "trec_eval"}, "keep"),
        (sy.MRR(), {"missing": "skip"}, "skip"),
        (sy.MRR(missing="skip"), {"missing": "keep"}, "skip"),
        (sy.MRR(missing="keep"), {"missing": "skip"}, "skip"),  # equal to MRR(), so the same wish
        ("mrr", {"conventions": {"missing": "skip"}}, "skip"),
    ],
)
def test_text_then_call_then_profile_then_defaults(metric, options, missing):
    result = evaluate(metric, **options)
    assert only(result).missing == missing
    assert result.table()["n"].to_list() == [{"keep": 3, "skip": 2}[missing]]


def test_what_is_stated_can_stand_beside_an_object():
    kept = MetricRequest(sy.MRR(missing="keep"), frozenset({"missing"}))
    assert only(evaluate([kept], missing="skip")).missing == "keep"


def test_a_text_read_beforehand_is_an_object():
    """Equal metrics are the same wish, wherever they come from."""
    assert only(evaluate(sy.metric("mrr(missing=keep)"), missing="skip")).missing == "skip"
    assert only(evaluate(sy.metric("f1@2"), beta=2)).beta == 2


def test_a_profile_fills_every_stage():
    metric = only(evaluate("mrr", profile="trec_eval"))
    assert (metric.missing, metric.scores, metric.item_order, metric.undefined) == (
        "skip",
        "float32",
        "text",
        "zero",
    )
    assert only(evaluate("f1@all", profile="trec_eval")).denominator == "retrieved"
    assert only(evaluate("f1@all")).denominator == "k"


def test_the_cutoff_of_a_metric_is_its_own():
    assert only(evaluate("ndcg@5", profile="trec_eval")).k == 5
    assert only(evaluate("ndcg", profile="trec_eval")).k is None


def test_everything_is_stated_in_the_result():
    result = evaluate("mrr", profile="trec_eval", ties="optimistic")
    spec = result.spec()["mrr"]
    assert (spec["missing"], spec["ties"], spec["scores"]) == ("skip", "optimistic", "float32")
    assert spec["profile"] == "trec_eval"
    assert spec["edition"] == "steelyard:2026"
    assert result.to_dict()["profile"] == "trec_eval"


def test_truth_is_a_convention_too():
    result = evaluate("recall@all", conventions={"judgements": "retrieved"}, missing="skip")
    assert result["recall@all"] == 1.0
    assert only(result).judgements == "retrieved"


# ------------------------------------------------------------------------------- errors


def test_an_unknown_profile():
    with pytest.raises(
        sy.SteelyardError, match="unknown profile 'treceval'; did you mean 'trec_eval'"
    ) as caught:
        evaluate("mrr", profile="treceval")
    assert "steelyard:2026" in caught.value.remedy


def test_a_metric_that_a_profile_lacks():
    for options in ({"metric": "cg@5", "profile": "trec_eval"}, {"metric": "trec_eval:cg@5"}):
        with pytest.raises(sy.SteelyardError, match="trec_eval has no cg@5") as caught:
            evaluate(**options)
        assert "ndcg" in caught.value.remedy
        assert "r_precision" in caught.value.remedy


@pytest.mark.parametrize(("metric", "hint"), [("mrr@10", "mrr(depth=10)"), ("f1@10", "f1@all")])
def test_a_cutoff_that_a_profile_lacks(metric, hint):
    with pytest.raises(sy.SteelyardError, match=f"trec_eval has no {metric}") as caught:
        evaluate(metric, profile="trec_eval")
    assert hint in caught.value.remedy


def test_a_convention_that_no_metric_has():
    with pytest.raises(sy.SteelyardError, match="none of .* 'gain'"):
        evaluate(["mrr", "map"], gain="exp2")
    with pytest.raises(sy.SteelyardError, match="mrr has no convention 'tise'"):
        evaluate("mrr", tise="given")
    with pytest.raises(sy.SteelyardError, match="ties must be one of"):
        evaluate("mrr", ties="givn")


def test_a_convention_that_one_metric_has_is_for_that_one():
    result = evaluate(["mrr", "ndcg"], gain="exp2")
    assert [getattr(metric, "gain", None) for _, metric in result.metrics] == [None, "exp2"]


@pytest.mark.parametrize(
    ("metrics", "call"),
    [
        (["ndcg(ideal=judged)", "ndcg@2"], {"ideal": "full"}),
        (["map(denominator=hits)", "map@2"], {"denominator": "k"}),
    ],
)
def test_a_call_that_a_metric_overrules_is_no_error_for_it(metrics, call):
    result = evaluate(metrics, **call)
    [(name, value)] = call.items()
    assert [getattr(metric, name) for _, metric in result.metrics] == [
        getattr(sy.metric(metrics[0]), name),
        value,
    ]


# ------------------------------------------------------------------------------- labels and lookups


@each_row(
    ("metric", "options", "label"),
    [
        ("NDCG@10", {}, "ndcg@10"),
        ("ndcg(gain=linear)@10", {}, "ndcg@10"),
        ("ndcg@10:gain=exp2", {}, "ndcg(gain=exp2)@10"),
        # what the call says of all metrics is not said again of each
        ("ndcg@10", {"gain": "exp2"}, "ndcg@10"),
        ("ndcg(gain=exp2)@10", {"gain": "exp2"}, "ndcg@10"),
        ("ndcg(gain=linear)@10", {"gain": "exp2"}, "ndcg(gain=linear)@10"),
        # nor what the profile says
        ("mrr", {"profile": "trec_eval"}, "mrr"),
        ("mrr(missing=skip)", {"profile": "trec_eval"}, "mrr"),
        ("mrr(missing=keep)", {"profile": "trec_eval"}, "mrr(missing=keep)"),
        ("mrr(missing=skip)", {}, "mrr(missing=skip)"),
        ("f1(denominator=k)@all", {"profile": "trec_eval"}, "f1(denominator=k)@all"),
        ("召回率@10", {}, "recall@10"),
        ("map@all", {}, "map"),
    ],
)
def test_labels_say_what_differs_from_the_profile(metric, options, label):
    assert list(evaluate(metric, **options)) == [label]


@each_row(
    ("asked", "options", "lookups"),
    [
        ("ndcg@10", {}, ["ndcg@10", "NDCG@10", "ndcg(gain=linear)@10", "ndcg@10:gain=linear", sy.NDCG(k=10)]),
        ("map", {}, ["map", "ap", "map@all", "平均精度均值", sy.MAP()]),
        ("f1@3", {}, ["f1@3", "fbeta@3", "fbeta(beta=1)@3", "F1值@3", sy.FBetaAt(k=3)]),
        ("dcg(discount=none)@3", {}, ["cg@3", "dcg@3:discount=none", sy.CG(k=3)]),
        ("ndcg(gain=exp2)@10", {}, ["ndcg@10:gain=exp2", sy.NDCG(k=10, gain="exp2")]),
        ("ndcg@10", {"gain": "exp2"}, ["ndcg@10", "NDCG@10", "ndcg(gain=exp2)@10", sy.NDCG(k=10)]),
        ("mrr", {"profile": "trec_eval"}, ["mrr", "RR", "trec_eval:mrr", "mrr(missing=skip)"]),
        ("ndcg(ideal=full)@2", {}, ["ndcg(ideal=full)@2", "NDCG@2:ideal=full", sy.NDCG(k=2, ideal="full")]),
        ("mrr(ties=expected)", {}, ["mrr(ties=expected)", "RR:ties=expected"]),
    ],
)
def test_a_value_is_found_by_any_text_of_its_metric(asked, options, lookups):
    result = evaluate(asked, **options)
    value = result.table()["value"][0]
    for lookup in lookups:
        assert result[lookup] == value, lookup


@pytest.mark.parametrize("first", ["mrr(ties=pessimistic)", "mrr(order=given)", "mrr(missing=skip)"])
def test_a_lookup_does_not_depend_on_what_else_was_asked(first):
    result = evaluate([first, "ndcg@10"])
    assert result["NDCG@10"] == result["ndcg@10"] == evaluate("ndcg@10")["ndcg@10"]
    assert result[sy.metric(first)] == result[first]


def test_what_is_not_in_a_result():
    result = evaluate(["ndcg@10", "mrr"])
    for lookup in ("ndcg@5", "ndcg", sy.NDCG(k=10, gain="exp2"), "mrr(ties=expected)"):
        with pytest.raises(sy.SteelyardError, match="this result has no") as caught:
            result[lookup]
        assert "ndcg@10" in caught.value.remedy
    with pytest.raises(sy.SteelyardError, match="did you mean 'ndcg@10'"):
        result["ndgc@10"]


def test_one_metric_asked_twice_is_one():
    assert list(evaluate(["mrr", "RR", sy.MRR(), "mrr(ties=item_desc)"])) == ["mrr"]
    assert list(evaluate(["ndcg@5,10", "ndcg@10"])) == ["ndcg@5", "ndcg@10"]


# ------------------------------------------------------------------------------- one ranking per convention


def ranked_under(result):
    return [note for note in result.notes if note.startswith("the lists were ranked under")]


def test_metrics_of_one_convention_share_one_ranking():
    result = evaluate(["mrr", "ndcg(gain=exp2)@10", "map(undefined=zero)", "recall(pooling=pooled)@5"])
    assert len(result.rankings) == 1
    assert not ranked_under(result)


def test_each_distinct_convention_is_ranked_once_and_said():
    asked = ["mrr", "ndcg", "mrr(ties=expected)", "map(ties=expected)", "map(missing=skip)"]
    result = evaluate(asked)
    assert len(result.rankings) == 3
    assert [(one.rank.ties, one.align.missing) for one in result.rankings] == [
        ("item_desc", "keep"),
        ("expected", "keep"),
        ("item_desc", "skip"),
    ]
    [note] = ranked_under(result)
    assert note == (
        "the lists were ranked under 3 conventions: "
        "mrr, ndcg | mrr(ties=expected), map(ties=expected) | map(missing=skip)."
    )
    assert [one["ties"] for one in result.to_dict()["rankings"]] == ["item_desc", "expected", "item_desc"]


def test_each_convention_gives_its_own_numbers():
    result = evaluate(["mrr", "mrr(ties=item_asc)", "mrr(missing=skip)", "mrr(ties=expected)"])
    # q1: rank 2; q2: c above a by name, tied; q3: nothing was said of it
    assert result["mrr"] == (1 / 2 + 1 + 0) / 3
    assert result["mrr(ties=item_asc)"] == (1 / 2 + 1 / 2 + 0) / 3
    assert result["mrr(missing=skip)"] == (1 / 2 + 1) / 2
    assert result["mrr(ties=expected)"] == (1 / 2 + (1 + 1 / 2) / 2 + 0) / 3


# ------------------------------------------------------------------------------- what the data settles


def test_the_order_is_settled_by_the_columns():
    scored = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "score": [1.0, 2.0]})
    ranked = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "rank": [2, 1]})
    listed = {"q": ["b", "a"]}
    for said, order in ((scored, "score"), (ranked, "rank"), (listed, "given")):
        result = sy.evaluate(said, {"q": {"b": 1}}, "mrr")
        assert result["mrr"] == result["RR"] == 1.0
        assert result.spec()["mrr"]["order"] == order
        assert list(result) == ["mrr"]


def test_without_items_ties_are_averaged():
    rows = pl.DataFrame({"qid": [1, 1, 1], "label": [1, 0, 0], "score": [1.0, 1.0, 0.0]})
    result = sy.evaluate(rows, metrics=["mrr"])
    assert result["mrr"] == result["RR"] == (1 + 1 / 2) / 2
    assert result.spec()["mrr"]["ties"] == "expected"
    assert sy.evaluate(rows, metrics=["mrr"], ties="pessimistic")["mrr"] == 1 / 2
    assert sy.evaluate(rows, metrics=["mrr(ties=optimistic)"])["mrr(ties=optimistic)"] == 1.0
    assert sy.evaluate(rows, metrics=["mrr"], ties="given")["mrr"] == 1.0
    with pytest.raises(sy.SteelyardError, match="no item column"):
        sy.evaluate(rows, metrics=["mrr"], ties="item_asc")


# ------------------------------------------------------------------------------- trec_eval


def test_trec_eval_compares_ids_as_text():
    said = {1: {9: 1.0, 10: 1.0}}
    assert sy.evaluate(said, {1: {10: 1}}, "mrr")["mrr"] == 1.0
    assert sy.evaluate(said, {1: {10: 1}}, "mrr", profile="trec_eval")["mrr"] == 1 / 2


def test_trec_eval_compares_scores_in_single_precision():
    said = {"q": {"a": 1.0 + 5e-8, "b": 1.0}}
    assert sy.evaluate(said, {"q": {"a": 1}}, "mrr")["mrr"] == 1.0
    assert sy.evaluate(said, {"q": {"a": 1}}, "mrr", profile="trec_eval")["mrr"] == 1 / 2


def test_scores_beyond_single_precision_are_no_warning():
    said = {"q": {"a": 1e39, "b": 1.0}}
    assert sy.evaluate(said, {"q": {"a": 1}}, "mrr", profile="trec_eval")["mrr"] == 1.0


def test_trec_eval_counts_0_where_nothing_is_relevant():
    said = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    true = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}}
    assert sy.evaluate(said, true, "map")["map"] == (1 + 0) / 2
    assert sy.evaluate(said, true, "map", profile="trec_eval")["map"] == (1 + 0) / 2
    assert sy.evaluate(said, true, "map").table()["undefined"].to_list() == [1]
    assert sy.evaluate(said, true, "map", profile="trec_eval").table()["undefined"].to_list() == [0]
