"""Errors for the case that rows cannot be weighed, a value not be measured, or parts not be put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from steelyard.text import Message, listed, say, term
from steelyard.text.errors.base import (
    ColumnError,
    MetricError,
    RowError,
    SteelyardError,
    ValueInDataError,
    by_rounding,
    outside,
    quoted,
)
from steelyard.text.errors.forms import must_be
from steelyard.text.errors.places import dimensions, short, word
from steelyard.text.errors.reading import FILL, named_class

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

grade_without_gain = MetricError.of("""{label}: the truth has grade {grade}, which the gain mapping lacks
    add it: gain=…/{grade}:GAIN""")
grade_above_maximum = MetricError.of("""{label}: the truth has grade {grade}, above max_grade={maximum}
    give grades from 0 to {maximum}, or set max_grade={grade} or higher where no profile sets it""")
gain_overflows = MetricError.of("""{label}: with grades up to {grade} the gains add up to more than a number \
    can hold
    use smaller grades or gains, gain=linear, or a mapping such as gain=1:3/2:9""")
forked_too_late = SteelyardError.of("""this process was made by fork when Polars was at work in its parent: \
    it has none of Polars' threads, and would wait for them for ever
    start processes with spawn or forkserver, as in multiprocessing.get_context("spawn"), or fork before
    the first evaluation""")
no_expected_mean = MetricError.of("""{label} has no expected value over ties: \
    with mean={mean} it is not the mean over all orders
    pass mean=arithmetic, or choose an order for ties: ties=item_desc, item_asc, given, optimistic or
    pessimistic""")
no_shared_places = MetricError.of("""{label} reads one item at each place, \
    and ties=last puts all items of a tie at one
    choose an order: ties=item_desc, item_asc, given, optimistic or pessimistic""")
wrong_shape = MetricError.of("""per_query of {label} must give {n:,} numbers, one per query; got {found}
    return an array of floats in the order of ranked.queries, NaN where undefined""")
wrong_segments = MetricError.of("""per_segment of {label} must give {n:,} {n:number|numbers}, \
    one per slice; got {found}
    return an array of floats, one for each of n_segments, NaN where undefined""")
undefined_query = MetricError.of("""{label} is undefined for {n:,} {n:query|queries}, first {query}
    pass undefined=nan to count them and leave them out, or zero or one to fill them""")
undefined_pooled = MetricError.of("""{label} is undefined: nothing to divide by in any query
    pass undefined=nan, zero or one""")
no_groups = MetricError.of("""{labels}: no mean over groups
    ask for gauc""")
no_common_key = ColumnError.of("""{predictions} and {truth} share neither a query nor an item to match their \
    rows by
    name the columns: --columns query=NAME or --columns item=NAME; or give one table with labels and
    scores""")
exclude_of_rows = ColumnError.of("""exclude removes items from rankings, and a metric of rows was asked for
    filter the rows before, or ask for metrics of rankings alone""")
no_weight_left = ValueInDataError.of("""all rows with a label have weight 0
    give at least one labelled row a weight above 0""")
table_of_weights = ColumnError.of("""weights of queries do not weigh rows
    name a column of the rows: weights='NAME', --weights NAME""")
units_without_text = ColumnError.of("""the units of '{name}' are of type {type}; a unit is a text, \
    a whole number, a boolean or a date
    cast them to whole numbers or to text, or name another column: unit=NAME""")
not_hits = MetricError.of("""McNemar's test compares values of 0 and 1, and {label} has {value:g}
    take test=sign, or test=randomisation""")
one_value_asked = MetricError.of("""{label} has {n:,} values, one for each class
    read them from result.table()""")
no_expected_form = MetricError.of("""{label} has no expected value over ties: {why}
    choose an order for ties: ties=item_desc, item_asc, given, optimistic or pessimistic""").given(why=term)
undefined_rows = MetricError.of("""{label} is undefined: {why}
    pass undefined=nan to see where, or zero or one to fill it""").given(why=term)
class_twice = ValueInDataError.of("""classes names '{name}' twice
    name each class once""")
kinds_differ = ValueInDataError.of("""some classes are text and some are whole numbers
    give labels, predictions and classes all as text, or all as whole numbers""")
no_metric_of_classes = MetricError.of("""classes were named, and {metrics} {metrics:reads|read} none
    leave classes out, or ask for a metric of classes or of clicks""")
matrices_differ = ValueInDataError.of("""the truth is a matrix of {truth}, the prediction of {predicted}
    give both with one row per row and one column per class""")
samples_of_one_label = MetricError.of("""{metric}: average=samples is for rows of several labels
    give truth and predictions as matrices of 0 and 1, or average=micro, macro or weighted""")
several_beside_one = ColumnError.of("""labels and predicted classes are lists on one side alone
    give both as lists, or as one class for each row""")
threshold_without_scores = MetricError.of("""{metric} states a threshold, \
    and there are no scores for it to act on
    leave the threshold out, or name the scores: columns score=NAME""")
equal_scores = ValueInDataError.of("""{metric}: {n:,} {n:score is|scores are} shared by a positive and a \
    negative, first {score}
    write equal_scores=half, where such a pair counts one half""")
only_binary = MetricError.of("""{metric} is for labels of 0 and 1
    with more classes ask for auc, pr_auc, logloss, brier, ece or mce""")
tied_classes = ValueInDataError.of("""{metric}: in {n:,} {n:row|rows} the right class is as probable as one \
    beyond the border
    choose what such a row counts, such as class_ties=expected""")
counts_missing = MetricError.of("""{metric} needs {missing:and}
    give 0 for a count that is 0""")
bad_count = ValueInDataError.of("""{name} is {value}
    a count is 0 or more, and finite""")
unknown_class = RowError.of("""{role} '{value}' is none of the classes {classes}
    name it in classes, or correct the row""").given(role=word, classes=_first)
no_value = RowError.of("{role} is null", remedy=FILL).given(role=word)
value_not_finite = RowError.of("{role} is {value:g}", remedy=FILL).given(role=word)
rating_size = RowError.of("""{role} is {value:g}, the largest in size
    give ratings in another unit, the largest at most 1e60""").given(role=word)
tiny_squares = ValueInDataError.of("""ratings or their errors are so small that their squares are 0
    give ratings in another unit""")
not_a_class = RowError.of("""{role} is {value}, which is no class
    a class is text or a whole number; scores go with labels of 0 and 1, probabilities with one column per
    class""").given(role=word, value=repr)
not_one_column = ValueInDataError.of("""{role} has the shape {shape}
    give one value per row""").given(role=word, shape=dimensions)
columns_differ = ValueInDataError.of("""{m:,} columns for the {n:,} classes {classes}
    give one column per class, and name the classes in the order of the columns: classes=[...]""").given(
    classes=_first
)
columns_named_in_part = ValueInDataError.of("""the columns {columns} name only some of the classes {classes}
    name the classes in the order of the columns: classes=[...], --classes NAME,NAME""").given(
    columns=_first, classes=_first
)
matrix_not_binary = RowError.of("""the {role} matrix has {value}
    a matrix of several labels per row holds 0 and 1""").given(role=word)
bad_probability = RowError.of("""a probability is {value}
    probabilities are in [0, 1]""").given(value=outside)
rounded_probability = RowError.of("""a probability is {value}
    probabilities are in [0, 1]; where they are off by rounding alone, clip them: probabilities.clip(0, 1)
    """).given(value=outside)
probabilities_not_one = RowError.of("""probabilities sum to {total:.9g}, not to 1 (tolerance {tolerance:g})
    divide each row by its sum if they are shares or rounded, apply softmax if they are logits""")
binary_of_many = MetricError.of("""{metric} needs two classes; found {n:,}: {classes}
    choose how classes become one value: average={averages}""").given(classes=_first, averages=", ".join)
binary_of_several = MetricError.of("""{metric} needs one label per row; here a row may have several
    choose how classes become one value: average={averages}""").given(averages=", ".join)
too_many_labels = MetricError.of("""{metric} takes one label per row; here a row may have several
    choose another metric or average of that library; labels={labels} says so""")
too_many_classes = MetricError.of("""{metric} takes two classes; here are {n:,}
    choose another metric or average of that library; labels={labels} says so""")
confusion_too_large = MetricError.of("""{metric} of {classes:,} classes has {cells:,} cells
    put rare classes together""")
confusions_too_large = MetricError.of("""{metric} of {slices:,} slices and {classes:,} classes has {cells:,} \
    cells
    ask without slices, or put rare classes together""")
no_threshold = MetricError.of("""{metric} has no best threshold: it has no threshold at all
    name a metric that has one, such as f1, balanced_accuracy or mcc""")
not_one_number = MetricError.of("""{metric} has no best threshold: it is not one number
    name a metric such as f1, balanced_accuracy or mcc, with an average other than none""")
arrays_differ = ValueInDataError.of("""{n:,} {n:prediction|predictions} but {m:,} {m:label|labels}
    give one prediction per label""")


def counts_differ(what: Counted, n: int, m: int) -> ValueInDataError:
    """``what`` are the ``m`` that do not go with the ``n`` labels or rows."""
    return _COUNTS[what](n=n, m=m)


def labels_not_binary(
    row: int, value: object, found: Sequence[object], count: int | None = None, *, columns: Sequence[str] = ()
) -> RowError:
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


def score_is_nan(row: int, column: int | None = None) -> RowError:
    if column is None:
        return RowError.of("""score is NaN
            remove the row, or fill it; a NaN cannot be compared""")(row=row)
    return RowError.of("""score in column {number} is NaN
        remove the row, or fill it; a NaN cannot be compared""")(row=row, number=column + 1)


def not_a_probability(metric: str, row: int, value: float, low: float, high: float) -> RowError:
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


def bad_row_weight(place: str, column: str, value: object) -> ValueInDataError:
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


def no_labelled_row(name: str, count: int) -> ValueInDataError:
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


def score_of_many(metric: str, classes: Sequence[object], columns: Sequence[str] = ()) -> MetricError:
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


def scores_beside_text(names: Sequence[object]) -> ColumnError:
    return ColumnError.of("""labels are text, such as {names}, and what was predicted are scores
        name both classes, the positive one last (--classes {classes}), or name the predicted class
        (columns predicted=NAME)""")(names=quoted(names), classes=",".join(map(str, names)))
