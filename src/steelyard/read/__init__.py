"""Anything people keep predictions and truth in, as canonical Polars columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from steelyard.messages import Message, say
from steelyard.messages.errors import ColumnError, aligning, opening, reading
from steelyard.messages.errors.places import word
from steelyard.read import files, frames, load, mappings, matrix, roles, schema
from steelyard.read.column_names import ALIASES, PREDICTIONS, folded
from steelyard.read.matrix import Grid, grid, is_matrix, is_sparse
from steelyard.read.roles import Finder, holds_classes
from steelyard.read.row_arrays import are_columns, is_array, is_column, row_arrays, series_of
from steelyard.read.schema import reconcile
from steelyard.read.table import IDS, Part, Source, Table

# what other folders find here though it is written in another module
__all__ = ["ALIASES", "Grid", "Table", "are_columns", "folded", "grid", "is_array", "is_column", "is_matrix"]
__all__ += ["reconcile", "row_arrays", "series_of"]

Columns = Mapping[str, Any] | None

_ALSO = say("or give the truth as a table of its own (--truth FILE)")


@dataclass(frozen=True, kw_only=True)
class Wants:
    """What the metrics of a call read: scores, predicted classes, a group for each row."""

    scores: bool  # a score for each row, or a probability for each class
    classes: bool  # a predicted class, or what one can be made from
    groups: bool
    units: bool = (
        False  # whether the user, session or query of each row is read where it is clear which column that is
    )
    ratings: bool = False  # predictions are numbers, never classes
    thresholds: bool = False  # a metric of classes states a threshold for scores
    named: frozenset[str] = frozenset()  # classes that the caller named


def predictions(
    source: Any,
    *,
    columns: Columns = None,
    extra: Sequence[str] = (),
    orders: Collection[str] = ("default",),
    table: str = "predictions",
) -> Table:
    """What the model said: query, item, and the score (or the rank) that orders the items.

    ``table`` is how it is called: ``usual`` are lists to compare with.
    """
    if table == "usual" and _are_no_paths(source):
        raise opening.texts_as_lists(name=word(table))
    name, sources = open_sources(source, "predictions", table)

    def needed(finder: Finder, one: Source) -> dict[str, str]:
        found = {"query": finder.need("query"), "item": finder.need("item")}
        if one.listed:
            for order in {"score", "rank"} & set(orders):
                raise reading.lists_without(name=one.name, order=word(order))
            return found
        return found | roles.order_roles(finder, orders)

    return load.table(name, sources, needed, kind=table, columns=columns, extra=extra)


def truth(source: Any, *, columns: Columns = None, extra: Sequence[str] = ()) -> Table:
    """What was true: query, item and its grade; without a grade column every row has grade 1."""
    name, sources = open_sources(source, "truth", "truth")

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        found = {"query": finder.need("query"), "item": finder.need("item")}
        # without grades every row counts the same; but a slip of the pen is no such table
        relevance = finder.find("relevance")
        if relevance is None and finder.near("relevance"):
            finder.need("relevance")
        return found | ({"relevance": relevance} if relevance else {})

    table = load.table(name, sources, needed, kind="truth", columns=columns, extra=extra)
    return table if "relevance" in table.frame.columns else _all_relevant(table)


def labelled(
    source: Any, *, columns: Columns = None, extra: Sequence[str] = (), orders: Collection[str] = ("default",)
) -> Table:
    """One table with the labels inside: query, label and score, with or without item ids."""
    name, sources = open_sources(source, "labelled", "predictions")

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        found = {"query": finder.need("query"), "relevance": finder.need("relevance", also=_ALSO)}
        item = finder.find("item")
        return found | ({"item": item} if item else {}) | roles.order_roles(finder, orders)

    return load.table(
        name,
        sources,
        needed,
        kind="predictions",
        columns=columns,
        extra=extra,
        alone=True,
        header="labelled",
    )


def pairs(source: Any, *, columns: Columns = None, name: str = "exclude") -> Table:
    """Pairs of query and item, such as what each user saw before; there may be none."""
    shown, found = open_sources(source, "exclude", name)
    nothing = mappings.source_of({}, shown, "exclude")
    sources = [one if one.columns or one.load([]).height else nothing for one in found]

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        return {"query": finder.need("query"), "item": finder.need("item")}

    return load.table(shown, sources, needed, kind="exclude", columns=columns, may_be_empty=True)


def query_weights(source: Any, *, columns: Columns = None, name: str = "weights") -> Table:
    """How much each query counts in the mean: query and weight, or ``{query: weight}``."""
    shown, sources = open_sources(source, "weights", name)

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        return {"query": finder.need("query"), "weight": finder.need("weight")}

    return load.table(shown, sources, needed, kind="weights", columns=columns)


def segments(source: Any, *, columns: Columns = None, wanted: Sequence[str] = (), name: str = "by") -> Table:
    """What is known of each query, to slice by: a query column and others, perhaps only those ``wanted``."""
    shown, sources = open_sources(source, "by", name)

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        return {"query": finder.need("query")}

    every = list(dict.fromkeys(column for one in sources for column in one.columns))
    extra = [column for column in every if column in wanted or not wanted]
    table = load.table(shown, sources, needed, kind="by", columns=columns, extra=extra)
    query = table.roles["query"]
    kept = table.extra if query in wanted else table.extra.drop(query, strict=False)
    if not kept.width and not wanted:
        raise reading.nothing_to_slice_by(name=table.name)
    return replace(table, extra=kept)


def is_table(given: object) -> bool:
    """Whether something given in memory, or a path that is no text, is a table."""
    if isinstance(given, os.PathLike | Mapping):
        return True
    kind = type(given)  # a frame that is not loaded yet would have to look for its columns
    return any(hasattr(kind, name) for name in ("columns", "__arrow_c_stream__")) and not hasattr(
        kind, "dtype"
    )


def labelled_rows(source: Any, wants: Wants, *, columns: Columns = None, extra: Sequence[str] = ()) -> Table:
    """One table of rows with a label and what was predicted for each."""

    def needed(finder: Finder, one: Source) -> dict[str, str]:
        found = _labels(finder, also=_ALSO)
        if wants.groups:
            found["query"] = finder.need("query")
        query = found.get("query")
        unit = finder.unit(query or finder.only("query")) if wants.units else None
        if unit is not None and unit != query:
            found["unit"] = unit
        return found | _said(finder, one, wants)

    header = "grouped rows" if wants.groups else "rows"
    table = _rows(source, "labelled", needed, wants, columns, extra, header=header)
    if "unit" not in table.frame.columns or table.frame["unit"].null_count() == table.frame.height:
        return table
    finder = Finder(table.sources[0], "predictions", columns, alone=True)
    return replace(table, notes=(*table.notes, *finder.unit_notes(table.roles["unit"])))


def predicted_rows(source: Any, wants: Wants, *, columns: Columns = None, extra: Sequence[str] = ()) -> Table:
    """What was predicted for each row, to be matched with a table of labels by query, item or both."""

    def needed(finder: Finder, one: Source) -> dict[str, str]:
        return _keys(finder) | _said(finder, one, wants)

    return _rows(source, "predictions", needed, wants, columns, extra, header="predicted rows")


def true_rows(source: Any, wants: Wants, *, columns: Columns = None, extra: Sequence[str] = ()) -> Table:
    """The label of each row, to be matched with a table of predictions."""

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        return _keys(finder) | _labels(finder)

    return _rows(source, "truth", needed, wants, columns, extra, header="true rows")


def matrix_alone(scores: Any) -> Table:
    """A matrix of scores without labels, as predictions."""
    return predictions(matrix.source(scores, word("predictions")))


def matrices(scores: Any, labels: Any) -> tuple[Table, Table]:
    """Two matrices of one shape, rows are queries and columns are items, as predictions and truth."""
    said, true = matrix.sources(scores, labels)
    return predictions(said), truth(true)


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


def may_have(table: Opened, kind: str, columns: Columns, *wanted: str) -> bool:
    """Whether a column of a table, opened as ``kind``, could have one of some roles."""
    finders = [Finder(source, "predictions", columns, alone=True) for source in table.sources(kind, kind)[1]]
    return any(finder.may_have(role) for finder in finders for role in wanted)


def check_sources(*tables: Any) -> None:
    """Refuse files that are not there, and standard input for more than one table, before any is read."""
    paths = [table for table in tables if isinstance(table, str | os.PathLike)]  # lists may be of labels
    for path in paths if isinstance(tables[0], str | os.PathLike) else []:
        files.check_there(path)
    check_streams(*tables)


def check_streams(*tables: Any) -> None:
    """Refuse standard input, or another pipe, for more than one table: the second reader would wait."""
    named: list[Any] = []
    for table in map(given, tables):
        several = is_list_of_paths(table) and all(map(files.like_path, map(os.fspath, table)))  # or labels
        named += table if several else [table]
    pipes = [os.fspath(one) for one in named if isinstance(one, str | os.PathLike) and files.pipe_of(one)]
    for place, pipe in enumerate(pipes):
        if pipe in pipes[:place]:
            raise opening.one_stream() if pipe == files.STDIN else opening.one_pipe(name=pipe)


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
    if frames.is_of(table, "pandas", "Series") and frames.holds_lists(table) and table.index.nlevels == 1:
        return table.rename_axis("query").rename("item").reset_index()
    if isinstance(table, list | tuple) and any(
        isinstance(one, os.PathLike) or _is_pipe(one) for one in table
    ):
        return [once(one) for one in table]
    return (files.pipe_of(table) if isinstance(table, str | os.PathLike) else None) or table


def _is_pipe(one: Any) -> bool:
    """Whether a text names a pipe; in a list that may hold labels or ids, "-" does not."""
    return isinstance(one, str) and one != files.STDIN and files.pipe_of(one) is not None


def given(source: Any) -> Any:
    """What the caller gave, whether it is opened or not."""
    return source.given if isinstance(source, Opened) else source


def weight_column(columns: Columns) -> str | None:
    """The column that the user named as the weight of queries."""
    return next((name for (_, role), name in roles.parse(columns).items() if role == "weight"), None)


def check_columns(columns: Columns, *tables: Table, extra: Sequence[str] = ()) -> None:
    """Refuse a column that was asked for by name and is in none of the tables."""
    known = list(dict.fromkeys(column for table in tables for column in table.columns))
    where = list(dict.fromkeys(table.name for table in tables))
    wanted = [
        (f"{owner}.{role}" if owner else role, name) for (owner, role), name in roles.parse(columns).items()
    ]
    for role in roles.LABELS:
        wanted += [(role, name) for name in roles.several_labels(role, columns, known)]
    for key, name in [*wanted, *((say("a further column"), name) for name in extra)]:
        if name not in known:
            raise reading.named_column_missing(where, key, name, known)


def column_not_found(column: str, purpose: str, tables: Sequence[Table]) -> ColumnError:
    """Why no table can be sliced or weighed by a column; one named as a file may be meant as a table."""
    available = sorted({name for table in tables for name in table.columns})
    names = [table.name for table in tables]
    return aligning.column_not_found(column, names, purpose, available, like_path=files.like_path(column))


def rank_column(table: Table, columns: Columns, *, alone: bool) -> str | None:
    """The column of predictions that holds ranks; a position is none, as it may be where a row was shown."""
    finder = Finder(table.sources[0], "predictions", columns, alone=alone)
    found = finder.only("rank")
    return found if finder.chosen("rank") or folded(found or "") in ("rank", "ranking") else None


def check_weight(column: str | None, truth: Table) -> None:
    """Refuse a weight that is the label itself: rows of label 0 would count as none."""
    for role in ("label", "relevance"):
        if column is not None and truth.roles.get(role) == column:
            raise reading.label_used_twice(truth.name, column, role, "weight")


def _all_relevant(table: Table) -> Table:
    note = say(
        "{table} has no relevance column: every row counts as grade 1.", key="no_grades", table=table.name
    )
    frame = table.frame.with_columns(pl.lit(1.0).alias("relevance"))
    return replace(table, frame=frame, notes=(*table.notes, note))


def _keys(finder: Finder) -> dict[str, str]:
    found = {role: column for role in IDS if (column := finder.find(role)) is not None}
    also = say("or the item, --columns item=NAME; or give one table with labels and scores")
    return found or {"query": finder.need("query", also=also)}


def _labels(finder: Finder, also: Message | None = None) -> dict[str, str]:
    """The column of labels, or those of several labels per row."""
    several = finder.several("label")
    if several:
        return {f"label:{name}": name for name in several}
    return {"label": finder.need("label", also=also)}


def _said(finder: Finder, source: Source, wants: Wants) -> dict[str, str]:
    """The columns of predictions: a class, probabilities, a score, whatever the metrics can use."""
    if source.listed:
        raise reading.lists_of_rows(name=source.name)
    several = finder.probabilities()
    found = {f"{schema.PROBABILITY}:{name}": name for name in several}
    if len(several) == 1:
        found = {schema.PROBABILITY: several[0]}
    called = finder.several("predicted") if wants.classes else []
    said = called[0] if called else finder.find("predicted") if wants.classes else None
    if called:
        found |= {f"predicted:{name}": name for name in called}
    elif said is not None:
        found["predicted"] = said
    needs_score = finder.chosen("score") or (not several and (wants.scores or said is None))
    if not needs_score and not several and wants.thresholds:
        needs_score = finder.only("score") is not None
    also = say(
        "or the predicted class (predicted=NAME), or one column for each class (probability=NAME,NAME)"
    )
    if not needs_score:
        return found
    return found | {"score": finder.need("score", also=also if wants.classes else None)}


def _rows(
    source: Any,
    kind: str,
    needed: load.Roles,
    wants: Wants,
    columns: Columns,
    extra: Sequence[str],
    *,
    header: str,
) -> Table:
    table = "truth" if kind == "truth" else "predictions"
    name, sources = open_sources(source, kind, table)
    named = any(key.rpartition(".")[2] == "score" for key in columns or {})

    def column(series: pl.Series, role: str, part: Part, untyped: bool) -> pl.Series:
        classes = wants.classes and not named and folded(series.name) in PREDICTIONS
        return schema.column(
            series, role, part, untyped=untyped, numbers=wants.scores, classes=classes, named=wants.named
        )

    read = load.table(
        name,
        sources,
        needed,
        kind=table,
        columns=columns,
        extra=extra,
        alone=kind == "labelled",
        classes=not wants.ratings,
        by_item=False,
        column=column,
        header=header,
    )
    return _with_score(_with_labels(read), wants, columns)


def _with_labels(table: Table) -> Table:
    """The same; several columns of labels, or of what was predicted, are one with a field for each."""
    frame = table.frame
    for role in roles.LABELS:
        several = [name for name in frame.columns if name.startswith(f"{role}:")]
        if several:
            fields = [frame[name].alias(name.partition(":")[2]) for name in several]
            one = pl.DataFrame(fields).to_struct(role)
            frame = frame.drop(several).with_columns(one)
    return replace(table, frame=frame) if frame is not table.frame else table


def _with_score(table: Table, wants: Wants, columns: Columns) -> Table:
    """The same; one probability for each row, not one for each class, is a score."""
    frame = table.frame
    if schema.PROBABILITY not in frame.columns or isinstance(frame.schema[schema.PROBABILITY], pl.Array):
        return table
    chosen = {key.rpartition(".")[2] for key in columns or {}}
    known = ALIASES["score"] | ALIASES[schema.PROBABILITY]
    candidates = [c for c in table.columns if folded(c) in known and (wants.ratings or not _called(table, c))]
    if "score" in chosen and schema.PROBABILITY not in chosen:
        return replace(table, frame=frame.drop(schema.PROBABILITY))
    if "score" in chosen or (len(candidates) > 1 and schema.PROBABILITY not in chosen):
        raise reading.ambiguous_column(table.name, "score", candidates)
    return replace(table, frame=frame.rename({schema.PROBABILITY: "score"}))


def _called(table: Table, column: str) -> bool:
    """Whether a column named as a prediction holds classes."""
    values = table.column(column) if folded(column) in PREDICTIONS else None
    return values is not None and holds_classes(values, untyped=table.untyped)


def open_sources(source: Any, kind: str, name: str) -> tuple[str, list[Source]]:
    if isinstance(source, Opened):
        return source.sources(kind, name)
    name = word(name)
    if isinstance(source, Source):
        return name, [source]
    if isinstance(source, str | os.PathLike) or is_list_of_paths(source):
        shown, found = files.paths(source)
        return shown, [files.open_file(each, path, kind) for each, path in found]
    if is_sparse(source):  # before mappings: one kind of sparse matrix is a dict
        raise opening.lone_matrix(name=name)
    if isinstance(source, Mapping):
        return name, [mappings.source_of(source, name, kind)]
    in_memory = frames.source_of(source, name)
    if in_memory is not None:
        return name, [in_memory]
    if is_matrix(source):
        raise opening.lone_matrix(name=name)
    raise opening.unsupported_object(name=name, type=type(source).__name__)


def is_list_of_paths(source: object) -> bool:
    """Whether it is a list of texts and paths, which may be empty."""
    return isinstance(source, list | tuple) and all(isinstance(one, str | os.PathLike) for one in source)


def _are_no_paths(source: object) -> bool:
    """Whether texts were given of which none could be meant as a path: they are items, it seems."""
    if not isinstance(source, list | tuple) or not source or not all(isinstance(one, str) for one in source):
        return False
    return not any(map(files.like_path, source))
