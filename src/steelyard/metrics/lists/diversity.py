"""How different the items of a list are from each other."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.top_lists import ShownItems, TopLists
from steelyard.kernels.means import ratio
from steelyard.metrics.lists.base import DistanceMetric, features_of
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Parts
from steelyard.metrics.steps.lists import mean_steps
from steelyard.text import say
from steelyard.text.errors import reading


@register("diversity", zh="多样性")
class Diversity(DistanceMetric):
    """How different the first k items of a list are: the mean distance over all pairs of them.

    The distance is ``1 - cosine`` of the items' features unless ``distance`` says otherwise. Undefined where
    a list has fewer than two items with features; under cosine, a vector of zeros is no feature.

    Examples
    --------
    Of three pairs, one shares its genre: ``(1 + 1 + 0) / 3``

    >>> genres = {"a": ["war"], "b": ["war"], "c": ["love"]}
    >>> Diversity(k=3).of([["a", "b", "c"]], features=genres)
    0.6666666666666666
    """

    tables = ("features",)
    bounds = (0.0, np.inf)
    undefined_when = "the list has fewer than two items with features"

    def within(self) -> tuple[float, float]:
        return 0.0, {"cosine": 2.0, "euclidean": np.inf}.get(self.distance, 1.0)

    def _check(self) -> None:
        if self.k == 1:
            raise reading.one_place(metric=str(self))

    def per_query(self, lists: TopLists) -> Floats:
        shown = self.shown(lists)
        n = shown.lengths.astype(np.float64)
        total = features_of(lists).pair_sums(shown.offsets, shown.item, self.distance)
        return ratio(total, n * (n - 1) / 2)

    def apart(self, lists: TopLists, shown: ShownItems) -> Floats:
        """The mean distance of each item to the others of its list."""
        features, alone = features_of(lists), np.arange(len(shown.item) + 1)
        every = features.mean_distances(shown.offsets, shown.item, shown.offsets, shown.item, self.distance)
        own = features.mean_distances(alone, shown.item, alone, shown.item, self.distance)
        n = shown.lengths[shown.query]
        return np.maximum(ratio(every * n - own, n - 1), 0.0)

    def steps(self, lists: TopLists) -> Parts:
        shown = self.shown(lists)
        far = Column.of(say("distance to the others"), self.apart(lists, shown), "decimal")
        return mean_steps(lists, shown, (far,))
