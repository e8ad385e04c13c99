"""From a metric and what it was measured on to an explanation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from steelyard.conventions import plain
from steelyard.engine.segmented import Segmented
from steelyard.engine.shown import ShownList
from steelyard.engine.top_lists import TopLists
from steelyard.messages import say
from steelyard.messages.errors import SteelyardError
from steelyard.metrics import Metric
from steelyard.metrics.base import FILL
from steelyard.show.explanation.explanation import Explanation, Other
from steelyard.steps.arithmetic import Line, Number

Again = Callable[[Metric], ShownList]
Measure = Callable[[Any], float | None]  # None where there is no one value

# where the same lists can be ranked again
_RANKED_AGAIN = {
    "ties": ("item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic"),
    "unjudged": ("nonrelevant", "drop"),
    "judgements": ("all", "retrieved"),
}


def explain_list(
    metric: Metric, shown: ShownList, *, again: Again | None = None, lang: str = "en"
) -> Explanation:
    """How the value of one list came about; ``again`` ranks the same list under other conventions."""
    asked = metric.for_truth(shown.ranked.max_grade)
    further = tuple(_tried(asked, asked.choices(shown), lambda other: _of_list(other, shown)))
    if again is not None:
        further += _ranked_otherwise(asked, shown, again)
    facts = say(
        "items shown {shown:,} · judged {judged:,} · with a grade above 0: {graded:,}",
        key="list_facts",
        shown=int(shown.ranked.retrieved[0]),
        judged=int(shown.ranked.judged[0]),
        graded=int((shown.ranked.judged_grade > 0).sum()),
    )
    also = {"ties"} if again is not None and getattr(asked, "order", "") != "given" else set()
    parts = asked.steps(shown)
    made = Explanation(
        metric=asked,
        of=shown.query,
        steps=parts.steps,
        lines=parts.lines,
        values=(_of_list(asked, shown),),
        told=_told(asked, asked.idle(shown), also),
        others=further,
        facts=(facts,),
        notes=parts.notes,
        lang=lang,
    )
    return _filled(made)


def explain_rows(
    metric: Metric,
    state: Segmented | TopLists,
    *,
    of: str = "",
    thresholded: bool = False,
    lang: str = "en",
) -> Explanation:
    """How the value of labelled rows came about; ``of`` is the group they belong to.

    ``thresholded`` says that classes were scores.
    """
    values = _values(metric, state)
    further: tuple[Other, ...] = ()
    if len(values) == 1:
        further = tuple(_tried(metric, metric.choices(state), lambda other: _of_rows(other, state)))
    parts, facts = metric.steps(state), [state.sizes()]
    if state.weight is not None and not isinstance(state, TopLists):
        weight = float(state.shown(state.total())[0])
        facts.append(say("total weight {weight:g}", key="weight_fact", weight=weight))
    made = Explanation(
        metric=metric,
        of=of,
        steps=parts.steps,
        lines=parts.lines,
        values=tuple(values),
        told=_told(metric, set() if thresholded else metric.idle(state)),
        others=further,
        facts=tuple(facts),
        notes=parts.notes,
        lang=lang,
    )
    return _filled(made)


def _filled(made: Explanation) -> Explanation:
    """The same with a line that says what an undefined value counts, where it does."""
    fill = FILL.get(made.metric.undefined)
    if fill is None or len(made.values) != 1 or math.isnan(made.value) or not math.isnan(made.recomputed()):
        return made
    note = say(
        "an undefined value counts {value:g} here (undefined={choice}).",
        key="filled",
        value=fill,
        choice=made.metric.undefined,
    )
    lines = (*made.lines, Line(Number(fill, "filled")))
    return dataclasses.replace(made, lines=lines, notes=(*made.notes, note))


def _told(metric: Metric, idle: set[str], also: Collection[str] = ()) -> tuple[str, ...]:
    """The fields that are put into words: its own, and what differs from the house's default elsewhere."""
    own = [field.name for field in metric.own_fields()]
    differing = [
        field.name
        for field in dataclasses.fields(metric)
        if field.name not in own and (field.name in also or getattr(metric, field.name) != field.default)
    ]
    return tuple(name for name in [*own, *differing] if name not in {"k", *idle})


def _of_list(metric: Any, shown: ShownList) -> float:
    asked = metric.for_truth(shown.ranked.max_grade)
    return float(asked.each(shown.ranked)[0])


def _of_rows(metric: Any, state: Segmented | TopLists) -> float | None:
    values = _values(metric, state)
    return values[0] if len(values) == 1 else None


def _values(metric: Metric, state: Segmented | TopLists) -> list[float]:
    each = metric.each(state) if isinstance(state, TopLists) else None
    values = metric.measure(state)[0] if each is None else each[0]
    return list(np.atleast_1d(values).reshape(-1).tolist())


def _ranked_otherwise(metric: Metric, shown: ShownList, again: Again) -> tuple[Other, ...]:
    """What happens before a metric otherwise: ties, unjudged items, judgements of other items."""
    wanted = {
        "ties": getattr(metric, "order", "") != "given"
        and bool((again(metric.replace(ties="expected")).tied > 1).any()),
        "unjudged": bool(np.isnan(shown.grade).any())
        or getattr(metric, "unjudged", "nonrelevant") != "nonrelevant",
        "judgements": int(shown.ranked.judged[0]) > int((~np.isnan(shown.grade)).sum())
        or getattr(metric, "judgements", "all") != "all",
    }
    found = [
        (name, value)
        for name, choices in _RANKED_AGAIN.items()
        for value in choices
        if wanted[name] and value != getattr(metric, name)
    ]
    return tuple(_tried(metric, found, lambda other: _of_list(other, again(other))))


def _tried(metric: Metric, found: list[tuple[str, Any]], measure: Measure) -> Iterator[Other]:
    """The value under each other choice; one that is not possible is left out."""
    for name, value in found:
        try:
            other = metric.replace(**{name: value})
            result = measure(other)
        except SteelyardError:  # two fields that do not go together, a gain that lacks a grade …
            continue
        if result is not None:
            text = f"{name}={'all' if name == 'k' and value is None else plain(value)}"
            renamed = other.short_name != metric.short_name  # f1 has no other beta: that is fbeta
            yield Other(text=str(other) if renamed else text, field=name, metric=other, value=result)
