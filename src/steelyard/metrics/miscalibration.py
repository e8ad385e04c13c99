"""How far the mix of categories in a list is from that of the user's history."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.conventions import choice, number
from steelyard.kernels.group import distinct
from steelyard.kernels.means import segment_sum
from steelyard.messages.errors import background
from steelyard.metrics.base import Direction
from steelyard.metrics.lists import PerListMetric
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


@register("miscalibration", zh="类别偏差")
class Miscalibration(PerListMetric):
    """How far the categories of the first k items are from those of the user's history; 0 is as it was.

    With p the shares of categories in the history, by interactions, and q those in the list (an item of
    several tags counts in equal parts): ``sum of p ln(p / q~)``, where a little of the history in
    ``q~ = (1 - smoothing) q + smoothing p`` keeps it finite. ``divergence=js`` is the mean of both to their
    mean, and needs no smoothing. Items without a category count nowhere. Undefined where a list or a history
    has no category.

    Examples
    --------
    Half war and half love before, nothing but war now: ``ln(0.5/0.995)/2 + ln(0.5/0.005)/2``

    >>> genres = {"a": "war", "b": "love", "c": "war"}
    >>> Miscalibration(k=1).of({"u": ["c"]}, features=genres, history={"u": ["a", "b"]})
    1.9585...
    """

    divergence: Literal["kl", "js"] = choice(
        default="kl",
        meaning={"kl": "the divergence of the list from the history", "js": "that of both from their mean"},
    )
    smoothing: float = number(
        default=0.01,
        meaning="how much of the history is mixed into the list",
        above=0,
        below=1,
        tries=(0.1, 0.01, 0.001),
    )

    tables: ClassVar[tuple[str, ...]] = ("history", "features")
    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)
    direction: ClassVar[Direction] = "lower"

    def per_query(self, lists: TopLists) -> Floats:
        user, _, before, now = self.shares(lists)
        if self.divergence == "kl":
            mixed = (1 - self.smoothing) * now + self.smoothing * before
            part = _part(before, mixed)
        else:
            middle = (before + now) / 2
            part = (_part(before, middle) + _part(now, middle)) / 2
        value = segment_sum(part, user, lists.n_queries)
        both = (segment_sum(before, user, lists.n_queries) > 0) & (
            segment_sum(now, user, lists.n_queries) > 0
        )
        return np.where(both, np.maximum(value, 0.0), np.nan)

    def shares(self, lists: TopLists) -> tuple[Ints, Ints, Floats, Floats]:
        """Of each user and category that either has: its share in the history, and in the list."""
        history, features, shown = lists.background.history, lists.background.features, lists.first(self.k)
        assert history is not None
        assert features is not None
        if features.tags is None:
            raise background.needs_categories(metric=str(self), name=features.name)
        n_tags, n = max(1, len(features.tags)), lists.n_queries
        had = np.repeat(np.arange(n), np.diff(history.offsets))
        parts = [
            (had, *features.tag_parts(history.item), history.count),
            (shown.query, *features.tag_parts(shown.item), np.ones(len(shown.item))),
        ]
        keys, worths = [], []
        for user, entry, tag, worth, each in parts:
            keys.append(user[entry] * n_tags + tag)
            worths.append(worth * each[entry])
        found, at = distinct(np.concatenate(keys))
        at_first, at_last = np.split(at, [len(keys[0])])
        owner = found // n_tags
        shares = []
        for place, worth in zip((at_first, at_last), worths, strict=True):
            total = np.bincount(place, worth, minlength=len(found))
            every = segment_sum(total, owner, n)[owner]
            shares.append(np.divide(total, every, out=np.zeros(len(total)), where=every > 0))
        return owner, found % n_tags, shares[0], shares[1]


def _part(one: Floats, other: Floats) -> Floats:
    """``one · ln(one / other)``, 0 where ``one`` is 0."""
    there = one > 0
    logs = np.zeros(len(one))
    np.log(np.divide(one, other, out=np.ones(len(one)), where=there & (other > 0)), out=logs, where=there)
    return np.where(there & (other == 0), np.inf, one * logs)
