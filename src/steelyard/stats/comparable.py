"""Which results may be compared: same conventions, same truth, same slices, same units; an error if not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.engine.influence import UNNAMED
from steelyard.engine.protocol import OF_ROWS, Names, wanted_tables
from steelyard.spec import Plan
from steelyard.stats.measured import Measured
from steelyard.text import Message, say
from steelyard.text.errors import comparing


class Comparable(Protocol):
    """What must be known of a result to compare it."""

    @property
    def plan(self) -> Plan: ...

    @property
    def names(self) -> Names: ...

    @property
    def by(self) -> tuple[str, ...]: ...

    @property
    def unit(self) -> str | None: ...

    @property
    def measured(self) -> tuple[Measured, ...]: ...

    @property
    def fingerprint(self) -> str | None: ...

    @property
    def fingerprints(self) -> dict[str, str]: ...

    def spec(self) -> dict[str, dict[str, Any]]: ...


_Named = tuple[str, Comparable]


def check_comparable(
    results: Mapping[str, Comparable],
    *,
    one_truth: bool = False,
    one_log: bool = False,
    paired: bool = True,
) -> None:
    """Refuse results that were not measured alike, or whose units cannot be paired.

    ``one_truth`` says that one call gave all of them the same tables, ``one_log`` that all are columns of
    one table. Without ``paired`` they are independent samples, and only their conventions must agree.
    """
    check_alike(results, one_truth=one_truth, paired=paired)
    if paired:
        check_units(results, one_log=one_log)


def check_units(results: Mapping[str, Comparable], *, one_log: bool = False) -> None:
    """Refuse results whose units are of another kind, or cannot be found again."""
    for one, other in _pairs(results):
        if one[1].unit != other[1].unit:
            units = [
                say("column '{name}'", name=unit) if unit else _OWN for unit in (one[1].unit, other[1].unit)
            ]
            raise comparing.other_units(one=one[0], other=other[0], unit=units[0], units=units[1])
        _check_drawn(one, other)
        _check_rows(one, other, one_log=one_log)


def check_alike(results: Mapping[str, Comparable], *, one_truth: bool = False, paired: bool = True) -> None:
    """Refuse results of other conventions or slices and, where they are ``paired``, of other data."""
    for one, other in _pairs(results):
        _check_conventions(one, other)
        if paired:
            _check_data(one, other, one_truth=one_truth)
            continue
        for role in ("exclude", "weights", *_tables_read(one[1], other[1])):
            given = [any(mark.endswith(role) for mark in result.fingerprints) for _, result in (one, other)]
            _check_given(role, one, other, ["given" if there else None for there in given])


def _pairs(results: Mapping[str, Comparable]) -> Iterator[tuple[_Named, _Named]]:
    first, *others = results.items()
    return ((first, other) for other in others)


def _check_conventions(one: _Named, other: _Named) -> None:
    (first, its), (name, result) = one, other
    if result.by != its.by:
        raise comparing.other_slices(
            one=first, other=name, columns=_columns(its.by), others=_columns(result.by)
        )
    specs = its.spec()
    for label, spec in result.spec().items():
        fields = differing([specs[label], spec]) if label in specs else ()
        if fields:
            raise comparing.other_convention(metric=label, one=first, other=name, fields=fields)
    if result.plan.classes != its.plan.classes:
        classes = [_columns(each.plan.classes or ()) for each in (its, result)]
        raise comparing.other_named_classes(one=first, other=name, classes=classes[0], others=classes[1])


def _check_data(one: _Named, other: _Named, *, one_truth: bool) -> None:
    mine, its = one[1].fingerprints, other[1].fingerprints
    if not one_truth:
        _check_truth(one, other)
        for role in ("exclude", *_tables_read(one[1], other[1])):
            _check_given(role, one, other, [marks.get(role) for marks in (mine, its)])
    _check_weights(one, other)
    if one[1].unit == other[1].unit:
        _check_members(one, other)
        if _same("units", one, other) is False:
            sizes = [_n_units(result) for _, result in (one, other)]
            raise comparing.not_the_same_units(one=one[0], other=other[0], n=sizes[0], m=sizes[1])
    if _same("slices", one, other) is False:
        raise comparing.other_slice_members(one=one[0], other=other[0], columns=list(one[1].by))


def _tables_read(one: Comparable, other: Comparable) -> list[str]:
    """The tables beside the lists that a metric of both reads, where one of them has it."""
    needs = [mine.metric.need() for mine, _ in _both(one, other)]
    given = {**one.fingerprints, **other.fingerprints, "truth": ""}
    return wanted_tables([need for need in needs if need.reads == "lists"], given)


def _n_units(result: Comparable) -> int:
    """How many units the first value of a result rests on, as far as it is known; else rows or queries."""
    first = result.measured[0]
    return (0 if first.limits is None else int(first.limits.units[0])) or first.size


_OWN = say("the queries or users")


def _columns(by: Sequence[object]) -> object:
    return list(by) if by else say("nothing")


def _check_truth(one: _Named, other: _Named) -> None:
    marks = [result.fingerprint for _, result in (one, other)]
    same = _same("truth", one, other)
    if not (marks[0] == marks[1] if same is None else same):
        names = [result.names.truth or say("labels inside") for _, result in (one, other)]
        raise comparing.other_truth(one=one[0], other=other[0], marks=comparing.marked(names, marks))


def _same(role: str, one: _Named, other: _Named) -> bool | None:
    """Whether both had the same table; None where they had no metrics of one kind, lists or rows."""
    mine, its = one[1].fingerprints, other[1].fingerprints
    shared = [name for name in (role, f"{OF_ROWS}{role}") if name in mine and name in its]
    return all(mine[name] == its[name] for name in shared) if shared else None


def _check_weights(one: _Named, other: _Named) -> None:
    told = [result.names.weights for _, result in (one, other)]
    if None not in told:
        known = _weights(one[1], other[1])
        same = _same("weights", one, other) if known is None else _proportional(*known)
        told = ["same", "same" if same else "other"]
    _check_given("weights", one, other, told)


def _check_given(argument: str, one: _Named, other: _Named, marks: Sequence[str | None]) -> None:
    """Refuse what only one was measured with, or both with others; None marks what was not given."""
    if None not in marks and marks[0] != marks[1]:
        raise comparing.not_the_same(argument=argument, one=one[0], other=other[0])
    for mine, its, mark in ((one, other, marks[0]), (other, one, marks[1])):
        if mark is not None and None in marks:
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
    theirs = {each.label: each for each in other.measured}
    return ((each, theirs[each.label]) for each in one.measured if each.label in theirs)


def _in_both(one: pl.Series, other: pl.Series) -> tuple[Ints, Ints]:
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
    if hasattr(one.state, "drawn"):
        return bool(one.state.drawn.are_rows)
    known = one.left[0]
    return known is not None and known.names is None


def differing(specs: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    """The fields in which specifications differ; the profile is a name for their values only."""
    names = dict.fromkeys(name for one in specs for name in one if name != "profile")
    return tuple(name for name in names if any(one.get(name) != specs[0].get(name) for one in specs[1:]))
