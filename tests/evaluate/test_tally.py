"""The tally: everything that was read, and what became of it, counted by hand."""

from __future__ import annotations

from math import inf

import polars as pl

import steelyard as sy

from ..tables import each_row

RUN = pl.DataFrame(
    [
        ("q1", "a", 0.9),
        ("q1", "b", 0.9),  # tied with a
        ("q1", "c", 0.5),  # not judged
        ("q1", "a", 0.1),  # named again
        ("q1", "d", -inf),  # masked
        ("q1", "e", 0.2),  # excluded
        ("q1", "q1", 0.3),  # the query itself
        ("q2", "a", 0.5),
        ("q2", "b", 0.4),  # not judged
        ("q4", "a", 1.0),  # a query without truth
    ],
    schema=["query", "item", "score"],
    orient="row",
)
TRUTH = pl.DataFrame(
    [("q1", "a", 1), ("q1", "b", 0), ("q1", "b", 2), ("q2", "a", 0), ("q3", "z", 1)],
    schema=["query", "item", "relevance"],
    orient="row",
)
OPTIONS = {"duplicates": "first", "self_match": "drop", "exclude": {"q1": ["e", "d"], "q9": ["a"]}}

EXPECTED = {
    "predictions": 10,
    "judgements": 5,
    "queries": 3,  # q1, q2, q3
    "queries_predicted": 3,  # q1, q2, q4
    "queries_judged": 3,
    "queries_missing": 1,  # q3
    "queries_unexpected": 1,  # q4
    "queries_without_relevant": 1,  # q2
    "doubled_predictions": 1,
    "doubled_judgements": 1,
    "masked": 1,
    "excluded": 1,  # e; d is masked already
    "self_matched": 1,
    "unjudged": 2,  # c of q1, b of q2
    "retrieved": 5,  # a b c, a b
    "hits": 1,  # a of q1; the first judgement of b is 0
    "tied": 2,  # a and b of q1
    "tied_hits": 1,
}


def test_counted_by_hand():
    result = sy.evaluate(RUN, TRUTH, "mrr", **OPTIONS)
    assert result.tally.to_dict() == EXPECTED
    assert result.to_dict()["tally"] == EXPECTED


@each_row(
    ("convention", "changes"),
    [
        ({"duplicates": "best"}, {"hits": 2, "tied_hits": 2}),  # b has grade 2
        ({"missing": "skip"}, {"queries": 2}),
        (
            {"unexpected": "keep"},
            {"queries": 4, "retrieved": 6, "unjudged": 3, "queries_without_relevant": 2},
        ),
        ({"unjudged": "drop"}, {"retrieved": 3}),
        ({"self_match": "keep"}, {"self_matched": 0, "retrieved": 6, "unjudged": 3}),
        ({"exclude": None}, {"excluded": 0, "retrieved": 6, "unjudged": 3}),
        ({"order": "given"}, {"tied": 0, "tied_hits": 0}),
        (
            {"conventions": {"judgements": "retrieved"}},
            {"queries_without_relevant": 2},
        ),  # q3 has no judgement left
    ],
)
def test_each_convention_is_seen_in_it(convention, changes):
    result = sy.evaluate(RUN, TRUTH, "mrr", **{**OPTIONS, **convention})
    assert result.tally.to_dict() == {**EXPECTED, **changes}


def test_one_tally_per_ranking():
    result = sy.evaluate(RUN, TRUTH, ["mrr", "mrr(missing=skip)"], **OPTIONS)
    assert [one["tally"]["queries"] for one in result.to_dict()["rankings"]] == [3, 2]
    assert result.tally.queries == 3


def test_what_the_header_says():
    lines = repr(sy.evaluate(RUN, TRUTH, "mrr", **OPTIONS)).splitlines()
    assert lines[0] == f"steelyard {sy.__version__} · predictions against truth"
    assert lines[1] == "3 queries · 10 predictions · 5 judgements · 40.0% of ranked rows unjudged"
