"""How little known the items shown are."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Flags, Floats
from steelyard.conventions import choice, flag
from steelyard.engine.top_lists import ShownItems, TopLists
from steelyard.kernels.means import list_sums, ratio
from steelyard.metrics.lists.base import PerListMetric, history_of
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Parts
from steelyard.metrics.steps.lists import mean_steps
from steelyard.text import say
from steelyard.text.errors import reading


@register("novelty", zh="新颖性")
class Novelty(PerListMetric):
    """How little known the first k items are: the mean over a list of -log2(share of users who had it).

    The share is of the users in the history. An item that everybody had adds 0, one that one user of 1,024
    had adds 10. Undefined where a list is empty.

    Examples
    --------
    Of four users, all had a and one had b: ``(-log2(4/4) - log2(1/4)) / 2``

    >>> had = {"u": ["a", "b"], "v": ["a"], "w": ["a"], "x": ["a"]}
    >>> Novelty(k=2).of({"u": ["a", "b"]}, history=had)
    1.0
    """

    unseen: Literal["one_user", "drop", "error"] = choice(
        default="one_user",
        meaning={
            "one_user": "an item that nobody had counts as if one user had",
            "drop": "an item that nobody had is left out",
            "error": "an item that nobody had is an error",
        },
    )
    normalise: bool = flag(
        default=False,
        meaning={"false": "in bits", "true": "divided by log2 of the users in the history"},
    )

    tables = ("history",)
    bounds = (0.0, np.inf)
    undefined_when = "no item counts, or the history has one user only"

    def per_query(self, lists: TopLists) -> Floats:
        shown = lists.first(self.k)
        bits, counts = self.worths(lists, shown)
        total = list_sums(shown.offsets, shown.item, np.where(counts, bits, 0.0))
        if counts.all():
            return ratio(total, shown.lengths)
        return ratio(total, list_sums(shown.offsets, shown.item, counts.astype(np.float64)))

    def worths(self, lists: TopLists, shown: ShownItems) -> tuple[Floats, Flags]:
        """What each known item adds, and which items count."""
        history = history_of(lists)
        never = history.users == 0
        if self.unseen == "error" and never[shown.item].any():
            at = shown.item[never[shown.item]]
            raise reading.unseen_items(
                n=len(np.unique(at)),
                every=len(np.unique(shown.item)),
                name=history.name,
                item=lists.background.items[int(at[0])],
                field="unseen",
            )
        bits = np.log2(history.n_users / np.maximum(history.users, 1))
        if self.normalise:
            bits = bits / np.log2(history.n_users) if history.n_users > 1 else bits * np.nan
        return bits, ~never if self.unseen == "drop" else np.ones(len(bits), bool)

    def idle(self, lists: TopLists) -> set[str]:
        return set() if (history_of(lists).users[lists.first(self.k).item] == 0).any() else {"unseen"}

    def steps(self, lists: TopLists) -> Parts:
        history, shown = history_of(lists), lists.first(self.k)
        bits, kept = (part[shown.item] for part in self.worths(lists, shown))
        users = history.users[shown.item]
        notes = (say("users in the history: {n:,}.", key="history_users", n=history.n_users),)
        named = say("bits / log2(users)", key="bits") if self.normalise else say("bits")
        columns = (
            Column.of(say("users who had it"), users),
            Column.of(named, np.where(kept, bits, np.nan), "decimal"),
        )
        return mean_steps(lists, shown, columns, notes)
