"""What a user is told when parts of an evaluation cannot be put together."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.errors.base import MetricError, ReadError, quoted

_AGAIN = "give the bytes as to_bytes of the same state made them"


def broken_bytes(kind: str) -> ReadError:
    return ReadError(
        f"these bytes hold no {kind}: they are cut off, changed or of another format", remedy=_AGAIN
    )


def other_kind(wanted: str, found: str) -> ReadError:
    return ReadError(f"these bytes hold '{found}', not '{wanted}'", remedy=_AGAIN)


def other_version(kind: str, wanted: int, found: int) -> ReadError:
    return ReadError(
        f"these bytes hold version {found} of '{kind}'; this Steelyard reads version {wanted}",
        remedy="make and merge all parts with one version of Steelyard",
    )


def not_held(what: str, held: Iterable[str]) -> MetricError:
    return MetricError(
        f"what the rows were reduced to does not hold '{what}'; it holds {quoted(held) or 'nothing'}",
        remedy="reduce the rows again, for all metrics that are to be measured",
    )


def held_differ(one: Iterable[str], other: Iterable[str]) -> MetricError:
    return MetricError(
        f"one part holds {quoted(one)}, another {quoted(other) or 'nothing'}",
        remedy="reduce the rows of all parts for the same metrics",
    )


def classes_differ(one: Iterable[object], other: Iterable[object]) -> MetricError:
    return MetricError(
        f"one part has the classes {quoted(one)}, another {quoted(other)}",
        remedy="name the same classes, in the same order, for all parts",
    )
