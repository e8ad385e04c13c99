"""Labelled rows: labels meet what was predicted, row by row, and what has no partner is tallied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Ints
from steelyard.engine.systems import telling_apart
from steelyard.engine.tally import Tally
from steelyard.messages.errors import aligning, measuring
from steelyard.read import Table, column_not_found, reconcile

KEYS = ("query", "item")


@dataclass(frozen=True, kw_only=True)
class LabelledRows:
    """Rows with a label and what was predicted, as columns: label, score, predicted, probability, query."""

    frame: pl.DataFrame
    tables: tuple[Table, ...]
    at: tuple[Ints | None, ...]  # for each table, where its row stands; None: row by row
    tally: Tally
    _columns: dict[str, pl.Series] = field(default_factory=dict)

    def place(self, row: int, column: str = "") -> str:
        """Where a row stands in what the user gave; the labels may be in another table than the scores."""
        return self._place(row, len(self.tables) - 1 if column == "label" else 0)

    def place_beside(self, row: int, column: str) -> str:
        """Where a row stands in the table that holds a further column."""
        return self._place(row, self._side(column))

    def holder(self, column: str) -> Table:
        """The table that holds a further column."""
        return self.tables[self._side(column)]

    def _side(self, column: str) -> int:
        return next(side for side, table in enumerate(self.tables) if column in table.extra.columns)

    def _place(self, row: int, side: int) -> str:
        at = self.at[side]
        return self.tables[side].place(row if at is None else int(at[row]))

    def only(self, kept: Ints) -> LabelledRows:
        """Some of the rows, by their numbers."""
        frame = self.frame[kept]
        return LabelledRows(
            frame=frame,
            tables=self.tables,
            at=tuple(kept if at is None else at[kept] for at in self.at),
            tally=self.tally.also(rows=frame.height, unlabelled=frame["label"].null_count()),
        )

    def unlabelled(self) -> Flags:
        """Which rows have no label."""
        missing: Flags = self.frame["label"].is_null().to_numpy()
        return missing

    def written(self, row: int) -> str | None:
        """The text in the place of a label that is missing, if there is one; a NaN is none."""
        table, at = self.tables[-1], self.at[-1]
        values = table.column(table.roles["label"]) if "label" in table.roles else None
        text = None if values is None else values[row if at is None else int(at[row])]
        return text.strip() if isinstance(text, str) and text.strip().lower() not in ("", "nan") else None

    def beside(self, column: str, purpose: str) -> pl.Series:
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
                raise aligning.column_in_both(column=column, tables=names, purpose=aligning.PURPOSES[purpose])
            self._columns[column] = found[0]
        return self._columns[column]


def rows_of(table: Table) -> LabelledRows:
    """The rows of one table with the labels inside."""
    tally = _tally(table.frame["label"])
    return LabelledRows(frame=table.frame, tables=(table,), at=(None,), tally=tally)


def match(said: Table, true: Table) -> LabelledRows:
    """The rows of two tables that name the same query and item, in the order of the predictions."""
    keys = [key for key in KEYS if key in said.frame.columns and key in true.frame.columns]
    if not keys:
        raise measuring.no_common_key(predictions=said.name, truth=true.name)
    left, right = {}, {}
    for key in keys:
        left[key], right[key] = reconcile(said, true, key)
    mine, theirs = _keyed(left, said), _keyed(right, true)
    both = mine.join(theirs, on=keys, how="inner", maintain_order="left")
    if not both.height:
        raise aligning.no_rows_in_common(
            predictions=said.name,
            truth=true.name,
            left=mine.row(0)[:-1],
            right=theirs.row(0)[:-1],
            roles=keys,
        )
    at = tuple(both[name].to_numpy().astype(np.int64) for name in ("row", "row_right"))
    there = said.frame.height == both.height and bool(np.all(at[0] == np.arange(both.height)))
    of_said = said.frame if there else said.frame[at[0]]
    label = true.frame["label"].gather(at[1])
    if "query" in true.frame.columns and "query" not in of_said.columns:
        of_said = of_said.with_columns(true.frame["query"].gather(at[1]))
    tally = _tally(
        label,
        unmatched_predictions=said.frame.height - both.height,
        unmatched_truth=true.frame.height - both.height,
    )
    return LabelledRows(
        frame=of_said.with_columns(label),
        tables=(said, true),
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
        raise aligning.told_apart(
            aligning.doubled_keys(
                n=int(doubled.sum()), name=table.name, id=_shown(first, names), first=one, again=other
            ),
            told,
        )
    return frame.select(*names, "row")


def _shown(row: dict[str, object], names: Sequence[str]) -> str:
    return " · ".join(str(row[name]) for name in names)
