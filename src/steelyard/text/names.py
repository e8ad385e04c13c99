"""Ids and names as a reader can be shown them, whatever they contain."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import count

from steelyard.printable import visible
from steelyard.text import Message, say

_SPACE = re.compile(r"\s+")


def shown(name: object, limit: int = 36) -> str:
    r"""A name on one line, at most ``limit`` wide, cut in the middle; what cannot be seen is spelt out.

    A name that is words, as "predictions" is for a frame, stays what it is and is told in each language.

    >>> shown("a\tb\u202ec"), shown("0123456789" * 1000, 9), shown(" DE"), shown("")
    ('a b\\u202ec', '01234…789', '" DE"', '""')
    """
    if isinstance(name, Message):
        return name
    from rich.cells import cell_len  # nothing that only measures should wait for it

    text = str(name)
    if len(text) > 4 * limit:  # so that a name of any length costs the same
        text = f"{text[: 2 * limit]}…{text[-2 * limit :]}"
    text = visible(_SPACE.sub(" ", text))
    text = text if text and text == text.strip() else f'"{text}"'
    # marks that stack on one letter take no width, so letters are counted too
    if cell_len(text) <= limit and len(text) <= 2 * limit:
        return text
    front, back = (limit + 1) // 2, limit // 2 - 1
    return f"{_fitting(text, front)}…{_fitting(text[::-1], back)[::-1]}"


def distinct(names: Iterable[object], limit: int = 36) -> list[str]:
    r"""Names as shown, those that would look alike told apart by a number.

    >>> distinct(["a b", "a\tb"])
    ['a b', 'a b (2)']
    """
    taken: dict[str, int] = {}
    found = []
    for name in names:
        text = plain = shown(name, limit)
        while text in taken:
            taken[plain] += 1
            text = again(plain, taken[plain])
        taken[text] = 1
        found.append(text)
    return found


def again(name: str, nth: int) -> str:
    return say("{name} ({n})", name=name, n=nth) if isinstance(name, Message) else f"{name} ({nth})"


def _fitting(text: str, cells: int) -> str:
    from rich.cells import cell_len

    width = 0
    for place, character in enumerate(text):
        width += cell_len(character)
        if width > cells or place >= 2 * cells:
            return text[:place]
    return text


def free_name(name: str, taken: Container[str]) -> str:
    """The name, or, where others have it, the first of ``name (2)``, ``name (3)``, … that none has."""
    if name not in taken:
        return name
    return next(one for one in (again(name, nth) for nth in count(2)) if one not in taken)
