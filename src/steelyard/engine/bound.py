"""How much memory the rows of a call may take, and how much they would take."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard.arguments import number_of
from steelyard.read import are_columns, given
from steelyard.read.files import is_there
from steelyard.read.folders import table_files
from steelyard.read.frames import is_of
from steelyard.read.streams import is_dataset
from steelyard.text import say
from steelyard.text.errors import SteelyardError
from steelyard.text.errors.forms import must_be

if TYPE_CHECKING:
    from steelyard.engine.protocol import Call

_IN_MEMORY = (Mapping, pl.DataFrame)
SHARE = 0.25  # of the bound that a part takes
_BYTES_OF_A_ROW = 110  # of a part while it is measured
_MOST_OF_FREE = 0.5  # of the free memory that is taken unless the caller says how much
# how many times its size a file takes in memory, by its ending; parquet is packed
_TIMES = {"parquet": 16, "pq": 16, "gz": 20, "zst": 20}
_TIMES_ELSE = 5
_UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"([0-9]+(?:[.][0-9]+)?)\s*([kmgt]i?)?b?", re.IGNORECASE)


def bytes_of(memory: object) -> int:
    """A bound as a number of bytes.

    >>> bytes_of("2GB"), bytes_of("1.5 GiB"), bytes_of(1000)
    (2000000000, 1610612736, 1000)
    """
    number = None if isinstance(memory, str) else number_of(memory)
    if number is not None and 1 <= number < 2**63 and number == int(number):
        return int(number)
    match = _SIZE.fullmatch(memory.strip()) if isinstance(memory, str) else None
    size = 0 if match is None else int(float(match[1]) * _UNITS[(match[2] or "").lower()])
    if not size:
        raise must_be("memory", say("a size such as '2GB' or '500MB'"), memory)
    return size


def memory_of(call: Call) -> int:
    """How many bytes the rows of a call may take: as the caller says, or a share of the free memory."""
    size = call.memory
    return int(_free() * _MOST_OF_FREE) if size is None else int(size)


def rows_of_a_part(memory: int) -> int:
    return max(1, int(memory * SHARE / _BYTES_OF_A_ROW))


def is_larger(call: Call) -> bool:
    """Whether the tables of a call take more memory than they may."""
    if isinstance(call.predictions, _IN_MEMORY) or are_columns(given(call.predictions), given(call.truth)):
        return False
    stated = call.memory is not None
    tables = (call.predictions, call.truth, call.exclude, *call.side_tables.values())
    needed = sum(_needed(given(table), stated=stated) for table in tables if table is not None)
    return needed > 0 and needed > memory_of(call)


def _needed(table: Any, *, stated: bool) -> float:
    """About how many bytes a table takes while it is measured; 0 if it is in memory.

    A table of unknown size counts as larger than a bound that is ``stated``, and as small otherwise.
    """
    unknown = float("inf") if stated else 0.0
    several = isinstance(table, list | tuple) and isinstance(next(iter(table), None), str | os.PathLike)
    if not (several or isinstance(table, str | os.PathLike)):
        lazy = isinstance(table, pl.LazyFrame) or is_dataset(table)
        streamed = is_of(table, "duckdb", "DuckDBPyRelation") or is_of(table, "pyarrow", "RecordBatchReader")
        return unknown if lazy or streamed else 0.0
    try:
        files = [file.path for file in table_files(table)[1]]
    except (
        SteelyardError,
        TypeError,
        OSError,
        ValueError,
    ):  # it is no path, or the reader says what is wrong
        return 0.0
    if not all(isinstance(path, Path) for path in files):
        return unknown
    there = [path for path in files if isinstance(path, Path) and is_there(path)]
    times = (_TIMES.get(path.suffix.lstrip(".").lower(), _TIMES_ELSE) for path in there)
    return float(sum(path.stat().st_size * more for path, more in zip(there, times, strict=True)))


def _free() -> int:
    """How much memory is free: on Linux what can be had without swapping."""
    try:
        group = Path("/sys/fs/cgroup")  # of a container
        limit, used = ((group / name).read_text("ascii") for name in ("memory.max", "memory.current"))
        inside = int(limit) - int(used)
    except (OSError, ValueError):  # there is no limit
        inside = 2**63
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
        return max(0, min(free, inside))
    except (OSError, StopIteration):
        return 8 * 2**30
