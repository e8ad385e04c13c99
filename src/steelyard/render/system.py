"""All that a result shows, as one frozen value: the input of every form, chart and page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard.engine.memory import Lists
from steelyard.engine.slices import NOTHING, WHOLE, is_whole
from steelyard.metrics import Metric
from steelyard.render.table import ShownTable, Wide, columns_of, table_of, worst_first
from steelyard.stats.measured import Measured
from steelyard.stats.readings import Reading
from steelyard.text import ENGLISH, Message, say
from steelyard.text.labels import COUNTED, between, in_table, percent
from steelyard.text.names import shown

if TYPE_CHECKING:
    from steelyard.render.compared import Compared
    from steelyard.render.differences import Attribution

BEST = "best of its row"  # a column of the rows of systems side by side; slices may be called 'best'
GRID_CLASSES = 12  # a matrix of more classes is no longer read at a glance
WIDEST_CELL = 60  # longer names are cut in the middle; CSV and JSON hold them whole
_HEADS = {
    "metric": say("metric"),
    "class": say("class"),
    "predicted": say("predicted // which class"),
    "value": say("value"),
    "n": say("n // how many"),
    "of": say("of // what is counted"),
    "undefined": say("undefined"),
    **COUNTED,
}


@dataclass(frozen=True, kw_only=True)
class Tabled(ABC):
    """The input of every form: sentences and a table, shown in the language ``lang``.

    ``rows`` are tidy, the whole before its slices.
    """

    title: Message
    facts: tuple[Message, ...]  # how much was read
    conventions: Message
    readings: tuple[Reading, ...] = ()  # what the numbers say together
    notes: tuple[Message, ...]
    by: tuple[str, ...]
    rows: pl.DataFrame
    level: float = 0.95  # of the intervals
    lang: str = ENGLISH

    @abstractmethod
    def cells(self, limit: int | None = None) -> ShownTable:
        """The table, at most ``limit`` rows of it; a slice column of the whole reads ``(all)``."""

    def render(self, text: str) -> str:
        return text.render(self.lang) if isinstance(text, Message) else text

    def grids(self) -> dict[str, ShownTable]:
        return {}

    def without_grids(self) -> Tabled:
        """The same without what ``grids`` shows."""
        return self

    def names(self, column: pl.Series) -> list[str]:
        """Names of slices, metrics or classes as cells; in a slice column null is the whole."""
        if column.name not in self.by:
            return list(map(cell_name, column.to_list()))
        words = {None: WHOLE, str(WHOLE): WHOLE, str(NOTHING): NOTHING}
        return [words[name] if name in words else cell_name(name) for name in column.to_list()]


@dataclass(frozen=True, kw_only=True)
class System(Tabled):
    """One evaluated system: its sentences, its numbers, and the data of its charts and lists.

    Beside other systems its ``rows`` say which values are ``best``.
    """

    units: Mapping[str, str]  # what each metric runs over: queries, rows or groups
    name: str = ""
    place: int = 0  # among all of the page, which gives it its colour and its switch
    predictions: str = ""
    truth: str | None = None
    fingerprint: str | None = None  # of the truth
    spec: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tally: Mapping[str, int] = field(default_factory=dict)
    measured: tuple[Measured, ...] = ()
    lists: Lists | None = None
    wide: Wide | None = None  # a row for each slice, if the table is wide

    @property
    def metrics(self) -> dict[str, Metric]:
        return {measured.label: measured.metric for measured in self.measured}

    @property
    def whole(self) -> pl.DataFrame:
        return self.rows.filter(is_whole(self.rows, self.by))

    @property
    def height(self) -> int:
        return self.rows.height if self.wide is None else self.wide.frame.height

    def cells(self, limit: int | None = None) -> ShownTable:
        """The tidy table, or a row for each slice where it is wide."""
        if self.wide is not None:
            return self._wide_cells(self.wide, limit)
        directions = {label: metric.direction for label, metric in self.metrics.items()}
        rows, hidden = worst_first(
            self.rows, self.by, directions, self.rows.height if limit is None else limit
        )
        used = [name for name in ("class", "predicted") if name in self.rows.columns]
        filled = [name for name in used if self.rows[name].null_count() < self.rows.height]
        words = [*self.by, "metric", *filled]
        columns = [(self._heading(name), self.names(rows[name])) for name in words]
        counted = rows["predicted"].is_not_null() if "predicted" in words else [False] * rows.height
        columns.append((_HEADS["value"], list(map(in_table, rows["value"].to_list(), counted))))
        if self.rows["ci_low"].null_count() < self.rows.height:
            heading = say("{level} interval", level=percent(self.level))
            columns.append((heading, list(map(between, rows["ci_low"].to_list(), rows["ci_high"].to_list()))))
        units = set(self.units.values())
        n = [f"{count:,}" for count in rows["n"].to_list()]
        if len(units) == 1:  # the column is named by the unit that all share
            columns += [(COUNTED.get(unit, unit), n) for unit in units]
        else:
            of = [COUNTED.get(unit, unit) for unit in map(self.units.__getitem__, rows["metric"].to_list())]
            columns += [(_HEADS["n"], n), (_HEADS["of"], of)]
        columns.append((_HEADS["undefined"], [f"{count:,}" for count in rows["undefined"].to_list()]))
        return replace(
            table_of(columns, len(words)), hidden=self.rows.height - rows.height, hidden_slices=hidden
        )

    def _heading(self, name: str) -> str:
        if name not in self.by:
            return _HEADS.get(name, name)
        of_systems = name == "system" and not self.rows[name].null_count()
        return say("system") if of_systems else cell_name(name)

    def _wide_cells(self, wide: Wide, limit: int | None) -> ShownTable:
        frame = wide.frame if limit is None else wide.frame.head(limit)
        columns = [(self._heading(name), self.names(frame[name])) for name in self.by]
        columns += [
            (COUNTED.get(unit, unit), [f"{count:,}" for count in frame[unit].to_list()])
            for unit in wide.units
        ]
        for label in wide.labels:
            values = ["" if value is None else in_table(value) for value in frame[label].to_list()]
            columns.append((cell_name(label), values))
        return replace(
            table_of(columns, len(self.by)),
            notes=() if wide.note is None else (wide.note,),
            hidden=wide.frame.height - frame.height,
        )

    def grids(self) -> dict[str, ShownTable]:
        if "predicted" not in self.rows.columns or self.wide is not None:
            return {}
        grids = {}
        for (label,), cells in self.rows.filter(self._in_grid()).group_by(["metric"], maintain_order=True):
            names = list(map(cell_name, cells["class"].unique(maintain_order=True).to_list()))
            values = [in_table(value, count=True) for value in cells["value"].to_list()]
            rows = [[name, *values[at * len(names) :][: len(names)]] for at, name in enumerate(names)]
            headings = [say("true ↓  called →"), *names]
            grids[str(label)] = ShownTable(columns=columns_of(headings, 1), rows=rows)
        return grids

    def without_grids(self) -> System:
        """The same without what ``grids`` shows."""
        return replace(self, rows=self.rows.filter(~self._in_grid())) if self.grids() else self

    def _in_grid(self) -> pl.Series:
        whole = is_whole(self.rows, self.by).alias("whole")
        cells = self.rows.select("metric", "class", "predicted").with_columns(whole)
        few = pl.col("class").n_unique().over("metric", "whole") <= GRID_CLASSES
        return cells.select(pl.col("whole") & pl.col("predicted").is_not_null() & few).to_series()


@dataclass(frozen=True, kw_only=True)
class PagePart:
    """Systems that a page shows side by side, and their comparison."""

    systems: tuple[System, ...]
    unlike: frozenset[str] = frozenset()  # the metrics that were not measured alike: none is best
    notes: tuple[Message, ...] = ()  # and why
    compared: Compared | None = None  # their differences, if they were tested
    explained: Attribution | None = None  # the conventions behind their difference, if that was asked

    @property
    def metrics(self) -> dict[str, Metric]:
        metrics: dict[str, Metric] = {}
        for system in self.systems:
            for label, metric in system.metrics.items():
                metrics.setdefault(label, metric)
        return metrics


def cell_name(value: object) -> str:
    return "" if value is None else shown(value, WIDEST_CELL)
