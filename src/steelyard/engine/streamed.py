"""Tables that are read in batches, and parts of them as tables that readers take."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from steelyard import read
from steelyard.arrays import Ints
from steelyard.engine.protocol import Call
from steelyard.read import Opened
from steelyard.read.files import Pipe, is_there
from steelyard.read.folders import table_files
from steelyard.read.schema import type_name
from steelyard.read.table import PLACE, Source, Tidied, exactly
from steelyard.text import Message, say
from steelyard.text.errors import reading

RECORD_BATCH = 16_384  # rows of a file that are kept in memory until they are written
AT = "\0at"  # the number of a row among all rows of its table
_HEAD = 50_001  # rows that show which columns are read


@dataclass(eq=False)
class StreamedTable:
    """A table that is read in batches: ``wanted`` are the columns read, ``key`` is the one it is split by."""

    given: Any
    name: str
    sources: list[Source]
    path: Path  # where sources are written that cannot be scanned often
    wanted: dict[str, None] = field(default_factory=dict)
    key: str | None = None
    notes: dict[Message, None] = field(default_factory=dict)  # on the whole table

    def __post_init__(self) -> None:
        self.sources = [self._written(source) if source.once else source for source in self.sources]
        self.origins = self.sources

    def write_slow(self) -> None:
        """Write what costs much to read, now that its columns are known."""
        self.sources = [
            self._written(source, list(self.wanted)) if source.slow or source.scan is None else source
            for source in self.origins
        ]

    def _written(self, source: Source, columns: list[str] | None = None) -> Source:
        if source.scan is None:
            frame = source.load(list(columns or source.columns))
            return replace(source, scan=frame.lazy)
        rows = source.scan()
        if columns is not None:
            rows = rows.select(exactly(columns))
        file = self.path.with_name(f"{self.path.name}-{len(list(self.path.parent.iterdir()))}.arrow")
        with source.guard():
            rows.sink_ipc(file, record_batch_size=RECORD_BATCH)
        return replace(source, scan=lambda: pl.scan_ipc(file, glob=False), slow=False, once=False)

    def rows(self, source: Source) -> pl.LazyFrame:
        assert source.scan is not None
        return source.scan().select(exactly(list(self.wanted)))

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """The types of the columns, the same in all files but for numbers that are no ids."""
        for source in self.sources:
            if source.check is not None:
                source.check(list(self.wanted))
        first, *others = [dict(self.rows(source).collect_schema()) for source in self.sources]
        for other, source in zip(others, self.sources[1:], strict=True):
            for name, kind in other.items():
                numbers = name != self.key and kind.is_numeric() and first[name].is_numeric()
                if kind != first[name] and not numbers:
                    what = say(
                        "'{column}' is {one} in the first and {other} in the second",
                        column=name,
                        one=type_name(first[name]),
                        other=type_name(kind),
                    )
                    raise reading.parts_differ(first=self.sources[0].name, other=source.name, what=what)
        return first

    def all_rows(self) -> pl.LazyFrame:
        _ = self.schema
        every = [self.rows(source) for source in self.sources]
        return every[0] if len(every) == 1 else pl.concat(every, how="vertical_relaxed")

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Raise the error of the source that Polars cannot read."""
        try:
            yield
        except pl.exceptions.PolarsError:
            for source in self.sources:
                with source.guard():
                    deque(batches(self.rows(source), RECORD_BATCH), maxlen=0)
            raise

    def part(self, frame: pl.DataFrame, *, first: bool) -> Opened:
        """Some of the rows as an open table; the ``first`` part has the notes on the whole table."""
        columns = dict.fromkeys(column for source in self.sources for column in source.columns)

        def load(wanted: Sequence[str]) -> pl.DataFrame:
            return frame.select(exactly(wanted))

        made = replace(
            self.sources[0],
            name=self.name,
            columns=tuple(columns),
            load=load,
            notes=tuple(self.notes) if first else (),
            **_OF_A_PART,
        )
        return Opened(self.given, (self.name, [made]))

    def found_again(self, those: pl.Expr) -> Opened:
        """The same rows read from their source again, so that an error names the file and the row."""
        before, sources = 0, []
        for source in self.origins:
            frame = source.numbered_scan().with_row_index(AT, offset=before).filter(those).collect()
            before += int(source.numbered_scan().select(pl.len()).collect().item())

            def load(wanted: Sequence[str], frame: pl.DataFrame = frame) -> pl.DataFrame:
                return frame.select(exactly(wanted))

            def tidy(loaded: pl.DataFrame, _roles: object, places: pl.Series = frame[PLACE]) -> Tidied:
                return Tidied(loaded, places)

            sources.append(replace(source, load=load, **{**_OF_A_PART, "tidy": tidy}))
        return Opened(self.given, (self.name, sources))


_OF_A_PART: dict[str, Any] = {"tidy": None, "keys": None, "held": False, "part": True}


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Some rows of the tables of a call; ``those`` finds them again in each table.

    ``group`` is set if all rows belong to a group with more rows than a part.
    """

    call: Call
    tables: Mapping[str, StreamedTable]
    those: Mapping[str, pl.Expr]
    n_rows: int
    places: Ints  # of its rows among all rows, where they are known by these
    group: object = None

    def found_again(self) -> Call:
        found = {role: table.found_again(self.those[role]) for role, table in self.tables.items()}
        return with_tables(self.call, found)


def with_tables(call: Call, tables: Mapping[str, Any]) -> Call:
    """A call with other tables, by their roles."""
    side = {role: tables.get(role, table) for role, table in call.side_tables.items()}
    own = {role: table for role, table in tables.items() if role not in side}
    return replace(call, **own, side_tables=side)


def batches(rows: pl.LazyFrame, size: int) -> Iterator[pl.DataFrame]:
    yield from rows.collect_batches(chunk_size=size, maintain_order=True)


def stamps(table: Any) -> dict[Path, tuple[int, int]]:
    """The size and the time of each file of a table."""
    if not isinstance(table, str | os.PathLike | list | tuple):
        return {}
    files = [file.path for file in table_files(table)[1]]
    return {path: stamp(path) for path in files if isinstance(path, Path) and is_there(path)}


def stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def on_disk(table: Any, path: Path) -> Any:
    """The same table; a pipe is written to a file instead of memory."""
    pipe = read.given(table)
    if isinstance(pipe, Pipe):
        pipe.keep_in(path)
    return table


def head(table: StreamedTable, *, part: bool = True) -> Opened:
    """The first rows of a table, as a part of it or as if they were all."""
    sources = []
    for source in table.sources:
        with source.guard():
            first = source.numbered_scan().head(_HEAD).collect()

        def load(wanted: Sequence[str], first: pl.DataFrame = first) -> pl.DataFrame:
            table.wanted.update(dict.fromkeys(wanted))
            return first.select(exactly(wanted))

        def tidy(
            loaded: pl.DataFrame,
            roles: Mapping[str, str],
            source: Source = source,
            places: pl.Series = first[PLACE],
        ) -> Tidied:
            table.notes.update(dict.fromkeys(source.notes))
            if source.inspect is not None:
                table.notes.update(dict.fromkeys(source.inspect(loaded.columns, roles)))
            return Tidied(loaded, places)

        sources.append(replace(source, load=load, **{**_OF_A_PART, "tidy": tidy, "part": part}))
    return Opened(table.given, (table.name, sources))
