"""All that a result shows, as one frozen value that every form, every chart and the page are made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard.engine.memory import Lists
from steelyard.engine.slices import NOTHING, WHOLE, is_whole
from steelyard.metrics import Metric
from steelyard.render.wide import Wide, worst_first
from steelyard.stats.measured import Measured
from steelyard.stats.readings import Reading
from steelyard.text import ENGLISH, Message, say
from steelyard.text.labels import COUNTED, between, in_table, percent
from steelyard.text.names import shown

if TYPE_CHECKING:
    from steelyard.render.charts import Compared
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


@dataclass(frozen=True)
class TextTable:
    """Rows as text, the heads first, and how many of the columns stand to the left.

    ``beside`` are the forms that may stand beside the table before it, the widest first.
    """

    rows: list[list[str]]
    left: int
    above: str = ""
    below: str = ""
    hidden: int = 0  # rows that are not shown
    hidden_slices: int = 0  # slices without a row that is shown; the worst are shown
    captioned: bool = False  # whether what stands below belongs to the table wherever it goes
    best: frozenset[tuple[int, int]] = (
        frozenset()
    )  # the cells, by row below the heads and column, that are best
    beside: tuple[TextTable, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tabled(ABC):
    """What every form is made from: words, and a table; forms tell the messages in the language ``lang``.

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
    def cells(self, limit: int | None = None) -> TextTable:
        """The table as text, at most ``limit`` rows of it; a slice column of the whole reads ``(all)``."""

    def told(self, said: str) -> str:
        return said.told(self.lang) if isinstance(said, Message) else said

    def grids(self) -> dict[str, list[list[str]]]:
        return {}

    def without_grids(self) -> Tabled:
        """The same without what ``grids`` shows."""
        return self

    def names(self, column: pl.Series) -> list[str]:
        """Names of slices, metrics or classes as cells; in a slice column the whole has a name too."""
        if column.name not in self.by:
            return list(map(cell_name, column.to_list()))
        told = {None: self.told(WHOLE), str(WHOLE): self.told(WHOLE), str(NOTHING): self.told(NOTHING)}
        return [told[name] if name in told else cell_name(name) for name in column.to_list()]


@dataclass(frozen=True, kw_only=True)
class System(Tabled):
    """One evaluated system: its words, its numbers, and what its charts and lists are made from.

    Beside other systems its ``rows`` say which values are ``best``.
    """

    units: Mapping[str, str]  # what each metric runs over: queries, rows or groups
    name: str = ""
    place: int = 0  # among all of the page, which gives it its colour and its switch
    predictions: str = ""
    truth: str | None = None
    fingerprint: str | None = None  # of the truth, where systems are to be compared
    spec: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tally: Mapping[str, int] = field(default_factory=dict)
    measured: tuple[Measured, ...] = ()
    lists: Lists | None = None
    wide: Wide | None = None  # the slices as rows, where they are to be shown so

    @property
    def metrics(self) -> dict[str, Metric]:
        return {one.label: one.metric for one in self.measured}

    @property
    def whole(self) -> pl.DataFrame:
        return self.rows.filter(is_whole(self.rows, self.by))

    @property
    def height(self) -> int:
        return self.rows.height if self.wide is None else self.wide.frame.height

    def cells(self, limit: int | None = None) -> TextTable:
        """The table as text, or a row for each slice where it is wide."""
        if self.wide is not None:
            return self._wide_cells(self.wide, limit)
        ways = {label: metric.direction for label, metric in self.metrics.items()}
        rows, hidden = worst_first(self.rows, self.by, ways, self.rows.height if limit is None else limit)
        words = self._words
        units = set(self.units.values())
        counts = [*units] if len(units) == 1 else ["n", "of"]  # named by the unit where all share one
        sure = self.rows["ci_low"].null_count() < self.rows.height
        heads = [*words[len(self.by) :], "value", *(["interval"] if sure else []), *counts, "undefined"]
        columns = [self.names(rows[name]) for name in words]
        matrix = "predicted" in words
        count = rows["predicted"].is_not_null().to_list() if matrix else [False] * rows.height
        columns.append(list(map(in_table, rows["value"].to_list(), count)))
        if sure:
            columns.append(list(map(between, rows["ci_low"].to_list(), rows["ci_high"].to_list())))
        columns.append([f"{count:,}" for count in rows["n"].to_list()])
        if len(counts) > 1:
            told = {label: self.told(COUNTED.get(unit, unit)) for label, unit in self.units.items()}
            columns.append([told[label] for label in rows["metric"].to_list()])
        columns.append([f"{count:,}" for count in rows["undefined"].to_list()])
        named = [*map(self._slice_head, self.by), *(self.told(self._head(name)) for name in heads)]
        return TextTable(
            [named, *map(list, zip(*columns, strict=True))],
            len(words),
            hidden=self.rows.height - rows.height,
            hidden_slices=hidden,
        )

    def _slice_head(self, name: str) -> str:
        of_systems = name == "system" and not self.rows[name].null_count()
        return self.told(say("system")) if of_systems else cell_name(name)

    def _head(self, name: str) -> str:
        if name == "interval":
            return say("{level} interval", level=percent(self.level))
        return _HEADS.get(name, name)

    def _wide_cells(self, wide: Wide, limit: int | None) -> TextTable:
        frame = wide.frame if limit is None else wide.frame.head(limit)
        units = [self.told(COUNTED.get(unit, unit)) for unit in wide.units]
        heads = [*map(self._slice_head, self.by), *units]
        columns = [self.names(frame[name]) for name in self.by]
        columns += [[f"{count:,}" for count in frame[unit].to_list()] for unit in wide.units]
        for label in wide.labels:
            heads.append(cell_name(label))
            columns.append(["" if value is None else in_table(value) for value in frame[label].to_list()])
        rows = [heads, *map(list, zip(*columns, strict=True))]
        hidden = wide.frame.height - frame.height
        note = "" if wide.note is None else self.told(wide.note)
        return TextTable(rows, len(self.by), below=note, hidden=hidden)

    @property
    def _words(self) -> list[str]:
        used = [name for name in ("class", "predicted") if name in self.rows.columns]
        filled = [name for name in used if self.rows[name].null_count() < self.rows.height]
        return [*self.by, "metric", *filled]

    def grids(self) -> dict[str, list[list[str]]]:
        if "predicted" not in self.rows.columns or self.wide is not None:
            return {}
        cells = self.rows.filter(self._in_grid())
        found = {}
        for (label,), part in cells.group_by(["metric"], maintain_order=True):
            classes = part["class"].unique(maintain_order=True).to_list()
            values = [in_table(value, count=True) for value in part["value"].to_list()]
            rows = [values[at : at + len(classes)] for at in range(0, len(values), len(classes))]
            names = list(map(cell_name, classes))
            named = [[name, *row] for name, row in zip(names, rows, strict=True)]
            found[str(label)] = [[self.told(say("true ↓  called →")), *names], *named]
        return found

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
    """Systems that stand side by side on a page, and what is known of them together."""

    systems: tuple[System, ...]
    unlike: frozenset[str] = frozenset()  # the metrics that were not measured alike: none is best
    notes: tuple[Message, ...] = ()  # and why
    compared: Compared | None = None  # what became of their differences, where they were tested
    explained: Attribution | None = (
        None  # which conventions their differences come from, where that was asked
    )

    @property
    def metrics(self) -> dict[str, Metric]:
        found: dict[str, Metric] = {}
        for system in self.systems:
            for label, metric in system.metrics.items():
                found.setdefault(label, metric)
        return found


def cell_name(value: object) -> str:
    return "" if value is None else shown(value, WIDEST_CELL)
