"""A table as the later stages see it, whatever it was read from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any
from urllib.parse import unquote

import polars as pl

from steelyard.arrays import UNSTORED
from steelyard.text import Message, say
from steelyard.text.errors import reading
from steelyard.text.errors.forms import at_line, shown, value_at, word

IDS = ("query", "item")
PLACE = "\0row"  # the column of a scan with the number that messages use for each row


@dataclass(frozen=True, kw_only=True)
class Part:
    """One file (or one object in memory) of a table, able to say where each of its rows stands.

    >>> Part(name="scores.csv", height=2000).place(1203)
    'scores.csv, row 1,204'
    """

    name: str
    height: int
    lines: bool = False
    keys: pl.DataFrame | None = None
    rows: pl.Series | None = None

    def place(self, row: int) -> str:
        """The name of one row, as a person would look for it."""
        if self.lines and self.rows is not None:
            return at_line(self.name, self.rows[row])
        if self.keys is not None:
            keys = [
                say("{role} {value}", role=word(role), value=shown(value))
                for role, value in self.keys.row(row, named=True).items()
            ]
            return say("{name}, {keys}", name=self.name, keys=keys)
        number = row + 1 if self.rows is None else self.rows[row]
        return say("{name}, row {n:,}", name=self.name, n=number)

    def cell(self, row: int, role: str, column: str) -> Message:
        return value_at(self.place(row), role, column)


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table as it was read: canonical columns, and enough to name a row in a message.

    ``frame`` holds the roles that were needed, among query, item, score, rank, relevance and weight;
    ``extra`` the further columns asked for, under their own names. ``untyped`` says that the ids came from a
    file without types, ``listed`` that the items came as ordered lists without scores. ``columns`` are all
    the names the source has, ``roles`` those that were read and as what, ``sources`` where they came from.
    """

    frame: pl.DataFrame
    name: str
    extra: pl.DataFrame = field(default_factory=pl.DataFrame)
    untyped: bool = False
    listed: bool = False
    notes: tuple[Message, ...] = ()
    columns: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    part: bool = False  # whether other tables hold the other rows of it
    sources: tuple[Source, ...] = field(default=(), repr=False, compare=False, metadata=UNSTORED)

    def __getstate__(self) -> dict[str, object]:
        """What pickle keeps: a result goes to another process without what it was read from."""
        return {**self.__dict__, "sources": ()}

    def column(self, name: str) -> pl.Series | None:
        """A column as it came, row by row; None where some source lacks it, or lines were left out."""
        return self.as_they_came([name]).get(name)

    def as_they_came(self, names: Sequence[str]) -> dict[str, pl.Series]:
        """Columns row by row, read in one pass: those that every source has, if no line was left out."""
        shared = [name for name in names if all(name in source.columns for source in self.sources)]
        pieces = [source.load(shared) for source in self.sources] if shared else []
        if not pieces or sum(piece.height for piece in pieces) != self.frame.height:
            return {}
        alike = [name for name in shared if len({piece.schema[name] for piece in pieces}) == 1]
        return {name: pl.concat([piece[name] for piece in pieces]) for name in alike}

    def place(self, row: int) -> str:
        """Where row ``row`` (counted from 0) stands in what the user gave: ``scores.csv, row 1,204``."""
        if not self.parts:
            return Part(name=self.name, height=self.frame.height).place(row)
        ends = list(accumulate(part.height for part in self.parts))
        index = min(bisect_right(ends, row), len(ends) - 1)
        return self.parts[index].place(row - ends[index] + self.parts[index].height)


def exactly(columns: Sequence[str]) -> pl.Expr:
    """These columns and no others: to Polars a plain '*' or '^a.*$' would be a pattern."""
    return pl.selectors.by_name(*columns).as_expr()


def looked_up(ids: pl.Series, known: pl.Series, values: Any) -> pl.Series:
    """For each id the value of the known one, or null.

    >>> looked_up(pl.Series(["b", "c"]), pl.Series(["a", "b"]), [1, 2]).to_list()
    [2, None]
    """
    table = pl.DataFrame({"id": known, "value": values})
    return ids.alias("id").to_frame().join(table, on="id", how="left", maintain_order="left")["value"]


def of_lists(schema: Mapping[str, pl.DataType]) -> list[str]:
    return [name for name, kind in schema.items() if isinstance(kind, pl.List | pl.Array)]


_NULL = "__HIVE_DEFAULT_PARTITION__"


def keys_of(folders: Sequence[str]) -> dict[str, str | None]:
    """The columns in the names of folders.

    >>> keys_of(["2026", "dt=2026-11-01", "country=J%2FP"])
    {'dt': '2026-11-01', 'country': 'J/P'}
    """
    pairs = [folder.split("=", 1) for folder in folders if "=" in folder[1:]]
    return {unquote(key): None if value == _NULL else unquote(value) for key, value in pairs}


def apart(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """The same names, with an underscore where one is taken.

    >>> apart(["site", "system"], {"system", "value"})
    ['site', 'system_']
    """
    found: list[str] = []
    for name in names:
        while name in taken or name in found:
            name += "_"
        found.append(name)
    return found


def check_unique(columns: Sequence[str], name: str) -> None:
    if len(set(columns)) < len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise reading.repeated_column(name=name, column=twice)


@dataclass(frozen=True)
class Tidied:
    """Loaded columns after a look at what the format may have spoiled.

    ``rows`` are the numbers of the rows that are left, where some were blank.
    """

    frame: pl.DataFrame
    rows: pl.Series | None = None
    notes: tuple[Message, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Source:
    """Something that can give columns by name, not loaded yet.

    ``separator`` stands between the fields of a text with a header; ``lists`` are columns that hold lists,
    and ``by_item`` says that ``load`` gives a row for each of their values. ``tidy`` looks at what was
    loaded, knowing the columns of its roles; ``index`` are names of a pandas index, which is no column.
    ``peek`` gives the first rows where that costs less than all of them; ``held`` says that all columns are
    in memory.

    ``scan`` gives all rows in order, lazily, with the column ``PLACE`` where rows are not numbered by their
    order; ``numbered`` has that column where the reader itself numbers rows, and may skip some. ``check``
    refuses damaged columns before they are scanned. ``inspect`` is for a scan what ``tidy`` is for a load: it
    checks the columns of the roles and returns the notes. What a scan raises becomes an error of this source
    within ``guard``. A scan that is ``slow`` costs much more than Arrow, or is possible only once. ``lines``
    says that rows are numbered by the lines of a file. ``keyed`` are columns with one value in all rows, from
    the names of folders; ``where`` is the condition that all rows satisfy.
    """

    name: str
    columns: tuple[str, ...]
    load: Callable[[Sequence[str]], pl.DataFrame]
    untyped: bool = False
    listed: bool = False
    separator: str = ""
    lists: Sequence[str] = ()
    by_item: bool = False
    lines: bool = False
    keys: pl.DataFrame | None = None
    notes: tuple[Message, ...] = ()
    scan: Callable[[], pl.LazyFrame] | None = None
    numbered: Callable[[], pl.LazyFrame] | None = None
    slow: bool = False
    once: bool = False  # whether a scan must end before the next one, or is the only one
    check: Callable[[Sequence[str]], None] | None = None
    inspect: Callable[[Sequence[str], Mapping[str, str]], tuple[Message, ...]] | None = None
    guard: Callable[[], AbstractContextManager[None]] = nullcontext
    keyed: Mapping[str, str | None] = field(default_factory=dict)
    where: str | None = None
    tidy: Callable[[pl.DataFrame, Mapping[str, str]], Tidied] | None = None
    index: tuple[str, ...] = ()
    held: bool = False
    unordered: bool = False  # whether a second load may give the rows in another order
    peek: Callable[[Sequence[str], int], pl.DataFrame] | None = None
    part: bool = False  # whether it holds some rows of a table

    def without(self, hidden: Collection[str]) -> Source:
        columns, scan = tuple(column for column in self.columns if column not in hidden), self.scan
        seen = None if scan is None else lambda: scan().drop(hidden, strict=False)
        return replace(self, columns=columns, scan=seen, numbered=None)

    def numbered_scan(self) -> pl.LazyFrame:
        """All rows with the column ``PLACE``."""
        if self.numbered is not None:
            return self.numbered()
        rows = self.load(self.columns).lazy() if self.scan is None else self.scan()
        return rows if PLACE in rows.collect_schema() else rows.with_row_index(PLACE, offset=1)

    def remembering(self) -> Source:
        """The same, which loads each column at most once, however many readers ask for it.

        Of a source without an order, further columns are loaded together with the known ones.
        """
        if self.held:
            return self
        held: dict[str, pl.Series] = {}

        def load(wanted: Sequence[str], rows: int | None = None) -> pl.DataFrame:
            fresh = [column for column in wanted if column not in held]
            if rows is not None and fresh and self.peek is not None:
                return self.peek(wanted, rows)
            if fresh or not wanted:
                together = [*held, *fresh] if self.unordered else fresh
                loaded = self.load(together)
                held.update(zip(together, loaded, strict=True))
                if not wanted:
                    return loaded
            frame = pl.DataFrame([held[column] for column in wanted])
            return frame if rows is None else frame.head(rows)

        return replace(self, load=load, peek=None if self.peek is None else load)
