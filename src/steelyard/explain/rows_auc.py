"""AUC: the pairs counted from score to score, the strips of a part of the curve, the curves of classes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from steelyard.arrays import Floats
from steelyard.curves.falling import weighs
from steelyard.explain.explanation import VALUE, Line, Note, Of, Operand, Steps, undefined
from steelyard.explain.rows_table import Part, chosen, largest, table, walked, weighted_name
from steelyard.explain.steps import Parts, steps
from steelyard.kernels.concordance import prefix_edges
from steelyard.metrics import AUC
from steelyard.metrics.multiclass import class_curves
from steelyard.states import Classified, Scored, ScoredRows, ScoreTable

SCORES, CURVES = "score_steps", "class_curves"


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
    values = {"bits": near.bits, "bound": f"{near.bound:.1e}"}
    return _pairs(binned, (Note(key="near_pairs", values=values),))


def _pairs(found: ScoreTable, notes: tuple[Note, ...]) -> Parts:
    """The pairs of a positive and a negative, score by score."""
    falling = np.flatnonzero(weighs(found))[::-1]
    positives, negatives = found.positives[falling], found.negatives[falling]
    below = found.below(found.negatives)[falling]
    parts = [
        Part(name="score", values=found.score[falling], rest="range", kind="rank"),
        Part(name="positives", values=positives, rest="sum"),
        Part(name="negatives", values=negatives, rest="sum"),
        Part(name="negatives_below", values=below),
        Part(name="pairs_won", values=positives * below, rest="sum"),
        Part(name="pairs_tied", values=positives * negatives, rest="sum"),
    ]
    total = [part.name for part in parts if part.rest == "sum"]
    made = table(SCORES, parts, walked(len(falling)), total=total, rest="rest_scores")
    operands: dict[str, Operand] = {name: Of(SCORES, name) for name in total}
    return one_class_or(
        made, ("({pairs_won} + {pairs_tied} / 2) / ({positives} * {negatives})", operands), notes
    )


def one_class_or(made: Steps, value: tuple[str, Mapping[str, Operand]], notes: tuple[Note, ...]) -> Parts:
    """The value by an expression, or undefined where only one class is there."""
    both = any(made.column("positives").cells) and any(made.column("negatives").cells)
    line = Line(name=VALUE, expression=value[0], operands=value[1]) if both else undefined()
    notes = notes if both else (*notes, Note(key="undefined_one_class"))
    return Parts(steps=(made,), lines=(line,), notes=notes)


def score_notes(state: ScoredRows) -> tuple[Note, ...]:
    """What a reader of distinct scores must know where rows have weights."""
    return () if state.table.counted else (Note(key="weighted_counts"),)


def _partial(metric: AUC, state: Scored) -> Parts:
    """The strips under the curve up to the false positive rate; what lies beyond it is one row."""
    limit = float(metric.max_fpr or 1)
    strips, found = metric.strips(state), state.table
    falling = np.flatnonzero(weighs(found))[::-1]
    area = np.nan_to_num(strips.width * strips.height)[falling]
    before = np.concatenate(([0.0], strips.fpr[falling]))[:-1]
    inside = int((before < limit * (1 - 1e-12)).sum())
    parts = [
        Part(name="score", values=found.score[falling], rest="range", kind="rank"),
        Part(name="positives", values=found.positives[falling], rest="sum"),
        Part(name="negatives", values=found.negatives[falling], rest="sum"),
        Part(name="tpr", values=_until(strips.tpr[falling], inside), rest="last"),
        Part(name="fpr", values=_until(strips.fpr[falling], inside), rest="last"),
        Part(name="strip_width", values=_until(strips.width[falling], inside), rest="sum"),
        Part(name="strip_height", values=_until(strips.height[falling], inside)),
        Part(name="strip", values=area, rest="sum"),
    ]
    pieces = walked(inside)
    if inside < len(falling):
        pieces.append(np.arange(inside, len(falling)))
    made = table(SCORES, parts, pieces, total=("positives", "negatives", "strip"), rest="rest_scores")
    area_sum = Of(SCORES, "strip")
    notes = score_notes(state)
    if metric.partial == "raw":
        return one_class_or(made, ("{sum}", {"sum": area_sum}), notes)
    expression = "(1 + ({strips} - {max_fpr} ** 2 / 2) / ({max_fpr} - {max_fpr} ** 2 / 2)) / 2"
    return one_class_or(made, (expression, {"strips": area_sum, "max_fpr": limit}), notes)


def _until(values: Floats, n: int) -> Floats:
    """Values with a dash from the n-th on."""
    return np.where(np.arange(len(values)) < n, values, np.nan)


def _of_classes(metric: AUC, state: Classified) -> Parts:
    """The area of every class against the rest, or of every two classes, and their mean."""
    curves = list(class_curves(state, metric.average, metric.replace(tolerance=None).per_segment))
    area = np.array([curve.area[0] for curve in curves])
    without = np.isnan(area)
    one = "two_classes" if metric.average == "ovo_macro" else "one_class"
    names = [" / ".join(str(state.classes[at]) for at in curve.at) for curve in curves]
    parts = [
        Part(name=one, values=np.arange(len(curves)), rest="count", kind="text", names=names),
        Part(name="class_auc", values=area, rest="sum"),
    ]
    notes = [Note(key="class_without_curve", values={"classes": int(without.sum())})] if without.any() else []
    if without.all():
        notes.append(Note(key="undefined_two_classes"))
    weighted = metric.average == "ovr_weighted"
    if weighted:
        weight = np.where(without, np.nan, [curve.weight[0] for curve in curves])
        parts.append(Part(name="class_rows", values=weight, rest="sum"))
        parts.append(Part(name=weighted_name("class_auc"), values=weight * area, rest="sum"))
    operands: dict[str, Operand] = {"sum": Of(CURVES, parts[-1].name), "curves": float((~without).sum())}
    if weighted:
        operands = {"sum": Of(CURVES, parts[-1].name), "class_rows": Of(CURVES, "class_rows")}
    made = table(
        CURVES,
        parts,
        chosen(largest(-np.nan_to_num(area))),
        total=[part.name for part in parts[1:] if not weighted or part.name != "class_auc"],
        rest="rest_classes",
    )
    value = Line(name=VALUE, expression=f"{{sum}} / {{{[*operands][1]}}}", operands=operands)
    return Parts(steps=(made,), lines=(value,), notes=tuple(notes))
