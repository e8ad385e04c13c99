"""Curves walked from threshold to threshold: precision and recall, KS, ROC."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from steelyard.curves import roc
from steelyard.curves.falling import weighs
from steelyard.explain.explanation import VALUE, Line, Note, Of, Operand
from steelyard.explain.rows_auc import SCORES, auc_steps, one_class_or, score_notes
from steelyard.explain.rows_table import Part, table, walked
from steelyard.explain.steps import Parts, steps
from steelyard.metrics import AUC, KS, PRAUC
from steelyard.states import Classified, Scored


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class ROC(AUC):
    """How many good rows you catch for the bad ones you let in, as you lower the bar."""

    name: ClassVar[str] = "roc"
    zh: ClassVar[str] = "ROC曲线"


@steps.register
def _roc(metric: ROC, state: Scored | Classified) -> Parts:
    """Each threshold with the rates of both classes, and the strip of area that it adds."""
    if isinstance(state, Classified):  # a curve for each class: their areas
        return auc_steps(metric, state)
    frame = roc(state)
    if not frame.height:
        note = Note(key="undefined_one_class")
        return Parts(lines=(Line(name=VALUE, expression=""),), notes=(*score_notes(state), note))
    walk = {name: frame[name].to_numpy() for name in frame.columns}
    width = np.diff(walk["fpr"], prepend=0.0)
    height = (walk["tpr"] + np.concatenate(([0.0], walk["tpr"]))[:-1]) / 2
    parts = [
        Part(name="threshold", values=walk["threshold"], rest="range", kind="rank"),
        Part(name="positives_above", values=walk["positives"], rest="last"),
        Part(name="negatives_above", values=walk["negatives"], rest="last"),
        Part(name="tpr", values=walk["tpr"], rest="last"),
        Part(name="fpr", values=walk["fpr"], rest="last"),
        Part(name="strip_width", values=width, rest="sum"),
        Part(name="strip_height", values=height),
        Part(name="strip", values=width * height, rest="sum"),
    ]
    made = table(SCORES, parts, walked(len(width)), total=("strip_width", "strip"), rest="rest_scores")
    value = Line(name="curve_area", expression="{sum}", operands={"sum": Of(SCORES, "strip")})
    return Parts(steps=(made,), lines=(value,), notes=score_notes(state))


@steps.register
def _ks(metric: KS, state: Scored) -> Parts:
    _, tpr, fpr = metric.rates(state)
    found = state.table
    falling = np.flatnonzero(weighs(found))[::-1]
    gap = np.nan_to_num(tpr - fpr)[falling]
    best = int(gap.argmax()) if len(gap) else 0
    parts = [
        Part(name="score", values=found.score[falling], rest="range", kind="rank"),
        Part(name="positives", values=found.positives[falling], rest="sum"),
        Part(name="negatives", values=found.negatives[falling], rest="sum"),
        Part(name="tpr", values=tpr[falling], rest="last"),
        Part(name="fpr", values=fpr[falling], rest="last"),
        Part(name="rate_gap", values=gap, rest="last"),
    ]
    pieces = walked(len(gap), around=best)
    made = table(SCORES, parts, pieces, total=("positives", "negatives"), rest="rest_scores")
    operands: dict[str, Operand] = {"largest_gap": Of(SCORES, "rate_gap", "max")}
    return one_class_or(made, ("{largest_gap}", operands), score_notes(state))


@steps.register
def _pr_auc(metric: PRAUC, state: Scored) -> Parts:
    walk, found = metric.steps(state), state.table
    falling = np.flatnonzero(weighs(found))[::-1]
    area = walk.area[falling]
    parts = [
        Part(name="score", values=found.score[falling], rest="range", kind="rank"),
        Part(name="positives", values=found.positives[falling], rest="sum"),
        Part(name="negatives", values=found.negatives[falling], rest="sum"),
        Part(name="precision", values=walk.precision[falling], rest="last"),
        Part(name="recall", values=walk.recall[falling], rest="last"),
        Part(name="recall_step", values=walk.step[falling], rest="sum"),
        Part(name=f"area_{metric.rule}", values=area, rest="sum"),
    ]
    pieces = walked(len(area))
    added = ("positives", "negatives", "recall_step", f"area_{metric.rule}")
    made = table(SCORES, parts, pieces, total=added, rest="rest_scores")
    notes = score_notes(state)
    if not found.total_positives[0]:
        note = Note(key="undefined_positive")
        return Parts(steps=(made,), lines=(Line(name=VALUE, expression=""),), notes=(*notes, note))
    value = Line(name=VALUE, expression="{sum}", operands={"sum": Of(SCORES, f"area_{metric.rule}")})
    return Parts(steps=(made,), lines=(value,), notes=notes)
