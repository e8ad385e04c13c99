"""How a metric of all lists together is checked: by itself, by its text, from tables, and step by step."""

from __future__ import annotations

import math

import pytest

import steelyard as sy

from ..tables import each_row


def right(value):
    return pytest.approx(value, rel=1e-14, abs=1e-15, nan_ok=True)


def table(worked):
    """A table of worked examples for one test, each row named by its metric."""
    return each_row(
        ("metric", "lists", "tables", "value"),
        [pytest.param(*row, id=f"{row[0]}-{number}") for number, row in enumerate(worked)],
    )


def evaluated(metric, lists, tables, **options):
    """The result of one metric, from lists with or without names of users."""
    named = lists if isinstance(lists, dict) else dict(enumerate(lists))
    known = {name: table for name, table in tables.items() if name != "truth"}
    return sy.evaluate(named, tables.get("truth"), metric, **known, **options)


def check(metric, lists, tables, value):
    """The value of the metric, of its text, of tables, and of the steps that an explanation tells."""
    assert metric.of(lists, **tables) == right(value)
    assert sy.metric(str(metric)).of(lists, **tables) == right(value)
    result = evaluated(metric, lists, tables)
    assert result[metric] == right(value)
    check_steps(result, metric)


def check_steps(result, metric):
    """The steps lead to the value, and are told in Chinese."""
    made = result.explain(metric)
    assert made.values == right(made.recomputed_values())
    assert "no_steps" not in [note.key for note in made.notes]
    for heading in ("item by item", "group by group", "users by how many", "counted here", "undefined."):
        assert heading not in made.to_text("zh")
    assert made.metric.zh in made.to_text("zh")


def check_undefined(metric, lists, tables, why):
    """What each choice for undefined values makes of lists that have none."""
    for choice, value in (("nan", math.nan), ("zero", 0.0), ("one", 1.0)):
        check(metric.replace(undefined=choice), lists, tables, value)
    with pytest.raises(sy.SteelyardError, match=f"is undefined: {why}"):
        metric.replace(undefined="error").of(lists, **tables)
    with pytest.raises(sy.SteelyardError, match=f"is undefined: {why}"):
        evaluated(metric.replace(undefined="error"), lists, tables)


def told(metric, lists, tables, **options):
    """The keys of what an explanation notes."""
    made = evaluated(metric, lists, tables, **options).explain(metric)
    return {note.key: note.render() for note in made.notes}
