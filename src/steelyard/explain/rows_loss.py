"""Log loss and what is made of it: the costliest rows, the base rate, its entropy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from steelyard.arrays import Floats
from steelyard.explain.explanation import VALUE, By, Line, Note, Operand, undefined
from steelyard.explain.rows_table import Part, Summed, summed
from steelyard.explain.steps import Parts, steps
from steelyard.metrics import NE, RIG, LogLoss
from steelyard.metrics.logloss import CLIP, given_probability, log_loss_of
from steelyard.metrics.multiclass import class_losses, right_probability
from steelyard.metrics.ne import compared_rate
from steelyard.states import Classified, Scored


@steps.register
def _logloss(metric: LogLoss, state: Scored | Classified) -> Parts:
    found = _of_classes(metric, state) if isinstance(state, Classified) else _costs(state, metric)
    line = found.over_rows("cost_bits" if metric.base == "2" else "cost")
    notes = row_notes(state)
    clipped = _clipped(state, metric.clip)
    if clipped:
        notes = (*notes, Note(key="clipped_rows", values={"rows": clipped, "clip": f"{metric.clip:g}"}))
    return Parts(steps=(found.table,), lines=(line,), notes=notes)


@steps.register
def _ne(metric: NE, state: Scored) -> Parts:
    return _against_base_rate(metric, state, "{logloss} / {entropy}")


@steps.register
def _rig(metric: RIG, state: Scored) -> Parts:
    return _against_base_rate(metric, state, "1 - {logloss} / {entropy}")


def _costs(state: Scored, metric: LogLoss) -> Summed:
    """Labels and probabilities with what each row costs."""
    cost = log_loss_of(metric.clip).each(state)
    leading = [
        Part(name="label", values=state.label),
        Part(name="said", values=state.score.astype(np.float64)),
        Part(name="given", values=given_probability(state)),
    ]
    return summed(state, leading, _cost(cost, metric))


def _of_classes(metric: LogLoss, state: Classified) -> Summed:
    """Classes and the probability of the right one with what each row costs."""
    leading = [
        Part(name="label", values=state.truth, kind="rank", names=state.classes),
        Part(name="given", values=right_probability(state)),
    ]
    return summed(state, leading, _cost(class_losses(state, metric.clip), metric))


def _cost(nats: Floats, metric: LogLoss) -> Part:
    if metric.base == "2":
        return Part(name="cost_bits", values=nats / math.log(2))
    return Part(name="cost", values=nats)


def _clipped(state: Scored | Classified, clip: float | None) -> int:
    """How many rows were less probable than the least that counts."""
    if clip is None:
        return 0
    given = right_probability(state) if isinstance(state, Classified) else given_probability(state)
    return int(((given < clip) & (state.weights > 0)).sum())


def _against_base_rate(metric: NE | RIG, state: Scored, expression: str) -> Parts:
    """The log loss of the rows, and that of always predicting the base rate."""
    found = _costs(state, LogLoss(clip=CLIP))
    positives, negatives = float(state.positives[0]), float(state.negatives[0])
    counts: dict[str, Operand] = {"positives": positives, "negatives": negatives}
    loss = replace(found.over_rows("cost"), name="logloss")
    notes = row_notes(state)
    if not (positives and negatives):
        note = Note(key="undefined_one_class")
        return Parts(steps=(found.table,), lines=(loss, undefined()), notes=(*notes, note))
    rate = float(compared_rate(state, metric.base_rate)[0])
    if metric.base_rate == "observed":
        base = Line(name="base_rate", expression="{positives} / ({positives} + {negatives})", operands=counts)
    else:
        base = Line(name="base_rate", expression="{stated_rate}", operands={"stated_rate": rate})
    if rate < 1:
        formula = "-({positives} * log({base_rate}) + {negatives} * log(1 - {base_rate}))"
        formula = f"{formula} / ({{positives}} + {{negatives}})"
        entropy = Line(name="entropy", expression=formula, operands=counts | {"base_rate": By("base_rate")})
    else:  # a negative would cost infinity
        entropy = Line(name="entropy", expression="{infinite}", operands={"infinite": math.inf})
    value = Line(
        name=VALUE, expression=expression, operands={"logloss": By("logloss"), "entropy": By("entropy")}
    )
    return Parts(steps=(found.table,), lines=(loss, base, entropy, value), notes=notes)


def row_notes(state: Scored | Classified) -> tuple[Note, ...]:
    """Said where a value needs a row and there is none."""
    return () if state.rows[0] else (Note(key="undefined_rows"),)
