"""Tables that come in batches: Arrow streams, PyArrow readers and datasets, DuckDB relations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from steelyard.read.table import Source, check_unique, exactly, of_lists
from steelyard.text.errors import reading

_ROWS = 1 << 17  # of a batch
Batches = Callable[[Sequence[str]], Iterator[pl.DataFrame]]


def scan_batches(schema: Mapping[str, pl.DataType], batches: Batches) -> pl.LazyFrame:
    """The batches lazily; ``batches`` is called with the columns that are wanted, once for each scan."""

    def source(
        wanted: list[str] | None, predicate: pl.Expr | None, rows: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        columns = list(schema) if wanted is None else wanted
        with closing(batches(columns or list(schema)[:1])) as frames:  # type: ignore[type-var]
            for batch in frames:
                frame = batch.select(exactly(columns)) if columns else pl.DataFrame(height=batch.height)
                frame = frame if predicate is None else frame.filter(predicate)
                frame = frame if rows is None else frame.head(rows)
                rows = None if rows is None else rows - frame.height
                yield frame
                if rows == 0:
                    return

    return register_io_source(source, schema=dict(schema))


def of_relation(relation: Any, name: str) -> Source:
    """A DuckDB relation; each load and each scan runs its query again, for the wanted columns."""
    columns = tuple(relation.columns)
    check_unique(columns, name)
    schema = pl.DataFrame(relation.limit(0)).schema

    def chosen(wanted: Sequence[str]) -> Any:
        return relation.project(", ".join('"' + column.replace('"', '""') + '"' for column in wanted))

    def load(wanted: Sequence[str], rows: int | None = None) -> pl.DataFrame:
        if not wanted:
            return pl.DataFrame(height=load(columns[:1], rows).height)
        return pl.DataFrame(chosen(wanted) if rows is None else chosen(wanted).limit(rows))

    def batches(wanted: Sequence[str]) -> Iterator[pl.DataFrame]:
        some = chosen(wanted)
        read = getattr(some, "to_arrow_reader", None) or some.fetch_record_batch  # its name before DuckDB 1.4
        with closing(read(_ROWS)) as reader:
            yield from map(pl.DataFrame, reader)

    scan = partial(scan_batches, schema, batches) if find_spec("pyarrow") else None
    return Source(
        name=name,
        columns=columns,
        load=load,
        peek=load,
        scan=scan,
        slow=True,
        once=True,
        lists=of_lists(schema),
        unordered=True,
    )


def of_stream(data: Any, name: str) -> Source:
    """Batches that can be read once; needs PyArrow."""
    import pyarrow

    reader = pyarrow.RecordBatchReader.from_stream(data)
    check_unique(reader.schema.names, name)
    schema = pl.DataFrame(reader.schema.empty_table()).schema
    seen: list[pl.DataFrame] = []  # the batches that were looked at, or all of them
    state = {"scanned": False, "loaded": False}

    def read() -> Iterator[pl.DataFrame]:
        if state["scanned"]:
            raise reading.read_twice(name=name)
        return map(pl.DataFrame, reader)

    def load(wanted: Sequence[str]) -> pl.DataFrame:
        if not state["loaded"]:
            seen[:] = [pl.concat([pl.DataFrame(schema=schema), *seen, *read()])]
            state["loaded"] = True
        return seen[0].select(exactly(wanted))

    def peek(wanted: Sequence[str], rows: int) -> pl.DataFrame:
        while sum(frame.height for frame in seen) < rows and (batch := next(read(), None)) is not None:
            seen.append(batch)
        return pl.concat([pl.DataFrame(schema=schema), *seen]).select(exactly(wanted)).head(rows)

    def batches(_wanted: Sequence[str]) -> Iterator[pl.DataFrame]:
        rest = () if state["loaded"] else read()
        state["scanned"] = not state["loaded"]
        yield from seen
        yield from rest

    return Source(
        name=name,
        columns=tuple(schema),
        load=load,
        peek=peek,
        scan=lambda: scan_batches(schema, batches),
        slow=True,
        once=True,
        lists=of_lists(schema),
        held=True,
    )


def of_stream_file(path: Path, name: str) -> Source:
    """A file of an Arrow stream, which has no footer; needs PyArrow."""
    import pyarrow

    @contextmanager
    def opened() -> Iterator[Any]:
        try:
            with pyarrow.ipc.open_stream(path) as reader:
                yield reader
        except pyarrow.ArrowException as error:
            raise ValueError(str(error)) from None

    def batches(_wanted: Sequence[str]) -> Iterator[pl.DataFrame]:
        with opened() as reader:
            for batch in reader:
                batch.validate(full=True)  # Polars would trust it
                yield pl.DataFrame(batch)

    with opened() as reader:
        schema = pl.DataFrame(reader.schema.empty_table()).schema

    def load(wanted: Sequence[str], rows: int | None = None) -> pl.DataFrame:
        if rows is None:
            return pl.read_ipc_stream(path).select(exactly(wanted))
        return scan().select(exactly(wanted)).head(rows).collect()

    scan = partial(scan_batches, schema, batches)
    return Source(
        name=name, columns=tuple(schema), load=load, peek=load, scan=scan, slow=True, lists=of_lists(schema)
    )


def is_dataset(data: object) -> bool:
    dataset = sys.modules.get("pyarrow.dataset")
    return dataset is not None and isinstance(data, dataset.Dataset)
