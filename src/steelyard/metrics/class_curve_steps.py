"""The steps of areas under several curves: class by class, row by row, or all of them as one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.classified import Classified
from steelyard.messages import Message, say
from steelyard.metrics.base import FILL
from steelyard.steps.arithmetic import UNDEFINED, Line, Number, Of, Parts, Quantity, sum_of
from steelyard.steps.classes import MOST_CLASSES, class_steps, short_names
from steelyard.steps.rows import (
    Values,
    chosen,
    fate,
    largest,
    row_notes,
    shortened,
    summed,
    table,
    without_value,
)

if TYPE_CHECKING:
    from steelyard.metrics.class_curves import ClassCurve, CurveMetric

_CURVES = say("class by class", key="class_curves")
_NO_TWO_CLASSES = say(
    "no two classes are there, so that the value is undefined.", key="undefined_two_classes"
)
_EVERY_CLASS = say(
    "each class of each row counts as a row: positive where the row is of the class, scored by the class.",
    key="every_class",
)
_SPOILT = say("a class or row without a curve makes the average undefined.", key="undefined_average")


def curve_steps(metric: CurveMetric, rows: Classified) -> Parts:
    """The area of every curve, and what is made of them."""
    metric.check_curves(rows)
    if metric.average == "ovr_micro":
        made = metric.steps(rows.every_class())
        return replace(made, notes=(_EVERY_CLASS, *made.notes))
    if metric.average == "samples":
        return _of_rows(metric, rows)
    curves = list(metric.curves(rows))
    return _of_each(metric, rows, curves) if metric.average == "none" else _mean(metric, rows, curves)


def _mean(metric: CurveMetric, rows: Classified, curves: list[ClassCurve]) -> Parts:
    """The area of every class against the rest, or of every two classes, and their mean."""
    own = np.array([curve.area[0] for curve in curves])
    weight = np.array([curve.weight[0] for curve in curves])
    area = metric.filled_in(own)
    without = np.isnan(area)
    notes = list(_without_notes(metric, own))
    if metric.undefined_class == "nan" and (without & (weight > 0)).any() and not metric.by_pairs:
        notes.append(_SPOILT)
    elif without.all():
        notes.append(_NO_TWO_CLASSES)
    values = [_names(metric, rows, curves), Values(metric.curve_name, area, "sum")]
    total = [values[-1].key]
    divisor: Quantity = Number((~without).sum(), say("curves"))
    if metric.by_weight:
        weight = np.where(without, np.nan, weight)
        values.append(Values(say("rows // how many"), weight, "sum"))
        weighted = say("rows × {area}", key="weighted_area", area=metric.curve_name)
        values.append(Values(weighted, weight * area, "sum"))
        total, divisor = ["rows", "weighted_area"], Of(_CURVES, "rows")
    table = class_steps(_CURVES, values, chosen(largest(-np.nan_to_num(area))), total)
    line = UNDEFINED if _SPOILT in notes else Line(sum_of(_CURVES, total[-1]) / divisor)
    return Parts(steps=(table,), lines=(line,), notes=tuple(notes))


def _of_each(metric: CurveMetric, rows: Classified, curves: list[ClassCurve]) -> Parts:
    own = np.array([curve.area[0] for curve in curves])
    value, n = metric.measure(rows)[0], len(curves)
    values = [_names(metric, rows, curves), Values(metric.curve_name, value)]
    made = table(_CURVES, values, np.split(np.arange(n), n) if n else [])
    made = shortened(made, largest(-np.nan_to_num(value)))
    notes = _without_notes(metric, own)
    if n > MOST_CLASSES:
        return Parts(steps=(replace(made, results=(values[-1].key,)),), lines=(), notes=notes)
    lines = []
    for name, area in zip(short_names(rows), value.tolist(), strict=True):
        line = UNDEFINED if np.isnan(area) else Line(Number(area, metric.curve_name))
        lines.append(replace(line, name=f"{metric.short_name}({name})", result=True))
    return Parts(steps=(made,), lines=tuple(lines), notes=notes)


def _of_rows(metric: CurveMetric, rows: Classified) -> Parts:
    """Rows of several labels, each with a curve of its own; the worst first."""
    each = metric.by_row(rows)
    value = metric.filled_in(each)
    undefined = int((np.isnan(each) & (rows.weights > 0)).sum())
    kept = np.flatnonzero(~np.isnan(value))
    some = replace(
        rows,
        n_rows=len(kept),
        truth=rows.truth[kept],
        probability=None if rows.probability is None else rows.probability[kept],
        weight=None if rows.weight is None else rows.weight[kept],
    )
    labels = Values(say("labels"), some.truth.sum(axis=1).astype(np.float64))
    found = summed(some, [labels], Values(say("value"), value[kept]), worst=1 - value[kept])
    notes = row_notes(some)
    if undefined:
        notes = (*notes, without_value(undefined, FILL.get(metric.undefined_class)))
    if undefined and metric.undefined_class == "nan":
        return Parts(steps=(found.table,), lines=(UNDEFINED,), notes=(*notes[:-1], _SPOILT))
    return Parts(steps=(found.table,), lines=(Line(found.mean()),), notes=notes)


def _names(metric: CurveMetric, rows: Classified, curves: list[ClassCurve]) -> Values:
    one = say("classes // a pair of them") if metric.by_pairs else say("class")
    names = [" / ".join(str(rows.classes[at]) for at in curve.at) for curve in curves]
    return Values(one, np.arange(len(curves)), "count", "text", names)


def _without_notes(metric: CurveMetric, area: Floats) -> tuple[Message, ...]:
    """Said of curves that are not there, and what becomes of them."""
    without = int(np.isnan(area).sum())
    if not without:
        return ()
    if metric.fill is None:
        said = say(
            "classes or pairs without a curve, as a side of it has no row; they are left out: {classes:,}.",
            key="class_without_curve",
            classes=without,
        )
        return (said,)
    said = say(
        "classes without a value, which {fate}: {classes:,}.",
        key="undefined_class",
        fate=fate(metric.fill),
        classes=without,
    )
    return (said,)
