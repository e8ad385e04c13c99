"""Averages over classes, or over rows of several labels: values, influence, steps and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.arrays import Flags, Floats
from steelyard.engine.classified import Classified, Counts
from steelyard.engine.columns import Class
from steelyard.engine.influence import Influence
from steelyard.kernels.means import ratio
from steelyard.metrics.base import FILL
from steelyard.metrics.steps import UNDEFINED, Line, Number, Of, Parts, Quantity, Steps, applying, sum_of
from steelyard.metrics.steps.rows import (
    COUNTED,
    COUNTS,
    MOST_CLASSES,
    CountNames,
    RowValues,
    alone,
    chosen,
    class_names,
    class_steps,
    class_table,
    counted_values,
    largest,
    matrix_steps,
    result_of_each,
    short_names,
    shortened,
    summed,
    table,
)
from steelyard.text import Message, in_quotes, say

if TYPE_CHECKING:
    from steelyard.metrics.classes.base import AveragedMetric
    from steelyard.metrics.classes.curves import ClassCurve, CurveMetric

_CURVES = say("class by class", key="class_curves")
_EVERY_CLASS = say(
    "each class of each row counts as a row: positive where the row is of the class, scored by the class.",
    key="every_class",
)


class MeanOfValues:
    """Metrics with a value per class, or per row of several labels, some of them undefined."""

    average: str
    undefined_class: str

    @property
    def is_mean(self) -> bool:
        """Whether the value is a mean over classes or rows."""
        return self.average.removeprefix("ovr_") in ("macro", "weighted", "samples")

    @property
    def fill(self) -> float | None:
        """The value of an undefined class or row in a mean; None if it is left out."""
        return FILL.get(self.undefined_class) if self.is_mean else None

    def filled_in(self, each: Floats) -> Floats:
        """The values of classes or rows, with the undefined ones filled for a mean."""
        return each if self.fill is None else np.where(np.isnan(each), self.fill, each)

    def inside(self, each: Floats) -> tuple[Floats, Flags]:
        """The terms of a mean, and which of them count."""
        filled = self.filled_in(each)
        counted: Flags = ~np.isnan(filled)
        return np.where(counted, filled, 0.0), counted

    def by_row(self, classified: Classified) -> Floats:
        raise NotImplementedError

    def of_rows(self, classified: Classified) -> Floats:
        each, counted = self.inside(self.by_row(classified))
        value = ratio(classified.total(each), classified.total(counted))
        spoilt = self.undefined_class == "nan" and classified.total(~counted) > 0
        return np.where(spoilt, np.nan, value)

    def influence_of_rows(self, rows: Classified, values: Floats) -> Influence:
        each, counted = self.inside(self.by_row(rows))
        return Influence.of_ratio(
            rows.cells, rows.per_cell(each), rows.per_cell(counted.astype(np.float64)), values
        )

    def _undefined_rows(self, rows: Classified) -> int:
        return int((np.isnan(self.by_row(rows)) & (rows.weights > 0)).sum())

    def row_facts(self, rows: Classified, label: str) -> list[Message]:
        n, rule = self._undefined_rows(rows), self.undefined_class
        note = say(
            "{metric}: {n:,} {n:row is|rows are} undefined and {fate} (undefined_class={rule}).",
            key="undefined_in_average",
            metric=label,
            n=n,
            fate=_fate(n, rule),
            rule=rule,
        )
        return [note] if n else []

    def row_steps(self, rows: Classified) -> Parts:
        each = self.filled_in(self.by_row(rows))
        undefined, kept = self._undefined_rows(rows), np.flatnonzero(~np.isnan(each))
        columns = {name: getattr(rows, name) for name in ("predicted", "probability", "weight")}
        parts: dict[str, Any] = {
            name: None if values is None else values[kept] for name, values in columns.items()
        }
        some = replace(rows, n_rows=len(kept), truth=rows.truth[kept], **parts)
        value = RowValues(say("value"), each[kept])
        sums = summed(some, self.row_columns(some), value, worst=1 - value.values)
        spoilt = bool(undefined) and self.undefined_class == "nan"
        return Parts(steps=(sums.table,), lines=(UNDEFINED if spoilt else Line(sums.mean()),))

    def row_columns(self, rows: Classified) -> list[RowValues]:
        raise NotImplementedError


def averaged_steps(metric: AveragedMetric, rows: Classified) -> Parts:
    if metric.average == "samples":
        return metric.row_steps(rows)
    counts = rows.counts
    if metric.average == "binary" and counts.positive is None:
        return Parts(steps=matrix_steps(rows), lines=(UNDEFINED,))
    if metric.average == "none":
        parts = _each(metric, rows)
        return replace(parts, steps=(*matrix_steps(rows), *parts.steps))
    if metric.average in ("macro", "weighted"):
        counted, lines = _mean(metric, rows)
    else:
        pooled = metric.average == "micro"
        at = np.flatnonzero(counts.exists[0]) if pooled else np.array([counts.positive])
        counted = class_table(rows, at, counted_values(counts, at), COUNTED)
        formula = metric.arithmetic(CountNames.of_table())
        if formula is None:
            formula = _divided(metric, counts.pooled() if pooled else counts.only(at[0]))
        lines = [Line(formula)]
    return Parts(steps=(*matrix_steps(rows), counted), lines=tuple(lines))


def mean_values(
    name: str, value: RowValues, weight: Floats | None, product: Message, counted: Message
) -> tuple[list[RowValues], tuple[str, ...], Line]:
    """The columns of a mean, the names of those that are added up, and its line."""
    there = ~np.isnan(value.values)
    if weight is None:
        return [value], (value.key,), Line(sum_of(name, value.key) / Number(there.sum(), counted))
    rows = RowValues(say("rows // how many"), np.where(there, weight, np.nan), "sum")
    weighted = RowValues(product, rows.values * value.values, "sum")
    line = Line(sum_of(name, weighted.key) / Of(name, rows.key))
    return [value, rows, weighted], (rows.key, weighted.key), line


def _divided(metric: AveragedMetric, counts: Counts) -> Quantity:
    """The formula with the numbers of counts, or else the numerator and the denominator."""
    formula = metric.arithmetic(CountNames.of(counts))
    if formula is not None:
        return formula
    over, under = (float(part[0]) for part in metric.parts(counts))
    return Number(over, "over") / Number(under, "under")


def _each(metric: AveragedMetric, rows: Classified) -> Parts:
    counts, every = rows.counts, np.arange(len(rows.classes))
    value = RowValues(say("value"), metric.measure(rows)[0])
    values = [class_names(rows, every), *counted_values(counts, every), value]
    counted = shortened(table(COUNTS, values, alone(len(every)), total=()), largest(counts.support[0]))
    undefined, fill = np.isnan(metric.by_class(counts)[0]), FILL.get(metric.undefined)
    filled = None if fill is None else Number(fill, "filled")
    terms = (filled if undefined[at] else _divided(metric, counts.only(at)) for at in every.tolist())
    return result_of_each(metric.short_name, counted, short_names(rows), terms)


def _mean(metric: AveragedMetric, rows: Classified) -> tuple[Steps, list[Line]]:
    counts = rows.counts
    at = np.flatnonzero(counts.exists[0])
    value = RowValues(say("value"), metric.filled_in(metric.by_class(counts)[0, at]), "sum")
    weight = counts.support[0, at] if metric.average == "weighted" else None
    product = say("rows × value", key="weighted_value")
    values, total, line = mean_values(COUNTS, value, weight, product, say("classes"))
    counted = class_table(rows, at, [*counted_values(counts, at), *values], total)
    if len(at) > MOST_CLASSES:
        return counted, [line]
    names = short_names(rows)
    of_classes = [
        Line(_divided(metric, counts.only(place)), f"{metric.short_name}({names[place]})")
        for place in at.tolist()
    ]
    return counted, [*of_classes, line]


def curve_steps(metric: CurveMetric, rows: Classified) -> Parts:
    metric.check_curves(rows)
    if metric.average == "ovr_micro":
        parts = metric.scored_steps(rows.every_class())
        return replace(parts, notes=(_EVERY_CLASS, *parts.notes))
    if metric.average == "samples":
        return metric.row_steps(rows)
    curves = list(metric.curves(rows))
    if metric.average == "none":
        return _of_each_curve(metric, rows, curves)
    return _mean_of_curves(metric, rows, curves)


def _mean_of_curves(metric: CurveMetric, rows: Classified, curves: list[ClassCurve]) -> Parts:
    area = metric.filled_in(np.array([curve.area[0] for curve in curves]))
    weight = np.array([curve.weight[0] for curve in curves])
    spoilt = metric.undefined_class == "nan" and (np.isnan(area) & (weight > 0)).any() and not metric.by_pairs
    value = RowValues(metric.curve_name, area, "sum")
    product = say("rows × {area}", key="weighted_area", area=metric.curve_name)
    weights = weight if metric.by_weight else None
    values, total, line = mean_values(_CURVES, value, weights, product, say("curves"))
    pieces = chosen(largest(-np.nan_to_num(area)))
    areas = class_steps(_CURVES, [_names(metric, rows, curves), *values], pieces, total)
    return Parts(steps=(areas,), lines=(UNDEFINED if spoilt else line,))


def _of_each_curve(metric: CurveMetric, rows: Classified, curves: list[ClassCurve]) -> Parts:
    value = metric.measure(rows)[0]
    values = [_names(metric, rows, curves), RowValues(metric.curve_name, value)]
    areas = shortened(table(_CURVES, values, alone(len(curves))), largest(-np.nan_to_num(value)))
    terms = (None if np.isnan(area) else Number(area, metric.curve_name) for area in value.tolist())
    return result_of_each(metric.short_name, areas, short_names(rows), terms)


def _names(metric: CurveMetric, rows: Classified, curves: list[ClassCurve]) -> RowValues:
    heading = say("classes // a pair of them") if metric.by_pairs else say("class")
    names = [" / ".join(str(rows.classes[at]) for at in curve.at) for curve in curves]
    return RowValues(heading, np.arange(len(curves)), "count", "text", names)


_SHOWN = 5


def undefined_class_notes(
    label: str, classes: Sequence[Class], undefined: Flags, rule: str, fate: str = ""
) -> list[Message]:
    """Which classes are undefined, by segment and class, and how the rule (or ``fate``) counts them."""
    if not undefined.any():
        return []
    if len(undefined) > 1:
        in_slices = say(
            "{metric}: in {slices:,} {slices:slice|slices} at least one class is undefined and {fate} "
            "(undefined_class={rule}).",
            key="undefined_classes",
            metric=label,
            slices=int(undefined.any(axis=1).sum()),
            fate=_fate(1, fate or rule),
            rule=rule,
        )
        return [in_slices]
    names = [in_quotes(str(classes[at])) for at in np.flatnonzero(undefined[0]).tolist()]
    note = say(
        "{metric}: {n:class|classes} {classes} {n:is|are} undefined and {fate} (undefined_class={rule}).",
        key="undefined_classes",
        metric=label,
        n=len(names),
        classes=say("{items:and}", items=names)
        if len(names) <= _SHOWN
        else say("{items:and} and {n:,} more", items=names[:_SHOWN], n=len(names) - _SHOWN),
        fate=_fate(len(names), fate or rule),
        rule=rule,
    )
    return [note]


def _fate(n: int, rule: str) -> Message:
    if rule == "skip":
        return say("{n:is|are} left out of the average", key=rule, n=n)
    if rule == "nan":
        return say("{n:makes|make} the average undefined", key=rule, n=n)
    return say("{n:counts|count} {value:g} in the average", key=rule, n=n, value=FILL[rule])


def absent_notes(label: str, slices: int, of: int) -> list[Message]:
    in_some = say(
        "{metric}: a class without a row in the truth is left out in {slices:,} slices.",
        key="absent_classes",
        metric=label,
        slices=slices,
    )
    note = say(
        "{metric}: a class without a row in the truth is left out.", key="absent_classes", metric=label
    )
    return [*applying((slices, in_some if of > 1 else note))]
