"""What a user is told when a value cannot be measured, or parts of an evaluation not be put together."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.errors.base import MetricError, ReadError, Refusal, SteelyardError, quoted
from steelyard.messages import Message, say, term

_AGAIN = say("give the bytes as to_bytes of the same state made them")

grade_without_gain = Refusal(
    MetricError,
    "{label}: the truth has grade {grade}, which the gain mapping lacks",
    remedy="add it: gain=…/{grade}:GAIN",
)
grade_above_maximum = Refusal(
    MetricError,
    "{label}: the truth has grade {grade}, above max_grade={maximum}",
    remedy="set max_grade={grade} or higher",
)
gain_overflows = Refusal(
    MetricError,
    "{label}: with grades up to {grade} the gains add up to more than a number can hold",
    remedy="use smaller grades or gains, gain=linear, or a mapping such as gain=1:3/2:9",
)
broken_bytes = Refusal(
    ReadError, "these bytes hold no {state}: they are cut off, changed or of another format", remedy=_AGAIN
)
other_kind = Refusal(ReadError, "these bytes hold '{found}', not '{wanted}'", remedy=_AGAIN)
other_version = Refusal(
    ReadError,
    "these bytes hold version {found} of '{state}'; this Steelyard reads version {wanted}",
    remedy="make and merge all parts with one version of Steelyard",
)
forked_too_late = Refusal(
    SteelyardError,
    "this process was made by fork when Polars was at work in its parent: "
    "it has none of Polars' threads, and would wait for them for ever",
    remedy='start processes with spawn or forkserver, as in multiprocessing.get_context("spawn"), '
    "or fork before the first evaluation",
)


def no_expected_form(label: str, why: str) -> MetricError:
    said = say("{label} has no expected value over ties: {why}", label=label, why=term(why))
    return MetricError(
        said, remedy="choose an order for ties: ties=item_desc, item_asc, given, optimistic or pessimistic"
    )


def no_expected_mean(label: str, mean: str) -> MetricError:
    said = say(
        "{label} has no expected value over ties: with mean={mean} it is not the mean over all orders",
        label=label,
        mean=mean,
    )
    return MetricError(
        said,
        remedy="pass mean=arithmetic, or choose an order for ties: ties=item_desc, item_asc, given, "
        "optimistic or pessimistic",
    )


def wrong_shape(label: str, found: str, n_queries: int) -> MetricError:
    said = say(
        "per_query of {label} must give {n:,} numbers, one per query; got {found}",
        label=label,
        n=n_queries,
        found=found,
    )
    return MetricError(
        said, remedy="return an array of floats in the order of ranked.queries, NaN where undefined"
    )


def undefined_query(label: str, query: object, count: int) -> MetricError:
    said = say(
        "{label} is undefined for {n:,} {n:query|queries}, first {query}", label=label, n=count, query=query
    )
    return MetricError(
        said, remedy="pass undefined=nan to count them and leave them out, or zero or one to fill them"
    )


def undefined_pooled(label: str) -> MetricError:
    said = say("{label} is undefined: nothing to divide by in any query", label=label)
    return MetricError(said, remedy="pass undefined=nan, zero or one")


def undefined_rows(label: str, why: str) -> MetricError:
    said = say("{label} is undefined: {why}", label=label, why=term(why))
    return MetricError(said, remedy="pass undefined=nan to see where, or zero or one to fill it")


def not_held(what: str, held: Iterable[str]) -> MetricError:
    said = say(
        "what the rows were reduced to does not hold '{what}'; it holds {held}", what=what, held=_names(held)
    )
    return MetricError(said, remedy="reduce the rows again, for all metrics that are to be measured")


def held_differ(one: Iterable[str], other: Iterable[str]) -> MetricError:
    said = say("one part holds {one}, another {other}", one=_names(one), other=_names(other))
    return MetricError(said, remedy="reduce the rows of all parts for the same metrics")


def classes_differ(one: Iterable[object], other: Iterable[object]) -> MetricError:
    said = say("one part has the classes {one}, another {other}", one=quoted(one), other=quoted(other))
    return MetricError(said, remedy="name the same classes, in the same order, for all parts")


def _names(held: Iterable[str]) -> Message:
    return quoted(held) or say("nothing")
