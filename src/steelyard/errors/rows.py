"""What a user is told when rows with labels and scores cannot be weighed."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors import aligning, classes, reading
from steelyard.errors.base import (
    AlignError,
    ColumnError,
    MetricError,
    RowError,
    ValueInDataError,
    by_rounding,
    outside,
    quoted,
)

_SHOWN = 5
_NEAR = (-1, 2)  # where logits seldom stay


def labels_not_binary(
    row: int,
    value: object,
    found: Sequence[object],
    count: int | None = None,
    *,
    columns: Sequence[str] = (),
) -> RowError:
    """``found`` are some of the ``count`` distinct labels, all of them where that is not said.

    ``columns`` seem to hold a probability for each.
    """
    shown = [repr(one) for one in found[:_SHOWN]]
    further = (len(found) if count is None else count) - len(shown)
    if further > 0:
        listed = f"{', '.join(shown)} and {further:,} more"
    else:
        listed = " and ".join(([", ".join(shown[:-1])] if shown[1:] else []) + shown[-1:])
    remedy = (
        'make them 0 and 1, name both classes, the positive one last (classes=["no", "yes"], '
        "--classes no,yes), or ask for a metric of classes or of ratings"
    )
    if further <= 0 and all(isinstance(one, str) and one.strip() in ("0", "1") for one in found):
        remedy = 'they are text: cast them to integers, or name both classes (classes=["0", "1"])'
    if columns:
        remedy = classes.name_probabilities(columns)
    return RowError(
        row,
        f"label is {value!r}, and labels must be 0 and 1; found {listed}",
        remedy=remedy,
    )


def unlabelled(row: int, count: int, written: str | None = None, *, text: bool = False) -> RowError:
    """``written`` stands for the label that is missing; where labels are ``text`` it may be meant as one."""
    more = f", as in {count - 1:,} further {'row' if count == 2 else 'rows'}" if count > 1 else ""
    remedy = "fill it, or pass unlabelled=drop (--unlabelled drop) to leave such rows out, counted"
    if written is None:
        return RowError(row, f"label is null{more}", remedy=remedy)
    return RowError(
        row,
        f"label is '{reading.short(written)}', a missing label{more}",
        remedy=f"{remedy}; {reading.named_class(written)}" if text else remedy,
    )


def score_is_nan(row: int, column: int | None = None) -> RowError:
    where = "" if column is None else f" in column {column + 1}"
    return RowError(
        row, f"score{where} is NaN", remedy="remove the row, or fill it; a NaN cannot be compared"
    )


def not_a_probability(metric: str, row: int, value: float, low: float, high: float) -> RowError:
    hint = ""
    if by_rounding(low, high):
        hint = (
            "; these are off by rounding alone: clip them, "
            "as scores.clip(0, 1) does in NumPy, pandas and Polars"
        )
    elif low >= _NEAR[0] and 0 < high <= _NEAR[1]:
        hint = (
            "; these are near [0, 1], as those of a regression are: clip them, "
            "as scores.clip(0, 1) does, or calibrate the model"
        )
    elif low < 0:
        hint = "; they look like logits: apply 1 / (1 + exp(-score))"
        hint += ", or exp(score) if they are logarithms" if high <= 0 else ""
    return RowError(
        row,
        f"score is {outside(value)}, and {metric} needs probabilities in [0, 1] "
        f"(scores run from {outside(low)} to {outside(high)})",
        remedy=f"give probabilities{hint}",
    )


def bad_weight(row: int, value: float) -> RowError:
    return RowError(row, f"weight is {value:g}", remedy="a weight is 0 or more, and finite")


def lengths_differ(labels: int, scores: int) -> ValueInDataError:
    return ValueInDataError(f"{labels:,} labels but {scores:,} scores", remedy="give one score per label")


def groups_missing(metric: str) -> ColumnError:
    return ColumnError(
        f"{metric} needs a group for each row",
        remedy='give a table with a column of groups, columns={"query": "user_id"}, or pass groups to .of',
    )


def no_groups(labels: Sequence[str]) -> MetricError:
    return MetricError(f"{', '.join(labels)}: no mean over groups", remedy="ask for gauc")


def groups_differ(rows: int, groups: int) -> ValueInDataError:
    return ValueInDataError(f"{rows:,} rows but {groups:,} groups", remedy="give one group per row")


def no_common_key(predictions: str, truth: str) -> ColumnError:
    return ColumnError(
        f"{predictions} and {truth} share neither a query nor an item to match their rows by",
        remedy="name the columns: --columns query=NAME or --columns item=NAME; "
        "or give one table with labels and scores",
    )


def nothing_matches(
    predictions: str, truth: str, keys: Sequence[str], mine: Sequence[object], theirs: Sequence[object]
) -> AlignError:
    return AlignError(
        f"no row of {predictions} is in {truth}, matched by {' and '.join(keys)}: "
        f"{quoted(mine)} … against {quoted(theirs)} …",
        remedy="check that both name them the same way, and which columns they are (--columns ROLE=NAME)",
    )


def doubled(
    name: str,
    count: int,
    key: str,
    first: str,
    again: str,
    told: tuple[str, Sequence[object]] | None = None,
) -> AlignError:
    """``told`` is the column that tells the rows apart, if there is one, and some of its values."""
    return AlignError(
        f"{count:,} rows of {name} share their key with another, first {key} ({first} and {again})"
        f"{aligning.told_apart(told)}",
        remedy=aligning.one_system(told)
        or "rows of two tables are matched one to one: keep one of them, or give one table with labels "
        "and scores",
    )


def needs_a_number(metric: str) -> ColumnError:
    return ColumnError(
        f"{metric} needs a predicted number for each row, and there are probabilities of classes",
        remedy='name the column: columns={"score": "NAME"}, --columns score=NAME',
    )


def not_a_number(role: str, row: int, value: object) -> RowError:
    return RowError(
        row, f"{role} is {value!r}, not a number", remedy="ratings and their predictions are numbers"
    )


def exclude_of_rows() -> ColumnError:
    return ColumnError(
        "exclude removes items from rankings, and a metric of rows was asked for",
        remedy="filter the rows before, or ask for metrics of rankings alone",
    )


def no_weight_left() -> ValueInDataError:
    return ValueInDataError(
        "all rows with a label have weight 0", remedy="give at least one labelled row a weight above 0"
    )


def table_of_weights() -> ColumnError:
    return ColumnError(
        "weights of queries do not weigh rows",
        remedy="name a column of the rows: weights='NAME', --weights NAME",
    )


def bad_row_weight(place: str, column: str, value: object) -> ValueInDataError:
    shown = "null" if value is None else f"{value:g}" if isinstance(value, float) else f"{value}".strip()
    return ValueInDataError(
        f"{place}: weight (column '{column}') is {shown}", remedy="a weight is a finite number, 0 or more"
    )


def row_weights_all_zero(name: str, column: str) -> ValueInDataError:
    return ValueInDataError(
        f"all weights in column '{column}' of {name} are 0", remedy="give at least one row a weight above 0"
    )


def no_labelled_row(name: str, count: int) -> ValueInDataError:
    none = "the only row" if count == 1 else f"none of the {count:,} rows"
    has = "has no label" if count == 1 else "has a label"
    return ValueInDataError(f"{none} of {name} {has}", remedy="give at least one labelled row")


def one_value_asked(label: str, count: int) -> MetricError:
    return MetricError(
        f"{label} has {count:,} values, one for each class", remedy="read them from result.table()"
    )


def matrix_of_clicks(metric: str) -> MetricError:
    return MetricError(
        f"{metric} needs one label per row; a matrix holds several",
        remedy="ask for accuracy, precision, recall or f1 with an average, or give one column of labels",
    )


def arrays_differ(scores: int, labels: int) -> ValueInDataError:
    return ValueInDataError(
        f"{scores:,} predictions but {labels:,} {'label' if labels == 1 else 'labels'}",
        remedy="give one prediction per label",
    )
