"""How far the mix of categories in a list is from that of the user's history."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.conventions import choice, number
from steelyard.engine.background import Features
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.group import distinct
from steelyard.kernels.means import segment_sum
from steelyard.metrics.lists.base import PerListMetric, features_of, history_of
from steelyard.metrics.registry import register
from steelyard.metrics.steps import UNDEFINED, Column, Line, Parts, Steps, sum_of
from steelyard.metrics.steps.lists import shown_steps
from steelyard.metrics.steps.rows import largest, shortened
from steelyard.text import say
from steelyard.text.errors import reading

CATEGORIES = say("category by category", key="categories")


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

    tables = ("history", "features")
    bounds = (0.0, np.inf)
    undefined_when = "the list or the history has no category"
    direction = "lower"

    def per_query(self, lists: TopLists) -> Floats:
        user, _, before, now = self.shares(lists)
        value, had, has = (
            segment_sum(part, user, lists.n_queries) for part in (self.parts(before, now)[1], before, now)
        )
        return np.where((had > 0) & (has > 0), np.maximum(value, 0.0), np.nan)

    def parts(self, before: Floats, now: Floats) -> tuple[Floats, Floats]:
        """The share that each category is compared with, and its part of the sum."""
        if self.divergence == "kl":
            mixed = (1 - self.smoothing) * now + self.smoothing * before
            return mixed, _part(before, mixed)
        middle = (before + now) / 2
        return middle, (_part(before, middle) + _part(now, middle)) / 2

    def shares(self, lists: TopLists) -> tuple[Ints, Ints, Floats, Floats]:
        """User, category, and its share in the history and in the list."""
        history, features, shown = history_of(lists), features_of(lists), lists.first(self.k)
        n_tags, n = max(1, len(self.tags(features))), lists.n_queries
        parts = [
            (history.user, *features.tag_parts(history.item), history.count),
            (shown.query, *features.tag_parts(shown.item), np.ones(len(shown.item))),
        ]
        keys, worths = [], []
        for user, entry, tag, worth, each in parts:
            keys.append(user[entry] * n_tags + tag)
            worths.append(worth * each[entry])
        codes, at = distinct(np.concatenate(keys))
        at_first, at_last = np.split(at, [len(keys[0])])
        owner = codes // n_tags
        shares = []
        for place, worth in zip((at_first, at_last), worths, strict=True):
            total = np.bincount(place, worth, minlength=len(codes))
            every = segment_sum(total, owner, n)[owner]
            shares.append(np.divide(total, every, out=np.zeros(len(total)), where=every > 0))
        return owner, codes % n_tags, shares[0], shares[1]

    def tags(self, features: Features) -> pl.Series:
        if features.tags is None:
            raise reading.needs_categories(metric=str(self), name=features.name)
        return features.tags

    def idle(self, lists: TopLists) -> set[str]:
        return set() if self.divergence == "kl" else {"smoothing"}

    def steps(self, lists: TopLists) -> Parts:
        shown, features = lists.first(self.k), features_of(lists)
        names = self.tags(features)
        entry, place, _ = features.tag_parts(shown.item)
        starts = np.searchsorted(entry, np.arange(len(shown.item)))
        texts = [", ".join(names.gather(some)) or None for some in np.split(place, starts)[1:]]
        items = shown_steps(lists, shown, [Column.of(say("categories"), texts, "text")])
        _, tag, before, now = self.shares(lists)
        against, part = self.parts(before, now)
        compared = say("mixed with the history") if self.divergence == "kl" else say("mean of both")
        columns = (
            Column.of(say("category"), names.gather(tag).to_list(), "text"),
            Column.of(say("before"), before, "decimal"),
            Column.of(say("now"), now, "decimal"),
            Column.of(compared, against, "decimal"),
            Column.of(say("part // of a sum"), part, "decimal"),
        )
        table = Steps(name=CATEGORIES, columns=columns, total=("part",))
        table = shortened(table, largest(np.abs(part)))
        defined = before.any() and now.any()
        line = Line(sum_of(CATEGORIES, "part")) if defined else UNDEFINED
        return Parts(steps=(items, table), lines=(line,))


def _part(p: Floats, q: Floats) -> Floats:
    """``p · ln(p / q)``, 0 where p is 0."""
    there, logs = p > 0, np.zeros(len(p))
    np.log(np.divide(p, q, out=np.ones(len(p)), where=there & (q > 0)), out=logs, where=there)
    return np.where(there & (q == 0), np.inf, p * logs)
