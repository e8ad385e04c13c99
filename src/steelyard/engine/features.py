"""What is known of each item, as distances need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Frozen, Ints, offsets_of, once
from steelyard.kernels.distances import Vectors, inverse_lengths, mean_distances, pair_sums
from steelyard.kernels.means import ratio, segment_sum
from steelyard.read.background import ItemFeatures


@dataclass(frozen=True, kw_only=True, eq=False)
class Features(Frozen):
    """Vectors or tags of items; ``row`` is that of each item that there is, -1 where it has none.

    ``dense`` has a row per vector. Otherwise ``offsets``, ``place`` and ``value`` are those of a sparse
    matrix of ``width`` columns, which of tags are the ``tags``, each with the value 1; ``categories`` says of
    how many columns, each with one category, they were made, and is 0 where tags came as lists.
    """

    name: str
    row: Ints
    dense: NDArray[Any]
    offsets: Ints
    place: Ints
    value: Floats
    width: int
    tags: pl.Series | None = None
    categories: int = 0

    @classmethod
    def of(cls, given: ItemFeatures, codes: Ints, n_items: int) -> Features:
        row = np.full(n_items, -1, np.int64)
        row[codes] = np.arange(len(codes))
        none = np.zeros(0, np.int64)
        dense = np.zeros((0, 0), np.float32)
        if given.vectors is not None:
            return cls(
                name=given.table.name,
                row=row,
                dense=given.vectors,
                offsets=none,
                place=none,
                value=none.astype(np.float64),
                width=given.vectors.shape[1],
            )
        offsets, place, value, width, tags = given.offsets, given.place, given.value, given.width, None
        if given.tags is not None:
            lengths = given.tags.list.len().to_numpy().astype(np.int64)
            flat = given.tags.filter(pl.Series(lengths > 0)).explode()
            tags = flat.unique().sort()
            named = pl.DataFrame({"tag": tags, "at": np.arange(len(tags))})
            place = (
                flat.alias("tag")
                .to_frame()
                .join(named, on="tag", how="left", maintain_order="left")["at"]
                .to_numpy()
            )
            offsets = offsets_of(lengths)
            value, width = np.ones(len(place)), len(tags)
        assert offsets is not None
        assert place is not None
        assert value is not None
        return cls(
            name=given.table.name,
            row=row,
            dense=dense,
            offsets=offsets,
            place=place,
            value=value.astype(np.float64),
            width=width,
            tags=tags,
            categories=given.categories,
        )

    @once
    def vectors(self) -> Vectors:
        compared = -self.categories if self.categories else max(1, self.width)
        return Vectors(
            np.ascontiguousarray(self.dense),
            self.offsets,
            self.place,
            self.value,
            self.scale,
            self.width,
            compared,
        )

    @once
    def scale(self) -> Floats:  # 0 of a vector that is 0 throughout
        if not len(self.offsets):
            return inverse_lengths(self.dense)
        n = len(self.offsets) - 1
        owner, largest = np.repeat(np.arange(n), np.diff(self.offsets)), np.zeros(n)
        np.maximum.at(largest, owner, np.abs(self.value))
        share = ratio(self.value, largest[owner])  # squares of these neither overflow nor vanish
        return np.nan_to_num(ratio(np.ones(n), largest * np.sqrt(segment_sum(share**2, owner, n))))

    def known(self, distance: str) -> Flags:  # that a distance can be taken of
        there = self.row >= 0
        if self.tags is not None or distance == "cosine":
            there[there] = self.scale[self.row[there]] > 0
        if self.categories and distance == "hamming":  # a category that is missing is not compared
            whole = np.diff(self.offsets) == self.categories
            there[there] = whole[self.row[there]]
        return there

    def measured_by(self, distance: str, item: Ints) -> bool:
        """Whether a distance means something here: numbers are alike or not only where they are whole."""
        if self.tags is not None or distance in ("cosine", "euclidean"):
            return True
        values = self.value if len(self.offsets) else self.dense[self.row[item[self.row[item] >= 0]]]
        return bool((values == np.floor(values)).all())

    def pair_sums(self, offsets: Ints, item: Ints, distance: str) -> Floats:  # every item must be known
        return pair_sums(offsets, self.row[item], self.vectors, distance)

    def mean_distances(
        self, offsets: Ints, item: Ints, other_offsets: Ints, others: Ints, distance: str
    ) -> Floats:
        rows, other_rows = self.row[item], self.row[others]
        return mean_distances(offsets, rows, other_offsets, other_rows, self.vectors, distance)

    def tag_parts(self, item: Ints) -> tuple[Ints, Ints, Floats]:
        """Every tag of some items: whose it is, which tag, and its part of the item's tags."""
        row = self.row[item]
        known = np.flatnonzero(row >= 0)
        starts, lengths = self.offsets[row[known]], np.diff(self.offsets)[row[known]]
        ends = np.cumsum(lengths)
        at = np.repeat(starts - ends + lengths, lengths) + np.arange(lengths.sum())
        return np.repeat(known, lengths), self.place[at], np.repeat(1 / np.maximum(lengths, 1), lengths)
