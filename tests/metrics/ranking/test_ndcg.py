"""Normalised discounted cumulative gain, by hand."""

from __future__ import annotations

from math import log2, nan

import polars as pl
import pytest

import steelyard as sy
from steelyard import NDCG

from ...tables import each_row
from ..worked import check, check_undefined, table, tables

# two of four judged items were shown, and one that nobody judged: 1 at rank 1, 3 at rank 3
SHOWN, JUDGED = [1, 0, 3], [3, 2, 1, 3]
DCG_3, DCG_2 = 1 + 3 / 2, 1

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (NDCG(k=3), [0, 2, 1], None, (2 / log2(3) + 1 / 2) / (2 + 1 / log2(3))),
    (NDCG(k=3, gain="exp2"), [0, 2, 1], None, (3 / log2(3) + 1 / 2) / (3 + 1 / log2(3))),
    (NDCG(k=3, gain={1: 3, 2: 9}), [0, 2, 1], None, (9 / log2(3) + 3 / 2) / (9 + 3 / log2(3))),
    (NDCG(k=1), [0, 2, 1], None, 0),
    (NDCG(), [0, 2, 1], None, (2 / log2(3) + 1 / 2) / (2 + 1 / log2(3))),
    (NDCG(k=30), [0, 2, 1], None, (2 / log2(3) + 1 / 2) / (2 + 1 / log2(3))),
    (NDCG(discount="jarvelin"), [0, 2, 1, 3], None, (2 + 1 / log2(3) + 3 / 2) / (3 + 2 + 1 / log2(3))),
    # the ideal of all judged items, cut at k
    (NDCG(k=3), SHOWN, JUDGED, DCG_3 / (3 + 3 / log2(3) + 2 / 2)),
    (NDCG(k=2), SHOWN, JUDGED, DCG_2 / (3 + 3 / log2(3))),
    (NDCG(), SHOWN, JUDGED, DCG_3 / (3 + 3 / log2(3) + 2 / 2 + 1 / log2(5))),
    # not cut
    (NDCG(k=2, ideal="judged_uncut"), SHOWN, JUDGED, DCG_2 / (3 + 3 / log2(3) + 2 / 2 + 1 / log2(5))),
    (NDCG(ideal="judged_uncut"), SHOWN, JUDGED, DCG_3 / (3 + 3 / log2(3) + 2 / 2 + 1 / log2(5))),
    # cut at the number shown
    (NDCG(k=10, ideal="judged_shown"), SHOWN, JUDGED, DCG_3 / (3 + 3 / log2(3) + 2 / 2)),
    (NDCG(k=2, ideal="judged_shown"), SHOWN, JUDGED, DCG_2 / (3 + 3 / log2(3))),
    (NDCG(ideal="judged_shown"), SHOWN, JUDGED, DCG_3 / (3 + 3 / log2(3) + 2 / 2)),
    (NDCG(ideal="judged_shown"), [], [1], nan),
    # all that was shown, cut at k
    (NDCG(k=2, ideal="retrieved"), SHOWN, JUDGED, DCG_2 / (3 + 1 / log2(3))),
    (NDCG(k=1, ideal="retrieved"), SHOWN, JUDGED, 1 / 3),
    (NDCG(ideal="retrieved"), SHOWN, JUDGED, DCG_3 / (3 + 1 / log2(3))),
    (NDCG(ideal="retrieved"), [0], [1], nan),
    # only the k shown
    (NDCG(k=2, ideal="topk"), SHOWN, JUDGED, 1 / 1),
    (NDCG(k=3, ideal="topk"), SHOWN, JUDGED, DCG_3 / (3 + 1 / log2(3))),
    (NDCG(ideal="topk"), SHOWN, JUDGED, DCG_3 / (3 + 1 / log2(3))),
    (NDCG(k=2, ideal="topk"), [0, 0, 3], None, nan),
    # k items of the highest grade
    (NDCG(k=2, ideal="full"), SHOWN, JUDGED, DCG_2 / (3 + 3 / log2(3))),
    (NDCG(k=4, ideal="full"), SHOWN, JUDGED, DCG_3 / (3 + 3 / log2(3) + 3 / 2 + 3 / log2(5))),
    (NDCG(k=2, ideal="full", max_grade=5), SHOWN, JUDGED, DCG_2 / (5 + 5 / log2(3))),
    (NDCG(k=2, ideal="full", max_grade=4, gain="exp2"), SHOWN, JUDGED, 1 / (15 + 15 / log2(3))),
    (NDCG(k=2, ideal="full", gain={1: 2, 2: 3, 3: 5}), SHOWN, JUDGED, 2 / (5 + 5 / log2(3))),
    (NDCG(k=2, ideal="full", discount="jarvelin"), SHOWN, JUDGED, 1 / (3 + 3)),
    (NDCG(k=2, ideal="full"), [0], [1], 0),
    (NDCG(k=1, ideal="full"), [0.5], None, 1),
    (NDCG(k=1, ideal="full"), [0.25], [0.25, 0.5], 1 / 2),
    (NDCG(k=2, ideal="full"), [0, 0], None, nan),
    (NDCG(k=2, ideal="full"), [-1, 0], None, nan),
    (NDCG(k=2, ideal="full", max_grade=2), [0, 0], None, 0),
    (NDCG(k=1, ideal="full", gain={3: 9}), [0], None, nan),
    # the highest grade is that of all lists
    (NDCG(k=1, ideal="full"), [[1], [2]], None, (1 / 2 + 1) / 2),
    # grades
    (NDCG(), [0.5, 1.5], None, (0.5 + 1.5 / log2(3)) / (1.5 + 0.5 / log2(3))),
    (NDCG(), [-1, 1], None, (1 / log2(3)) / 1),
    (NDCG(ideal="retrieved"), [-1, 1], None, (1 / log2(3)) / 1),
    (NDCG(ideal="judged_shown"), [-1, 1], [-1, 1, 1], (1 / log2(3)) / (1 + 1 / log2(3))),
    # nothing shown, nothing relevant
    (NDCG(), [], [1], 0),
    (NDCG(), [0], [1], 0),
    (NDCG(), [0], [0], nan),
    (NDCG(), [-1], [-1], nan),
    (NDCG(), [], [], nan),
    # several lists
    (NDCG(), [[1], [0, 1], [0]], None, (1 + 1 / log2(3)) / 2),
    (NDCG(undefined="zero"), [[1], [0, 1], [0]], None, (1 + 1 / log2(3) + 0) / 3),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(NDCG(k=5), [0, 0], [0])
    check_undefined(NDCG(k=5, ideal="retrieved"), [0, 0], [1])
    check_undefined(NDCG(k=1, ideal="topk"), [0, 1], [1])


def test_a_full_ideal_needs_a_cutoff():
    for make in (lambda: NDCG(ideal="full"), lambda: sy.metric("ndcg(ideal=full)")):
        with pytest.raises(sy.SteelyardError, match="ndcg: ideal=full needs a cutoff"):
            make()


def test_a_grade_beyond_the_highest_is_an_error():
    metric = NDCG(k=2, ideal="full", max_grade=2)
    with pytest.raises(sy.SteelyardError, match="the truth has grade 3, above max_grade=2") as caught:
        metric.of([1], judged=[1, 3])
    assert "max_grade=3" in caught.value.remedy
    with pytest.raises(sy.SteelyardError, match="above max_grade=2"):
        sy.evaluate(*tables([1], [1, 3]), metric)


@each_row("grade", [0, -1, "high", float("nan"), None])
def test_the_highest_grade_is_above_0(grade):
    with pytest.raises(sy.SteelyardError, match="max_grade must be a number above 0, or 'truth'"):
        NDCG(k=2, ideal="full", max_grade=grade)


def test_the_specification_holds_the_highest_grade():
    result = sy.evaluate(*tables([1, 0], [1, 4]), "ndcg(ideal=full)@2")
    assert result.spec()["ndcg(ideal=full)@2"]["max_grade"] == 4.0


def test_the_highest_grade_is_that_of_the_whole_truth_in_every_slice():
    truth = pl.DataFrame(
        {"query": ["a", "b"], "item": ["x", "x"], "relevance": [1, 2], "place": ["here", "there"]}
    )
    table_ = sy.evaluate({"a": {"x": 1.0}, "b": {"x": 1.0}}, truth, "ndcg(ideal=full)@1", by="place").table()
    assert dict(table_.select("place", "value").rows()) == {"(all)": 3 / 4, "here": 1 / 2, "there": 1.0}


def test_what_it_declares():
    assert NDCG.bounds == (0.0, 1.0)
    fixed = ("judged", "judged_uncut", "judged_shown", "retrieved", "full")
    assert all(NDCG(k=3, ideal=ideal).monotone for ideal in fixed)
    assert not any(NDCG(k=3, ideal=ideal).without_expected for ideal in fixed)
    assert not NDCG(k=3, ideal="topk").monotone
    assert NDCG(k=3, ideal="topk").without_expected
