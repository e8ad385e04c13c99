"""Options that several parts of the command line share."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from steelyard.conventions import Align, Average, Labelled, Rank, Undefinable
from steelyard.messages import say
from steelyard.messages.errors import asking, commanding

_STATED_OTHERWISE = {"mean", "floor"}  # --set mean=median
FLAGS = [
    field
    for stage in (Align, Rank, Labelled, Undefinable, Average)
    for field in dataclasses.fields(stage)
    if field.name not in _STATED_OTHERWISE
]
COMMAND_LINE = say("on the command line")


def key_values(option: str, given: Sequence[str], where: str = COMMAND_LINE) -> dict[str, str]:
    """``role=name`` pairs as a mapping."""
    pairs: dict[str, str] = {}
    for text in given:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key or not value:
            raise commanding.not_key_value(option, text)
        pairs = stated_once(pairs, {key: value}, where)
    return pairs


def stated_once(one: Mapping[str, str], other: Mapping[str, str], where: str) -> dict[str, str]:
    """Both mappings together; they may not give two values for one name.

    >>> stated_once({"ties": "given"}, {"ties": "given", "rel": "2"}, "in run.toml")
    {'ties': 'given', 'rel': '2'}
    """
    for name in one:
        if other.get(name, one[name]) != one[name]:
            raise asking.stated_twice(name=name, where=where, one=one[name], other=other[name])
    return {**one, **other}
