"""Thrift's compact protocol, as far as the footers and page headers of parquet files need it."""

from __future__ import annotations

from typing import Any, TypeAlias

from steelyard.messages import say
from steelyard.read.binary import MalformedError

Fields: TypeAlias = dict[int, Any]

_DEEPEST = 16
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)


class Reader:
    """Reads structures one after another; ``at`` is where the next one begins.

    A structure is the dict of its fields by number.

    >>> Reader(bytes([0x15, 12, 0x18, 2, 104, 105, 0])).struct()
    {1: 6, 2: b'hi'}
    """

    def __init__(self, data: bytes | memoryview) -> None:
        self._data = data
        self.at = 0

    def struct(self) -> Fields:
        """The structure that begins here."""
        try:
            return self._struct(0)
        except IndexError:
            raise MalformedError(say("it ends too early, as if it were cut short")) from None

    def _struct(self, depth: int) -> Fields:
        fields: Fields = {}
        number = 0
        while head := self._data[self.at]:
            self.at += 1
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            if kind in _INTEGERS:
                fields[number] = self._integer()
            elif kind in (_TRUE, _FALSE):
                fields[number] = kind == _TRUE
            else:
                fields[number] = self._value(kind, depth + 1)
        self.at += 1
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise MalformedError(say("it is nested too deeply"))
        if kind in _INTEGERS:
            return self._integer()
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind == _STRUCT:
            return self._struct(depth)
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind in (_BYTE, _TRUE, _FALSE):  # true and false take a byte each in a list
            return self._bytes(1)
        raise MalformedError(say("it has a field of a type that does not exist"))

    def _list(self, depth: int) -> list[Any]:
        head = self._data[self.at]
        self.at += 1
        size = self._unsigned() if head >> 4 == 15 else head >> 4
        return [self._value(head & 15, depth + 1) for _ in range(size)]

    def _integer(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _unsigned(self) -> int:
        byte = self._data[self.at]
        self.at += 1
        if byte < 128:
            return byte
        value, shift = byte & 127, 7
        while byte & 128:
            byte = self._data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if shift > 70:
                raise MalformedError(say("it has a number that is too long"))
        return value

    def _bytes(self, count: int) -> bytes:
        start = self.at
        self.at += count
        if self.at > len(self._data):
            raise MalformedError(say("it ends too early, as if it were cut short"))
        return bytes(self._data[start : self.at])
