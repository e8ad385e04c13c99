"""How popular the items shown are, alone and next to the history of the user."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import list_sums, ratio
from steelyard.metrics.lists.base import PerListMetric, history_of
from steelyard.metrics.registry import register
from steelyard.metrics.steps import By, Column, Line, Parts, Steps
from steelyard.metrics.steps.lists import LIST, item_names, mean_over, mean_steps, shown_steps
from steelyard.metrics.steps.rows import largest, shortened
from steelyard.text import say


@register("popularity", zh="平均流行度")
class Popularity(PerListMetric):
    """How popular the first k items of a list are: the mean of the interactions that each had.

    An item that nobody had counts 0. Undefined where a list is empty.

    Examples
    --------
    Two users had a, one had b:

    >>> had = {"u": ["a", "b"], "v": ["a"]}
    >>> Popularity(k=2).of({"u": ["a", "b"]}, history=had)
    1.5
    """

    scale: Literal["count", "share"] = choice(
        default="count",
        meaning={"count": "its interactions", "share": "its share of all interactions"},
    )

    tables = ("history",)
    bounds = (0.0, np.inf)
    direction = "none"

    def per_query(self, lists: TopLists) -> Floats:
        shown = lists.first(self.k)
        return lists.mean_worth(shown, self.worths(lists))

    def worths(self, lists: TopLists) -> Floats:
        interactions = history_of(lists).interactions
        return interactions if self.scale == "count" else ratio(interactions, interactions.sum())

    def steps(self, lists: TopLists) -> Parts:
        history, shown = history_of(lists), lists.first(self.k)
        columns = [Column.of(say("interactions"), history.interactions[shown.item])]
        if self.scale == "count":
            return mean_steps(lists, shown, columns)
        share = self.worths(lists)[shown.item]
        columns.append(Column.of(say("share // of all interactions"), share, "decimal"))
        total = float(history.interactions.sum())
        note = say("interactions in the history: {n:g}.", key="history_interactions", n=total)
        return mean_steps(lists, shown, columns, (note,))


HISTORY = say("what the user had", key="history")
OF_LIST, OF_HISTORY = say("popularity of the list"), say("popularity of the history")


@register("popularity_lift", zh="流行度提升")
class PopularityLift(PerListMetric):
    """How much more popular the first k items of a list are than what the user had before.

    The mean popularity (interactions) of the list, divided by that of the different items of the user's own
    history, minus 1: 0 where what is shown is as popular as what the user had, 1 where it is twice as
    popular. Undefined where a list is empty or a user has no history.

    Examples
    --------
    Two users had a, one had b; u is shown a and had both: ``2 / 1.5 - 1``

    >>> had = {"u": ["a", "b"], "v": ["a"]}
    >>> PopularityLift(k=1).of({"u": ["a"]}, history=had)
    0.33333333333333326
    """

    tables = ("history",)
    bounds = (-1.0, np.inf)
    undefined_when = "the list is empty or the user has no history"
    direction = "none"

    def per_query(self, lists: TopLists) -> Floats:
        history, shown = history_of(lists), lists.first(self.k)
        worth = history.interactions
        own = ratio(list_sums(history.offsets, history.item, worth), np.diff(history.offsets))
        return ratio(lists.mean_worth(shown, worth), own) - 1

    def steps(self, lists: TopLists) -> Parts:
        history, shown, name = history_of(lists), lists.first(self.k), say("interactions")
        now = Column.of(name, history.interactions[shown.item])
        before = history.interactions[history.item]
        columns = (
            Column.of(say("item"), item_names(lists, history.item), "text"),
            Column.of(name, before),
        )
        had = Steps(name=HISTORY, columns=columns, total=(now.key,))
        return Parts(
            steps=(shown_steps(lists, shown, (now,), total=now.key), shortened(had, largest(before))),
            lines=(
                Line(mean_over(LIST, now.key), OF_LIST),
                Line(mean_over(HISTORY, now.key), OF_HISTORY),
                Line(By(OF_LIST) / By(OF_HISTORY) - 1),
            ),
        )
