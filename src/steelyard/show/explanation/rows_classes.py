"""Classes: the confusion matrix, right and wrong class by class, and how classes become one value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.arrays import Ints
from steelyard.messages import Message, say
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
from steelyard.show.explanation.explanation import UNDEFINED, Line, Number, Of, Operand, Steps, short_name
from steelyard.show.explanation.rows_matrix import MOST_CLASSES, WIDEST_CLASS, matrix_steps
from steelyard.show.explanation.rows_table import (
    WEIGHTED,
    Part,
    chosen,
    class_steps,
    fate,
    largest,
    row_notes,
    shortened,
    summed,
    table,
)
from steelyard.show.explanation.steps import Parts, steps
from steelyard.show.labels import distinct
from steelyard.states import Classified, Counts, Scored

COUNTS = say("right and wrong", key="class_counts")
RIGHT = say("rows with all labels right", key="right_rows")
_COUNTED = (say("TP", key="tp"), say("FP", key="fp"), say("FN", key="fn"), say("TN", key="tn"))
_PRODUCTS = {  # of several classes, and what their sums are called
    say("TP×TN - FP×FN", key="covariance"): say("covariance"),
    say("(TP+FN)×(TN+FP)", key="truth"): say("variance of the truth"),
    say("(TP+FP)×(TN+FN)", key="called"): say("variance of the predictions"),
}
_NO_POSITIVE_CLASS = say(
    "only one class is there, so that none is the positive one.", key="undefined_positive_class"
)
_NO_DIVISION = say("a division by 0 is undefined.", key="undefined_division")
_ONE_SIDE = say(
    "only one class is true or only one was predicted, so that the value is undefined.",
    key="undefined_one_side",
)
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
        return Parts(steps=matrix_steps(rows), lines=(UNDEFINED,), notes=(*notes, _NO_POSITIVE_CLASS))
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


def _undefined_notes(metric: AveragedMetric, counts: Counts) -> list[Message]:
    """Said where a class, or the whole, is divided by 0."""
    if metric.average in ("binary", "micro") and np.isnan(metric.value(counts)).any():
        return [_NO_DIVISION]
    if metric.average not in ("macro", "weighted"):
        return []
    classes = int((np.isnan(metric.by_class(counts)) & counts.exists).sum())
    note = say(
        "classes without a value, which {fate}: {classes:,}.",
        key="undefined_class",
        fate=fate(FILL.get(metric.undefined_class)),
        classes=classes,
    )
    return [note] if classes else []


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
    counted = [Part(name, getattr(some.row_counts, name.key)) for name in _COUNTED]
    found = summed(some, counted, Part(say("value"), value), worst=1 - value)
    notes = row_notes(some)
    if undefined:
        note = say(
            "rows without a value, which {fate}: {rows:,}.",
            key="undefined_row",
            fate=fate(FILL.get(metric.undefined_class)),
            rows=undefined,
        )
        notes = (*notes, note)
    return Parts(steps=(found.table,), lines=(found.over_rows(),), notes=notes)


def _divided(metric: AveragedMetric, counts: Counts, *, of_table: bool) -> Line:
    """The value of counts that were added up; of a metric that is not known here, its two parts."""
    formula, beta = _formula(metric)
    if formula is None:
        over, under = (float(part[0]) for part in metric.parts(counts))
        return Line(expression="{over} / {under}", operands={"over": over, "under": under})
    operands: dict[str, Operand] = {
        name.key: Of(COUNTS, name) if of_table else float(getattr(counts, name.key)[0])
        for name in _COUNTED
        if f"{{{name.key}}}" in formula
    }
    return Line(expression=formula, operands=operands | beta)


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
    value = Part(say("value"), metric.measure(rows)[0])
    parts = [_class_names(rows, at), *counted_parts(counts, at), value]
    made = table(COUNTS, parts, np.split(at, len(at)) if len(at) else [])
    made = shortened(made, largest(counts.support[0]))
    if len(at) > MOST_CLASSES:
        return replace(made, results=("value",)), []
    return made, [replace(line, result=True) for line in _class_lines(metric, rows, at)]


def _class_lines(metric: AveragedMetric, rows: Classified, at: Ints) -> list[Line]:
    """A line for each of a few classes; one that is undefined has what that counts where it is a result."""
    if len(at) > MOST_CLASSES:
        return []
    values = metric.by_class(rows.counts)[0]
    names = distinct(rows.classes, WIDEST_CLASS)
    lines = []
    for one in at.tolist():
        line = _divided(metric, rows.counts.only(one), of_table=False)
        if np.isnan(values[one]) and metric.average == "none":
            line = _filled(metric)
        lines.append(replace(line, name=f"{short_name(metric)}({names[one]})"))
    return lines


def _filled(metric: AveragedMetric) -> Line:
    """The line of an undefined class, or what it counts."""
    if metric.undefined not in FILL:
        return UNDEFINED
    return Line(expression="{filled}", operands={"filled": FILL[metric.undefined]})


def _mean(metric: AveragedMetric, rows: Classified) -> tuple[Steps, list[Line]]:
    """The mean over classes, plain or by their rows; an undefined class counts what the metric says."""
    counts = rows.counts
    at = np.flatnonzero(counts.exists[0])
    each = metric.by_class(counts)[0, at]
    inside = metric.inside(each)
    value = np.where(inside, metric.filled_in(each), np.nan)
    parts = [*counted_parts(counts, at), Part(say("value"), value, "sum")]
    total: tuple[str, ...] = ("value",)
    divisor: Operand = Number(inside.sum(), say("classes"))
    if metric.average == "weighted":
        support = np.where(inside, counts.support[0, at], np.nan)
        by_rows = Part(say("rows × value", key="weighted_value"), value * support, "sum")
        parts += [Part(say("rows // how many"), support, "sum"), by_rows]
        total, divisor = ("rows", "weighted_value"), Of(COUNTS, "rows")
    operands = {"sum": Of(COUNTS, total[-1]), "divisor": divisor}
    line = Line(expression="{sum} / {divisor}", operands=operands)
    return class_table(rows, at, parts, total), [*_class_lines(metric, rows, at), line]


@steps.register
def _accuracy(metric: Accuracy, state: Classified | Scored) -> Parts:
    rows = metric.view(state)
    if not rows.one_label:
        return _all_labels(metric, rows)
    counts = rows.counts
    at = np.flatnonzero(counts.exists[0])
    parts = [
        Part(say("rows // how many"), counts.support[0, at], "sum"),
        Part(say("right"), counts.tp[0, at], "sum"),
    ]
    made = class_table(rows, at, parts, ("rows", "right"))
    operands = {"right": Of(COUNTS, "right"), "rows": Of(COUNTS, "rows")}
    line = Line(expression="{right} / {rows}", operands=operands)
    return Parts(steps=(*matrix_steps(rows), made), lines=(line,), notes=class_notes(rows))


def _all_labels(metric: Accuracy, rows: Classified) -> Parts:
    """Rows of several labels: right where all of them are."""
    right = metric.all_right(rows)
    counts = np.array([rows.total(right)[0], rows.total(~right)[0]])
    parts = [
        Part(say("all right"), np.arange(2), kind="text", names=("✓", "✗")),
        Part(say("rows // how many"), counts),
    ]
    made = table(RIGHT, parts, np.split(np.arange(2), 2), total=("rows",))
    operands: dict[str, Operand] = {
        "right": Number(counts[0], say("right")),
        "rows": Of(RIGHT, "rows"),
    }
    line = Line(expression="{right} / {rows}", operands=operands)
    return Parts(steps=(made,), lines=(line,), notes=class_notes(rows))


@steps.register
def _balanced(metric: BalancedAccuracy, state: Classified | Scored) -> Parts:
    rows = metric.view(state)
    counts = rows.counts
    at = np.flatnonzero(counts.exists[0])
    recall = metric.by_class(counts)[0, at]
    there = ~np.isnan(recall)
    parts = [
        Part(say("rows // how many"), counts.support[0, at], "sum"),
        Part(say("right"), counts.tp[0, at], "sum"),
        Part(say("recall"), recall, "sum"),
    ]
    made = class_table(rows, at, parts, ("recall",))
    operands: dict[str, Operand] = {
        "sum": Of(COUNTS, "recall"),
        "classes": Number(there.sum(), say("classes")),
    }
    line = Line(expression="{sum} / {classes}", operands=operands)
    notes = class_notes(rows)
    if not there.all():
        note = say(
            "classes without a row in the truth, which are left out: {classes:,}.",
            key="class_without_rows",
            classes=int((~there).sum()),
        )
        notes = (*notes, note)
    return Parts(steps=(*matrix_steps(rows), made), lines=(line,), notes=notes)


@steps.register
def _mcc(metric: MCC, state: Classified | Scored) -> Parts:
    rows = metric.view(state)
    counts = rows.counts
    if counts.positive is not None:
        at = np.array([counts.positive])
        made = class_table(rows, at, counted_parts(counts, at), ())
        formula = f"({{tp}} * {{tn}} - {{fp}} * {{fn}}) / sqrt({_TWO_CLASSES})"
        operands = {name.key: Of(COUNTS, name) for name in _COUNTED}
    else:
        at = np.flatnonzero(counts.exists[0])
        parts = [
            Part(name, part[0, at], "sum") for name, part in zip(_PRODUCTS, metric.parts(counts), strict=True)
        ]
        made = class_table(rows, at, [*counted_parts(counts, at), *parts], tuple(_PRODUCTS))
        formula = "{covariance} / sqrt({truth} * {called})"
        operands = {name.key: Of(COUNTS, name, named=named) for name, named in _PRODUCTS.items()}
    notes = class_notes(rows)
    if np.isnan(metric.value(counts)).any():
        notes = (*notes, _ONE_SIDE)
    line = Line(expression=formula, operands=operands)
    return Parts(steps=(*matrix_steps(rows), made), lines=(line,), notes=notes)


def counted_parts(counts: Counts, at: Ints) -> list[Part]:
    """Right and wrong of some classes."""
    return [Part(name, getattr(counts, name.key)[0, at], "sum") for name in _COUNTED]


def class_table(rows: Classified, at: Ints, parts: list[Part], total: tuple[str, ...]) -> Steps:
    """Some classes with their numbers; of many, the largest."""
    pieces = chosen(largest(rows.counts.support[0, at]))
    return class_steps(COUNTS, [_class_names(rows, at), *parts], pieces, total if len(at) > 1 else ())


def _class_names(rows: Classified, at: Ints) -> Part:
    return Part(say("class"), at, "count", "text", rows.classes)


def class_notes(rows: Classified) -> tuple[Message, ...]:
    """What a reader must know of weights, and where there is no row."""
    return (*row_notes(rows), *(() if rows.weight is None else (WEIGHTED,)))
