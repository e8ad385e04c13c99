"""The ROC curve, as far as it can be explained like a metric."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from steelyard.engine.classified import Classified
from steelyard.engine.scored import Scored
from steelyard.metrics.curves.rows import roc
from steelyard.metrics.rows.auc import AUC
from steelyard.metrics.steps.arithmetic import UNDEFINED, Line, Parts, sum_of
from steelyard.metrics.steps.rows import ONE_CLASS, SCORES, RowValues, score_notes, score_steps, walked
from steelyard.text import say


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class ROC(AUC):
    """How many good rows you catch for the bad ones you let in, as you lower the bar."""

    name = "roc"
    zh = "ROC曲线"

    def idle(self, state: Any) -> set[str]:
        return {field.name for field in self.own_fields()}

    def choices(self, state: Any) -> list[tuple[str, Any]]:
        return []

    def steps(self, state: Scored | Classified) -> Parts:
        if isinstance(state, Classified):  # a curve for each class: their areas
            return self.class_steps(state)
        frame = roc(state)
        if not frame.height:
            return Parts(lines=(UNDEFINED,), notes=(*score_notes(state), ONE_CLASS))
        walk = {name: frame[name].to_numpy() for name in frame.columns}
        width = np.diff(walk["fpr"], prepend=0.0)
        height = (walk["tpr"] + np.concatenate(([0.0], walk["tpr"]))[:-1]) / 2
        values = [
            RowValues(say("threshold"), walk["threshold"], "range", "rank"),
            RowValues(say("positives so far"), walk["positives"], "last"),
            RowValues(say("negatives so far"), walk["negatives"], "last"),
            RowValues(say("TPR", key="tpr"), walk["tpr"], "last"),
            RowValues(say("FPR", key="fpr"), walk["fpr"], "last"),
            RowValues(say("width"), width, "sum"),
            RowValues(say("mean height"), height),
            RowValues(say("area"), width * height, "sum"),
        ]
        made = score_steps(values, walked(len(width)), ("width", "area"))
        line = Line(sum_of(SCORES, "area"), say("area under the curve"))
        return Parts(steps=(made,), lines=(line,), notes=score_notes(state))
