"""What a caller may give as a table: its kind, how it is opened, and notes on what it holds."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from types import FunctionType
from typing import Any, ParamSpec, TypeGuard, TypeVar, cast

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.read import files, frames
from steelyard.read.files import is_there
from steelyard.read.folders import check_there, table_files
from steelyard.read.remote import remote_of
from steelyard.read.roles import Finder, folded
from steelyard.read.table import Source, Table
from steelyard.read.where import Where
from steelyard.text import Message, in_quotes, say, sentences
from steelyard.text.errors import SteelyardError, reading
from steelyard.text.errors.forms import WORDS

P = ParamSpec("P")
R = TypeVar("R")


def is_sparse(data: object) -> bool:
    return hasattr(data, "tocsr") and hasattr(data, "nnz")


def is_matrix(data: object) -> bool:
    """Whether ``data`` is an array, a tensor or a sparse matrix, to be given together with another one."""
    if isinstance(data, np.ndarray) or (hasattr(data, "tocsr") and hasattr(data, "nnz")):
        return True
    return hasattr(data, "__array__") and hasattr(data, "ndim") and not hasattr(data, "columns")


def is_table(given: object) -> bool:
    if isinstance(given, os.PathLike | Mapping):
        return True
    kind = type(given)  # a frame that is not loaded yet would have to look for its columns
    return (hasattr(kind, "columns") or hasattr(kind, "__arrow_c_stream__")) and not hasattr(kind, "dtype")


def is_list(data: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(data, Sequence) and not isinstance(data, str | bytes | bytearray)


def is_array(data: object) -> bool:
    """Whether ``data`` may hold one value per row, though it be empty or of text."""
    if isinstance(data, Sequence):
        return not isinstance(data, str | bytes | bytearray)
    return is_sparse(data) or (hasattr(data, "__array__") and not hasattr(data, "columns"))


def is_column(data: object) -> bool:
    if is_list(data):
        return len(data) > 0 and not isinstance(data[0], str | os.PathLike)
    return is_array(data)


def are_columns(predicted: Any, true: Any) -> bool:
    """Whether predictions and labels are plain values; two lists of text are unless one could be a path."""
    if is_column(predicted) or is_column(true):
        return True
    if not (_are_texts(predicted) and _are_texts(true)) or len(predicted) != len(true):
        return False
    return not any(files.like_path(one) for one in {*predicted, *true} if isinstance(one, str))


def _are_texts(data: object) -> bool:
    """Whether a list holds text, and beside it nothing but what stands for a missing one."""
    return is_list(data) and all(
        isinstance(one, str) or one is None or (isinstance(one, float) and math.isnan(one)) for one in data
    )


def predictions_first(call: Callable[P, R]) -> Callable[P, R]:
    """Let a function take ``predictions`` and ``truth`` without these names only where their roles are clear.

    The argument before them, where there is one, is the metric.
    """
    at, arrays = list(signature(call).parameters).index("predictions"), is_array
    of_rows = not call.__module__.startswith("steelyard.api.")  # which take tables too

    def called(*given: Any, **named: Any) -> R:
        if len(given) > at + 1 and arrays(given[at]) and arrays(given[at + 1]):
            from steelyard.read.rows import check_order

            asked = str(given[0]) if at else call.__name__
            of_scores = getattr(given[0], "reads", None) == "scores"
            check_order(given[at], given[at + 1], asked=asked, of_rows=of_rows, of_scores=of_scores)
        return call(*given, **named)

    # doctest reads the examples of functions with the globals of their module: no name here is a global
    made = FunctionType(called.__code__, call.__globals__, closure=called.__closure__)
    return cast("Callable[P, R]", wraps(call)(made))


def are_paths(given: Sequence[object]) -> bool:
    return all(isinstance(one, str | os.PathLike) for one in given)


@dataclass(frozen=True)
class _Unopened:
    """A part of a table; ``keys`` are the values in the names of its folders."""

    open: Callable[[], Source]
    keys: Mapping[str, str | None] = field(default_factory=dict)


def _unopened(source: Any, kind: str, name: str) -> tuple[str, list[_Unopened]]:
    name = WORDS.get(name, name)
    if isinstance(source, Source):
        return name, [_Unopened(lambda: source)]
    if isinstance(source, str | os.PathLike) or (isinstance(source, list | tuple) and are_paths(source)):
        shown, found = table_files(source)
        return shown, [_Unopened(partial(file.open, kind), file.keys) for file in found]
    if isinstance(source, Mapping) and not hasattr(source, "tocsr"):  # one kind of sparse matrix is a dict
        return name, [_Unopened(lambda: frames.of_mapping(source, name, kind))]
    in_memory = None if is_sparse(source) else frames.source_of(source, name)
    if in_memory is not None:
        return name, [_Unopened(lambda: in_memory)]
    if is_matrix(source):
        raise reading.lone_matrix(name=name)
    raise reading.unsupported_object(name=name, type=type(source).__name__)


def open_sources(source: Any, kind: str, name: str) -> tuple[str, list[Source]]:
    """The name of a table and its parts; ``kind`` says what the numbers of a dict or a TREC file mean."""
    if isinstance(source, Opened):
        return source.sources(kind, name)
    shown, found = _unopened(source, kind, name)
    return shown, [one.open() for one in found]


def _filtered(
    name: str, sources: Sequence[Source], condition: Where, *, optional: bool
) -> tuple[str, list[Source]]:
    """The rows that satisfy a condition; all rows if ``optional`` and a column is missing."""
    if optional and not all(condition.columns <= {*one.columns} for one in sources):
        return name, [*sources]
    left = [one for one in sources if condition.may_hold(one.keyed)]
    if not left:
        raise reading.where_keeps_nothing(name=name, where=condition.text)
    shown = say("{name} (where {where})", name=name, where=condition.text)
    return shown, [condition.applied(one) for one in left]


@dataclass(eq=False)
class Opened:
    """A table for several readers, under the name it has in messages; the first of them opens it.

    ``where`` is the condition on its rows; ``optional`` if the table may lack its columns.
    """

    given: Any
    _found: tuple[str, list[Source]] | None = None
    where: Where | None = None
    optional: bool = False

    def without(self, columns: Collection[str]) -> Opened:
        """The same table for a reader that is not to see some of its columns; it is open already."""
        assert self._found is not None
        name, every = self._found
        for source in every:
            others = [column for column in source.columns if column in columns]
            if source.unordered and others:
                source.load(others)  # what is loaded later is loaded with them, in one order
        return Opened(self.given, (name, [source.without(columns) for source in every]), self.where)

    def filtered(self, where: Where | None, *, optional: bool) -> Opened:
        """The same table with the rows that satisfy a condition, which it gets only once."""
        if where is None or self.where is not None:
            return self
        self.where, self.optional = where, optional
        if self._found is not None:
            self._found = self._remembered(*_filtered(*self._found, where, optional=optional))
        return self

    def sources(self, kind: str, name: str) -> tuple[str, list[Source]]:
        """Its name and its sources; what they load they keep."""
        if self._found is None:
            shown, unopened = _unopened(self.given, kind, name)
            if self.where is None:
                self._found = self._remembered(shown, [one.open() for one in unopened])
            else:
                some = [one for one in unopened if self.optional or self.where.may_hold(one.keys)]
                sources = [one.open() for one in some]
                self._found = self._remembered(*_filtered(shown, sources, self.where, optional=self.optional))
        return self._found

    @staticmethod
    def _remembered(name: str, sources: Sequence[Source]) -> tuple[str, list[Source]]:
        return name, [source.remembering() for source in sources]

    def has(self, column: str, kind: str) -> bool:
        if isinstance(self.given, Mapping):
            return column in self.given
        return any(column in source.columns for source in self.sources(kind, "predictions")[1])


def given(source: Any) -> Any:
    return source.given if isinstance(source, Opened) else source


def opened(predictions: Any, truth: Any, where: str | None = None) -> tuple[Any, Any]:
    """Tables that more than one reader will ask: each is opened once, and each column loaded at most once.

    Of the predictions only rows that satisfy ``where`` are read, and of a truth with all of its columns.
    """
    if (
        is_matrix(given(predictions))
        or is_matrix(given(truth))
        or are_columns(given(predictions), given(truth))
    ):
        if where is not None:
            raise reading.where_without_columns()
        return predictions, truth
    condition = None if where is None else Where.of(where)
    return _opened(predictions, condition), None if truth is None else _opened(
        truth, condition, optional=True
    )


def opened_truth(truth: Any, runs: Sequence[Any]) -> Any:
    """The truth of several runs, which is opened once; arrays and matrices need no opening."""
    if truth is None or is_matrix(truth) or any(is_matrix(run) or are_columns(run, truth) for run in runs):
        return truth
    return _opened(truth)


def _opened(table: Any, where: Where | None = None, *, optional: bool = False) -> Opened:
    found = table if isinstance(table, Opened) else Opened(once(table))
    return found.filtered(where, optional=optional)


def once(table: Any, options: Mapping[str, str] | None = None) -> Any:
    """The same table; a URL keeps its storage options, and a pipe or standard input what it holds.

    A pandas Series of lists, such as ``groupby`` gives, is a table of its index and its lists.
    """
    if table is None or isinstance(table, Mapping):
        return table
    if isinstance(table, str | os.PathLike):
        return remote_of(table, options) or files.pipe_of(table) or table
    if isinstance(table, list | tuple):
        several = any(isinstance(one, os.PathLike) or _is_pipe(one) for one in table)
        several = several or (bool(options) and all(map(remote_of, table)))
        return [once(one, options) for one in table] if several else table
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
                check_there(path)
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
            raise reading.one_stream() if pipe == files.STDIN else reading.one_pipe(name=pipe)


ONE_OBJECT = say("predictions and truth are one object: every value is its own prediction.", key="one_object")
_NAMES = "system system_id system_name model model_id model_name run run_id run_name run_tag tag"
_SYSTEMS = frozenset(folded(name) for name in _NAMES.split())
_RANKS = ("rank", "ranking")
_MOST_NAMED = 3
_note = sentences(
    several_systems="column '{column}' has several values within a query ({values}), and the rows of a "
    "query are one list: if they are systems, evaluate each from its own file or frame.",
    ranks_against_scores="column '{column}' orders {lists} differently from the scores, which are used; "
    "order=rank uses the ranks.",
    rising_scores="the scores of {lists} rise from row to row, and the highest score is best: if they are "
    "distances, negate them, or use order=given for the order of rows.",
)
_FEW = 20  # more values than that are more likely of the items, as the models of a car
_ROWS = 50_000  # the first rows are looked at: enough to tell, and no time lost on large tables
_STEPS = 4  # as many rising scores in a row are seldom chance


def read_from_one(predictions: Any, truth: Any, predicted: Table, true: Table) -> tuple[Message, ...]:
    """A note where one mapping or matrix is both tables; one column that is score and label is refused."""
    predictions, truth = given(predictions), given(truth)
    same = predictions is truth
    if isinstance(predictions, str | os.PathLike) and isinstance(truth, str | os.PathLike) and not same:
        mine, theirs = Path(predictions), Path(truth)
        same = is_there(mine) and is_there(theirs) and mine.is_file() and mine.samefile(theirs)
    if truth is None or not same:
        return ()
    if isinstance(truth, Mapping) or is_matrix(truth):
        return (ONE_OBJECT,)
    label = "label" if "label" in true.roles else "relevance"
    for role in ("score", "predicted", "probability"):
        if role in predicted.roles and predicted.roles[role] == true.roles.get(label):
            raise reading.label_used_twice(predicted.name, predicted.roles[role], label, role)
    return ()


def system_notes(table: Table) -> tuple[Message, ...]:
    named = [c for c in table.columns if folded(c) in _SYSTEMS and c not in table.roles.values()]
    for column in named:
        first = _first_rows(table, column)
        if first is None:
            continue
        values = first["system"].unique(maintain_order=True)
        within = first.group_by("query").agg(pl.col("system").n_unique())
        if 1 < len(values) <= _FEW and (within["system"] > 1).any():
            quotes = [in_quotes(value) for value in values.head(_MOST_NAMED)]
            shown = say("{items:and}, …" if len(values) > _MOST_NAMED else "{items:and}", items=quotes)
            return (_note("several_systems", column=column, values=shown),)
    return ()


def _first_rows(table: Table, column: str) -> pl.DataFrame | None:
    """The first rows of each source as ``query`` and ``system``; None where they cannot be had at once."""
    wanted = [table.roles.get("query", ""), column]
    pieces = []
    for source in table.sources:
        if source.peek is None or not all(name in source.columns for name in wanted):
            return None
        try:
            first = source.peek(wanted, _ROWS)
        except SteelyardError:  # a column that nobody asked for may be unreadable
            return None
        if any(kind.is_nested() or kind == pl.Object for kind in first.dtypes):
            return None
        query, system = (first[name].cast(pl.String) for name in wanted)
        pieces.append(pl.DataFrame({"query": query, "system": system}).drop_nulls())
    return pl.concat(pieces) if pieces else None


def order_notes(
    table: Table, orders: Collection[str], columns: Mapping[str, Any] | None, *, alone: bool
) -> tuple[Message, ...]:
    if "score" not in table.frame.columns or not {"default", "score"} & set(orders):
        return ()
    told: tuple[Message, ...] = ()
    if columns or [name for name in table.columns if folded(name) in _RANKS]:
        with suppress(SteelyardError):  # a column that nobody asked for may be unreadable
            told = _against_ranks(table, columns, alone=alone)
    return told or _rising(table)


def _against_ranks(table: Table, columns: Mapping[str, Any] | None, *, alone: bool) -> tuple[Message, ...]:
    """How many lists stand otherwise by rank than by score; a position may be where a row was shown."""
    finder, peek = Finder(table.sources[0], "predictions", columns, alone=alone), table.sources[0].peek
    rank = finder.only("rank")
    if rank is None or peek is None or not (finder.chosen("rank") or folded(rank) in _RANKS):
        return ()
    names = {"query": table.roles["query"], "score": table.roles["score"], "rank": rank}
    first = peek(list(dict.fromkeys(names.values())), _ROWS)
    if not (first.schema[rank].is_numeric() or first.schema[rank] == pl.String):
        return ()
    score, place = (first[names[role]].cast(pl.Float64, strict=False) for role in ("score", "rank"))
    rows = pl.DataFrame({"query": first[names["query"]], "score": score, "rank": place}).drop_nulls()
    of_score, of_place = rows["score"].to_numpy(), rows["rank"].to_numpy()
    n, rises = _lists(rows["query"], of_score, -of_score, of_place)
    against = int(np.count_nonzero(rises[n > 1]))
    if not against:
        return ()
    lists = _of(against, int(np.count_nonzero(n > 1)), table)
    return (_note("ranks_against_scores", column=rank, lists=lists),)


def _rising(table: Table) -> tuple[Message, ...]:
    if table.frame.height <= _STEPS:
        return ()
    rows = table.frame.head(_ROWS)
    n, rises = _lists(rows["query"], rows["score"].to_numpy())
    long = n > 2
    rising = n[long & (rises == n - 1)]
    if 2 * len(rising) <= np.count_nonzero(long) or (rising - 1).sum() < _STEPS:
        return ()
    return (_note("rising_scores", lists=_of(len(rising), int(np.count_nonzero(long)), table)),)


def _lists(query: pl.Series, score: Floats, *then: Floats) -> tuple[Ints, Ints]:
    """Of each list the rows, and the scores above the one before; ``then`` orders it, its last key first."""
    key = query.hash().to_numpy()  # which needs no threads, as sorting texts would
    order = np.lexsort((*then, key))
    order = order[np.isfinite(score[order])]  # a score of -inf is a mask
    key, score = key[order], score[order]
    same = key[1:] == key[:-1]
    at = np.append(0, np.cumsum(~same))
    return np.bincount(at), np.bincount(at[1:][same & (score[1:] > score[:-1])], minlength=at[-1] + 1)


def _of(n: int, every: int, table: Table) -> Message:
    if table.frame.height > _ROWS:
        return say("{n:,} of the first {every:,} {every:list|lists}", key="first", n=n, every=every)
    return say("{n:,} of {every:,} {every:list|lists}", key="all", n=n, every=every)
