"""Log loss and what is made of it: the costliest rows, the base rate, its entropy."""

from __future__ import annotations

import math

import numpy as np

from steelyard.arrays import Floats
from steelyard.messages import say
from steelyard.metrics import NE, RIG, LogLoss
from steelyard.metrics.logloss import CLIP, given_probability, log_loss_of
from steelyard.metrics.multiclass import class_losses, right_probability
from steelyard.metrics.ne import compared_rate
from steelyard.show.explanation.explanation import UNDEFINED, By, Line, Number, Operand
from steelyard.show.explanation.rows_table import ONE_CLASS, Part, Summed, row_notes, summed
from steelyard.show.explanation.steps import Parts, steps
from steelyard.states import Classified, Scored

_BASE_RATE, _ENTROPY = say("base rate"), say("logloss of the base rate")


@steps.register
def _logloss(metric: LogLoss, state: Scored | Classified) -> Parts:
    found = _of_classes(metric, state) if isinstance(state, Classified) else _costs(state, metric)
    notes = row_notes(state)
    clipped = _clipped(state, metric.clip)
    if clipped:
        note = say(
            "rows whose outcome was given less than {clip:g}, which is then taken: {rows:,}.",
            key="clipped_rows",
            clip=metric.clip,
            rows=clipped,
        )
        notes = (*notes, note)
    return Parts(steps=(found.table,), lines=(found.over_rows(),), notes=notes)


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
        Part(say("label"), state.label),
        Part(say("predicted // a probability"), state.score.astype(np.float64)),
        Part(say("p(label)"), given_probability(state)),
    ]
    return summed(state, leading, _cost(cost, metric))


def _of_classes(metric: LogLoss, state: Classified) -> Summed:
    """Classes and the probability of the right one with what each row costs."""
    leading = [
        Part(say("label"), state.truth, kind="rank", names=state.classes),
        Part(say("p(label)"), right_probability(state)),
    ]
    return summed(state, leading, _cost(class_losses(state, metric.clip), metric))


def _cost(nats: Floats, metric: LogLoss) -> Part:
    if metric.base == "2":
        return Part(say("cost in bits", key="cost"), nats / math.log(2), short=say("bits"))
    return Part(say("cost"), nats)


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
    counts: dict[str, Operand] = {
        "positives": Number(positives, say("positives")),
        "negatives": Number(negatives, say("negatives")),
    }
    loss = found.over_rows(name=say("logloss"))
    notes = row_notes(state)
    if not (positives and negatives):
        return Parts(steps=(found.table,), lines=(loss, UNDEFINED), notes=(*notes, ONE_CLASS))
    rate = float(compared_rate(state, metric.base_rate)[0])
    base = Line(name=_BASE_RATE, expression="{stated}", operands={"stated": rate})
    if metric.base_rate == "observed":
        base = Line(name=_BASE_RATE, expression="{positives} / ({positives} + {negatives})", operands=counts)
    if rate < 1:
        formula = "-({positives} * log({base}) + {negatives} * log(1 - {base}))"
        formula = f"{formula} / ({{positives}} + {{negatives}})"
        entropy = Line(name=_ENTROPY, expression=formula, operands=counts | {"base": By(_BASE_RATE)})
    else:  # a negative would cost infinity
        entropy = Line(name=_ENTROPY, expression="{infinite}", operands={"infinite": math.inf})
    value = Line(expression=expression, operands={"logloss": By("logloss"), "entropy": By(_ENTROPY)})
    return Parts(steps=(found.table,), lines=(loss, base, entropy, value), notes=notes)
