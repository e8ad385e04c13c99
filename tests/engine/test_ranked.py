"""Ranks are counts; ties by policy; depth. Everything on one list of five, counted by hand.

a stands alone at the top, then b, c, d and e are tied. b has grade 1, c 3, d -1; a and e are not judged.
The rows are given in the order d, b, a, e, c.
"""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.text.errors import SteelyardError

RUN = [("q", "d", 0.5), ("q", "b", 0.5), ("q", "a", 0.9), ("q", "e", 0.5), ("q", "c", 0.5)]
TRUTH = [("q", "b", 1), ("q", "c", 3), ("q", "d", -1), ("q", "z", 2)]
GRADE = {1.0: "b", 3.0: "c", -1.0: "d"}

# the rank of each hit
RANKS = {
    "item_desc": {"d": 3, "c": 4, "b": 5},  # a, e d c b
    "item_asc": {"b": 2, "c": 3, "d": 4},  # a, b c d e
    "given": {"d": 2, "b": 3, "c": 5},  # a, d b e c
    "optimistic": {"c": 2, "b": 3, "d": 5},  # a, c b e d: no grade stands above a negative one
    "pessimistic": {"d": 2, "b": 4, "c": 5},  # a, d e b c
}


def places(ranked) -> dict[str, int]:
    hits = ranked.hits
    assert hits.tied.tolist() == [1] * len(hits.tied)
    return {
        GRADE[grade]: before + 1
        for grade, before in zip(hits.grade.tolist(), hits.before.tolist(), strict=True)
    }


@pytest.mark.parametrize("ties", RANKS)
def test_ties(ranked, ties):
    found = ranked(RUN, TRUTH, ties=ties)
    assert places(found) == RANKS[ties]
    assert found.hits.before.tolist() == sorted(found.hits.before.tolist())
    assert found.retrieved.tolist() == [5]
    assert found.judged_grade.tolist() == [3, 2, 1, -1]
    assert not found.expected


def test_open_ties(ranked):
    found = ranked(RUN, TRUTH, ties="expected")
    assert found.expected
    assert found.hits.before.tolist() == [1, 1, 1]
    assert found.hits.tied.tolist() == [4, 4, 4]
    assert not ranked([("q", "b", 0.9), ("q", "c", 0.5)], TRUTH, ties="expected").expected


def test_refused_ties(ranked):
    with pytest.raises(
        SteelyardError, match="3 items of a grade other than 0 are tied with another row, first q · "
    ):
        ranked(RUN, TRUTH, ties="error")
    assert places(ranked([("q", "b", 0.9), ("q", "x", 0.5), ("q", "y", 0.5)], TRUTH, ties="error")) == {
        "b": 1
    }


@pytest.mark.parametrize("ties", RANKS)
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 6])
def test_depth(ranked, ties, depth):
    found = ranked(RUN, TRUTH, ties=ties, depth=depth)
    assert places(found) == {item: rank for item, rank in RANKS[ties].items() if rank <= depth}
    assert found.retrieved.tolist() == [min(depth, 5)]
    assert found.limit(None) == depth
    assert found.limit(2) == min(2, depth)


@pytest.mark.parametrize(("depth", "hits"), [(1, 0), (2, 2 / 4), (3, 2 * 2 / 4), (5, 2), (9, 2)])
def test_depth_that_divides_an_open_tie(ranked, depth, hits):
    # b and c are relevant; each place of the tie holds one of the two with chance 2/4
    found = ranked(RUN, TRUTH, ties="expected", depth=depth)
    assert found.relevant_in(None, 1.0).tolist() == [hits]
    assert found.relevant_in(2, 1.0).tolist() == [min(hits, 2 / 4)]


def test_counts_of_several_queries(ranked):
    run = [
        ("q2", "x", 1.0),
        ("q1", "x", 0.1),
        ("q1", "y", 0.2),
        ("q2", "y", 1.0),
        ("q1", "z", 0.1),
        ("q1", "w", 0.1),
    ]
    truth = [("q1", "x", 1), ("q1", "z", 0), ("q2", "y", 2), ("q3", "x", 1)]
    found = ranked(run, truth, ties="expected")
    assert found.queries.to_list() == ["q1", "q2", "q3"]
    assert found.retrieved.tolist() == [4, 2, 0]
    # z of q1 has grade 0 and is no hit, but is counted in the tie
    assert found.hits.query.tolist() == [0, 1]
    assert found.hits.grade.tolist() == [1, 2]
    assert found.hits.before.tolist() == [1, 0]
    assert found.hits.tied.tolist() == [3, 2]
    assert found.n_relevant(1.0).tolist() == [1, 1, 1]
    assert found.n_relevant(2.0).tolist() == [0, 1, 0]


@pytest.mark.parametrize(("item_order", "first"), [("native", 10), ("text", 9)])
def test_ids_compared_as_numbers_or_as_text(ranked, item_order, first):
    run = [("q", 9, 0.5), ("q", 10, 0.5)]
    for item in (9, 10):
        found = ranked(run, [("q", item, 1)], item_order=item_order)
        assert found.hits.before.tolist() == [0 if item == first else 1]
        found = ranked(run, [("q", item, 1)], item_order=item_order, ties="item_asc")
        assert found.hits.before.tolist() == [1 if item == first else 0]


@pytest.mark.parametrize("item_order", ["native", "text"])
def test_text_ids_are_compared_by_their_bytes(ranked, item_order):
    for items, top in (
        (["9", "10"], "9"),
        (["-1", "-2"], "-2"),
        (["Z", "a"], "a"),
        (["z", "ä"], "ä"),
        (["ｚ", "🍎"], "🍎"),
    ):
        run = [("q", item, 0.5) for item in items]
        assert ranked(run, [("q", top, 1)], item_order=item_order).hits.before.tolist() == [0]


def test_scores_in_single_precision(ranked):
    # 1 + 5e-8 is 1 in single precision, whose next number is 1 + 1.2e-7
    run = [("q", "a", 1.0 + 5e-8), ("q", "b", 1.0), ("q", "c", 1.0 + 2e-7)]
    truth = [("q", "a", 1)]
    assert ranked(run, truth, scores="as_given").hits.before.tolist() == [1]
    assert ranked(run, truth, scores="float32").hits.before.tolist() == [2]  # c, b, a
    found = ranked(run, truth, scores="float32", ties="expected")
    assert (found.hits.before.tolist(), found.hits.tied.tolist()) == ([1], [2])


def test_rows_as_given_have_no_ties(ranked):
    # d, b, a, e, c
    assert places(ranked(RUN, TRUTH, order="given", ties="error")) == {"d": 1, "b": 2, "c": 5}


def test_minus_zero_and_zero_are_tied(ranked):
    found = ranked([("q", "a", -0.0), ("q", "b", 0.0)], [("q", "a", 1)], ties="expected")
    assert found.hits.tied.tolist() == [2]


def test_a_long_list_by_every_policy(ranked):
    """A hundred tied rows; the one relevant item is the 38th by id and the 64th as given."""
    items = [f"{n:03}" for n in range(100)]
    given = sorted(items, key=lambda item: (int(item) * 7 + 4) % 100)
    run = [("q", item, 1.0) for item in given]
    truth = [("q", "037", 1)]
    place = given.index("037")
    expected = {"item_asc": 37, "item_desc": 62, "given": place, "optimistic": 0, "pessimistic": 99}
    assert place == 263 % 100 == 63
    for ties, before in expected.items():
        np.testing.assert_array_equal(ranked(run, truth, ties=ties).hits.before, [before])
