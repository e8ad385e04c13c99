"""Each loop over rows gives what its NumPy twin gives, bit for bit, and what plain Python gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steelyard.kernels import (
    count_before,
    forced,
    group_rows,
    match_rows,
    rows_tied_with_hits,
    tied_and_distinct,
)

from ..examples import examples

KEYS = [0, 1, 2, 3, 5, 2**63, 2**64 - 1, 0x61C8864680B583EB, 2**32, 2**62]  # some share a slot
SCORES = [0.0, 1.0, 1.0 + 2**-52, -1.0, 2.0, 1e308, -1e308, 5e-324]


def both(function, *arguments):
    """The result of kernel and twin, once they are known to agree."""
    with forced("twin"):
        twin = function(*arguments)
    with forced("kernel"):
        kernel = function(*arguments)
    for one, other in zip(_arrays(twin), _arrays(kernel), strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()
    return twin


def _arrays(result):
    return [
        np.asarray(part) for part in (result if isinstance(result, tuple) else (result,)) if part is not None
    ]


def ints(values):
    return np.array(list(values), np.int64)


def offsets(groups):
    return np.concatenate(([0], np.cumsum([len(group) for group in groups]))).astype(np.int64)


def flat(groups, kind):
    return np.array([value for group in groups for value in group], kind)


@examples(200)
@given(
    queries=st.lists(
        st.tuples(
            st.lists(st.sampled_from(KEYS), max_size=12),
            st.lists(st.sampled_from(KEYS), max_size=6, unique=True),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_match_rows(queries):
    keys, judged = zip(*queries, strict=True)
    found = both(match_rows, offsets(keys), flat(keys, np.uint64), offsets(judged), flat(judged, np.uint64))
    starts, judged_starts = offsets(keys), offsets(judged)
    judgement, doubled = [], []
    for q, (mine, theirs) in enumerate(queries):
        for at, key in enumerate(mine):
            judgement.append(judged_starts[q] + theirs.index(key) if key in theirs else -1)
            if key in mine[:at]:
                doubled.append((starts[q] + at, starts[q] + mine.index(key)))
    assert found.judgement.tolist() == judgement
    assert list(zip(found.again.tolist(), found.first.tolist(), strict=True)) == doubled


@examples(200)
@given(query=st.lists(st.integers(0, 6), min_size=1, max_size=40))
def test_group_rows(query):
    order, starts = both(group_rows, ints(query), 8)
    assert starts.tolist() == [sum(q < at for q in query) for at in range(9)]
    if order is None:
        assert query == sorted(query)
    else:
        assert order.tolist() == sorted(range(len(query)), key=lambda row: query[row])


@st.composite
def scored(draw):
    """Scores by query, and some rows of each as hits in any order."""
    groups = draw(st.lists(st.lists(st.sampled_from(SCORES), max_size=15), min_size=1, max_size=5))
    starts = offsets(groups)
    hits = [
        draw(st.lists(st.integers(first, last - 1), unique=True, max_size=6)) if last > first else []
        for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]
    return starts, flat(groups, np.float64), offsets(hits), flat(hits, np.int64)


def query_rows(starts, row):
    q = int(np.searchsorted(starts, row, side="right")) - 1
    return range(starts[q], starts[q + 1])


@examples(200)
@given(drawn=scored())
def test_count_before(drawn):
    starts, score, _, hits = drawn
    counts = both(count_before, *drawn)
    for hit, before, tied in zip(hits, counts.before, counts.tied, strict=True):
        rows = query_rows(starts, hit)
        assert before == sum(score[row] > score[hit] for row in rows)
        assert tied == sum(score[row] == score[hit] for row in rows)


@examples(200)
@given(drawn=scored())
def test_tied_and_distinct(drawn):
    starts, score, _, _ = drawn
    tied, distinct = both(tied_and_distinct, starts, score)
    assert tied == sum(
        sum(score[other] == score[row] for other in query_rows(starts, row)) > 1 for row in range(len(score))
    )
    every = {(query_rows(starts, row).start, score[row]) for row in range(len(score))}
    assert distinct == len(every)


@examples(200)
@given(drawn=scored())
def test_rows_tied_with_hits(drawn):
    starts, score, _, hits = drawn
    wanted = [
        row
        for row in range(len(score))
        if any(hit in query_rows(starts, row) and score[hit] == score[row] for hit in hits)
    ]
    rows, tie = both(rows_tied_with_hits, *drawn, len(wanted))
    assert rows.tolist() == wanted
    ties = {}
    for row, number in zip(rows.tolist(), tie.tolist(), strict=True):
        ties.setdefault(number, set()).add((query_rows(starts, row).start, score[row]))
    assert all(len(members) == 1 for members in ties.values())
    assert len(ties) == len({(query_rows(starts, row).start, score[row]) for row in wanted})


def test_rows_without_number_are_nothing_to_compile_for():
    none = np.empty(0)
    assert both(tied_and_distinct, ints([0, 0]), none) == (0, 0)
    counts = both(count_before, ints([0, 0]), none, ints([0, 0]), ints([]))
    assert [len(part) for part in counts] == [0, 0]


def test_many_rows_of_one_query():
    score = np.arange(5_000, dtype=np.float64) // 3
    hits = ints([0, 2, 4_999, 1_500])
    counts = both(count_before, ints([0, 5_000]), score, ints([0, 4]), hits)
    assert counts.before.tolist() == [4_997, 4_997, 0, 5_000 - 1_503]
    assert counts.tied.tolist() == [3, 3, 2, 3]
    assert both(tied_and_distinct, ints([0, 5_000]), score) == (5_000, 1_667)
