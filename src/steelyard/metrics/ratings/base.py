"""Metrics of ratings: how far predicted numbers are from true ones."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.influence import Influence
from steelyard.engine.protocol import Need, Reads
from steelyard.engine.rows import states_of_arrays
from steelyard.engine.scored import Rated, RowTerm
from steelyard.kernels.means import ratio
from steelyard.metrics.base import Direction, Interval, abstract
from steelyard.metrics.rows.base import LabelledMetric, filled, of_mean
from steelyard.metrics.steps.rows import RowValues, Summed, summed
from steelyard.read.sources import predictions_first
from steelyard.text import say

SQUARED_MISS = RowTerm("squared miss of ratings", lambda rated: rated.miss**2)
ABSOLUTE_MISS = RowTerm("absolute miss of ratings", lambda rated: np.abs(rated.miss))

_SINGLE = {"as_given": (), "float32": ("label", "score"), "float32_truth": ("label",)}


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class RatingMetric(LabelledMetric):
    """A metric of rows with a true and a predicted number.

    A subclass gives ``per_segment``: a value for each slice, NaN where it is undefined.
    """

    ratings: Literal["as_given", "float32", "float32_truth"] = choice(
        default="as_given",
        about="The precision of ratings.",
        meaning={
            "as_given": "ratings as they were given",
            "float32": "true and predicted ratings in single precision",
            "float32_truth": "true ratings in single precision, predicted ones as they were given",
        },
    )

    reads: ClassVar[Reads] = "ratings"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    direction: ClassVar[Direction] = "lower"
    limits: ClassVar[Interval] = "log"
    untried: ClassVar[tuple[str, ...]] = ("ratings",)  # rows stand as they were read
    undefined_when = "there is no row"

    def need(self, stated: Collection[str] = ()) -> Need:
        return dataclasses.replace(super().need(stated), single=_SINGLE[self.ratings])

    @abstract("measure")
    def per_segment(self, rated: Rated) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define per_segment")

    def measure(self, rated: Rated, each: Floats | None = None) -> Floats:
        return filled(self, self.per_segment(rated), rated.n_segments)

    @predictions_first
    def of(self, predictions: ArrayLike, truth: ArrayLike, *, weights: ArrayLike | None = None) -> float:
        """The value for predicted and true ratings.

        >>> from steelyard.metrics import MAE
        >>> MAE().of(predictions=[2.5, 5, 4, 8], truth=[3, 5, 2, 7])
        0.875
        """
        states = states_of_arrays(predictions, truth, weights=weights, numbers=True)
        return float(self.measure(states.state(self.need()))[0])


def of_mean_term(term: RowTerm, rated: Rated) -> Influence:
    return of_mean(rated, term.each(rated), ratio(term.total(rated), rated.total()))


def rating_values(state: Rated) -> list[RowValues]:
    return [
        RowValues(say("truth // a rating"), state.truth),
        RowValues(say("prediction"), state.predicted),
        RowValues(say("error // of a prediction", key="miss"), state.miss),
    ]


def squared_errors(state: Rated) -> Summed:
    return summed(state, rating_values(state), RowValues(say("squared error"), state.miss**2))
