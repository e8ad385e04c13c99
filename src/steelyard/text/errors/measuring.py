"""Errors for the case that rows cannot be weighed, a value not be measured, or parts not be put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from steelyard.text import Message, listed, say, term
from steelyard.text.errors.base import (
    ColumnError,
    MetricError,
    Refusal,
    RowError,
    Show,
    SteelyardError,
    ValueInDataError,
    by_rounding,
    declared,
    outside,
    quoted,
)
from steelyard.text.errors.forms import dimensions, must_be, short, word
from steelyard.text.errors.reading import named_class

_SHOWN = 5
_NEAR = (-1, 2)  # where logits seldom stay
Counted = Literal["scores", "predictions", "groups", "weights"]
Need = Literal["classes", "probabilities", "groups", "number", "one class", "one label"]
_first = partial(quoted, most=10)
_COUNTS = {
    "scores": ValueInDataError.of("""{n:,} {n:label|labels} but {m:,} {m:score|scores}
        give one score per label"""),
    "predictions": ValueInDataError.of("""{n:,} {n:label|labels} but {m:,} {m:prediction|predictions}
        give one prediction per label"""),
    "groups": ValueInDataError.of("""{n:,} {n:row|rows} but {m:,} {m:group|groups}
        give one group per row"""),
    "weights": ValueInDataError.of("""{n:,} {n:row|rows} but {m:,} {m:weight|weights}
        give one weight per row"""),
}
_NEEDS: dict[Need, Callable[..., SteelyardError]] = {
    "classes": ColumnError.of("""{metric} needs classes, or scores with labels of 0 and 1
        give predicted classes, or scores that a threshold turns into classes"""),
    "probabilities": ColumnError.of("""{metric} needs a probability for each class
        give a column per class, or a 2-D array with one column per class"""),
    "groups": ColumnError.of("""{metric} needs a group for each row
        give a table with a column of groups, columns={"query": "user_id"}, or pass groups to .of"""),
    "number": ColumnError.of("""{metric} needs a predicted number for each row, \
        and there are probabilities of classes
        name the column: columns={"score": "NAME"}, --columns score=NAME"""),
    "one class": MetricError.of("""{metric} needs one class per row; here a row may have several
        ask for accuracy, precision, recall or f1 with an average"""),
    "one label": MetricError.of("""{metric} needs one label per row; a matrix holds several
        ask for accuracy, precision, recall or f1 with an average, or give one column of labels"""),
}


def counts_differ(what: Counted, n: int, m: int) -> SteelyardError:
    """``what`` are the ``m`` that do not go with the ``n`` labels or rows."""
    return _COUNTS[what](n=n, m=m)


def labels_not_binary(
    row: int, value: object, found: Sequence[object], count: int | None = None, *, columns: Sequence[str] = ()
) -> SteelyardError:
    """``found`` are some of the ``count`` distinct labels, all of them where that is not said.

    ``columns`` seem to hold a probability for each.
    """
    few = (len(found) if count is None else count) <= _SHOWN
    remedy = say(
        'make them 0 and 1, name both classes, the positive one last (classes=["no", "yes"], '
        "--classes no,yes), or ask for a metric of classes or of ratings"
    )
    if few and all(isinstance(one, str) and one.strip() in ("0", "1") for one in found):
        remedy = say('they are text: cast them to integers, or name both classes (classes=["0", "1"])')
    if columns:
        remedy = name_probabilities(columns)
    return RowError.of("label is {value}, and labels must be 0 and 1; found {found}")(
        remedy=remedy,
        row=row,
        column="label",
        value=repr(value),
        found=listed([repr(one) for one in found], _SHOWN, count, last="and"),
    )


def unlabelled(row: int, count: int, written: str | None = None, *, text: bool = False) -> RowError:
    """``written`` stands for the label that is missing; where labels are ``text`` it may be meant as one."""
    what = say("label is null")
    remedy = say("fill it, or pass unlabelled=drop (--unlabelled drop) to leave such rows out, counted")
    if written is not None:
        what = say("label is '{written}', a missing label", written=short(written))
        remedy = named_class(remedy, written) if text else remedy
    if count > 1:
        what = say("{what}, as in {n:,} further {n:row|rows}", what=what, n=count - 1)
    return RowError(what, row=row, remedy=remedy, column="label")


def score_is_nan(row: int, column: int | None = None) -> SteelyardError:
    if column is None:
        return RowError.of("""score is NaN
            remove the row, or fill it; a NaN cannot be compared""")(row=row)
    return RowError.of("""score in column {number} is NaN
        remove the row, or fill it; a NaN cannot be compared""")(row=row, number=column + 1)


def not_a_probability(metric: str, row: int, value: float, low: float, high: float) -> SteelyardError:
    return RowError.of("""score is {value}, and {metric} needs probabilities in [0, \
        1] (scores run from {low} to {high})""")(
        remedy=_to_probabilities(low, high),
        row=row,
        value=outside(value),
        metric=metric,
        low=outside(low),
        high=outside(high),
    )


def _to_probabilities(low: float, high: float) -> Message:
    if by_rounding(low, high):
        return say(
            "give probabilities; these are off by rounding alone: clip them, "
            "as scores.clip(0, 1) does in NumPy, pandas and Polars"
        )
    if low >= _NEAR[0] and 0 < high <= _NEAR[1]:
        return say(
            "give probabilities; these are near [0, 1], as those of a regression are: clip them, "
            "as scores.clip(0, 1) does, or calibrate the model"
        )
    if low < 0 < high:
        return say("give probabilities; they look like logits: apply 1 / (1 + exp(-score))")
    if low < 0:
        return say(
            "give probabilities; they look like logits: apply 1 / (1 + exp(-score)), "
            "or exp(score) if they are logarithms"
        )
    return say("give probabilities")


def bad_row_weight(place: str, column: str, value: object) -> SteelyardError:
    """``column`` holds the weights of a table; those of plain arrays have none."""
    cell = say("{place}: {role}", place=place, role=word("weight"))
    if column:
        cell = say("{place}: {role} (column '{column}')", place=place, role=word("weight"), column=column)
    return ValueInDataError(
        "{cell} is null" if value is None else "{cell} is {value}",
        remedy="a weight is 0, or a number from 1e-60 to 1e60: only the proportions of weights count",
        cell=cell,
        value=f"{value:g}" if isinstance(value, float) else str(value).strip(),
    )


def no_labelled_row(name: str, count: int) -> SteelyardError:
    if count == 1:
        return ValueInDataError.of("""the only row of {name} has no label
            give at least one labelled row""")(name=name)
    return ValueInDataError.of("""none of the {n:,} rows of {name} has a label
        give at least one labelled row""")(name=name, n=count)


def needs(metric: str, what: Need) -> SteelyardError:
    return _NEEDS[what](metric=metric)


def name_probabilities(columns: Sequence[str]) -> Message:
    """How to say that columns hold a probability for each class."""
    return say(
        "if there is a probability for each class, name the columns: --columns 'probability={columns}', "
        'columns={{"probability": {names}}} in Python',
        columns=",".join(columns),
        names=repr(list(columns)),
    )


def score_of_many(metric: str, classes: Sequence[object], columns: Sequence[str] = ()) -> SteelyardError:
    """``columns`` seem to hold a probability for each class."""
    remedy = say("name two, the positive one last, or give a probability for each class")
    return MetricError.of("""{metric} of one score needs two classes; {n:,} {n:is|are} named: {classes}""")(
        remedy=name_probabilities(columns) if columns else remedy,
        metric=metric,
        n=len(classes),
        classes=_first(classes),
    )


def bad_classes(value: object) -> SteelyardError:
    remedy = say('name every class once: classes=["no", "yes"]')
    allowed = say("a list of texts or of whole numbers")
    return must_be("classes", allowed, value, remedy=remedy, kind=ValueInDataError)


def scores_beside_text(names: Sequence[object]) -> SteelyardError:
    return ColumnError.of("""labels are text, such as {names}, and what was predicted are scores
        name both classes, the positive one last (--classes {classes}), or name the predicted class
        (columns predicted=NAME)""")(names=quoted(names), classes=",".join(map(str, names)))


# figures that are shown in a form of their own
_FORMS: dict[str, dict[str, Show]] = {
    "no_value": {"role": word},
    "value_not_finite": {"role": word},
    "no_expected_form": {"why": term},
    "undefined_rows": {"why": term},
    "unknown_class": {"role": word, "classes": _first},
    "rating_size": {"role": word},
    "not_a_class": {"role": word, "value": repr},
    "not_one_column": {"role": word, "shape": dimensions},
    "columns_differ": {"classes": _first},
    "columns_named_in_part": {"columns": _first, "classes": _first},
    "matrix_not_binary": {"role": word},
    "bad_probability": {"value": outside},
    "rounded_probability": {"value": outside},
    "binary_of_many": {"classes": _first, "averages": ", ".join},
    "binary_of_several": {"averages": ", ".join},
}


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name, _FORMS)
