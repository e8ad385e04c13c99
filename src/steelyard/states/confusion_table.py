"""How often each class was called each class: what metrics of classes are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.kernels.means import segment_sum
from steelyard.messages import say
from steelyard.messages.errors import measuring, measuring_classes
from steelyard.states.class_values import BINARY, Class
from steelyard.states.classified import Classified
from steelyard.states.mergeable import Mergeable


@dataclass(frozen=True, kw_only=True)
class CellRows(Classified):
    """Cells of a confusion matrix as rows, each with the weight of the rows it stands for."""

    counts_of_rows: Ints

    @cached_property
    def rows(self) -> Ints:
        """How many rows each segment has, those of weight 0 apart."""
        return segment_sum(self.counts_of_rows, self.segments, self.n_segments).astype(np.int64)

    @cached_property
    def class_rows(self) -> Ints:
        """How many rows of each segment are of each class, those of weight 0 apart."""
        n = len(self.classes)
        found = segment_sum(self.counts_of_rows, self.segments * n + self.truth, self.n_segments * n)
        return found.reshape(self.n_segments, n).astype(np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class ConfusionTable(Mergeable):
    """The cells of each segment's confusion matrix that have rows: their number and their weight.

    ``truth`` and ``called`` are places in ``names``. Where the classes were not named, those of all parts
    together are the classes.
    """

    kind: ClassVar[str] = "confusion table"

    segment: Ints
    truth: Ints
    called: Ints
    rows: Ints
    weight: Floats
    names: tuple[Class, ...]
    named: bool
    n_segments: int

    @classmethod
    def empty(cls) -> ConfusionTable:
        """The table of no rows, whatever the classes."""
        none = np.zeros(0, np.int64)
        return cls(
            segment=none,
            truth=none,
            called=none,
            rows=none,
            weight=np.zeros(0),
            names=(),
            named=False,
            n_segments=0,
        )

    @classmethod
    def of(cls, classified: Classified) -> ConfusionTable:
        """The cells of rows with one class each.

        >>> rows = Classified.of_labels(np.array(["cat", "dog", "dog"]), np.array(["cat", "cat", "dog"]))
        >>> table = ConfusionTable.of(rows)
        >>> table.merge(table).classified().confusion.tolist()
        [[[2.0, 0.0], [2.0, 2.0]]]
        """
        if not classified.one_label:
            raise measuring_classes.needs(say("confusion table"), "one class")
        classified = replace(classified, as_given=True)
        truth, called, names = classified.truth, classified.called, classified.classes
        if names == BINARY and not classified.named:
            # 0 and 1 stand for two classes only if all parts together have no others
            seen = np.unique(np.concatenate([truth, called]))
            names = tuple(seen.tolist())
            truth, called = (np.searchsorted(seen, column) for column in (truth, called))
        kept = classified.weights > 0
        return _compacted(
            classified.segments[kept],
            truth[kept],
            called[kept],
            np.ones(int(kept.sum()), np.int64),
            classified.weights[kept],
            names=names,
            named=classified.named,
            n_segments=classified.n_segments,
        )

    def merge(self, other: ConfusionTable) -> ConfusionTable:
        """The cells of the rows of both."""
        sides = (self, other)
        n_segments = max(side.n_segments for side in sides)
        if not self._says or not other._says:
            return replace(self if self._says else other, n_segments=n_segments)
        if (self.named or other.named) and (self.names, self.named) != (other.names, other.named):
            raise measuring.classes_differ(self.names, other.names)
        names = self.names if self.names == other.names else _together(self.names, other.names)
        places = [np.array([names.index(name) for name in side.names], np.int64) for side in sides]
        return _compacted(
            np.concatenate([side.segment for side in sides]),
            np.concatenate([at[side.truth] for side, at in zip(sides, places, strict=True)]),
            np.concatenate([at[side.called] for side, at in zip(sides, places, strict=True)]),
            np.concatenate([side.rows for side in sides]),
            np.concatenate([side.weight for side in sides]),
            names=names,
            named=self.named,
            n_segments=n_segments,
        )

    @property
    def classes(self) -> tuple[Class, ...]:
        """The classes in order; where there is none but 0 and 1, both of them."""
        return self.names if self.named or not set(self.names) <= set(BINARY) else BINARY

    def classified(self) -> CellRows:
        """The cells as rows that metrics of classes can read."""
        at = np.array([self.classes.index(name) for name in self.names], np.int64)
        return CellRows(
            n_rows=len(self.truth),
            weight=self.weight,
            segment=self.segment,
            n_segments=self.n_segments,
            classes=self.classes,
            truth=at[self.truth],
            predicted=at[self.called],
            named=self.named,
            counts_of_rows=self.rows,
        )

    @property
    def _says(self) -> bool:
        return self.named or bool(self.names)

    def columns(self) -> dict[str, Any]:
        """The fields, with the classes as text."""
        text = any(isinstance(name, str) for name in self.names)
        return {**super().columns(), "names": tuple(map(str, self.names)), "text": text}

    @classmethod
    def of_columns(cls, columns: dict[str, Any]) -> ConfusionTable:
        """The table with these fields."""
        names = columns["names"] if columns.pop("text") else tuple(map(int, columns["names"]))
        return cls(**{**columns, "names": names})


def _compacted(
    segment: Ints,
    truth: Ints,
    called: Ints,
    rows: Ints,
    weight: Floats,
    *,
    names: tuple[Class, ...],
    **fields: Any,
) -> ConfusionTable:
    """Entries of one cell as one, in order."""
    n = max(len(names), 1)
    key, cell = np.unique((segment * n + truth) * n + called, return_inverse=True)
    return ConfusionTable(
        segment=key // (n * n),
        truth=key // n % n,
        called=key % n,
        rows=segment_sum(rows, cell, len(key)).astype(np.int64),
        weight=segment_sum(weight, cell, len(key)),
        names=names,
        **fields,
    )


def _together(some: tuple[Class, ...], others: tuple[Class, ...]) -> tuple[Class, ...]:
    """The classes of both, sorted."""
    if len({isinstance(name, str) for name in some + others}) > 1:
        raise measuring_classes.kinds_differ()
    return tuple(sorted({*some, *others}, key=lambda name: name))
