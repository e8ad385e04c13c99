"""What metrics of whole lists share: they read which items are shown, not how these were judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard import conventions
from steelyard.arrays import Floats, Ints, offsets_of
from steelyard.conventions import (
    Align,
    Cutoff,
    Duplicates,
    Rank,
    SelfMatch,
    choice,
    shared_choice,
)
from steelyard.engine.background import TABLES, Features, History
from steelyard.engine.kept import ListSummary
from steelyard.engine.protocol import Need, Reads
from steelyard.engine.top_lists import ShownItems, TopLists, lists_of
from steelyard.metrics.base import Metric, Weighs, abstract
from steelyard.metrics.ranking.base import QueryMetric, cutoff
from steelyard.metrics.rows.base import filled
from steelyard.metrics.steps import applying
from steelyard.text import Message, say
from steelyard.text.errors import reading


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class ListMetric(Metric, Rank):
    """A metric of the first k items of all lists.

    ``tables`` are what it needs besides the lists: catalog, features, history, item_groups,
    baseline_lists or truth.
    """

    duplicates: Duplicates = shared_choice("duplicates", default="error")
    self_match: SelfMatch = shared_choice("self_match", default="keep")
    k: int | None = cutoff()

    reads: ClassVar[Reads] = "lists"
    at: ClassVar[Cutoff] = "required"
    tables: ClassVar[tuple[str, ...]] = ()
    always_told: ClassVar[tuple[str, ...]] = ("ties",)

    def needed_tables(self) -> tuple[str, ...]:
        return self.tables

    def need(self, stated: Collection[str] = ()) -> Need:
        # a list means something without truth: the queries of both tables are kept
        align = Align(
            duplicates=self.duplicates, self_match=self.self_match, missing="keep", unexpected="keep"
        )
        rank = Rank(**{name: getattr(self, name) for name in conventions.RANK_FIELDS})
        tables = self.needed_tables()
        return Need(reads=self.reads, metric=self, align=align, rank=rank, top=self.k, tables=tables)

    def check(self) -> None:
        if self.ties in ("expected", "last"):
            raise reading.expected_lists(metric=str(self), ties=self.ties)

    def choices(self, lists: TopLists) -> list[tuple[str, Any]]:
        """The alternatives that the given tables allow; not other cutoffs, as lists are kept up to k."""
        without = {"k", *self.idle(lists)}
        return [
            (name, value)
            for name, value in super().choices(lists)
            if name not in without and lists.background.has(self.replace(**{name: value}).needed_tables())
        ]

    def facts(self, lists: TopLists, label: str = "") -> list[Message]:
        """Items outside the catalogue, without features or history; users without history."""
        shown, needed = lists.first(self.k), self.needed_tables()
        every, known = len(shown.item), lists.background
        notes = []
        if lists.outside(self.k):
            notes.append(_outside(lists, self.k) if every else nothing_common(known.names["catalog"]))
        if "features" in needed:
            without = every - lists.n_known(self.k, getattr(self, "distance", "jaccard"))
            note = say(
                "{n:,} of {every:,} recommendations {n:has|have} no features in {features} and {n:is|are} "
                "left out.",
                key="featureless",
                n=without,
                every=every,
                features=known.names["features"],
            )
            notes += applying((without, note))
        if "history" in needed or ("baseline_lists or history" in needed and known.baseline_lists is None):
            notes += _of_history(lists, self.k)
        return notes

    def extra_figures(self, lists: TopLists) -> Mapping[str, Floats]:
        """For the whole: the exposure of the top items, and the share of places outside the catalogue."""
        if lists.segment is not None:
            return {}
        summary = ListSummary.of(lists, self.k)
        if not summary.n_items or not summary.places:
            return {}
        return {
            "top_exposure": np.array([summary.top_exposure]),
            "outside_catalog": np.array([summary.outside / summary.places]),
        }

    def of(
        self,
        lists: Any,
        *,
        truth: Any = None,
        catalog: Any = None,
        features: Any = None,
        history: Any = None,
        item_groups: Any = None,
        baseline_lists: Any = None,
    ) -> float:
        """The value for lists of items, best first: one for each user, or ``{user: [item, …]}``.

        Further tables are given as to ``evaluate``; users of lists without names are 0, 1, 2 …
        """
        state = self.state_of(lists, truth, catalog, features, history, item_groups, baseline_lists)
        return float(self.measure(state)[0])

    def state_of(self, lists: Any, truth: Any, *tables: Any) -> TopLists:
        """What is measured of lists, with the tables in the order of ``TABLES``."""
        self.check()
        return lists_of(self.need(), lists, {"truth": truth, **dict(zip(TABLES, tables, strict=True))})


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class PerListMetric(QueryMetric, ListMetric):
    """A metric with one value per list, then a mean.

    A subclass gives ``per_query``: the value of each list, NaN where it is undefined.
    """

    undefined_when = "no item counts"


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class AllListsMetric(ListMetric):
    """A metric of all lists together: one value per slice.

    A subclass gives ``per_segment``: a value for each slice, NaN where it is undefined.
    """

    unit: ClassVar[str] = "items"
    weighs: ClassVar[Weighs | None] = "queries"

    @abstract("measure")
    def per_segment(self, lists: TopLists) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define per_segment")

    def measure(self, lists: TopLists, each: Floats | None = None) -> Floats:
        return filled(self, self.per_segment(lists), lists.n_segments, rows=True)

    def size(self, lists: TopLists) -> Ints:
        """How many units each value uses: queries, or items of the catalogue (without one, items shown)."""
        if self.unit == "items" and lists.background.in_catalog is not None:
            return np.full(lists.n_segments, lists.background.n_items)
        if self.unit == "items":
            return np.bincount(exposures(lists, self.k)[0], minlength=lists.n_segments)
        return np.bincount(lists.segments[lists.counts], minlength=lists.n_segments)

    def covered(self, lists: TopLists, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        n = self.size(lists) if values.ndim == 1 else self.size(lists)[:, None]
        undefined = np.isnan(values)
        return np.where(undefined, 0, n), np.where(undefined, n, 0)


def history_of(lists: TopLists) -> History:
    history = lists.background.history
    assert history is not None
    return history


def _outside(lists: TopLists, k: int | None) -> Message:
    outside = lists.outside(k)
    return say(
        "{n:,} of {every:,} recommendations {n:is|are} outside {catalog} and ignored.",
        key="outside_catalog",
        n=outside,
        every=outside + len(lists.first(k).item),
        catalog=lists.background.names["catalog"],
    )


def _of_history(lists: TopLists, k: int | None) -> tuple[Message, ...]:
    history, every = history_of(lists), len(lists.first(k).item)
    unseen = lists.once(("unseen", k), lambda: int(lists.times(k)[history.users == 0].sum()))
    without = int((np.diff(history.offsets) == 0)[lists.counts].sum())
    some = say(
        "{n:,} of {every:,} recommendations {n:is an item|are items} that {history} does not have.",
        key="unseen_items",
        n=unseen,
        every=every,
        history=history.name,
    )
    users = say(
        "{n:,} of {every:,} users {n:has|have} no history.",
        key="users_without_history",
        n=without,
        every=int(lists.counts.sum()),
    )
    unknown = nothing_common(history.name) if unseen == every else some
    return applying((unseen, unknown), (without, users))


def nothing_common(table: str) -> Message:
    return say(
        "no item shown is in {table}: check that both name items the same way.",
        key="no_common_items",
        table=table,
    )


def exposures(lists: TopLists, k: int | None, *, discounted: bool = False) -> tuple[Ints, Ints, Floats]:
    """Slice, item and exposure of every item that is shown."""
    key = ("exposures", k, discounted, lists.segment is None)
    return lists.once(key, lambda: _exposures(lists, k, discounted=discounted))


def _exposures(lists: TopLists, k: int | None, *, discounted: bool) -> tuple[Ints, Ints, Floats]:
    if lists.weight is None and lists.segment is None and not discounted:
        times = lists.times(k)
        item = np.flatnonzero(times)
        return np.zeros(len(item), np.int64), item, times[item].astype(np.float64)
    shown = lists.first(k)
    worth = lists.weights[shown.query]
    if discounted:
        worth = 1 / np.log2(np.arange(2.0, shown.rank.max(initial=1) + 2))[shown.rank - 1] * worth
    return item_sums(lists, shown, worth)


def place_worth(lists: TopLists, k: int | None, *, discounted: bool) -> Floats:
    """The worth of each of the first k places: the weight of its query, perhaps discounted by rank."""
    shown = lists.first(k)
    worth = lists.weights[shown.query]
    if discounted:
        worth = worth / np.log2(np.arange(2.0, shown.rank.max(initial=1) + 2))[shown.rank - 1]
    return worth


def at_places(lists: TopLists, k: int | None, segment: Ints, item: Ints, values: Floats) -> Floats:
    """The value of the item at each of the first k places of all lists."""
    shown, n = lists.first(k), len(lists.background.items)
    if lists.segment is None:
        of_item = np.zeros(n)
        of_item[item] = values
        return of_item[shown.item]
    code = segment * n + item
    order = np.argsort(code)
    at = np.searchsorted(code[order], lists.segment[shown.query] * n + shown.item)
    # an item at places of weight 0 alone has no value
    return values[order][np.minimum(at, len(code) - 1)] if len(code) else np.zeros(len(at))


def item_sums(lists: TopLists, shown: ShownItems, worth: Floats) -> tuple[Ints, Ints, Floats]:
    """Slice, item and the summed worth of its places, where that is above 0."""
    n = len(lists.background.items)
    place = shown.item if lists.segment is None else lists.segment[shown.query] * n + shown.item
    if lists.n_segments * n <= 4 * len(place) + 1_000_000:
        total = np.bincount(place, worth, minlength=lists.n_segments * n).astype(np.float64, copy=False)
        places = np.flatnonzero(total)
        return places // n, places % n, total[places]
    places, at = np.unique(place, return_inverse=True)
    total = np.bincount(at.reshape(-1), worth, minlength=len(places)).astype(np.float64, copy=False)
    return places[total > 0] // n, places[total > 0] % n, total[total > 0]


def exposure_choice() -> Any:
    return choice(
        default="count",
        meaning={"count": "every place counts the same", "discounted": "a place counts 1 / log2(rank + 1)"},
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
            refusal = reading.zero_vectors if zero else reading.featureless_items
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


def features_of(lists: TopLists) -> Features:
    features = lists.background.features
    assert features is not None
    return features
