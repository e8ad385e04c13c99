"""Laws of tied items: the mean over all orders by brute force, and the bounds of every order."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy

from ..examples import examples
from . import reference
from .drawn import FLOAT, WHOLE, Query, at_least, fits, measured, queries, same, tables
from .variants import NAMES, variants

BANK = [
    Query(((1, None, None),)),
    Query(((0,), (1, 1, 0, None)), (1, 0)),
    Query(((1, 0, 0), (1, 1, None, 0, None)), (1, 0)),
    Query(((1,), (0,), (1, 0))),
    Query(((1,), (1, 1, 0, 0))),
    Query(((3, 1, 0), (2, -1)), (2,)),
    Query(((2, 1, 1, 3), (0, None), (1, 2)), (3, 0, -1)),
    Query(((0, None),), (0,)),
    Query(((None, None), (2, 2)), (3, 3, 3)),
]
CUTOFFS = (None, 1, 2, 3, 5)


def expected_of(metric, query, highest, depth):
    return reference.expected(metric.spec() | {"depth": depth}, query.groups, query.judged, highest)


def check_expected(metrics, drawn, depth):
    if not metrics:
        return
    highest = max(max(query.grades) for query in drawn)
    for metric, values in zip(metrics, measured(drawn, metrics, ties="expected", depth=depth), strict=True):
        for query, value in zip(drawn, values, strict=True):
            brute = expected_of(metric, query, highest, depth)
            assert same(value, brute), (str(metric), query, value, brute)


def has_expected(metric, depth):
    return not metric.replace(depth=depth).without_expected


@pytest.mark.parametrize("depth", [None, 2, 4])
@pytest.mark.parametrize("name", NAMES)
def test_expected_is_the_mean_over_all_orders(name, depth):
    metrics = [metric for metric in variants(name, CUTOFFS) if has_expected(metric, depth)]
    check_expected(metrics, BANK, depth)


@pytest.mark.parametrize("name", NAMES)
@examples(40)
@given(data=st.data())
def test_expected_is_the_mean_over_all_orders_of_any_list(name, data):
    pool = data.draw(st.sampled_from([WHOLE, FLOAT]))
    drawn = data.draw(st.lists(queries(pool), min_size=1, max_size=2))
    depth = data.draw(st.one_of(st.none(), st.integers(1, 8)))
    grades = set().union(*(query.grades for query in drawn))
    able = [
        metric for metric in variants(name, CUTOFFS) if has_expected(metric, depth) and fits(metric, grades)
    ]
    chosen = data.draw(st.lists(st.sampled_from(able), max_size=12, unique=True)) if able else []
    check_expected(chosen, drawn, depth)


def test_only_what_depends_on_the_order_itself_has_no_expected_form():
    names = [name for name in NAMES if name.removesuffix("@k") in reference.FORMULAS]
    without = {str(metric) for name in names for metric in variants(name) if metric.without_expected}
    assert without == {
        str(metric) for metric in (*variants("mrr", empty="skip"), *variants("ndcg", ideal="topk"))
    }


@pytest.mark.parametrize(
    "metric", ["mrr(empty=skip)@1", "ndcg(ideal=topk)@1", "ndcg(ideal=retrieved, depth=1)"]
)
def test_without_an_expected_form_ties_are_an_error(metric):
    said, true = tables([Query(((1, 0),))])
    with pytest.raises(sy.SteelyardError, match="no expected value over ties") as caught:
        sy.evaluate(said, true, metric, ties="expected")
    assert "ties=item_desc" in caught.value.remedy


@pytest.mark.parametrize(
    "metric", ["mrr(empty=skip)@1", "ndcg(ideal=topk)@1", "ndcg(ideal=retrieved, depth=1)"]
)
def test_without_ties_among_judged_items_there_is_nothing_to_expect(metric):
    said, true = tables([Query(((1,), (None, None)))])
    assert list(sy.evaluate(said, true, metric, ties="expected").table()["value"]) == [1.0]


@pytest.mark.parametrize("name", NAMES)
@examples(8)
@given(data=st.data())
def test_every_tie_order_lies_between_pessimistic_and_optimistic(name, data):
    pool = data.draw(st.sampled_from([WHOLE, FLOAT]))
    drawn = data.draw(st.lists(queries(pool, max_items=10), min_size=3, max_size=8))
    depth = data.draw(st.one_of(st.none(), st.integers(1, 8)))
    grades = set().union(*(query.grades for query in drawn))
    able = [
        metric
        for metric in variants(name, CUTOFFS)
        if metric.replace(depth=depth).monotone and fits(metric, grades)
    ]
    metrics = data.draw(st.lists(st.sampled_from(able), min_size=1, max_size=8, unique=True)) if able else []
    if not metrics:
        return
    low, high = (measured(drawn, metrics, ties=ties, depth=depth) for ties in ("pessimistic", "optimistic"))
    expected = ("expected",) if all(has_expected(metric, depth) for metric in metrics) else ()
    for ties in ("item_desc", "item_asc", "given", *expected):
        between = measured(drawn, metrics, ties=ties, depth=depth)
        for metric, lows, ones, highs in zip(metrics, low, between, high, strict=True):
            for bottom, one, top in zip(lows, ones, highs, strict=True):
                assert at_least(top, one), (metric, ties)
                assert at_least(one, bottom), (metric, ties)


@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("name", NAMES)
def test_the_bounds_are_those_of_the_best_and_the_worst_order(name, depth):
    metrics = [m for m in variants(name, CUTOFFS) if m.replace(depth=depth).monotone]
    if not metrics:
        return
    low, high = (measured(BANK, metrics, ties=ties, depth=depth) for ties in ("pessimistic", "optimistic"))
    for metric, lows, highs in zip(metrics, low, high, strict=True):
        for query, bottom, top in zip(BANK, lows, highs, strict=True):
            spec = metric.spec()
            orders = [order[:depth] for order in reference.orders(query.groups)]
            values = [reference.value(spec, order, query.judged, 3) for order in orders]
            if math.isnan(values[0]):
                assert math.isnan(bottom)
                assert math.isnan(top)
                continue
            assert same(bottom, min(values)), (metric, query)
            assert same(top, max(values)), (metric, query)


@pytest.mark.parametrize("metric", ["map(denominator=hits)@3", "ndcg(ideal=topk)@3", "mrr(empty=skip)@3"])
def test_optimistic_is_best_grade_first_even_where_that_is_not_best(metric):
    drawn = [Query(((1,), (0,), (1, 0)), ())]
    spec = sy.metric(metric).spec()
    for ties, shown in (("optimistic", [1, 0, 1, 0]), ("pessimistic", [1, 0, 0, 1])):
        [[value]] = measured(drawn, [sy.metric(metric)], ties=ties)
        assert same(value, reference.value(spec, shown, [1, 1]))


def test_ties_among_items_without_grade_are_no_error():
    said, true = tables([Query(((1,), (0, None, None)))])
    assert sy.evaluate(said, true, "mrr", ties="error")["mrr"] == 1.0


def test_a_tie_with_a_judged_item_can_be_made_an_error():
    said, true = tables([Query(((1, None),))])
    with pytest.raises(
        sy.SteelyardError, match="1 item of a grade other than 0 is tied with another row, first q00 · i00"
    ):
        sy.evaluate(said, true, "mrr", ties="error")


@pytest.mark.parametrize(("ties", "depth"), list(product(["optimistic", "pessimistic"], [None, 2, 3])))
def test_tied_items_without_grade_stand_between_positive_and_negative_ones(ties, depth):
    query = Query(((2, None, -1, 1, 0),), ())
    order = [2, 1, None, 0, -1] if ties == "optimistic" else [-1, None, 0, 1, 2]
    metrics = [metric for name in NAMES for metric in variants(name, CUTOFFS)]
    for metric, [value] in zip(metrics, measured([query], metrics, ties=ties, depth=depth), strict=True):
        brute = reference.value(metric.spec(), order[:depth], query.judged, 2)
        assert same(value, brute), metric


def test_an_item_of_grade_0_may_be_tied_where_ties_are_an_error():
    # the order of items without gain and relevance changes no value
    said, true = tables([Query(((1,), (0, 0, None)))])
    assert sy.evaluate(said, true, "ndcg", ties="error")["ndcg"] == 1.0


@pytest.mark.parametrize("grade", [0.5, -1, 1])
def test_any_other_grade_may_not(grade):
    said, true = tables([Query(((3,), (grade, None)))])
    with pytest.raises(sy.SteelyardError, match="1 item of a grade other than 0 is tied with another row"):
        sy.evaluate(said, true, "mrr(rel=2)", ties="error")


def test_a_tie_that_no_list_reaches_is_no_error():
    said, true = tables([Query(((1,), (2,), (1, None)))])
    assert sy.evaluate(said, true, "mrr", ties="error", depth=2)["mrr"] == 1.0
    with pytest.raises(sy.SteelyardError, match="is tied with another row"):
        sy.evaluate(said, true, "mrr", ties="error", depth=3)
