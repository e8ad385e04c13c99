"""The steps of every ranking metric lead to its value, whatever its fields, lists and ties."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.conventions import plain as plain_text
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.render.explanation import explain_list
from steelyard.text.errors import SteelyardError

from ...examples import examples
from ...laws.drawn import Query, lists, queries, tables
from ...laws.variants import NAMES, REGISTERED, SHARED, variants
from .reading import HALF, arithmetic, bounds, numbers
from .reading import tables as read_tables

CUTOFFS = (None, 1, 3)
HAND_MADE = [
    ([3, 2, 3, 0, 1], None),
    ([0, 0, 1], None),
    ([0, 2, 1, 0], [3, 2, 2, 1, 1, 0]),
    ([1], [1, 1, 1]),
    ([0, 0], [0, 0]),
    ([0, -1, 2], [2, 0, -1]),
    ([], [1, 2]),
    ([], [0]),
    ([1, 0] * 20, [1] * 25),
]
TIED = [
    Query(((1, None, None),)),
    Query(((0,), (1, 1, 0, None)), (1, 0)),
    Query(((1, 0, 0), (1, 1, None, 0, None)), (1, 0)),
    Query(((3, 1, 0), (2, -1)), (2,)),
    Query(((2, 1, 1, 3), (0, None), (1, 2)), (3, 0, -1)),
    Query(((None, None), (2, 2)), (3, 3, 3)),
    Query(((0, None),), (0,)),
    Query((tuple([1, 0, None] * 9),), (1,)),
]


def same(one, other):
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)


def check(made, value):
    assert same(made.value, value), made.metric
    assert same(made.recomputed(), value), f"{made.metric}\n{made}"


@pytest.mark.parametrize("name", NAMES)
def test_hand_made_lists(name):
    for metric in variants(name, CUTOFFS):
        for grades, judged in HAND_MADE:
            made = explain_list(metric, listed(metric, grades, judged))
            check(made, metric.of(grades, judged))


@pytest.mark.parametrize("name", NAMES)
@examples(6)
@given(data=st.data())
def test_drawn_lists(name, data):
    grades, judged = data.draw(lists())
    depth = data.draw(st.sampled_from([None, 2]))
    undefined = data.draw(st.sampled_from(["nan", "zero", "one"]))
    for metric in variants(name, CUTOFFS, depth=depth, undefined=undefined):
        made = explain_list(metric, listed(metric, grades, judged, depth))
        check(made, metric.of(grades, judged))


def listed(metric, grades, judged=None, depth=None):
    """Grades as a list that a metric reads, with judged zeros where it needs them."""
    return ShownList.of_grades(grades, judged, depth, zeros=metric.needs_judged_zeros)


def check_all(metrics, drawn, **conventions):
    """Every query of an evaluation, each list shown as it was ranked."""
    result = sy.evaluate(*tables(drawn), metrics, **conventions)
    for one in result.measured:
        queries = one.units.to_list()
        for shown, value in zip(result.lists.shown(one.need, queries), one.each, strict=True):
            check(explain_list(one.metric, shown), value)


def expected_forms(name, ties):
    return [metric for metric in variants(name, CUTOFFS) if ties != "expected" or not metric.without_expected]


OPEN = [name for name in NAMES if expected_forms(name, "expected")]  # with a value for ties that stand open
TIES = [(name, ties) for name in NAMES for ties in ("item_desc", "optimistic", "pessimistic")]


@pytest.mark.parametrize(("name", "ties"), [*TIES, *((name, "expected") for name in OPEN)])
def test_ties_of_hand_made_lists(name, ties):
    # every fourth form: the fields have little to do with each other, and tables take their time
    check_all(expected_forms(name, ties)[::4], TIED, ties=ties)


@pytest.mark.parametrize("name", OPEN)
@examples(10)
@given(data=st.data())
def test_open_ties_of_drawn_lists(name, data):
    drawn = data.draw(st.lists(queries(), min_size=1, max_size=2))
    unjudged = data.draw(st.sampled_from(["nonrelevant", "drop"]))
    depth = data.draw(st.sampled_from([None, 3]))
    metrics = [m for m in variants(name, (None, 2, 3), depth=depth) if not m.without_expected]
    chosen = data.draw(st.lists(st.sampled_from(metrics), min_size=1, max_size=4, unique=True))
    check_all(chosen, drawn, ties="expected", unjudged=unjudged)


@pytest.mark.parametrize("name", NAMES)
def test_printed_numbers_lead_to_the_printed_value(name):
    """The text alone: what is printed adds up, to the rounding of what is printed."""
    for metric in variants(name, CUTOFFS):
        for grades, judged in HAND_MADE:
            made = explain_list(metric, listed(metric, grades, judged))
            text = made.to_text()
            lines = arithmetic(text)
            shown = lines[-1][2]
            if math.isnan(made.value):
                assert shown in ("–", "undefined"), text
                continue
            assert abs(float(shown) - made.value) <= HALF, text
            for _, expression, value in lines:
                if expression is not None and value != "–":
                    low, high = bounds(expression)
                    assert low - HALF <= float(value) <= high + HALF, text
            for table, parsed in zip(made.steps, read_tables(text), strict=True):
                check_sums(table, parsed, made)
                check_rows(parsed)


def check_rows(parsed):
    """Gain times discount, position by position, and the running sum."""
    if "gain × discount" not in parsed:
        return
    *rows, _ = zip(parsed["gain"], parsed["discount"], parsed["gain × discount"], strict=True)
    for gain, discount, product in rows:
        assert abs(float(gain) * float(discount) - float(product)) <= (float(gain) + 1) * HALF
    running = 0.0
    for (_, _, product), so_far in zip(rows, parsed.get("running", []), strict=False):
        running += float(product)
        assert len(rows) > 29 or abs(running - float(so_far)) <= (len(rows) + 1) * HALF


def check_sums(table, parsed, made):
    headers = list(parsed)
    for at, column in enumerate(table.columns):
        if column.key not in table.total:
            continue
        *cells, total = parsed[headers[at]]
        added = sum(numbers(cells))
        if table.shown is None:
            assert abs(added - float(total)) <= (len(cells) + 1) * HALF, (made.metric, column.name)
        first, last = bounds(total)
        value = math.fsum(float(cell) for cell in column.cells if cell is not None)
        assert first - HALF <= value <= last + HALF


@pytest.mark.parametrize("name", NAMES)
def test_other_choices_are_what_they_would_have_been(name):
    for metric in variants(name, (None, 3)):
        grades, judged = HAND_MADE[2]
        made = explain_list(metric, listed(metric, grades, judged))
        for other in made.others:
            choice = other.text.removeprefix(f"{other.field}=")
            if choice == other.text:  # it has another name: the text is that of the whole metric
                assert (other.field, str(other.metric)) == ("beta", other.text)
                choice = plain_text(getattr(other.metric, other.field))
            wanted = {other.field: choice} if other.field != "k" else {"k": None}
            plain = type(metric)(**{**made.metric.values(), **wanted})
            assert other.metric == plain
            assert same(other.value, other.metric.of(grades, judged)), other.text


@pytest.mark.parametrize("name", NAMES)
def test_every_other_choice_is_there(name):
    metric = REGISTERED[name]() if REGISTERED[name].at != "required" else REGISTERED[name](k=3)
    made = explain_list(metric, listed(metric, *HAND_MADE[2]))
    told = {other.text for other in made.others}
    for field in dataclasses.fields(metric):
        if field.name in SHARED or "meaning" not in field.metadata:
            continue
        for choice in field.metadata["meaning"]:
            if choice == getattr(metric, field.name):
                continue
            try:
                type(metric)(**{**metric.values(), field.name: choice})
            except SteelyardError:
                continue
            assert f"{field.name}={choice}" in told


def test_the_gain_of_a_grade_that_a_mapping_lacks_is_refused():
    metric = sy.metric("dcg(gain=1:3)")
    with pytest.raises(SteelyardError, match="grade 2"):
        sy.explain(metric, grades=[2, 1])


def test_a_full_ideal_of_any_length():
    for k in (1, 999, 1000, 1001, 50_000, 10**9):
        metric = sy.NDCG(k=k, ideal="full", max_grade=3)
        made = explain_list(metric, listed(metric, [3, 1, 2]))
        check(made, metric.of([3, 1, 2]))
    assert made.steps[1].columns[0].cells[-1] == "1001–1000000000"


def test_a_metric_of_ones_own_shows_what_it_was_measured_on():
    @sy.register("graded_share")
    class GradedShare(sy.RankingMetric):
        """The share of graded items."""

        def per_query(self, ranked: Ranked):
            return ranked.relevant_in(None, 1.0) / np.maximum(ranked.retrieved, 1)

    made = sy.explain("graded_share", grades=[1, 0, 2, 0])
    assert (made.value, made.recomputed()) == (0.5, 0.5)
    text = made.to_text()
    assert "no steps are known for graded_share" in text
    assert read_tables(text)[0] == {"rank": ["1", "2", "3", "4"], "grade": ["1", "0", "2", "0"]}
    assert text.count("graded_share = 0.5000") == 1
    assert "formula" not in text
    assert "没有分步计算" in made.to_text("zh")
