"""How widely exposure is spread over items."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.conventions import choice, flag
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import segment_sum
from steelyard.metrics.lists.base import AllListsMetric, exposure_choice, exposures
from steelyard.metrics.registry import register
from steelyard.metrics.steps import UNDEFINED, Line, Number, Parts, Quantity, log, sum_of
from steelyard.metrics.steps.rows import (
    CATALOG,
    EXPOSURE,
    ITEMS,
    RowValues,
    item_steps,
)
from steelyard.text import say


@register("entropy", zh="曝光熵")
class Entropy(AllListsMetric):
    """How widely exposure is spread: -sum of p ln p over the items shown, p the share of exposure.

    0 where one item takes it all, ln n where n items share it evenly. ``normalise`` divides by ln of the size
    of the catalogue, so that 1 is even. Undefined where nothing is shown. There is no interval: with
    fewer users, fewer items are shown and the value is lower.

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

    bounds = (0.0, np.inf)
    limits = "none"
    biased = True
    undefined_when = "nothing is shown"

    def within(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.normalise else self.bounds

    def needed_tables(self) -> tuple[str, ...]:
        return ("catalog",) if self.normalise else ()

    def per_segment(self, lists: TopLists) -> Floats:
        segment, _, _, _, part = self._shares(lists)
        entropy = segment_sum(part, segment, lists.n_segments)
        entropy[np.bincount(segment, minlength=lists.n_segments) == 0] = np.nan
        if self.normalise:
            n = lists.background.n_items
            return entropy / np.log(n) if n > 1 else entropy * np.nan
        return entropy / np.log(2) if self.base == "2" else entropy

    def _shares(self, lists: TopLists) -> tuple[Ints, Ints, Floats, Floats, Floats]:
        """Slice, item, exposure, its share p and ``-p ln p`` of each item shown."""
        segment, item, exposure = exposures(lists, self.k, discounted=self.exposure == "discounted")
        share = exposure / segment_sum(exposure, segment, lists.n_segments)[segment]
        return segment, item, exposure, share, -share * np.log(share) + 0.0

    def steps(self, lists: TopLists) -> Parts:
        _, item, exposure, share, part = self._shares(lists)
        order = np.lexsort((item, -exposure))
        parts = RowValues(say("-p × ln(p)", key="p_log_p"), part[order], "sum", "decimal")
        table = item_steps(
            lists,
            item[order],
            RowValues(EXPOSURE, exposure[order], "sum"),
            RowValues(say("p, its share", key="share_of_exposure"), share[order], "sum", "decimal"),
            parts,
        )
        value: Quantity = sum_of(ITEMS, parts.key)
        if self.normalise:
            value = value / log(Number(lists.background.n_items, CATALOG))
        elif self.base == "2":
            value = value / log(Number(2, "2"))
        return Parts(steps=(table,), lines=(Line(value) if len(item) else UNDEFINED,))
