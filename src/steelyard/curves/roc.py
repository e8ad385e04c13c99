"""The ROC curve."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import polars as pl

from steelyard.curves.falling import Falling
from steelyard.messages import say
from steelyard.metrics.auc import AUC
from steelyard.states import Classified, Scored
from steelyard.steps.arithmetic import UNDEFINED, Line, Parts, sum_of
from steelyard.steps.rows import ONE_CLASS, Values, walked
from steelyard.steps.scores import SCORES, score_notes, score_steps


def roc(scored: Scored) -> pl.DataFrame:
    """How many good rows you catch for the bad ones you let in, as you lower the bar.

    One row per distinct score, thresholds falling; the first stands at infinity, where nothing is taken.
    ``tpr`` is the share of positives with ``score >= threshold``, ``fpr`` that of negatives; ``positives``
    and ``negatives`` are their weights. Rows joined by straight lines have exactly the area ``auc``. With
    one class only the curve is undefined and the frame is empty; where rows are in segments there is one
    curve per segment, named in a column ``segment``.

    Examples
    --------
    Two positives, two negatives; 0.5 is a tie of one each:

    >>> from steelyard.curves import scored
    >>> roc(scored([1, 1, 0, 0], [0.8, 0.5, 0.5, 0.1])).select("threshold", "fpr", "tpr").rows()
    [(inf, 0.0, 0.0), (0.8, 0.0, 0.5), (0.5, 0.5, 1.0), (0.1, 1.0, 1.0)]
    """
    falling = Falling.of(scored, both_classes=True)
    return falling.frame(
        scored,
        fpr=falling.share(falling.negatives),
        tpr=falling.share(falling.positives),
        positives=scored.shown(falling.positives, falling.segment),
        negatives=scored.shown(falling.negatives, falling.segment),
    )


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class ROC(AUC):
    """How many good rows you catch for the bad ones you let in, as you lower the bar."""

    name: ClassVar[str] = "roc"
    zh: ClassVar[str] = "ROC曲线"

    def idle(self, state: Any) -> set[str]:
        return {field.name for field in self.own_fields()}

    def choices(self, state: Any) -> list[tuple[str, Any]]:
        return []

    def steps(self, state: Scored | Classified) -> Parts:
        """Each threshold with the rates of both classes, and the strip of area that it adds."""
        if isinstance(state, Classified):  # a curve for each class: their areas
            return self.class_steps(state)
        frame = roc(state)
        if not frame.height:
            return Parts(lines=(UNDEFINED,), notes=(*score_notes(state), ONE_CLASS))
        walk = {name: frame[name].to_numpy() for name in frame.columns}
        width = np.diff(walk["fpr"], prepend=0.0)
        height = (walk["tpr"] + np.concatenate(([0.0], walk["tpr"]))[:-1]) / 2
        values = [
            Values(say("threshold"), walk["threshold"], "range", "rank"),
            Values(say("positives so far"), walk["positives"], "last"),
            Values(say("negatives so far"), walk["negatives"], "last"),
            Values(say("TPR", key="tpr"), walk["tpr"], "last"),
            Values(say("FPR", key="fpr"), walk["fpr"], "last"),
            Values(say("width"), width, "sum"),
            Values(say("mean height"), height),
            Values(say("area"), width * height, "sum"),
        ]
        made = score_steps(values, walked(len(width)), ("width", "area"))
        line = Line(sum_of(SCORES, "area"), say("area under the curve"))
        return Parts(steps=(made,), lines=(line,), notes=score_notes(state))
