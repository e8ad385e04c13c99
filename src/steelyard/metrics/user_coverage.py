"""How many users get anything at all."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.exact import exact_sums
from steelyard.kernels.means import ratio
from steelyard.metrics.lists import AllListsMetric
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


@register("user_coverage", zh="用户覆盖率")
class UserCoverage(AllListsMetric):
    """What share of the users are shown anything at all.

    Users with at least one item among the first k, divided by the users of predictions and truth together.
    An item outside the catalogue, where one is given, is no item. Undefined without a user.

    Examples
    --------
    The truth knows a user whom the recommender does not serve:

    >>> lists, truth = {"u": ["a"], "v": ["b"], "w": ["a"]}, {"u": ["b"], "x": ["a"]}
    >>> UserCoverage(k=5).of(lists, truth=truth)
    0.75
    """

    unit: ClassVar[str] = "queries"

    def per_segment(self, lists: TopLists) -> Floats:
        served = lists.first(self.k).lengths > 0
        weight, segment, n = lists.weights, lists.segments, lists.n_segments
        return ratio(exact_sums(np.where(served, weight, 0.0), segment, n), exact_sums(weight, segment, n))
