"""Labelled rows: labels meet what was predicted, row by row, and what has no partner is tallied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Ints
from steelyard.engine.protocol import Tally
from steelyard.read import ALIASES, Table, column_not_found, folded, reconcile
from steelyard.text.errors import SteelyardError, measuring, reading

KEYS = ("query", "item")


@dataclass(frozen=True, kw_only=True)
class LabelledRows:
    """Rows with a label and what was predicted, as columns: label, score, predicted, probability, query."""

    frame: pl.DataFrame
    tables: tuple[Table, ...]
    at: tuple[Ints | None, ...]  # for each table, where its row stands; None: row by row
    tally: Tally
    _columns: dict[str, pl.Series] = field(default_factory=dict)

    def place(self, row: int, column: str = "") -> str:  # labels may be in another table than scores
        return self._place(row, len(self.tables) - 1 if column == "label" else 0)

    def place_beside(self, row: int, column: str) -> str:
        return self._place(row, self._side(column))

    def holder(self, column: str) -> Table:
        return self.tables[self._side(column)]

    def _side(self, column: str) -> int:
        return next(side for side, table in enumerate(self.tables) if column in table.extra.columns)

    def _place(self, row: int, side: int) -> str:
        at = self.at[side]
        return self.tables[side].place(row if at is None else int(at[row]))

    def only(self, kept: Ints) -> LabelledRows:
        frame = self.frame[kept]
        return LabelledRows(
            frame=frame,
            tables=self.tables,
            at=tuple(kept if at is None else at[kept] for at in self.at),
            tally=self.tally.also(rows=frame.height, unlabelled=frame["label"].null_count()),
        )

    def unlabelled(self) -> Flags:
        missing: Flags = self.frame["label"].is_null().to_numpy()
        return missing

    def written(self, row: int) -> str | None:  # the text in the place of a missing label
        table, at = self.tables[-1], self.at[-1]
        values = table.column(table.roles["label"]) if "label" in table.roles else None
        text = None if values is None else values[row if at is None else int(at[row])]
        return text.strip() if isinstance(text, str) and text.strip().lower() not in ("", "nan") else None

    def further(self, column: str, purpose: str) -> pl.Series:
        """A further column of one of the tables, row by row; of both where it is the same in both."""
        if column not in self._columns:
            names = [table.name for table in self.tables]
            found = [
                table.extra[column] if at is None else table.extra[column].gather(at)
                for table, at in zip(self.tables, self.at, strict=True)
                if column in table.extra.columns
            ]
            if not found:
                raise column_not_found(column, purpose, self.tables)
            if len(found) > 1 and not found[0].equals(found[1]):
                raise reading.column_in_both(column=column, tables=names, purpose=reading.PURPOSES[purpose])
            self._columns[column] = found[0]
        return self._columns[column]

    def without_extra(self) -> LabelledRows:
        """The same rows without the values of further columns; their names stay."""
        tables = tuple(replace(table, extra=table.extra.clear()) for table in self.tables)
        return replace(self, tables=tables, _columns={})


def rows_of(table: Table) -> LabelledRows:
    tally = _tally(table.frame["label"])
    return LabelledRows(frame=table.frame, tables=(table,), at=(None,), tally=tally)


def match(predicted: Table, true: Table) -> LabelledRows:
    """The rows of two tables that name the same query and item, in the order of the predictions."""
    keys = [key for key in KEYS if key in predicted.frame.columns and key in true.frame.columns]
    if not keys:
        raise measuring.no_common_key(predictions=predicted.name, truth=true.name)
    left, right = {}, {}
    for key in keys:
        left[key], right[key] = reconcile(predicted, true, key)
    mine, theirs = _keyed(left, predicted), _keyed(right, true)
    both = mine.join(theirs, on=keys, how="inner", maintain_order="left")
    if not both.height and not predicted.part:
        raise reading.no_rows_in_common(
            predictions=predicted.name,
            truth=true.name,
            left=mine.row(0)[:-1],
            right=theirs.row(0)[:-1],
            roles=keys,
        )
    at = tuple(both[name].to_numpy().astype(np.int64) for name in ("row", "row_right"))
    there = predicted.frame.height == both.height and bool(np.all(at[0] == np.arange(both.height)))
    of_predictions = predicted.frame if there else predicted.frame[at[0]]
    label = true.frame["label"].gather(at[1])
    if "query" in true.frame.columns and "query" not in of_predictions.columns:
        of_predictions = of_predictions.with_columns(true.frame["query"].gather(at[1]))
    tally = _tally(
        label,
        unmatched_predictions=predicted.frame.height - both.height,
        unmatched_truth=true.frame.height - both.height,
    )
    return LabelledRows(
        frame=of_predictions.with_columns(label),
        tables=(predicted, true),
        at=(None if there else at[0], at[1]),
        tally=tally,
    )


def _tally(label: pl.Series, **unmatched: int) -> Tally:
    every = {"unmatched_predictions": 0, "unmatched_truth": 0, "weightless": 0, **unmatched}
    return Tally.of(rows=len(label), unlabelled=label.null_count(), **every)


def _keyed(columns: dict[str, pl.Series], table: Table) -> pl.DataFrame:
    """The keys with the number of their row; a key twice has no partner that could be told."""
    frame = pl.DataFrame([values.alias(name) for name, values in columns.items()]).with_row_index("row")
    names = list(columns)
    doubled = frame.select(pl.struct(names).is_duplicated()).to_series()
    if doubled.any():
        again = frame.filter(doubled)
        first = again.row(0, named=True)
        twin = again.filter(pl.all_horizontal(pl.col(name) == first[name] for name in names))
        one, other = (table.place(int(row)) for row in twin["row"].head(2))
        told = telling_apart(table, names, again["row"])
        raise reading.told_apart(
            reading.doubled_keys(
                n=int(doubled.sum()), name=table.name, id=_shown(first, names), first=one, again=other
            ),
            told,
        )
    return frame.select(*names, "row")


def _shown(row: dict[str, object], names: Sequence[str]) -> str:
    return " · ".join(str(row[name]) for name in names)


_ROWS = 10_000


def likely_probability(table: Table) -> str | None:
    """The first column of no known role whose first values are fractions in [0, 1], three or more of them."""
    peek = table.sources[0].peek if table.sources else None
    known = frozenset[str]().union(*(names for role, names in ALIASES.items() if role != "score"))
    claimed = {*table.roles.values(), *table.extra.columns}
    free = (
        [c for c in table.sources[0].columns if c not in claimed and folded(c) not in known] if peek else []
    )
    if peek is None or not free:
        return None
    try:
        first = peek(free, _ROWS)
    except SteelyardError:  # a column that nobody asked for may be unreadable
        return None
    return next((values.name for values in first if _are_probabilities(values)), None)


def _are_probabilities(values: pl.Series) -> bool:
    if not (values.dtype.is_float() or values.dtype == pl.String):
        return False
    numbers = values.cast(pl.Float64, strict=False)
    if numbers.null_count() or not numbers.is_between(0, 1).all():
        return False
    return numbers.n_unique() > 2


_SYSTEMS = (
    "system system_id system_name model model_id model_name run run_id run_name run_tag tag method "
    "algorithm algo variant experiment experiment_id arm version seed fold"
)
_NAMES = frozenset(folded(name) for name in _SYSTEMS.split())
_FEW = 20
_FIRST_ROWS = 1000


def telling_apart(table: Table, keys: Sequence[str], rows: pl.Series) -> tuple[str, list[object]] | None:
    """The column with whose values the doubled ``rows`` are doubled no more, and some of its values.

    A column called by a name of systems is taken as it is, any other only where it has few values: a time or
    a number of the row tells rows apart as well, and is no system.
    """
    again = table.frame.select(keys)[rows]
    for column, values in _readable(table.as_they_came, _likely(table)).items():
        if not _may_name(values):
            continue
        mine = values.gather(rows)
        distinct = mine.unique(maintain_order=True)
        few = folded(column) in _NAMES or len(distinct) <= min(_FEW, len(rows) // 2)
        if few and len(distinct) > 1 and not again.with_columns(mine.alias("by")).is_duplicated().any():
            return column, distinct.head(3).to_list()
    return None


def _likely(table: Table) -> list[str]:  # names of systems first
    roles = frozenset[str]().union(*ALIASES.values())
    free = [c for c in table.columns if c not in table.roles.values() and folded(c) not in roles]
    named = [c for c in free if folded(c) in _NAMES]
    others = [c for c in free if c not in named]
    peek = table.sources[0].peek if table.sources else None
    if peek is None:
        return [*named, *others]
    there = [c for c in others if c in table.sources[0].columns]
    first = _readable(lambda columns: peek(columns, _FIRST_ROWS).to_dict(), there)
    return [*named, *(c for c, values in first.items() if _may_name(values) and values.n_unique() <= _FEW)]


def _may_name(values: pl.Series) -> bool:
    return not (values.dtype.is_float() or values.dtype.is_nested())


def _readable(
    read: Callable[[Sequence[str]], dict[str, pl.Series]], columns: Sequence[str]
) -> dict[str, pl.Series]:
    """The columns that can be read: all at once, or one by one where one that nobody asked for cannot be."""
    try:
        return read(columns) if columns else {}
    except SteelyardError:
        if len(columns) == 1:
            return {}
    return {name: values for column in columns for name, values in _readable(read, [column]).items()}
