"""A comparison as every output reads it: text, charts and the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard.conventions import alpha_of
from steelyard.engine.slices import CLASS_COLUMNS, in_sentence, is_whole
from steelyard.metrics import Metric
from steelyard.metrics.base import Direction
from steelyard.read.table import exactly
from steelyard.render.system import BEST, Tabled, cell_name
from steelyard.render.table import Cell, ShownTable, table_of, worst_first
from steelyard.text import Message, listed, say
from steelyard.text.labels import (
    FLOORED,
    GAIN,
    STANDING,
    UNITS,
    between,
    chance,
    how_many,
    in_table,
    percent,
    signed,
)
from steelyard.text.names import shown

if TYPE_CHECKING:
    from steelyard.render.charts import Pairs

MARK = "†"  # marks a difference that is statistically significant
LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ"  # of systems, where each is compared with each
Row = Mapping[str, Any]
_HEADINGS = {
    "metric": say("metric"),
    "class": say("class"),
    "predicted": say("predicted // which class"),
    "system": say("system"),
    "baseline": say("against // another system"),
}
_STANDINGS = {
    "better": say("better"),
    "worse": say("worse"),
    "apart": say("differs"),
    "open": say("not significant"),
    "untested": say("not tested"),
}
_SIGNIFICANT = {
    "better": say("is better than"),
    "worse": say("is worse than"),
    "apart": say("differs from"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared(Tabled):
    """Systems that were compared: their differences, how these were tested, and the values of each system.

    ``rows`` are the differences: the columns of ``Comparison.table`` and those that it does not show. A slice
    column is null in rows of the whole. Wide tables read ``values``, those of each system, with a column that
    says which are best.
    """

    metrics: Mapping[str, Metric]
    tested: Message  # by which tests, how corrected
    correction: Message | None = None  # None if p-values are not corrected
    baseline: str | None = None  # None if every pair is compared
    titles: Mapping[str, str]  # of the systems in ``rows``; a title may be a message
    values: pl.DataFrame | None = None
    on_own_units: tuple[str, ...] = ()  # metrics whose values use more units than their differences
    each: tuple[Pairs, ...] = ()  # of one metric for each pair, if queries have values

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every system with the one that it is compared with."""
        every = self.records(self.rows.select("system", "baseline").unique(maintain_order=True))
        return [(row["system"], row["baseline"]) for row in every]

    @property
    def only_baseline(self) -> str | None:
        """The system that all others are compared with, chosen or not."""
        baselines = {baseline for _, baseline in self.pairs}
        return baselines.pop() if len(baselines) == 1 else None

    @property
    def whole(self) -> pl.DataFrame:
        return self.rows.filter(is_whole(self.rows, self.by))

    @property
    def sliced(self) -> pl.DataFrame:
        return self.rows.filter(~is_whole(self.rows, self.by))

    def records(self, rows: pl.DataFrame) -> list[dict[str, Any]]:
        """Some of the rows, with the titles of the systems."""
        return [
            row | {side: self.titles.get(row[side], row[side]) for side in ("system", "baseline")}
            for row in rows.to_dicts()
        ]

    def of(self, system: str, baseline: str) -> Compared:
        mine = (self.rows["system"] == system) & (self.rows["baseline"] == baseline)
        return replace(self, rows=self.rows.filter(mine))

    def cells(self, limit: int | None = None) -> ShownTable:
        """The table: a row for each difference, or, where it is wide, one for each system."""
        return self._tidy_cells(limit) if self.values is None else self._wide_cells(self.values, limit)

    def _tidy_cells(self, limit: int | None) -> ShownTable:
        sided: dict[str, Direction] = {
            label: "none" if metric.direction == "none" else "higher"
            for label, metric in self.metrics.items()
        }
        most = self.rows.height if limit is None else limit
        rows, hidden = worst_first(self.rows, self.by, sided, most, self.rows[GAIN])
        words = [*self.by, "metric", *self._classes, "system", "baseline"]
        figures = ["value", "difference", "mark", "interval", "p", "p_corrected", "counts", "n"]
        return replace(
            self.table(rows, words, figures),
            notes=(self._note(MARK if rows[STANDING].is_in(list(_SIGNIFICANT)).any() else ""),),
            captioned=True,
            hidden=self.rows.height - rows.height,
            hidden_slices=hidden,
        )

    def table(self, rows: pl.DataFrame, words: Sequence[str], figures: Sequence[str]) -> ShownTable:
        """Some differences: columns of names, then columns of figures."""
        every = self._figures(rows)
        named = [(_HEADINGS.get(name, cell_name(name)), self._names(rows[name])) for name in words]
        return table_of([*named, *(every[name] for name in figures)], len(words))

    def _names(self, column: pl.Series) -> list[str | Cell]:
        if column.name == "metric":
            directions = {label: metric.direction for label, metric in self.metrics.items()}
            return [Cell(text=cell_name(label), direction=directions[label]) for label in column.to_list()]
        if column.name not in ("system", "baseline"):
            return list(self.names(column))
        titles = [self.titles.get(name, name) for name in column.to_list()]
        return [Cell(text=title if isinstance(title, Message) else cell_name(title)) for title in titles]

    def _figures(self, rows: pl.DataFrame) -> dict[str, tuple[str, list[Cell]]]:
        """Every column of figures under a name, with its heading; the cells have what a page sorts by."""

        def column(heading: str, *names: str, cell: Any) -> tuple[str, list[Cell]]:
            return heading, [cell(*row) for row in rows.select(exactly(names)).rows()]

        interval = say("{level} interval", level=percent(self.level))
        columns = {
            "value": column(say("value"), "value", cell=_number),
            "difference": column(
                say("difference"),
                *("difference", STANDING),
                cell=lambda value, standing: Cell(text=signed(value), sort=value, small=_STANDINGS[standing]),
            ),
            "mark": column(
                "", STANDING, cell=lambda standing: Cell(text=MARK if standing in _SIGNIFICANT else "")
            ),
            "interval": column(interval, "ci_low", "ci_high", cell=_interval),
            "signed_interval": column(interval, "ci_low", "ci_high", cell=_signed_interval),
            "counts": column(say("better/same/worse"), "better", "same", "worse", cell=_counts),
            "n": column(say("units"), "metric", "n", cell=self._units),
            "detectable": column(say("min. detectable"), "detectable", cell=_number),
        }
        for name, heading in (("p", say("p")), ("p_corrected", say("p corrected"))):
            columns[name] = column(
                heading, name, FLOORED, cell=lambda p, floored: Cell(text=chance(p, floored), sort=p)
            )
        return columns

    def _units(self, label: str, n: int | None) -> Cell:
        if n is None:
            return Cell()
        of_queries = self.metrics[label].unit == "queries"
        return Cell(text=f"{n:,}", sort=n, small=UNITS["queries"] if of_queries else say("units"), count=True)

    def _wide_cells(self, values: pl.DataFrame, limit: int | None) -> ShownTable:
        keys = [*self.by, *self._classes, "system"]
        labels = values["metric"].unique(maintain_order=True).to_list()
        places = values.select(exactly(keys)).unique(maintain_order=True)
        kept = places if limit is None else places.head(limit)
        marks = self._marks()
        columns: list[tuple[str, Sequence[str | Cell]]] = [
            (cell_name(name), self.names(kept[name])) for name in keys[:-1]
        ]
        names = [
            (name, self._letters.get(name, "") if self.baseline is None else "") for name in kept["system"]
        ]
        columns.append((say("system"), [f"{cell_name(name)} {letter}".rstrip() for name, letter in names]))
        for label in labels:
            of_metric = kept.join(
                values.filter(pl.col("metric") == label).select(exactly([*keys, "value", BEST])),
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
        note = self._note(used)
        if self.on_own_units:
            note = say(
                "{said}; {metrics}: each value is of all units of its system, each difference of those that "
                "two systems share",
                said=note,
                metrics=listed(self.on_own_units),
            )
        return replace(
            table_of(columns, len(keys)),
            notes=(note,),
            captioned=True,
            hidden=places.height - kept.height,
        )

    @property
    def _letters(self) -> dict[str, str]:
        return dict(zip(self.titles, LETTERS, strict=False))

    def _marks(self) -> dict[tuple[object, ...], str]:
        """The mark of each value: a dagger, or without a baseline the letters of worse systems."""
        keys, marks = [*self.by, *self._classes], dict[tuple[object, ...], str]()
        for row in self.rows.to_dicts():
            at, standing = tuple(row[name] for name in keys), row[STANDING]
            if self.baseline is not None and standing in _SIGNIFICANT:
                marks[*at, row["system"], row["metric"]] = MARK
            elif self.baseline is None and standing in ("better", "worse"):
                sides = row["system"], row["baseline"]
                ahead, behind = sides if standing == "better" else sides[::-1]
                key = (*at, ahead, row["metric"])
                marks[key] = "".join(sorted(marks.get(key, "") + self._letters.get(behind, "")))
        return marks

    def _note(self, mark: str) -> Message:
        figures: dict[str, Any] = {"mark": mark, "alpha": alpha_of(self.level), "tested": self.tested}
        if mark == MARK:
            return say("{mark} statistically significant: p corrected below {alpha:g}; {tested}", **figures)
        if mark:
            return say(
                "{mark} after a value: significantly better than the system with this letter; "
                "p corrected below {alpha:g}; {tested}",
                **figures,
            )
        if self.rows["p"].count():
            return say("no difference is statistically significant; {tested}", tested=self.tested)
        return say("no difference was tested")

    @property
    def _classes(self) -> list[str]:
        return [name for name in CLASS_COLUMNS if name in self.rows.columns]

    def verdict(self, row: Row) -> Message:
        """A difference in one sentence."""
        standing, direction = row[STANDING], self.metrics[row["metric"]].direction
        who = {"system": row["system"], "baseline": row["baseline"], "metric": shown(row["metric"])}
        if standing not in _SIGNIFICANT:
            sentence = self._not_significant(row)
        elif direction in ("higher", "lower"):
            sentence = say(
                "{system} {stands} {baseline} in {metric} by {by} ({how}).",
                stands=_SIGNIFICANT[standing],
                by=in_table(abs(row["difference"])),
                how=self._how(row, size=True),
                **who,
            )
        else:
            sentence = say(
                "{system} {stands} {baseline} in {metric}: {difference} ({how}).",
                stands=_SIGNIFICANT[standing],
                difference=signed(row["difference"]),
                how=self._how(row),
                **who,
            )
        if all(row[name] is None for name in self.by):
            return sentence
        return say("In {slice}: {said}", slice=in_sentence(row[name] for name in self.by), said=sentence)

    def _not_significant(self, row: Row) -> Message:
        """A difference that is not significant or not tested, and which differences can be detected."""
        who = {"system": row["system"], "baseline": row["baseline"], "metric": shown(row["metric"])}
        if row["difference"] is None or math.isnan(row["difference"]):
            return say("{system} and {baseline} have no value of {metric} to compare.", **who)
        gap = signed(row["difference"])
        if row[STANDING] == "untested":
            return say(
                "{system} against {baseline} in {metric}: {difference}, which is not tested.",
                difference=gap,
                **who,
            )
        sentence = say(
            "{system} against {baseline} in {metric}: {difference}, not significant ({how}).",
            difference=gap,
            how=self._how(row),
            **who,
        )
        if row["detectable"] is None:
            return sentence
        of_queries = self.metrics[row["metric"]].unit == "queries"
        return say(
            "{said} {queries} can detect differences of {least} or more.",
            said=sentence,
            queries=how_many(row["n"], "queries") if of_queries else say("{n:,} {n:unit|units}", n=row["n"]),
            least=in_table(row["detectable"]),
        )

    def _how(self, row: Row, *, size: bool = False) -> Message:
        p = chance(row["p_corrected"], row[FLOORED])
        test = say("p {p}", p=p)
        if self.correction is not None:
            test = say("p {p} after {correction}", p=p, correction=self.correction)
        ends = [row["ci_low"], row["ci_high"]]
        if any(end is None or not math.isfinite(end) for end in ends):
            return test
        if size and row["difference"] < 0:
            ends = [-end for end in reversed(ends)]
        low, high = map(in_table if size else signed, ends)
        level = percent(self.level)
        return say("{level} interval {low} to {high}, {test}", level=level, low=low, high=high, test=test)


def _number(value: float | None) -> Cell:
    return Cell() if value is None else Cell(text=in_table(value), sort=value)


def _interval(low: float | None, high: float | None) -> Cell:
    return Cell(text=between(low, high), sort=None if low is None or high is None else high - low)


def _signed_interval(low: float | None, high: float | None) -> Cell:
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return Cell(text="–")
    return Cell(text=f"{signed(low)} – {signed(high)}", sort=high - low)


def _counts(better: int | None, same: int | None, worse: int | None) -> Cell:
    return Cell() if better is None else Cell(text=f"{better:,} / {same:,} / {worse:,}", sort=better)
