"""Probabilities against what happened: row by row, in sums, and by bins."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.curves import calibration
from steelyard.messages import Message, say
from steelyard.metrics import COPC, ECE, MCE, Brier, Calibration
from steelyard.metrics.brier import SQUARED_MISS
from steelyard.metrics.calibration import PREDICTED
from steelyard.metrics.ece import BinnedCalibration
from steelyard.show.explanation.explanation import UNDEFINED, Line, Of
from steelyard.show.explanation.rows_table import (
    NO_POSITIVE,
    Part,
    chosen,
    largest,
    row_notes,
    summed,
    table,
    together,
)
from steelyard.show.explanation.steps import Parts, steps
from steelyard.states import Classified, Scored

BINS = say("bin by bin", key="bin_steps")
_PREDICTS_NONE = say(
    "the predictions add up to 0, so that the value is undefined.", key="undefined_predicted"
)
_TOP_LABEL = say(
    "with several classes, predicted is the probability of the most probable one, and label says "
    "whether it was right.",
    key="top_label",
)


@steps.register
def _brier(_metric: Brier, state: Scored) -> Parts:
    said = state.score.astype(np.float64)
    found = summed(
        state,
        [
            Part(say("label"), state.label),
            Part(say("predicted // a probability"), said),
            Part(say("error // of a prediction"), state.label - said),
        ],
        Part(say("squared error"), SQUARED_MISS.each(state)),
    )
    return Parts(steps=(found.table,), lines=(found.over_rows(),), notes=row_notes(state))


@steps.register
def _calibration(_metric: Calibration, state: Scored) -> Parts:
    return _sums(state, "{predicted} / {positives}", NO_POSITIVE, float(state.positives[0]))


@steps.register
def _copc(_metric: COPC, state: Scored) -> Parts:
    predicted = float(PREDICTED.total(state)[0])
    return _sums(state, "{positives} / {predicted}", _PREDICTS_NONE, predicted)


def _sums(state: Scored, expression: str, reason: Message, divisor: float) -> Parts:
    """What was predicted and what happened, added up; the highest predictions first."""
    said = PREDICTED.each(state).astype(np.float64)
    found = summed(state, [], Part(say("predicted // a probability"), said), Part(say("label"), state.label))
    operands = {
        "predicted": found.sum_of("predicted", say("sum of predictions")),
        "positives": found.sum_of("label", say("positives")),
    }
    line = Line(expression=expression, operands=operands)
    notes = row_notes(state)
    if not divisor and state.rows[0]:
        notes = (*notes, reason)
    return Parts(steps=(found.table,), lines=(line,), notes=notes)


@steps.register
def _ece(metric: ECE, state: Scored | Classified) -> Parts:
    return _bins(metric, state, "sum", Of(BINS, "share_gap"))


@steps.register
def _mce(metric: MCE, state: Scored | Classified) -> Parts:
    return _bins(metric, state, "worst", Of(BINS, "gap", "max", named=say("largest gap")))


def _bins(metric: BinnedCalibration, state: Scored | Classified, name: str, operand: Of) -> Parts:
    """The bins with what was said and what happened in them."""
    notes = row_notes(state)
    if isinstance(state, Classified):
        state = state.top_label()
        notes = (*notes, _TOP_LABEL)
    share, gap, _ = metric.gaps(state)
    frame = calibration(state, metric.bins, metric.binning)

    def column(name: str) -> Floats:
        return frame[name].to_numpy()

    edges = [f"{low:.6g} – {high:.6g}" for low, high in frame.select("low", "high").rows()]
    weight = [Part(say("weight"), column("weight"), "sum")] if state.weight is not None else []
    parts = [
        Part(say("bin"), np.arange(len(gap)), "count", "rank", edges),
        Part(say("rows // how many"), column("n"), "sum"),
        *weight,
        Part(say("mean predicted"), column("mean_score")),
        Part(say("mean label"), column("mean_label")),
        Part(say("gap"), gap),
    ]
    total = ["rows"]
    if isinstance(metric, ECE):
        parts += [
            Part(say("share"), share, "sum"),
            Part(say("share × gap", key="share_gap"), share * gap, "sum"),
        ]
        total += ["share", "share_gap"]
    pieces = chosen(largest(gap) if isinstance(metric, MCE) else largest(share * gap))
    rest = say(
        "… stands for bins not told one by one, {rows:,} in all, with their sums.", rows=together(pieces)
    )
    made = table(BINS, parts, pieces, total=total, rest=rest)
    line = Line(expression=f"{{{name}}}", operands={name: operand}) if len(gap) else UNDEFINED
    return Parts(steps=(made,), lines=(line,), notes=notes)
