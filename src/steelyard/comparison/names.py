"""Results under names of their own."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import count
from typing import Protocol, TypeVar

from steelyard.engine.call import Names
from steelyard.messages import say
from steelyard.messages.errors import writing
from steelyard.messages.names import again


class _Read(Protocol):
    @property
    def names(self) -> Names: ...


R = TypeVar("R", bound=_Read)


def named_results(given: R | Mapping[str, R] | Sequence[R], kind: type[R]) -> dict[str, R]:
    """Results under their names: those of a mapping, else the names of what was read, told apart."""
    if isinstance(given, kind):
        return {given.names.predictions: given}
    named: list[tuple[str, R]]
    if isinstance(given, Mapping):
        named = [(str(name), result) for name, result in given.items()]
    elif isinstance(given, list | tuple):
        named = [
            (
                result.names.predictions if isinstance(result, kind) else say("number {place}", place=place),
                result,
            )
            for place, result in enumerate(given, 1)
        ]
    else:
        raise writing.not_results(found=type(given).__name__)
    found: dict[str, R] = {}
    for name, result in named:
        if not isinstance(result, kind):
            raise writing.not_a_result(name=name, found=type(result).__name__)
        found[free_name(name, found)] = result
    return found


def free_name(name: str, taken: Container[str]) -> str:
    """The name, or, where others have it, the first of ``name (2)``, ``name (3)``, … that none has."""
    if name not in taken:
        return name
    return next(one for one in (again(name, nth) for nth in count(2)) if one not in taken)
