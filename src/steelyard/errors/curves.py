"""What a user is told when a curve cannot be drawn from what there is."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors.base import MetricError, ValueInDataError, nearest

_MOST_TOLD = 12


def unknown_curve(name: object, known: Sequence[str]) -> MetricError:
    guess = nearest(name, known)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(f"unknown curve '{name}'{hint}", remedy=f"known: {', '.join(known)}, and metric@k")


def needs_rows(name: str) -> MetricError:
    return MetricError(
        f"the curve '{name}' needs rows with a label and a score; got a ranking",
        remedy="give labels and scores, or ask for precision_recall_at or a metric at k",
    )


def needs_ranking(name: str) -> MetricError:
    return MetricError(
        f"the curve '{name}' needs a ranking; got rows with a label and a score",
        remedy="give ranked lists, or ask for roc, precision_recall, calibration or gain",
    )


def not_finite(column: str, row: int) -> ValueInDataError:
    return ValueInDataError(
        f"column '{column}', row {row + 1:,} is not a finite number",
        remedy="leave such rows out: a curve through them has no area",
    )


def several_curves(name: str, each: Sequence[tuple[str, ...]]) -> MetricError:
    return MetricError(
        f"'{name}' holds {len(each):,} curves, one per segment",
        remedy=f"choose one: curve.of({_names(each[0])})",
    )


def unknown_segment(name: str, asked: tuple[object, ...], known: Sequence[tuple[str, ...]]) -> MetricError:
    if not known:
        return MetricError(
            f"'{name}' has no segments to choose from",
            remedy="ask for slices: result.curve(..., sliced=True)",
        )
    told = [f"of({_names(one)})" for one in known[:_MOST_TOLD]]
    rest = f" and {len(known) - _MOST_TOLD:,} more" if len(known) > _MOST_TOLD else ""
    return MetricError(
        f"'{name}' has no curve of {_names(asked) or 'nothing'}", remedy=f"it has: {', '.join(told)}{rest}"
    )


def _names(segment: tuple[object, ...]) -> str:
    return ", ".join(str(one) if str(one).isdecimal() else repr(one) for one in segment)


def weights_differ(rows: int, weights: int) -> ValueInDataError:
    return ValueInDataError(f"{rows:,} rows but {weights:,} weights", remedy="give one weight per row")


def several_classes(name: str) -> MetricError:
    return MetricError(
        f"the curve '{name}' is of labels of 0 and 1 with a score, and there are classes here",
        remedy="give the score of one class against the rest, with labels of 0 and 1",
    )


def unknown_option(name: str, option: str, known: Sequence[str]) -> MetricError:
    guess = nearest(option, known)
    hint = f"; did you mean '{guess}'?" if guess else ""
    has = f"it has: {', '.join(known)}" if known else "it has none"
    return MetricError(f"the curve '{name}' has no option '{option}'{hint}", remedy=has)


def no_slices(name: str) -> MetricError:
    return MetricError(
        f"there are no slices of rows to draw {name} for", remedy="name a column to slice by: by=[...]"
    )


def not_measured(name: str, what: str) -> MetricError:
    return MetricError(
        f"this result has no {what}, which the curve {name} is read from",
        remedy="ask for a metric of labels and scores, such as auc"
        if what == "labelled rows with scores"
        else "ask for a metric of rankings, such as ndcg@10",
    )
