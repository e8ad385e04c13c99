"""The notes of a result: each is one sentence, given exactly when it is due."""

from __future__ import annotations

from math import inf

import polars as pl
import pytest

import steelyard as sy

RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
TRUTH = {"q1": {"a": 1, "b": 0}, "q2": {"b": 1, "a": 0}}


def notes(run, truth, metrics, **options) -> list[str]:
    """What is said of an evaluation, but for its intervals, which rest on one or two queries here."""
    return list(sy.evaluate(run, truth, metrics, ci="none", **options).notes)


def test_nothing_to_say():
    assert notes(RUN, TRUTH, ["mrr", "ndcg", "precision@2"]) == []


def test_one_query_with_nothing_relevant():
    truth = {**TRUTH, "q2": {"a": 0}}
    assert notes(RUN, truth, "mrr") == ["mrr is undefined for 1 query (q2) and leaves it out."]
    assert notes(RUN, truth, ["mrr", "ndcg"]) == [
        "all metrics are undefined for 1 query (q2) and leave it out."
    ]


def test_all_metrics_are_those_of_rows_too():
    truth = {**TRUTH, "q2": {"a": 0, "b": 0}}
    # of the rows, a of q1 alone is positive: auc is defined
    assert notes(RUN, truth, ["mrr", "ndcg", "auc"])[0] == (
        "mrr, ndcg are undefined for 1 query (q2) and leave it out."
    )


def test_many_queries_with_nothing_relevant():
    run = {f"q{n}": ["a"] for n in range(6)}
    truth = {query: {"a": int(query == "q0")} for query in run}
    assert notes(run, truth, "mrr") == ["mrr is undefined for 5 queries (q1, q2, q3, …) and leaves them out."]


def test_metrics_that_cover_different_numbers_of_queries():
    truth = {**TRUTH, "q2": {"a": 0}}
    assert notes(RUN, truth, ["mrr", "ndcg", "precision@2"]) == [
        "mrr, ndcg are undefined for 1 query (q2) and leave it out.",
        "the metrics cover different numbers of queries (mrr 1, ndcg 1, precision@2 2): "
        "compare them with care.",
    ]


def test_metrics_that_cover_as_many_queries_but_different_ones():
    # q1 was not answered: precision of what was retrieved is undefined. q2 has nothing relevant: recall is.
    texts = ["precision(denominator=retrieved)@1", "recall@1"]
    assert notes({"q2": ["a"]}, {"q1": {"a": 1}, "q2": {"a": 0}}, texts) == [
        "precision(denominator=retrieved)@1 is undefined for 1 query (q1) and leaves it out.",
        "recall@1 is undefined for 1 query (q2) and leaves it out.",
        "the metrics cover different queries (precision(denominator=retrieved)@1 1, recall@1 1): "
        "compare them with care.",
        "1 query has no predictions: counted as empty lists.",
    ]


def test_no_judged_item_is_relevant():
    truth = {"q1": {"a": 0.5, "b": 0.25}, "q2": {"a": 0.25}}
    assert notes(RUN, truth, ["recall@2"])[-1] == (
        "no judged item is relevant: the highest grade is 0.5 and rel is 1; set rel, for example rel=0.5."
    )
    assert "no judged item is relevant" not in str(notes(RUN, truth, ["recall(rel=0.5)@2"]))
    # rel must be above 0, so that there is nothing to set
    assert notes(RUN, {"q1": {"a": 0}, "q2": {"a": -1}}, ["recall@2"])[-1] == (
        "no judged item is relevant: the highest grade is 0 and rel is 1."
    )


def test_every_judged_item_is_relevant():
    truth = {"q1": {"a": 5, "b": 1}, "q2": {"a": 3, "b": 4}}
    # grades 1 3 4 5: the grade at 60 % from below is 4
    said = "every judged item is relevant: grades are 1 to 5 and rel is 1; did you mean rel=4?"
    assert notes(RUN, truth, "recall@2") == [said]
    assert notes(RUN, truth, "recall(rel=4)@2") == []
    assert notes(RUN, truth, "ndcg") == []  # takes no rel
    assert notes(RUN, {"q1": ["a"], "q2": ["b"]}, "recall@2") == [
        "truth has no relevance column: every row counts as grade 1."
    ]


def test_ties_and_how_far_they_move_a_value():
    run = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    # q1: 1 or 1/2; q2: 1/2. Two of four rows are tied.
    assert notes(run, TRUTH, "mrr") == [
        "50.0% of rows are tied with another row of their query; "
        "their order alone moves mrr within 0.5000 – 0.7500."
    ]
    assert notes(run, TRUTH, "recall@2") == [
        "50.0% of rows are tied with another row of their query; "
        "tie order changes no metric by 0.0001 or more."
    ]
    # the first metric that shows it
    assert "moves ndcg@2 within" in notes(run, TRUTH, ["recall@2", "ndcg@2", "mrr"])[0]


def test_ties_without_a_graded_item_are_not_worth_a_note():
    assert notes({"q1": {"a": 2.0, "b": 1.0, "c": 1.0}}, {"q1": {"a": 1}}, "mrr") == []


def test_several_rankings():
    result = sy.evaluate(RUN, TRUTH, ["mrr", "ndcg", "mrr(ties=expected)", "map(depth=1)"])
    assert result.notes == (
        "the lists were ranked under 3 conventions: mrr, ndcg | mrr(ties=expected) | map(depth=1).",
        "mrr, ndcg, mrr(ties=expected) and 1 more: effective sample size below 10; the interval is "
        "approximate.",
    )
    assert len(result.rankings) == 3


def test_short_lists():
    assert notes({"q1": ["a", "b"], "q2": ["a"]}, TRUTH, ["precision@2", "mrr"]) == [
        "1 list is shorter than the cutoff 2: read to the end."
    ]
    assert notes(RUN, TRUTH, ["precision@1,20", "recall@1000"]) == [
        "2 lists are shorter than the cutoff 1000: read to the end."
    ]


def test_missing_queries():
    truth = {**TRUTH, "q3": {"a": 1}, "q4": {"a": 1}}
    assert notes(RUN, truth, "mrr") == ["2 queries have no predictions: counted as empty lists."]
    assert notes(RUN, truth, "mrr", missing="skip") == ["2 queries have no predictions: left out."]


def test_unexpected_queries():
    run = {**RUN, "q9": {"a": 1.0}}
    assert notes(run, TRUTH, "mrr") == ["1 predicted query has no ground truth: left out."]
    assert notes(run, TRUTH, "mrr", unexpected="keep") == [
        "mrr is undefined for 1 query (q9) and leaves it out.",
        "1 predicted query has no ground truth: counted as having nothing relevant.",
    ]


def test_doubled_rows():
    run = pl.DataFrame({"query": ["q1", "q1", "q1"], "item": ["a", "a", "b"], "score": [3.0, 2.0, 1.0]})
    assert notes(run, {"q1": {"a": 1, "b": 0}}, "mrr", duplicates="best") == [
        "1 duplicate prediction: one of each (query, item) is kept."
    ]
    truth = pl.DataFrame({"query": ["q1"] * 3, "item": ["b"] * 3, "relevance": [1, 0, 0]})
    assert notes(run, truth, "mrr", duplicates="best") == [
        "1 duplicate prediction and 2 duplicate judgements: one of each (query, item) is kept."
    ]
    assert notes({"q1": {"b": 1.0}}, truth, "mrr", duplicates="best") == [
        "2 duplicate judgements: one of each (query, item) is kept."
    ]


def test_masked_and_excluded_rows_and_the_query_itself():
    run = {"q1": {"a": 4.0, "b": -inf, "c": -inf, "d": 3.0, "q1": 2.0}}
    assert notes(run, {"q1": {"a": 1}}, "mrr", exclude={"q1": ["d", "c"]}, self_match="drop") == [
        "2 rows with a score of -inf: not retrieved.",
        "1 row excluded.",
        "1 row whose item is the query itself: removed.",
    ]


def test_comment_lines(tmp_path):
    (tmp_path / "qrels").write_text("# one\nq1 0 a 1\nq1 0 b 0\n# two\n")
    said = notes({"q1": ["a"]}, tmp_path / "qrels", "mrr")
    assert said == [f"{tmp_path / 'qrels'}: 2 comment lines (#) are skipped."]


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_notes_are_in_the_forms_that_tell_and_in_none_that_is_a_bare_table(form):
    result = sy.evaluate(RUN, {"q1": {"a": 5, "b": 1}}, "recall@2")
    assert ("every judged item is relevant" in result.render(form)) == (form == "json")
    assert "\n! every judged item is relevant" in repr(result)
    assert "<li>every judged item is relevant" in result._repr_html_()
