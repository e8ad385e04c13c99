"""The tables of a call before they are read, and the names of where they were."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from steelyard import kernels, read
from steelyard.engine.background import TABLES as BESIDE
from steelyard.engine.listing import wanted_tables
from steelyard.engine.protocol import Need
from steelyard.messages import Message, listed, say
from steelyard.messages.errors import asking, reading
from steelyard.messages.errors.base import brief
from steelyard.read.files import is_there

_READ_BY = {"feature": "features", "count": "history", "group": "item_groups"}  # what only one table has
_TABLES = ("predictions", "truth", "exclude", "by_table", *BESIDE)
OF_ROWS = "rows."  # begins the roles of tables as metrics of rows read them
_LARGE_FILE = 8 * kernels.LARGE  # bytes: a row of parquet takes about 8, a row of text more


@dataclass(frozen=True, kw_only=True)
class Call:
    """The tables of one call, which may be anything that can be read."""

    predictions: Any
    truth: Any = None
    columns: Mapping[str, Any] | None = None
    exclude: Any = None
    weights: Any = None
    by_table: Any = None  # what is known of each query, to slice by
    beside: Mapping[str, Any] = field(default_factory=dict)  # catalog, features, history, item_groups, usual

    def __post_init__(self) -> None:
        """Check what names columns, and let every reader of this call share what comes through a pipe."""
        if self.columns is not None:
            if not isinstance(self.columns, Mapping):
                raise reading.columns_not_mapping(self.columns)
            object.__setattr__(self, "columns", dict(self.columns))
        for name, table in read_once(vars(self)).items():
            if table is not getattr(self, name):
                object.__setattr__(self, name, table)
        if self.beside:
            object.__setattr__(self, "beside", read_once(self.beside))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Call:
        """The tables among the arguments of a function such as ``evaluate``."""
        tables = {
            name: given.get(name) for name in ("predictions", "truth", "exclude", "weights", "by_table")
        }
        beside = {name: table for name in BESIDE if (table := given.get(name)) is not None}
        call = cls(**tables, columns=given.get("columns"), beside=beside)
        return call if given.get("scores") is None else call.with_scores(given["scores"])

    def with_scores(self, scores: str | Sequence[str]) -> Call:
        """The same with the score column that ``scores`` names; several are several systems."""
        if not isinstance(scores, str | list | tuple):
            raise asking.no_column(given=brief(scores))
        columns = self.columns or {}
        if "score" in columns:
            raise asking.score_column_named()
        return replace(self, columns={**columns, "score": scores})

    def of_one_system(self) -> Call:
        """The same, where no more than one score column is named."""
        if systems := self.systems():
            raise asking.one_score_column(n=len(systems), names=listed(list(systems)))
        return self

    def check(self) -> None:
        """Refuse files that are not there, before any is read."""
        weights = () if isinstance(self.weights, str) else (self.weights,)
        tables = (self.predictions, self.truth, self.exclude, self.by_table, *self.beside.values())
        read.check_sources(*tables, *weights)

    def needed(self, needs: Sequence[Need]) -> tuple[Call, list[Message]]:
        """The same without tables that no metric reads, which a note names."""
        of_lists = [need for need in needs if need.reads == "lists"]
        if not self.beside and not of_lists:
            return self, []
        given = {**self.beside, "truth": self.predictions if self.truth is None else self.truth}
        wanted = wanted_tables(of_lists, given)
        unread = [name for name in self.beside if name not in wanted]
        if not unread:
            return self, []
        columns = {
            key: name
            for key, name in (self.columns or {}).items()
            if _READ_BY.get(key, str(key).rpartition(".")[0]) not in unread
        }
        beside = {name: table for name, table in self.beside.items() if name in wanted}
        note = say(
            "{tables:and} {tables:was|were} given, and no metric reads {tables:it|them}.",
            key="unread_tables",
            tables=unread,
        )
        return replace(self, columns=columns, beside=beside), [note]

    def opened(self) -> Call:
        """The same with tables that can be read for several purposes."""
        said, true = read.opened(self.predictions, self.truth)
        return replace(self, predictions=said, truth=true)

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
        names = given
        if isinstance(given, str):
            if shared.predictions.has(given, "labelled" if self.truth is None else "predictions"):
                return None
            names = [name.strip() for name in given.split(",")]
        if not names or not all(isinstance(name, str) and name for name in names):
            raise asking.no_column(given=brief(given))
        for place, name in enumerate(names):
            if name in names[:place]:
                raise asking.same_column(name=name)
        log = shared.predictions
        return {
            name: replace(
                shared,
                predictions=log.without(set(names) - {name}),
                columns={**columns, key: name},
            )
            for name in names
        }

    def warm_up(self) -> None:
        """Load the compiled kernels while large tables are being read."""
        for table in (self.predictions, self.truth, self.exclude):
            source = read.given(table)
            if isinstance(source, str | os.PathLike) and _is_large_file(Path(source)):
                kernels.warm_up()


def read_once(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name; a table that is a pipe keeps what it holds. Weights as text name a column."""
    return {
        name: read.once(given) if name in _TABLES or isinstance(given, os.PathLike) else given
        for name, given in arguments.items()
    }


@dataclass(frozen=True, kw_only=True)
class Names:
    """Where everything was read; ``truth`` is None where the labels are inside the predictions."""

    predictions: str
    truth: str | None = None
    weights: str | None = None
    exclude: str | None = None


def _is_large_file(path: Path) -> bool:
    """Whether a source will most likely have enough rows for compiled kernels."""
    return is_there(path) and path.is_file() and path.stat().st_size >= _LARGE_FILE
