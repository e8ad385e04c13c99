"""Metrics of labelled rows: one value per slice, straight from the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import Cutoff, Labelled, choice, flag
from steelyard.engine.classified import Classified
from steelyard.engine.columns import Class
from steelyard.engine.influence import Cells, Influence, Segmented
from steelyard.engine.protocol import Need, Reads
from steelyard.engine.rows import states_of_arrays
from steelyard.engine.scored import RowSums, RowTerm, Scored, ScoreTable
from steelyard.kernels.means import ratio, running_sums
from steelyard.metrics.base import FILL, Metric, Weighs, abstract, checked_values
from steelyard.read.sources import predictions_first
from steelyard.text import Message
from steelyard.text.errors import measuring

Rows: TypeAlias = Scored | Classified
Needs = Literal["score", "probability"]
RowScores = Literal["as_given", "float32"]
RowWeights = Literal["use", "ignore"]
EqualScores = Literal["half", "error"]


def row_weights_choice() -> Any:
    return choice(
        default="use",
        about="Weights of rows.",
        meaning={
            "use": "a row counts by its weight, where rows have one",
            "ignore": "every row counts 1, whatever its weight",
        },
    )


def strict_flag() -> Any:
    return flag(
        default=False,
        meaning={"false": "a score at the threshold is positive", "true": "it is negative"},
        about="A score that equals the threshold.",
    )


def row_scores_choice() -> Any:
    return choice(
        default="as_given",
        about="How scores are compared.",
        meaning={
            "as_given": "scores as they were given",
            "float32": "scores compared in single precision",
        },
    )


def equal_scores_choice() -> Any:
    return choice(
        default="half",
        about="A positive and a negative of the same score.",
        meaning={
            "half": "a positive and a negative of the same score count one half",
            "error": "a positive and a negative of the same score are an error",
        },
    )


def refuse_equal_scores(metric: str, table: ScoreTable) -> None:
    shared = (table.positives > 0) & (table.negatives > 0)
    if shared.any():
        raise measuring.equal_scores(metric=metric, n=int(shared.sum()), score=float(table.score[shared][0]))


def unweighted(row_weights: str, state: Any) -> set[str]:
    """The field ``row_weights`` if there are no weights to use."""
    return {"row_weights"} if row_weights == "use" and not state.weighted else set()


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class LabelledMetric(Metric, Labelled):
    """A metric of rows with a label: clicks, classes or ratings."""

    at: ClassVar[Cutoff] = "never"
    weighs: ClassVar[Weighs | None] = "rows"
    by_score: ClassVar[bool] = False  # whether the weight of both classes at each score is all it reads
    walks_positives: ClassVar[bool] = False  # whether positives between two negatives may not be put together

    def need(self, stated: Collection[str] = ()) -> Need:
        return Need(reads=self.reads, metric=self, unlabelled=self.unlabelled, labels=self.labels)

    def covered(self, rows: Segmented, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        counts = rows.rows if values.ndim == 1 else rows.rows[:, None]
        undefined = np.isnan(values)
        return np.where(undefined, 0, counts), np.where(undefined, counts, 0)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class RowMetric(LabelledMetric):
    """A metric of rows with a label and a score, such as clicks with predicted probabilities.

    A subclass gives ``per_segment``: a value for each slice, NaN where it is undefined.
    """

    reads: ClassVar[Reads] = "scores"
    needs: ClassVar[Needs] = "score"
    needs_groups: ClassVar[bool] = False
    several_labels: ClassVar[bool] = False  # whether a row may have several labels

    def need(self, stated: Collection[str] = ()) -> Need:
        return dataclasses.replace(
            super().need(stated),
            groups=self.needs_groups,
            probabilities=self.needs == "probability",
            several_labels=self.several_labels,
        )

    @property
    def by_order(self) -> bool:
        """Whether only the order of the scores counts, not their distances."""
        return False

    @property
    def has_bound(self) -> bool:
        """Whether a positive moved above a negative never lowers the value, which bounds it in bins."""
        return False

    def lowest_in_bins(self, scored: Scored, mixed: Flags) -> Floats:
        """At most the value of any order within the ``mixed`` entries, where the worst order is given."""
        return self.measure(scored)

    def moves_among(self, rows: Scored, every: Scored, values: Floats) -> Floats | None:
        """How much each row of one part moves the values of all parts, by unit of weight; None if unknown."""
        return None

    def by_moves(self, scored: Scored, moves: Floats) -> Influence:
        """The influence of units whose rows move a value by so much."""
        return by_class(scored, moves)

    @abstract("measure")
    def per_segment(self, scored: Scored) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define per_segment")

    def per_class_segment(self, classified: Classified) -> Floats:
        raise measuring.only_binary(metric=str(self))

    def measure(self, scored: Rows, each: Floats | None = None) -> Floats:
        if isinstance(scored, Classified):
            return filled(self, self.per_class_segment(scored), scored.n_segments, rows=True)
        return filled(self, self.per_segment(scored), scored.n_segments)

    def facts(self, rows: Rows, label: str = "") -> list[Message]:
        facts: Any = self.class_facts if isinstance(rows, Classified) else self.score_facts
        notes: list[Message] = facts(rows, label or str(self))
        return notes

    def score_facts(self, scored: Scored, label: str) -> list[Message]:
        return []

    def class_facts(self, classified: Classified, label: str) -> list[Message]:
        return []

    @predictions_first
    def of(
        self,
        predictions: ArrayLike,
        truth: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
        classes: Sequence[Class] | None = None,
    ) -> Any:
        """The value for scores and their labels of 0 and 1; a list if each class has a value.

        For several classes, ``predictions`` is a 2-D array of probabilities with a column per class, in the
        order of ``classes``. A matrix of 0 and 1 as truth means several labels per row.

        >>> from steelyard.metrics import AUC
        >>> AUC().of([0.8, 0.5, 0.5, 0.1], [1, 1, 0, 0])
        0.875
        >>> AUC(average="none").of([[0.9, 0.2], [0.4, 0.6], [0.1, 0.7]], [[1, 0], [0, 1], [0, 0]])
        [1.0, 0.5]
        """
        if self.needs_groups and groups is None:
            raise measuring.needs_groups(metric=str(self))
        states = states_of_arrays(
            predictions, truth, groups=groups, weights=weights, classes=classes, numbers=True
        )
        return self.measure(states.state(self.need()))[0].tolist()


def sums_of(rows: Rows, *terms: RowTerm, of_classes: RowTerm | None = None) -> RowSums | None:
    """The terms of labels of 0 and 1, or that of rows with one of several classes."""
    if isinstance(rows, Scored):
        return RowSums(terms=terms)
    return None if of_classes is None or not rows.one_label else RowSums(terms=(of_classes,))


def filled(metric: Metric, result: Any, n: int, *, rows: bool = False) -> Floats:
    """One value, or a row of values, for each segment, the undefined ones as ``undefined`` says."""
    values = checked_values(
        result,
        n,
        lambda found: measuring.wrong_segments(label=str(metric), found=found, n=n),
        dimensions=(1, 2) if rows else (1,),
    )
    undefined = np.isnan(values)
    if metric.undefined == "nan" or not undefined.any():
        return values + 0.0  # a zero has no sign
    if metric.undefined == "error":
        raise measuring.undefined_rows(label=str(metric), why=metric.undefined_when)
    return np.where(undefined, FILL[metric.undefined], values) + 0.0


def of_mean(rows: Segmented, each: Floats, values: Floats) -> Influence:
    return Influence.of_ratio(rows.cells, rows.per_cell(each), rows.cell_weight, values)


def of_moves(rows: Segmented, each: Floats, those: Any = None) -> Influence:
    """The influence of rows that move a value by ``each`` times their weight.

    Units share by weight, or by the weight of ``those`` rows, such as the positives.
    """
    cells, weight = rows.cells, rows.cell_weight if those is None else rows.per_cell(those)
    return Influence.of_cells(
        cells, (rows.per_cell(each),), (ratio(weight, cells.spread(cells.totals(weight))),)
    )


def effective_units(cells: Cells, weight: Floats) -> Floats:
    """Kish's effective sample size in units of each segment, from the weight of some rows in each cell."""
    return np.nan_to_num(ratio(cells.totals(weight) ** 2, cells.totals(weight**2)))


def by_rarer_class(scored: Scored, influence: Influence) -> Influence:
    """The influence with the units of the rarer class, which may carry most of the loss."""
    rarest = np.minimum(*(effective_units(scored.cells, weight) for weight in scored.cell_classes))
    return dataclasses.replace(influence, rarest=rarest)


def by_class(scored: Scored, each: Floats) -> Influence:
    """The influence of rows where positives and negatives are a denominator each."""
    cells = scored.cells
    moves, share = [], []
    for mine in (scored.label == 1, scored.label == 0):
        weight = scored.per_cell(mine)
        moves.append(scored.per_cell(np.where(mine, each, 0.0)))
        share.append(ratio(weight, cells.spread(cells.totals(weight))))
    return Influence.of_cells(cells, tuple(moves), tuple(share))


class Slopes(NamedTuple):
    """The derivatives of a strip under a curve by the counts at its end and at its start.

    ``hits`` and ``misses`` are the positives and negatives down to the strip's score, the others those above.
    """

    hits: Floats
    misses: Floats
    hits_before: Floats
    misses_before: Floats


def row_slopes(scored: Scored, slopes: Slopes) -> Floats:
    """How much a row moves the sum of all strips that end at its score or below."""
    table = scored.table
    of_class = [
        running_sums(np.nan_to_num(end), table.place) + table.below(np.nan_to_num(begin))
        for end, begin in ((slopes.hits, slopes.hits_before), (slopes.misses, slopes.misses_before))
    ]
    at = scored.entry
    return np.where(scored.label == 1, of_class[0][at], of_class[1][at])


def precision_slopes(table: ScoreTable, rule: str) -> Slopes:
    """The slopes of hits times precision, by the rule that joins the points."""
    _, hits, misses = table.falling()
    hits_before, misses_before = hits - table.positives, misses - table.negatives
    every, every_before = hits + misses, hits_before + misses_before
    precision = ratio(hits, every)
    by_hits, by_misses = ratio(misses, every * every), -ratio(hits, every * every)
    step, none = table.positives, np.zeros(len(hits))
    if rule == "step":
        return Slopes(precision + step * by_hits, step * by_misses, -precision, none)
    if rule == "davis":
        return _davis_slopes(hits, hits_before, misses, misses_before)
    first = every_before <= 0
    before = np.where(first, 1.0 if rule == "trapezoid" else precision, ratio(hits_before, every_before))
    height = (precision + before) / 2
    twice = np.where(first & (rule != "trapezoid"), 2.0, 1.0)  # level with the first: both ends move
    square = np.where(first, 0.0, every_before * every_before)
    return Slopes(
        height + step / 2 * twice * by_hits,
        step / 2 * twice * by_misses,
        step / 2 * np.nan_to_num(ratio(misses_before, square)) - height,
        -step / 2 * np.nan_to_num(ratio(hits_before, square)),
    )


def _davis_slopes(hits: Floats, hits_before: Floats, misses: Floats, misses_before: Floats) -> Slopes:
    """The slopes of the integral of x / (a·x + b), with x from the hits before to the hits after."""
    step = hits - hits_before
    slope = np.nan_to_num(ratio(misses - misses_before, step))
    a, b = 1.0 + slope, misses_before - slope * hits_before
    every, every_before = hits + misses, hits_before + misses_before
    first = every_before <= 0
    b = np.where(first, 0.0, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(first, 0.0, np.log1p((every - every_before) / every_before))
        apart = np.where(first, 0.0, 1 / every - 1 / every_before)
    linear = (logs + b * apart) / a**2  # the integral of x / (a·x + b)²
    square = (every - every_before - 2 * b * logs - b * b * apart) / a**3  # and of x² over the same
    by_slope = hits_before * linear - square
    slopes = Slopes(
        ratio(hits, every) - by_slope * ratio(slope, step),
        by_slope * ratio(np.ones(len(step)), step),
        slope * linear - ratio(hits_before, every_before) + by_slope * ratio(slope, step),
        -linear - by_slope * ratio(np.ones(len(step)), step),
    )
    return Slopes(*(np.where(step > 0, part, 0.0) for part in slopes))


def partial_slopes(table: ScoreTable, limit: float) -> tuple[Slopes, Floats]:
    """The slopes of hits over misses up to a share of all misses, and each segment's hits there."""
    owner, hits, misses = table.falling()
    hits_before, misses_before = hits - table.positives, misses - table.negatives
    width, rise, end = table.negatives, table.positives, limit * table.total_negatives[owner]
    inside = np.clip(end - misses_before, 0.0, width)
    part = np.nan_to_num(ratio(inside, width))
    cut = (misses >= end) & (misses_before < end)
    height = hits_before + part * rise / 2
    by_part = np.where(cut, inside * rise / 2, 0.0)
    whole = misses < end
    slopes = Slopes(
        inside * part / 2,
        np.where(whole, height, -by_part * np.nan_to_num(ratio(part, width))),
        inside * (1 - part / 2),
        np.where(misses_before < end, -height, 0.0) - by_part * np.nan_to_num(ratio(1 - part, width)),
    )
    reached = np.zeros(table.n_segments)
    reached[owner[cut]] = (hits_before + part * rise)[cut]
    return slopes, reached
