"""Systems that were tested against each other: the input of charts and the page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from steelyard.certainty import alpha_of
from steelyard.engine.slices import in_sentence, is_whole
from steelyard.metrics import Metric
from steelyard.metrics.base import Direction, gained
from steelyard.render.charts.queries import Pairs
from steelyard.text import Message, say
from steelyard.text.labels import FLOORED, chance, how_many, in_table, percent, signed
from steelyard.text.names import shown

Row = Mapping[str, Any]
Standing = Literal["better", "worse", "apart", "open", "untested"]
_STANDS: Mapping[str, Message] = {
    "better": say("is better than"),
    "worse": say("is worse than"),
    "apart": say("differs from"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """What was found when systems were tested against a baseline, or each against each.

    ``rows`` are tidy: the slice columns ``by`` (null in the whole), metric, system, baseline, value,
    difference, ci_low, ci_high, p, p_corrected, effect, better, same, worse, n, detectable.
    """

    rows: pl.DataFrame
    metrics: Mapping[str, Metric]
    by: tuple[str, ...] = ()
    level: float = 0.95
    told: Message | None = None  # the test, its data and its correction
    correction: Message | None = None  # its name; None if p-values are not corrected
    notes: tuple[Message, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)  # of the systems, which may be messages
    each: tuple[Pairs, ...] = ()  # of one metric for each pair, as far as queries have values

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every system with what it was tested against."""
        every = self.records(self.rows.select("system", "baseline").unique(maintain_order=True))
        return [(row["system"], row["baseline"]) for row in every]

    def records(self, rows: pl.DataFrame) -> list[dict[str, Any]]:
        """Some of the rows, with the names of systems as they were given, which may be messages."""
        return [
            row | {side: self.names.get(row[side], row[side]) for side in ("system", "baseline")}
            for row in rows.to_dicts()
        ]

    @property
    def baseline(self) -> str | None:
        found = {baseline for _, baseline in self.pairs}
        return found.pop() if len(found) == 1 else None

    @property
    def whole(self) -> pl.DataFrame:
        return self.rows.filter(is_whole(self.rows, self.by))

    @property
    def sliced(self) -> pl.DataFrame:
        return self.rows.filter(~is_whole(self.rows, self.by))

    def of(self, system: str, baseline: str) -> Compared:
        mine = (self.rows["system"] == system) & (self.rows["baseline"] == baseline)
        return replace(self, rows=self.rows.filter(mine))

    def gain(self, row: Row) -> float | None:
        """By how much a value is better than its baseline's; None where the metric has no better side."""
        return gain_of(row["value"], row["difference"], self.metrics[row["metric"]].direction)

    def standing(self, row: Row) -> Standing:
        """Whether a system is better or worse than its baseline; ``open`` where that is not significant.

        Where a metric has no better side, what is significant is ``apart``.
        """
        p = row["p_corrected"]
        if p is None or math.isnan(p):
            return "untested"
        if not p < alpha_of(self.level):
            return "open"
        gain = self.gain(row)
        return "apart" if not gain else "better" if gain > 0 else "worse"

    def verdict(self, row: Row) -> Message:
        standing = self.standing(row)
        who = {"system": row["system"], "baseline": row["baseline"], "metric": shown(row["metric"])}
        one_sided = self.metrics[row["metric"]].direction in ("higher", "lower")
        if standing in ("open", "untested"):
            sentence = self._open(row)
        elif one_sided:
            sentence = say(
                "{system} {stands} {baseline} in {metric} by {by} ({how}).",
                stands=_STANDS[standing],
                by=in_table(abs(row["difference"])),
                how=self._how(row, size=True),
                **who,
            )
        else:
            sentence = say(
                "{system} {stands} {baseline} in {metric}: {difference} ({how}).",
                stands=_STANDS[standing],
                difference=signed(row["difference"]),
                how=self._how(row),
                **who,
            )
        if not self.by or all(row[name] is None for name in self.by):
            return sentence
        return say("In {slice}: {said}", slice=in_sentence(row[name] for name in self.by), said=sentence)

    def _open(self, row: Row) -> Message:
        """That a difference is not significant, and how large one would have to be to be seen."""
        who = {"system": row["system"], "baseline": row["baseline"], "metric": shown(row["metric"])}
        if row["difference"] is None or math.isnan(row["difference"]):
            return say("{system} and {baseline} have no value of {metric} to compare.", **who)
        gap = signed(row["difference"])
        if self.standing(row) == "untested":
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
        least = row.get("detectable")
        if least is None or not math.isfinite(least):
            return sentence
        of_queries = self.metrics[row["metric"]].unit == "queries"
        return say(
            "{said} {queries} can detect differences of {least} or more.",
            said=sentence,
            queries=how_many(row["n"], "queries") if of_queries else say("{n:,} {n:unit|units}", n=row["n"]),
            least=in_table(least),
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


def gain_of(value: float, difference: float | None, direction: Direction) -> float | None:
    """By how much a value is better than its baseline's; ``difference`` is value minus baseline.

    >>> gain_of(0.5, 0.1, "lower"), round(gain_of(0.9, -0.3, "nearest_1"), 9), gain_of(0.5, 0.1, "none")
    (-0.1, 0.1, None)
    """
    if difference is None or math.isnan(difference) or direction == "none":
        return None
    if direction == "nearest_1":
        return float(gained(value, value - difference, direction))
    return -difference if direction == "lower" else difference
