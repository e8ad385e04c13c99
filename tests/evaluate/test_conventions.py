"""Conventions: per call, per metric text, by profile; orders, masks and what is excluded."""

from __future__ import annotations

from math import inf, log2

import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row

# a and b are tied; the better grade has the smaller id.
TIED = {"q": {"a": 0.5, "b": 0.5, "c": 0.1}}
GRADED = {"q": {"a": 1, "b": 0}}

# By score: c b a. By rank: b a c. As given: a b c.
ORDERS = pl.DataFrame(
    {"query": ["q"] * 3, "item": ["a", "b", "c"], "score": [0.1, 0.2, 0.3], "rank": [2, 1, 3]}
)
ONLY_A = {"q": {"a": 1}}


@each_row(
    ("ties", "value"),
    [
        ("item_desc", 1 / 2),
        ("item_asc", 1),
        ("given", 1),
        ("expected", (1 + 1 / 2) / 2),
        ("optimistic", 1),
        ("pessimistic", 1 / 2),
    ],
)
def test_a_convention_per_call_per_text_and_by_mapping(ties, value):
    assert sy.evaluate(TIED, GRADED, "mrr", ties=ties)["mrr"] == value
    assert sy.evaluate(TIED, GRADED, "mrr", conventions={"ties": ties})["mrr"] == value
    assert sy.evaluate(TIED, GRADED, f"mrr(ties={ties})")[f"mrr(ties={ties})"] == value
    assert sy.evaluate(TIED, GRADED, sy.MRR(ties=ties))[sy.MRR(ties=ties)] == value


def test_ties_can_be_refused():
    with pytest.raises(
        sy.SteelyardError, match="1 item of a grade other than 0 is tied with another row, first q · a"
    ):
        sy.evaluate(TIED, GRADED, "mrr", ties="error")
    assert sy.evaluate({"q": {"a": 0.5, "b": 0.4}}, GRADED, "mrr", ties="error")["mrr"] == 1


def test_the_more_specific_wins():
    # text, then call, then profile, then defaults
    result = sy.evaluate(
        TIED, GRADED, ["mrr", "mrr(ties=expected)"], profile="trec_eval", ties="item_asc", missing="keep"
    )
    spec = result.spec()
    assert spec["mrr"]["ties"] == "item_asc"  # the call, over trec_eval's item_desc
    assert spec["mrr(ties=expected)"]["ties"] == "expected"
    assert spec["mrr"]["missing"] == "keep"  # the call, over trec_eval's skip
    assert spec["mrr"]["scores"] == "float32"  # trec_eval, over the default as_given
    assert spec["mrr"]["duplicates"] == "error"
    assert {one["profile"] for one in spec.values()} == {"trec_eval"}
    assert result["mrr"] == 1
    assert result["mrr(ties=expected)"] == 3 / 4


def test_a_profile_in_front_of_one_metric():
    run = {"q1": {"9": 1.0, "10": 1.0}}
    truth = {"q1": {"9": 1}, "q2": {"x": 1}}
    ids = {int(item): score for item, score in run["q1"].items()}
    numbers = sy.evaluate({"q1": ids}, {"q1": {9: 1}, "q2": {3: 1}}, ["mrr", "trec_eval:mrr"])
    assert numbers["mrr"] == (1 / 2 + 0) / 2  # 10 stands above 9; q2 is an empty list
    assert numbers["trec_eval:mrr"] == 1.0  # '9' stands above '10'; q2 is skipped
    assert sy.evaluate(run, truth, "trec_eval:mrr")["trec_eval:mrr"] == 1.0
    assert sy.evaluate(run, truth, "mrr", profile="trec_eval")["mrr"] == 1.0


def test_a_metric_that_the_profile_lacks():
    with pytest.raises(sy.SteelyardError, match="trec_eval has no cg@10") as error:
        sy.evaluate(TIED, GRADED, "cg@10", profile="trec_eval")
    assert "ndcg" in error.value.remedy
    with pytest.raises(sy.SteelyardError, match="unknown profile 'treceval'; did you mean 'trec_eval'"):
        sy.evaluate(TIED, GRADED, "mrr", profile="treceval")


def test_truth_of_supplied_rows_only():
    run = {"q": {"a": 2.0, "b": 1.0}}
    truth = {"q": {"b": 1, "z": 1}}
    assert sy.evaluate(run, truth, "recall@2")["recall@2"] == 1 / 2
    assert sy.evaluate(run, truth, "recall@2", conventions={"judgements": "retrieved"})["recall@2"] == 1
    text = "recall(judgements=retrieved)@2"
    assert sy.evaluate(run, truth, ["recall@2", text]).table()["value"].to_list() == [1 / 2, 1]


@pytest.mark.parametrize(("order", "value"), [("score", 1 / 3), ("rank", 1 / 2), ("given", 1)])
def test_orders(order, value):
    assert sy.evaluate(ORDERS, ONLY_A, "mrr", order=order)["mrr"] == value


def test_several_orders_in_one_call():
    texts = ["mrr", "mrr(order=rank)", "mrr(order=given)"]
    result = sy.evaluate(ORDERS, ONLY_A, texts)
    assert [result[text] for text in texts] == [1 / 3, 1 / 2, 1]
    assert [one["order"] for one in result.to_dict()["rankings"]] == ["score", "rank", "given"]


def test_the_order_is_by_rank_where_there_is_no_score():
    result = sy.evaluate(ORDERS.drop("score"), ONLY_A, ["mrr"])
    assert result["mrr"] == 1 / 2
    assert result.spec()["mrr"]["order"] == "rank"


def test_an_order_that_the_table_has_no_column_for():
    with pytest.raises(sy.SteelyardError, match="could be the rank"):
        sy.evaluate(ORDERS.drop("rank"), ONLY_A, "mrr", order="rank")
    with pytest.raises(sy.SteelyardError, match="lists of items, which have no score"):
        sy.evaluate({"q": ["b", "a"]}, ONLY_A, "mrr", order="score")
    assert sy.evaluate({"q": ["b", "a"]}, ONLY_A, "mrr")["mrr"] == 1 / 2


def test_a_mask_is_not_retrieved():
    run = {"q": {"a": -inf, "b": 0.3, "c": 0.2}}
    result = sy.evaluate(
        run, {"q": {"a": 1, "c": 1}}, ["mrr", "recall@3", "precision(denominator=retrieved)@3"]
    )
    assert result["mrr"] == 1 / 2
    assert result["recall@3"] == 1 / 2
    assert result["precision(denominator=retrieved)@3"] == 1 / 2
    assert (result.tally.predictions, result.tally.masked, result.tally.retrieved) == (3, 1, 2)


@pytest.mark.parametrize("others", [[], ["mrr"], ["mrr(order=rank)", "mrr(order=score)"]])
def test_a_mask_counts_under_every_order_whatever_else_is_asked(others):
    masked = ORDERS.with_columns(score=pl.Series([0.1, -inf, 0.3]))
    # by rank b a c and as given a b c, both without b; c is relevant
    for order in ("rank", "given"):
        text = f"mrr(order={order})"
        assert sy.evaluate(masked, {"q": {"c": 1}}, [text, *others])[text] == 1 / 2


def test_a_query_whose_every_row_is_masked_is_an_empty_list():
    result = sy.evaluate({"q": {"a": -inf}}, ONLY_A, "mrr")
    assert result["mrr"] == 0
    assert result.tally.queries_missing == 0


SEEN = {
    "a dict of lists": {"q": ["c", "nothing"], "other": ["a"]},
    "a dict of sets": {"q": {"c"}},
    "a frame": pl.DataFrame({"user_id": ["q", "q"], "item_id": ["c", "c"]}),
}


@pytest.mark.parametrize("kind", SEEN)
def test_what_was_seen_is_removed_before_ranking(kind):
    run, truth = {"q": {"c": 3.0, "b": 2.0, "a": 1.0}}, {"q": {"a": 1, "c": 1}}
    result = sy.evaluate(run, truth, ["mrr", "recall@3"], exclude=SEEN[kind])
    assert result["mrr"] == 1 / 2  # b, a
    assert result["recall@3"] == 1 / 2  # c is still relevant, and not shown
    assert result.tally.excluded == 1
    assert "1 row excluded." in result.notes


def test_exclude_from_a_file(tmp_path):
    path = tmp_path / "seen.csv"
    path.write_text("query,item\nq,c\nq,b\n")
    assert sy.evaluate({"q": {"c": 3.0, "b": 2.0, "a": 1.0}}, ONLY_A, "mrr", exclude=path)["mrr"] == 1


def test_many_metrics_and_cutoffs_at_once():
    run = {"q": {item: 10.0 - place for place, item in enumerate("abcdefgh")}}
    truth = {"q": {"b": 3, "d": 1, "h": 2}}
    names = ["precision@1,2,4,8", "recall@2,4", "ndcg@2", "ndcg(gain=exp2)@2", "mrr", "MAP", "hr@1"]
    result = sy.evaluate(run, truth, [*names, sy.NDCG(k=2)])
    assert list(result) == [
        "precision@1",
        "precision@2",
        "precision@4",
        "precision@8",
        "recall@2",
        "recall@4",
        "ndcg@2",
        "ndcg(gain=exp2)@2",
        "mrr",
        "map",
        "hit_rate@1",
    ]
    assert len(result) == 11
    assert [result[f"precision@{k}"] for k in (1, 2, 4, 8)] == [0, 1 / 2, 2 / 4, 3 / 8]
    assert [result[f"r@{k}"] for k in (2, 4)] == [1 / 3, 2 / 3]
    assert result["ndcg@2"] == pytest.approx((3 / log2(3)) / (3 + 2 / log2(3)), abs=1e-15)
    assert result["ndcg@2:gain=exp2"] == pytest.approx((7 / log2(3)) / (7 + 3 / log2(3)), abs=1e-15)
    assert result["rr"] == 1 / 2
    assert result["map"] == pytest.approx((1 / 2 + 2 / 4 + 3 / 8) / 3, abs=1e-15)


def test_a_result_is_asked_by_text_alias_or_object():
    result = sy.evaluate(TIED, GRADED, ["map(ties=expected)", "ndcg@10", "recall@1"])
    assert (
        result["NDCG@10"]
        == result[sy.NDCG(k=10)]
        == result["ndcg@10"]
        == pytest.approx(1 / log2(3), abs=1e-15)
    )
    assert result["ap(ties=expected)"] == result[sy.MAP(ties="expected")] == 3 / 4
    assert result["recall@1"] == 0
    with pytest.raises(
        sy.SteelyardError, match=r"this result has no 'map'; did you mean 'map\(ties=expected\)'\?"
    ):
        result["map"]
    with pytest.raises(sy.SteelyardError, match="this result has no 'ndcg@5'; did you mean 'ndcg@10'"):
        result["ndcg@5"]


def test_asking_by_object_follows_the_conventions_of_the_call():
    result = sy.evaluate(TIED, GRADED, ["mrr", "ndcg@10"], ties="optimistic")
    assert result[sy.MRR()] == result["rr"] == 1
    labelled = pl.DataFrame({"qid": [1, 1], "label": [1, 0], "score": [0.5, 0.5]})
    assert sy.evaluate(labelled, metrics=["mrr(ties=given)", "ndcg@1"])[sy.NDCG(k=1)] == 1 / 2


def test_depth():
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    truth = {"q": {"a": 1, "c": 1}}
    result = sy.evaluate(run, truth, ["recall@10", "recall(depth=none)@10"], depth=2)
    assert result.table()["value"].to_list() == [1 / 2, 1]


def test_means_by_convention():
    run = {f"q{rank}": [*(f"f{i}" for i in range(rank - 1)), "x"] for rank in (1, 2, 4)}
    truth = {query: ["x"] for query in run}
    texts = ["mrr", "mrr(mean=median)", "mrr(mean=geometric)", "mrr(mean=geometric, floor=0.5)"]
    result = sy.evaluate(run, truth, texts)
    values = [(1 + 1 / 2 + 1 / 4) / 3, 1 / 2, (1 * 1 / 2 * 1 / 4) ** (1 / 3), (1 * 1 / 2 * 1 / 2) ** (1 / 3)]
    assert [result[text] for text in texts] == pytest.approx(values, abs=1e-15)
    assert sy.evaluate(run, truth, "mrr", mean="median")["mrr"] == 1 / 2


@pytest.mark.parametrize(("undefined", "value"), [("nan", 1), ("zero", 1 / 2), ("one", 1)])
def test_undefined_queries_by_convention(undefined, value):
    run, truth = {"q1": ["a"], "q2": ["a"]}, {"q1": {"a": 1}, "q2": {"a": 0}}
    assert sy.evaluate(run, truth, "mrr", undefined=undefined)["mrr"] == value
    with pytest.raises(sy.SteelyardError, match="mrr.* is undefined for 1 query, first q2"):
        sy.evaluate(run, truth, "mrr", undefined="error")


@each_row(
    ("metrics", "options", "message"),
    [
        ("mrr", {"tiez": "expected"}, "mrr has no convention 'tiez'; did you mean 'ties'?"),
        ("mrr", {"gain": "exp2"}, "mrr has no convention 'gain'"),
        ("mrr", {"ties": "random"}, "ties must be one of 'item_desc', 'item_asc'"),
        ("mrr", {"depth": 0}, "depth must be a whole number above 0, or 'none'; got 0"),
        ("ndgc@10", {}, "unknown metric 'ndgc@10'; did you mean 'ndcg@10'?"),
        ("ndcg@0", {}, "k must be a positive whole number or 'all'; got '0'"),
        ("recall", {}, "did you mean recall@100 or recall@all?"),
        ("mrr(foo=1)", {}, "mrr has no field 'foo'"),
        ([], {}, "no metric was given"),
        (["mrr", 3], {}, "3 is not a metric"),
    ],
)
def test_what_cannot_be_asked(metrics, options, message):
    with pytest.raises(sy.SteelyardError) as error:
        sy.evaluate(TIED, GRADED, metrics, **options)
    assert message in error.value.message


def test_a_convention_reaches_the_metrics_that_have_it():
    result = sy.evaluate(TIED, {"q": {"a": 3}}, ["mrr", "dcg"], gain="exp2", ties="item_asc")
    assert result["dcg"] == 2**3 - 1
    assert result["mrr"] == 1
