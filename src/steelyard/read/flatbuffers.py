"""FlatBuffers, as far as the messages of arrow files need them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct

from steelyard.messages import say
from steelyard.read.binary import MalformedError

BYTE, SHORT, INT, UNSIGNED, LONG = (Struct(f"<{form}") for form in "bHiIq")


@dataclass(frozen=True)
class Table:
    """A table in ``data``: it begins with the way back to a list that says where each of its fields lies.

    >>> table = Table.root(bytes([10, 0, 0, 0, 6, 0, 8, 0, 4, 0, 6, 0, 0, 0, 7, 0, 0, 0]))
    >>> table.integer(0, INT), table.integer(1, INT)
    (7, 0)
    """

    data: bytes | memoryview
    at: int

    @classmethod
    def root(cls, data: bytes | memoryview) -> Table:
        """The table that a whole buffer holds."""
        return cls(data, unpacked(UNSIGNED, data, 0))

    def _place(self, number: int) -> int | None:
        """Where field ``number`` lies; None where it is left out."""
        listing = self.at - unpacked(INT, self.data, self.at)
        if 4 + 2 * number >= unpacked(SHORT, self.data, listing):
            return None
        offset = unpacked(SHORT, self.data, listing + 4 + 2 * number)
        return self.at + offset if offset else None

    def integer(self, number: int, form: Struct) -> int:
        """An integer, 0 where it is left out."""
        place = self._place(number)
        return 0 if place is None else unpacked(form, self.data, place)

    def table(self, number: int) -> Table | None:
        """A table inside of this one."""
        place = self._place(number)
        return None if place is None else self._pointed(place)

    def _pointed(self, place: int) -> Table:
        return Table(self.data, place + unpacked(UNSIGNED, self.data, place))

    def entries(self, number: int, width: int) -> memoryview:
        """The bytes of a list whose entries have ``width`` bytes each."""
        start, count = self._list(number)
        end = start + width * count
        if end > len(self.data):
            raise MalformedError(say("a list in it is longer than itself"))
        return memoryview(self.data)[start:end]

    def tables(self, number: int) -> Iterator[Table]:
        """The tables of a list of tables."""
        start, count = self._list(number)
        return (self._pointed(start + 4 * i) for i in range(count))

    def _list(self, number: int) -> tuple[int, int]:
        place = self._place(number)
        if place is None:
            return 0, 0
        start = self._pointed(place).at
        return start + 4, unpacked(UNSIGNED, self.data, start)


def unpacked(form: Struct, data: bytes | memoryview, at: int) -> int:
    """The integer at a place, which must lie inside of the data."""
    if not 0 <= at <= len(data) - form.size:
        raise MalformedError(say("it points to where nothing is"))
    return int(form.unpack_from(data, at)[0])
