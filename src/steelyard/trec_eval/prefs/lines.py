"""What the judges said, line by line, with the place at which each document was retrieved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.ranked import Ranked
from steelyard.trec_eval.files import places_among

_MOST = 1 << 21  # entries that are listed at a time


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
    def n_groups(self) -> int:
        """How many judges there are, each topic's counted."""
        return len(self.topic)

    @property
    def again(self) -> Flags:
        """Of each line but the first, whether the one before has the same group and document."""
        same: Flags = (self.group[1:] == self.group[:-1]) & (self.place[1:] == self.place[:-1])
        return same

    def at(self, which: Ints | Flags) -> Lines:
        """Some of the lines, or all in another order."""
        names = ("row", "group", "subgroup", "level", "place", "found")
        return replace(self, **{name: getattr(self, name)[which] for name in names})

    def split(self) -> tuple[Lines, Lines]:
        """The lines of groups without subgroups, by place, and those of the others."""
        group_of = np.zeros(int(self.subgroup.max(initial=-1)) + 1, np.int64)
        group_of[self.subgroup] = self.group
        partial = (np.bincount(group_of, minlength=self.n_groups) > 1)[self.group]
        by_place = np.lexsort((self.level, self.place, self.group))
        return self.at(by_place[~partial[by_place]]), self.at(partial)


class Contradiction(NamedTuple):
    """A group that says of a document what cannot be, and a row that says it."""

    group: int
    row: int


def lines(frame: pl.DataFrame, graded: Ranked) -> Lines:
    """The lines of the topics that are evaluated; ``graded`` has the numbers of documents for grades."""
    frame = frame.with_row_index("row").filter(pl.col("query").is_in(graded.queries.implode()))
    topic = places_among(frame["query"], graded.queries)
    judge, subgroup = (
        places_among(frame[name], frame[name].unique().sort()) for name in ("judge", "subgroup")
    )
    groups, group = _numbered(topic, judge)
    _, within = _numbered(group, subgroup)
    place, found = _places(topic, frame["document"].to_numpy(), graded)
    return Lines(
        row=frame["row"].to_numpy().astype(np.int64),
        group=group,
        subgroup=within,
        level=frame["level"].to_numpy() + 0.0,  # -0.0 is 0.0
        place=place,
        found=found,
        topic=topic[groups],
        n_topics=graded.n_queries,
    )


def _numbered(outer: Ints, inner: Ints) -> tuple[Ints, Ints]:
    """Pairs as numbers, by the first and then the second: a row that has each, and the number of each row."""
    _, rows, numbers = np.unique(
        outer * (inner.max(initial=0) + 1) + inner, return_index=True, return_inverse=True
    )
    return rows, numbers


def _places(topic: Ints, document: Ints, graded: Ranked) -> tuple[Ints, Flags]:
    """The place of each line's document, and whether it was retrieved."""
    hits, span = graded.hits, int(document.max(initial=0)) + 1
    known, of_line = np.unique(topic * span + document, return_inverse=True)
    rank = np.full(len(known), len(hits.query))  # behind all that were retrieved
    rank[np.searchsorted(known, hits.query * span + hits.grade.astype(np.int64))] = np.arange(len(hits.query))
    place = np.empty(len(known), np.int64)
    place[np.lexsort((known, rank, known // span))] = np.arange(len(known))
    return place[of_line], rank[of_line] < len(hits.query)


def two_levels(whole: Lines) -> Contradiction | None:
    """The first group without subgroups that puts a document at two levels."""
    return _first(whole, np.flatnonzero(whole.again & (whole.level[1:] != whole.level[:-1])))


def relevant_and_not(partial: Lines) -> Contradiction | None:
    """The first group that puts a document at level 0 and, in the line read before or after, above it."""
    read = partial.at(np.lexsort((-partial.level, partial.subgroup, partial.place, partial.group)))
    one, other = read.level[:-1], read.level[1:]
    mixed = ((one == 0) & (other > 0)) | ((one > 0) & (other == 0))
    return _first(read, np.flatnonzero(read.again & mixed))


def _first(some: Lines, wrong: Ints) -> Contradiction | None:
    if not len(wrong):
        return None
    first = wrong[np.argmin(some.group[wrong])]
    return Contradiction(int(some.group[first]), int(some.row[first]))


def each_of(starts: Ints, ends: Ints, together: Ints) -> Iterator[tuple[Ints, Ints]]:
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
