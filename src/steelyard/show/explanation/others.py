"""What every other choice of a metric's fields would have given."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import singledispatch
from typing import Any

import numpy as np

from steelyard.conventions import ALIGN_FIELDS, AVERAGE_FIELDS, LABELLED_FIELDS, RANK_FIELDS, plain
from steelyard.messages.errors import SteelyardError
from steelyard.metrics import Metric
from steelyard.rank import ShownList
from steelyard.show.explanation.explanation import Other, short_name
from steelyard.states import Scored

_STAGES = {*ALIGN_FIELDS, *RANK_FIELDS, *LABELLED_FIELDS, *AVERAGE_FIELDS}
_OF_SCORES = {"threshold", "strict"}  # act only where a score becomes a class
_NEVER = {"max_grade"}  # says nothing without the ideal it belongs to
_MOST_LEVELS = 5
_BETAS = (0.5, 1.0, 2.0)
# where the same lists can be ranked again
_RANKED_AGAIN = {
    "ties": ("item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic"),
    "unjudged": ("nonrelevant", "drop"),
    "judgements": ("all", "retrieved"),
}

Measure = Callable[[Any], float | None]  # None where there is no one value
Change = tuple[str, Any]


def own_fields(metric: Metric) -> list[dataclasses.Field[Any]]:
    """The fields of a metric that are not those of every metric."""
    return [field for field in dataclasses.fields(metric) if field.name not in _STAGES]


@singledispatch
def changes(metric: Metric, state: Any) -> list[Change]:
    """The other choices of a metric, each a field and its value; a family may register a list of its own."""
    found: list[Change] = []
    for field in own_fields(metric):
        if field.name in _NEVER or (field.name in _OF_SCORES and not isinstance(state, Scored)):
            continue
        found += [(field.name, value) for value in _choices(field, state)]
    return [(name, value) for name, value in found if value != getattr(metric, name)]


def _choices(field: dataclasses.Field[Any], state: Any) -> list[Any]:
    if "meaning" in field.metadata:
        words = list(field.metadata["meaning"])
        return [word == "true" for word in words] if field.metadata.get("flag") else words
    if field.name == "rel" and isinstance(state, ShownList):
        grades = state.ranked.judged_grade
        return list(np.unique(grades[grades > 0])[:_MOST_LEVELS].tolist())
    if field.name == "beta":
        return list(_BETAS)
    words = list(field.metadata.get("words", {}))
    return [None if word in ("none", "all") and field.default is None else word for word in words]


def others(metric: Metric, state: Any, measure: Measure) -> tuple[Other, ...]:
    """The value under each other choice; one that is not possible is left out."""
    return tuple(_tried(metric, changes(metric, state), measure))


def ranked_otherwise(
    metric: Metric,
    shown: ShownList,
    again: Callable[[Any], ShownList],
    measure: Callable[[Any, ShownList], float],
) -> tuple[Other, ...]:
    """The same for what happens before a metric: ties, unjudged items, judgements of other items."""
    wanted = {
        "ties": _has_ties(metric, again),
        "unjudged": bool(np.isnan(shown.grade).any()) or getattr(metric, "unjudged", "") == "drop",
        "judgements": int(shown.ranked.judged[0]) > int((~np.isnan(shown.grade)).sum())
        or getattr(metric, "judgements", "") == "retrieved",
    }
    found = [
        (name, value)
        for name, choices in _RANKED_AGAIN.items()
        for value in choices
        if wanted[name] and value != getattr(metric, name)
    ]
    return tuple(_tried(metric, found, lambda other: measure(other, again(other))))


def _has_ties(metric: Metric, again: Callable[[Any], ShownList]) -> bool:
    if getattr(metric, "order", "") == "given":
        return False
    changed: dict[str, Any] = {"ties": "expected"}
    return bool((again(dataclasses.replace(metric, **changed)).tied > 1).any())


def _tried(metric: Metric, found: list[Change], measure: Measure) -> Iterator[Other]:
    for name, value in found:
        try:
            other = dataclasses.replace(metric, **{name: value})
            result = measure(other)
        except SteelyardError:  # two fields that do not go together, a gain that lacks a grade …
            continue
        if result is not None:
            text = f"{name}={'all' if name == 'k' and value is None else plain(value)}"
            renamed = short_name(other) != short_name(metric)  # f1 has no other beta: that is fbeta
            yield Other(text=str(other) if renamed else text, field=name, metric=other, value=result)
