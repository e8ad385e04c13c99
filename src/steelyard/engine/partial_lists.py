"""Lists of one part, reduced to their hits and first items, and the lists of several parts put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Ints, offsets_of
from steelyard.conventions import Align, Order, Scores, Ties
from steelyard.engine.background import Background, History, code_items
from steelyard.engine.coding import Encoded, EncodedGrid, encode, encode_labelled
from steelyard.engine.merged_accounts import (
    check_types,
    merged_coverage,
    merged_names,
    merged_notes,
    merged_slices,
    merged_tally,
)
from steelyard.engine.protocol import Names, Need, Ranking, Tally
from steelyard.engine.ranked import Counted, Hits, blocks, by_row
from steelyard.engine.rankings import QueryWeights, Rankings
from steelyard.engine.slices import Slices
from steelyard.engine.top_lists import TopLists
from steelyard.read import Table
from steelyard.text import Message, say
from steelyard.text.errors import merging

CountKey = tuple[Align, Order, Scores, bool]
# Tables that every part has whole; those of users may be split as the queries are.
OF_ITEMS = ("catalog", "features", "item_groups")
OF_USERS = ("history", "baseline_lists")


@dataclass(frozen=True, kw_only=True)
class PartialLists:
    """All that one part, or several, say of rankings and of lists as a whole.

    ``queries`` has every query of either table, with its slice, its weight and its unit where there are any.
    ``shown`` are the rows of the best and worst queries: predictions, truth and what was excluded.
    """

    queries: pl.DataFrame
    counted: tuple[Counted, ...]  # for each way of counting, in the order of the metrics
    lists: tuple[tuple[TopLists, Tally], ...]  # for each need of lists, in the same order
    slices: pl.DataFrame | None  # the values of each slice
    coverage: pl.DataFrame | None
    weights: str | None  # where the weights come from
    unit: str | None
    names: Names
    notes: tuple[Message, ...]
    unmatched: tuple[Message, ...]  # said where no item of any part has a judgement
    any_judged: bool
    judged: bool
    settled: Mapping[str, Any]
    max_grade: float
    shown: Mapping[str, pl.DataFrame]
    text: Mapping[str, tuple[bool, bool]]  # whether the ids of a table are untyped, and its items listed
    users: pl.DataFrame | None  # of the history, where there is one


def collect_lists(
    rankings: Rankings, needs: Sequence[Need], best_and_worst: Callable[[], Sequence[object]]
) -> PartialLists:
    """The lists of one part, with the rows of its best and worst queries to be shown."""
    counted, lists = dict[CountKey, Counted](), list[tuple[TopLists, Tally]]()
    queries = rankings.encoded.queries
    for need in needs:
        state = rankings.state(need)
        if isinstance(state, TopLists):
            plain = replace(state, weight=None, units=None, _cache={})
            lists.append((plain, rankings.listed_tally(need)))
            continue
        key = rankings.count_key(need)
        found = rankings.counted(need)
        counted[key] = _without_rows(counted.get(key), found, need)
    columns = {"query": queries}
    if rankings.slices is not None:
        columns["slice"] = pl.Series(rankings.slices.codes)
    frame = pl.DataFrame(columns)
    if rankings.exclude is not None and isinstance(
        rankings.encoded, Encoded
    ):  # which may name further queries
        sides = (rankings.encoded.predictions, rankings.encoded.truth)
        frame = frame.filter(pl.Series(np.add(*(np.diff(side.offsets) for side in sides)) > 0))
    if rankings.weights is not None:
        frame = frame.join(rankings.weights.frame, on="query", how="left", maintain_order="left")
    if rankings.unit_of is not None:
        units = rankings.unit_of.rename({"value": "unit"})
        frame = frame.join(units, on="query", how="left", maintain_order="left")
    account, history = rankings.account(), rankings.side_tables.history
    states = [rankings.state(need) for need in needs]
    notes = rankings.notes(states, graded=True)
    return PartialLists(
        queries=frame,
        counted=tuple(counted.values()),
        lists=tuple(lists),
        slices=None if rankings.slices is None else rankings.slices.keys,
        coverage=account.slice_coverage.get("queries"),
        weights=None if rankings.weights is None else rankings.weights.name,
        unit=rankings.unit,
        names=rankings.names,
        notes=tuple(notes),
        unmatched=tuple(rankings.nothing_judged()),
        any_judged=rankings.any_judged,
        judged=rankings.judged,
        settled=rankings.settled,
        max_grade=rankings.max_grade,
        users=None if history is None else history.frame.select("query").unique(),
        **_shown(rankings, best_and_worst()),
    )


def _without_rows(known: Counted | None, counted: Counted, need: Need) -> Counted:
    """The hits alone, and their places under each order of ties by item or by row that may be asked for."""
    settled = {} if known is None else dict(known.settled)
    rank = need.convention[1]
    if (counted.ranked.hits.tied > 1).any():
        orders = {"item_desc", "item_asc"} if counted.has_items else set()
        orders |= {rank.ties} & {"item_desc", "item_asc", "given"}
        for ties in sorted(orders):
            settled[ties, rank.item_order] = by_row(counted, rank, cast("Ties", ties)).before
    return Counted(ranked=counted.ranked, tally=counted.tally, had_items=counted.has_items, settled=settled)


def _shown(rankings: Rankings, queries: Sequence[object]) -> dict[str, Any]:
    if not queries or isinstance(rankings.encoded, EncodedGrid) or not rankings.judged:
        return {"shown": {}, "text": {}}
    tables = {"predictions": rankings.predictions, "truth": rankings.truth}
    if rankings.exclude is not None:
        tables["exclude"] = rankings.exclude
    wanted = [str(query) for query in queries]
    frames = {
        name: table.frame.filter(table.frame["query"].cast(pl.String).is_in(wanted))
        for name, table in tables.items()
        if name != "truth" or table is not rankings.predictions
    }
    return {"shown": frames, "text": {name: (table.untyped, table.listed) for name, table in tables.items()}}


def merge_lists(parts: Sequence[PartialLists], new_history: Sequence[bool]) -> PartialLists:
    """The lists of several parts as those of one; ``new_history`` says whose history no part before has."""
    first = parts[0]
    check_types([{"query": part.queries.schema["query"]} for part in parts])
    slices, codes = merged_slices([part.slices for part in parts])
    frames = [part.queries for part in parts]
    if codes is not None:
        frames = [
            frame.with_columns(pl.Series("slice", code[frame["slice"].to_numpy()]))
            for frame, code in zip(frames, codes, strict=True)
        ]
    for frame in frames[1:]:
        if frame.columns != frames[0].columns:
            raise merging.differ(
                what=say("their columns"), one=str(frames[0].columns), other=str(frame.columns)
            )
        check_types([frames[0].schema, frame.schema])
    queries = pl.concat(frames)
    doubled = queries["query"].is_duplicated()
    if doubled.any():
        raise merging.not_whole(what="query", name=str(queries["query"].filter(doubled)[0]))
    max_grade = max(part.max_grade for part in parts)
    any_judged = any(part.any_judged for part in parts)
    counted = [
        _joined_counted(several, max_grade) for several in zip(*(part.counted for part in parts), strict=True)
    ]
    lists = [
        (
            _joined_lists([state for state, _ in several], new_history),
            merged_tally([tally for _, tally in several]),
        )
        for several in zip(*(part.lists for part in parts), strict=True)
    ]
    return replace(
        first,
        queries=queries,
        counted=tuple(counted),
        lists=tuple(lists),
        slices=None if slices is None else slices.keys,
        coverage=merged_coverage([part.coverage for part in parts], slices),
        names=merged_names([part.names for part in parts]),
        notes=merged_notes([part.notes for part in parts]),
        unmatched=() if any_judged else max((part.unmatched for part in parts), key=len),
        any_judged=any_judged,
        max_grade=max_grade,
        shown=_joined_frames([part.shown for part in parts]),
        text={name: held for part in parts for name, held in part.text.items()},
        users=_joined_users([part.users for part, new in zip(parts, new_history, strict=False) if new]),
    )


def _joined_users(users: Sequence[pl.DataFrame | None]) -> pl.DataFrame | None:
    """The users of all histories; a user in two that differ would count twice."""
    known = [frame for frame in users if frame is not None]
    if not known:
        return None
    check_types([frame.schema for frame in known])
    every = pl.concat(known)
    doubled = every["query"].is_duplicated()
    if doubled.any():
        raise merging.history_in_two(name=str(every["query"].filter(doubled)[0]))
    return every


def _joined_frames(several: Sequence[Mapping[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    names = dict.fromkeys(name for frames in several for name in frames)
    return {name: pl.concat([frames[name] for frames in several if name in frames]) for name in names}


def _order_of(queries: pl.Series) -> tuple[Ints, Ints]:
    """The place of each query among all by their ids, as every state has them, and the reverse."""
    by_id = queries.arg_sort().to_numpy().astype(np.int64)
    place = np.empty(len(by_id), np.int64)
    place[by_id] = np.arange(len(by_id))
    return by_id, place


def _joined_counted(parts: Sequence[Counted], max_grade: float) -> Counted:
    ranked = [part.ranked for part in parts]
    queries = pl.concat([one.queries for one in ranked])
    by_id, place = _order_of(queries)
    starts = np.cumsum([0, *(one.n_queries for one in ranked)])

    def placed(numbers: Sequence[Ints]) -> Ints:
        found: Ints = place[_shifted(numbers, starts)]
        return found

    hits_query = placed([one.hits.query for one in ranked])
    order = np.argsort(hits_query, kind="stable")
    hits = Hits(
        query=hits_query[order],
        **{
            name: np.concatenate([getattr(one.hits, name) for one in ranked])[order]
            for name in ("grade", "before", "tied")
        },
    )
    judged_query = placed([one.judged_query for one in ranked])
    by_query = np.argsort(judged_query, kind="stable")
    settled = {
        key: np.concatenate([part.settled.get(key, part.ranked.hits.before) for part in parts])[order]
        for key in set().union(*(part.settled for part in parts))
    }
    joined = replace(
        ranked[0],
        queries=queries[by_id],
        retrieved=np.concatenate([one.retrieved for one in ranked])[by_id],
        hits=hits,
        judged=np.concatenate([one.judged for one in ranked])[by_id],
        judged_query=judged_query[by_query],
        judged_grade=np.concatenate([one.judged_grade for one in ranked])[by_query],
        max_grade=max_grade,
        of_truth={},
        _cache={},
    )
    tally = merged_tally([part.tally for part in parts])
    return Counted(ranked=joined, tally=tally, had_items=parts[0].has_items, settled=settled)


def _joined_lists(parts: Sequence[TopLists], new_history: Sequence[bool]) -> TopLists:
    queries = pl.concat([part.queries for part in parts])
    by_id, place = _order_of(queries)
    starts = np.cumsum([0, *(part.n_queries for part in parts)])
    check_types([{"item": part.background.items.dtype} for part in parts])
    items, codes = code_items([part.background.items for part in parts])

    def moved(offsets: Sequence[Ints]) -> tuple[Ints, Ints]:
        """Where the entries of each query come from, queries by id, and where each query begins."""
        lengths = np.concatenate([np.diff(one) for one in offsets])
        return blocks(offsets_of(lengths), by_id)[0], offsets_of(lengths[by_id])

    entry, offsets = moved([part.offsets for part in parts])
    numbers = [code[part.item] for code, part in zip(codes, parts, strict=True)]
    changes: dict[str, Any] = {
        "queries": queries[by_id],
        "offsets": offsets,
        "item": np.concatenate(numbers)[entry],
        "strength": np.concatenate([part.strength for part in parts])[entry],
        "background": _joined_background(parts, items, codes, moved, new_history),
        "_cache": {},
    }
    if parts[0].graded is not None:
        at = np.empty(len(entry), np.int64)
        at[entry] = np.arange(len(entry))
        ends = np.cumsum([0, *(len(part.item) for part in parts)])
        graded = at[_shifted([cast("Ints", one.graded) for one in parts], ends)]
        order = np.argsort(graded, kind="stable")
        changes |= {"graded": graded[order], "grade": _column(parts, "grade")[order]}
        changes["judged"] = _column(parts, "judged")[by_id]
    if parts[0].relevant_query is not None:
        query = place[_shifted([cast("Ints", one.relevant_query) for one in parts], starts)]
        order = np.argsort(query, kind="stable")
        item = np.concatenate([code[one.relevant_item] for code, one in zip(codes, parts, strict=True)])
        changes |= {"relevant_query": query[order], "relevant_item": item[order]}
        changes["relevant_grade"] = _column(parts, "relevant_grade")[order]
    return replace(parts[0], **changes)


def _shifted(numbers: Sequence[Ints], starts: Ints) -> Ints:
    """Numbers of several parts one after the other, counted on from where each part begins."""
    return np.concatenate([part + start for part, start in zip(numbers, starts.tolist(), strict=False)])


def _column(parts: Sequence[Any], name: str) -> Any:
    return np.concatenate([getattr(part, name) for part in parts])


def _joined_background(
    parts: Sequence[TopLists],
    items: pl.Series,
    codes: Sequence[Ints],
    moved: Callable[[Sequence[Ints]], tuple[Ints, Ints]],
    new_history: Sequence[bool],
) -> Background:
    """What is known of all items, and of the users of all parts."""
    known, n = [part.background for part in parts], len(items)
    first = known[0]
    changes: dict[str, Any] = {"items": items}

    def scattered(values: Sequence[Any], nothing: Any) -> Any:
        found = np.full(n, nothing, values[0].dtype)
        for code, mine in zip(codes, values, strict=True):
            there = mine != nothing
            found[code[there]] = mine[there]
        return found

    if first.in_catalog is not None:
        changes["in_catalog"] = scattered([cast("Flags", one.in_catalog) for one in known], nothing=False)
    if first.features is not None:
        rows = [one.features.row for one in known if one.features is not None]
        changes["features"] = replace(first.features, row=scattered(rows, -1))
    if first.group is not None:
        changes["group"] = scattered([cast("Ints", one.group) for one in known], -1)
    if first.history is not None:
        histories = [cast("History", one.history) for one in known]
        entry, offsets = moved([one.offsets for one in histories])
        item = np.concatenate([code[one.item] for code, one in zip(codes, histories, strict=True)])
        counts: dict[str, Any] = {"users": np.zeros(n, np.int64), "interactions": np.zeros(n)}
        known_once = [
            pair for pair, new in zip(zip(codes, histories, strict=True), new_history, strict=True) if new
        ]
        for code, one in known_once:
            for name, total in counts.items():
                np.add.at(total, code, getattr(one, name))
        changes["history"] = replace(
            histories[0],
            offsets=offsets,
            item=item[entry],
            count=_column(histories, "count")[entry],
            n_users=sum(one.n_users for _, one in known_once),
            **counts,
        )
    if first.baseline_lists is not None:
        entry, offsets = moved([cast("Ints", one.baseline_offsets) for one in known])
        item = np.concatenate([code[one.baseline_lists] for code, one in zip(codes, known, strict=True)])
        changes |= {"baseline_lists": item[entry], "baseline_offsets": offsets}
    return replace(first, **changes)


@dataclass(frozen=True, kw_only=True)
class MergedRankings(Rankings):
    """The lists of several parts, under the names that those of one have."""

    lists: PartialLists

    @classmethod
    def of_parts(cls, lists: PartialLists, needs: Sequence[Need]) -> MergedRankings:
        names, frame = lists.names, lists.queries
        two = names.truth is not None
        predictions = Table(frame=pl.DataFrame(), name=names.predictions)
        truth = Table(frame=pl.DataFrame(), name=str(names.truth)) if two else predictions
        slices = None
        if lists.slices is not None:
            known = Slices.of_keys(lists.slices)
            slices = replace(known, codes=frame["slice"].to_numpy(), units=frame["query"])
        made = cls(
            lists=lists,
            predictions=predictions,
            truth=truth,
            exclude=None if names.exclude is None else Table(frame=pl.DataFrame(), name=names.exclude),
            grid=None,
            encoded=_encoded(lists),
            some=True,
            judged=lists.judged,
            max_grade=lists.max_grade,
            settled=dict(lists.settled),
            side_tables=cast("Any", None),
            table_notes=lists.notes,
            slices=slices,
            weights=None
            if lists.weights is None
            else QueryWeights(frame.select("query", "weight"), lists.weights),
            unit=lists.unit,
            unit_of=frame.select("query", value="unit") if "unit" in frame.columns else None,
        )
        keys = dict.fromkeys(made.count_key(need) for need in needs if need.reads == "hits")
        made._counted.update(zip(keys, lists.counted, strict=True))
        of_lists = [need for need in needs if need.reads == "lists"]
        for need, (state, tally) in zip(of_lists, lists.lists, strict=True):
            meeting, rank = need.convention
            made._listed.setdefault(need.convention, Ranking(align=meeting, rank=rank, tally=tally))
            made._states[need] = made.attached(state) if made.weights or made.unit_of is not None else state
        return made

    def _covered(self, slices: Slices) -> pl.DataFrame:
        return slices.labels.clear() if self.lists.coverage is None else self.lists.coverage

    def _inputs(self) -> dict[str, pl.DataFrame]:
        return {}

    def nothing_judged(self) -> list[Message]:
        return list(self.lists.unmatched)


def _encoded(lists: PartialLists) -> Encoded | None:
    """The rows of the best and worst queries of each part, to be shown."""
    tables = {
        name: Table(frame=frame, name=name, untyped=lists.text[name][0], listed=lists.text[name][1])
        for name, frame in lists.shown.items()
    }
    if not tables:
        return None
    predictions = tables["predictions"]
    if "item" not in predictions.frame.columns:
        return encode_labelled(predictions)
    return encode(predictions, tables.get("truth", predictions), tables.get("exclude"))
