"""What a caller may give as a table: which kind of thing it is, and how it is opened."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from steelyard.messages.errors import opening
from steelyard.messages.errors.places import word
from steelyard.read import files, frames
from steelyard.read.table import Source


def is_sparse(data: object) -> bool:
    """Whether ``data`` is a SciPy sparse matrix."""
    return hasattr(data, "tocsr") and hasattr(data, "nnz")


def is_matrix(data: object) -> bool:
    """Whether ``data`` is an array, a tensor or a sparse matrix, to be given together with another one."""
    if isinstance(data, np.ndarray) or (hasattr(data, "tocsr") and hasattr(data, "nnz")):
        return True
    return hasattr(data, "__array__") and hasattr(data, "ndim") and not hasattr(data, "columns")


def is_table(given: object) -> bool:
    """Whether something given in memory, or a path that is no text, is a table."""
    if isinstance(given, os.PathLike | Mapping):
        return True
    kind = type(given)  # a frame that is not loaded yet would have to look for its columns
    return (hasattr(kind, "columns") or hasattr(kind, "__arrow_c_stream__")) and not hasattr(kind, "dtype")


def is_list(data: object) -> TypeGuard[Sequence[Any]]:
    """Whether ``data`` is a list or the like: a tuple, a range, a deque."""
    return isinstance(data, Sequence) and not isinstance(data, str | bytes | bytearray)


def is_array(data: object) -> bool:
    """Whether ``data`` may hold one value per row, though it be empty or of text."""
    if isinstance(data, Sequence):
        return not isinstance(data, str | bytes | bytearray)
    return is_sparse(data) or (hasattr(data, "__array__") and not hasattr(data, "columns"))


def is_column(data: object) -> bool:
    """Whether ``data`` is an array, a Series, or a list of plain values, to go with another one."""
    if is_list(data):
        return len(data) > 0 and not isinstance(data[0], str | os.PathLike)
    return is_array(data)


def are_columns(said: Any, true: Any) -> bool:
    """Whether predictions and labels are plain values; two lists of text are unless one could be a path."""
    if is_column(said) or is_column(true):
        return True
    if not (_are_texts(said) and _are_texts(true)) or len(said) != len(true):
        return False
    return not any(files.like_path(one) for one in {*said, *true} if isinstance(one, str))


def _are_texts(data: object) -> bool:
    """Whether a list holds text, and beside it nothing but what stands for a missing one."""
    return is_list(data) and all(
        isinstance(one, str) or one is None or (isinstance(one, float) and math.isnan(one)) for one in data
    )


def are_paths(given: Sequence[object]) -> bool:
    """Whether a list holds texts and paths alone; it may be empty."""
    return all(isinstance(one, str | os.PathLike) for one in given)


def open_sources(source: Any, kind: str, name: str) -> tuple[str, list[Source]]:
    """The name of a table and its parts; ``kind`` says what the numbers of a dict or a TREC file mean."""
    if isinstance(source, Opened):
        return source.sources(kind, name)
    name = word(name)
    if isinstance(source, Source):
        return name, [source]
    if isinstance(source, str | os.PathLike) or (isinstance(source, list | tuple) and are_paths(source)):
        shown, found = files.paths(source)
        return shown, [files.open_file(each, path, kind) for each, path in found]
    if isinstance(source, Mapping) and not hasattr(source, "tocsr"):  # one kind of sparse matrix is a dict
        return name, [frames.of_mapping(source, name, kind)]
    in_memory = None if is_sparse(source) else frames.source_of(source, name)
    if in_memory is not None:
        return name, [in_memory]
    if is_matrix(source):
        raise opening.lone_matrix(name=name)
    raise opening.unsupported_object(name=name, type=type(source).__name__)


@dataclass(eq=False)
class Opened:
    """A table for several readers, under the name it has in messages; the first of them opens it."""

    given: Any
    _found: tuple[str, list[Source]] | None = None
    _whole: Opened | None = None  # of which some columns are hidden here
    _hidden: frozenset[str] = frozenset()

    def without(self, columns: Iterable[str]) -> Opened:
        """The same table, opened once for both, for a reader that is not to see some of its columns."""
        return Opened(self.given, _whole=self, _hidden=frozenset(columns))

    def sources(self, kind: str, name: str) -> tuple[str, list[Source]]:
        """Its name and its sources; what they load they keep."""
        if self._whole is not None:
            name, every = self._whole.sources(kind, name)
            for source in every:
                others = [column for column in source.columns if column in self._hidden]
                if source.unordered and others:
                    source.load(others)  # what is loaded later is loaded with them, in one order
            return name, [source.without(self._hidden) for source in every]
        if self._found is None:
            name, sources = open_sources(self.given, kind, name)
            self._found = name, [source.remembering() for source in sources]
        return self._found

    def has(self, column: str, kind: str) -> bool:
        """Whether it has a column of this name, read as this kind of table."""
        if isinstance(self.given, Mapping):
            return column in self.given
        return any(column in source.columns for source in self.sources(kind, "predictions")[1])


def given(source: Any) -> Any:
    """What the caller gave, whether it is opened or not."""
    return source.given if isinstance(source, Opened) else source


def opened(predictions: Any, truth: Any) -> tuple[Any, Any]:
    """Tables that more than one reader will ask: each is opened once, and each column loaded at most once."""
    if is_matrix(predictions) or is_matrix(truth) or are_columns(predictions, truth):
        return predictions, truth
    return _opened(predictions), None if truth is None else _opened(truth)


def opened_truth(truth: Any, runs: Sequence[Any]) -> Any:
    """The truth of several runs, which is opened once; arrays and matrices need no opening."""
    if truth is None or is_matrix(truth) or any(is_matrix(run) or are_columns(run, truth) for run in runs):
        return truth
    return _opened(truth)


def _opened(table: Any) -> Opened:
    return table if isinstance(table, Opened) else Opened(once(table))


def once(table: Any) -> Any:
    """The same table; a pipe, a device or standard input keeps what it holds, however often it is read.

    A pandas Series of lists, such as ``groupby`` gives, is a table of its index and its lists.
    """
    if table is None or isinstance(table, Mapping):
        return table
    if isinstance(table, str | os.PathLike):
        return files.pipe_of(table) or table
    if isinstance(table, list | tuple):
        several = any(isinstance(one, os.PathLike) or _is_pipe(one) for one in table)
        return [once(one) for one in table] if several else table
    if frames.is_of(table, "pandas", "Series") and frames.holds_lists(table) and table.index.nlevels == 1:
        return table.rename_axis("query").rename("item").reset_index()
    return table


def _is_pipe(one: Any) -> bool:
    """Whether a text names a pipe; in a list that may hold labels or ids, "-" does not."""
    return isinstance(one, str) and one != files.STDIN and files.pipe_of(one) is not None


def check_sources(*tables: Any) -> None:
    """Refuse files that are not there, and standard input for more than one table, before any is read."""
    if isinstance(tables[0], str | os.PathLike):  # else the others may be lists of labels
        for path in tables:
            if isinstance(path, str | os.PathLike):
                files.check_there(path)
    check_streams(*tables)


def check_streams(*tables: Any) -> None:
    """Refuse standard input, or another pipe, for more than one table: the second reader would wait."""
    named: list[Any] = []
    for one in tables:
        table = one.given if isinstance(one, Opened) else one
        if isinstance(table, str | os.PathLike):
            named.append(table)
        elif isinstance(table, list | tuple) and are_paths(table):
            named += table if all(map(files.like_path, map(os.fspath, table))) else []  # or labels
    pipes = [os.fspath(one) for one in named if files.pipe_of(one)]
    for place, pipe in enumerate(pipes):
        if pipe in pipes[:place]:
            raise opening.one_stream() if pipe == files.STDIN else opening.one_pipe(name=pipe)
