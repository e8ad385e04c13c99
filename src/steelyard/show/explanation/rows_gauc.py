"""GAUC: the groups with their AUC and their weight."""

from __future__ import annotations

import numpy as np

from steelyard.messages import say
from steelyard.metrics import GAUC
from steelyard.show.explanation.explanation import Line, Of
from steelyard.show.explanation.rows_table import (
    TOTAL_WEIGHT,
    Part,
    chosen,
    fate,
    product,
    table,
    together,
    worst_first,
)
from steelyard.show.explanation.steps import Parts, steps
from steelyard.states import Scored

GROUPS, GROUP = say("group by group", key="group_steps"), say("group")
_SINGLE = {"half": 0.5, "zero": 0.0}  # what a group of one class counts
_NO_GROUP = say(
    "no group has both classes and a weight, so that the value is undefined.", key="undefined_groups"
)
_ALL = 25  # groups that are told as they come; of more, the heaviest


@steps.register
def _gauc(metric: GAUC, state: Scored) -> Parts:
    inner, _ = state.by_group()
    value, weight = metric.counted(state)
    there = np.flatnonzero(inner.rows > 0)
    value, weight = value[there], weight[there]
    positives, negatives = inner.positives[there], inner.negatives[there]
    single = (positives == 0) | (negatives == 0)
    left_out = single if metric.single_class == "drop" else np.zeros(len(there), bool)
    auc = Part(say("AUC", key="auc"), np.where(left_out, np.nan, value))
    parts = [
        Part(GROUP, there, "count", "text", names=state.groups),
        Part(say("rows // how many"), inner.rows[there], "sum"),
        Part(say("positives"), positives, "sum"),
        Part(say("negatives"), negatives, "sum"),
        auc,
        Part(say("weight"), np.where(left_out, np.nan, weight), "sum"),
        Part(product(auc), np.where(left_out, np.nan, weight * value), "sum"),
    ]
    pieces = chosen(weight > 0) if len(there) <= _ALL else worst_first(weight)
    rest = say("… stands for the lighter groups, {rows:,} in all, with their sums.", rows=together(pieces))
    added = [part.key for part in parts if part.rest == "sum"]
    made = table(GROUPS, parts, pieces, total=added, rest=rest)
    operands = {"sum": Of(GROUPS, "weighted_auc"), "weight": Of(GROUPS, "weight", named=TOTAL_WEIGHT)}
    line = Line(expression="{sum} / {weight}", operands=operands)
    notes = []
    if single.any():
        said = say(
            "groups with one class only, which {fate}: {groups:,}, {positive:,} of them all positive.",
            key="single_class",
            fate=fate(_SINGLE.get(metric.single_class)),
            groups=int(single.sum()),
            positive=int((negatives == 0).sum()),
        )
        notes.append(said)
    if not weight.any():
        notes.append(_NO_GROUP)
    return Parts(steps=(made,), lines=(line,), notes=tuple(notes))
