"""Metrics of labelled rows: one value per slice, straight from the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arrays import Floats, Ints
from steelyard.conventions import Cutoff, Labelled, choice, flag
from steelyard.engine.classified import Classified
from steelyard.engine.columns import Class
from steelyard.engine.influence import Influence, Segmented
from steelyard.engine.protocol import Need, Reads
from steelyard.engine.rows import states_of_arrays
from steelyard.engine.scored import Scored, ScoreTable
from steelyard.kernels.means import ratio
from steelyard.metrics.base import FILL, Metric, Weighs, abstract, checked_values
from steelyard.metrics.steps.arithmetic import Parts, no_steps
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

    def need(self, stated: Collection[str] = ()) -> Need:
        return Need(reads=self.reads, metric=self, unlabelled=self.unlabelled, labels=self.labels)

    def covered(self, rows: Segmented, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        counts = rows.rows if values.ndim == 1 else rows.rows[:, None]
        undefined = np.isnan(values)
        return np.where(undefined, 0, counts), np.where(undefined, counts, 0)

    def steps(self, state: Any) -> Parts:
        return no_steps(self.name, self.measure(state)[0])


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


def effective_units(rows: Segmented, those: Any) -> Floats:
    """Kish's effective sample size in units, of some rows of each segment."""
    cells, weight = rows.cells, rows.per_cell(those)
    return np.nan_to_num(ratio(cells.totals(weight) ** 2, cells.totals(weight**2)))


def by_rarer_class(scored: Scored, influence: Influence) -> Influence:
    """The influence with the units of the rarer class, which may carry most of the loss."""
    rarest = np.minimum(*(effective_units(scored, scored.label == label) for label in (0, 1)))
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
