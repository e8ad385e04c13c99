"""Metrics with one value per query, then a mean."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import ALIGN_FIELDS, RANK_FIELDS, Align, Average, Rank, choice, number, plain
from steelyard.engine.influence import Influence
from steelyard.engine.memory import ShownList
from steelyard.engine.protocol import Need, Reads
from steelyard.engine.ranked import Ranked
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import exact_sums, ratio, segment_mean
from steelyard.metrics.base import FILL, Interval, Metric, Weighs, abstract, checked_values
from steelyard.metrics.steps import UNDEFINED, Parts, no_steps
from steelyard.metrics.steps.lists import ListParts, list_steps, read_notes
from steelyard.text.errors import asking, measuring

Pooling = Literal["query", "pooled"]

_MOST_LEVELS = 5
_ALIGN, _RANK = attrgetter(*ALIGN_FIELDS), attrgetter(*RANK_FIELDS)


@lru_cache
def _stages(align: tuple[Any, ...], rank: tuple[Any, ...]) -> tuple[Align, Rank]:
    stage = Align(**dict(zip(ALIGN_FIELDS, align, strict=True)))
    return stage, Rank(**dict(zip(RANK_FIELDS, rank, strict=True)))


def cutoff() -> Any:
    return number(
        default=None,
        meaning="reads the first k of each list",
        above=0,
        words={"all": "whole lists"},
        whole=True,
    )


def relevance_level() -> Any:
    return number(
        default=1.0,
        meaning="a judged item is relevant when its grade is at least this",
        above=0,
        tries=_grades,
    )


def _grades(state: ShownList | TopLists) -> list[float]:
    grades = state.ranked.judged_grade if isinstance(state, ShownList) else state.relevant_grade
    assert grades is not None
    return list(np.unique(grades[grades > 0])[:_MOST_LEVELS].tolist())


def pooling_choice() -> Any:
    return choice(
        default="query",
        meaning={"query": "the mean over queries", "pooled": "sums over all queries, then one division"},
    )


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class QueryMetric(Metric, Average):
    """A metric with one value per query, then a mean; ``per_query`` gives the values of a state."""

    unit: ClassVar[str] = "queries"
    weighs: ClassVar[Weighs | None] = "queries"

    @abstract("each")
    def per_query(self, state: Any) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define per_query")

    def each(self, state: Any) -> Floats:
        n = state.n_queries
        values = checked_values(
            self.per_query(state),
            n,
            lambda found: measuring.wrong_shape(label=str(self), found=found, n=n),
        )
        undefined = np.isnan(values)
        if self.undefined != "nan" and undefined.any():
            values = self._filled(values, undefined, state)
        return values + 0.0  # a zero has no sign

    def _filled(self, values: Floats, undefined: Flags, state: Any) -> Floats:
        if self.undefined != "error":
            return np.where(undefined, FILL[self.undefined], values)
        first = state.queries[int(np.flatnonzero(undefined)[0])]
        raise measuring.undefined_query(label=str(self), query=first, n=int(undefined.sum()))

    def units(self, state: Any) -> pl.Series:
        queries: pl.Series = state.queries
        return queries

    def measure(self, state: Any, each: Floats | None = None) -> Floats:
        values = self.each(state) if each is None else each
        return (
            segment_mean(values, state.segments, state.n_segments, state.weight, self.mean, self.floor) + 0.0
        )

    def covered(self, state: Any, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        undefined = np.isnan(self.each(state) if each is None else each)
        segment, counts = state.segments, state.counts
        n, left_out = [
            np.bincount(segment[some], minlength=state.n_segments)
            for some in (counts & ~undefined, counts & undefined)
        ]
        return n, left_out

    def interval(self) -> Interval:
        """By score for bounded values, by order for medians, else by Student's t."""
        if self.mean != "arithmetic":
            return "order" if self.mean == "median" else "log"
        return "score" if np.isfinite(self.within()).all() else "t"

    def influence(self, state: Any, values: Floats, each: Floats | None = None) -> Influence | None:
        if self.mean == "median":
            return None
        values_of_queries = self.each(state) if each is None else each
        weight = np.where(np.isnan(values_of_queries), 0.0, state.weights)
        values_of_queries = np.where(weight > 0, values_of_queries, 0.0)
        cells = state.cells
        if self.mean == "arithmetic":
            return Influence.of_ratio(
                cells, cells.sums(weight * values_of_queries), cells.sums(weight), values
            )
        logs, size = np.log(np.maximum(values_of_queries, self.floor)), np.log(values)
        of_logs = Influence.of_ratio(cells, cells.sums(weight * logs), cells.sums(weight), size)
        return dataclasses.replace(of_logs, moves=of_logs.moves * cells.spread(values), each=None)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class RankingMetric(QueryMetric, Rank, Align):
    """A metric with one value per query, then a mean.

    A subclass gives ``per_query``: the value of each query, NaN where it is undefined.
    """

    reads: ClassVar[Reads] = "hits"
    always_told: ClassVar[tuple[str, ...]] = ("ties", "missing")
    shares_places: ClassVar[bool] = False  # whether hits of one place mean something, which ties=last makes

    @property
    def undefined_when(self) -> str:
        return "there is no relevant item"

    def need(self, stated: Collection[str] = ()) -> Need:
        align, rank = _stages(_ALIGN(self), _RANK(self))
        return Need(
            reads=self.reads,
            metric=self,
            align=align,
            rank=rank,
            judged_zeros=self.needs_judged_zeros,
        )

    @abstract("each", "parts")
    def per_query(self, ranked: Ranked) -> Floats:
        """The value of each query, NaN where undefined; by default its parts divided."""
        return ratio(*self.parts(ranked))

    def parts(self, ranked: Ranked) -> tuple[Floats, Floats]:
        raise NotImplementedError(f"{type(self).__name__} must define per_query, or parts to divide")

    def each(self, ranked: Ranked) -> Floats:
        if ranked.expected:
            self.check()
            if self.without_expected:
                raise measuring.no_expected_form(label=str(self), why=self.without_expected)
        return super().each(ranked)

    def _filled(self, values: Floats, undefined: Flags, state: Any) -> Floats:
        if self.undefined == "error" and self.pooled:  # only the pooled value counts
            return values
        return super()._filled(values, undefined, state)

    def measure(self, ranked: Ranked, each: Floats | None = None) -> Floats:
        values = self.each(ranked) if each is None else each
        if not self.pooled:
            return super().measure(ranked, values)
        segment, n = ranked.segments, ranked.n_segments
        weight = ranked.weights
        over, under = (exact_sums(part * weight, segment, n) for part in self.parts(ranked))
        pooled = ratio(over, under)
        if self.undefined == "error" and np.isnan(pooled).all():
            raise measuring.undefined_pooled(label=str(self))
        return np.where(np.isnan(pooled), FILL.get(self.undefined, np.nan), pooled)

    def interval(self) -> Interval:
        if not self.pooled:
            return super().interval()
        return "logit" if np.isfinite(self.within()).all() else "log"

    def influence(self, ranked: Ranked, values: Floats, each: Floats | None = None) -> Influence | None:
        if not self.pooled:
            return super().influence(ranked, values, each)
        cells, weight = ranked.cells, ranked.weights
        over, under = (cells.sums(part * weight) for part in self.parts(ranked))
        return Influence.of_ratio(cells, over, under, values)

    def check(self) -> None:
        """Refuse ties that the metric cannot take, and a relevance level that no grade reaches."""
        # expected values are sums, so they need a mean over queries that is a sum
        if self.ties == "expected" and self.mean != "arithmetic" and not self.pooled:
            raise measuring.no_expected_mean(label=str(self), mean=self.mean)
        if self.ties == "last" and not self.shares_places:
            raise measuring.no_shared_places(label=str(self))
        rel = getattr(self, "rel", 1)
        if self.grades == "relevant" and rel > 1:
            raise asking.level_above_relevant(label=str(self), rel=plain(rel))

    def steps(self, shown: ShownList) -> Parts:
        own, k, important = self.list_parts(shown), self.read_until(shown), self.important(shown)
        total, name = own.total, own.total_name
        table = list_steps(shown, k, own.columns, important=important, total=total, total_name=name)
        notes = read_notes(shown, k, unjudged=not self.needs_judged_zeros)
        if not own.relevant:
            return Parts(steps=(table,), lines=(UNDEFINED,), notes=notes)
        return Parts(steps=(table, *own.further), lines=own.lines, notes=(*notes, *own.notes))

    def list_parts(self, shown: ShownList) -> ListParts:
        """What the metric adds to the table of the list; by default only its value."""
        parts = no_steps(self.name, self.each(shown.ranked))
        return ListParts(columns=(), lines=parts.lines, notes=parts.notes)

    def read_until(self, shown: ShownList) -> int | None:
        return getattr(self, "k", None)

    def important(self, shown: ShownList) -> Flags:
        """The rows to show even if there are many."""
        rel: float | None = getattr(self, "rel", None)
        return shown.known != 0 if rel is None else shown.known >= rel

    def of(
        self,
        grades: Sequence[float] | Sequence[Sequence[float]],
        judged: Sequence[float] | Sequence[Sequence[float]] | None = None,
    ) -> float:
        """The value for grades in ranked order: one list, or the mean over several.

        ``judged`` are the grades of all judged items, shown or not; without it the items shown are
        all there are.

        >>> from steelyard.metrics import MAP
        >>> MAP(k=5).of([1, 1, 0, 0, 0], judged=[1, 1, 1])
        0.6666666666666666
        """
        self.check()
        ranked = Ranked.of_lists(grades, judged, self.depth, zeros=self.needs_judged_zeros)
        return float(self.for_truth(ranked.max_grade).measure(ranked)[0])
