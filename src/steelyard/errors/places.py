"""How a sentence names things: roles, values, columns, and the places where they stand."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.messages import Message, say

_LONG = 60
_WORDS = {
    str(word): Message(word.template, key=str(word))
    for word in (
        say("query"),
        say("item"),
        say("score"),
        say("rank"),
        say("relevance"),
        say("label"),
        say("weight"),
        say("predicted"),
        say("predicted class"),
        say("probability"),
        say("truth"),
        say("predictions"),
        say("exclude"),
        say("weights"),
        say("row"),
        say("column"),
    )
}


def word(role: str) -> str:
    """The word for a role, or for a table that was given as an argument.

    >>> word("score").told("zh")
    '得分'
    """
    return _WORDS.get(role, role)


def short(value: object) -> str:
    """A value as a message shows it: an id of thousands of characters would hide the message."""
    try:
        text = str(value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return say("an integer of thousands of digits")
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def shown(value: object) -> str:
    """The same as Python would write it: text in quotes."""
    return repr(short(value)) if isinstance(value, str) else short(value)


def value_at(place: str, role: str, column: str) -> Message:
    """A value by its place and its role, and by its column where that is called otherwise."""
    if column == role:
        return say("{place}: {role}", place=place, role=word(role))
    return say("{place}: {role} (column '{column}')", place=place, role=word(role), column=short(column))


def at_line(name: str, line: int | None) -> str:
    """A line of a file, where it is known."""
    return name if line is None else say("{name}, line {line:,}", name=name, line=line)


def column_of(column: str, name: str) -> Message:
    """A column and the table that holds it."""
    return say("column '{column}' of {name}", column=short(column), name=name)


def dimensions(shape: Sequence[int]) -> str:
    """The shape of an array, as 3 × 4."""
    return " × ".join(map(str, shape))
