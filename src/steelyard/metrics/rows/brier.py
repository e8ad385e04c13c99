"""The Brier score."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.classified import Classified
from steelyard.engine.influence import Influence
from steelyard.engine.scored import RowSums, RowTerm, Scored
from steelyard.kernels.means import ratio
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import RowMetric, Rows, by_rarer_class, of_mean, sums_of
from steelyard.metrics.rows.logloss import checked_probability, right_probability
from steelyard.metrics.steps import Parts
from steelyard.metrics.steps.rows import RowValues, summed
from steelyard.text import say


def _squared_misses(classified: Classified) -> Floats:
    off = checked_probability(classified, "brier").astype(np.float64)
    off[np.arange(classified.n_rows), classified.truth] -= 1.0
    missed: Floats = (off * off).sum(axis=1)
    return missed


SQUARED_MISS = RowTerm(
    "squared miss of probabilities", lambda scored: (scored.label - scored.score.astype("float64")) ** 2
)


SQUARED_MISSES = RowTerm("squared misses of classes", _squared_misses)


@register("brier", zh="布里尔分数")
class Brier(RowMetric):
    """How far the predicted probabilities are from what happened, squared.

    ``mean((y - p)²)``; with several classes half the mean of ``Σ (y - p)²`` over them, which of two classes
    is the same. Undefined without rows.

    Examples
    --------
    (0.2² + 0.4²) / 2

    >>> Brier().of([0.8, 0.4], [1, 0])
    0.1

    (0.5² + 0.3² + 0.2²) / 2

    >>> Brier().of([[0.5, 0.3, 0.2]], ["a"], classes=["a", "b", "c"])
    0.19
    """

    halved: Literal["always", "two_classes", "never"] = choice(
        default="always",
        about="Whether the squares added up over classes are halved.",
        meaning={
            "always": "half the squares of all classes: from 0 to 1, and of two classes (y - p)²",
            "two_classes": "half the squares of two classes, all of them of more",
            "never": "the squares of all classes: from 0 to 2 (Brier 1950)",
        },
    )

    needs = "probability"
    bounds = (0.0, 2.0)  # 2 where the squares of classes are not halved
    direction = "lower"
    limits = "logit"
    undefined_when = "there is no row"

    def per_segment(self, scored: Scored) -> Floats:
        return ratio(SQUARED_MISS.total(scored), scored.total()) * self._times(2)

    def per_class_segment(self, classified: Classified) -> Floats:
        return ratio(classified.total(self._of_classes(classified)), classified.total())

    def influence(self, rows: Rows, values: Floats, each: Floats | None = None) -> Influence:
        if isinstance(rows, Classified):
            return of_mean(rows, self._of_classes(rows), values)
        return by_rarer_class(rows, of_mean(rows, SQUARED_MISS.each(rows) * self._times(2), values))

    def reduced_to(self, state: Rows) -> RowSums | None:
        return sums_of(state, SQUARED_MISS, of_classes=SQUARED_MISSES)

    def within(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.halved == "always" else (0.0, 2.0)

    def _times(self, classes: int) -> float:
        halved = self.halved == "always" or (self.halved == "two_classes" and classes == 2)
        return 1.0 if halved else 2.0

    def _of_classes(self, classified: Classified) -> Floats:
        return SQUARED_MISSES.each(classified) / 2 * self._times(len(classified.classes))

    def steps(self, state: Rows) -> Parts:
        if isinstance(state, Classified):
            leading = [
                RowValues(say("label"), state.truth, kind="rank", names=state.classes),
                RowValues(say("p(label)"), right_probability(state, self.name)),
                RowValues(say("squares of all classes", key="squares"), _squared_misses(state)),
            ]
            cost = RowValues(say("cost"), self._of_classes(state))
            return summed(state, leading, cost).mean_parts()
        predicted = state.score.astype("float64")
        leading = [
            RowValues(say("label"), state.label),
            RowValues(say("predicted // a probability"), predicted),
            RowValues(say("error // of a prediction"), state.label - predicted),
        ]
        amount = RowValues(say("squared error"), SQUARED_MISS.each(state))
        if self._times(2) == 2:
            leading.append(amount)
            amount = RowValues(say("cost"), amount.values * 2)
        return summed(state, leading, amount).mean_parts()
