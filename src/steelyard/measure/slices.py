"""Groups of queries: the whole, and one slice per value of the columns asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.messages import Message, languages, say
from steelyard.messages.errors import aligning, asking
from steelyard.messages.errors.base import quoted
from steelyard.messages.errors.places import column_of
from steelyard.printable import NONE
from steelyard.read import Table

WHOLE = say("(all)")  # how the whole is shown beside its slices
NOTHING = say("(none)")  # the slice of what has no value, whose name is NONE
LONGEST_NAME = 60  # characters of a name in a sentence; tables and JSON hold them whole
MOST_SLICES = 10_000  # more, with less than two queries or rows each, are refused
CLASS_COLUMNS = ("class", "predicted")
RESULT_COLUMNS = ("metric", *CLASS_COLUMNS, "value", "ci_low", "ci_high", "n", "of", "undefined", "spec")


@dataclass(frozen=True, kw_only=True)
class Slices:
    """The slice of each query; ``labels`` has one row per slice and a column per slice column."""

    columns: tuple[str, ...]
    labels: pl.DataFrame
    of_query: pl.DataFrame  # query, slice

    def codes(self, queries: pl.Series) -> Ints:
        """The slice number of each query."""
        found = (
            queries.alias("query")
            .to_frame()
            .join(self.of_query, on="query", how="left", maintain_order="left")
        )
        return found["slice"].to_numpy().astype(np.int64)


def slice_queries(
    by: Sequence[str], queries: pl.Series, tables: Sequence[tuple[Table, pl.Series]]
) -> Slices | None:
    """Give every query its slice; ``tables`` come with their query columns in the type of ``queries``."""
    if not by:
        return None
    frame = queries.alias("query").to_frame()
    found = []
    for column in by:
        values = frame.join(_values(column, tables), on="query", how="left", maintain_order="left")
        found.append(values["value"])
    labels, codes = _numbered(by, found, say("{n:,} {n:query|queries}", n=len(queries)))
    return Slices(columns=tuple(by), labels=labels, of_query=frame.with_columns(pl.Series("slice", codes)))


@dataclass(frozen=True, kw_only=True)
class RowSlices:
    """The slice of each row; ``labels`` has one row per slice and a column per slice column."""

    columns: tuple[str, ...]
    labels: pl.DataFrame
    codes: Ints


def has_slices(kind: pl.DataType) -> bool:
    """Whether values of a type can be the names of slices."""
    return not (kind.is_nested() or kind in (pl.Binary, pl.Object))


def slice_rows(by: Sequence[str], values: Sequence[pl.Series]) -> RowSlices:
    """Give every row its slice; ``values`` are those of the columns."""
    labels, codes = _numbered(by, values, say("{n:,} {n:row|rows}", n=len(values[0])))
    return RowSlices(columns=tuple(by), labels=labels, codes=codes)


def _numbered(by: Sequence[str], values: Sequence[pl.Series], counted: Message) -> tuple[pl.DataFrame, Ints]:
    """The slices there are, sorted, as text; and which one each entry belongs to.

    ``counted`` says how many entries there are.
    """
    # numbered, so that a column may have any name: 'query', 'slice'
    places = [f"by {place}" for place in range(len(by))]
    frame = pl.DataFrame([one.alias(place) for one, place in zip(values, places, strict=True)])
    frame = frame.with_columns(pl.selectors.float().fill_nan(None))
    labels = frame.unique().sort(places).with_row_index("slice")
    if labels.height > MOST_SLICES and 2 * labels.height > frame.height:
        n, column = max((one.n_unique(), name) for one, name in zip(values, by, strict=True))
        raise aligning.too_many_slices(column=column, n=n, units=counted)
    coded = frame.join(labels, on=places, how="left", maintain_order="left", nulls_equal=True)
    texts = labels.drop("slice").with_columns([_name(column, kind) for column, kind in frame.schema.items()])
    return texts.rename(dict(zip(places, by, strict=True))), coded["slice"].cast(pl.Int64).to_numpy()


def _name(column: str, kind: pl.DataType) -> pl.Expr:
    """The name of each slice: its value as text, in quotes where it would be taken for another name."""
    value = pl.col(column)
    text = value.dt.to_string("polars") if kind == pl.Duration else value.cast(pl.String)
    taken = ["", *(one.told(lang) for one in (NOTHING, WHOLE) for lang in languages())]
    mistakable = text.str.strip_chars().is_in(taken) | text.str.contains('(?s)^".*"$')
    quoted = pl.concat_str(pl.lit('"'), text, pl.lit('"'))
    named = pl.when(mistakable).then(quoted).otherwise(text)
    return pl.when(text.is_null()).then(pl.lit(NONE)).otherwise(named).alias(column)


def slice_value(name: str) -> str | None:
    """The value that a slice has its name from, None where there is none.

    >>> slice_value("JP"), slice_value("(none)"), slice_value('"(none)"'), slice_value('""')
    ('JP', None, '(none)', '')
    """
    if name == NONE:
        return None
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def rows_of_slice(rows: pl.DataFrame, by: Sequence[str], at: object) -> pl.DataFrame:
    """The rows of a result for one slice, by the value of each of its columns."""
    if not isinstance(at, Mapping) or set(at) != set(by) or not by:
        raise asking.not_a_slice(at, by)
    for column, value in at.items():
        names = rows[column].drop_nulls().unique().to_list()
        wanted = None if value is None else str(value)
        name = next((name for name in names if slice_value(name) == wanted), None)
        rows = rows.filter(rows[column] == name) if name is not None else rows.clear()
        if not rows.height:
            raise asking.no_such_slice(column, wanted, names)
    return rows


def slice_names(labels: pl.DataFrame, at: Sequence[int] | Ints) -> list[Message]:
    """The names of some slices, each as one text that fits into a sentence."""
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
        raise aligning.column_varies(column=column_of(column, table.name), query=first, values=quoted(shown))
    return pairs


def table_with(
    column: str, purpose: str, tables: Sequence[tuple[Table, pl.Series]]
) -> tuple[Table, pl.Series]:
    """The one table that holds a column; ``purpose`` is what it is wanted for."""
    holding = [pair for pair in tables if column in pair[0].extra.columns]
    names = [table.name for table, _ in tables]
    if not holding:
        available = sorted({name for table, _ in tables for name in table.columns})
        raise aligning.column_not_found(
            column=column, tables=names, purpose=aligning.PURPOSES[purpose], available=available
        )
    if len(holding) > 1:
        raise aligning.column_in_both(column=column, tables=names, purpose=aligning.PURPOSES[purpose])
    return holding[0]


def _values(column: str, tables: Sequence[tuple[Table, pl.Series]]) -> pl.DataFrame:
    table, query = table_with(column, "slice", tables)
    kind = table.extra[column].dtype
    if not has_slices(kind):
        raise aligning.column_nested(column=column_of(column, table.name), type=str(kind))
    return constant_column(column, table, query)


def check_slicing(by: Sequence[str]) -> None:
    """Refuse a slice column that is named twice, or as the table of results names its own columns."""
    for place, name in enumerate(by):
        if name in by[:place]:
            raise asking.sliced_twice(column=name)
        if name in RESULT_COLUMNS:
            raise asking.result_column(column=name)
