"""What a user is told when rows with labels and scores cannot be weighed."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors.base import ColumnError, ValueInDataError, quoted


def labels_not_binary(found: Sequence[object]) -> ValueInDataError:
    return ValueInDataError(
        f"labels must be 0 and 1; found {quoted(found)}",
        remedy="turn grades into 0 and 1 first, or ask for a metric of classes or of ratings",
    )


def score_is_nan(row: int) -> ValueInDataError:
    return ValueInDataError(
        f"row {row + 1:,}: score is NaN", remedy="remove the row, or fill it; a NaN cannot be compared"
    )


def not_a_probability(metric: str, row: int, value: float, low: float, high: float) -> ValueInDataError:
    logits = "; they look like logits: apply 1 / (1 + exp(-score))" if low < 0 and high > 1 else ""
    return ValueInDataError(
        f"{metric} needs probabilities in [0, 1]; row {row + 1:,} has {value:g} "
        f"(scores run from {low:g} to {high:g})",
        remedy=f"give probabilities{logits}",
    )


def bad_weight(row: int, value: float) -> ValueInDataError:
    return ValueInDataError(f"row {row + 1:,}: weight is {value:g}", remedy="a weight is 0 or more")


def lengths_differ(labels: int, scores: int) -> ValueInDataError:
    return ValueInDataError(f"{labels:,} labels but {scores:,} scores", remedy="give one score per label")


def groups_missing(metric: str) -> ColumnError:
    return ColumnError(
        f"{metric} needs a group for each row",
        remedy="name the column: columns query=user_id, or pass groups",
    )


def groups_differ(rows: int, groups: int) -> ValueInDataError:
    return ValueInDataError(f"{rows:,} rows but {groups:,} groups", remedy="give one group per row")
