"""How a worked example is checked: from lists of grades, and from the tables that they stand for."""

from __future__ import annotations

import math

import pytest

import steelyard as sy

from ..tables import each_row


def tables(shown, judged=None):
    """Predictions and truth whose ranked lists have these grades.

    A grade 0 that no judged one accounts for is an item without judgement; an empty list is an item that is
    masked; a list with nothing judged has an item of grade 0 that was not shown.
    """
    nested = bool(shown) and isinstance(shown[0], list)
    lists = shown if nested else [shown]
    known = lists if judged is None else judged if nested else [judged]
    said, true = {}, {}
    for number, (grades, all_grades) in enumerate(zip(lists, known, strict=True)):
        query, left = f"q{number:02d}", list(all_grades)
        said[query] = {f"d{place:03d}": -float(place) for place in range(len(grades))}
        said[query] |= {} if grades else {"masked": -math.inf}
        true[query] = {}
        for place, grade in enumerate(grades):
            if grade in left:
                left.remove(grade)
                true[query][f"d{place:03d}"] = grade
            else:
                assert grade == 0, "what is shown with a grade is judged"
        true[query] |= {f"u{at:03d}": grade for at, grade in enumerate(left)}
        true[query] = true[query] or {"u": 0}
    return said, true


def check(metric, shown, judged, value):
    """The value from the lists, from the tables, and from the text of the metric."""
    right = pytest.approx(float(value), rel=1e-14, abs=1e-15, nan_ok=True)
    assert metric.of(shown, judged) == right
    assert sy.metric(str(metric)).of(shown, judged) == right
    result = sy.evaluate(*tables(shown, judged), metric)
    assert result.table()["value"].to_list() == [right]


def table(worked):
    """A table of worked examples for one test, each row named by its metric."""
    return each_row(
        ("metric", "shown", "judged", "value"),
        [pytest.param(*row, id=f"{row[0]}-{number}") for number, row in enumerate(worked)],
    )


def check_undefined(metric, shown, judged):
    """What each choice for undefined values makes of lists that have none."""
    for choice, value in (("nan", math.nan), ("zero", 0), ("one", 1)):
        check(metric.replace(undefined=choice), shown, judged, value)
    with pytest.raises(sy.SteelyardError, match="is undefined for 1 query, first") as caught:
        metric.replace(undefined="error").of(shown, judged)
    assert "undefined=nan" in caught.value.remedy
    with pytest.raises(sy.SteelyardError, match="is undefined for 1 query, first q00"):
        sy.evaluate(*tables(shown, judged), metric.replace(undefined="error"))


def check_lists(metric, recs, value, **tables):
    """The value of lists as a whole: from ``of``, from tables, from the text, and from its steps."""
    right = pytest.approx(float(value), rel=1e-14, abs=1e-14, nan_ok=True)
    assert metric.of(recs, **tables) == right
    assert sy.metric(str(metric)).of(recs, **tables) == right
    truth = tables.pop("truth", None)
    result = sy.evaluate(recs, truth, metric, **tables)
    assert result.table()["value"].to_list() == [right]
    for query, one in result.per_query()["query", "value"].iter_rows():
        made = sy.explain(metric, recs, truth, query=query, **tables)
        assert (made.value, made.recomputed()) == pytest.approx((one, one), rel=1e-14, abs=1e-14, nan_ok=True)
        assert metric.zh in made.to_text("zh")


def list_table(worked):
    """A table of worked examples of lists for one test, each row named by its metric."""
    return each_row(
        ("metric", "recs", "tables", "value"),
        [pytest.param(*row, id=f"{row[0]}-{number}") for number, row in enumerate(worked)],
    )


def check_undefined_lists(metric, recs, **tables):
    """What each choice for undefined values makes of one list that has none."""
    for choice, value in (("nan", math.nan), ("zero", 0), ("one", 1)):
        check_lists(metric.replace(undefined=choice), recs, value, **tables)
    with pytest.raises(sy.SteelyardError, match="is undefined for 1 query, first"):
        metric.replace(undefined="error").of(recs, **tables)
