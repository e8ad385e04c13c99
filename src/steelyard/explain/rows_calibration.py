"""Probabilities against what happened: row by row, in sums, and by bins."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.curves import calibration
from steelyard.explain.explanation import VALUE, Line, Note, Of, Operand
from steelyard.explain.rows_loss import row_notes
from steelyard.explain.rows_table import Part, chosen, largest, summed, table
from steelyard.explain.steps import Parts, steps
from steelyard.metrics import COPC, ECE, MCE, Brier, Calibration
from steelyard.metrics.brier import SQUARED_MISS
from steelyard.metrics.calibration import PREDICTED
from steelyard.metrics.ece import BinnedCalibration
from steelyard.states import Classified, Scored

BINS = "bin_steps"


@steps.register
def _brier(_metric: Brier, state: Scored) -> Parts:
    said = state.score.astype(np.float64)
    found = summed(
        state,
        [
            Part(name="label", values=state.label),
            Part(name="said", values=said),
            Part(name="miss", values=state.label - said),
        ],
        Part(name="squared_miss", values=SQUARED_MISS.each(state)),
    )
    return Parts(steps=(found.table,), lines=(found.over_rows("squared_miss"),), notes=row_notes(state))


@steps.register
def _calibration(_metric: Calibration, state: Scored) -> Parts:
    return _sums(state, "{predicted_sum} / {positives}", "undefined_positive", float(state.positives[0]))


@steps.register
def _copc(_metric: COPC, state: Scored) -> Parts:
    predicted = float(PREDICTED.total(state)[0])
    return _sums(state, "{positives} / {predicted_sum}", "undefined_predicted", predicted)


def _sums(state: Scored, expression: str, undefined_key: str, divisor: float) -> Parts:
    """What was predicted and what happened, added up; the highest predictions first."""
    said = PREDICTED.each(state).astype(np.float64)
    found = summed(state, [], Part(name="said", values=said), Part(name="label", values=state.label))
    operands = {"predicted_sum": found.sum_of("said"), "positives": found.sum_of("label")}
    line = Line(name=VALUE, expression=expression, operands=operands)
    notes = row_notes(state)
    if not divisor and state.rows[0]:
        notes = (*notes, Note(key=undefined_key))
    return Parts(steps=(found.table,), lines=(line,), notes=notes)


@steps.register
def _ece(metric: ECE, state: Scored | Classified) -> Parts:
    return _bins(metric, state, "{sum}", {"sum": Of(BINS, "share_gap")})


@steps.register
def _mce(metric: MCE, state: Scored | Classified) -> Parts:
    return _bins(metric, state, "{worst_gap}", {"worst_gap": Of(BINS, "bin_gap", "max")})


def _bins(
    metric: BinnedCalibration, state: Scored | Classified, expression: str, operands: dict[str, Operand]
) -> Parts:
    """The bins with what was said and what happened in them."""
    notes = row_notes(state)
    if isinstance(state, Classified):
        state = state.top_label()
        notes = (*notes, Note(key="top_label"))
    share, gap, _ = metric.gaps(state)
    frame = calibration(state, metric.bins, metric.binning)

    def column(name: str) -> Floats:
        return frame[name].to_numpy()

    edges = [f"{low:.6g} – {high:.6g}" for low, high in frame.select("low", "high").rows()]
    weight = [Part(name="weight", values=column("weight"), rest="sum")] if state.weight is not None else []
    parts = [
        Part(name="bin", values=np.arange(len(gap)), rest="count", kind="rank", names=edges),
        Part(name="bin_rows", values=column("n"), rest="sum"),
        *weight,
        Part(name="mean_said", values=column("mean_score")),
        Part(name="mean_label", values=column("mean_label")),
        Part(name="bin_gap", values=gap),
    ]
    total = ["bin_rows"]
    if isinstance(metric, ECE):
        parts += [
            Part(name="bin_share", values=share, rest="sum"),
            Part(name="share_gap", values=share * gap, rest="sum"),
        ]
        total += ["bin_share", "share_gap"]
    pieces = chosen(largest(gap) if isinstance(metric, MCE) else largest(share * gap))
    made = table(BINS, parts, pieces, total=total, rest="rest_bins")
    line = Line(name=VALUE, expression=expression if len(gap) else "", operands=operands if len(gap) else {})
    return Parts(steps=(made,), lines=(line,), notes=notes)
