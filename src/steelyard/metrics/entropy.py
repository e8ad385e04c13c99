"""How widely exposure is spread over items."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice, flag
from steelyard.kernels.means import segment_sum
from steelyard.metrics.lists import AllListsMetric, exposure_choice, exposures
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


@register("entropy", zh="曝光熵")
class Entropy(AllListsMetric):
    """How widely exposure is spread: ``-sum of p ln p`` over the items shown, p the share of exposure.

    0 where one item takes it all, ln n where n items share it evenly. ``normalise`` divides by ln of the size
    of the catalogue, so that 1 is even. Undefined where nothing is shown.

    Examples
    --------
    Two items, each shown once: ln 2

    >>> Entropy(k=1).of([["a"], ["b"]])
    0.6931471805599453
    >>> Entropy(k=1, base="2").of([["a"], ["b"]])
    1.0
    """

    exposure: Literal["count", "discounted"] = exposure_choice()
    base: Literal["e", "2"] = choice(default="e", meaning={"e": "in nats", "2": "in bits"})
    normalise: bool = flag(
        default=False,
        meaning={"false": "as it is", "true": "divided by the entropy of an even catalogue"},
    )

    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def needed_tables(self) -> tuple[str, ...]:
        return ("catalog",) if self.normalise else ()

    def per_segment(self, lists: TopLists) -> Floats:
        segment, _, exposure = exposures(lists, self.k, discounted=self.exposure == "discounted")
        total = segment_sum(exposure, segment, lists.n_segments)
        share = exposure / total[segment]
        found = segment_sum(-share * np.log(share), segment, lists.n_segments)
        found = np.where(total > 0, found, np.nan)
        if self.normalise:
            n = lists.background.n_items
            return found / np.log(n) if n > 1 else found * np.nan
        return found / np.log(2) if self.base == "2" else found
