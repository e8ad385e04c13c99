"""What is drawn as one when chance is weighed: a query, a user, or whatever a column names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Frozen, Ints
from steelyard.kernels.group import distinct
from steelyard.kernels.means import segment_sum

UNNAMED = "\0"  # begins the names of units that have none, before their place; no column's text begins so


@dataclass(frozen=True, kw_only=True, eq=False)
class Units(Frozen):
    """The unit of each row, or of each query, by number, and the names of the units.

    Without ``code`` every row, or every query, is a unit of its own; without ``names`` units are known by
    their place.
    """

    n: int
    code: Ints | None = None
    names: pl.Series | None = None
    unnamed: int = 0  # rows or queries without a name, each a unit of its own
    column: str | None = None  # that names them; None where queries, or rows, are the units

    def only(self, kept: Ints) -> Units:
        """The same of some rows alone."""
        return replace(self, code=kept if self.code is None else self.code[kept])

    @property
    def are_rows(self) -> bool:
        """Whether nothing says which rows belong together."""
        return self.code is None and self.names is None

    @property
    def told(self) -> str:
        """What they are: the column that names them, else queries or rows."""
        return self.column or ("rows" if self.are_rows else "queries")


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells(Frozen):
    """The parts of the units that lie in one segment each.

    ``code`` is the cell of each row, None where each row is one; ``owner`` the segment of each cell, None
    where there is one segment; ``unit`` the number of its unit, None where cells and units are the same.
    """

    n: int
    n_segments: int
    code: Ints | None
    owner: Ints | None
    unit: Ints | None

    @classmethod
    def of(cls, units: Units, segment: Ints | None, n_segments: int) -> Cells:
        """The cells of rows with these units and segments."""
        if segment is None:
            return cls(n=units.n, n_segments=n_segments, code=units.code, owner=None, unit=None)
        if units.code is None:
            return cls(n=units.n, n_segments=n_segments, code=None, owner=segment, unit=None)
        code, owner, unit = crossed(segment, n_segments, units.code, units.n)
        return cls(n=len(owner), n_segments=n_segments, code=code, owner=owner, unit=unit)

    def sums(self, values: Any) -> Floats:
        """What the rows of each cell have together."""
        if self.code is None:
            return np.asarray(values, np.float64)
        return segment_sum(values, self.code, self.n)

    def totals(self, values: Floats) -> Floats:
        """What the cells of each segment have together."""
        if self.owner is None:
            return np.array([values.sum()])
        return segment_sum(values, self.owner, self.n_segments)

    def spread(self, values: Floats) -> Floats:
        """The value of its segment for each cell; one number where there is one segment."""
        return values if self.owner is None else values[self.owner]


def crossed(segment: Ints, n_segments: int, code: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """Each pair of a segment and a code that may occur, numbered: of each row, then both of each number."""
    pair = segment * n
    pair += code
    if n_segments * n <= len(code):
        return pair, np.repeat(np.arange(n_segments), n), np.tile(np.arange(n), n_segments)
    pairs, pair = distinct(pair)
    return pair, pairs // n, pairs % n


class Drawn:
    """What a state of rows or queries knows of its units; each row or query is one where nothing was said."""

    if TYPE_CHECKING:
        units: Units | None
        segment: Ints | None
        n_segments: int

        @property
        def size(self) -> int:
            """How many rows or queries there are."""

        @property
        def weights(self) -> Floats:
            """How much each row or query counts."""

    @property
    def drawn(self) -> Units:
        """The units that were named; else every row, or every query, is one."""
        if self.units is not None:
            return self.units
        return Units(n=self.size, names=getattr(self, "queries", None))

    @property
    def cells(self) -> Cells:
        """The parts of the units that lie in each segment."""
        return Cells.of(self.drawn, self.segment, self.n_segments)

    @property
    def cell_weight(self) -> Floats:
        """The weight of each cell."""
        return self.cells.sums(self.weights)
