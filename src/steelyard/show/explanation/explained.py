"""From a metric and what it was measured on to an explanation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from steelyard.messages import Message, say
from steelyard.metrics import Metric
from steelyard.metrics.base import FILL
from steelyard.rank import ShownList
from steelyard.show.explanation.explanation import Explanation, Line, Other
from steelyard.show.explanation.others import others, own_fields, ranked_otherwise
from steelyard.show.explanation.rows_choices import idle, row_facts
from steelyard.show.explanation.steps import Parts, steps
from steelyard.states import Segmented

Again = Callable[[Metric], ShownList]


def explain_list(
    metric: Metric, shown: ShownList, *, again: Again | None = None, lang: str = "en"
) -> Explanation:
    """How the value of one list came about; ``again`` ranks the same list under other conventions."""
    asked = metric.for_truth(shown.ranked.max_grade)
    further: tuple[Other, ...] = others(asked, shown, lambda other: _of_list(other, shown))
    if again is not None:
        further += ranked_otherwise(asked, shown, again, _of_list)
    facts = say(
        "items shown {shown:,} · judged {judged:,} · with a grade above 0: {graded:,}",
        key="list_facts",
        shown=int(shown.ranked.retrieved[0]),
        judged=int(shown.ranked.judged[0]),
        graded=int((shown.ranked.judged_grade > 0).sum()),
    )
    told = ["ties"] if again is not None and getattr(asked, "order", "") != "given" else []
    return _explanation(
        asked, steps(asked, shown), (_of_list(asked, shown),), shown.query, further, told, [facts], lang
    )


def explain_rows(
    metric: Metric,
    state: Segmented,
    *,
    of: str = "",
    thresholded: bool = False,
    lang: str = "en",
) -> Explanation:
    """How the value of labelled rows came about; ``of`` is the group they belong to.

    ``thresholded`` says that classes were scores.
    """
    values = np.atleast_1d(metric.measure(state)[0]).reshape(-1).tolist()
    further: tuple[Other, ...] = ()
    if len(values) == 1:
        further = others(metric, state, lambda other: _of_rows(other, state))
    parts = steps(metric, state)
    made = _explanation(metric, parts, tuple(values), of, further, [], row_facts(state), lang)
    silent = set() if thresholded else idle(metric, state)
    return dataclasses.replace(made, told=tuple(name for name in made.told if name not in silent))


def _explanation(
    metric: Metric,
    parts: Parts,
    values: tuple[float, ...],
    of: str,
    further: tuple[Other, ...],
    told: list[str],
    facts: list[Message],
    lang: str,
) -> Explanation:
    made = Explanation(
        metric=metric,
        of=of,
        steps=parts.steps,
        lines=parts.lines,
        values=values,
        told=tuple(_told(metric, told)),
        others=further,
        facts=tuple(facts),
        notes=parts.notes,
        lang=lang,
    )
    fill = FILL.get(metric.undefined)
    if len(values) != 1 or fill is None or not math.isnan(made.recomputed()) or math.isnan(values[0]):
        return made
    line = Line(expression="{filled}", operands={"filled": fill})
    note = say(
        "an undefined value counts {value:g} here (undefined={choice}).",
        key="filled",
        value=fill,
        choice=metric.undefined,
    )
    return dataclasses.replace(made, lines=(*made.lines, line), notes=(*made.notes, note))


def _told(metric: Metric, told: list[str]) -> list[str]:
    """The fields that are put into words: its own, and what differs from the house's default elsewhere."""
    own = [field.name for field in own_fields(metric)]
    quiet = {"k", *(("max_grade",) if getattr(metric, "ideal", "full") != "full" else ())}
    differing = [
        field.name
        for field in dataclasses.fields(metric)
        if field.name not in own and (field.name in told or getattr(metric, field.name) != field.default)
    ]
    return [name for name in own if name not in quiet] + differing


def _of_list(metric: Any, shown: ShownList) -> float:
    asked = metric.for_truth(shown.ranked.max_grade)
    return float(asked.each(shown.ranked)[0])


def _of_rows(metric: Any, state: Segmented) -> float | None:
    values = np.atleast_1d(metric.measure(state)[0])
    return float(values[0]) if values.size == 1 else None
