"""Hits counted position by position: precision, recall, F, R-precision, the pooled hit rate."""

from __future__ import annotations

import numpy as np

from steelyard.messages import Message, say
from steelyard.metrics import FBetaAt, PrecisionAt, RecallAt, RPrecision
from steelyard.rank import ShownList
from steelyard.show.explanation.explanation import UNDEFINED, Column, Line, Number, Operand, Steps
from steelyard.show.explanation.listed import HITS, NO_RELEVANT, inside, list_steps, read, read_notes
from steelyard.show.explanation.steps import Parts, steps

SHOWN, RELEVANT, ACHIEVABLE = say("items shown"), say("relevant items"), say("relevant items, at most k")
_EMPTY = say("nothing was shown, so that the value is undefined.", key="undefined_empty")


@steps.register
def _precision(metric: PrecisionAt, shown: ShownList) -> Parts:
    divisor = _precision_divisor(metric, metric.parts(shown.ranked)[1][0])
    reason = NO_RELEVANT if metric.denominator == "achievable" else _EMPTY
    return counted(shown, metric.k, metric.rel, divisor, reason)


@steps.register
def _recall(metric: RecallAt, shown: ShownList) -> Parts:
    cut = metric.denominator == "achievable" and metric.k is not None
    divisor = Number(metric.parts(shown.ranked)[1][0], ACHIEVABLE if cut else RELEVANT)
    return counted(shown, metric.k, metric.rel, divisor)


@steps.register
def _r_precision(metric: RPrecision, shown: ShownList) -> Parts:
    relevant = metric.parts(shown.ranked)[1][0]
    # without a relevant item nothing is read; the reader sees where the list begins
    k = max(int(relevant), 1)
    return counted(shown, k, metric.rel, Number(relevant, RELEVANT))


@steps.register
def _fbeta(metric: FBetaAt, shown: ShownList) -> Parts:
    _, divisor, relevant = (part[0] for part in metric.counts(shown.ranked))
    table = hit_steps(shown, metric.k, metric.rel)
    notes = read_notes(shown, metric.k)
    if not relevant:
        return Parts(steps=(table,), lines=(UNDEFINED,), notes=(*notes, NO_RELEVANT))
    counts: dict[str, Operand] = {
        "hits": HITS,
        "divisor": _precision_divisor(metric, divisor),
        "relevant": Number(relevant, RELEVANT),
    }
    value = "2 * {hits} / ({relevant} + {divisor})"
    if metric.beta != 1:
        value = "(1 + {beta} ** 2) * {hits} / ({beta} ** 2 * {relevant} + {divisor})"
        counts["beta"] = metric.beta
    lines = (
        Line(name=say("precision"), expression="{hits} / {divisor}", operands=counts),
        Line(name=say("recall"), expression="{hits} / {relevant}", operands=counts),
        Line(expression=value, operands=counts),
    )
    return Parts(steps=(table,), lines=lines, notes=notes)


def counted(
    shown: ShownList, k: int | None, rel: float, divisor: Number, reason: Message = NO_RELEVANT
) -> Parts:
    """The hits among the first k, divided by one number; ``reason`` says why there is none."""
    value = Line(expression="{hits} / {divisor}", operands={"hits": HITS, "divisor": divisor})
    notes = (*read_notes(shown, k), *(() if divisor.value else (reason,)))
    return Parts(steps=(hit_steps(shown, k, rel),), lines=(value,), notes=notes)


def hit_steps(shown: ShownList, k: int | None, rel: float) -> Steps:
    """Each position with whether it is a hit, and the hits so far."""
    some = read(shown, k)
    hit = (some.known >= rel) * inside(some, k)
    columns = (Column.of(say("hit"), hit), Column.of(say("running"), np.cumsum(hit)))
    important = shown.known >= rel
    return list_steps(shown, k, columns, important=important, total=("hit",), total_name=HITS.named)


def _precision_divisor(metric: PrecisionAt | FBetaAt, divisor: float) -> Number:
    """The number that precision divides by."""
    if metric.k is None:
        return Number(divisor, RELEVANT if metric.denominator == "achievable" else SHOWN)
    return Number(divisor, {"k": "k", "retrieved": SHOWN, "achievable": ACHIEVABLE}[metric.denominator])
