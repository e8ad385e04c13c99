"""The steps of metrics of classes: right and wrong, and how the values of classes become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from steelyard.arrays import Flags, Ints
from steelyard.engine.class_values import Class
from steelyard.engine.classified import Classified, Counts
from steelyard.messages import Message, in_quotes, say
from steelyard.metrics.base import FILL
from steelyard.steps.arithmetic import UNDEFINED, Line, Number, Of, Parts, Quantity, Steps, applying, sum_of
from steelyard.steps.classes import (
    COUNTED,
    COUNTS,
    MOST_CLASSES,
    CountNames,
    class_names,
    class_notes,
    class_table,
    counted_values,
    matrix_steps,
    short_names,
)
from steelyard.steps.rows import Values, fate, largest, row_notes, shortened, summed, table, without_value

if TYPE_CHECKING:
    from steelyard.metrics.classes import AveragedMetric

_NO_POSITIVE_CLASS = say(
    "only one class is there, so that none is the positive one.", key="undefined_positive_class"
)
_NO_DIVISION = say("a division by 0 is undefined.", key="undefined_division")


def averaged_steps(metric: AveragedMetric, rows: Classified) -> Parts:
    """Right and wrong class by class, and the average that the metric is asked for."""
    if metric.average == "samples":
        return _of_rows(metric, rows)
    counts, notes = rows.counts, class_notes(rows)
    if metric.average == "binary" and counts.positive is None:
        return Parts(steps=matrix_steps(rows), lines=(UNDEFINED,), notes=(*notes, _NO_POSITIVE_CLASS))
    if metric.average == "none":
        made, lines = _each(metric, rows)
    elif metric.average in ("macro", "weighted"):
        made, lines = _mean(metric, rows)
    else:
        pooled = metric.average == "micro"
        at = np.flatnonzero(counts.exists[0]) if pooled else np.array([counts.positive])
        made = class_table(rows, at, counted_values(counts, at), COUNTED)
        lines = [Line(metric.arithmetic(CountNames.of_table()))]
        if lines[0].arithmetic is None:
            lines = [_divided(metric, counts.pooled() if pooled else counts.only(at[0]))]
    notes = (*notes, *_undefined_notes(metric, counts))
    return Parts(steps=(*matrix_steps(rows), made), lines=tuple(lines), notes=notes)


def _undefined_notes(metric: AveragedMetric, counts: Counts) -> tuple[Message, ...]:
    if metric.average in ("binary", "micro") and np.isnan(metric.value(counts)).any():
        return (_NO_DIVISION,)
    if metric.average not in ("macro", "weighted"):
        return ()
    classes = int((np.isnan(metric.by_class(counts)) & counts.exists).sum())
    note = say(
        "classes without a value, which {fate}: {classes:,}.",
        key="undefined_class",
        fate=fate(FILL.get(metric.undefined_class)),
        classes=classes,
    )
    return (note,) if classes else ()


def _of_rows(metric: AveragedMetric, rows: Classified) -> Parts:
    """Rows of several labels, each with its own right and wrong; the worst first."""
    each = metric.by_row(rows)
    undefined = int((np.isnan(each) & (rows.weights > 0)).sum())
    kept = np.flatnonzero(metric.inside(each))
    some = replace(
        rows,
        n_rows=len(kept),
        truth=rows.truth[kept],
        predicted=rows.called[kept],
        weight=None if rows.weight is None else rows.weight[kept],
    )
    value = metric.filled_in(each)[kept]
    counted = [Values(name, getattr(some.row_counts, name.key)) for name in COUNTED]
    found = summed(some, counted, Values(say("value"), value), worst=1 - value)
    notes = row_notes(some)
    if undefined:
        notes = (*notes, without_value(undefined, FILL.get(metric.undefined_class)))
    return Parts(steps=(found.table,), lines=(Line(found.mean()),), notes=notes)


def _divided(metric: AveragedMetric, counts: Counts) -> Line:
    """The value of counts by their numbers; where the formula cannot be written, by what it divides."""
    written = metric.arithmetic(CountNames.of(counts))
    if written is not None:
        return Line(written)
    over, under = (float(part[0]) for part in metric.parts(counts))
    return Line(Number(over, "over") / Number(under, "under"))


def _each(metric: AveragedMetric, rows: Classified) -> tuple[Steps, list[Line]]:
    counts, at = rows.counts, np.arange(len(rows.classes))
    value = Values(say("value"), metric.measure(rows)[0])
    values = [class_names(rows, at), *counted_values(counts, at), value]
    made = table(COUNTS, values, np.split(at, len(at)) if len(at) else [], total=())
    made = shortened(made, largest(counts.support[0]))
    if len(at) > MOST_CLASSES:
        return replace(made, results=("value",)), []
    return made, [replace(line, result=True) for line in _class_lines(metric, rows, at)]


def _class_lines(metric: AveragedMetric, rows: Classified, at: Ints) -> list[Line]:
    """A line for each of a few classes; one that is undefined has what that counts where it is a result."""
    if len(at) > MOST_CLASSES:
        return []
    values = metric.by_class(rows.counts)[0]
    names = short_names(rows)
    lines = []
    for one in at.tolist():
        line = _divided(metric, rows.counts.only(one))
        if np.isnan(values[one]) and metric.average == "none":
            fill = FILL.get(metric.undefined)
            line = UNDEFINED if fill is None else Line(Number(fill, "filled"))
        lines.append(replace(line, name=f"{metric.short_name}({names[one]})"))
    return lines


def _mean(metric: AveragedMetric, rows: Classified) -> tuple[Steps, list[Line]]:
    """The mean over classes, plain or by their rows; an undefined class counts what the metric says."""
    counts = rows.counts
    at = np.flatnonzero(counts.exists[0])
    each = metric.by_class(counts)[0, at]
    inside = metric.inside(each)
    value = np.where(inside, metric.filled_in(each), np.nan)
    values = [*counted_values(counts, at), Values(say("value"), value, "sum")]
    total: tuple[str, ...] = ("value",)
    divisor: Quantity = Number(inside.sum(), say("classes"))
    if metric.average == "weighted":
        support = np.where(inside, counts.support[0, at], np.nan)
        by_rows = Values(say("rows × value", key="weighted_value"), value * support, "sum")
        values += [Values(say("rows // how many"), support, "sum"), by_rows]
        total, divisor = ("rows", "weighted_value"), Of(COUNTS, "rows")
    line = Line(sum_of(COUNTS, total[-1]) / divisor)
    return class_table(rows, at, values, total), [*_class_lines(metric, rows, at), line]


_SHOWN = 5


def undefined_class_notes(
    label: str, classes: Sequence[Class], undefined: Flags, rule: str, fate: str = ""
) -> list[Message]:
    """Which classes are undefined, by segment and class, and what becomes of them by the rule.

    ``fate`` is the rule that says it, if not the same.
    """
    if not undefined.any():
        return []
    if len(undefined) > 1:
        said = say(
            "{metric}: in {slices:,} {slices:slice|slices} at least one class is undefined and {fate} "
            "(undefined_class={rule}).",
            key="undefined_classes",
            metric=label,
            slices=int(undefined.any(axis=1).sum()),
            fate=_fate(1, fate or rule),
            rule=rule,
        )
        return [said]
    names = [in_quotes(str(classes[at])) for at in np.flatnonzero(undefined[0]).tolist()]
    said = say(
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
    return [said]


def undefined_row_notes(label: str, n: int, rule: str) -> list[Message]:
    """How many rows of several labels are undefined, and what becomes of them by the rule."""
    said = say(
        "{metric}: {n:,} {n:row is|rows are} undefined and {fate} (undefined_class={rule}).",
        key="undefined_in_average",
        metric=label,
        n=n,
        fate=_fate(n, rule),
        rule=rule,
    )
    return [said] if n else []


def _fate(n: int, rule: str) -> Message:
    """What becomes of undefined classes or rows in the average; ``undefined`` is for the whole value."""
    if rule == "skip":
        left_out = say("is left out of the average", key=rule)
        return left_out if n == 1 else say("are left out of the average", key=rule)
    if rule == "nan":
        spoils = say("makes the average undefined", key=rule)
        return spoils if n == 1 else say("make the average undefined", key=rule)
    if n == 1:
        return say("counts {value:g} in the average", key=rule, value=FILL[rule])
    return say("count {value:g} in the average", key=rule, value=FILL[rule])


def absent_notes(label: str, slices: int, of: int) -> list[Message]:
    """Said where a metric leaves out classes without rows, in so many of its segments."""
    in_some = say(
        "{metric}: a class without a row in the truth is left out in {slices:,} slices.",
        key="absent_classes",
        metric=label,
        slices=slices,
    )
    said = say(
        "{metric}: a class without a row in the truth is left out.", key="absent_classes", metric=label
    )
    return [*applying((slices, in_some if of > 1 else said))]
