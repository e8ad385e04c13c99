"""The Brier score."""

from __future__ import annotations

from typing import ClassVar

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio
from steelyard.messages import say
from steelyard.metrics.base import Direction, Interval
from steelyard.metrics.labelled import of_mean
from steelyard.metrics.registry import register
from steelyard.metrics.row import Needs, RowMetric
from steelyard.states import Scored, ScoredRows, Term
from steelyard.states.influence import Influence
from steelyard.steps.arithmetic import Line, Parts
from steelyard.steps.rows import Values, row_notes, summed


def _squared_miss(scored: Scored) -> Floats:
    miss: Floats = scored.label - scored.score.astype("float64")
    return miss * miss


SQUARED_MISS = Term("squared miss of probabilities", _squared_miss)


@register("brier", zh="布里尔分数")
class Brier(RowMetric):
    """How far the predicted probabilities are from what happened, squared.

    ``mean((y - p)²)``. Undefined without rows.

    Examples
    --------
    (0.2² + 0.4²) / 2

    >>> Brier().of([1, 0], [0.8, 0.4])
    0.1
    """

    needs: ClassVar[Needs] = "probability"
    direction: ClassVar[Direction] = "lower"
    limits: ClassVar[Interval] = "logit"
    undefined_when: ClassVar[str] = "there is no row"
    terms: ClassVar[tuple[Term, ...]] = (SQUARED_MISS,)

    def per_segment(self, scored: ScoredRows) -> Floats:
        return ratio(SQUARED_MISS.total(scored), scored.total())

    def influence(self, scored: Scored, values: Floats, each: Floats | None = None) -> Influence:
        return of_mean(scored, SQUARED_MISS.each(scored), values)

    def steps(self, state: Scored) -> Parts:
        said = state.score.astype("float64")
        leading = [
            Values(say("label"), state.label),
            Values(say("predicted // a probability"), said),
            Values(say("error // of a prediction"), state.label - said),
        ]
        found = summed(state, leading, Values(say("squared error"), SQUARED_MISS.each(state)))
        return Parts(steps=(found.table,), lines=(Line(found.mean()),), notes=row_notes(state))
