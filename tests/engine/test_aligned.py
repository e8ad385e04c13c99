"""Predictions meet truth: each align convention on a few rows."""

from __future__ import annotations

from math import inf

import polars as pl
import pytest

from steelyard import read
from steelyard.conventions import Align
from steelyard.engine.align import align
from steelyard.engine.coding import encode
from steelyard.text.errors import SteelyardError

RUN = [("q1", "a", 0.9), ("q1", "b", 0.5), ("q2", "a", 0.4)]
TRUTH = [("q1", "b", 2), ("q1", "z", 1), ("q2", "a", 0)]


def lists(aligned) -> dict[str, list[tuple[float, float | None]]]:
    """Per query the rows to be ranked: strength and grade (None where there is no judgement)."""
    rows = [
        (strength, aligned.grade[at] if at >= 0 else None)
        for strength, at in zip(aligned.strength.tolist(), aligned.judgement.tolist(), strict=True)
    ]
    starts, ends = aligned.offsets[:-1], aligned.offsets[1:]
    return {query: rows[start:end] for query, start, end in zip(aligned.queries, starts, ends, strict=True)}


def judged(aligned) -> dict[str, list[float]]:
    starts, ends = aligned.judged_offsets[:-1], aligned.judged_offsets[1:]
    return {q: aligned.grade[s:e].tolist() for q, s, e in zip(aligned.queries, starts, ends, strict=True)}


def test_the_plain_case(aligned):
    found = aligned(RUN, TRUTH)
    assert lists(found) == {"q1": [(0.9, None), (0.5, 2)], "q2": [(0.4, 0)]}
    assert judged(found) == {"q1": [2, 1], "q2": [0]}


def test_only_grades_other_than_0_are_hits(aligned):
    run = [("q", item, 1.0) for item in "abcde"]
    truth = [("q", "a", 0), ("q", "b", 3), ("q", "c", -1), ("q", "d", 0.5)]
    assert aligned(run, truth).tally.hits == 3
    assert aligned(run, truth).tally.unjudged == 1


@pytest.mark.parametrize(
    ("grades", "refused", "taken"),
    [
        ("whole", [0.5, 2.5], [-1, 0, 2]),
        ("not_negative", [-1, -0.5], [0, 0.5, 2]),
        ("natural", [-1, 0.5], [0, 1, 7]),
        ("binary", [-1, 0.5, 2], [0, 1]),
    ],
)
def test_grades_of_another_kind_are_errors(aligned, grades, refused, taken):
    for grade in refused:
        with pytest.raises(SteelyardError, match=f"has a grade of {float(grade)}"):
            aligned(RUN, [("q1", "b", grade)], grades=grades)
    for grade in taken:
        assert judged(aligned(RUN, [("q1", "b", grade)], grades=grades)) == {"q1": [grade]}


# --- duplicates

TWICE = [("q", "a", 0.1), ("q", "b", 0.5), ("q", "a", 0.9)]


@pytest.mark.parametrize(
    ("duplicates", "kept"), [("first", [(0.1, 1), (0.5, None)]), ("best", [(0.5, None), (0.9, 1)])]
)
def test_doubled_predictions(aligned, duplicates, kept):
    found = aligned(TWICE, [("q", "a", 1)], duplicates=duplicates)
    assert lists(found) == {"q": kept}
    assert found.tally.doubled_predictions == 1


def test_of_equal_doubled_predictions_the_first_counts(aligned):
    found = aligned([("q", "a", 0.5), ("q", "b", 0.5), ("q", "a", 0.5)], [("q", "a", 1)], duplicates="best")
    assert found.rows(found.offsets[:1]).tolist() == [0]
    assert found.tally.retrieved == 2


@pytest.mark.parametrize("duplicates", ["first", "best"])
def test_a_masked_row_is_not_the_one_that_counts(aligned, duplicates):
    found = aligned(
        [("q", "a", -inf), ("q", "a", 0.5), ("q", "a", 0.7)], [("q", "a", 1)], duplicates=duplicates
    )
    assert lists(found) == {"q": [(0.5 if duplicates == "first" else 0.7, 1)]}
    assert (found.tally.masked, found.tally.doubled_predictions, found.tally.retrieved) == (1, 2, 1)


def test_the_same_item_in_two_queries_is_not_doubled(aligned):
    assert aligned([("q1", "a", 1.0), ("q2", "a", 1.0)], TRUTH).tally.doubled_predictions == 0


@pytest.mark.parametrize(("duplicates", "grade"), [("first", 0), ("best", 2)])
def test_doubled_judgements(aligned, duplicates, grade):
    truth = [("q", "a", 0), ("q", "a", 2), ("q", "a", 1), ("q", "z", 1)]
    found = aligned([("q", "a", 0.5)], truth, duplicates=duplicates)
    assert judged(found) == {"q": [grade, 1]}
    assert found.tally.doubled_judgements == 2
    assert found.tally.judgements == 4


def test_doubled_predictions_are_an_error_with_their_place(aligned):
    with pytest.raises(SteelyardError) as error:
        aligned([*TWICE, ("p", "x", 1.0), ("q", "b", 0.2)], [("q", "a", 1)])
    assert error.value.message == (
        "2 rows of predictions repeat a (query, item), first q · a "
        "(predictions, row 1 and predictions, row 3)"
    )


def test_doubled_judgements_are_an_error_with_their_place(aligned):
    with pytest.raises(SteelyardError) as error:
        aligned(RUN, [*TRUTH, ("q1", "z", 1)])
    assert error.value.message == (
        "1 row of truth repeats a (query, item), first q1 · z (truth, row 2 and truth, row 4)"
    )
    assert "duplicates=best" in error.value.remedy


def test_the_place_of_doubled_rows_in_files(tmp_path):
    (tmp_path / "a.csv").write_text("query,item,score\nq,a,1\nq,b,1\n")
    (tmp_path / "b.csv").write_text("query,item,score\nq,c,1\nq,b,2\n")
    run = read.predictions([tmp_path / "a.csv", tmp_path / "b.csv"])
    with pytest.raises(SteelyardError) as error:
        align(encode(run, read.truth({"q": {"a": 1}})), Align(), "score")
    assert f"({tmp_path / 'a.csv'}, row 2 and {tmp_path / 'b.csv'}, row 2)" in error.value.message


# --- missing and unexpected queries

BEYOND_RUN = [*RUN, ("q7", "a", 0.3)]
BEYOND_TRUTH = [*TRUTH, ("q5", "a", 1)]


@pytest.mark.parametrize(
    ("convention", "queries"),
    [
        ({}, ["q1", "q2", "q5"]),
        ({"missing": "skip"}, ["q1", "q2"]),
        ({"unexpected": "keep"}, ["q1", "q2", "q7", "q5"]),
        ({"missing": "skip", "unexpected": "keep"}, ["q1", "q2", "q7"]),
    ],
)
def test_queries_of_one_side_only(aligned, convention, queries):
    found = aligned(BEYOND_RUN, BEYOND_TRUTH, **convention)
    assert found.queries.to_list() == queries
    assert (found.tally.queries_missing, found.tally.queries_unexpected) == (1, 1)
    assert found.tally.queries == len(queries)
    if "q5" in queries:
        assert lists(found)["q5"] == []
        assert judged(found)["q5"] == [1]
    if "q7" in queries:
        assert lists(found)["q7"] == [(0.3, None)]
        assert judged(found)["q7"] == []
    assert found.tally.retrieved == 3 + ("q7" in queries)


def test_queries_of_one_side_only_can_be_refused(aligned):
    with pytest.raises(SteelyardError) as error:
        aligned(BEYOND_RUN, [*BEYOND_TRUTH, *((f"x{n}", "a", 1) for n in range(5))], missing="error")
    assert error.value.message == "6 truth queries have no predictions in predictions: q5, x0, x1, …"
    assert error.value.remedy == "pass missing=keep to count them as empty lists, or skip to leave them out"
    with pytest.raises(SteelyardError) as error:
        aligned(BEYOND_RUN, BEYOND_TRUTH, unexpected="error")
    assert error.value.message == "1 predicted query is not in truth: q7"
    assert "unexpected=ignore" in error.value.remedy


@pytest.mark.parametrize("convention", [{}, {"missing": "skip"}, {"unexpected": "keep"}])
def test_no_query_in_common(aligned, convention):
    with pytest.raises(SteelyardError) as error:
        aligned([("p1", "a", 1.0)], TRUTH, **convention)
    assert error.value.message == "no query of predictions is in truth: 'p1' … against 'q1' and 'q2' …"


# --- unjudged, truth, self_match, masks, exclude


def test_unjudged_rows_can_be_dropped(aligned):
    found = aligned(RUN, TRUTH, unjudged="drop")
    assert lists(found) == {"q1": [(0.5, 2)], "q2": [(0.4, 0)]}
    assert found.tally.unjudged == 1


def test_only_the_judgements_of_supplied_rows(aligned):
    found = aligned([*RUN, ("q1", "c", -inf)], [*TRUTH, ("q1", "c", 3)], judgements="retrieved")
    assert judged(found) == {
        "q1": [2],
        "q2": [0],
    }  # neither z, which was not supplied, nor c, which is masked
    assert lists(found)["q1"] == [(0.9, None), (0.5, 2)]


def test_lists_of_one_kind_are_left_out(aligned):
    """q1 has a relevant item and another, q2 has none, q3 nothing else; z and the query q4 are not shown."""
    run = [*RUN, ("q3", "a", 0.4), ("q3", "b", 0.3)]
    truth = [*TRUTH, ("q3", "a", 1), ("q3", "b", 1), ("q4", "a", 1)]
    found = aligned(run, truth, judgements="mixed")
    assert lists(found) == {"q1": [(0.9, None), (0.5, 2)]}
    assert judged(found) == {"q1": [2]}
    assert found.tally.queries_unmixed == 3
    assert (found.tally.queries, found.tally.retrieved, found.tally.unjudged) == (1, 2, 1)
    dropped = aligned(run, truth, judgements="mixed", unjudged="drop")
    assert lists(dropped) == {}  # without the unjudged item q1 has relevant ones only


def test_where_relevant_judgements_count_alone_one_of_doubled_ones_is_enough(aligned):
    truth = [("q1", "a", 0), ("q1", "a", 2), ("q1", "b", 1), ("q1", "b", 0)]
    for duplicates in ("first", "last", "best", "judged_once"):
        found = aligned(RUN[:2], truth, grades="relevant", duplicates=duplicates)
        assert lists(found) == {"q1": [(0.9, 1), (0.5, 1)]}


def test_an_item_that_is_the_query(aligned):
    run = [("a", "a", 0.9), ("a", "b", 0.5), ("b", "a", 0.4)]
    truth = [("a", "a", 1), ("a", "b", 1), ("b", "a", 1)]
    assert aligned(run, truth).tally.retrieved == 3
    found = aligned(run, truth, self_match="drop")
    assert lists(found) == {"a": [(0.5, 1)], "b": [(0.4, 1)]}
    assert found.tally.self_matched == 1
    numbers = {"a": 1, "b": 2}
    as_numbers = [[(numbers[q], numbers[d], n) for q, d, n in rows] for rows in (run, truth)]
    assert aligned(*as_numbers, self_match="drop").tally.self_matched == 1
    mixed = [[(numbers[q], d, n) for q, d, n in rows] for rows in (run, truth)]
    assert aligned(*mixed, self_match="drop").tally.self_matched == 0


def test_excluded_rows(aligned):
    found = aligned(RUN, TRUTH, exclude=[("q1", "a"), ("q2", "b"), ("q9", "a")])
    assert lists(found) == {"q1": [(0.5, 2)], "q2": [(0.4, 0)]}
    assert found.tally.excluded == 1


def test_strength_by_rank_and_as_given():
    table = read.predictions(
        pl.DataFrame(
            {"query": ["q", "q", "p"], "item": ["a", "b", "a"], "score": [0.1, 0.2, 0.3], "rank": [2, 1, 1]}
        ),
        orders={"score", "rank", "given"},
    )
    both = encode(table, read.truth({"q": {"a": 1}, "p": {"a": 1}}))
    # the highest strength stands first
    assert align(both, Align(), "score").strength.tolist() == [0.1, 0.2, 0.3]
    assert align(both, Align(), "rank").strength.tolist() == [-2, -1, -1]
    assert align(both, Align(), "given").strength.tolist() == [0, -1, -2]


def test_an_order_without_its_column(aligned):
    with pytest.raises(SteelyardError, match="predictions has no rank column, which order=rank needs"):
        aligned(RUN, TRUTH, order="rank")
