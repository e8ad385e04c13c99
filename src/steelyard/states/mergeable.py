"""What every state that can be put together from parts shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

from steelyard.arrays import Frozen
from steelyard.messages.errors import SteelyardError, measuring
from steelyard.states.arrow_bytes import pack, unpack


class Mergeable(Frozen, ABC):
    """A value made from rows, that goes together with one made from other rows.

    ``merge`` may be done in any order and in any groups: it gives the state of all rows at once, sums of
    weights to about the last digit, counts to the last. ``empty`` adds nothing. Segments are known by their
    codes, which must mean the same slices in every part.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    @classmethod
    @abstractmethod
    def empty(cls) -> Self:
        """The state of no rows."""

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """The state of the rows of both."""

    @classmethod
    def merged(cls, parts: Iterable[Self]) -> Self:
        """The state of the rows of all parts, put together two by two."""
        left = list(parts)
        while len(left) > 1:
            joined = [one.merge(other) for one, other in zip(left[::2], left[1::2], strict=False)]
            left = joined + left[2 * len(joined) :]
        return left[0] if left else cls.empty()

    def to_bytes(self) -> bytes:
        """The state as the bytes of an Arrow file, which say what they are."""
        return pack(self.kind, self.version, self.columns())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The state that ``to_bytes`` wrote."""
        columns = unpack(cls.kind, cls.version, data, cls.empty().columns())
        try:
            return cls.of_columns(columns)
        except SteelyardError:
            raise
        except (ValueError, TypeError, IndexError):
            raise measuring.broken_bytes(state=cls.kind) from None

    def columns(self) -> dict[str, Any]:
        """The fields as arrays, single values and text; a state inside the state as its bytes."""
        return {field.name: _column(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def of_columns(cls, columns: dict[str, Any]) -> Self:
        """The state with these fields."""
        return cls(**columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(
            np.array_equal(one, two)
            for one, two in zip(self.columns().values(), other.columns().values(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]


def _column(value: Any) -> Any:
    return value.to_bytes() if isinstance(value, Mergeable) else value
