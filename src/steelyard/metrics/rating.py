"""Metrics of ratings: how far predicted numbers are from true ones."""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arrays import Floats, array_of, numbers_of
from steelyard.messages.errors import measuring, measuring_classes
from steelyard.metrics.base import Direction
from steelyard.metrics.labelled import LabelledMetric, filled
from steelyard.metrics.row import weights_of
from steelyard.states import Rated, RatedRows, Term


def _squared(rated: Rated) -> Floats:
    return rated.scaled_miss.values**2


def _absolute(rated: Rated) -> Floats:
    return np.abs(rated.scaled_miss.values)


SQUARED_MISS = Term("squared miss of ratings", _squared, lambda rated: 2 * rated.scaled_miss.exponent)
ABSOLUTE_MISS = Term("absolute miss of ratings", _absolute, lambda rated: rated.scaled_miss.exponent)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class RatingMetric(LabelledMetric):
    """A metric of rows with a true and a predicted number.

    A subclass gives ``per_segment``: a value for each slice, NaN where it is undefined.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    direction: ClassVar[Direction] = "lower"
    terms: ClassVar[tuple[Term, ...]] = ()

    def per_segment(self, rated: RatedRows) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define per_segment")

    def measure(self, rated: RatedRows) -> Floats:
        """One value per segment, with undefined values as the convention says."""
        return filled(self, self.per_segment(rated))

    def of(self, truth: ArrayLike, predicted: ArrayLike, *, weights: ArrayLike | None = None) -> float:
        """The value for true and predicted ratings.

        >>> from steelyard.metrics import MAE
        >>> MAE().of([3, 5, 2, 7], [2.5, 5, 4, 8])
        0.875
        """
        true, said = array_of("truth", truth), array_of("predicted", predicted)
        if len(true) != len(said):
            raise measuring.counts_differ("ratings", len(true), len(said))
        true, said, weight = self.labelled(true, said, weights_of(weights, len(true)))
        rated = Rated.of(ratings("truth", true), ratings("predicted", said), weight=weight)
        return float(self.measure(rated)[0])


def ratings(role: str, values: ArrayLike) -> Floats:
    """Numbers as float64, all finite."""
    column = numbers_of(role, values).astype(np.float64, copy=False)
    if column.ndim != 1:
        raise measuring_classes.not_one_column(role, column.shape)
    bad = np.flatnonzero(~np.isfinite(column))
    if len(bad):
        raise measuring_classes.no_value(role, int(bad[0]), float(column[bad[0]]))
    return column
