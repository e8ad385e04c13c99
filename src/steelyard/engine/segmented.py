"""Rows in segments: what every state of rows shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import UNSTORED, Flags, Floats, Frozen, Ints, once
from steelyard.engine.influence import Cells, Drawn, Units
from steelyard.kernels.means import segment_sum
from steelyard.text import Message, say
from steelyard.text.errors import measuring

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
        return {one.name: getattr(self, one.name) for one in fields(self) if one.init} | {"shared": {}}

    def made_once(self, key: object, make: Callable[[], T]) -> T:
        if key not in self.shared:
            self.shared[key] = make()
        return cast("T", self.shared[key])

    def of_rows(self, kept: Ints | None = None) -> dict[str, Any]:
        """What a state of the same rows, or of some of them, has of them beside their values."""
        weight, segment, units = self.weight, self.segment, self.units
        if kept is not None:
            weight = None if weight is None else weight[kept]
            segment = None if segment is None else segment[kept]
            units = self.drawn.only(kept)
        return {"weight": weight, "segment": segment, "n_segments": self.n_segments, "units": units}

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    @property
    def sliced(self) -> bool:
        return self.segment is not None

    @property
    def segments(self) -> Ints:  # zeros where all rows are one
        return np.zeros(self.n_rows, np.int64) if self.segment is None else self.segment

    @once
    def cells(self) -> Cells:
        return super().cells

    @once
    def weights(self) -> Floats:
        return np.ones(self.n_rows) if self.weight is None else self.weight

    def weighed(self, values: NDArray[Any] | None = None) -> NDArray[Any]:
        if values is None:
            return self.weights
        if self.weight is None:
            return values.astype(np.float64)
        # a row of weight 0 is no row, even where its value is infinite
        return np.where(self.weight > 0, values, 0.0) * self.weights

    def total(self, values: NDArray[Any] | None = None) -> Floats:  # in each segment
        weighted = self.weighed(values)
        if self.segment is None:
            return np.array([weighted.sum()])
        return segment_sum(weighted, self.segment, self.n_segments)

    def per_cell(self, values: NDArray[Any]) -> Floats:
        return self.cells.sums(values if self.weight is None else self.weighed(values))

    @once
    def cell_weight(self) -> Floats:
        cells = self.cells
        if self.weight is None and cells.code is not None:
            return np.bincount(cells.code, minlength=cells.n).astype(np.float64)
        return cells.sums(self.weights)

    def facts(self) -> list[Message]:
        return []

    def sizes(self) -> Message:
        return say("rows {rows:,}", key="rated_facts", rows=int(self.rows[0]))

    @property
    def size(self) -> int:
        return self.n_rows

    @once
    def rows(self) -> Ints:  # those of weight 0 apart
        counted = self.weights > 0 if self.weight is not None else np.ones(self.n_rows, bool)
        return segment_sum(counted, self.segments, self.n_segments).astype(np.int64)


@dataclass(frozen=True)
class RowTerm:
    """A number of each row that a metric adds up; metrics that share a term, by its name, share its sum."""

    name: str
    each: Callable[[Any], Floats] = field(compare=False)

    def total(self, rows: Segmented) -> Floats:
        return rows.made_once(self, lambda: rows.total(self.each(rows)))


@dataclass(frozen=True, kw_only=True)
class Rated(Segmented):
    """Rows with a true and a predicted number."""

    truth: Floats
    predicted: Floats

    @classmethod
    def of(cls, truth: Floats, predicted: Floats, **fields: Any) -> Rated:
        return cls(n_rows=len(truth), truth=truth, predicted=predicted, **fields)

    @once
    def miss(self) -> Floats:
        return self.truth - self.predicted

    @once
    def lowest(self) -> Floats:  # infinity where there is no row
        return self._extreme(np.minimum, np.inf)

    @once
    def varies(self) -> Flags:
        return self._extreme(np.maximum, -np.inf) > self.lowest

    @once
    def off_mean(self) -> Floats:
        """How far each true rating is from the mean of its segment.

        Measured from the lowest rating, so that a large common offset costs no digits.
        """
        origin = np.where(np.isfinite(self.lowest), self.lowest, 0.0)
        above = self.truth - origin[self.segments]
        weight = self.total()
        mean = np.divide(self.total(above), weight, out=np.zeros(self.n_segments), where=weight > 0)
        return above - mean[self.segments]

    @property
    def spread(self) -> Floats:
        return self.sound(self.total(self.off_mean**2), self.off_mean)

    def sound(self, total: Floats, values: Floats) -> Floats:
        """The sums of squares of ``values``; refused where the squares are too small for a number."""
        small = total < 1e-290
        if small.any() and self.total(values != 0)[small].any():
            raise measuring.tiny_squares()
        return total

    def _extreme(self, kind: np.ufunc, empty: float) -> Floats:
        counted = self.weights > 0
        out = np.full(self.n_segments, empty)
        kind.at(out, self.segments[counted], self.truth[counted])
        return out
