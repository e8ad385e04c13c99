"""What metrics of distances between items share."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np

from steelyard.arrays import Floats, offsets_of
from steelyard.conventions import choice
from steelyard.engine.background import Features
from steelyard.engine.top_lists import ShownItems, TopLists
from steelyard.metrics.lists.base import PerListMetric, history_of
from steelyard.metrics.steps.arithmetic import applying
from steelyard.text import Message, say
from steelyard.text.errors import opening

NO_FEATURES_HAD = say(
    "nothing that the user had before has features, so that the value is undefined.",
    key="undefined_featureless_history",
)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class DistanceMetric(PerListMetric):
    """A metric with one value per list that compares items by their features."""

    distance: Literal["cosine", "jaccard", "hamming", "euclidean"] = choice(
        default="cosine",
        meaning={
            "cosine": "1 - the cosine of their features",
            "jaccard": "1 - the share of common features among those that either has",
            "hamming": "the share of features that differ",
            "euclidean": "the length of the difference of their features",
        },
    )
    featureless: Literal["error", "drop"] = choice(
        default="error",
        meaning={
            "error": "an item without features is an error",
            "drop": "an item without features is left out",
        },
    )

    @property
    def compares(self) -> bool:
        return "features" in self.needed_tables()

    def idle(self, lists: TopLists) -> set[str]:
        if not self.compares:
            return {"distance", "featureless"}
        known = features_of(lists).known(self.distance)
        return {"featureless"} if known[lists.first(self.k).item].all() else set()

    def choices(self, lists: TopLists) -> list[tuple[str, Any]]:
        item = lists.first(self.k).item
        return [
            (name, value)
            for name, value in super().choices(lists)
            if name != "distance" or features_of(lists).measured_by(value, item)
        ]

    def shown(self, lists: TopLists) -> ShownItems:
        """The first k items, without items that are dropped because they have no features."""
        if not self.compares:
            return lists.first(self.k)
        key = ("with features", self.k, self.distance, self.featureless)
        return lists.once(key, lambda: self._with_features(lists))

    def _with_features(self, lists: TopLists) -> ShownItems:
        shown, features = lists.first(self.k), features_of(lists)
        known = features.known(self.distance)
        if known.all() or known[shown.item].all():
            return shown
        known = known[shown.item]
        if self.featureless == "error":
            without = shown.item[~known]
            zero = features.tags is None and (features.row[without] >= 0).all()
            refusal = opening.zero_vectors if zero else opening.featureless_items
            raise refusal(
                n=len(np.unique(without)),
                every=len(np.unique(shown.item)),
                name=features.name,
                item=lists.background.items[int(without[0])],
                metric=self.name,
            )
        return shown.only(known)

    def distances_to_history(self, lists: TopLists, shown: ShownItems) -> Floats:
        """The mean distance of each item to the user's history; NaN if that has no features."""
        history, features = history_of(lists), features_of(lists)
        known = features.known(self.distance)[history.item]
        offsets = offsets_of(np.bincount(history.user[known], minlength=lists.n_queries))
        return features.mean_distances(shown.offsets, shown.item, offsets, history.item[known], self.distance)

    def facts(self, lists: TopLists, label: str = "") -> list[Message]:
        notes, history = super().facts(lists, label), lists.background.history
        if not self.compares or history is None or "history" not in self.needed_tables():
            return notes
        without = int((~features_of(lists).known(self.distance)[history.item]).sum())
        note = say(
            "{n:,} of {every:,} items that users had {n:has|have} no features in {features}, "
            "and {n:is|are} left out.",
            key="featureless_history",
            n=without,
            every=len(history.item),
            features=features_of(lists).name,
        )
        return [*notes, *applying((without, note))]

    def list_notes(self, lists: TopLists) -> tuple[Message, ...]:
        left = len(lists.first(self.k).item) - len(self.shown(lists).item)
        note = say("items without features, which are left out: {n:,}.", key="featureless_left_out", n=left)
        return (*super().list_notes(lists), *applying((left, note)))


def features_of(lists: TopLists) -> Features:
    features = lists.background.features
    assert features is not None
    return features
