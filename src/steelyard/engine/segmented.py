"""Rows in segments: what every state of rows shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import UNSTORED, Floats, Frozen, Ints, once
from steelyard.engine.influence import Cells, Drawn, Units
from steelyard.kernels.means import segment_sum
from steelyard.messages import Message, say

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Segmented(Drawn, Frozen):
    """Rows with an optional weight each; ``segment`` is the slice of each row, None where all are one."""

    n_rows: int
    weight: Floats | None = None
    segment: Ints | None = None
    n_segments: int = 1
    units: Units | None = None  # what rows belong together when chance is weighed
    # what several metrics need of the same rows; never copied along to other rows
    shared: dict[Any, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False, metadata=UNSTORED
    )

    def __getstate__(self) -> dict[str, Any]:
        """The rows without what was worked out of them: it can be worked out again."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.init} | {"shared": {}}

    def made_once(self, key: object, make: Callable[[], T]) -> T:
        """A value that several metrics need of these rows."""
        if key not in self.shared:
            self.shared[key] = make()
        return cast("T", self.shared[key])

    @property
    def weighted(self) -> bool:
        """Whether rows count differently."""
        return self.weight is not None

    @property
    def sliced(self) -> bool:
        """Whether each row has a slice."""
        return self.segment is not None

    @property
    def segments(self) -> Ints:
        """The segment of each row, zeros where all rows are one."""
        return np.zeros(self.n_rows, np.int64) if self.segment is None else self.segment

    @once
    def cells(self) -> Cells:
        """The parts of the units that lie in each segment."""
        return super().cells

    @once
    def weights(self) -> Floats:
        """The weight of each row, ones where none were given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    def weighed(self, values: NDArray[Any] | None = None) -> NDArray[Any]:
        """The weight of each row times ``values`` (times 1)."""
        if values is None:
            return self.weights
        if self.weight is None:
            return values.astype(np.float64)
        # a row of weight 0 is no row, even where its value is infinite
        return np.where(self.weight > 0, values, 0.0) * self.weights

    def total(self, values: NDArray[Any] | None = None) -> Floats:
        """The weighted sum of ``values`` (of 1) in each segment."""
        weighted = self.weighed(values)
        if self.segment is None:
            return np.array([weighted.sum()])
        return segment_sum(weighted, self.segment, self.n_segments)

    def per_cell(self, values: NDArray[Any]) -> Floats:
        """The weighted sum of ``values`` in each cell."""
        return self.cells.sums(values if self.weight is None else self.weighed(values))

    @once
    def cell_weight(self) -> Floats:
        """The weight of each cell."""
        cells = self.cells
        if self.weight is None and cells.code is not None:
            return np.bincount(cells.code, minlength=cells.n).astype(np.float64)
        return cells.sums(self.weights)

    def facts(self) -> list[Message]:
        """What the rows are, in a few words, where there is something to say of them."""
        return []

    def sizes(self) -> Message:
        """How many rows there are, and of what."""
        return say("rows {rows:,}", key="rated_facts", rows=int(self.rows[0]))

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.n_rows

    @once
    def rows(self) -> Ints:
        """How many rows each segment has, those of weight 0 apart."""
        counted = self.weights > 0 if self.weight is not None else np.ones(self.n_rows, bool)
        return segment_sum(counted, self.segments, self.n_segments).astype(np.int64)


@dataclass(frozen=True)
class Term:
    """A number of each row that a metric adds up; metrics that share a term, by its name, share its sum."""

    name: str
    each: Callable[[Any], Floats] = field(compare=False)

    def total(self, rows: Segmented) -> Floats:
        """The weighted sum in each segment."""
        return rows.made_once(self, lambda: rows.total(self.each(rows)))
