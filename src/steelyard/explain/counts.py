"""Hits counted position by position: precision, recall, F, R-precision, the pooled hit rate."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from steelyard.explain.explanation import VALUE, Column, Line, Note, Of, Operand, Steps, undefined
from steelyard.explain.listed import LIST, inside, list_steps, read, read_notes
from steelyard.explain.steps import Parts, steps
from steelyard.metrics import FBetaAt, PrecisionAt, RecallAt, RPrecision
from steelyard.rank import ShownList

HITS = Of(LIST, "hit")
_PRECISION_DIVISORS = {"k": "k", "retrieved": "items_shown", "achievable": "achievable"}


@steps.register
def _precision(metric: PrecisionAt, shown: ShownList) -> Parts:
    divisor = metric.parts(shown.ranked)[1][0]
    name = precision_divisor(metric)
    undefined_key = "undefined_relevant" if metric.denominator == "achievable" else "undefined_empty"
    return counted(shown, metric.k, metric.rel, {name: divisor}, f"{{hits}} / {{{name}}}", undefined_key)


@steps.register
def _recall(metric: RecallAt, shown: ShownList) -> Parts:
    divisor = metric.parts(shown.ranked)[1][0]
    cut = metric.denominator == "achievable" and metric.k is not None
    name = "achievable" if cut else "relevant"
    return counted(shown, metric.k, metric.rel, {name: divisor}, f"{{hits}} / {{{name}}}")


@steps.register
def _r_precision(metric: RPrecision, shown: ShownList) -> Parts:
    relevant = metric.parts(shown.ranked)[1][0]
    # without a relevant item nothing is read; the reader sees where the list begins
    k = max(int(relevant), 1)
    return counted(shown, k, metric.rel, {"relevant": relevant}, "{hits} / {relevant}")


@steps.register
def _fbeta(metric: FBetaAt, shown: ShownList) -> Parts:
    _, divisor, relevant = (part[0] for part in metric.counts(shown.ranked))
    table = hit_steps(shown, metric.k, metric.rel)
    name = precision_divisor(metric)
    notes = read_notes(shown, metric.k)
    if not relevant:
        note = Note(key="undefined_relevant")
        return Parts(steps=(table,), lines=(undefined(),), notes=(*notes, note))
    counts: dict[str, Operand] = {"hits": HITS, name: divisor, "relevant": relevant}
    if metric.beta == 1:
        value = f"2 * {{hits}} / ({{relevant}} + {{{name}}})"
    else:
        value = f"(1 + {{beta}} ** 2) * {{hits}} / ({{beta}} ** 2 * {{relevant}} + {{{name}}})"
        counts["beta"] = metric.beta
    lines = (
        Line(name="precision", expression=f"{{hits}} / {{{name}}}", operands=counts),
        Line(name="recall", expression="{hits} / {relevant}", operands=counts),
        Line(name=VALUE, expression=value, operands=counts),
    )
    return Parts(steps=(table,), lines=lines, notes=notes)


def counted(
    shown: ShownList,
    k: int | None,
    rel: float,
    divisor: Mapping[str, float],
    expression: str,
    undefined_key: str = "undefined_relevant",
) -> Parts:
    """The hits among the first k, divided by one number."""
    value = Line(name=VALUE, expression=expression, operands={"hits": HITS, **divisor})
    notes = list(read_notes(shown, k))
    if not all(divisor.values()):
        notes.append(Note(key=undefined_key))
    return Parts(steps=(hit_steps(shown, k, rel),), lines=(value,), notes=tuple(notes))


def hit_steps(shown: ShownList, k: int | None, rel: float) -> Steps:
    """Each position with whether it is a hit, and the hits so far."""
    some = read(shown, k)
    hit = (some.known >= rel) * inside(some, k)
    columns = (Column.of("hit", hit), Column.of("running", np.cumsum(hit)))
    important = shown.known >= rel
    return list_steps(shown, k, columns, important=important, total=("hit",), total_name="hits")


def precision_divisor(metric: PrecisionAt | FBetaAt) -> str:
    """What the number that precision divides by is called."""
    if metric.k is None:
        return "relevant" if metric.denominator == "achievable" else "items_shown"
    return _PRECISION_DIVISORS[metric.denominator]
