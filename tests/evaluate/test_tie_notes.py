"""The note on ties: ranges where they are known, two orders where they are not, and no denial of either."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.stats import notes as notes_module

# a, then b, then c and d tied; a and c are relevant
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0}}
TRUTH = {"q": {"a": 1, "c": 1}}
TIED = "50.0% of rows are tied with another row of their query"


def tie_notes(run, truth, metrics, **options) -> list[str]:
    return [note for note in sy.evaluate(run, truth, metrics, **options).notes if "tied" in note]


def test_a_metric_without_known_bounds_is_given_for_both_item_orders():
    # descending: a b d, one hit at rank 1: 1/1. Ascending: a b c, hits at 1 and 3: (1/1 + 2/3) / 2.
    assert tie_notes(RUN, TRUTH, "map(denominator=hits)@3") == [
        f"{TIED}; map(denominator=hits)@3 is 1.0000 by item_desc and 0.8333 by item_asc, "
        "and other orders may lie beyond."
    ]


def test_every_metric_of_the_call_is_looked_at():
    # recall@3: 1/2 or 1; precision@3: 1/3 or 2/3; map@3: 1/2 or (1 + 2/3) / 2; mrr is 1 in any order
    metrics = ["mrr", "recall@3", "map(denominator=hits)@3", "precision@3", "map@3"]
    assert tie_notes(RUN, TRUTH, metrics) == [
        f"{TIED}; their order alone moves recall@3 within 0.5000 – 1.0000, "
        "precision@3 within 0.3333 – 0.6667, map@3 within 0.5000 – 0.8333; "
        "map(denominator=hits)@3 is 1.0000 by item_desc and 0.8333 by item_asc, "
        "and other orders may lie beyond."
    ]


def test_of_many_metrics_three_are_named():
    [note] = tie_notes(RUN, TRUTH, ["recall@3", "precision@3", "map@3", "dcg@3", "ndcg@3"])
    assert note.endswith("map@3 within 0.5000 – 0.8333 and 2 more.")
    texts = [f"map(denominator=hits)@{k}" for k in (3, 4, 5, 6)]
    assert " and 1 more, and other orders" in tie_notes(RUN, TRUTH, texts)[0]


@pytest.mark.parametrize("ties", ["given", "optimistic", "pessimistic"])
def test_without_items_there_is_no_item_order_to_give(ties):
    table = pl.DataFrame({"qid": [1] * 4, "grade": [1, 0, 1, 0], "pred": [3.0, 2.0, 1.0, 1.0]})
    columns = {"query": "qid", "label": "grade", "score": "pred"}
    metrics = ["map(denominator=hits)@3", "recall@3"]
    result = sy.evaluate(table, metrics=metrics, columns=columns, ties=ties)
    assert [note for note in result.notes if "tied" in note] == [
        f"{TIED}; their order alone moves recall@3 within 0.5000 – 1.0000; "
        "how far their order moves map(denominator=hits)@3 is not known."
    ]


def test_ties_of_equal_grades_move_nothing_whatever_the_metric():
    run = {"q": {"a": 3.0, "b": 1.0, "c": 1.0}}
    assert tie_notes(run, {"q": {"b": 1, "c": 1}}, ["map(denominator=hits)@2", "mrr"]) == [
        "66.7% of rows are tied with another row of their query; "
        "tie order changes no metric by 0.0001 or more."
    ]


def test_ties_below_the_depth_move_nothing():
    assert tie_notes(RUN, TRUTH, "map(denominator=hits)", depth=2)[0].endswith(
        "; tie order changes no metric by 0.0001 or more."
    )


def test_nothing_is_known_of_the_bounds_of_ones_own_metric():
    @sy.register("last_is_relevant")
    class LastIsRelevant(sy.RankingMetric):
        """Whether the item at the end is relevant: a better grade further up lowers it."""

        at: ClassVar = "never"

        def per_query(self, ranked):
            last = (ranked.hits.grade >= 1) & (ranked.hits.before + 1 == ranked.retrieved[ranked.hits.query])
            return ranked.sum_by_query(ranked.hits.query, last)

    # descending: a b d c, ascending: a b c d
    assert tie_notes(RUN, TRUTH, "last_is_relevant") == [
        f"{TIED}; last_is_relevant is 1.0000 by item_desc and 0.0000 by item_asc, "
        "and other orders may lie beyond."
    ]
    assert not LastIsRelevant().monotone


def test_a_value_that_only_some_orders_have():
    # one place is read: b alone leaves nothing to average
    assert tie_notes({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, "mrr(empty=skip)@1") == [
        "100.0% of rows are tied with another row of their query; "
        "mrr(empty=skip)@1 is undefined by item_desc and 1.0000 by item_asc, and other orders may lie beyond."
    ]


def test_only_the_order_that_counts_can_be_an_error():
    run, truth, metric = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, "ndcg(ideal=topk)@1"
    with pytest.raises(sy.SteelyardError, match="undefined for 1 query"):
        sy.evaluate(run, truth, metric, undefined="error")
    [note] = tie_notes(run, truth, metric, undefined="error", ties="item_asc")
    assert "is undefined by item_desc and 1.0000 by item_asc" in note


SLICED = pl.DataFrame(
    {
        "query": ["q1", "q1", "q2", "q2"],
        "item": ["a", "b", "a", "b"],
        "score": [1.0, 1.0, 2.0, 1.0],
        "country": ["JP", "JP", "DE", "DE"],
    }
)
BOTH = {"q1": {"a": 1}, "q2": {"a": 1}}


def test_what_moves_a_slice_alone_is_not_denied():
    # q1 is 1 or 1/2 and weighs a millionth of q2
    weights = {"q1": 1, "q2": 1_000_000}
    assert tie_notes(SLICED, BOTH, "mrr", weights=weights, by="country") == [
        f"{TIED}; tie order changes no overall value by 0.0001 or more, but mrr in slices: "
        "JP within 0.5000 – 1.0000."
    ]
    assert tie_notes(SLICED, BOTH, "mrr", weights=weights)[0].endswith(
        "; tie order changes no metric by 0.0001 or more."
    )


def test_what_moves_by_less_is_not_said_to_move_though_rounding_does():
    """q1 is 1/2 or 1 and q2 is 1/2: from 0.5000 to 3,000.5/6,000, which is rounded to 0.5001."""
    run, truth = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}, {"q1": {"a": 1}, "q2": {"b": 1}}
    [note] = tie_notes(run, truth, "mrr", weights={"q1": 1, "q2": 5_999})
    assert note == f"{TIED}; tie order changes no metric by 0.0001 or more."
    [note] = tie_notes(run, truth, "mrr", weights={"q1": 1, "q2": 4_998})  # 2,500/4,999, 0.00010002 above 1/2
    assert note == f"{TIED}; their order alone moves mrr within 0.5000 – 0.5001."


@pytest.mark.parametrize(("ties", "looked_at"), [("item_desc", ["item_asc"]), ("item_asc", ["item_desc"])])
def test_the_order_that_was_measured_is_not_measured_again(monkeypatch, ties, looked_at):
    settled, measured = [], []

    @sy.register("list_length")
    class ListLength(sy.RankingMetric):
        at: ClassVar = "never"

        def per_query(self, ranked):
            measured.append(ranked)
            return ranked.retrieved.astype(float)

    settle = notes_module.settle
    monkeypatch.setattr(notes_module, "settle", lambda *given: (settled.append(given[-1]), settle(*given))[1])
    assert len(tie_notes(RUN, TRUTH, "list_length", ties=ties)) == 1
    assert settled == looked_at
    assert len(measured) == 2


def test_weights_and_slices_of_what_moves_the_whole():
    # q1 is 1 or 1/2 and weighs a quarter of all
    [note] = tie_notes(SLICED, BOTH, "mrr", weights={"q1": 1, "q2": 3}, by="country")
    assert note.endswith("; their order alone moves mrr within 0.8750 – 1.0000.")


def test_of_several_rankings_each_note_says_whose_it_is():
    run = {"q": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0}}
    truth = {"q": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 1}}
    result = sy.evaluate(run, truth, ["recall@5", "recall(ties=expected)@5", "mrr(missing=skip)"], ci="none")
    tied = "66.7% of rows are tied with another row of their query"
    assert result.notes[2:] == (
        "1 query has no predictions: counted as empty lists (recall@5, recall(ties=expected)@5).",
        "2 lists are shorter than the cutoff 5: read to the end (recall@5, recall(ties=expected)@5).",
        "1 query has no predictions: left out (mrr(missing=skip)).",
        f"{tied}; tie order changes recall@5 by less than 0.0001.",
        f"{tied}: each value of recall(ties=expected)@5 is the mean over their orders.",
        f"{tied}; their order alone moves mrr(missing=skip) within 0.7500 – 1.0000.",
    )


def test_a_share_that_rounds_to_nothing_is_not_called_0():
    n = 5_000
    run = pl.DataFrame(
        {"query": ["q"] * n, "item": np.arange(n), "score": [0.0, 0.0, *map(float, range(1, n - 1))]}
    )
    [note] = tie_notes(run, pl.DataFrame({"query": ["q"], "item": [0], "relevance": [1]}), "mrr")
    assert note.startswith("less than 0.1% of rows are tied")


def test_queries_of_no_weight_are_not_said_to_be_left_out():
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    truth = {"q1": {"a": 1}, "q2": {"a": 0}}
    assert sy.evaluate(run, truth, ["mrr", "precision@1"], weights={"q1": 1, "q2": 0}, ci="none").notes == ()
    assert len(sy.evaluate(run, truth, ["mrr", "precision@1"], ci="none").notes) == 2


def test_what_is_said_of_grades_names_their_level_and_no_metric():
    run, truth = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 3, "b": 1}}
    result = sy.evaluate(run, truth, ["recall@1", "recall(rel=2)@1", "ndcg(ties=expected)"], ci="none")
    assert result.notes[1:] == (
        "every judged item is relevant: grades are 1 to 3 and rel is 1; did you mean rel=3?",
    )
