"""The tables of a call in parts that fit in memory.

Where the rows of a query or a group must stay together, every table that names them is written to a temporary
folder, partitioned by a hash. Rows that need no partner are read in order.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from steelyard import read
from steelyard.engine.protocol import OF_LISTS, Call, Need, Wanted
from steelyard.engine.rankings import OpenedTables
from steelyard.engine.rows import Rows
from steelyard.engine.slices import Segments
from steelyard.read import Opened, is_matrix
from steelyard.read.files import Pipe, is_there
from steelyard.read.folders import table_files
from steelyard.read.load import nothing_read
from steelyard.read.roles import Finder
from steelyard.read.schema import type_name
from steelyard.read.sources import order_notes
from steelyard.read.table import PLACE, Source, Tidied, apart, exactly
from steelyard.text import Message, say
from steelyard.text.errors import reading

MOST_PARTS = 1_024  # that are written at once
_MOST = 4  # times the size of a part that one query may have
_HEAD = 50_001  # rows that show which columns are read
_RECORD_BATCH = 16_384  # rows of a partition that are kept in memory until they are written
_PART = "steelyard part"  # the column that a partition is by
_AT = "\0at"  # the number of a row among all rows of its table


@dataclass(eq=False)
class StreamedTable:
    """A table that is read in batches: ``wanted`` are the columns read, ``key`` is the one it is split by."""

    given: Any
    name: str
    sources: list[Source]
    wanted: dict[str, None] = field(default_factory=dict)
    key: str | None = None
    notes: dict[Message, None] = field(default_factory=dict)  # on the whole table

    def rows(self, source: Source) -> pl.LazyFrame:
        assert source.scan is not None
        return source.scan().select(exactly(list(self.wanted)))

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """The types of the columns, the same in all files but for numbers that are no ids."""
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
                    deque(batches(self.rows(source), _RECORD_BATCH), maxlen=0)
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
        for source in self.sources:
            assert source.scan is not None
            rows = source.scan()
            if PLACE not in rows.collect_schema():
                rows = rows.with_row_index(PLACE, offset=1)
            frame = rows.with_row_index(_AT, offset=before).filter(those).collect()
            before += int(source.scan().select(pl.len()).collect().item())

            def load(wanted: Sequence[str], frame: pl.DataFrame = frame) -> pl.DataFrame:
                return frame.select(exactly(wanted))

            def tidy(loaded: pl.DataFrame, _roles: object, places: pl.Series = frame[PLACE]) -> Tidied:
                return Tidied(loaded, places)

            sources.append(replace(source, load=load, **{**_OF_A_PART, "tidy": tidy}))
        return Opened(self.given, (self.name, sources))


_OF_A_PART: dict[str, Any] = {"tidy": None, "keys": None, "held": False, "part": True}


@dataclass(frozen=True, kw_only=True)
class Part:
    """Some rows of the tables of a call; ``those`` finds them again in each table.

    ``group`` is set if all rows belong to a group with more rows than a part.
    """

    call: Call
    tables: Mapping[str, StreamedTable]
    those: Mapping[str, pl.Expr]
    n_rows: int
    group: object = None
    first: bool = True  # of the parts of its group

    def found_again(self) -> Call:
        found = {role: table.found_again(self.those[role]) for role, table in self.tables.items()}
        return with_tables(self.call, found)


def with_tables(call: Call, tables: Mapping[str, Any]) -> Call:
    """A call with other tables, by their roles."""
    side = {role: tables.get(role, table) for role, table in call.side_tables.items()}
    own = {role: table for role, table in tables.items() if role not in side}
    return replace(call, **own, side_tables=side)


class _Stored(NamedTuple):
    """The files that hold the rows of a part, by table, and the conditions that find the rows again."""

    files: Mapping[str, list[Path]]
    those: Mapping[str, pl.Expr]


_ALSO = ("exclude", "weights", "by_table", "history", "baseline_lists")  # name queries too
# as readers call them, where it is not the role
_KINDS = {"by_table": "by", "baseline_lists": "predictions"}


@dataclass(eq=False)
class Split:
    """The tables of a call, ready to be read in parts of about ``size`` rows."""

    call: Call
    tables: dict[str, StreamedTable]
    folder: Path
    size: int
    n_rows: int
    lists: bool
    notes: tuple[Message, ...]  # on the order of the first rows
    rows_are_units: bool
    stamps: Mapping[Path, tuple[int, int]]
    _stored: list[_Stored] = field(default_factory=list)

    @classmethod
    def of(cls, call: Call, wanted: Wanted, folder: Path, size: int) -> Split:
        """Find out which columns are read, and whether the rows of a query must stay together."""
        needs = wanted.needs
        lists = any(need.reads in OF_LISTS for need in needs)
        alone = call.truth is None and any(map(reads_truth, needs))
        given = {"predictions": call.predictions, "truth": call.truth}
        given |= {role: getattr(call, role, None) for role in _ALSO[:3]}
        given |= {role: call.side_tables.get(role) for role in _ALSO[3:]}
        tables, stamps = {}, dict[Path, tuple[int, int]]()
        for role, table in given.items():
            if table is None or (role == "weights" and isinstance(table, str)) or is_matrix(table):
                continue
            kind = "labelled" if alone and role == "predictions" else _KINDS.get(role, role)
            stamps |= _stamps(read.given(table))
            table = _on_disk(table, folder / f"{role}.pipe")
            name, sources = read.open_sources(table, kind, "by" if role == "by_table" else role)
            kept = [_kept(source, folder / f"{role}-{n}.arrow") for n, source in enumerate(sources)]
            tables[role] = StreamedTable(table, name, kept)
        notes, units = _first_look(call, tables, wanted, lists=lists)
        if lists or call.truth is not None or any(need.groups for need in needs):
            _find_keys(tables, call, alone=alone, lists=lists)
        main = tables["predictions"]
        n_rows = sum(int(main.rows(source).select(pl.len()).collect().item()) for source in main.sources)
        if not n_rows:
            raise nothing_read(main.name, main.sources)
        return cls(call, tables, folder, size, n_rows, lists, notes, not units, stamps)

    def check_unchanged(self) -> None:
        for path, stamp in self.stamps.items():
            if not is_there(path) or _stamp(path) != stamp:
                raise reading.changed(name=str(path))

    @property
    def by_key(self) -> bool:
        return self.tables["predictions"].key is not None

    @property
    def may_have_large_groups(self) -> bool:
        return self.by_key and self._alone and not self.lists and self.n_rows > self.size

    @property
    def _alone(self) -> bool:
        return len(self.tables) == 1

    def parts(self) -> Iterator[Part]:
        """Each part once; a second pass reads the same parts."""
        if not self.by_key:
            yield from self._in_order()
            return
        for n, stored in enumerate(self._partition()):
            yield from self._of_stored(stored, first=n == 0)

    def _in_order(self) -> Iterator[Part]:
        at = 0
        main = self.tables["predictions"]
        with main.guarded():
            for frame in batches(main.all_rows(), self.size):
                those = {"predictions": _between(at, frame.height)}
                yield self._part({"predictions": frame}, those, first=at == 0)
                at += frame.height

    def _part(
        self,
        frames: Mapping[str, pl.DataFrame],
        those: Mapping[str, pl.Expr],
        *,
        first: bool,
        group: object = None,
        of_group: bool = True,
    ) -> Part:
        opened = {role: self.tables[role].part(frame, first=first) for role, frame in frames.items()}
        call = with_tables(self.call, opened)
        n_rows = frames["predictions"].height
        return Part(call=call, tables=self.tables, those=those, n_rows=n_rows, group=group, first=of_group)

    def _of_stored(self, stored: _Stored, *, first: bool) -> Iterator[Part]:
        main, key = self.tables["predictions"], str(self.tables["predictions"].key)
        files = stored.files["predictions"]
        large = self._large(files, key) if len(files) > 2 else []
        if not large:
            frames = {role: self._rows_of(role, held) for role, held in stored.files.items()}
            yield self._part(frames, stored.those, first=first)
            return
        others = ~pl.col(key).is_in(pl.Series(large, dtype=main.schema[key]).implode())
        # file by file: pages of a file that is mapped count as memory
        rest = pl.concat([_rows(file).filter(others).collect() for file in files])
        if rest.height:
            yield self._part(
                {"predictions": rest}, {"predictions": stored.those["predictions"] & others}, first=first
            )
            first = False
        for group in large:
            at, mine = 0, pl.col(key).eq(pl.lit(group))
            for file in files:
                frame = _rows(file).filter(mine).collect()
                those = mine & (mine.cum_sum() - 1).is_between(at, at + frame.height - 1)
                if frame.height:
                    held = {"predictions": frame}
                    yield self._part(held, {"predictions": those}, first=first, group=group, of_group=at == 0)
                first, at = first and not frame.height, at + frame.height

    def _large(self, files: Sequence[Path], key: str) -> list[object]:
        """The groups that have more rows than a part; a query may have at most ``_MOST`` times as many."""
        if not (self._alone or self.lists):
            return []
        counted = [_rows(file).group_by(key).len().collect() for file in files]
        counts = pl.concat(counted).group_by(key).sum().filter(pl.col("len") > self.size)
        if not self.lists:
            return counts[key].to_list()
        largest = counts.sort("len").tail(1)
        if largest.height and largest["len"][0] > _MOST * self.size:
            name = self.tables["predictions"].name
            n = int(largest["len"][0])
            raise reading.query_too_large(query=largest[key][0], n=n, most=_MOST * self.size, name=name)
        return []

    def _rows_of(self, role: str, files: Sequence[Path]) -> pl.DataFrame:
        if files:
            return pl.concat([_rows(file).collect() for file in files])
        return pl.DataFrame(schema=self.tables[role].schema)

    def _partition(self) -> list[_Stored]:
        """Write every table to files by a hash of its key; done once."""
        if self._stored:
            return self._stored
        n = max(1, min(-(-self.n_rows // self.size), MOST_PARTS))
        kinds = [table.schema[str(table.key)] for table in self.tables.values()]
        whole = all(kind.is_integer() and kind not in (pl.UInt64, pl.Int128, pl.UInt128) for kind in kinds)
        number = {
            role: pl.col(str(table.key)).cast(pl.Int64 if whole else pl.String).hash(seed=0) % n
            for role, table in self.tables.items()
        }
        for role, table in self.tables.items():
            column = apart([_PART], table.schema)[0]
            rows = table.all_rows().with_columns(number[role].alias(column))
            folder = self.folder / role
            by = pl.PartitionBy(folder, key=column, include_key=False, max_rows_per_file=self.size)
            with table.guarded():
                rows.sink_ipc(by, mkdir=True, record_batch_size=_RECORD_BATCH)
        for at in range(n):
            files = {role: sorted((self.folder / role).glob(f"*={at}/*")) for role in self.tables}
            if any(files.values()):
                self._stored.append(_Stored(files, {role: of == at for role, of in number.items()}))
        return self._stored


def _rows(file: Path) -> pl.LazyFrame:
    return pl.scan_ipc(file, glob=False)


def batches(rows: pl.LazyFrame, size: int) -> Iterator[pl.DataFrame]:
    yield from rows.collect_batches(chunk_size=size, maintain_order=True)


def reads_truth(need: Need) -> bool:
    return need.reads != "lists" or "truth" in need.tables


def _between(at: int, n: int) -> pl.Expr:
    return pl.col(_AT).is_between(at, at + n - 1)


def _kept(source: Source, path: Path) -> Source:
    """A source that can be scanned again and again: in memory, as it is, or written to a file."""
    if source.scan is None:
        frame = source.load(list(source.columns))
        return replace(source, scan=frame.lazy)
    if not source.slow:
        return source
    with source.guard():
        source.scan().sink_ipc(path, record_batch_size=_RECORD_BATCH)
    return replace(source, scan=lambda: pl.scan_ipc(path, glob=False), slow=False)


def _stamps(table: Any) -> dict[Path, tuple[int, int]]:
    """The size and the time of each file of a table."""
    if not isinstance(table, str | os.PathLike | list | tuple):
        return {}
    files = [file.path for file in table_files(table)[1]]
    return {path: _stamp(path) for path in files if isinstance(path, Path) and is_there(path)}


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _on_disk(table: Any, path: Path) -> Any:
    """The same table; a pipe is written to a file instead of memory."""
    pipe = read.given(table)
    if isinstance(pipe, Pipe):
        pipe.keep_in(path)
    return table


def _first_look(
    call: Call, tables: Mapping[str, StreamedTable], wanted: Wanted, *, lists: bool
) -> tuple[tuple[Message, ...], bool]:
    """Read the first rows of each table to learn which columns are read.

    Returns the notes on the order of rows, and whether rows have units.
    """
    heads = {role: _head(table) for role, table in tables.items()}
    call = with_tables(call, heads)
    segments = None
    if call.by_table is not None:
        segments = Segments(read.segments(call.by_table, columns=call.columns, wanted=wanted.by))
    notes, units = tuple[Message, ...](), False
    of_rows = tuple(need for need in wanted.needs if need.reads not in OF_LISTS)
    for one in (call.systems() or {"": call}).values():
        if lists:
            of_lists = tuple(need for need in wanted.needs if need.reads in OF_LISTS)
            opened = OpenedTables.read(one, replace(wanted, needs=of_lists), segments)
            if not is_matrix(call.predictions):
                notes += order_notes(opened.predictions, wanted.orders, one.columns, alone=one.truth is None)
        if of_rows:
            rows = Rows.read(one, replace(wanted, needs=of_rows), lambda _: None, segments)
            units |= rows.states.unit_column is not None
    return notes, units


def _head(table: StreamedTable) -> Opened:
    sources = []
    for source in table.sources:
        assert source.scan is not None
        first = source.scan().head(_HEAD).collect()

        def load(wanted: Sequence[str], first: pl.DataFrame = first) -> pl.DataFrame:
            table.wanted.update(dict.fromkeys(wanted))
            return first.select(exactly(wanted))

        def tidy(loaded: pl.DataFrame, roles: Mapping[str, str], source: Source = source) -> Tidied:
            table.notes.update(dict.fromkeys(source.notes))
            if source.inspect is not None:
                table.notes.update(dict.fromkeys(source.inspect(loaded.columns, roles)))
            return Tidied(loaded)

        sources.append(replace(source, load=load, **{**_OF_A_PART, "tidy": tidy}))
    return Opened(table.given, (table.name, sources))


def _find_keys(tables: Mapping[str, StreamedTable], call: Call, *, alone: bool, lists: bool) -> None:
    """Which column names the query in each table; two tables of rows may have items only."""
    finders = {
        role: Finder(
            table.sources[0], _KINDS.get(role, role), call.columns, alone=alone and role == "predictions"
        )
        for role, table in tables.items()
    }
    both = lists or alone or all(finder.find("query") for finder in finders.values())
    for role, finder in finders.items():
        tables[role].key = key = finder.need("query" if both else "item")
        tables[role].wanted[key] = None
