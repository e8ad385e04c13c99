"""GAUC: the groups with their AUC and their weight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.explain.explanation import VALUE, Cell, Column, Line, Note, Of, Operand
from steelyard.explain.rows_table import Part, chosen, table, weighted_name, worst_first
from steelyard.explain.steps import Parts, steps
from steelyard.metrics import GAUC
from steelyard.states import Scored

GROUPS, GROUP = "group_steps", "group"
_ALL = 25  # groups that are told as they come; of more, the heaviest


@steps.register
def _gauc(metric: GAUC, state: Scored) -> Parts:
    inner, _ = state.by_group()
    value, weight = metric.counted(state)
    there = np.flatnonzero(inner.rows > 0)
    value, weight = value[there], weight[there]
    positives, negatives = inner.positives[there], inner.negatives[there]
    single = (positives == 0) | (negatives == 0)
    left_out = single if metric.single_class == "drop" else np.zeros(len(there), bool)
    parts = [
        Part(name=GROUP, values=there, rest="count", kind="text"),
        Part(name="group_rows", values=inner.rows[there], rest="sum"),
        Part(name="positives", values=positives, rest="sum"),
        Part(name="negatives", values=negatives, rest="sum"),
        Part(name="group_auc", values=np.where(left_out, np.nan, value)),
        Part(name="group_weight", values=np.where(left_out, np.nan, weight), rest="sum"),
        Part(name=weighted_name("group_auc"), values=np.where(left_out, np.nan, weight * value), rest="sum"),
    ]
    pieces = chosen(weight > 0) if len(there) <= _ALL else worst_first(weight)
    added = ("group_rows", "positives", "negatives", "group_weight", weighted_name("group_auc"))
    made = table(GROUPS, parts, pieces, total=added, rest="rest_groups")
    operands: dict[str, Operand] = {
        "sum": Of(GROUPS, weighted_name("group_auc")),
        "total_weight": Of(GROUPS, "group_weight"),
    }
    line = Line(name=VALUE, expression="{sum} / {total_weight}", operands=operands)
    notes = []
    if single.any():
        one_class = {"groups": int(single.sum()), "positive": int((negatives == 0).sum())}
        notes.append(Note(key=f"single_class_{metric.single_class}", values=one_class))
    if not weight.any():
        notes.append(Note(key="undefined_groups"))
    return Parts(steps=(made,), lines=(line,), notes=tuple(notes))


def with_names(parts: Parts, names: pl.Series, numbers: Ints) -> Parts:
    """The same with the groups by name; ``numbers`` are those that the state knows the named groups by."""
    order = np.argsort(numbers)

    def named(cell: Cell) -> Cell:
        return (
            str(names[int(order[np.searchsorted(numbers, cell, sorter=order)])])
            if isinstance(cell, int)
            else cell
        )

    def renamed(column: Column) -> Column:
        return replace(column, cells=tuple(map(named, column.cells))) if column.name == GROUP else column

    tables = tuple(replace(one, columns=tuple(map(renamed, one.columns))) for one in parts.steps)
    return replace(parts, steps=tables)
