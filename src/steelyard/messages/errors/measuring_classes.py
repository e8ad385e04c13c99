"""What a user is told when rows with classes or ratings cannot be weighed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from steelyard.messages import Message, say
from steelyard.messages.errors.base import (
    ColumnError,
    MetricError,
    RowError,
    ValueInDataError,
    outside,
    quoted,
)
from steelyard.messages.errors.forms import must_be
from steelyard.messages.errors.places import dimensions, word
from steelyard.messages.errors.reading import FILL

Need = Literal["classes", "probabilities", "groups", "number", "one class", "one label"]
_first = partial(quoted, most=10)
# what a metric may need of the rows, and how they come to have it
_NEEDS: dict[Need, tuple[Message, Message]] = {
    "classes": (
        say("classes, or scores with labels of 0 and 1"),
        say("give predicted classes, or scores that a threshold turns into classes"),
    ),
    "probabilities": (
        say("a probability for each class"),
        say("give a column per class, or a 2-D array with one column per class"),
    ),
    "groups": (
        say("a group for each row"),
        say('give a table with a column of groups, columns={"query": "user_id"}, or pass groups to .of'),
    ),
    "number": (
        say("a predicted number for each row, and there are probabilities of classes"),
        say('name the column: columns={"score": "NAME"}, --columns score=NAME'),
    ),
    "one class": (
        say("one class per row; here a row may have several"),
        say("ask for accuracy, precision, recall or f1 with an average"),
    ),
    "one label": (
        say("one label per row; a matrix holds several"),
        say("ask for accuracy, precision, recall or f1 with an average, or give one column of labels"),
    ),
}

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


def needs(metric: str, what: Need) -> ColumnError | MetricError:
    need, remedy = _NEEDS[what]
    kind = MetricError if what in ("one class", "one label") else ColumnError
    return kind(say("{metric} needs {need}", metric=metric, need=need), remedy=remedy)


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


def bad_classes(value: object) -> ValueInDataError:
    remedy = say('name every class once: classes=["no", "yes"]')
    allowed = say("a list of texts or of whole numbers")
    return must_be("classes", allowed, value, remedy=remedy, kind=ValueInDataError)


def scores_beside_text(names: Sequence[object]) -> ColumnError:
    return ColumnError.of("""labels are text, such as {names}, and what was predicted are scores
        name both classes, the positive one last (--classes {classes}), or name the predicted class
        (columns predicted=NAME)""")(names=quoted(names), classes=",".join(map(str, names)))
