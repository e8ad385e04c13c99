"""How rows become the first items of each list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard import kernels, read
from steelyard.arrays import Ints, numpy_of, offsets_of, parts_of
from steelyard.conventions import Order, Rank
from steelyard.engine.align import Aligned, align, blocks, strength_of
from steelyard.engine.background import Background, Beside, users_of, with_background
from steelyard.engine.coding import Encoded, encode
from steelyard.engine.protocol import Need, Tally, wanted_tables
from steelyard.engine.top_lists import TopLists
from steelyard.read import Table
from steelyard.text.errors import aligning
from steelyard.text.errors.opening import no_usual

_COUNTS = ("predictions", "queries", "doubled_predictions", "masked", "excluded", "self_matched", "retrieved")


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Encoded rows with what is known besides: where the lists of each convention come from."""

    encoded: Encoded
    beside: Beside
    judged: bool  # whether there is a truth
    queries: pl.Series
    background: Background
    item: Ints  # of each row of the predictions
    true_item: Ints | None
    usual_item: Ints | None = None  # of each row of the usual lists
    exclude: Table | None = None
    _aligned: dict[Need, Aligned] = field(default_factory=dict)
    _tied: dict[Need, int] = field(default_factory=dict)

    @classmethod
    def of(cls, encoded: Encoded, beside: Beside, *, judged: bool, exclude: Table | None = None) -> Listing:
        side = encoded.predictions
        if side.items is None:
            raise aligning.lists_need_items(name=side.table.name)
        true = [encoded.truth.items] if judged and encoded.truth.items is not None else []
        somewhere = (np.diff(side.offsets) > 0) | (np.diff(encoded.truth.offsets) > 0)  # not in exclude alone
        queries = encoded.queries.filter(pl.Series(somewhere)).sort()
        background, item, further = with_background(side.table, side.items, true, beside, queries)
        return cls(
            encoded=encoded,
            beside=beside,
            judged=judged,
            queries=queries,
            background=background,
            item=item,
            true_item=further[0] if true else None,
            usual_item=further[-1] if beside.usual is not None else None,
            exclude=exclude,
        )

    def aligned(self, need: Need) -> Aligned:
        if need not in self._aligned:
            meeting, rank = need.convention
            self._aligned[need] = align(self.encoded, meeting, rank.order, alone=True)
        return self._aligned[need]

    def lists(self, need: Need, k: int | None) -> TopLists:
        aligned, rank = self.aligned(need), need.convention[1]
        strength = strength_of(aligned, rank)
        most = min((n for n in (k, rank.depth) if n is not None), default=None)
        self._tied[need] = 0 if rank.order == "given" else kernels.count_tied_rows(aligned.offsets, strength)
        second = self._second(aligned, rank, self._tied[need])
        row, offsets = kernels.first_rows(aligned.offsets, strength, second, most)
        by_id = aligned.queries.arg_sort().to_numpy().astype(np.int64)
        if bool(np.any(np.diff(by_id) < 0)):
            row = row[blocks(offsets, by_id)[0]]
            offsets = offsets_of(np.diff(offsets)[by_id])
        every = len(row) == len(strength) and bool((row == np.arange(len(row))).all())
        known: dict[str, Any] = {}
        if self.judged and aligned.judgement is not None:
            at = aligned.judgement if every else aligned.judgement[row]
            graded = np.flatnonzero(at >= 0)
            known = {"graded": graded, "grade": aligned.grade[at[graded]]}
            known["judged"] = np.diff(aligned.judged_offsets)[by_id] > 0
            known |= self._relevant(aligned, by_id)
        return TopLists(
            queries=self.queries,
            offsets=offsets,
            item=self._items(aligned, None if every else row),
            strength=(strength if every else strength[row]).astype(np.float64, copy=False),
            background=self._with_usual(need),
            k=most,
            **known,
        )

    def _with_usual(self, need: Need) -> Background:
        table = self.beside.usual
        if table is None or self.usual_item is None:
            return self.background
        meeting, rank = need.convention
        columns, own = table.frame.columns, self.encoded.predictions.table.frame.columns
        order: Order = "score" if "score" in columns else "rank" if "rank" in columns else "given"
        chosen = {"score", "rank"} & set(own)  # else the lists have no order but that of their rows
        if chosen and (rank.order == "given" or rank.order in columns):
            order = rank.order
        encoded = encode(table, no_truth(table), self.exclude)
        there = pl.Series(np.diff(encoded.predictions.offsets) > 0)
        alone = Listing(
            encoded=encoded,
            beside=Beside(),
            judged=False,
            queries=encoded.queries.filter(there).sort(),
            background=self.background,
            item=self.usual_item,
            true_item=None,
        )
        lists = alone.lists(replace(need, align=meeting, rank=replace(rank, order=order)), None)
        named = replace(table, frame=lists.queries.alias("query").to_frame())
        user = users_of(self.encoded.predictions.table, named, self.queries)
        mine = np.flatnonzero(user >= 0)
        if not len(mine):
            raise no_usual(name=table.name)
        mine = mine[np.argsort(user[mine])]
        entry, _ = parts_of(lists.offsets, mine)
        lengths = np.zeros(len(self.queries), np.int64)
        lengths[user[mine]] = np.diff(lists.offsets)[mine]
        return replace(self.background, usual=lists.item[entry], usual_offsets=offsets_of(lengths))

    def _items(self, aligned: Aligned, row: Ints | None) -> Ints:  # None are all of them
        if row is not None:
            return self.item[aligned.rows(row)]
        if aligned.entry is None and self.encoded.predictions.row is None:
            return self.item
        return self.item[aligned.rows(np.arange(len(aligned.strength)))]

    def tally(self, need: Need, lists: TopLists) -> Tally:
        found = self.aligned(need).tally
        if not self.judged:
            counts = found.to_dict()
            found = Tally.of(**{name: counts[name] for name in _COUNTS})
        found = found.also(tied=self._tied[need])
        inside = self.background.in_catalog
        return found if inside is None else found.also(outside_catalog=int((~inside[lists.item]).sum()))

    def _relevant(self, aligned: Aligned, by_id: Ints) -> dict[str, Any]:  # by query
        if self.true_item is None:
            return {}
        truth = self.encoded.truth
        kept = np.ones(len(truth.key), bool)
        kept[self.encoded.doubled_truth.again] = False
        moved, query = blocks(aligned.judged_offsets, by_id)
        entry = np.flatnonzero(kept)[moved]
        return {
            "relevant_query": query,
            "relevant_item": self.true_item[truth.rows(entry)],
            "relevant_grade": aligned.grade[moved],
        }

    def _second(self, aligned: Aligned, rank: Rank, tied: int) -> Ints | None:
        """What orders rows of equal strength, the higher first; None where they stay as they are."""
        if not tied or rank.ties == "given":
            return None
        if rank.ties == "error":
            raise aligning.tied_lists(n=tied)
        items, own = self.background.items, self.encoded.predictions.table.frame["item"].dtype
        if rank.item_order == "text" or own == pl.String:
            items = items.cast(pl.String)
        place = np.empty(len(items), np.int64)
        place[items.arg_sort().to_numpy()] = np.arange(len(items))
        second = place[self.item[aligned.rows(np.arange(int(aligned.offsets[-1])))]]
        if rank.ties == "item_asc":
            return -second
        if rank.ties not in ("optimistic", "pessimistic") or aligned.judgement is None:
            return second
        at = aligned.judgement
        grade = np.where(at >= 0, aligned.grade[at], 0.0) if len(aligned.grade) else np.zeros(len(at))
        _, level = np.unique(grade, return_inverse=True)
        level = level.reshape(-1) if rank.ties == "optimistic" else -level.reshape(-1)
        return level * len(items) + second


def no_truth(predictions: Table) -> Table:
    columns = {name: predictions.frame.schema[name] for name in ("query", "item")}
    frame = pl.DataFrame(schema={**columns, "relevance": pl.Float64})
    return Table(frame=frame, extra=pl.DataFrame(), name="truth", untyped=False, listed=False)


def lists_of(need: Need, lists: Any, given: Mapping[str, Any]) -> TopLists:
    """The state of lists that are plain values: one for each user, or ``{user: [item, …]}``."""
    if read.is_matrix(lists) and not hasattr(lists, "tocsr"):  # the items themselves, a list in each row
        lists = numpy_of("predictions", lists).tolist()
    if isinstance(lists, list | tuple):
        lists = dict(enumerate(lists))
    said = read.predictions(lists)
    true = given.get("truth")
    beside = Beside.read({name: given[name] for name in wanted_tables([need], given)}, None)
    encoded = encode(said, no_truth(said) if true is None else read.truth(true))
    order: Order = "score" if "score" in said.frame.columns else "given"
    need = replace(need, rank=replace(need.convention[1], order=order))
    return Listing.of(encoded, beside, judged=true is not None).lists(need, need.top)
