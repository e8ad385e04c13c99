"""Groups of rows that were measured in parts: one entry for each, or for those of each unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from steelyard.engine import partial_units
from steelyard.engine.influence import Cells, Condensed, Units
from steelyard.engine.partial_units import in_buckets, used_units
from steelyard.engine.protocol import Need
from steelyard.engine.scored import Scored
from steelyard.engine.scored_parts import GroupedRows, GroupSums, GroupValues, distinct_scores
from steelyard.kernels.group import distinct

if TYPE_CHECKING:
    from steelyard.engine.score_counts import OrderTotals


def within_units(state: Scored) -> bool:
    """Whether each group has one unit."""
    units, group = state.units, state.group
    if units is None or units.code is group or group is None or units.code is None:
        return units is not None
    unit = np.zeros(state.n_groups, np.int64)
    unit[group] = units.code
    return bool((unit[group] == units.code).all())


def of_groups(state: Scored, parts: Scored) -> GroupedRows:
    """An entry for each group of the whole, and, where there are slices, for each group of each slice."""
    entries = []
    for rows in (state,) if parts is state else (state, parts):
        inner, _ = rows.by_group
        assert rows.group is not None
        cells = Cells.of(Units(n=rows.n_groups, code=rows.group), rows.segment, rows.n_segments)
        there = np.bincount(inner.segments, minlength=cells.n) > 0  # weightless rows too
        group = np.arange(cells.n) if cells.unit is None else cells.unit
        segment = np.full(cells.n, -1) if cells.owner is None else cells.owner
        columns = (group, segment, inner.rows, inner.positives, inner.negatives, inner.auc)
        entries.append([column[there] for column in columns])
    return _grouped(state, entries, parts.n_segments)


def of_large_group(state: Scored, need: Need, totals: OrderTotals) -> GroupedRows:
    """The entries of one group whose rows were counted in several parts; the first with rows has them."""
    assert state.group is not None
    entries, n_slices = [], 1
    first = state.n_rows > 0 and need not in totals.entered
    totals.entered |= {need} if first else set()
    for sliced, rows in enumerate((totals.state(need), totals.split(need, None)[1])):
        if rows is None:
            continue
        n_slices = rows.n_segments
        there = np.flatnonzero(rows.seen & first)
        segment = there if sliced else np.full(len(there), -1)
        # all rows of the part are of the group
        columns = (
            np.full(rows.n_segments, state.group[0] if first else 0),
            rows.rows,
            rows.positives,
            rows.negatives,
            rows.auc,
        )
        group, *values = (column[there] for column in columns)
        entries.append([group, segment, *values])
    return _grouped(state, entries, n_slices)


def _grouped(state: Scored, entries: Sequence[Sequence[Any]], n_segments: int) -> GroupedRows:
    """Group, slice, rows, positives, negatives and AUC of each entry, with the names of their groups."""
    group, segment, n_rows, positives, negatives, auc = map(np.concatenate, zip(*entries, strict=True))
    units = state.units
    assert units is not None
    named = used_units(Units(n=state.n_groups, code=group, names=state.groups))
    if units.code is state.group:
        units = replace(units, n=named.n, code=named.code, names=named.names)
    else:
        unit = np.zeros(state.n_groups, np.int64)
        assert units.code is not None
        unit[state.group] = units.code
        units = used_units(replace(units, code=unit[group]))
    values = GroupValues(rows=n_rows.astype(np.int64), positives=positives, negatives=negatives, auc=auc)
    return GroupedRows.of_groups(
        values,
        weighted=state.weighted,
        segment=segment,
        n_segments=n_segments,
        group=named.code,
        n_groups=named.n,
        groups=named.names,
        units=units,
        precision=state.precision,
        condensed=Condensed(
            count=values.rows,
            terms=pl.DataFrame(),
            n_rows=state.n_rows,
            scores=distinct_scores(state),
            lowest=state.n_lowest,
        ),
    )


def added_groups(state: GroupedRows, metric: Any) -> GroupedRows:
    """The groups of each unit and slice as one entry: no value of a group is left."""
    units, segment = state.units, state.segments
    assert units is not None
    units = in_buckets(units, state.label, many_units=True)
    assert units.code is not None
    kinds, code = distinct((segment + 1) * partial_units.BUCKETS + units.code)
    values = metric.group_sums(state).added(code, len(kinds))
    bucket = kinds % partial_units.BUCKETS
    old = state.condensed
    assert old is not None
    return GroupedRows.of_groups(
        values,
        weighted=state.weighted,
        segment=kinds // partial_units.BUCKETS - 1,
        n_segments=state.n_segments,
        group=bucket,
        n_groups=partial_units.BUCKETS,
        units=replace(units, code=bucket),
        precision=state.precision,
        condensed=replace(old, count=values.rows),
    )


def are_many(states: Sequence[GroupedRows]) -> bool:
    added = any(isinstance(state.values, GroupSums) for state in states)
    return added or sum(state.n_rows for state in states) > 2 * partial_units.MOST_UNITS


def only_groups(state: GroupedRows, those: Any) -> GroupedRows:
    """Some entries of groups, in the order of their slices and groups."""
    at = np.flatnonzero(those)
    assert state.group is not None
    assert state.segment is not None
    at = at[np.lexsort((state.group[at], state.segment[at]))]
    values = {one.name: getattr(state.values, one.name)[at] for one in fields(state.values)}
    units = None if state.units is None else state.units.only(at)
    assert state.condensed is not None
    return replace(
        state,
        n_rows=len(at),
        label=state.label[at],
        score=state.score[at],
        weight=None if state.weight is None else state.weight[at],
        segment=state.segment[at],
        group=state.group[at],
        units=units,
        values=type(state.values)(**values),
        condensed=replace(state.condensed, count=values["rows"]),
    )
