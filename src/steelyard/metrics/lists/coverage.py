"""How much of the catalogue is shown."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import ratio
from steelyard.metrics.lists.base import AllListsMetric, exposures
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Line, Number, Of, Parts
from steelyard.metrics.steps.rows import CATALOG, EXPOSURE, ITEMS, RowValues, item_steps
from steelyard.text import say


@register("coverage", zh="覆盖率")
class Coverage(AllListsMetric):
    """What share of the catalogue appears in the first k items of anybody's list.

    Different items of the catalogue that are shown, divided by the size of the catalogue. Items outside the
    catalogue count as none, so that it never exceeds 1. Undefined where the catalogue is empty. There is
    no interval: users drawn anew can only lose items, never show others.

    Examples
    --------
    Two lists show a, b and c of four items:

    >>> Coverage(k=2).of([["a", "b"], ["a", "c"]], catalog=["a", "b", "c", "d"])
    0.75
    """

    tables = ("catalog",)
    limits = "none"
    biased = True
    undefined_when = "the catalogue is empty"

    def per_segment(self, lists: TopLists) -> Floats:
        segment, _, _ = exposures(lists, self.k)
        shown = np.bincount(segment, minlength=lists.n_segments).astype(np.float64)
        return ratio(shown, np.full(lists.n_segments, lists.background.n_items))

    def steps(self, lists: TopLists) -> Parts:
        _, item, exposure = exposures(lists, self.k)
        order = np.lexsort((item, -exposure))
        items = RowValues(say("items // how many"), np.ones(len(item)), "sum")
        table = item_steps(lists, item[order], RowValues(EXPOSURE, exposure[order], "sum"), items)
        n = lists.background.n_items
        line = Line(Of(ITEMS, items.key, named=say("different items shown")) / Number(n, CATALOG))
        return Parts(steps=(table,), lines=(line,))
