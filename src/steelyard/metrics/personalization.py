"""How different the lists of users are from each other."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.group import distinct
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.lists import AllListsMetric, exposures
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


@register("personalization", zh="个性化")
class Personalization(AllListsMetric):
    """How different the lists of two users are: 0 where all get the same, 1 where nobody shares an item.

    1 minus the mean over all pairs of users of ``common items / sqrt(length · length)``. It comes from how
    much weight each item has over all lists, without a look at every pair. Users without a list are no
    partners. Undefined with fewer than two users.

    Examples
    --------
    Of three pairs, one shares one of two items: ``1 - (1/2 + 0 + 0) / 3``

    >>> Personalization(k=2).of([["a", "b"], ["a", "c"], ["d", "e"]])
    0.8333333333333334
    """

    unit: ClassVar[str] = "queries"

    def per_segment(self, lists: TopLists) -> Floats:
        shown = lists.first(self.k)
        weight = np.where(shown.lengths > 0, lists.weights, 0.0)
        alike = self.alike(lists, weight)
        own = segment_sum(weight * weight, lists.segments, lists.n_segments)
        every = segment_sum(weight, lists.segments, lists.n_segments) ** 2
        several = segment_sum(weight > 0, lists.segments, lists.n_segments) > 1
        value = 1 - ratio(alike - own, np.where(several, every - own, 0.0))
        return np.clip(value, 0.0, 1.0)

    def alike(self, lists: TopLists, weight: Floats) -> Floats:
        """Over all ordered pairs of users, each with himself too: their common items by their lengths."""
        shown, n = lists.first(self.k), len(lists.background.items)
        lengths = np.unique(shown.lengths[shown.lengths > 0])
        if lists.weight is None and len(lengths) == 1:  # every list is full, as most are
            segment, _, exposure = exposures(lists, self.k)
            alike: Floats = segment_sum(exposure**2, segment, lists.n_segments) / lengths[0]
            return alike
        each = np.repeat(weight / np.sqrt(np.maximum(shown.lengths, 1)), shown.lengths)
        place = shown.item if lists.segment is None else lists.segment[shown.query] * n + shown.item
        found, at = distinct(place)
        total = segment_sum(each, at, len(found))
        return segment_sum(total * total, found // n, lists.n_segments)
