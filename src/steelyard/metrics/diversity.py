"""How different the items of a list are from each other."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio
from steelyard.messages.errors import background
from steelyard.metrics.lists import PerListMetric, distance_choice, featureless_choice, with_features
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


@register("diversity", zh="多样性")
class Diversity(PerListMetric):
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

    distance: Literal["cosine", "jaccard", "hamming", "euclidean"] = distance_choice()
    featureless: Literal["error", "drop"] = featureless_choice()

    tables: ClassVar[tuple[str, ...]] = ("features",)
    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def _check(self) -> None:
        if self.k == 1:
            raise background.one_place(metric=str(self))

    def per_query(self, lists: TopLists) -> Floats:
        shown = with_features(self, lists)
        n = shown.lengths.astype(np.float64)
        assert lists.background.features is not None
        total = lists.background.features.pair_sums(shown.offsets, shown.item, self.distance)
        return ratio(total, n * (n - 1) / 2)
