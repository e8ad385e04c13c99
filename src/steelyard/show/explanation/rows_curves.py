"""Curves walked from threshold to threshold: precision and recall, KS, ROC."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from steelyard.curves import roc
from steelyard.curves.falling import weighs
from steelyard.messages import say
from steelyard.metrics import AUC, KS, PRAUC
from steelyard.show.explanation.explanation import UNDEFINED, Line, Of
from steelyard.show.explanation.rows_auc import (
    SCORES,
    auc_steps,
    one_class_or,
    score_notes,
    score_parts,
    score_table,
)
from steelyard.show.explanation.rows_table import NO_POSITIVE, ONE_CLASS, Part, walked
from steelyard.show.explanation.steps import Parts, steps
from steelyard.states import Classified, Scored

_AREAS = {
    "step": say("step × precision", key="area"),
    "trapezoid": say("step × mean precision", key="area"),
    "trapezoid_first": say("step × mean precision", key="area"),
    "davis": say("area under the step", key="area"),
}


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
        return Parts(lines=(UNDEFINED,), notes=(*score_notes(state), ONE_CLASS))
    walk = {name: frame[name].to_numpy() for name in frame.columns}
    width = np.diff(walk["fpr"], prepend=0.0)
    height = (walk["tpr"] + np.concatenate(([0.0], walk["tpr"]))[:-1]) / 2
    parts = [
        Part(say("threshold"), walk["threshold"], "range", "rank"),
        Part(say("positives so far"), walk["positives"], "last"),
        Part(say("negatives so far"), walk["negatives"], "last"),
        Part(say("TPR", key="tpr"), walk["tpr"], "last"),
        Part(say("FPR", key="fpr"), walk["fpr"], "last"),
        Part(say("width"), width, "sum"),
        Part(say("mean height"), height),
        Part(say("area"), width * height, "sum"),
    ]
    made = score_table(parts, walked(len(width)), ("width", "area"))
    value = Line(name=say("area under the curve"), expression="{sum}", operands={"sum": Of(SCORES, "area")})
    return Parts(steps=(made,), lines=(value,), notes=score_notes(state))


@steps.register
def _ks(metric: KS, state: Scored) -> Parts:
    _, tpr, fpr = metric.rates(state)
    found = state.table
    falling = np.flatnonzero(weighs(found))[::-1]
    gap = np.nan_to_num(tpr - fpr)[falling]
    best = int(gap.argmax()) if len(gap) else 0
    parts = [
        *score_parts(found, falling),
        Part(say("TPR", key="tpr"), tpr[falling], "last"),
        Part(say("FPR", key="fpr"), fpr[falling], "last"),
        Part(say("TPR - FPR", key="gap"), gap, "last"),
    ]
    made = score_table(parts, walked(len(gap), around=best), ("positives", "negatives"))
    operands = {"largest": Of(SCORES, "gap", "max", named=say("largest TPR - FPR"))}
    return one_class_or(made, ("{largest}", operands), score_notes(state))


@steps.register
def _pr_auc(metric: PRAUC, state: Scored) -> Parts:
    walk, found = metric.steps(state), state.table
    falling = np.flatnonzero(weighs(found))[::-1]
    area = walk.area[falling]
    parts = [
        *score_parts(found, falling),
        Part(say("precision"), walk.precision[falling], "last"),
        Part(say("recall"), walk.recall[falling], "last"),
        Part(say("step in recall", key="step"), walk.step[falling], "sum"),
        Part(_AREAS[metric.rule], area, "sum"),
    ]
    made = score_table(parts, walked(len(area)), ("positives", "negatives", "step", "area"))
    notes = score_notes(state)
    if not found.total_positives[0]:
        return Parts(steps=(made,), lines=(UNDEFINED,), notes=(*notes, NO_POSITIVE))
    value = Line(expression="{sum}", operands={"sum": Of(SCORES, "area")})
    return Parts(steps=(made,), lines=(value,), notes=notes)
