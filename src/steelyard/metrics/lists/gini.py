"""How unevenly the catalogue is shown."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.engine.ranked import places
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.lists.base import AllListsMetric, exposure_choice, exposures
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Line, Number, Parts, applying, sum_of
from steelyard.metrics.steps.rows import (
    CATALOG,
    EXPOSURE,
    ITEMS,
    RowValues,
    item_steps,
)
from steelyard.text import say


@register("gini", zh="基尼系数")
class Gini(AllListsMetric):
    """How unevenly exposure is spread over the catalogue: 0 where every item is shown alike.

    ``sum of (2j - n - 1) · e_j / (n · sum of e)`` over the n items of the catalogue, their exposures e from
    the least to the greatest; an item that is never shown has an exposure of 0. Undefined where nothing of
    the catalogue is shown. There is no interval: with fewer users, exposure is less even by chance alone.

    Examples
    --------
    Of four items one is shown twice, one once: exposures 0, 0, 1, 2 give ``(1·1 + 3·2) / (4·3)``

    >>> Gini(k=2).of([["a", "b"], ["a"]], catalog=["a", "b", "c", "d"])
    0.5833333333333334
    """

    exposure: Literal["count", "discounted"] = exposure_choice()

    tables = ("catalog",)
    direction = "lower"
    limits = "none"
    biased = True
    undefined_when = "nothing of the catalogue is shown"

    def per_segment(self, lists: TopLists) -> Floats:
        segment, _, exposure, _, factor = self._placed(lists)
        over, every = (segment_sum(part, segment, lists.n_segments) for part in (factor * exposure, exposure))
        return np.maximum(ratio(over, lists.background.n_items * every), 0.0)  # not below by rounding

    def _placed(self, lists: TopLists) -> tuple[Ints, Ints, Floats, Ints, Floats]:
        """Slice, item, exposure, place from the least exposure up, and ``2 · place - n - 1``."""
        segment, item, exposure = exposures(lists, self.k, discounted=self.exposure == "discounted")
        n, shown = lists.background.n_items, np.bincount(segment, minlength=lists.n_segments)
        order = np.lexsort((-item, exposure, segment))
        segment = segment[order]
        place: Ints = places(segment) + 1 + (n - shown)[segment]  # those never shown stand before
        return segment, item[order], exposure[order], place, 2 * place.astype(np.float64) - n - 1

    def steps(self, lists: TopLists) -> Parts:
        n = lists.background.n_items
        _, item, exposure, place, factor = self._placed(lists)
        down = slice(None, None, -1)  # the most shown first
        product = RowValues(
            say("factor × exposure", key="weighted_exposure"), (factor * exposure)[down], "sum"
        )
        table = item_steps(
            lists,
            item[down],
            RowValues(EXPOSURE, exposure[down], "sum"),
            RowValues(say("place, from the least", key="place"), place[down], "range", "rank"),
            RowValues(say("factor: 2 × place - items - 1", key="factor"), factor[down]),
            product,
        )
        line = Line(sum_of(ITEMS, product.name) / (Number(n, CATALOG) * sum_of(ITEMS, EXPOSURE)))
        never = say(
            "items of the catalogue that are never shown: {n:,}; they have the first places, "
            "and with an exposure of 0 add nothing.",
            key="never_shown",
            n=n - len(item),
        )
        return Parts(steps=(table,), lines=(line,), notes=applying((n > len(item), never)))
