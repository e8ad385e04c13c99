"""How unevenly the catalogue is shown."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.base import Direction
from steelyard.metrics.lists import AllListsMetric, exposure_choice, exposures
from steelyard.metrics.registry import register
from steelyard.rank import places
from steelyard.states.top_lists import TopLists


@register("gini", zh="基尼系数")
class Gini(AllListsMetric):
    """How unevenly exposure is spread over the catalogue: 0 where every item is shown alike.

    ``sum of (2j - n - 1) · e_j / (n · sum of e)`` over the n items of the catalogue, their exposures e from
    the least to the greatest; an item that is never shown has an exposure of 0. Undefined where nothing of
    the catalogue is shown.

    Examples
    --------
    Of four items one is shown twice, one once: exposures 0, 0, 1, 2 give ``(1·1 + 3·2) / (4·3)``

    >>> Gini(k=2).of([["a", "b"], ["a"]], catalog=["a", "b", "c", "d"])
    0.5833333333333334
    """

    exposure: Literal["count", "discounted"] = exposure_choice()

    tables: ClassVar[tuple[str, ...]] = ("catalog",)
    direction: ClassVar[Direction] = "lower"

    def per_segment(self, lists: TopLists) -> Floats:
        segment, _, exposure = exposures(lists, self.k, discounted=self.exposure == "discounted")
        n, shown = lists.background.n_items, np.bincount(segment, minlength=lists.n_segments)
        order = np.lexsort((exposure, segment))
        place = places(segment[order]) + 1 + (n - shown)[segment[order]]  # those never shown stand before
        over = segment_sum((2.0 * place - n - 1) * exposure[order], segment[order], lists.n_segments)
        return ratio(over, n * segment_sum(exposure, segment, lists.n_segments))
