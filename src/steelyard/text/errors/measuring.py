"""Errors for the case that rows cannot be weighed, a value not be measured, or parts not be put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from steelyard.text import Message, listed, say
from steelyard.text.errors.base import (
    RowError,
    SteelyardError,
    ValueInDataError,
    by_rounding,
    outside,
    quoted,
)
from steelyard.text.errors.forms import Refusal, declared, must_be, short, word
from steelyard.text.errors.reading import named_class

_SHOWN = 5
_NEAR = (-1, 2)  # where logits seldom stay
Counted = Literal["scores", "predictions", "groups", "weights"]


def counts_differ(what: Counted, n: int, m: int) -> SteelyardError:
    """``what`` are the ``m`` that do not go with the ``n`` labels or rows."""
    return declared(__name__, f"{what}_differ")(n=n, m=m)


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
    return declared(__name__, "labels_not_binary")(
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
        return declared(__name__, "score_is_nan")(row=row)
    return declared(__name__, "score_in_column_is_nan")(row=row, number=column + 1)


def not_a_probability(metric: str, row: int, value: float, low: float, high: float) -> SteelyardError:
    return declared(__name__, "not_a_probability")(
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
    return declared(__name__, "score_of_many")(
        remedy=name_probabilities(columns) if columns else remedy,
        metric=metric,
        n=len(classes),
        classes=classes,
    )


def bad_classes(value: object) -> SteelyardError:
    remedy = say('name every class once: classes=["no", "yes"]')
    allowed = say("a list of texts or of whole numbers")
    return must_be("classes", allowed, value, remedy=remedy, kind=ValueInDataError)


def scores_beside_text(names: Sequence[object]) -> SteelyardError:
    return declared(__name__, "scores_beside_text")(names=quoted(names), classes=",".join(map(str, names)))


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
