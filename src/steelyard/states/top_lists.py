"""The first items of each query: what metrics of lists as a whole are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.arrays import Frozen, Ints
from steelyard.conventions import Ties


@dataclass(frozen=True, kw_only=True, eq=False)
class TopLists(Frozen):
    """Per query the first k items, best first; ids are values, so that lists made anywhere go together.

    ``frame`` has query, item and ``strength``, the higher the better; ``segment`` is the slice of each of
    ``queries``, which may have no item at all.
    """

    frame: pl.DataFrame
    queries: pl.Series
    k: int
    ties: Ties = "item_desc"
    segment: Ints | None = None
    n_segments: int = 1

    def merge(self, other: TopLists) -> TopLists:
        """The lists of both; a query that both have gets the best items of both, in no slice yet.

        >>> def lists(items, strength):
        ...     frame = pl.DataFrame({"query": ["q"] * 2, "item": items, "strength": strength})
        ...     return TopLists(frame=frame, queries=pl.Series("query", ["q"]), k=2)
        >>> lists(["a", "b"], [0.9, 0.1]).merge(lists(["c", "d"], [0.5, 0.1])).frame["item"].to_list()
        ['a', 'c']
        """
        queries = pl.concat([self.queries, other.queries]).unique().sort()
        both = pl.concat([self.frame, other.frame])
        return replace(self, frame=both, queries=queries, segment=None, n_segments=1).cut()

    def cut(self) -> TopLists:
        """The same in order, each list cut after the first k."""
        ordered = self.frame.sort(
            "query",
            "strength",
            "item",
            descending=[False, True, self.ties != "item_asc"],
            maintain_order=True,
        )
        return replace(self, frame=ordered.group_by("query", maintain_order=True).head(self.k))

    @property
    def size(self) -> int:
        """How many queries there are."""
        return len(self.queries)

    @property
    def segments(self) -> Ints:
        """The segment of each item in the lists, that of its query."""
        if self.segment is None:
            return np.zeros(self.frame.height, np.int64)
        of_query = pl.DataFrame({"query": self.queries, "segment": self.segment})
        joined = self.frame.join(of_query, on="query", how="left", maintain_order="left")
        return joined["segment"].to_numpy()
