"""Which results may be compared: same conventions, same truth, same slices, same units; an error if not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, Protocol

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.engine.influence import UNNAMED
from steelyard.engine.protocol import OF_ROWS, Names, wanted_tables
from steelyard.spec import Plan
from steelyard.stats.measured import Measured
from steelyard.text import say
from steelyard.text.errors import asking


class Comparable(Protocol):
    """What a comparison reads of a result."""

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
    """Refuse results whose units are of different kinds or cannot be matched."""
    for one, other in _pairs(results):
        if one[1].unit != other[1].unit:
            _refuse_units(one, other, [one[1].unit or "queries", other[1].unit or "queries"])
        for mine, theirs in _both(one[1], other[1]):
            if mine.drawn != theirs.drawn and not _same_names(mine, theirs):
                _refuse_units(one, other, [mine.drawn, theirs.drawn])
        if not one_log:
            _check_rows(one, other)


def _refuse_units(one: _Named, other: _Named, units: Sequence[str]) -> NoReturn:
    kinds = {"rows": say("rows"), "queries": say("the queries or users")}
    unit, theirs = (kinds.get(unit) or say("column '{name}'", name=unit) for unit in units)
    raise asking.other_units(one=one[0], other=other[0], unit=unit, units=theirs)


def check_alike(results: Mapping[str, Comparable], *, one_truth: bool = False, paired: bool = True) -> None:
    """Refuse results of different conventions or slices and, where they are ``paired``, of different data."""
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
    (first, mine), (second, theirs) = one, other
    if mine.by != theirs.by:
        raise asking.other_slices(
            one=first, other=second, columns=_columns(mine.by), others=_columns(theirs.by)
        )
    specs = mine.spec()
    for label, spec in theirs.spec().items():
        fields = differing([specs[label], spec]) if label in specs else ()
        if fields:
            raise asking.other_convention(metric=label, one=first, other=second, fields=fields)
    if mine.plan.classes != theirs.plan.classes:
        classes, others = (_columns(result.plan.classes or ()) for result in (mine, theirs))
        raise asking.other_named_classes(one=first, other=second, classes=classes, others=others)


def _check_data(one: _Named, other: _Named, *, one_truth: bool) -> None:
    (first, mine), (second, theirs) = one, other
    if not one_truth:
        marks = [mine.fingerprint, theirs.fingerprint]
        same = _same("truth", mine, theirs)
        if not (marks[0] == marks[1] if same is None else same):
            names = [result.names.truth or say("labels inside") for result in (mine, theirs)]
            raise asking.other_truth(one=first, other=second, marks=asking.marked(names, marks))
        for role in ("exclude", *_tables_read(mine, theirs)):
            _check_given(role, one, other, [result.fingerprints.get(role) for result in (mine, theirs)])
    _check_weights(one, other)
    if mine.unit == theirs.unit:
        _check_members(one, other)
        if _same("units", mine, theirs) is False:
            n, m = _n_units(mine), _n_units(theirs)
            raise asking.not_the_same_units(one=first, other=second, n=n, m=m)
    if _same("slices", mine, theirs) is False:
        raise asking.other_slice_members(one=first, other=second, columns=list(mine.by))


def _tables_read(one: Comparable, other: Comparable) -> list[str]:
    """The tables besides the lists that a metric of both reads, if one of them has it."""
    needs = [mine.metric.need() for mine, _ in _both(one, other)]
    given = {**one.fingerprints, **other.fingerprints, "truth": ""}
    return wanted_tables([need for need in needs if need.reads == "lists"], given)


def _n_units(result: Comparable) -> int:
    """The units of the first value of a result if they are known; else its rows or queries."""
    first = result.measured[0]
    return (0 if first.limits is None else int(first.limits.units[0])) or first.size


def _columns(by: Sequence[object]) -> object:
    return list(by) if by else say("nothing")


def _same(role: str, one: Comparable, other: Comparable) -> bool | None:
    """Whether both had the same table; None if they had no metrics of one kind, lists or rows."""
    mine, theirs = one.fingerprints, other.fingerprints
    shared = [name for name in (role, f"{OF_ROWS}{role}") if name in mine and name in theirs]
    return all(mine[name] == theirs[name] for name in shared) if shared else None


def _check_weights(one: _Named, other: _Named) -> None:
    marks = [result.names.weights for _, result in (one, other)]
    if None not in marks:
        weights = _weights(one[1], other[1])
        if weights is None:
            same = _same("weights", one[1], other[1])
        else:
            with np.errstate(invalid="ignore"):
                mine, theirs = (weight / weight.sum() for weight in weights)
            same = bool(np.allclose(mine, theirs, rtol=1e-9, atol=0, equal_nan=True))
        marks = ["same", "same" if same else "other"]
    _check_given("weights", one, other, marks)


def _check_given(argument: str, one: _Named, other: _Named, marks: Sequence[str | None]) -> None:
    """Refuse a table that only one had, or that differs; None marks a table that was not given."""
    if None not in marks and marks[0] != marks[1]:
        raise asking.not_the_same(argument=argument, one=one[0], other=other[0])
    for having, lacking, mark in ((one, other, marks[0]), (other, one, marks[1])):
        if mark is not None and None in marks:
            raise asking.only_one_has(argument=argument, one=having[0], other=lacking[0])


def _weights(one: Comparable, other: Comparable) -> tuple[Floats, Floats] | None:
    """The weights of the queries, or rows, that both have; None if they are not known."""
    for pair in _both(one, other):
        states = [side.state for side in pair]
        weights: list[Any] = [getattr(state, "weight", None) for state in states]
        if any(w is None or len(w) != state.size for w, state in zip(weights, states, strict=True)):
            continue
        queries: list[Any] = [getattr(state, "queries", None) for state in states]
        if all(names is not None for names in queries):
            places = _in_both(*queries)
            return weights[0][places[0]], weights[1][places[1]]
        if one.names.truth is None and other.names.truth is None and len(weights[0]) == len(weights[1]):
            return weights[0], weights[1]
    return None


def _same_names(*sides: Measured) -> bool:
    known = [side.state.drawn if hasattr(side.state, "drawn") else side.left[0] for side in sides]
    mine, theirs = (None if units is None else units.names for units in known)
    return mine is not None and theirs is not None and bool(mine.equals(theirs))


def _check_members(one: _Named, other: _Named) -> None:
    """Refuse units of the same name that hold different queries."""
    for mine, theirs in _both(one[1], other[1]):
        states = (mine.state, theirs.state)
        if not all(getattr(state, "queries", None) is not None for state in states):
            continue
        drawn = [state.drawn for state in states]
        if any(units.code is None or units.names is None for units in drawn):
            continue
        places = _in_both(*(state.queries for state in states))
        names = [
            units.names.gather(units.code[at]).cast(pl.String)
            for units, at in zip(drawn, places, strict=True)
        ]
        unnamed = names[0].str.starts_with(UNNAMED) & names[1].str.starts_with(UNNAMED)
        differ = ((names[0] != names[1]) & ~unnamed).arg_true()
        if len(differ):
            at = differ[0]
            units = [say("nothing") if name[at].startswith(UNNAMED) else name[at] for name in names]
            raise asking.other_members(
                query=mine.state.queries[int(places[0][at])],
                column=mine.drawn,
                one=one[0],
                other=other[0],
                unit=units[0],
                units=units[1],
            )
        return


def _both(one: Comparable, other: Comparable) -> Iterator[tuple[Measured, Measured]]:
    theirs = {metric.label: metric for metric in other.measured}
    return ((metric, theirs[metric.label]) for metric in one.measured if metric.label in theirs)


def _in_both(*names: pl.Series) -> tuple[Ints, Ints]:
    mine, theirs = (pl.DataFrame({"name": side.cast(pl.String)}).with_row_index("at") for side in names)
    shared = mine.join(theirs, on="name", how="inner", maintain_order="left")
    return shared["at"].cast(pl.Int64).to_numpy(), shared["at_right"].cast(pl.Int64).to_numpy()


def _check_rows(one: _Named, other: _Named) -> None:
    """Rows without names are matched by place: refuse different numbers of rows, and rows of two tables."""
    for mine, theirs in zip(one[1].measured, other[1].measured, strict=False):
        if not (_are_rows(mine) and _are_rows(theirs)):
            continue
        if mine.size != theirs.size:
            raise asking.rows_differ(one=one[0], other=other[0], n=mine.size, m=theirs.size)
        if one[1].names.truth is not None or other[1].names.truth is not None:
            raise asking.rows_unnamed(one=one[0], other=other[0])


def _are_rows(measured: Measured) -> bool:
    if hasattr(measured.state, "drawn"):
        return bool(measured.state.drawn.are_rows)
    influence = measured.left[0]
    return influence is not None and influence.names is None


def differing(specs: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    """The fields in which specifications differ, without the name of the profile."""
    names = dict.fromkeys(name for spec in specs for name in spec if name != "profile")
    return tuple(name for name in names if any(spec.get(name) != specs[0].get(name) for spec in specs[1:]))
