"""The tables of a call in parts that fit in memory.

Where the rows of a query or a group must stay together, every table that names them is written to a temporary
folder, partitioned by a hash. Rows that need no partner are read in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl

from steelyard import read
from steelyard.engine.protocol import OF_LISTS, Call, Need, Wanted
from steelyard.engine.rankings import OpenedTables
from steelyard.engine.rows import Rows
from steelyard.engine.slices import Segments
from steelyard.engine.streamed import (
    AT,
    RECORD_BATCH,
    Batch,
    StreamedTable,
    batches,
    head,
    on_disk,
    stamp,
    stamps,
    with_tables,
)
from steelyard.engine.temporary import written_to
from steelyard.read import is_matrix
from steelyard.read.files import is_there
from steelyard.read.load import nothing_read
from steelyard.read.roles import Finder
from steelyard.read.sources import order_notes
from steelyard.read.table import apart, exactly
from steelyard.text import Message
from steelyard.text.errors import reading

MOST_PARTS = 1_024  # that are written at once
_MOST = 4  # times the size of a part that one query may have
_PART = "steelyard_part"  # the column that a partition is by
_FEWEST = 4  # rows of a query, on average, for queries to be held
_QUERY = "\0query"
_Rows = TypeVar("_Rows", pl.DataFrame, pl.LazyFrame)


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
    rows_are_units: bool
    files: Mapping[Path, tuple[int, int]]  # with their sizes and times
    placed: bool  # whether rows are known by their place
    _stored: list[_Stored] = field(default_factory=list)
    _runs: pl.DataFrame | None = None  # of queries, where these stand together

    @classmethod
    def of(cls, call: Call, wanted: Wanted, folder: Path, size: int) -> Split:
        """Find out which columns are read, and whether the rows of a query must stay together."""
        needs = wanted.needs
        lists = any(need.reads in OF_LISTS for need in needs)
        alone = call.truth is None and any(map(reads_truth, needs))
        given = {"predictions": call.predictions, "truth": call.truth}
        given |= {role: getattr(call, role, None) for role in _ALSO[:3]}
        given |= {role: call.side_tables.get(role) for role in _ALSO[3:]}
        tables, files = {}, dict[Path, tuple[int, int]]()
        for role, table in given.items():
            if table is None or (role == "weights" and isinstance(table, str)) or is_matrix(table):
                continue
            kind = "labelled" if alone and role == "predictions" else _KINDS.get(role, role)
            files |= stamps(read.given(table))
            table = on_disk(table, folder / f"{role}.pipe")
            name, sources = read.open_sources(table, kind, "by" if role == "by_table" else role)
            tables[role] = StreamedTable(table, name, sources, folder / role)
        notes, units = _first_look(call, tables, wanted, lists=lists)
        if lists or call.truth is not None or any(need.groups for need in needs):
            _find_keys(tables, call, alone=alone, lists=lists)
        for table in tables.values():
            table.write_slow()
        main = tables["predictions"]
        n_rows = sum(int(main.rows(source).select(pl.len()).collect().item()) for source in main.sources)
        for table in filter(None, (main, tables.get("truth"))):
            if not table.all_rows().select(pl.len()).collect().item():
                raise nothing_read(table.name, table.sources)
        main.notes = dict.fromkeys([*notes, *main.notes])
        placed = call.truth is None and any(need.reads not in OF_LISTS for need in needs)
        return cls(call, tables, folder, size, n_rows, lists, not units, files, placed)

    def check_unchanged(self) -> None:
        for path, before in self.files.items():
            if not is_there(path) or stamp(path) != before:
                raise reading.changed(name=str(path))

    def first_rows(self) -> Call:
        """The call on the first rows of each table, as if they were all."""
        return with_tables(self.call, {role: head(table, part=False) for role, table in self.tables.items()})

    @property
    def by_key(self) -> bool:
        return self.tables["predictions"].key is not None

    @property
    def may_have_large_groups(self) -> bool:
        return self.by_key and self._alone and not self.lists and self.n_rows > self.size

    @property
    def _alone(self) -> bool:
        return len(self.tables) == 1

    def parts(self) -> Iterator[Batch]:
        """Each part once; a second pass reads the same parts."""
        if not self.by_key:
            yield from self._in_order()
            return
        if not self._stored:
            self._runs = self._queries_together() if self.lists else None
            self._partition()
        if self._runs is not None:
            yield from self._between_queries(self._runs)
            return
        for n, stored in enumerate(self._stored):
            yield from self._of_stored(stored, first=n == 0)

    def _in_order(self) -> Iterator[Batch]:
        at = 0
        main = self.tables["predictions"]
        with main.guarded():
            for frame in batches(main.all_rows(), self.size):
                those = {"predictions": _between(at, frame.height)}
                yield self._part({"predictions": _placed(frame, at)}, those, first=at == 0)
                at += frame.height

    def _queries_together(self) -> pl.DataFrame | None:
        """The rows of each query and the part they are in, if the rows of every query stand together."""
        main, key = self.tables["predictions"], str(self.tables["predictions"].key)
        runs, n = list[pl.DataFrame](), 0
        with main.guarded():
            for frame in batches(main.all_rows().select(exactly([key])), self.size):
                runs.append(frame[key].rle().struct.unnest())
                n += frame.height
                if _FEWEST * sum(run.height for run in runs) > n:
                    return None  # queries of few rows are many: they are not held
        every = pl.concat(runs)
        every = every.group_by(every["value"].rle_id().alias("run"), maintain_order=True).agg(
            pl.first("value").cast(pl.String), pl.sum("len")
        )
        if every["value"].is_duplicated().any():
            return None
        longest = every.row(int(every["len"].arg_max() or 0), named=True)
        self._check_query(longest["value"], longest["len"])
        part = (pl.col("len").cum_sum() - pl.col("len")) // self.size
        return every.select("value", "len", part=part.rle_id())

    def _between_queries(self, runs: pl.DataFrame) -> Iterator[Batch]:
        """Parts that end between two queries; the other tables were written to files by these parts."""
        main = self.tables["predictions"]
        parts = runs.group_by("part", maintain_order=True).agg(pl.sum("len"), pl.len().alias("queries"))
        sizes, every = parts["len"].to_list(), runs["value"].implode()
        with main.guarded():
            at, begin = 0, 0
            for n, frame in enumerate(_cut(batches(main.all_rows(), self.size), sizes)):
                mine = runs["value"].slice(begin, parts["queries"][n]).implode()
                begin += parts["queries"][n]
                those = {}
                for role, table in self.tables.items():
                    key = pl.col(str(table.key)).cast(pl.String)
                    those[role] = key.is_in(mine) | (~key.is_in(every) & self._stored[n].those[role])
                files = self._stored[n].files
                others = {role: self._rows_of(role, files[role]) for role in files}
                yield self._part(
                    {"predictions": _placed(frame, at) if self.placed else frame, **others},
                    {**those, "predictions": _between(at, frame.height)},
                    first=n == 0,
                )
                at += frame.height

    def _part(
        self,
        frames: Mapping[str, pl.DataFrame],
        those: Mapping[str, pl.Expr],
        *,
        first: bool,
        group: object = None,
    ) -> Batch:
        opened = {role: self.tables[role].part(frame, first=first) for role, frame in frames.items()}
        call = with_tables(self.call, opened)
        main, places = frames["predictions"], np.zeros(0, np.int64)
        if AT in main.columns:
            places = main[AT].to_numpy().astype(np.int64)
        return Batch(
            call=call,
            tables=self.tables,
            those=those,
            n_rows=main.height,
            places=places,
            group=group,
        )

    def _of_stored(self, stored: _Stored, *, first: bool) -> Iterator[Batch]:
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
                    yield self._part(held, {"predictions": those}, first=first, group=group)
                first, at = first and not frame.height, at + frame.height

    def _large(self, files: Sequence[Path], key: str) -> list[object]:
        """The groups that have more rows than a part; a query may have at most ``_MOST`` times as many."""
        if not (self._alone or self.lists):
            return []
        counted = [_rows(file).group_by(key).len().collect() for file in files]
        counts = pl.concat(counted).group_by(key).sum().filter(pl.col("len") > self.size)
        if not self.lists:
            return counts[key].to_list()
        for query, n in counts.sort("len").tail(1).rows():
            self._check_query(query, n)
        return []

    def _check_query(self, query: object, n: int) -> None:
        most, name = _MOST * self.size, self.tables["predictions"].name
        if n > most:
            raise reading.query_too_large(query=query, n=n, most=most, name=name)

    def _rows_of(self, role: str, files: Sequence[Path]) -> pl.DataFrame:
        if files:
            return pl.concat([_rows(file).collect() for file in files])
        return pl.DataFrame(schema=self.tables[role].schema)

    def _partition(self) -> None:
        """Write tables to files by a hash of their keys, or by the parts of predictions that are in order."""
        n = max(1, min(-(-self.n_rows // self.size), MOST_PARTS))
        if self._runs is not None:
            n = int(self._runs["part"][-1]) + 1
        kinds = [table.schema[str(table.key)] for table in self.tables.values()]
        whole = all(kind.is_integer() and kind not in (pl.UInt64, pl.Int128, pl.UInt128) for kind in kinds)
        number = {
            role: pl.col(str(table.key)).cast(pl.Int64 if whole else pl.String).hash(seed=0) % n
            for role, table in self.tables.items()
        }
        roles = [role for role in self.tables if self._runs is None or role != "predictions"]
        for role in roles:
            table = self.tables[role]
            column = apart([_PART], table.schema)[0]
            rows = table.all_rows()
            rows = _placed(rows) if self.placed and role == "predictions" else rows
            rows = rows.with_columns(number[role].alias(column))
            if self._runs is not None:
                known = self._runs.select(pl.col("value").alias(_QUERY), pl.col("part").alias(AT)).lazy()
                text = pl.col(str(table.key)).cast(pl.String)
                joined = rows.join(known, left_on=text, right_on=_QUERY, how="left", maintain_order="left")
                rows = joined.with_columns(pl.coalesce(AT, column).alias(column)).drop(
                    AT, _QUERY, strict=False
                )
            folder = self.folder / role
            by = pl.PartitionBy(folder, key=column, include_key=False, max_rows_per_file=self.size)
            with table.guarded(), written_to(self.folder):
                rows.sink_ipc(by, mkdir=True, record_batch_size=RECORD_BATCH)
        for at in range(n):
            files = {role: sorted((self.folder / role).glob(f"*={at}/*")) for role in roles}
            if any(files.values()) or self._runs is not None:
                self._stored.append(_Stored(files, {role: of == at for role, of in number.items()}))


def _placed(rows: _Rows, before: int = 0) -> _Rows:
    """Rows that are known by their place, with this."""
    return rows.with_row_index(AT, offset=before)


def _rows(file: Path) -> pl.LazyFrame:
    return pl.scan_ipc(file, glob=False)


def _cut(frames: Iterator[pl.DataFrame], sizes: Sequence[int]) -> Iterator[pl.DataFrame]:
    """The same rows in frames of these sizes."""
    held = pl.DataFrame()
    for size in sizes:
        while held.height < size:
            more = next(frames)
            held = pl.concat([held, more]) if held.height else more
        yield held.head(size)
        held = held.slice(size)


def reads_truth(need: Need) -> bool:
    return need.reads != "lists" or "truth" in need.tables


def _between(at: int, n: int) -> pl.Expr:
    return pl.col(AT).is_between(at, at + n - 1)


def _first_look(
    call: Call, tables: Mapping[str, StreamedTable], wanted: Wanted, *, lists: bool
) -> tuple[tuple[Message, ...], bool]:
    """Read the first rows of each table to learn which columns are read.

    Returns the notes on the order of rows, and whether rows have units.
    """
    heads = {role: head(table) for role, table in tables.items()}
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


def _find_keys(tables: Mapping[str, StreamedTable], call: Call, *, alone: bool, lists: bool) -> None:
    """Which column names the query in each table; two tables of rows may have items only."""
    columns = {name: of for name, of in (call.columns or {}).items() if name.rpartition(".")[2] != "score"}
    finders = {
        role: Finder(table.sources[0], _KINDS.get(role, role), columns, alone=alone and role == "predictions")
        for role, table in tables.items()
    }
    both = lists or alone or all(finder.find("query") for finder in finders.values())
    for role, finder in finders.items():
        tables[role].key = key = finder.need("query" if both else "item")
        tables[role].wanted[key] = None
    kinds = [table.schema[str(table.key)].is_integer() for table in tables.values()]
    for table in tables.values():
        table.whole_keys = any(kinds) and not all(kinds)
