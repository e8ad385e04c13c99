"""What goes into an engine and what comes out of it: needs, the tables of a call, the account of these."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from steelyard import kernels, processes, read
from steelyard.conventions import Align, Rank
from steelyard.engine.background import TABLES as SIDE_TABLES
from steelyard.engine.bound import bytes_of
from steelyard.engine.columns import Class
from steelyard.read.files import is_there
from steelyard.text import Message, listed, say
from steelyard.text.errors import asking, reading
from steelyard.text.errors.base import brief
from steelyard.text.errors.forms import must_be
from steelyard.text.errors.reading import either_missing, table_missing

Reads = Literal["hits", "lists", "scores", "classes", "ratings"]
OF_LISTS = frozenset({"hits", "lists"})
_READ_BY = {"feature": "features", "count": "history", "group": "item_groups"}  # what only one table has
_TABLES = ("predictions", "truth", "exclude", "by_table", *SIDE_TABLES)
OF_ROWS = "rows."  # begins the roles of tables as metrics of rows read them
_LARGE_FILE = 8 * kernels.LARGE  # bytes: a row of parquet takes about 8, a row of text more


class Threshold(NamedTuple):
    """From which score on a row is called positive, and whether the caller stated it.

    With ``single`` both are compared in single precision.
    """

    at: float
    strict: bool
    stated: bool
    single: bool = False


@dataclass(frozen=True, kw_only=True)
class Need:
    """One state that is wanted; equal needs are met by one state, which all their metrics share."""

    reads: Reads
    metric: object = field(compare=False)  # that wants it, or its text
    align: Align | None = None
    rank: Rank | None = None
    judged_zeros: bool = False  # hits with a grade of 0 are wanted too
    top: int | None = field(default=None, compare=False)  # how many items of each list are wanted
    tables: tuple[str, ...] = field(default=(), compare=False)  # what must be given besides the predictions
    unlabelled: str = "error"
    groups: bool = False
    probabilities: bool = False  # scores must be probabilities
    several_labels: bool = field(default=False, compare=False)  # a row with scores may have several labels
    threshold: Threshold | None = None  # scores may stand for classes
    labels: str = field(default="any", compare=False)  # which labels there may be
    weighted: bool = True  # rows count by their weights
    single: tuple[str, ...] = ()  # the columns that are read in single precision: label, score
    unnamed: str = "error"  # what becomes of classes that the caller did not name

    @property
    def name(self) -> str:
        return str(self.metric)

    @property
    def convention(self) -> tuple[Align, Rank]:
        assert self.align is not None
        assert self.rank is not None
        return self.align, self.rank


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the tables of a call are read for: what its metrics need, how rows are sliced and grouped."""

    needs: tuple[Need, ...]
    by: tuple[str, ...] = ()
    unit: str | None = None  # the column whose values are resampled together
    intervals: bool = True
    classes: tuple[Class, ...] | None = None
    orders: frozenset[str] = frozenset({"default"})  # what lists are ordered by
    groups: bool = False  # whether the query of each row is wanted, whatever metrics need


@dataclass(frozen=True, kw_only=True)
class Call:
    """The tables of one call, which may be anything that can be read."""

    predictions: Any
    truth: Any = None
    columns: Mapping[str, Any] | None = None
    exclude: Any = None
    weights: Any = None
    by_table: Any = None  # what is known of each query, to slice by
    side_tables: Mapping[str, Any] = field(default_factory=dict)  # by name
    where: str | None = None  # an SQL condition on the rows
    storage_options: Mapping[str, str] | None = None  # how object stores are reached
    memory: Any = None  # how many bytes the rows may take
    temp_dir: str | os.PathLike[str] | None = None  # where parts of larger tables are written

    def __post_init__(self) -> None:
        if self.temp_dir is not None and not isinstance(self.temp_dir, str | os.PathLike):
            raise must_be("temp_dir", say("the path of a folder"), self.temp_dir)
        if self.memory is not None:
            object.__setattr__(self, "memory", bytes_of(self.memory))
        if self.storage_options is not None:
            read.check_options(self.storage_options)
        if self.columns is not None:
            if not isinstance(self.columns, Mapping):
                raise reading.columns_not_mapping(self.columns)
            object.__setattr__(self, "columns", dict(self.columns))
        for name, table in read_once(vars(self), self.storage_options).items():
            if table is not getattr(self, name):
                object.__setattr__(self, name, table)
        if self.side_tables:
            object.__setattr__(self, "side_tables", read_once(self.side_tables, self.storage_options))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Call:
        tables = {
            name: given.get(name) for name in ("predictions", "truth", "exclude", "weights", "by_table")
        }
        side_tables = {name: table for name in SIDE_TABLES if (table := given.get(name)) is not None}
        further = {
            name: given.get(name) for name in ("columns", "where", "storage_options", "memory", "temp_dir")
        }
        call = cls(**tables, **further, side_tables=side_tables)
        return call if given.get("scores") is None else call.with_scores(given["scores"])

    def with_scores(self, scores: str | Sequence[str]) -> Call:
        if not isinstance(scores, str | list | tuple):
            raise asking.no_column(given=brief(scores))
        columns = self.columns or {}
        if "score" in columns:
            raise asking.score_column_named()
        return replace(self, columns={**columns, "score": scores})

    def of_one_system(self) -> Call:
        if systems := self.systems():
            raise asking.one_score_column(n=len(systems), names=listed(list(systems)))
        return self

    def check(self) -> None:
        processes.check()
        weights = () if isinstance(self.weights, str) else (self.weights,)
        tables = (self.predictions, self.truth, self.exclude, self.by_table, *self.side_tables.values())
        read.check_sources(*tables, *weights)

    def needed(self, needs: Sequence[Need]) -> tuple[Call, list[Message]]:
        of_lists = [need for need in needs if need.reads == "lists"]
        if not self.side_tables and not of_lists:
            return self, []
        given = {**self.side_tables, "truth": self.predictions if self.truth is None else self.truth}
        wanted = wanted_tables(of_lists, given)
        unread = [name for name in self.side_tables if name not in wanted]
        if not unread:
            return self, []
        columns = {
            key: name
            for key, name in (self.columns or {}).items()
            if _READ_BY.get(key, str(key).rpartition(".")[0]) not in unread
        }
        side_tables = {name: table for name, table in self.side_tables.items() if name in wanted}
        note = say(
            "{tables:and} {tables:was|were} given, and no metric reads {tables:it|them}.",
            key="unread_tables",
            tables=unread,
        )
        return replace(self, columns=columns, side_tables=side_tables), [note]

    def opened(self) -> Call:
        predicted, true = read.opened(self.predictions, self.truth, self.where)
        return replace(self, predictions=predicted, truth=true)

    def systems(self) -> dict[str, Call] | None:
        """A call for each score column, under its name; None where no more than one is named.

        Several are a list, or names with commas between. The log is opened once for all of them, and none
        sees the columns of the others: what is called ``q`` and is a score is no query.
        """
        columns = self.columns or {}
        key = "predictions.score" if "predictions.score" in columns else "score"
        given = columns.get(key)
        if not isinstance(given, list | tuple) and not (isinstance(given, str) and "," in given):
            return None
        shared = self.opened()
        if not isinstance(shared.predictions, read.Opened):
            return None
        log, kind, names = shared.predictions, "labelled" if self.truth is None else "predictions", given
        if isinstance(given, str):
            if log.has(given, kind):
                return None
            names = [name.strip() for name in given.split(",")]
        if not names or not all(isinstance(name, str) and name for name in names):
            raise asking.no_column(given=brief(given))
        for place, name in enumerate(names):
            if name in names[:place]:
                raise asking.same_column(name=name)
        log.sources(kind, "predictions")
        return {
            name: replace(
                shared,
                # the error on an unknown name lists every column
                predictions=log.without(set(names) - {name}) if log.has(name, kind) else log,
                columns={**columns, key: name},
            )
            for name in names
        }

    def warm_up(self) -> None:
        for table in (self.predictions, self.truth, self.exclude):
            source = read.given(table)
            if not isinstance(source, str | os.PathLike):
                continue
            path = Path(source)
            if is_there(path) and path.is_file() and path.stat().st_size >= _LARGE_FILE:
                kernels.warm_up()  # most likely there are rows enough for them


def read_once(arguments: Mapping[str, Any], options: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Arguments by name; a table that is a pipe keeps what it holds. Weights as text name a column."""
    return {
        name: read.once(given, options) if name in _TABLES or isinstance(given, os.PathLike) else given
        for name, given in arguments.items()
    }


def wanted_tables(needs: Sequence[Need], given: Mapping[str, Any]) -> list[str]:
    """Which tables are to be read: those needed, and the catalogue, which says what counts."""
    needed = {"catalog"} if needs else set()
    for need in needs:
        for name in need.tables:
            there = [one for one in name.split(" or ") if given.get(one) is not None]
            if not there and name == "baseline_lists or history":
                raise either_missing(metric=need.name)
            if not there:
                raise table_missing(metric=need.name, table=name, option=name.replace("_", "-"))
            needed.add(there[0])
    return [name for name in SIDE_TABLES if name in needed and given.get(name) is not None]


@dataclass(frozen=True, kw_only=True)
class Names:
    """Where everything was read; ``truth`` is None where the labels are inside the predictions."""

    predictions: str
    truth: str | None = None
    weights: str | None = None
    exclude: str | None = None


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many rows and queries there were, and what became of them. Every dropped row is counted.

    ``held`` are the counts that the call has: one without rankings has no queries to count.
    """

    predictions: int = 0  # rows read
    judgements: int = 0  # rows of truth read
    queries: int = 0  # evaluated
    queries_predicted: int = 0  # in the predictions
    queries_judged: int = 0  # in the truth
    queries_missing: int = 0  # judged, not predicted
    queries_emptied: int = 0  # judged and predicted, but every row is masked, excluded or removed
    queries_unexpected: int = 0  # predicted, not judged
    queries_unmixed: int = 0  # all items relevant, or none: left out by judgements=mixed
    queries_without_relevant: int = 0  # evaluated, no grade above 0
    doubled_predictions: int = 0
    doubled_judgements: int = 0
    masked: int = 0  # score -inf: not retrieved
    excluded: int = 0
    self_matched: int = 0
    unjudged: int = 0  # retrieved rows of evaluated queries without a judgement
    retrieved: int = 0  # rows that were ranked
    hits: int = 0  # ranked rows with a grade other than 0
    tied: int = 0  # ranked rows that share their score with another row of their query
    tied_hits: int = 0
    rows: int = 0  # labelled, with a prediction and, of two tables, a partner
    unlabelled: int = 0  # of them, without a label
    unmatched_predictions: int = 0  # predictions without a row in the truth
    unmatched_truth: int = 0  # rows of truth without a prediction
    weightless: int = 0  # rows of weight 0, which are ignored
    outside_catalog: int = 0  # places of the lists shown that an item outside the catalogue takes
    held: frozenset[str] = frozenset()

    @classmethod
    def of(cls, **counts: int) -> Tally:
        """A tally of these counts.

        >>> Tally.of(rows=3, unlabelled=1).to_dict()
        {'rows': 3, 'unlabelled': 1}
        """
        return cls(**counts, held=frozenset(counts))

    def also(self, **counts: int) -> Tally:
        changes: dict[str, Any] = {**counts, "held": self.held | frozenset(counts)}
        return replace(self, **changes)

    def to_dict(self) -> dict[str, int]:
        return {name: count for name, count in vars(self).items() if name in self.held}


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One convention under which lists were ranked, and what it decided."""

    align: Align
    rank: Rank
    tally: Tally


class Account(NamedTuple):
    """What became of the tables of a call: all that a result says of them in addition to the values."""

    tally: Tally  # under the first convention
    rankings: tuple[Ranking, ...] = ()  # every convention that lists were ranked under, with its tally
    slice_coverage: Mapping[str, pl.DataFrame] = {}  # how much of the truth each slice covers, by unit
    inputs: Mapping[str, pl.DataFrame] = {}  # what must be the same where predictions are compared, by role
