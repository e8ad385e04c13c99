"""Laws of tables that are read in parts: they give the result in memory, for every metric."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.metrics import by_name

from ..examples import examples
from ..partial.drawn import (
    CHOICES,
    INTERVALS,
    LISTS,
    RANKINGS,
    ROWS,
    cases,
    fitting,
    kinds_of,
    rankings,
    rows,
    shared_values,
    variants,
    with_default_cutoff,
)
from .in_parts import check, sizes


def test_every_metric_of_the_registry_is_here():
    assert sorted([*RANKINGS, *LISTS, *ROWS]) == sorted(by_name())


# --------------------------------------------------------------------------------------- rankings


@st.composite
def shuffled(draw, call):
    """The same call with the rows of each table in the order drawn, or as they are."""
    if not draw(st.booleans()):
        return call
    seed = draw(st.integers(0, 99))
    return {
        role: table.sample(fraction=1, shuffle=True, seed=seed) if isinstance(table, pl.DataFrame) else table
        for role, table in call.items()
    }


@st.composite
def of_rankings(draw, **how):
    """A call of rankings, its options, and how many rows a part has."""
    call, _, options = draw(rankings(**how))
    call = draw(shuffled(call))
    if draw(st.booleans()):
        call["exclude"] = call["predictions"].select("query", "item")[:: draw(st.integers(3, 5))]
    return call, options, draw(sizes(call))


@pytest.mark.parametrize("name", RANKINGS)
@examples(12)
@given(drawn=of_rankings())
def test_rankings(name, drawn):
    call, options, n = drawn
    check(call, variants(name), n, refusable=True, **options)


@pytest.mark.long
@pytest.mark.parametrize(("field", "word"), CHOICES)
@examples(12)
@given(drawn=of_rankings())
def test_rankings_under_each_convention(field, word, drawn):
    call, options, n = drawn
    check(call, with_default_cutoff(RANKINGS), n, conventions={field: word}, refusable=True, **options)


@pytest.mark.long
@pytest.mark.parametrize("ci", ["none", *INTERVALS])
@examples(12)
@given(drawn=of_rankings(min_queries=4))
def test_intervals_of_rankings(ci, drawn):
    call, options, n = drawn
    metrics = ["hit_rate@1", "ndcg", "mrr", "precision@2"]
    check(call, metrics, n, ci=ci, level=0.9, seed=3, refusable=True, **options)


# --------------------------------------------------------------------------------------- lists


@st.composite
def of_lists(draw):
    """A call of lists, its options, and how many rows a part has."""
    case, call, _ = draw(cases())
    call, options = dict(call), {}
    if draw(st.booleans()):
        call["weights"] = {user: 1 + number % 3 / 4 for number, user in enumerate(case.users)}
    if draw(st.booleans()):
        call["by"] = {user: ("DE", "JP")[number % 2] for number, user in enumerate(case.users)}
    if draw(st.booleans()):
        call["baseline_lists"] = {user: list(case.catalog[n : n + 3]) for n, user in enumerate(case.users)}
    return call, options, draw(sizes(call))


@pytest.mark.parametrize("name", LISTS)
@examples(12)
@given(drawn=of_lists())
def test_lists(name, drawn):
    call, options, n = drawn
    check(call, variants(name), n, refusable=True, **options)


@pytest.mark.long
@pytest.mark.parametrize("name", LISTS)
@examples(8)
@given(drawn=of_lists())
def test_lists_under_each_undefined_and_missing(name, drawn):
    call, options, n = drawn
    check(call, shared_values(name, ("undefined", "missing")), n, refusable=True, **options)


@examples(30)
@given(drawn=of_lists())
def test_lists_without_truth(drawn):
    call, options, n = drawn
    without = {name: table for name, table in call.items() if name != "truth"}
    names = [name for name in LISTS if name not in ("serendipity@k", "exposure_ratio@k")]
    check(without, with_default_cutoff(names), n, **options)


@examples(30)
@given(drawn=of_lists())
def test_lists_and_rankings_together(drawn):
    call, options, n = drawn
    check(call, [*with_default_cutoff(LISTS), *with_default_cutoff(RANKINGS)], n, **options)


# --------------------------------------------------------------------------------------- rows


@st.composite
def of_rows(draw, name):
    """A call of one table for a metric, its options, the kind of its rows, and how many a part has."""
    kind = draw(st.sampled_from(kinds_of(name)))
    frame, options = draw(rows(kind, keyed=True if name == "gauc" else None))
    call = draw(shuffled({"predictions": frame}))
    return call, options, kind, draw(st.integers(1, max(1, frame.height // 2)))


@pytest.mark.parametrize("ci", ["auto", "none"])
@pytest.mark.parametrize("name", ROWS)
@examples(12)
@given(data=st.data())
def test_rows(name, ci, data):
    call, options, kind, n = data.draw(of_rows(name))
    check(call, fitting(name, kind), n, refusable=True, ci=ci, **options)


@pytest.mark.long
@pytest.mark.parametrize("name", ROWS)
@examples(8)
@given(data=st.data())
def test_rows_under_each_undefined(name, data):
    call, options, _, n = data.draw(of_rows(name))
    check(call, shared_values(name, ("undefined", "unlabelled")), n, refusable=True, **options)
