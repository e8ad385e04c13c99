"""Which results may be compared: same conventions, same truth, same slices, same units; an error if not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from steelyard.comparison.alike import differing
from steelyard.engines.call import Names
from steelyard.measure.measured import Measured
from steelyard.messages import say
from steelyard.messages.errors import comparing


class Comparable(Protocol):
    """What must be known of a result to compare it."""

    @property
    def names(self) -> Names:
        """Where everything was read."""

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that it is sliced by."""

    @property
    def unit(self) -> str | None:
        """The column that names its units."""

    @property
    def measured(self) -> tuple[Measured, ...]:
        """What was measured."""

    @property
    def fingerprint(self) -> str | None:
        """What tells its truth from others."""

    def spec(self) -> dict[str, dict[str, Any]]:
        """The complete specification of each metric."""


def check_comparable(
    results: Mapping[str, Comparable], *, one_truth: bool = False, one_log: bool = False
) -> None:
    """Refuse results that were not measured alike, or whose units cannot be paired.

    ``one_truth`` says that all saw the same truth, ``one_log`` that all are columns of one table.
    """
    check_alike(results, one_truth=one_truth)
    (first, its), *others = results.items()
    for name, result in others:
        if result.unit != its.unit:
            units = [say("column '{name}'", name=one.unit) if one.unit else _OWN for one in (its, result)]
            raise comparing.other_units(one=first, other=name, unit=units[0], units=units[1])
        _check_rows((first, its), (name, result), one_log=one_log)


def check_alike(results: Mapping[str, Comparable], *, one_truth: bool = False) -> None:
    """Refuse results of other slices, other conventions or another truth than the first."""
    (first, its), *others = results.items()
    specs = its.spec()
    for name, result in others:
        if result.by != its.by:
            raise comparing.other_slices(
                one=first, other=name, columns=_columns(its.by), others=_columns(result.by)
            )
        for label, spec in result.spec().items():
            fields = differing([specs[label], spec]) if label in specs else ()
            if fields:
                raise comparing.other_convention(metric=label, one=first, other=name, fields=fields)
        if not one_truth:
            _check_truth((first, its), (name, result))


_OWN = say("the queries or users")


def _columns(by: tuple[str, ...]) -> object:
    return list(by) if by else say("nothing")


def _check_truth(one: tuple[str, Comparable], other: tuple[str, Comparable]) -> None:
    results = [one[1], other[1]]
    marks = [result.fingerprint for result in results]
    names = [result.names.truth or say("labels inside") for result in results]
    if (None not in marks and marks[0] != marks[1]) or (None in marks and names[0] != names[1]):
        raise comparing.other_truth(one=one[0], other=other[0], marks=comparing.marked(names, marks))


def _check_rows(one: tuple[str, Comparable], other: tuple[str, Comparable], *, one_log: bool) -> None:
    """Rows that nothing names are the same by their place; they must be as many, and in one order."""
    if one_log:
        return
    for mine, its in zip(one[1].measured, other[1].measured, strict=False):
        if not (_are_rows(mine) and _are_rows(its)):
            continue
        if mine.size != its.size:
            raise comparing.rows_differ(one=one[0], other=other[0], n=mine.size, m=its.size)
        if one[1].names.truth is not None or other[1].names.truth is not None:
            raise comparing.rows_unnamed(one=one[0], other=other[0])


def _are_rows(one: Measured) -> bool:
    """Whether its units are rows that nothing names."""
    if hasattr(one.state, "drawn"):
        return bool(one.state.drawn.are_rows)
    known = one.left[0]
    return known is not None and known.names is None
