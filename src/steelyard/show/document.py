"""All that a result shows, as one frozen value that every form is made from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from steelyard.measure.slices import NOTHING, WHOLE
from steelyard.messages import ENGLISH, Message, say
from steelyard.printable import decimal
from steelyard.show.labels import LARGEST_COUNT, shown

GRID_CLASSES = 12  # a matrix of more classes is no longer read at a glance
WIDEST_CELL = 60  # longer names are cut in the middle; CSV and JSON hold them whole
COUNTED = {
    "queries": say("queries // what is counted"),
    "rows": say("rows // what is counted"),
    "groups": say("groups // what is counted"),
}
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
class Document:
    """The words and the numbers of a result; ``rows`` are tidy, the whole before its slices.

    The words are messages; the forms made from it tell them in the language ``lang``.
    """

    title: Message
    facts: tuple[Message, ...]
    conventions: Message
    readings: tuple[Message, ...]
    notes: tuple[Message, ...]
    by: tuple[str, ...]
    rows: pl.DataFrame
    units: Mapping[str, str]  # what each metric runs over: queries, rows or groups
    lang: str = ENGLISH

    def told(self, said: str) -> str:
        """A message in the language of the document."""
        return said.told(self.lang) if isinstance(said, Message) else said

    @property
    def words(self) -> list[str]:
        """The columns that hold words: slices, the metric, and classes where there are any."""
        used = [name for name in ("class", "predicted") if name in self.rows.columns]
        return [
            *self.by,
            "metric",
            *(name for name in used if self.rows[name].null_count() < self.rows.height),
        ]

    @property
    def header(self) -> list[str]:
        """The names of the columns shown."""
        heads = [*self.words[len(self.by) :], "value", *self._counts, "undefined"]
        return [*map(_name, self.by), *(self.told(_HEADS.get(name, name)) for name in heads)]

    @property
    def _counts(self) -> list[str]:
        """What is counted: named by its unit where all metrics share one."""
        units = set(self.units.values())
        return [*units] if len(units) == 1 else ["n", "of"]

    def cells(self, limit: int | None = None) -> list[list[str]]:
        """The table as text, row by row; a slice column of the whole reads ``(all)``."""
        rows = self.rows if limit is None else self.rows.head(limit)
        columns = [
            [self._slice(value) if name in self.by else _name(value) for value in rows[name].to_list()]
            for name in self.words
        ]
        count = (
            rows["predicted"].is_not_null().to_list() if "predicted" in self.words else [False] * rows.height
        )
        columns.append(list(map(number, rows["value"].to_list(), count)))
        columns.append([f"{count:,}" for count in rows["n"].to_list()])
        if len(self._counts) > 1:
            units = {label: self.told(COUNTED.get(unit, unit)) for label, unit in self.units.items()}
            columns.append([units[label] for label in rows["metric"].to_list()])
        columns.append([f"{count:,}" for count in rows["undefined"].to_list()])
        return [list(cells) for cells in zip(*columns, strict=True)]

    def _slice(self, name: str | None) -> str:
        if name is None or name == NOTHING:
            return self.told(WHOLE if name is None else NOTHING)
        return _name(name)

    def grids(self) -> dict[str, list[list[str]]]:
        """The confusion matrices of the whole as squares, a row per true class; none of many classes."""
        if "predicted" not in self.rows.columns:
            return {}
        cells = self.rows.filter(self._in_grid())
        found = {}
        for (label,), part in cells.group_by(["metric"], maintain_order=True):
            classes = part["class"].unique(maintain_order=True).to_list()
            values = [number(value, count=True) for value in part["value"].to_list()]
            rows = [values[at : at + len(classes)] for at in range(0, len(values), len(classes))]
            names = list(map(_name, classes))
            named = [[name, *row] for name, row in zip(names, rows, strict=True)]
            found[str(label)] = [[self.told(say("true ↓  called →")), *names], *named]
        return found

    def without_grids(self) -> Document:
        """The same without what ``grids`` shows."""
        return replace(self, rows=self.rows.filter(~self._in_grid())) if self.grids() else self

    def _in_grid(self) -> pl.Expr:
        whole = [pl.col(name).is_null() for name in self.by]
        few = pl.col("class").n_unique().over("metric", *self.by) <= GRID_CLASSES
        return pl.all_horizontal(pl.col("predicted").is_not_null(), few, *whole)


def _name(value: object) -> str:
    """An id, a slice or a metric as a cell shows it."""
    return "" if value is None else shown(value, WIDEST_CELL)


def number(value: float, count: bool = False) -> str:
    """A value as a reader wants it: four decimals, a whole count without, a dash where it is undefined.

    >>> number(0.50607), number(1e200), number(float("nan")), number(float("inf")), number(1204.0, count=True)
    ('0.5061', '1.0000e+200', '–', '∞', '1,204')
    """
    if value != value:
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    whole = count and value.is_integer() and abs(value) < LARGEST_COUNT
    return f"{value:,.0f}" if whole else decimal(value)
