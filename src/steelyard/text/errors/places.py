"""How a sentence names things: roles, values, columns, and the places where they stand."""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence
from json import JSONDecodeError

from steelyard.text import Message, say

_LONG = 60
_COLUMNS = ("query", "item", "score", "rank", "relevance", "label", "weight", "group", "count")
_CLASSES = ("predicted", "predicted class", "probability")
_TABLES = ("predictions", "truth", "exclude", "weights", "catalog", "features", "history", "usual", "claims")
ROLES = (*_COLUMNS, *_CLASSES, *_TABLES, "item_groups", "row", "column")
WORDS = {role: Message(role, key=role) for role in ROLES}

# What the system says when it refuses, as it says it in English.
_REASONS = {
    errno.ENOENT: say("No such file or directory"),
    errno.EACCES: say("Permission denied"),
    errno.EPERM: say("Operation not permitted"),
    errno.EISDIR: say("Is a directory"),
    errno.ENOTDIR: say("Not a directory"),
    errno.ENOSPC: say("No space left on device"),
    errno.EROFS: say("Read-only file system"),
    errno.ENAMETOOLONG: say("File name too long"),
    errno.EMFILE: say("Too many open files"),
    errno.ELOOP: say("Too many levels of symbolic links"),
    errno.EIO: say("Input/output error"),
}
_TOML = re.compile(
    r"(?P<words>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)


def word(role: str) -> str:
    """The word for a role, or for a table that was given as an argument.

    >>> word("score").told("zh")
    '得分'
    """
    return WORDS.get(role, role)


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


def in_quotation(value: object) -> str:
    """The same with quotes around text, whatever signs it holds."""
    return f"'{short(value)}'" if isinstance(value, str) else short(value)


def value_at(place: str, role: str, column: str) -> Message:
    """A value by its place and its role, and by its column where that is called otherwise."""
    if column == role:
        return say("{place}: {role}", place=place, role=word(role))
    return say("{place}: {role} (column '{column}')", place=place, role=word(role), column=short(column))


def at_line(name: str, line: int | None) -> str:
    return name if line is None else say("{name}, line {line:,}", name=name, line=line)


def column_of(column: str, name: str) -> Message:
    return say("column '{column}' of {name}", column=short(column), name=name)


def reason_of(error: OSError) -> str:
    """Why the system refused: as a message where it is a usual reason, else in the system's own words.

    >>> reason_of(FileNotFoundError(errno.ENOENT, "as the system says it")).told("zh")
    '文件或文件夹不存在'
    """
    return _REASONS.get(error.errno or 0) or error.strerror or str(error)


def json_reason(error: JSONDecodeError) -> Message:
    """Where a line is no JSON, and why in the parser's words."""
    return say(
        "{words}: line {line} column {column} (char {char})",
        words=error.msg,
        line=error.lineno,
        column=error.colno,
        char=error.pos,
    )


def toml_reason(error: ValueError) -> str:
    """Where a file is no TOML, and why in the parser's words, which are all that it tells of the place."""
    found = _TOML.fullmatch(str(error))
    if found is None:
        return str(error)
    if found["line"] is None:
        return say("{words} (at end of document)", words=found["words"])
    return say(
        "{words} (at line {line}, column {column})",
        words=found["words"],
        line=int(found["line"]),
        column=int(found["column"]),
    )


def dimensions(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))
