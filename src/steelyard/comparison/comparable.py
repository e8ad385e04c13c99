"""Which results may be compared: same conventions, same truth, same slices, same units; an error if not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import polars as pl

from steelyard.align.units import UNNAMED
from steelyard.arrays import Floats, Ints
from steelyard.comparison.alike import differing
from steelyard.engines.call import Names
from steelyard.measure.measured import Measured
from steelyard.messages import Message, say
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


_Named = tuple[str, Comparable]


def check_comparable(
    results: Mapping[str, Comparable], *, one_truth: bool = False, one_log: bool = False, paired: bool = True
) -> None:
    """Refuse results that were not measured alike, or whose units cannot be paired.

    ``one_truth`` says that all saw the same truth, ``one_log`` that all are columns of one table.
    Without ``paired`` the results may rest on different data.
    """
    check_alike(results, one_truth=one_truth, paired=paired)
    if not paired:
        return
    (first, its), *others = results.items()
    for name, result in others:
        if result.unit != its.unit:
            units = [say("column '{name}'", name=one.unit) if one.unit else _OWN for one in (its, result)]
            raise comparing.other_units(one=first, other=name, unit=units[0], units=units[1])
        _check_drawn((first, its), (name, result))
        _check_members((first, its), (name, result))
        _check_rows((first, its), (name, result), one_log=one_log)


def check_alike(results: Mapping[str, Comparable], *, one_truth: bool = False, paired: bool = True) -> None:
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
        if not paired:
            continue
        if not one_truth:
            _check_truth((first, its), (name, result))
        _check_exclude((first, its), (name, result))
        _check_weights((first, its), (name, result))


_OWN = say("the queries or users")


def _columns(by: tuple[str, ...]) -> object:
    return list(by) if by else say("nothing")


def _check_truth(one: _Named, other: _Named) -> None:
    results = [one[1], other[1]]
    marks = [result.fingerprint for result in results]
    names = [result.names.truth or say("labels inside") for result in results]
    if (None not in marks and marks[0] != marks[1]) or (None in marks and names[0] != names[1]):
        raise comparing.other_truth(one=one[0], other=other[0], marks=comparing.marked(names, marks))


def _check_exclude(one: _Named, other: _Named) -> None:
    _check_given("exclude", one, other, [result.names.exclude for _, result in (one, other)])


def _check_weights(one: _Named, other: _Named) -> None:
    """Refuse weights that only one has, or that differ; as many times larger they are the same."""
    told = [result.names.weights for _, result in (one, other)]
    known = None if None in told else _weights(one[1], other[1])
    _check_given("weights", one, other, told, same=None if known is None else _proportional(*known))


def _check_given(
    argument: str, one: _Named, other: _Named, told: Sequence[str | None], *, same: bool | None = None
) -> None:
    """Refuse what only one was measured with, or where both had others; their names tell, or ``same``."""
    if None not in told:
        if not (told[0] == told[1] if same is None else same):
            raise comparing.not_the_same(argument=argument, one=one[0], other=other[0])
        return
    for mine, its, name in ((one, other, told[0]), (other, one, told[1])):
        if name is not None:
            raise comparing.only_one_has(argument=argument, one=mine[0], other=its[0])


def _weights(one: Comparable, other: Comparable) -> tuple[Floats, Floats] | None:
    """The weights of the queries, or rows, that both have; None where they are not known."""
    for mine, its in _both(one, other):
        weight, its_weight = (_weight_of(each.state) for each in (mine, its))
        if weight is None or its_weight is None:
            continue
        queries, its_queries = (getattr(each.state, "queries", None) for each in (mine, its))
        if queries is not None and its_queries is not None:
            at, its_at = _in_both(queries, its_queries)
            return weight[at], its_weight[its_at]
        if one.names.truth is None and other.names.truth is None and len(weight) == len(its_weight):
            return weight, its_weight
    return None


def _weight_of(state: Any) -> Floats | None:
    weight: Floats | None = getattr(state, "weight", None)
    return weight if weight is not None and len(weight) == state.size else None


def _proportional(one: Floats, other: Floats) -> bool:
    with np.errstate(invalid="ignore"):
        return bool(np.allclose(one / one.sum(), other / other.sum(), rtol=1e-9, atol=0, equal_nan=True))


def _check_drawn(one: _Named, other: _Named) -> None:
    """Refuse units of another kind, such as rows and users; a column may have another name."""
    for mine, its in _both(one[1], other[1]):
        if mine.drawn != its.drawn and not _same_names(mine, its):
            units = [_told(each.drawn) for each in (mine, its)]
            raise comparing.other_units(one=one[0], other=other[0], unit=units[0], units=units[1])


def _told(drawn: str) -> Message:
    if drawn == "rows":
        return say("rows")
    return _OWN if drawn == "queries" else say("column '{name}'", name=drawn)


def _same_names(mine: Measured, its: Measured) -> bool:
    one, other = _unit_names(mine), _unit_names(its)
    return one is not None and other is not None and one.equals(other)


def _unit_names(one: Measured) -> pl.Series | None:
    known = one.state.drawn if hasattr(one.state, "drawn") else one.left[0]
    names: pl.Series | None = None if known is None else known.names
    return names


def _check_members(one: _Named, other: _Named) -> None:
    """Refuse units of queries that have the same name in both, and are of other queries."""
    for mine, its in _both(one[1], other[1]):
        states = (mine.state, its.state)
        if not all(getattr(state, "queries", None) is not None for state in states):
            continue
        drawn = [state.drawn for state in states]
        if any(units.code is None or units.names is None for units in drawn):
            continue
        places = _in_both(*(state.queries for state in states))
        units = [
            each.names.gather(each.code[at]).cast(pl.String) for each, at in zip(drawn, places, strict=True)
        ]
        unnamed = units[0].str.starts_with(UNNAMED) & units[1].str.starts_with(UNNAMED)
        differ = ((units[0] != units[1]) & ~unnamed).arg_true()
        if len(differ):
            apart = differ[0]
            query = mine.state.queries[int(places[0][apart])]
            raise comparing.other_members(
                query=query,
                column=mine.drawn,
                one=one[0],
                other=other[0],
                unit=_unit_name(units[0][apart]),
                units=_unit_name(units[1][apart]),
            )
        return


def _unit_name(name: str) -> str:
    return say("nothing") if name.startswith(UNNAMED) else name


def _both(one: Comparable, other: Comparable) -> Iterator[tuple[Measured, Measured]]:
    """What both measured, by its label."""
    theirs = {each.label: each for each in other.measured}
    return ((each, theirs[each.label]) for each in one.measured if each.label in theirs)


def _in_both(one: pl.Series, other: pl.Series) -> tuple[Ints, Ints]:
    """The places of the names that stand in both."""
    mine, its = (pl.DataFrame({"name": each.cast(pl.String)}).with_row_index("at") for each in (one, other))
    found = mine.join(its, on="name", how="inner", maintain_order="left")
    return found["at"].cast(pl.Int64).to_numpy(), found["at_right"].cast(pl.Int64).to_numpy()


def _check_rows(one: _Named, other: _Named, *, one_log: bool) -> None:
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
