"""All that a comparison shows, as one frozen value: the input of every form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from steelyard.certainty import alpha_of
from steelyard.engine.slices import CLASS_COLUMNS
from steelyard.metrics.base import Direction, gained
from steelyard.read.table import exactly
from steelyard.render.system import BEST, Tabled, cell_name
from steelyard.render.table import Cell, ShownTable, table_of
from steelyard.render.wide import worst_first
from steelyard.text import Message, listed, say
from steelyard.text.labels import FLOORED, between, chance, in_table, percent, signed

MARK = "†"  # marks a difference that is statistically significant
LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ"  # of systems, where each is compared with each
_HEADINGS = {
    "metric": say("metric"),
    "class": say("class"),
    "predicted": say("predicted // which class"),
    "system": say("system"),
    "baseline": say("against // another system"),
}


@dataclass(frozen=True, kw_only=True)
class Versus(Tabled):
    """Systems that were compared: their differences, what tested them, and the values of each.

    ``rows`` are the differences; ``values`` are those of each system, with a column that says which are best.
    """

    tested: Message  # by which tests, how corrected
    values: pl.DataFrame
    systems: tuple[str, ...]
    baseline: str | None
    directions: Mapping[str, Direction]  # of each metric: which values are better
    wide: bool = False
    on_own_units: tuple[str, ...] = ()  # metrics whose values are of more units than their differences

    def cells(self, limit: int | None = None) -> ShownTable:
        """The table: a row for each difference, or, where it is wide, one for each system."""
        return self._wide_cells(limit) if self.wide else self._tidy_cells(limit)

    def _tidy_cells(self, limit: int | None) -> ShownTable:
        directions, values, worst_by = dict(self.directions), self.rows["value"], self.rows["difference"]
        first = next(iter(self.rows["metric"]), "")
        if directions.get(first) == "nearest_1":  # where the difference does not say which system is worse
            directions[first], worst_by = "higher", gained(values, values - worst_by, "nearest_1")
        most = self.rows.height if limit is None else limit
        rows, hidden = worst_first(self.rows, self.by, directions, most, worst_by)
        words = [*self.by, "metric", *self._classes, "system", "baseline"]
        marks = [MARK if significant else "" for significant in self._significant(rows)]
        floored = rows[FLOORED].to_list()
        p, corrected = (list(map(chance, rows[name].to_list(), floored)) for name in ("p", "p_corrected"))
        counts = zip(*(rows[name].to_list() for name in ("better", "same", "worse")), strict=True)
        table = table_of(
            [
                *((_HEADINGS.get(name, cell_name(name)), self.names(rows[name])) for name in words),
                (say("value"), list(map(in_table, rows["value"].to_list()))),
                (say("difference"), list(map(signed, rows["difference"].to_list()))),
                ("", marks),
                (
                    say("{level} interval", level=percent(self.level)),
                    list(map(between, rows["ci_low"].to_list(), rows["ci_high"].to_list())),
                ),
                (say("p"), p),
                (say("p corrected"), corrected),
                (say("better/same/worse"), [_counts(*of_row) for of_row in counts]),
                (say("units"), ["" if n is None else f"{n:,}" for n in rows["n"].to_list()]),
            ],
            len(words),
        )
        return replace(
            table,
            notes=(self._note(MARK if any(marks) else ""),),
            captioned=True,
            hidden=self.rows.height - rows.height,
            hidden_slices=hidden,
        )

    def _wide_cells(self, limit: int | None) -> ShownTable:
        keys = [*self.by, *self._classes, "system"]
        labels = self.values["metric"].unique(maintain_order=True).to_list()
        places = self.values.select(exactly(keys)).unique(maintain_order=True)
        kept = places if limit is None else places.head(limit)
        marks = self._marks()
        columns: list[tuple[str, Sequence[str | Cell]]] = [
            (cell_name(name), self.names(kept[name])) for name in keys[:-1]
        ]
        names = self.names(kept["system"])
        if self.baseline is None:
            letter = dict(zip(self.systems, LETTERS, strict=False))
            names = [f"{name} {letter.get(name, '')}".rstrip() for name in names]
        columns.append((say("system"), names))
        for label in labels:
            of_metric = kept.join(
                self.values.filter(pl.col("metric") == label).select(exactly(keys), "value", BEST),
                on=exactly(keys),
                how="left",
                nulls_equal=True,
                maintain_order="left",
            )
            cells = [
                Cell(
                    text="" if value is None else in_table(value) + marks.get((*key, label), ""),
                    best=bool(best),
                )
                for key, value, best in zip(kept.rows(), of_metric["value"], of_metric[BEST], strict=True)
            ]
            columns.append((cell_name(label), cells))
        used = MARK if self.baseline is not None and marks else LETTERS[0] if marks else ""
        return replace(
            table_of(columns, len(keys)),
            notes=(self._note(used, wide=True),),
            captioned=True,
            hidden=places.height - kept.height,
        )

    def _marks(self) -> dict[tuple[object, ...], str]:
        some = self.rows.filter(pl.Series(self._significant(self.rows), dtype=pl.Boolean))
        keys = [*self.by, *self._classes]
        letter = dict(zip(self.systems, LETTERS, strict=False))
        marks: dict[tuple[object, ...], str] = {}
        for row in some.to_dicts():
            at, label = tuple(row[name] for name in keys), row["metric"]
            if self.baseline is not None:
                marks[*at, row["system"], label] = MARK
                continue
            ahead, behind = row["system"], row["baseline"]
            gain = gained(row["value"], row["value"] - row["difference"], self.directions[label])
            if math.isnan(gain):
                continue  # neither side is better
            if gain < 0:
                ahead, behind = behind, ahead
            key = (*at, ahead, label)
            marks[key] = "".join(sorted(marks.get(key, "") + letter.get(behind, "")))
        return marks

    def _note(self, mark: str, *, wide: bool = False) -> Message:
        figures: dict[str, Any] = {"mark": mark, "alpha": alpha_of(self.level), "tested": self.tested}
        if mark == MARK:
            note = say("{mark} statistically significant: p corrected below {alpha:g}; {tested}", **figures)
        elif mark:
            note = say(
                "{mark} … significantly better than that system: p corrected below {alpha:g}; {tested}",
                **figures,
            )
        elif self.rows["p"].count():
            note = say("no difference is statistically significant; {tested}", tested=self.tested)
        else:
            note = say("no difference was tested")
        if wide and self.on_own_units:
            return say(
                "{said}; {metrics}: each value is of all units of its system, each difference of those that "
                "two systems share",
                said=note,
                metrics=listed(self.on_own_units),
            )
        return note

    def _significant(self, rows: pl.DataFrame) -> list[bool]:
        below = alpha_of(self.level)
        return [p is not None and p < below for p in rows["p_corrected"].to_list()]

    @property
    def _classes(self) -> list[str]:
        return [name for name in CLASS_COLUMNS if name in self.rows.columns]


def _counts(better: int | None, same: int | None, worse: int | None) -> str:
    return "" if better is None else f"{better:,} / {same:,} / {worse:,}"
