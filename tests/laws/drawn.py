"""What the laws draw: queries as tie groups of grades, and the tables that they make."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl
from hypothesis import strategies as st

import steelyard as sy

WHOLE = (-1, 0, 1, 2, 3)
FLOAT = (-1.5, 0, 0.5, 1, 1.5, 2.75, 3)
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Query:
    """Tie groups of grades, the best score first, and what was not shown; None is an item not judged."""

    groups: tuple[tuple[float | None, ...], ...]
    unseen: tuple[float, ...] = (0,)

    @property
    def shown(self):
        return [grade for group in self.groups for grade in group]

    @property
    def judged(self):
        return [grade for group in self.groups for grade in group if grade is not None] + list(self.unseen)

    @property
    def grades(self):
        return {grade for group in self.groups for grade in group if grade is not None} | set(self.unseen)


def queries(grades=WHOLE, *, ties=True, max_items=7):
    """A query with at least one item shown and one judged."""
    group = st.lists(
        st.one_of(st.none(), st.sampled_from(grades)), min_size=1, max_size=4 if ties else 1
    ).map(tuple)
    unseen = st.lists(st.sampled_from(grades), max_size=3).map(lambda more: (*more, 0))
    groups = st.lists(group, min_size=1, max_size=max_items).map(lambda made: _at_most(made, max_items))
    return st.builds(Query, groups=groups, unseen=unseen)


def _at_most(groups, n):
    kept, left = [], n
    for group in groups:
        if left:
            kept.append(group[:left])
            left -= len(kept[-1])
    return tuple(kept)


def lists(grades=WHOLE, max_size=7):
    """Grades as ranked, and those of all judged items: what is shown is judged, and some more."""
    return st.tuples(
        st.lists(st.sampled_from(grades), max_size=max_size), st.lists(st.sampled_from(grades), max_size=4)
    ).map(lambda both: (both[0], both[0] + both[1]))


def tables(drawn, *, names=None):
    """Predictions and truth for some queries; items are named so that no order follows from the names."""
    said, true = [], []
    for number, query in enumerate(drawn):
        name = f"q{number:02d}" if names is None else names[number]
        items = iter(f"i{(7 * n) % 31:02d}" for n in range(31))
        for place, group in enumerate(query.groups):
            for grade in group:
                item = next(items)
                said.append((name, item, float(len(query.groups) - place)))
                if grade is not None:
                    true.append((name, item, float(grade)))
        true += [(name, next(items), float(grade)) for grade in query.unseen]
    return predictions_frame(said), truth_frame(true)


def predictions_frame(rows):
    return pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")


def truth_frame(rows):
    return pl.DataFrame(rows, schema=["query", "item", "relevance"], orient="row")


def per_query(result):
    """The values of each metric, queries ascending."""
    frame = result.per_query()
    labels = list(result)
    assert len(labels) == len(set(labels))
    return {
        label: part["value"].to_list() for (label,), part in frame.group_by("metric", maintain_order=True)
    }


def measured(drawn, metrics, **conventions):
    """Per metric the values of the queries, in the order of the metrics."""
    said, true = tables(drawn)
    values = per_query(sy.evaluate(said, true, metrics, **conventions))
    assert len(values) == len(metrics), "two metrics of the list are one"
    return list(values.values())


def same(left, right, tolerance=TOLERANCE):
    """Equal to a tolerance that grows with the value; NaN equals NaN."""
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return math.isclose(left, right, rel_tol=tolerance, abs_tol=tolerance)


def at_least(left, right, tolerance=TOLERANCE):
    """Not below, but for rounding; NaN goes with NaN."""
    return left >= right or same(left, right, tolerance)


def fits(metric, grades):
    """Whether a metric takes these grades: a gain mapping must name each."""
    text = str(getattr(metric, "gain", ""))
    known = {float(pair.split(":")[0]) for pair in text.split("/")} if ":" in text else grades
    highest = getattr(metric, "max_grade", "truth")
    return {grade for grade in grades if grade > 0} <= set(known) and (
        isinstance(highest, str) or max(grades, default=0) <= highest
    )
