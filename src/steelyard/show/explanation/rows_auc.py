"""AUC: the pairs counted from score to score, the strips of a part of the curve, the curves of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.curves.falling import weighs
from steelyard.kernels.concordance import prefix_edges
from steelyard.messages import Message, say
from steelyard.metrics import AUC
from steelyard.metrics.multiclass import class_curves
from steelyard.show.explanation.explanation import UNDEFINED, Line, Number, Of, Operand, Steps
from steelyard.show.explanation.rows_table import (
    ONE_CLASS,
    WEIGHTED,
    Part,
    chosen,
    class_steps,
    largest,
    table,
    together,
    walked,
)
from steelyard.show.explanation.steps import Parts, steps
from steelyard.states import Classified, Scored, ScoredRows, ScoreTable

SCORES = say("from the highest score down", key="score_steps")
CURVES = say("class by class", key="class_curves")
_NO_TWO_CLASSES = say(
    "no two classes are there, so that the value is undefined.", key="undefined_two_classes"
)


@steps.register
def auc_steps(metric: AUC, state: Scored | Classified) -> Parts:
    """The pairs of a positive and a negative; with several classes, the area of each curve."""
    if isinstance(state, Classified):
        return _of_classes(metric, state)
    if metric.is_partial:
        return _partial(metric, state)
    near = metric.prefixes(state) if metric.is_near(state) else None
    if near is None:
        return _pairs(state.table, score_notes(state))
    used = np.flatnonzero(near.counts.positives + near.counts.negatives)
    binned = ScoreTable(
        owner=np.zeros_like(used),
        score=prefix_edges(used, near.bits, state.score.dtype),
        positives=near.counts.positives[used].astype(np.float64),
        negatives=near.counts.negatives[used].astype(np.float64),
        n_segments=1,
        counted=True,
    )
    note = say(
        "scores with the same first {bits} bits count as tied, which is within {bound:.1e} of the exact "
        "value; a score here is the lowest with its bits.",
        key="near_pairs",
        bits=near.bits,
        bound=near.bound,
    )
    return _pairs(binned, (note,))


def _pairs(found: ScoreTable, notes: tuple[Message, ...]) -> Parts:
    """The pairs of a positive and a negative, score by score."""
    falling = np.flatnonzero(weighs(found))[::-1]
    positives, negatives = found.positives[falling], found.negatives[falling]
    below = found.below(found.negatives)[falling]
    parts = [
        *score_parts(found, falling),
        Part(say("negatives below"), below),
        Part(say("pairs won", key="pairs_won"), positives * below, "sum"),
        Part(say("pairs tied", key="pairs_tied"), positives * negatives, "sum"),
    ]
    total = [part.key for part in parts if part.rest == "sum"]
    made = score_table(parts, walked(len(falling)), total)
    operands: dict[str, Operand] = {key: Of(SCORES, key) for key in total}
    return one_class_or(
        made, ("({pairs_won} + {pairs_tied} / 2) / ({positives} * {negatives})", operands), notes
    )


def score_parts(found: ScoreTable, falling: Ints) -> list[Part]:
    """Each score with its positives and negatives."""
    return [
        Part(say("score"), found.score[falling], "range", "rank"),
        Part(say("positives"), found.positives[falling], "sum"),
        Part(say("negatives"), found.negatives[falling], "sum"),
    ]


def score_table(parts: list[Part], pieces: Sequence[Ints], total: Sequence[str]) -> Steps:
    """A walk down the scores."""
    rest = say(
        "a range of scores is several steps in one ({rows:,} in all): sums, or where they end.",
        rows=together(pieces),
    )
    return table(SCORES, parts, pieces, total=total, rest=rest)


def one_class_or(made: Steps, value: tuple[str, Mapping[str, Operand]], notes: tuple[Message, ...]) -> Parts:
    """The value by an expression, or undefined where only one class is there."""
    both = any(made.column("positives").cells) and any(made.column("negatives").cells)
    line = Line(expression=value[0], operands=value[1]) if both else UNDEFINED
    notes = notes if both else (*notes, ONE_CLASS)
    return Parts(steps=(made,), lines=(line,), notes=notes)


def score_notes(state: ScoredRows) -> tuple[Message, ...]:
    """What a reader of distinct scores must know where rows have weights."""
    return () if state.table.counted else (WEIGHTED,)


def _partial(metric: AUC, state: Scored) -> Parts:
    """The strips under the curve up to the false positive rate; what lies beyond it is one row."""
    limit = float(metric.max_fpr or 1)
    strips, found = metric.strips(state), state.table
    falling = np.flatnonzero(weighs(found))[::-1]
    area = np.nan_to_num(strips.width * strips.height)[falling]
    before = np.concatenate(([0.0], strips.fpr[falling]))[:-1]
    inside = int((before < limit * (1 - 1e-12)).sum())
    parts = [
        *score_parts(found, falling),
        Part(say("TPR", key="tpr"), _until(strips.tpr[falling], inside), "last"),
        Part(say("FPR", key="fpr"), _until(strips.fpr[falling], inside), "last"),
        Part(say("width"), _until(strips.width[falling], inside), "sum"),
        Part(say("mean height"), _until(strips.height[falling], inside)),
        Part(say("area"), area, "sum"),
    ]
    pieces = walked(inside)
    if inside < len(falling):
        pieces.append(np.arange(inside, len(falling)))
    made = score_table(parts, pieces, ("positives", "negatives", "area"))
    area_sum = Of(SCORES, "area")
    notes = score_notes(state)
    if metric.partial == "raw":
        return one_class_or(made, ("{sum}", {"sum": area_sum}), notes)
    expression = "(1 + ({area} - {max_fpr} ** 2 / 2) / ({max_fpr} - {max_fpr} ** 2 / 2)) / 2"
    return one_class_or(made, (expression, {"area": area_sum, "max_fpr": limit}), notes)


def _until(values: Floats, n: int) -> Floats:
    """Values with a dash from the n-th on."""
    return np.where(np.arange(len(values)) < n, values, np.nan)


def _of_classes(metric: AUC, state: Classified) -> Parts:
    """The area of every class against the rest, or of every two classes, and their mean."""
    curves = list(class_curves(state, metric.average, metric.replace(tolerance=None).per_segment))
    area = np.array([curve.area[0] for curve in curves])
    without = np.isnan(area)
    one = say("classes // a pair of them") if metric.average == "ovo_macro" else say("class")
    names = [" / ".join(str(state.classes[at]) for at in curve.at) for curve in curves]
    parts = [
        Part(one, np.arange(len(curves)), "count", "text", names),
        Part(say("AUC"), area, "sum"),
    ]
    notes = []
    if without.any():
        said = say(
            "classes or pairs without a curve, as a side of it has no row; they are left out: {classes:,}.",
            key="class_without_curve",
            classes=int(without.sum()),
        )
        notes.append(said)
    if without.all():
        notes.append(_NO_TWO_CLASSES)
    total = ["AUC"]
    divisor: Operand = Number((~without).sum(), say("curves"))
    if metric.average == "ovr_weighted":
        weight = np.where(without, np.nan, [curve.weight[0] for curve in curves])
        parts.append(Part(say("rows // how many"), weight, "sum"))
        parts.append(Part(say("rows × AUC", key="weighted_auc"), weight * area, "sum"))
        total, divisor = ["rows", "weighted_auc"], Of(CURVES, "rows")
    made = class_steps(CURVES, parts, chosen(largest(-np.nan_to_num(area))), total)
    operands = {"sum": Of(CURVES, total[-1]), "divisor": divisor}
    value = Line(expression="{sum} / {divisor}", operands=operands)
    return Parts(steps=(made,), lines=(value,), notes=tuple(notes))
