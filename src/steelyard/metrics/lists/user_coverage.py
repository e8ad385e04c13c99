"""How many users get anything at all."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.influence import Influence
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import exact_sums, ratio
from steelyard.metrics.lists.base import AllListsMetric
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Line, Of, Parts
from steelyard.metrics.steps.rows import RowValues, table, together, walked
from steelyard.text import say

_LENGTHS = say("users by how many items they are shown", key="length_steps")


@register("user_coverage", zh="用户覆盖率")
class UserCoverage(AllListsMetric):
    """What share of the users are shown anything at all.

    Users with at least one item among the first k, divided by the users of predictions and truth together.
    An item outside the catalogue, where one is given, is no item. Undefined where there is no user.

    Examples
    --------
    The truth knows a user whom the recommender does not serve:

    >>> lists, truth = {"u": ["a"], "v": ["b"], "w": ["a"]}, {"u": ["b"], "x": ["a"]}
    >>> UserCoverage(k=5).of(lists, truth=truth)
    0.75
    """

    unit = "queries"
    limits = "score"
    undefined_when = "there is no user"

    def per_segment(self, lists: TopLists) -> Floats:
        segment, n = lists.segments, lists.n_segments
        served, weight = self._served(lists)
        return ratio(exact_sums(served, segment, n), exact_sums(weight, segment, n))

    def influence(self, lists: TopLists, values: Floats, each: Floats | None = None) -> Influence:
        served, weight = (lists.cells.sums(part) for part in self._served(lists))
        return Influence.of_ratio(lists.cells, served, weight, values)

    def _served(self, lists: TopLists) -> tuple[Floats, Floats]:
        """The weight of each user, first 0 for users without an item."""
        weight = lists.weights
        return np.where(lists.first(self.k).lengths > 0, weight, 0.0), weight

    def steps(self, lists: TopLists) -> Parts:
        length, at = np.unique(lists.first(self.k).lengths, return_inverse=True)
        served, users = (exact_sums(part, at.reshape(-1), len(length)) for part in self._served(lists))
        values = [
            RowValues(say("items shown // to a user"), length, "range", "rank"),
            RowValues(say("users"), users, "sum"),
            RowValues(say("users with an item"), served, "sum"),
        ]
        pieces = walked(len(length))
        rest = say(
            "a range is several lengths in one ({rows:,} in all), with their sums.", rows=together(pieces)
        )
        lengths = table(_LENGTHS, values, pieces, rest=rest)
        line = Line(Of(_LENGTHS, values[2].key) / Of(_LENGTHS, values[1].key))
        return Parts(steps=(lengths,), lines=(line,))
