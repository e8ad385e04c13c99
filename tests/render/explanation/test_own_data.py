"""One query of the user's own data: as it was read, aligned and ranked."""

from __future__ import annotations

from math import isnan, log2

import polars as pl
import pytest

import steelyard as sy
from steelyard.text.errors import SteelyardError

from ...tables import each_row

RUN = """\
user,item,score
u1,a,0.9
u1,b,0.5
u1,c,0.5
u1,d,0.5
u1,b,0.7
u1,seen,0.8
u1,u1,0.6
u2,a,0.4
u2,b,0.3
"""
TRUTH = """\
user,item,rating
u1,b,1
u1,c,3
u1,seen,3
u1,z,2
u2,b,1
u2,b,2
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "run.csv").write_text(RUN)
    (tmp_path / "truth.csv").write_text(TRUTH)
    (tmp_path / "seen.csv").write_text("user,item\nu1,seen\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(made):
    steps = made.steps[0]
    return list(
        zip(steps.column("rank").cells, steps.column("item").cells, steps.column("grade").cells, strict=True)
    )


def explained(metric, **more):
    return sy.explain(metric, "run.csv", "truth.csv", query="u1", duplicates="first", **more)


@pytest.mark.parametrize("ties", ["item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic"])
@pytest.mark.parametrize("duplicates", ["first", "best"])
@pytest.mark.parametrize("unjudged", ["nonrelevant", "drop"])
@pytest.mark.parametrize("metric", ["ndcg@3", "map@4", "mrr@3", "hit_rate@2", "precision@3", "r_precision"])
def test_the_value_is_that_of_the_evaluation(files, metric, ties, duplicates, unjudged):
    further = {"ties": ties, "duplicates": duplicates, "unjudged": unjudged, "self_match": "drop"}
    result = sy.evaluate("run.csv", "truth.csv", metric, exclude="seen.csv", **further)
    values = dict(result.per_query().select("query", "value").rows())
    for query in ("u1", "u2"):
        made = result.explain(result.measured[0].label, query)
        assert made.value == values[query]
        assert made.recomputed() == pytest.approx(values[query], abs=1e-12)
        again = sy.explain(metric, "run.csv", "truth.csv", query=query, exclude="seen.csv", **further)
        assert again.to_text() == made.to_text()


def test_the_list_as_it_was_ranked(files):
    made = explained("ndcg@10", exclude="seen.csv", self_match="drop")
    # b stands at 0.5 as in the first of its rows: b, c and d are tied, by item, descending
    assert [row[:2] for row in listed(made)] == [("1", "a"), ("2", "d"), ("3", "c"), ("4", "b")]
    grades = [row[2] for row in listed(made)]
    assert isnan(grades[0])
    assert isnan(grades[1])
    assert grades[2:] == [3.0, 1.0]
    # ideal: seen 3, c 3, z 2, b 1; the truth still counts what was excluded from the list
    ideal = 3 + 3 / log2(3) + 2 / 2 + 1 / log2(5)
    assert made.value == pytest.approx((3 / log2(4) + 1 / log2(5)) / ideal, abs=1e-12)
    best = sy.explain("ndcg@10", "run.csv", "truth.csv", query="u1", exclude="seen.csv", duplicates="best")
    assert [row[1] for row in listed(best)][:2] == ["a", "b"]


def test_open_ties_are_ranges(files):
    made = explained("dcg@3", exclude="seen.csv", self_match="drop", ties="expected")
    assert listed(made)[1:] == [
        ("2–4", "c", 3.0),
        ("2–4", "b", 1.0),
        ("2–4", "d", pytest.approx(float("nan"), nan_ok=True)),
    ]
    # two of the three places are among the first three
    mean = (1 / log2(3) + 1 / log2(4)) / 3
    assert made.steps[0].column("discount").cells[1] == pytest.approx(mean, abs=1e-15)
    assert made.value == pytest.approx((3 + 1) * mean, abs=1e-12)
    assert "a range of ranks is a tie" in made.to_text()


def test_other_ways_to_rank(files):
    made = explained("ndcg@3", exclude="seen.csv", self_match="drop")
    told = {other.text: other.value for other in made.others}
    for ties in ("item_asc", "given", "expected", "optimistic", "pessimistic"):
        assert (
            told[f"ties={ties}"]
            == explained("ndcg@3", exclude="seen.csv", self_match="drop", ties=ties).value
        )
    dropped = explained("ndcg@3", exclude="seen.csv", self_match="drop", unjudged="drop").value
    assert told["unjudged=drop"] == dropped
    conventions = {"judgements": "retrieved", "self_match": "drop"}
    assert (
        told["judgements=retrieved"] == explained("ndcg@3", exclude="seen.csv", conventions=conventions).value
    )
    assert "ties=error" not in told


def test_without_ties_their_order_is_no_choice():
    made = sy.explain("mrr", {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}})
    assert not any(other.text.startswith("ties") for other in made.others)


def test_given_order_and_ranks(files):
    frame = pl.DataFrame({"query": ["q", "q", "q"], "item": ["c", "a", "b"], "rank": [2, 1, 3]})
    made = sy.explain("mrr", frame, {"q": {"b": 1, "c": 1}})
    assert [row[1] for row in listed(made)] == ["a", "c", "b"]
    made = sy.explain("mrr", {"q": ["c", "a", "b"]}, {"q": {"b": 1}})
    assert [row[1] for row in listed(made)] == ["c", "a", "b"]
    assert made.value == 1 / 3


def test_a_table_without_items():
    table = {"qid": [1, 1, 1, 2], "grade": [0, 2, 1, 1], "score": [0.3, 0.9, 0.3, 0.1]}
    made = sy.explain("ndcg@2", pl.DataFrame(table), query=1)
    assert made.of == "1"
    assert [column.name for column in made.steps[0].columns][:2] == ["rank", "grade"]
    # rank 1 has grade 2; grades 1 and 0 share ranks 2 and 3
    assert made.value == pytest.approx((2 + (1 + 0) / 2 / log2(3)) / (2 + 1 / log2(3)), abs=1e-12)


def test_a_query_without_predictions_and_one_without_truth(files):
    run, truth = {"q1": {"a": 1.0}, "q4": {"b": 1.0}}, {"q1": {"a": 1}, "q3": {"b": 2}}
    made = sy.explain("ndcg@5", run, truth, query="q3")
    assert made.value == 0
    assert "nothing was shown for this query" in made.to_text()
    made = sy.explain("recall@5", run, truth, query="q4", unexpected="keep")
    assert isnan(made.value)
    with pytest.raises(SteelyardError, match="query 'q4' was not evaluated"):
        sy.explain("recall@5", run, truth, query="q4")


def test_a_tie_of_items_without_a_grade_is_none_that_matters():
    made = sy.explain("mrr", {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 1}}, ties="error")
    assert made.value == 1


def test_which_query():
    run = {f"q{n}": {"a": 1.0, "b": 0.5} for n in range(1, 6)}
    truth = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"b": 1}, "q4": {"c": 1}, "q5": {"b": 1}}
    with pytest.raises(SteelyardError, match="mrr has a value for each of 5 queries") as error:
        sy.explain("mrr", run, truth)
    assert "--query" in error.value.remedy
    assert "q1 (best), q4 (worst), q5 (median)" in error.value.remedy
    with pytest.raises(SteelyardError, match="query 'q33' was not evaluated; did you mean 'q3'"):
        sy.explain("mrr", run, truth, query="q33")
    # of one query nothing need be said
    assert sy.explain("mrr", {"q": {"a": 1.0}}, {"q": {"a": 1}}).of == "q"


def test_whole_numbers_are_queries_too():
    run, truth = {7: {1: 0.5, 2: 0.4}, 70: {1: 0.3}}, {7: {2: 1}, 70: {1: 1}}
    for query in (7, "7"):
        assert sy.explain("mrr", run, truth, query=query).value == 0.5
    with pytest.raises(SteelyardError, match="query '07' was not evaluated"):
        sy.explain("mrr", run, truth, query="07")


@each_row(
    ("arguments", "message"),
    [
        (("ndcg@3",), "nothing to explain ndcg@3 on"),
        (("auc",), "nothing to explain auc on"),
        (("auc", {"grades": [1]}), "auc is a metric of rows"),
        (("ndcg@3", {"labels": [1], "scores": [0.5]}), "ndcg@3 is a metric of ranked lists"),
        (("ndcg@3", {"grades": [1], "predictions": {"q": ["a"]}}), "grades and predictions are both given"),
        (("ndcg@3", {"judged": [1], "predictions": {"q": ["a"]}}), "judged without grades"),
        (("ndcg@3", {"grades": [[1], [2]]}), "one list"),
        (("ndcg@3", {"grades": [[1], [2, 3]]}), "one list"),
        (("ndcg@3", {"grades": ["x"]}), "one list"),
        (("ndcg@3", {"grades": [1], "query": "q"}), "grades and query are both given"),
        (("ndcg@3", {"grades": [2], "judged": [1]}), "grade 2"),
        (("auc", {"scores": [0.5]}), "scores without labels"),
        (("auc", {"labels": [1]}), "labels without scores or predicted"),
        (("auc", {"labels": [1, 0], "scores": [0.5]}), "2 labels but 1 score"),
        (("ndcg@5,10", {"grades": [1]}), "names 2 metrics"),
        (("ndcg@5", {"grades": [1], "gian": "exp2"}), "did you mean 'gain'"),
    ],
)  # fmt: skip
def test_a_call_that_cannot_be_explained(arguments, message):
    metric, more = (*arguments, {})[:2]
    with pytest.raises(SteelyardError, match=message):
        sy.explain(metric, **more)


def test_conventions_and_profiles():
    grades = [3, 0, 2]
    assert sy.explain("ndcg@3", grades=grades, gain="exp2").value == sy.metric("ndcg(gain=exp2)@3").of(grades)
    assert sy.explain("trec_eval:ndcg@3", grades=grades).value == sy.metric("trec_eval:ndcg@3").of(grades)
    assert sy.explain("mrr", grades=[0, 0, 1], depth=2, judged=[1, 0]).value == 0
    assert sy.explain(sy.NDCG(k=3), grades=grades).metric.k == 3


def test_rows_are_measured_and_told():
    log = {"user": ["u", "u", "v", "v", "v"], "clicked": [1, 0, 1, 0, 0], "p": [0.9, 0.2, 0.3, 0.4, 0.1]}
    columns = {"query": "user", "label": "clicked", "score": "p"}
    assert sy.explain("auc", log, columns=columns).value == sy.AUC().of(
        predictions=log["p"], truth=log["clicked"]
    )
    made = sy.explain("auc", log, columns=columns, query="v")
    assert (made.value, made.of) == (0.5, "v")
    with pytest.raises(SteelyardError, match="query 'w' was not evaluated"):
        sy.explain("auc", log, columns=columns, query="w")
    result = sy.evaluate(log, metrics="auc", columns=columns)
    assert result.explain("auc").value == result["auc"]
    with pytest.raises(SteelyardError, match="measured on all rows at once"):
        result.explain("auc", "v")


def test_small_examples_of_rows():
    labels, scores = [1, 0, 1, 0], [0.9, 0.4, 0.4, 0.1]
    assert sy.explain("auc", labels=labels, scores=scores).value == 3.5 / 4
    weights = [1, 2, 1, 1]
    expected = sy.LogLoss().of(predictions=scores, truth=labels, weights=weights)
    assert sy.explain("logloss", labels=labels, scores=scores, weights=weights).value == pytest.approx(
        expected
    )
    assert sy.explain("gauc", labels=labels, scores=scores, groups=list("uuvv")).value == 1
    assert sy.explain("auc", labels=labels, scores=scores, groups=list("uuvv"), query="u").value == 1
    assert sy.explain("accuracy", labels=["a", "b", "a"], predicted=["a", "a", "a"]).value == pytest.approx(
        2 / 3
    )
    assert sy.explain("f1", labels=labels, scores=scores, threshold=0.4).value == pytest.approx(
        2 * 2 / (2 * 2 + 1)
    )
    assert sy.explain("rmse", labels=[3, 4], scores=[2.0, 4.0]).value == pytest.approx((1 / 2) ** 0.5)
    probabilities = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]
    expected = sy.LogLoss().of(predictions=probabilities, truth=[0, 1, 2])
    assert sy.explain("logloss", labels=[0, 1, 2], scores=probabilities).value == pytest.approx(expected)


def test_half_a_character_is_no_question_mark():
    result = sy.evaluate({"a?b": ["x"], "c": ["x"]}, {"a?b": ["x"], "c": ["x"]}, "mrr")
    with pytest.raises(sy.SteelyardError) as caught:
        result.explain("mrr", "a\udc80b")
    assert str(caught.value).splitlines()[0] == "query 'a\\udc80b' was not evaluated"
