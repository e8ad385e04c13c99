"""How different the lists of users are from each other."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.engine.influence import Influence
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.lists.base import AllListsMetric, at_places, exposures, item_sums
from steelyard.metrics.registry import register
from steelyard.metrics.steps import UNDEFINED, By, Line, Number, Parts, applying, sum_of
from steelyard.metrics.steps.rows import ITEMS, TOTAL_WEIGHT, RowValues, item_steps
from steelyard.text import say

_USERS = say("users")


@register("personalization", zh="个性化")
class Personalization(AllListsMetric):
    """How different the lists of two users are: 0 where all get the same, 1 where nobody shares an item.

    1 minus the mean over all pairs of users of ``common items / sqrt(length · length)``. It comes from how
    much weight each item has over all lists, without a look at every pair. Users without a list are no
    partners. Undefined where fewer than two users have a list.

    Examples
    --------
    Of three pairs, one shares one of two items: ``1 - (1/2 + 0 + 0) / 3``

    >>> Personalization(k=2).of([["a", "b"], ["a", "c"], ["d", "e"]])
    0.8333333333333334
    """

    unit = "queries"
    limits = "logit"
    undefined_when = "fewer than two users have a list"

    def per_segment(self, lists: TopLists) -> Floats:
        alike, weight = self._alike(lists), self._weights(lists)
        own, every, users = (
            segment_sum(part, lists.segments, lists.n_segments)
            for part in (weight * weight, weight, weight > 0)
        )
        value = 1 - ratio(alike - own, np.where(users > 1, every**2 - own, 0.0))
        return np.clip(value, 0.0, 1.0)

    def influence(self, lists: TopLists, values: Floats, each: Floats | None = None) -> Influence:
        """By how much each user shares with all others, compared with the average pair."""
        segment, item, total = self._item_weights(lists)
        shown, weight, at = lists.first(self.k), self._weights(lists), lists.segments
        of_place = at_places(lists, self.k, segment, item, total)
        met = segment_sum(of_place, shown.query, lists.n_queries)
        shared = ratio(met, np.sqrt(np.maximum(shown.lengths, 1))) - weight
        own, every = (segment_sum(part, at, lists.n_segments)[at] for part in (weight * weight, weight))
        moves = 2 * weight * ratio((1 - values[at]) * (every - weight) - shared, every**2 - own)
        cells = lists.cells
        size = cells.sums(weight)
        return Influence.of_cells(
            cells, (cells.sums(moves),), (ratio(size, cells.spread(cells.totals(size))),)
        )

    def size(self, lists: TopLists) -> Ints:
        users = self._weights(lists) > 0
        return np.bincount(lists.segments[users], minlength=lists.n_segments)

    def _weights(self, lists: TopLists) -> Floats:
        """The weight of each user; 0 without a list."""
        return np.where(lists.first(self.k).lengths > 0, lists.weights, 0.0)

    def _alike(self, lists: TopLists) -> Floats:
        """The similarity summed over all ordered pairs of users, each user with himself included."""
        lengths = np.unique(lists.first(self.k).lengths)
        full = lengths[lengths > 0]
        if lists.weight is None and len(full) == 1:  # the usual case: exact counts
            segment, _, count = exposures(lists, self.k)
            return segment_sum(count * count, segment, lists.n_segments) / float(full[0])
        segment, _, total = self._item_weights(lists)
        return segment_sum(total * total, segment, lists.n_segments)

    def _item_weights(self, lists: TopLists) -> tuple[Ints, Ints, Floats]:
        """The weight of each item: the sum of 1 / sqrt(length) over the lists that show it."""
        shown = lists.first(self.k)
        each = self._weights(lists) / np.sqrt(np.maximum(shown.lengths, 1))
        return item_sums(lists, shown, np.repeat(each, shown.lengths))

    def steps(self, lists: TopLists) -> Parts:
        _, item, total = self._item_weights(lists)
        order = np.lexsort((item, -total))
        squared = RowValues(say("squares"), (total * total)[order], "sum", "decimal")
        weight = self._weights(lists)
        table = item_steps(
            lists,
            item[order],
            RowValues(say("sum of 1 / sqrt(length)", key="item_weight"), total[order], kind="decimal"),
            squared,
        )
        own, users = Number(float((weight * weight).sum()), _USERS), Number(float(weight.sum()), _USERS)
        if lists.weight is not None:
            own, users = Number(own.value, say("squared weights")), Number(users.value, TOTAL_WEIGHT)
        without = int((lists.counts & (weight == 0)).sum())
        note = say("users without a list, who are in no pair: {n:,}.", key="without_list", n=without)
        notes = applying((without, note))
        if (weight > 0).sum() < 2:
            return Parts(steps=(table,), lines=(UNDEFINED,), notes=notes)
        shared = Line(sum_of(ITEMS, squared.key) - own, say("shared by pairs"))
        lines = (shared, Line(1 - By(shared.key) / (users**2 - own)))
        return Parts(steps=(table,), lines=lines, notes=notes)
