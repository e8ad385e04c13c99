"""Curves of several classes, or of several labels: an area for each, and their average."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator
from itertools import combinations, permutations
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice, number
from steelyard.engine.classified import Classified
from steelyard.engine.columns import MOST_THRESHOLDS, Class
from steelyard.engine.influence import Influence
from steelyard.engine.protocol import Need
from steelyard.engine.scored import Scored
from steelyard.engine.scored_parts import ComparedRows
from steelyard.kernels.means import ratio
from steelyard.metrics.base import abstract
from steelyard.metrics.classes.averages import (
    MeanOfValues,
    absent_notes,
    curve_steps,
    undefined_class_notes,
)
from steelyard.metrics.rows.base import (
    RowMetric,
    Rows,
    RowScores,
    RowWeights,
    of_moves,
    row_scores_choice,
    row_weights_choice,
    strict_flag,
    unweighted,
)
from steelyard.metrics.steps import Parts
from steelyard.metrics.steps.rows import RowValues
from steelyard.text import Message, say
from steelyard.text.errors import measuring

AnyRows = TypeVar("AnyRows", bound="Readable")

_MOST_CELLS = 1 << 23  # rows times classes

CurveAverage = Literal["ovr_macro", "ovr_weighted", "ovr_micro", "samples", "none"]
UndefinedCurve = Literal["skip", "zero", "half", "one", "nan"]

OVR_AVERAGES = {
    "ovr_macro": "each class against the rest, then the plain mean over classes",
    "ovr_weighted": "each class against the rest, then the mean by the classes' share of the rows",
    "ovr_micro": "one curve of all rows and classes: each class of each row counts as a row",
}
PLAIN_AVERAGES = {
    "samples": "the mean over rows of several labels, each row's labels counted by themselves (样本平均)",
    "none": "one value per class",
}


class Readable(Protocol):
    """Rows, or a reduced form of them, whose scores can be read at some thresholds only."""

    def read_at(self, thresholds: int, *, strict: bool, metric: str) -> Self:
        """The rows with each score replaced by its threshold."""

    def in_single(self) -> Self:
        """The rows with scores in single precision."""


class ClassCurve(NamedTuple):
    """The area under one curve in each segment (NaN without a curve), and its weight.

    ``at`` is the class, or the pair of classes.
    """

    at: tuple[int, ...]
    area: Floats
    weight: Floats


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class CurveMetric(MeanOfValues, RowMetric):
    """An area under a curve of labels and scores; with several classes, each has a curve.

    A subclass gives ``per_segment`` (the area in each slice), ``row_moves`` (how much each row moves it),
    ``scored_influence`` and ``scored_steps``. They receive scores already read at the ``thresholds``.
    """

    average: str = choice(
        default="ovr_macro",
        about="How the curves of several classes become one value.",
        meaning=OVR_AVERAGES | PLAIN_AVERAGES,
    )
    undefined_class: UndefinedCurve = choice(
        default="skip",
        about="A class without a curve inside an average, a row without one inside samples.",
        meaning={
            "skip": "an undefined class is left out of an average",
            "zero": "an undefined class counts 0 in an average, and a note says so",
            "half": "an undefined class counts 0.5 in an average",
            "one": "an undefined class counts 1 in an average",
            "nan": "an undefined class makes an average undefined",
        },
    )

    scores: RowScores = row_scores_choice()
    row_weights: RowWeights = row_weights_choice()
    thresholds: int | None = number(
        default=None,
        meaning="the curve is read at so many thresholds, evenly from 0 to 1",
        at_least=2,
        at_most=MOST_THRESHOLDS,
        whole=True,
        words={"none": "the curve is read at every score"},
        tries=(None, 200),
    )
    strict: bool = strict_flag()

    several_labels: ClassVar[bool] = True
    by_score: ClassVar[bool] = True
    curve_name: ClassVar[Message]  # how an explanation calls the area under one of several curves

    @property
    def by_order(self) -> bool:
        return self.thresholds is None and self.scores == "as_given"

    def need(self, stated: Collection[str] = ()) -> Need:
        need = dataclasses.replace(super().need(stated), weighted=self.row_weights == "use")
        return need if self.thresholds is None else dataclasses.replace(need, probabilities=True)

    def as_read(self, rows: AnyRows) -> AnyRows:
        """The rows with scores in the precision and at the thresholds of the curve."""
        if self.scores == "float32":
            rows = rows.in_single()
        if self.thresholds is None:
            return rows
        return rows.read_at(self.thresholds, strict=self.strict, metric=str(self))

    def measure(self, scored: Rows, each: Floats | None = None) -> Floats:
        return super().measure(self.as_read(scored), each)

    def facts(self, rows: Rows, label: str = "") -> list[Message]:
        return super().facts(self.as_read(rows), label)

    def influence(self, rows: Rows, values: Floats, each: Floats | None = None) -> Influence | None:
        read = self.as_read(rows)
        if isinstance(read, Classified):
            return self.class_influence(read, values)
        return self.scored_influence(read, values)

    @abstract()
    def scored_influence(self, scored: Scored, values: Floats) -> Influence:
        raise NotImplementedError(f"{type(self).__name__} must define scored_influence")

    def steps(self, state: Rows) -> Parts:
        read = self.as_read(state)
        parts = curve_steps(self, read) if isinstance(read, Classified) else self.scored_steps(read)
        if self.thresholds is None:
            return parts
        above = say(
            "the curve is read at {n:,} thresholds from 0 to 1; "
            "scores above one threshold and up to the next are tied at the upper one.",
            key="read_above_thresholds",
            n=self.thresholds,
        )
        at = say(
            "the curve is read at {n:,} thresholds from 0 to 1; "
            "scores from one threshold on and below the next are tied at the lower one.",
            key="read_at_thresholds",
            n=self.thresholds,
        )
        note = above if self.strict else at
        return dataclasses.replace(parts, notes=(note, *parts.notes))

    @abstract()
    def scored_steps(self, scored: Scored) -> Parts:
        raise NotImplementedError(f"{type(self).__name__} must define scored_steps")

    @abstract()
    def row_moves(self, scored: Scored, values: Floats) -> Floats:
        """How much each row moves the area of its segment, by unit of its weight."""
        raise NotImplementedError(f"{type(self).__name__} must define row_moves")

    def moves_among(self, rows: Scored, every: Scored, values: Floats) -> Floats:
        return self.row_moves(ComparedRows.of_part(self.as_read(rows), self.as_read(every)), values)

    def without_curve(self, rows: Classified) -> Flags:
        """Which classes have no curve, by segment and class."""
        return rows.support <= 0

    @property
    def by_pairs(self) -> bool:
        """Whether each pair of classes has a curve."""
        return self.average.startswith("ovo")

    @property
    def by_weight(self) -> bool:
        """Whether curves are weighted by their rows."""
        return self.average.endswith("weighted")

    def per_class_segment(self, classified: Classified) -> Floats:
        self.check_curves(classified)
        if self.average == "ovr_micro":
            return self.per_segment(classified.every_class())
        if self.average == "samples":
            return self.of_rows(classified)
        if self.average == "none":
            areas = [curve.area for curve in self.curves(classified)]
            return np.stack(areas, axis=1) if areas else np.zeros((classified.n_segments, 0))
        total, weight = np.zeros(classified.n_segments), np.zeros(classified.n_segments)
        spoilt = np.zeros(classified.n_segments, bool)
        for curve in self.curves(classified):
            area = self.filled_in(curve.area)
            defined = ~np.isnan(area)
            total[defined] += (area * curve.weight)[defined]
            weight[defined] += curve.weight[defined]
            spoilt |= ~defined & (curve.weight > 0)
        if self.undefined_class != "nan" or self.by_pairs:
            spoilt = classified.total() <= 0
        return np.where(spoilt, np.nan, ratio(total, weight))

    def check_curves(self, classified: Classified) -> None:
        if classified.probability is None:
            raise measuring.needs_probabilities(metric=self.name)
        if self.average == "samples" and classified.one_label:
            raise measuring.samples_of_one_label(metric=str(self))
        if self.by_pairs and not classified.one_label:
            raise measuring.needs_one_class(metric=str(self))

    def curves(self, classified: Classified) -> Iterator[ClassCurve]:
        """Each class against the rest, or each two against each other, both ways."""
        n, ones, area = len(classified.classes), np.ones(classified.n_segments), self.per_segment
        if self.by_pairs:
            for first, second in combinations(range(n), 2):
                there = area(classified.one_against_other(first, second))
                back = area(classified.one_against_other(second, first))
                both = classified.support[:, [first, second]].sum(axis=1)
                yield ClassCurve((first, second), (there + back) / 2, both if self.by_weight else ones)
            return
        for at in range(n):
            scored = classified.one_against_rest(at)
            yield ClassCurve((at,), area(scored), scored.positives if self.by_weight else ones)

    def by_row(self, classified: Classified) -> Floats:
        return self.per_segment(classified.row_by_row())

    def row_columns(self, rows: Classified) -> list[RowValues]:
        return [RowValues(say("labels"), rows.truth.sum(axis=1).astype(np.float64))]

    def class_influence(self, rows: Classified, values: Floats) -> Influence | None:
        if self.average == "ovr_micro":
            cells = rows.every_class()
            moves = self.row_moves(cells, values).reshape(rows.n_rows, -1)
            return of_moves(rows, moves.sum(axis=1))
        if self.average == "samples":
            return self.influence_of_rows(rows, values)
        return self._influence_by_class(rows, values) if self.average == "none" else self._mean(rows, values)

    def _mean(self, rows: Classified, values: Floats) -> Influence:
        """The mean of the curves' influences, plus what each row adds to the weight of its class."""
        segments = rows.segments
        total, moves = np.zeros(rows.n_segments), np.zeros(rows.n_rows)
        for scored, kept, weight in self._one_way(rows):
            area = self.per_segment(scored)
            filled = self.filled_in(area)
            weight = np.where(np.isnan(filled), 0.0, weight)
            total += weight
            at = segments[kept]
            apart = np.where(np.isnan(area)[at], 0.0, weight[at] * self.row_moves(scored, area))
            if self.by_weight:
                grows = np.full(len(at), 0.5) if self.by_pairs else scored.label
                apart = apart + (filled - values)[at] * grows
            moves[kept] += np.where(weight[at] > 0, apart, 0.0)
        return of_moves(rows, ratio(moves, total[segments]))

    def _one_way(self, rows: Classified) -> Iterator[tuple[Scored, Ints | slice, Floats]]:
        """Every curve with its rows and its weight; a pair of classes has one each way."""
        n = len(rows.classes)
        if not self.by_pairs:
            for at in range(n):
                scored = rows.one_against_rest(at)
                yield scored, slice(None), scored.positives if self.by_weight else np.ones(rows.n_segments)
            return
        for first, second in permutations(range(n), 2):
            there = np.flatnonzero((rows.truth == first) | (rows.truth == second))
            both = rows.support[:, [first, second]].sum(axis=1)
            weight = both if self.by_weight else np.ones(rows.n_segments)
            yield rows.one_against_other(first, second), there, weight / 2

    def _influence_by_class(self, rows: Classified, values: Floats) -> Influence | None:
        n = len(rows.classes)
        if not n or rows.n_rows * n > _MOST_CELLS:
            return None
        parts = [self.influence(rows.one_against_rest(at), values[:, at]) for at in range(n)]
        each = [influence for influence in parts if influence is not None]
        if len(each) < n:
            return None
        cells = rows.cells
        owner = np.zeros(cells.n, np.int64) if cells.owner is None else cells.owner
        unit = np.arange(cells.n) if cells.unit is None else cells.unit
        return Influence(
            moves=np.concatenate([influence.moves for influence in each], axis=1),
            share=np.concatenate([influence.share for influence in each], axis=1),
            n_values=rows.n_segments * n,
            owner=np.concatenate([owner * n + at for at in range(n)]),
            unit=np.tile(unit, n),
        )

    def entries(self, state: Rows) -> list[tuple[Class, ...]]:
        if self.average != "none" or not isinstance(state, Classified):
            return []
        return [(name,) for name in state.classes]

    def class_facts(self, classified: Classified, label: str) -> list[Message]:
        if self.average == "samples":
            return self.row_facts(classified, label)
        if self.average in ("ovr_micro", "none"):
            return []
        there = (classified.total() > 0)[:, None]
        without = there & self.without_curve(classified)
        if classified.one_label and (self.by_pairs or self.undefined_class == "skip"):
            return absent_notes(label, int(without.any(axis=1).sum()), classified.n_segments)
        if self.by_weight:
            without &= classified.support > 0  # a class of weight 0 changes nothing
        return undefined_class_notes(label, classified.classes, without, self.undefined_class)

    def idle(self, state: Any) -> set[str]:
        idle = super().idle(state) | ({"strict"} if self.thresholds is None else set())
        idle |= unweighted(self.row_weights, state)
        if not isinstance(state, Classified):
            return idle | {"average", "undefined_class"}
        return idle | (set() if self.is_mean else {"undefined_class"})

    def without_effect(self, state: Any) -> set[str]:
        idle = super().without_effect(state)
        if not isinstance(state, Classified) or self.average == "samples":
            return idle
        return idle if self.without_curve(state).any() else idle | {"undefined_class"}

    def choices(self, state: Any) -> list[tuple[str, Any]]:
        without = {"strict"} & self.idle(state) | {"row_weights"}
        return [choice for choice in super().choices(state) if choice[0] not in without]
