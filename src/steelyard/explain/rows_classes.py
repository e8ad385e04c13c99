"""Classes: the confusion matrix, right and wrong class by class, and how classes become one value."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from steelyard.arrays import Ints
from steelyard.explain.explanation import VALUE, Line, Note, Of, Operand, Steps, undefined
from steelyard.explain.rows_matrix import MOST_CLASSES, WIDEST_CLASS, matrix_steps
from steelyard.explain.rows_table import Part, chosen, largest, shortened, summed, table, weighted_name
from steelyard.explain.steps import Parts, steps
from steelyard.metrics import (
    FPR,
    MCC,
    Accuracy,
    AveragedMetric,
    BalancedAccuracy,
    FBeta,
    Precision,
    Recall,
    Specificity,
)
from steelyard.metrics.base import FILL
from steelyard.report.labels import distinct
from steelyard.states import Classified, Counts, Scored

COUNTS, RIGHT = "class_counts", "right_rows"
_COUNTED = ("tp", "fp", "fn", "tn")
_TWO_CLASSES = "({tp} + {fp}) * ({tp} + {fn}) * ({tn} + {fp}) * ({tn} + {fn})"
_FORMULAS = {
    Precision: "{tp} / ({tp} + {fp})",
    Recall: "{tp} / ({tp} + {fn})",
    Specificity: "{tn} / ({tn} + {fp})",
    FPR: "{fp} / ({tn} + {fp})",
}


@steps.register
def _averaged(metric: AveragedMetric, state: Classified | Scored) -> Parts:
    rows = metric.view(state)
    if metric.average == "samples":
        return _row_means(metric, rows)
    counts = rows.counts
    notes = class_notes(rows)
    if metric.average == "binary" and counts.positive is None:
        note = Note(key="undefined_positive_class")
        return Parts(steps=matrix_steps(rows), lines=(undefined(),), notes=(*notes, note))
    tables = matrix_steps(rows)
    match metric.average:
        case "binary":
            assert counts.positive is not None
            at = np.array([counts.positive])
            made = class_table(rows, at, counted_parts(counts, at), _COUNTED)
            lines = [_divided(metric, counts.only(counts.positive), of_table=True)]
        case "micro":
            at = np.flatnonzero(counts.exists[0])
            made = class_table(rows, at, counted_parts(counts, at), _COUNTED)
            lines = [_divided(metric, counts.pooled(), of_table=True)]
        case "none":
            made, lines = _each(metric, rows)
        case _:
            made, lines = _mean(metric, rows)
    return Parts(steps=(*tables, made), lines=tuple(lines), notes=(*notes, *_undefined_notes(metric, counts)))


def _undefined_notes(metric: AveragedMetric, counts: Counts) -> list[Note]:
    """Said where a class, or the whole, is divided by 0."""
    if metric.average in ("binary", "micro") and np.isnan(metric.value(counts)).any():
        return [Note(key="undefined_division")]
    if metric.average not in ("macro", "weighted"):
        return []
    classes = int((np.isnan(metric.by_class(counts)) & counts.exists).sum())
    key = f"undefined_class_{metric.undefined_class}"
    return [Note(key=key, values={"classes": classes})] if classes else []


def _row_means(metric: AveragedMetric, rows: Classified) -> Parts:
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
    counted = [Part(name=name, values=getattr(some.row_counts, name)) for name in _COUNTED]
    found = summed(some, counted, Part(name="row_value", values=value), worst=1 - value)
    notes = () if some.rows[0] else (Note(key="undefined_rows"),)
    if undefined:
        notes = (*notes, Note(key=f"undefined_row_{metric.undefined_class}", values={"rows": undefined}))
    return Parts(steps=(found.table,), lines=(found.over_rows("row_value"),), notes=notes)


def _divided(metric: AveragedMetric, counts: Counts, *, of_table: bool) -> Line:
    """The value of counts that were added up; of a metric that is not known here, its two parts."""
    formula, beta = _formula(metric)
    if formula is None:
        over, under = (float(part[0]) for part in metric.parts(counts))
        return Line(name=VALUE, expression="{over} / {under}", operands={"over": over, "under": under})
    operands: dict[str, Operand] = {
        name: Of(COUNTS, name) if of_table else float(getattr(counts, name)[0])
        for name in _COUNTED
        if f"{{{name}}}" in formula
    }
    return Line(name=VALUE, expression=formula, operands=operands | beta)


def _formula(metric: AveragedMetric) -> tuple[str | None, dict[str, Operand]]:
    """What is divided by what, in counts."""
    if not isinstance(metric, FBeta):
        return _FORMULAS.get(type(metric)), {}
    if metric.beta == 1:
        return "2 * {tp} / (2 * {tp} + {fp} + {fn})", {}
    right = "(1 + {beta} ** 2) * {tp}"
    return f"{right} / ({right} + {{beta}} ** 2 * {{fn}} + {{fp}})", {"beta": metric.beta}


def _each(metric: AveragedMetric, rows: Classified) -> tuple[Steps, list[Line]]:
    """One value per class, with a line for each if there are not many."""
    counts, at = rows.counts, np.arange(len(rows.classes))
    value = Part(name="class_value", values=metric.measure(rows)[0])
    parts = [_class_names(rows, at), *counted_parts(counts, at), value]
    made = table(COUNTS, parts, np.split(at, len(at)) if len(at) else [])
    made = shortened(made, largest(counts.support[0]))
    if len(at) > MOST_CLASSES:
        return replace(made, results=("class_value",)), []
    return made, [replace(line, result=True) for line in _class_lines(metric, rows, at)]


def _class_lines(metric: AveragedMetric, rows: Classified, at: Ints) -> list[Line]:
    """A line for each of a few classes; one that is undefined has what that counts where it is a result."""
    if len(at) > MOST_CLASSES:
        return []
    values = metric.by_class(rows.counts)[0]
    short, names = re.split(r"[(@]", str(metric))[0], distinct(rows.classes, WIDEST_CLASS)
    lines = []
    for one in at.tolist():
        line = _divided(metric, rows.counts.only(one), of_table=False)
        if np.isnan(values[one]) and metric.average == "none":
            line = _filled(metric)
        lines.append(replace(line, name=f"{short}({names[one]})"))
    return lines


def _filled(metric: AveragedMetric) -> Line:
    """The line of an undefined class, or what it counts."""
    if metric.undefined not in FILL:
        return undefined()
    return Line(name=VALUE, expression="{filled_value}", operands={"filled_value": FILL[metric.undefined]})


def _mean(metric: AveragedMetric, rows: Classified) -> tuple[Steps, list[Line]]:
    """The mean over classes, plain or by their rows; an undefined class counts what the metric says."""
    counts = rows.counts
    at = np.flatnonzero(counts.exists[0])
    each = metric.by_class(counts)[0, at]
    inside = metric.inside(each)
    value = np.where(inside, metric.filled_in(each), np.nan)
    parts = [*counted_parts(counts, at), Part(name="class_value", values=value, rest="sum")]
    total: tuple[str, ...] = ("class_value",)
    operands: dict[str, Operand] = {"sum": Of(COUNTS, "class_value"), "classes": float(inside.sum())}
    if metric.average == "weighted":
        support = np.where(inside, counts.support[0, at], np.nan)
        by_rows = Part(name=weighted_name("class_value"), values=value * support, rest="sum")
        parts += [Part(name="class_rows", values=support, rest="sum"), by_rows]
        total = ("class_rows", by_rows.name)
        operands = {"sum": Of(COUNTS, by_rows.name), "class_rows": Of(COUNTS, "class_rows")}
    line = Line(name=VALUE, expression=f"{{sum}} / {{{[*operands][1]}}}", operands=operands)
    return class_table(rows, at, parts, total), [*_class_lines(metric, rows, at), line]


@steps.register
def _accuracy(metric: Accuracy, state: Classified | Scored) -> Parts:
    rows = metric.view(state)
    if not rows.one_label:
        return _all_labels(metric, rows)
    counts = rows.counts
    at = np.flatnonzero(counts.exists[0])
    parts = [
        Part(name="class_rows", values=counts.support[0, at], rest="sum"),
        Part(name="right", values=counts.tp[0, at], rest="sum"),
    ]
    made = class_table(rows, at, parts, ("class_rows", "right"))
    operands = {"right": Of(COUNTS, "right"), "class_rows": Of(COUNTS, "class_rows")}
    line = Line(name=VALUE, expression="{right} / {class_rows}", operands=operands)
    return Parts(steps=(*matrix_steps(rows), made), lines=(line,), notes=class_notes(rows))


def _all_labels(metric: Accuracy, rows: Classified) -> Parts:
    """Rows of several labels: right where all of them are."""
    right = metric.all_right(rows)
    counts = np.array([rows.total(right)[0], rows.total(~right)[0]])
    parts = [
        Part(name="all_right", values=np.arange(2), kind="text", names=("✓", "✗")),
        Part(name="class_rows", values=counts),
    ]
    made = table(RIGHT, parts, np.split(np.arange(2), 2), total=("class_rows",))
    operands: dict[str, Operand] = {"right": float(counts[0]), "class_rows": Of(RIGHT, "class_rows")}
    line = Line(name=VALUE, expression="{right} / {class_rows}", operands=operands)
    return Parts(steps=(made,), lines=(line,), notes=class_notes(rows))


@steps.register
def _balanced(metric: BalancedAccuracy, state: Classified | Scored) -> Parts:
    rows = metric.view(state)
    counts = rows.counts
    at = np.flatnonzero(counts.exists[0])
    recall = metric.by_class(counts)[0, at]
    there = ~np.isnan(recall)
    parts = [
        Part(name="class_rows", values=counts.support[0, at], rest="sum"),
        Part(name="right", values=counts.tp[0, at], rest="sum"),
        Part(name="class_recall", values=recall, rest="sum"),
    ]
    made = class_table(rows, at, parts, ("class_recall",))
    operands: dict[str, Operand] = {"sum": Of(COUNTS, "class_recall"), "classes": float(there.sum())}
    line = Line(name=VALUE, expression="{sum} / {classes}", operands=operands)
    notes = class_notes(rows)
    if not there.all():
        notes = (*notes, Note(key="class_without_rows", values={"classes": int((~there).sum())}))
    return Parts(steps=(*matrix_steps(rows), made), lines=(line,), notes=notes)


@steps.register
def _mcc(metric: MCC, state: Classified | Scored) -> Parts:
    rows = metric.view(state)
    counts = rows.counts
    if counts.positive is not None:
        at = np.array([counts.positive])
        made = class_table(rows, at, counted_parts(counts, at), ())
        formula = f"({{tp}} * {{tn}} - {{fp}} * {{fn}}) / sqrt({_TWO_CLASSES})"
        operands: dict[str, Operand] = {name: Of(COUNTS, name) for name in _COUNTED}
    else:
        at = np.flatnonzero(counts.exists[0])
        names = ("covariance", "truth_variance", "called_variance")
        columns = tuple(f"class_{name}" for name in names)
        parts = [
            Part(name=name, values=part[0, at], rest="sum")
            for name, part in zip(columns, metric.parts(counts), strict=True)
        ]
        made = class_table(rows, at, [*counted_parts(counts, at), *parts], columns)
        formula = "{covariance} / sqrt({truth_variance} * {called_variance})"
        operands = {name: Of(COUNTS, column) for name, column in zip(names, columns, strict=True)}
    notes = class_notes(rows)
    if np.isnan(metric.value(counts)).any():
        notes = (*notes, Note(key="undefined_one_side"))
    line = Line(name=VALUE, expression=formula, operands=operands)
    return Parts(steps=(*matrix_steps(rows), made), lines=(line,), notes=notes)


def counted_parts(counts: Counts, at: Ints) -> list[Part]:
    """Right and wrong of some classes."""
    return [Part(name=name, values=getattr(counts, name)[0, at], rest="sum") for name in _COUNTED]


def class_table(rows: Classified, at: Ints, parts: list[Part], total: tuple[str, ...]) -> Steps:
    """Some classes with their numbers; of many, the largest."""
    pieces = chosen(largest(rows.counts.support[0, at]))
    total = total if len(at) > 1 else ()
    return table(COUNTS, [_class_names(rows, at), *parts], pieces, total=total, rest="rest_classes")


def _class_names(rows: Classified, at: Ints) -> Part:
    return Part(name="one_class", values=at, rest="count", kind="text", names=rows.classes)


def class_notes(rows: Classified) -> tuple[Note, ...]:
    """What a reader must know of weights, and where there is no row."""
    notes = [] if rows.rows[0] else [Note(key="undefined_rows")]
    if rows.weight is not None:
        notes.append(Note(key="weighted_counts"))
    return tuple(notes)
