"""What a user is told when rows with classes or ratings cannot be weighed."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors.base import (
    ColumnError,
    MetricError,
    RowError,
    ValueInDataError,
    by_rounding,
    outside,
    quoted,
)

_SHOWN = 10


def unknown_class(role: str, row: int, value: object, classes: Sequence[object]) -> RowError:
    return RowError(
        row,
        f"{role} '{value}' is none of the classes {_listed(classes)}",
        remedy="name it in classes, or correct the row",
    )


def class_twice(name: object) -> ValueInDataError:
    return ValueInDataError(f"classes names '{name}' twice", remedy="name each class once")


def null_class(role: str, row: int) -> RowError:
    return RowError(row, f"{role} is null", remedy="remove the row, or fill it")


def not_a_class(role: str, row: int, value: object) -> RowError:
    return RowError(
        row,
        f"{role} is {value!r}, which is no class",
        remedy="a class is text or a whole number; scores go with labels of 0 and 1, "
        "probabilities with one column per class",
    )


def kinds_differ(one: str, other: str) -> ValueInDataError:
    return ValueInDataError(
        f"some classes are {one} and some are {other}",
        remedy="give labels, predictions and classes all as text, or all as whole numbers",
    )


def lengths_differ(labels: int, predicted: int) -> ValueInDataError:
    return ValueInDataError(
        f"{labels:,} labels but {predicted:,} predictions", remedy="give one prediction per label"
    )


def weights_differ(rows: int, weights: int) -> ValueInDataError:
    return ValueInDataError(f"{rows:,} rows but {weights:,} weights", remedy="give one weight per row")


def not_one_column(role: str, shape: Sequence[int]) -> ValueInDataError:
    return ValueInDataError(
        f"{role} has the shape {' × '.join(map(str, shape))}", remedy="give one value per row"
    )


def columns_differ(columns: int, classes: Sequence[object]) -> ValueInDataError:
    return ValueInDataError(
        f"{columns:,} columns for the {len(classes):,} classes {_listed(classes)}",
        remedy="give one column per class, and name the classes in the order of the columns: classes=[...]",
    )


def columns_named_in_part(columns: Sequence[object], classes: Sequence[object]) -> ValueInDataError:
    return ValueInDataError(
        f"the columns {_listed(columns)} name only some of the classes {_listed(classes)}",
        remedy="name the classes in the order of the columns: classes=[...], --classes NAME,NAME",
    )


def matrices_differ(truth: Sequence[int], predicted: Sequence[int]) -> ValueInDataError:
    return ValueInDataError(
        f"the truth is a matrix of {' × '.join(map(str, truth))}, "
        f"the prediction of {' × '.join(map(str, predicted))}",
        remedy="give both with one row per row and one column per class",
    )


def matrix_not_binary(role: str, row: int, value: object) -> RowError:
    return RowError(
        row,
        f"the {role} matrix has {value}",
        remedy="a matrix of several labels per row holds 0 and 1",
    )


def name_probabilities(columns: Sequence[str]) -> str:
    """How to say that columns hold a probability for each class."""
    shown = ",".join(columns)
    return (
        f"if there is a probability for each class, name the columns: --columns 'probability={shown}', "
        f'columns={{"probability": {list(columns)!r}}} in Python'
    )


def score_of_many(metric: str, classes: Sequence[object], columns: Sequence[str] = ()) -> MetricError:
    """``columns`` seem to hold a probability for each class."""
    return MetricError(
        f"{metric} of one score needs two classes; {len(classes):,} "
        f"{'is' if len(classes) == 1 else 'are'} named: {_listed(classes)}",
        remedy=name_probabilities(columns)
        if columns
        else "name two, the positive one last, or give a probability for each class",
    )


def bad_classes(value: object) -> ValueInDataError:
    return ValueInDataError(
        f"classes must be a list of texts or of whole numbers; got {value!r}",
        remedy='name every class once: classes=["no", "yes"]',
    )


def no_metric_of_classes(metrics: Sequence[str]) -> MetricError:
    return MetricError(
        f"classes were named, and {', '.join(metrics)} {'reads' if len(metrics) == 1 else 'read'} none",
        remedy="leave classes out, or ask for a metric of classes or of clicks",
    )


def needs_numbers(value: object) -> ColumnError:
    return ColumnError(
        f"probabilities must be numbers; got {value!r}", remedy="give one number for each class in every row"
    )


def bad_probability(row: int, value: float) -> RowError:
    hint = ""
    if by_rounding(value, value):
        hint = "; where they are off by rounding alone, clip them: probabilities.clip(0, 1)"
    return RowError(row, f"a probability is {outside(value)}", remedy=f"probabilities are in [0, 1]{hint}")


def probabilities_not_one(row: int, total: float, tolerance: float) -> RowError:
    return RowError(
        row,
        f"probabilities sum to {total:.9g}, not to 1 (tolerance {tolerance:g})",
        remedy="divide each row by its sum if they are shares or rounded, apply softmax if they are logits",
    )


def binary_of_many(metric: str, classes: Sequence[object], averages: Sequence[str]) -> MetricError:
    return MetricError(
        f"{metric} needs two classes; found {len(classes):,}: {_listed(classes)}",
        remedy=f"choose how classes become one value: average={', '.join(averages)}",
    )


def binary_of_several_labels(metric: str, averages: Sequence[str]) -> MetricError:
    return MetricError(
        f"{metric} needs one label per row; here a row may have several",
        remedy=f"choose how classes become one value: average={', '.join(averages)}",
    )


def needs_one_label(metric: str) -> MetricError:
    return MetricError(
        f"{metric} needs one class per row; here a row may have several",
        remedy="ask for accuracy, precision, recall or f1 with an average",
    )


def samples_of_one_label(metric: str) -> MetricError:
    return MetricError(
        f"{metric}: average=samples is for rows of several labels",
        remedy="give truth and predictions as matrices of 0 and 1, or average=micro, macro or weighted",
    )


def needs_classes(metric: str) -> ColumnError:
    return ColumnError(
        f"{metric} needs classes, or scores with labels of 0 and 1",
        remedy="give predicted classes, or scores that a threshold turns into classes",
    )


def needs_probabilities(metric: str) -> ColumnError:
    return ColumnError(
        f"{metric} needs a probability for each class",
        remedy="give a column per class, or a 2-D array with one column per class",
    )


def threshold_without_scores(metric: str) -> MetricError:
    return MetricError(
        f"{metric} states a threshold, and there are no scores for it to act on",
        remedy="leave the threshold out, or name the scores: columns score=NAME",
    )


def scores_beside_text(names: Sequence[object]) -> ColumnError:
    shown = ",".join(map(str, names))
    return ColumnError(
        f"labels are text, such as {quoted(names)}, and what was predicted are scores",
        remedy=f"name both classes, the positive one last (--classes {shown}), or name the predicted class "
        "(columns predicted=NAME)",
    )


def only_binary(metric: str) -> MetricError:
    return MetricError(
        f"{metric} is for labels of 0 and 1", remedy="with more classes ask for auc, logloss, ece or mce"
    )


def counts_missing(metric: str, missing: Sequence[str]) -> MetricError:
    return MetricError(f"{metric} needs {' and '.join(missing)}", remedy="give 0 for a count that is 0")


def bad_count(name: str, value: object) -> ValueInDataError:
    return ValueInDataError(f"{name} is {value!r}", remedy="a count is 0 or more, and finite")


def confusion_too_large(metric: str, slices: int, classes: int) -> MetricError:
    of_slices = f"{slices:,} slices and " if slices > 1 else ""
    return MetricError(
        f"{metric} of {of_slices}{classes:,} classes has {slices * classes * classes:,} cells",
        remedy=("ask without slices, or " if slices > 1 else "") + "put rare classes together",
    )


def without_threshold(metric: str) -> MetricError:
    return MetricError(
        f"{metric} has no best threshold: it has no threshold at all",
        remedy="name a metric that has one, such as f1, balanced_accuracy or mcc",
    )


def cannot_choose_threshold(metric: str) -> MetricError:
    return MetricError(
        f"{metric} has no best threshold: it is not one number",
        remedy="name a metric such as f1, balanced_accuracy or mcc, with an average other than none",
    )


def bad_recall(value: object) -> MetricError:
    return MetricError(f"recall must be above 0 and at most 1; got {value!r}")


def rating_not_finite(role: str, row: int, value: float) -> RowError:
    return RowError(row, f"{role} is {value:g}", remedy="remove the row, or fill it")


def ratings_differ(truth: int, predicted: int) -> ValueInDataError:
    return ValueInDataError(
        f"{truth:,} true ratings but {predicted:,} predicted ones", remedy="give one prediction per rating"
    )


def _listed(classes: Sequence[object]) -> str:
    further = len(classes) - _SHOWN
    if further <= 0:
        return quoted(classes)
    return f"{', '.join(quoted([name]) for name in classes[:_SHOWN])} and {further:,} more"
