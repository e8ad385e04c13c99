"""Preferences: which documents each judge puts above which, and how many of these the ranking fulfils."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.ranked import Ranked, places
from steelyard.kernels.means import segment_sum
from steelyard.text.errors import as_trec_eval
from steelyard.text.errors.base import Refusal
from steelyard.trec_eval.files import Preferences, Trouble, places_among

_MOST = 1 << 21  # entries that are listed at a time
_CELLS = 1 << 22  # pairs of documents that are looked at together

# How many preferences each group has (``possible``), how many the ranking fulfils, and documents by level.
# ``_ret`` counts those of which both documents were retrieved, ``_imp`` those of which at least one was.
# ``_limited`` and ``_limited_ret`` leave out the last nonrelevant documents, so that there are no more of
# them than relevant ones, the way trec_eval does it.
_Counts: TypeAlias = dict[str, Ints]
_OF_PAIRS = ("fulfilled", "fulfilled_ret", "possible", "possible_imp", "possible_ret")

# a group that contradicts itself, the row that shows it, and the error
_Wrong: TypeAlias = tuple[int, int, Refusal]


@dataclass(frozen=True)
class Lines:
    """Lines of numbers; a group is all that one judge says of one topic.

    ``place`` numbers the documents of all topics: topic by topic, those that were retrieved by rank, then the
    others by name.
    """

    row: Ints  # in the table
    group: Ints
    subgroup: Ints  # of its group, numbered through
    level: Floats
    place: Ints
    found: Flags  # whether the document was retrieved
    topic: Ints  # of each group; groups stand by topic and by the judge's name
    n_topics: int

    @property
    def again(self) -> Flags:
        """Of each line but the first, whether the one before has the same group and document."""
        same: Flags = (self.group[1:] == self.group[:-1]) & (self.place[1:] == self.place[:-1])
        return same

    def at(self, which: Ints | Flags) -> Lines:
        names = ("row", "group", "subgroup", "level", "place", "found")
        return replace(self, **{name: getattr(self, name)[which] for name in names})

    def split(self) -> tuple[Lines, Lines]:
        """The lines of groups without subgroups, by place, and those of the others."""
        group_of = np.zeros(int(self.subgroup.max(initial=-1)) + 1, np.int64)
        group_of[self.subgroup] = self.group
        partial = (np.bincount(group_of, minlength=len(self.topic)) > 1)[self.group]
        by_place = np.lexsort((self.level, self.place, self.group))
        return self.at(by_place[~partial[by_place]]), self.at(partial)


@dataclass(frozen=True)
class Preferred:
    """The preferences of every group, what one judge says of one topic, and of every pair of documents."""

    lines: Lines
    whole: Lines  # those of groups without subgroups
    counts: _Counts
    better: Ints  # places of documents that the other groups prefer, where several judged a topic
    worse: Ints
    several: Flags  # topics of which a pair may be judged more than once
    trouble: Trouble | None

    def by_topic(self, values: Ints | Floats) -> Floats:
        return segment_sum(values, self.lines.topic, self.lines.n_topics)

    @cached_property
    def pairs(self) -> dict[str, Floats]:
        """The counts of ``_OF_PAIRS`` by topic, where a pair counts the share of judges who agree.

        What nobody retrieved is not fulfilled.
        """
        some = self.lines
        retrieved, topic = np.zeros((2, int(some.place.max()) + 1), np.int64)
        retrieved[some.place], topic[some.place] = some.found, some.topic[some.group]
        of_lines = _of_lines(self.whole.at(self.several[some.topic[self.whole.group]]))
        of_pairs = _of_pairs(self.better, self.worse, retrieved > 0, len(of_lines[0]))
        opinions = Opinions(*[np.concatenate(both) for both in zip(of_lines, of_pairs, strict=True)])
        sums = zip(_OF_PAIRS, _pair_sums(opinions, topic, some.n_topics), strict=True)
        # a pair that is judged once counts 1 or 0, and need not be listed
        return {name: np.where(self.several, found, self.by_topic(self.counts[name])) for name, found in sums}


def preferred(preferences: Preferences, graded: Ranked) -> Preferred:
    every = _lines(preferences.frame, graded)
    whole, partial = every.split()
    several = np.bincount(every.topic, minlength=every.n_topics) > 1
    several[every.topic[whole.group[1:][whole.again]]] = True

    counts = _counts(whole)
    better, worse = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    # a document at two levels; and one at level 0 that the line read before or after puts above it
    twice = np.flatnonzero(whole.again & (whole.level[1:] != whole.level[:-1]))
    wrong = _first(whole.group[twice], whole.row[twice], as_trec_eval.two_levels)
    read = partial.at(np.lexsort((-partial.level, partial.subgroup, partial.place, partial.group)))
    one, other = read.level[:-1], read.level[1:]
    mixed = np.flatnonzero(read.again & (((one == 0) & (other > 0)) | ((one > 0) & (other == 0))))
    wrong += _first(read.group[mixed], read.row[mixed], as_trec_eval.relevant_and_not)
    for batch in _batches(read):
        for name, found in batch.counts().items():
            counts[name][batch.group] = found
        at, document = np.nonzero(np.diagonal(batch.prefers, axis1=1, axis2=2))
        wrong += _first(batch.group[at], batch.row[at, document], as_trec_eval.preferred_to_itself)
        wanted = several[every.topic][batch.group]
        at, first, second = np.nonzero(batch.prefers & wanted[:, None, None])
        better.append(batch.place[at, first])
        worse.append(batch.place[at, second])

    trouble = None
    if wrong:
        _, row, refusal = min(wrong, key=lambda found: found[0])
        query, judge, item = preferences.frame.select("query", "judge", "item").row(row)
        trouble = Trouble(query, refusal, {"name": preferences.name, "judge": judge, "item": item})
    pairs = np.concatenate(better), np.concatenate(worse)
    return Preferred(every, whole, counts, *pairs, several, trouble)


def _first(group: Ints, row: Ints, refusal: Refusal) -> list[_Wrong]:
    if not len(group):
        return []
    first = np.argmin(group)
    return [(int(group[first]), int(row[first]), refusal)]


def _lines(frame: pl.DataFrame, graded: Ranked) -> Lines:
    """The lines of the topics that are evaluated; ``graded`` has the numbers of documents for grades."""
    frame = frame.with_row_index("row").filter(pl.col("query").is_in(graded.queries.implode()))
    topic = places_among(frame["query"], graded.queries)
    names = frame["judge"], frame["subgroup"]
    judge, subgroup = (places_among(column, column.unique().sort()) for column in names)
    groups, group = _numbered(topic, judge)
    _, within = _numbered(group, subgroup)
    # documents of a topic by rank, then by name
    document, hits, n_hits = frame["document"].to_numpy(), graded.hits, len(graded.hits.query)
    span = int(document.max(initial=0)) + 1
    known, of_line = np.unique(topic * span + document, return_inverse=True)
    rank = np.full(len(known), n_hits)  # behind all that were retrieved
    rank[np.searchsorted(known, hits.query * span + hits.grade.astype(np.int64))] = np.arange(n_hits)
    place = np.empty(len(known), np.int64)
    place[np.lexsort((known, rank, known // span))] = np.arange(len(known))
    return Lines(
        row=frame["row"].to_numpy().astype(np.int64),
        group=group,
        subgroup=within,
        level=frame["level"].to_numpy() + 0.0,  # -0.0 is 0.0
        place=place[of_line],
        found=rank[of_line] < n_hits,
        topic=topic[groups],
        n_topics=graded.n_queries,
    )


def _numbered(outer: Ints, inner: Ints) -> tuple[Ints, Ints]:
    """Pairs as numbers, by the first and then the second: a row that has each, and the number of each row."""
    pairs = outer * (inner.max(initial=0) + 1) + inner
    _, rows, numbers = np.unique(pairs, return_index=True, return_inverse=True)
    return rows, numbers


def _each_of(starts: Ints, ends: Ints, together: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Every row with each entry of its range, a few millions at a time.

    Rows whose ``together`` is the same, which is ascending, come at the same time.
    """
    lengths = np.maximum(ends - starts, 0)
    before = np.cumsum(lengths) - lengths
    first = np.searchsorted(together, together, side="left")
    part = before[first] // _MOST
    cuts = np.flatnonzero(np.diff(part, prepend=-1, append=-1))
    for low, high in pairwise(cuts):
        some = lengths[low:high]
        rows = np.repeat(np.arange(low, high), some)
        offset = starts[low:high] - before[low:high] + before[low]
        yield rows, np.arange(len(rows)) + np.repeat(offset, some)


def _counts(whole: Lines) -> _Counts:
    """Count the preferences of groups without subgroups; their lines stand by group and place."""
    group, level, found, n = whole.group, whole.level, whole.found, len(whole.topic)

    def many(where: Flags) -> Ints:
        return np.bincount(group[where], minlength=n)

    def total(values: Ints, where: Flags) -> Ints:
        return np.bincount(group[where], values[where], n).astype(np.int64)

    _, code = np.unique(level, return_inverse=True)
    size, retrieved = np.bincount(group, minlength=n), many(found)
    # how many documents each group has at each of its levels, retrieved or not
    span = int(code.max(initial=0)) + 1
    cells, of_line = np.unique(group * span + code, return_inverse=True)
    owner = cells // span
    at_level, others = (np.bincount(of_line[some], minlength=len(cells)) for some in (found, ~found))
    lowest = np.zeros(n, np.int64)
    lowest[owner[::-1]] = (cells % span)[::-1]

    def by_group(values: Ints) -> Ints:
        return np.bincount(owner, values, n).astype(np.int64)

    def pairs(there: Ints) -> Ints:
        return (by_group(there) ** 2 - by_group(there**2)) // 2

    possible, possible_ret = pairs(at_level + others), pairs(at_level)
    fulfilled_ret = _in_order(group[found], code[found], n)
    # and the pairs whose higher document was retrieved and the lower not
    so_far = np.cumsum(at_level)
    last = np.searchsorted(owner, owner, side="right") - 1
    fulfilled = fulfilled_ret + by_group(others * (so_far[last] - so_far))
    relevant, relevant_ret = many(level > 0), many((level > 0) & found)

    # trec_eval takes the lowest level for that of all nonrelevant documents. It keeps as many of these as are
    # relevant, and sets every document of the group against them, even those of the same level
    low = code == lowest[group]
    lows, lows_ret = many(low), many(low & found)
    nth = np.cumsum(low) - 1 - (np.cumsum(lows) - lows)[group]
    starts = np.cumsum(size) - size
    new = np.append(True, ~whole.again)[: len(group)]
    first = np.flatnonzero(new)[np.cumsum(new) - 1]  # the first line of the same document
    above = np.minimum(first - starts[group], retrieved[group])
    higher = np.cumsum(np.append(0, found & ~low))
    higher_above = higher[first] - higher[starts[group]]
    kept, kept_ret = low & (nth < relevant[group]), low & found & (nth < relevant_ret[group])
    return dict(
        fulfilled=fulfilled,
        fulfilled_ret=fulfilled_ret,
        possible=possible,
        possible_imp=possible - pairs(others),
        possible_ret=possible_ret,
        relevant=relevant,
        relevant_ret=relevant_ret,
        nonrelevant=size - relevant,
        nonrelevant_ret=retrieved - relevant_ret,
        fulfilled_limited=fulfilled - total(higher_above, low) + total(above, kept),
        possible_limited=possible - (size - lows) * lows + size * many(kept),
        fulfilled_limited_ret=fulfilled_ret - total(higher_above, low & found) + total(above, kept_ret),
        possible_limited_ret=possible_ret - (retrieved - lows_ret) * lows_ret + retrieved * many(kept_ret),
    )


def _in_order(group: Ints, code: Ints, n: int) -> Ints:
    """The pairs of each group, which stands in order of rank, whose first is of the higher level.

    The highest bit in which two levels differ decides; for each bit those that agree above it stand together.
    """
    found = np.zeros(n, np.int64)
    for bit in range(int(code.max(initial=0)).bit_length()):
        alike = code >> (bit + 1)
        order = np.lexsort((alike, group))
        higher = (code[order] >> bit & 1).astype(bool)
        new = (np.diff(group[order], prepend=-1) != 0) | (np.diff(alike[order], prepend=-1) != 0)
        so_far = np.cumsum(higher) - higher
        before = so_far - so_far[np.flatnonzero(new)][np.cumsum(new) - 1]
        found += np.bincount(group[order][~higher], before[~higher], n).astype(np.int64)
    return found


class Opinions(NamedTuple):
    """What is compared: documents, each at a level, and for some a range of others that stand below it.

    The judge is right where the level of the one is higher than that of the other; levels of different ranges
    have nothing to do with each other.
    """

    place: Ints
    level: Floats
    retrieved: Flags
    start: Ints  # of the range below, which has those that were retrieved first
    middle: Ints
    end: Ints


def _of_lines(whole: Lines) -> list[NDArray[Any]]:
    """Every document with those behind it, in groups without subgroups; lines stand by group and place."""
    start = np.arange(len(whole.group)) + 1
    retrieved = np.bincount(whole.group[whole.found], minlength=len(whole.topic))
    middle = np.searchsorted(whole.group, whole.group) + retrieved[whole.group]
    end = np.searchsorted(whole.group, whole.group, side="right")
    return [whole.place, whole.level, whole.found, start, np.maximum(start, middle), end]


def _of_pairs(better: Ints, worse: Ints, retrieved: Flags, before: int) -> list[NDArray[Any]]:
    """Preferences one by one, after so many others; ``retrieved`` is of each place."""
    n = len(better)
    one, other = np.minimum(better, worse), np.maximum(better, worse)
    second, nothing = before + n + np.arange(n), np.zeros(n, np.int64)
    first_half = (one, np.where(better < worse, 1.0, -1.0), retrieved[one])
    halves = zip(
        (*first_half, second, second + retrieved[other], second + 1),
        (other, nothing, retrieved[other], nothing, nothing, nothing),
        strict=True,
    )
    return [np.concatenate(both) for both in halves]


def _pair_sums(opinions: Opinions, topic: Ints, n: int) -> tuple[Floats, ...]:
    """Add up the shares of each topic; ``topic`` is of each place."""
    found = opinions.retrieved
    total = np.zeros(n)
    # in the order in which trec_eval adds, as the last bit of a sum shows where a value ends in a 5
    pairs_ret = _added(total, opinions, found, opinions.start, opinions.middle, topic)
    fulfilled_ret = total.copy()
    pairs_imp = pairs_ret + _added(total, opinions, found, opinions.middle, opinions.end, topic)
    fulfilled = total.copy()
    pairs = pairs_imp + _added(total, opinions, ~found, opinions.start, opinions.end, topic)
    return fulfilled, fulfilled_ret, pairs, pairs_imp, pairs_ret


def _added(total: Floats, opinions: Opinions, which: Flags, starts: Ints, ends: Ints, topic: Ints) -> Floats:
    """Add the share of every pair to its topic's total, one after the other; and count the pairs."""
    rows = np.flatnonzero(which & (starts < ends))
    rows = rows[np.argsort(opinions.place[rows], kind="stable")]
    many = np.zeros(len(total))
    for row, other in _each_of(starts[rows], ends[rows], opinions.place[rows]):
        one = rows[row]
        differ = opinions.level[one] != opinions.level[other]
        one, other = one[differ], other[differ]
        pair = opinions.place[one] * len(topic) + opinions.place[other]
        order = np.argsort(pair, kind="stable")
        pair, right = pair[order], (opinions.level[one] > opinions.level[other])[order]
        first = np.flatnonzero(np.diff(pair, prepend=-1))  # of the opinions on each pair
        bounds = np.append(first, len(pair))
        fulfilled = np.diff(np.append(0, np.cumsum(right))[bounds])
        of_pair = topic[pair[first] // len(topic)]
        np.add.at(total, of_pair, fulfilled / np.diff(bounds))
        many += segment_sum(np.ones(len(first)), of_pair, len(total))
    return many


class Batch(NamedTuple):
    """Groups of about the same size: which document each one prefers to which.

    Documents stand by place; where a group has fewer than others, the level is NaN.
    """

    group: Ints
    row: Ints  # by group and document, as all that follows; a line that has the document
    place: Ints
    level: Floats
    found: Flags
    prefers: Flags  # the one, then the other

    def counts(self) -> _Counts:
        one, other = self.found[:, :, None], self.found[:, None, :]
        right = np.triu(self.prefers) & one
        zero, positive = self.level == 0, self.level > 0
        kept = ~zero | (np.cumsum(zero, axis=1) <= positive.sum(axis=1)[:, None])
        both = kept[:, :, None] & kept[:, None, :]
        found = dict(
            fulfilled=right,
            fulfilled_ret=right & other,
            possible=self.prefers,
            possible_imp=self.prefers & (one | other),
            possible_ret=self.prefers & one & other,
            relevant=positive,
            relevant_ret=positive & self.found,
            nonrelevant=zero,
            nonrelevant_ret=zero & self.found,
            fulfilled_limited=right & both,
            possible_limited=self.prefers & both,
            fulfilled_limited_ret=right & other & both,
            possible_limited_ret=self.prefers & one & other & both,
        )
        return {name: np.count_nonzero(some, axis=(1, 2)[: some.ndim - 1]) for name, some in found.items()}


def _batches(read: Lines) -> Iterator[Batch]:
    """The groups with all their preferences, those that follow from others included."""
    # of several lines on a document the one that trec_eval reads last says at which level it is
    last = np.append(~read.again, True)[: len(read.group)]
    known = read.at(last)
    size = np.bincount(known.group, minlength=len(read.topic))
    starts = np.cumsum(size) - size
    number = np.cumsum(last) - last - starts[read.group]  # of each line's document within its group

    order, batch = _batched(size)
    row, batch_of = np.full((2, len(read.topic)), -1)
    batch_of[order] = batch
    row[order] = places(batch)
    by_batch = np.lexsort((-read.level, read.subgroup, batch_of[read.group]))
    said, number = read.at(by_batch), number[by_batch]
    every = np.arange(batch[-1] + 2) if len(batch) else np.zeros(1, np.int64)
    groups_of = pairwise(np.searchsorted(batch, every))
    lines_of = pairwise(np.searchsorted(batch_of[said.group], every))
    for (first, end), some in zip(groups_of, lines_of, strict=True):
        groups, some_said, some_number = order[first:end], said.at(np.arange(*some)), number[slice(*some)]
        there = np.arange(size[groups[-1]]) < size[groups][:, None]
        prefers = np.zeros((*there.shape, there.shape[1]), bool)
        # the lines of each subgroup with those of lower levels; they stand by subgroup, the highest first
        subgroup, level = some_said.subgroup, some_said.level
        step = np.cumsum(np.append(True, (subgroup[1:] != subgroup[:-1]) | (level[1:] != level[:-1])))
        lower = np.searchsorted(step, step, side="right")
        last_of = np.searchsorted(subgroup, subgroup, side="right")
        for one, other in _each_of(lower, last_of, np.arange(len(subgroup))):
            prefers[row[some_said.group[one]], some_number[one], some_number[other]] = True
        document = np.where(there, starts[groups][:, None] + np.arange(there.shape[1]), 0)
        yield Batch(
            group=groups,
            row=known.row[document],
            place=known.place[document],
            level=np.where(there, known.level[document], np.nan),
            found=known.found[document] & there,
            prefers=_closed(prefers),
        )


def _batched(size: Ints) -> tuple[Ints, Ints]:
    """Groups that are looked at together: by size, not too many, and none twice as large as another."""
    order = np.argsort(size, kind="stable")
    order = order[size[order] > 0]
    doubling = np.ceil(np.log2(size[order])).astype(np.int64)
    part = np.cumsum(size[order] ** 2) // _CELLS
    new = (np.diff(part, prepend=-1) != 0) | (np.diff(doubling, prepend=-1) != 0)
    return order, np.cumsum(new) - 1


def _closed(prefers: Flags) -> Flags:
    """With all that follows: who prefers a to b and b to c prefers a to c."""
    own = np.arange(prefers.shape[1])
    prefers[:, own, own] = False  # a document at two levels of a subgroup, which the program lets pass
    while True:
        reach: NDArray[np.float32] = prefers.astype(np.float32)
        further = prefers | (reach @ reach > 0)
        if (further == prefers).all():
            return prefers
        prefers = further
