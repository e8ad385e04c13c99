"""Groups of queries: the whole, and one slice per value of the columns asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.arguments import is_of_slice
from steelyard.arrays import Flags, Ints
from steelyard.printable import NONE
from steelyard.read import Table, column_not_found, reconcile
from steelyard.read.table import looked_up
from steelyard.text import Message, languages, say
from steelyard.text.errors import asking, reading
from steelyard.text.errors.base import quoted
from steelyard.text.errors.forms import column_of

WHOLE = say("(all)")  # how the whole is shown beside its slices
NOTHING = say("(none)")  # the slice of what has no value, whose name is NONE
LONGEST_NAME = 60  # characters of a name in a sentence; tables and JSON hold them whole
MOST_SLICES = 10_000  # more, with less than two queries or rows each, are refused
_MOST_OF_PART = 500_000  # the same of a part: others may have more rows of each slice
_AT_ONCE = 1 << 20  # rows
CLASS_COLUMNS = ("class", "predicted")
ENDS = ("ci_low", "ci_high", "tie_low", "tie_high")
RESULT_COLUMNS = ("metric", *CLASS_COLUMNS, "value", *ENDS, "n", "of", "undefined", "spec")


@dataclass(frozen=True, kw_only=True)
class Slices:
    """The slice of each unit; ``labels`` has one row per slice and a column per slice column.

    ``keys`` are the values that the labels name. ``units`` are queries; None where the units are rows, which
    have no names.
    """

    labels: pl.DataFrame
    codes: Ints
    keys: pl.DataFrame
    units: pl.Series | None = None

    @classmethod
    def of(
        cls, values: Mapping[str, pl.Series], units: pl.Series | None = None, *, part: bool = False
    ) -> Slices:
        """``part`` says that there are more rows or queries than these."""
        labels, codes, keys = _numbered(values)
        n = len(next(iter(values.values())))
        check_number(keys, n, of_queries=units is not None, most=_MOST_OF_PART if part else None)
        return cls(labels=labels, codes=codes, keys=keys, units=units)

    @classmethod
    def of_keys(cls, keys: pl.DataFrame) -> Slices:
        """The slices with these values; any number of them, since a slice may hold many rows."""
        labels, codes, keys = _numbered(keys.to_dict())
        return cls(labels=labels, codes=codes, keys=keys)

    def __len__(self) -> int:
        return self.labels.height

    def columns(self, units: pl.Series | None = None) -> list[pl.Series]:
        codes, labels = (self.codes, self.labels) if units is None else self.inhabited(units)
        named = (column.alias(f"slice {at}") for at, column in enumerate(labels))
        return [
            one.cast(pl.Enum(one.unique(maintain_order=True).drop_nulls())).gather(codes) for one in named
        ]

    def inhabited(self, units: pl.Series) -> tuple[Ints, pl.DataFrame]:
        """The slice number of some units, by their names, among those slices that they are in."""
        assert self.units is not None
        codes = looked_up(units, self.units, self.codes).to_numpy().astype(np.int64)
        used, codes = np.unique(codes, return_inverse=True)
        return codes.reshape(-1), self.labels[used.tolist()]


COVERED = ("units with predictions", "units of the truth")


def covered_in(labels: pl.DataFrame, codes: Ints, covered: Flags) -> pl.DataFrame:
    """How many units of the truth each slice has, and how many of them have predictions."""
    n = labels.height
    counts = np.bincount(codes, covered, minlength=n), np.bincount(codes, minlength=n)
    return labels.with_columns(
        pl.Series(name, found.astype(np.int64)) for name, found in zip(COVERED, counts, strict=True)
    )


@dataclass(frozen=True)
class Segments:
    """What a table of its own says of each query, to slice by."""

    table: Table

    def holds(self, column: str) -> bool:
        return column in self.table.extra.columns

    def values(self, column: str, queries: pl.Series, like: Table) -> pl.Series:
        """A column for each query, null where the table has none; ``like`` is where the queries are from."""
        every = replace(like, frame=queries.alias("query").to_frame())
        wanted, mine = reconcile(every, self.table, "query")
        doubled = mine.is_duplicated()
        if doubled.any():
            raise reading.segment_doubled(name=self.table.name, query=mine.filter(doubled)[0])
        check_kind(column, self.table)
        return looked_up(wanted, mine, self.table.extra[column])

    def notes(self, queries: pl.Series, like: Table) -> list[Message]:
        """How many queries the table does not know, whose slice is that of no value."""
        every = replace(like, frame=queries.alias("query").to_frame())
        wanted, mine = reconcile(every, self.table, "query")
        n = int((~wanted.is_in(mine.implode())).sum())
        if not n:
            return []
        if n == len(wanted) and not like.part:
            raise reading.segments_unknown(
                predictions=like.name, name=self.table.name, query=wanted[0], other=mine[0]
            )
        note = say(
            "{n:,} {n:query is|queries are} not in {table}: {n:its|their} slice is {nothing}.",
            key="not_in_by",
            n=n,
            table=self.table.name,
            nothing=NOTHING,
        )
        return [note]


def slice_queries(
    by: Sequence[str],
    queries: pl.Series,
    tables: Sequence[tuple[Table, pl.Series]],
    segments: Segments | None = None,
) -> Slices | None:
    if not by:
        return None
    values = {}
    for column in by:
        if segments is not None and segments.holds(column):
            values[column] = segments.values(column, queries, tables[0][0])
            continue
        # an error about a missing column lists those of every table
        every = tables if segments is None else [*tables, (segments.table, queries)]
        known = column_values(column, "slice", every)
        values[column] = looked_up(queries, known["query"], known["value"])
    return Slices.of(values, queries, part=tables[0][0].part)


def check_number(keys: pl.DataFrame, n: int, *, of_queries: bool, most: int | None = None) -> None:
    """Refuse slices with less than two of ``n`` rows or queries each."""
    if keys.height <= (most or MOST_SLICES) or 2 * keys.height <= n:
        return
    values, column = max((one.n_unique(), one.name) for one in keys)
    units = say("{n:,} {n:query|queries}", n=n) if of_queries else say("{n:,} {n:row|rows}", n=n)
    raise reading.too_many_slices(column=column, n=values, units=units)


def _numbered(values: Mapping[str, pl.Series]) -> tuple[pl.DataFrame, Ints, pl.DataFrame]:
    """The slices, sorted, as text; the number of that of each entry; and the values of each slice."""
    # numbered, so that a column may have any name: 'query', 'slice'
    places = [f"by {place}" for place in range(len(values))]
    frame = pl.DataFrame([one.alias(place) for one, place in zip(values.values(), places, strict=True)])
    frame = frame.with_columns(pl.selectors.float().fill_nan(None))
    # of all rows at once Polars takes several times their memory
    parts = list(frame.iter_slices(_AT_ONCE)) or [frame]
    labels = pl.concat([part.unique() for part in parts]).unique().sort(places).with_row_index("slice")
    coded = [
        part.join(labels, on=places, how="left", maintain_order="left", nulls_equal=True)["slice"]
        for part in parts
    ]
    keys = labels.drop("slice")
    texts = keys.with_columns([_name(column, kind) for column, kind in frame.schema.items()])
    names = dict(zip(places, values, strict=True))
    return texts.rename(names), np.concatenate(coded, dtype=np.int64), keys.rename(names)


def _name(column: str, kind: pl.DataType) -> pl.Expr:
    """The name of each slice: its value as text, in quotes where it would be taken for another name."""
    value = pl.col(column)
    forms = {pl.Duration: "polars", pl.Time: "iso"}  # as text a time loses its fractions of seconds
    text = value.dt.to_string(forms[type(kind)]) if type(kind) in forms else value.cast(pl.String)
    taken = ["", *(one.render(lang) for one in (NOTHING, WHOLE) for lang in languages())]
    mistakable = text.str.strip_chars().is_in(taken) | text.str.contains('(?s)^".*"$')
    quoted = pl.concat_str(pl.lit('"'), text, pl.lit('"'))
    named = pl.when(mistakable).then(quoted).otherwise(text)
    return pl.when(text.is_null()).then(pl.lit(NONE)).otherwise(named).alias(column)


def is_whole(rows: pl.DataFrame, by: Sequence[str]) -> pl.Series:
    """Which rows of a result are over everything; a slice column may have any name, a pattern's too."""
    whole = pl.repeat(True, rows.height, dtype=pl.Boolean, eager=True)
    for name in by:
        whole &= rows[name].alias("slice").is_null()
    return whole


def named_whole(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame(
        {one.name: one.alias("slice").fill_null(str(WHOLE)) if one.name in by else one for one in rows}
    )


def rows_of_slice(rows: pl.DataFrame, by: Sequence[str], at: object) -> pl.DataFrame:
    """The rows of a result for one slice, by the value of each of its columns."""
    if not isinstance(at, Mapping) or set(at) != set(by) or not by:
        raise asking.not_a_slice(at, by)
    for column, value in at.items():
        held = rows[column].alias("slice")
        names = held.drop_nulls().unique(maintain_order=True).to_list()
        wanted = None if value is None else str(value)
        name = next((name for name in names if is_of_slice(value, name)), None)
        rows = rows.filter(held == name) if name is not None else rows.clear()
        if not rows.height:
            raise asking.no_such_slice(column, wanted, names)
    return rows


def slice_names(labels: pl.DataFrame, at: Sequence[int] | Ints) -> list[Message]:
    return [in_sentence(row) for row in labels[list(at)].rows()]


def in_sentence(names: Iterable[str]) -> Message:
    """The names of a slice's columns as one text; long ones are cut in the middle.

    >>> in_sentence(["DE", "phone" * 100])
    'DE · phonephonephonephonephonephone…honephonephonephonephonephone'
    """
    half = LONGEST_NAME // 2
    each = (name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[1 - half :]}" for name in names)
    return say("{items:·}", items=[NOTHING if name == NONE else name for name in each])


def constant_column(column: str, table: Table, query: pl.Series) -> pl.DataFrame:
    """A column's value for each query, as (query, value), or an error where it varies within one."""
    pairs = pl.DataFrame({"query": query, "value": table.extra[column]}).unique(maintain_order=True)
    doubled = pairs.filter(pl.col("query").is_duplicated())
    if doubled.height:
        first = doubled["query"][0]
        shown = doubled.filter(pl.col("query") == first)["value"].head(3).to_list()
        raise reading.column_varies(column=column_of(column, table.name), query=first, values=quoted(shown))
    return pairs


def table_with(
    column: str, purpose: str, tables: Sequence[tuple[Table, pl.Series]]
) -> tuple[Table, pl.Series]:
    """The one table that holds a column; ``purpose`` is what it is wanted for."""
    holding = [pair for pair in tables if column in pair[0].extra.columns]
    if not holding:
        raise column_not_found(column, purpose, [table for table, _ in tables])
    if len(holding) > 1:
        names = [table.name for table, _ in tables]
        raise reading.column_in_both(column=column, tables=names, purpose=reading.PURPOSES[purpose])
    return holding[0]


def column_values(column: str, purpose: str, tables: Sequence[tuple[Table, pl.Series]]) -> pl.DataFrame:
    table, query = table_with(column, purpose, tables)
    check_kind(column, table, purpose)
    return constant_column(column, table, query)


def check_kind(column: str, table: Table, purpose: str = "slice") -> None:
    """Refuse a column whose values cannot be the names of slices, or of units."""
    kind = table.extra[column].dtype
    if kind.is_nested() or kind in (pl.Binary, pl.Object):
        if purpose == "draw":
            raise reading.no_unit(column=column, type=str(kind))
        raise reading.column_nested(column=column_of(column, table.name), type=str(kind))


def check_slicing(by: Sequence[str]) -> None:
    for place, name in enumerate(by):
        if name in by[:place]:
            raise asking.sliced_twice(column=name)
        if name in RESULT_COLUMNS:
            raise asking.result_column(column=name)
