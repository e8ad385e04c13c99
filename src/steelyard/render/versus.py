"""All that a comparison shows, as one frozen value that every form is made from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from steelyard.certainty import alpha_of
from steelyard.engine.slices import CLASS_COLUMNS
from steelyard.metrics.base import Direction, gained
from steelyard.read.table import exactly
from steelyard.render.system import BEST, Tabled, TextTable, cell_name
from steelyard.render.wide import worst_first
from steelyard.text import Message, listed, say
from steelyard.text.labels import FLOORED, between, chance, in_table, percent, signed

MARK = "†"  # marks a difference that is statistically significant
LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ"  # of systems, where each is compared with each


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

    def cells(self, limit: int | None = None) -> TextTable:
        """The table as text: a row for each difference, or, where it is wide, one for each system."""
        return self._wide_cells(limit) if self.wide else self._tidy_cells(limit)

    def _tidy_cells(self, limit: int | None) -> TextTable:
        ways, values, of = dict(self.directions), self.rows["value"], self.rows["difference"]
        first = next(iter(self.rows["metric"]), "")
        if ways.get(first) == "nearest_1":  # where the difference does not say which system is worse
            ways[first], of = "higher", gained(values, values - of, "nearest_1")
        most = self.rows.height if limit is None else limit
        rows, hidden = worst_first(self.rows, self.by, ways, most, of)
        words = [*self.by, "metric", *self._classes, "system", "baseline"]
        columns = [self.names(rows[name]) for name in words]
        columns.append([in_table(value) for value in rows["value"].to_list()])
        marks = [MARK if one else "" for one in self._significant(rows)]
        columns.append([signed(one) for one in rows["difference"].to_list()])
        columns.append(marks)
        columns.append(list(map(between, rows["ci_low"].to_list(), rows["ci_high"].to_list())))
        floored = rows[FLOORED].to_list()
        columns.extend(list(map(chance, rows[name].to_list(), floored)) for name in ("p", "p_corrected"))
        counts = (rows[name].to_list() for name in ("better", "same", "worse"))
        columns.append([_counts(*of_row) for of_row in zip(*counts, strict=True)])
        columns.append(["" if n is None else f"{n:,}" for n in rows["n"].to_list()])
        heads = (
            say("value"),
            say("difference"),
            "",
            say("{level} interval", level=percent(self.level)),
            say("p"),
            say("p corrected"),
            say("better/same/worse"),
            say("units"),
        )
        said = {"metric": say("metric"), "class": say("class"), "predicted": say("predicted // which class")}
        said |= {"system": say("system"), "baseline": say("against // another system")}
        named = [*map(cell_name, self.by), *(self.told(said[name]) for name in words[len(self.by) :])]
        return TextTable(
            [[*named, *map(self.told, heads)], *map(list, zip(*columns, strict=True))],
            len(words),
            below=self._below(MARK if any(marks) else ""),
            hidden=self.rows.height - rows.height,
            captioned=True,
            hidden_slices=hidden,
        )

    def _wide_cells(self, limit: int | None) -> TextTable:
        keys = [*self.by, *self._classes, "system"]
        values = self.values
        labels = values["metric"].unique(maintain_order=True).to_list()
        places = values.select(exactly(keys)).unique(maintain_order=True)
        kept = places if limit is None else places.head(limit)
        marks = self._marks()
        columns = [self.names(kept[name]) for name in keys]
        if self.baseline is None:
            letter = dict(zip(self.systems, LETTERS, strict=False))
            columns[-1] = [f"{name} {letter.get(name, '')}".rstrip() for name in columns[-1]]
        best: set[tuple[int, int]] = set()
        for label in labels:
            mine = kept.join(
                values.filter(pl.col("metric") == label).select(exactly(keys), "value", BEST),
                on=exactly(keys),
                how="left",
                nulls_equal=True,
                maintain_order="left",
            )
            cells = []
            for at, (value, good) in enumerate(zip(mine["value"], mine[BEST], strict=True)):
                key = (*kept.row(at), label)
                cells.append("" if value is None else in_table(value) + marks.get(key, ""))
                if good:
                    best.add((at, len(columns)))
            columns.append(cells)
        heads = [
            *map(cell_name, [*self.by, *self._classes]),
            self.told(say("system")),
            *map(cell_name, labels),
        ]
        used = MARK if self.baseline is not None and marks else LETTERS[0] if marks else ""
        return TextTable(
            [heads, *map(list, zip(*columns, strict=True))],
            len(keys),
            below=self._below(used, wide=True),
            hidden=places.height - kept.height,
            captioned=True,
            best=frozenset(best),
        )

    def _marks(self) -> dict[tuple[object, ...], str]:
        some = self.rows.filter(pl.Series(self._significant(self.rows), dtype=pl.Boolean))
        keys = [*self.by, *self._classes]
        letter = dict(zip(self.systems, LETTERS, strict=False))
        found: dict[tuple[object, ...], str] = {}
        for row in some.to_dicts():
            at, label = tuple(row[name] for name in keys), row["metric"]
            if self.baseline is not None:
                found[*at, row["system"], label] = MARK
                continue
            ahead, behind = row["system"], row["baseline"]
            gain = gained(row["value"], row["value"] - row["difference"], self.directions[label])
            if math.isnan(gain):
                continue  # neither side is better
            if gain < 0:
                ahead, behind = behind, ahead
            key = (*at, ahead, label)
            found[key] = "".join(sorted(found.get(key, "") + letter.get(behind, "")))
        return found

    def _below(self, mark: str, *, wide: bool = False) -> str:
        figures: dict[str, Any] = {"mark": mark, "alpha": alpha_of(self.level), "tested": self.tested}
        if mark == MARK:
            said = say("{mark} statistically significant: p corrected below {alpha:g}; {tested}", **figures)
        elif mark:
            said = say(
                "{mark} … significantly better than that system: p corrected below {alpha:g}; {tested}",
                **figures,
            )
        elif self.rows["p"].count():
            said = say("no difference is statistically significant; {tested}", tested=self.tested)
        else:
            said = say("no difference was tested")
        if wide and self.on_own_units:
            said = say(
                "{said}; {metrics}: each value is of all units of its system, each difference of those that "
                "two systems share",
                said=said,
                metrics=listed(self.on_own_units),
            )
        return self.told(said)

    def _significant(self, rows: pl.DataFrame) -> list[bool]:
        below = alpha_of(self.level)
        return [p is not None and p < below for p in rows["p_corrected"].to_list()]

    @property
    def _classes(self) -> list[str]:
        return [name for name in CLASS_COLUMNS if name in self.rows.columns]


def _counts(better: int | None, same: int | None, worse: int | None) -> str:
    return "" if better is None else f"{better:,} / {same:,} / {worse:,}"
