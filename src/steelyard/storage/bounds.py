"""Limits on what a saved file may ask of the machine that loads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Any, NamedTuple

_DEEPEST = 60  # levels; results have 20
_LONGEST = 100_000  # characters of a message
_TIMES = 20  # how much larger a value may be than its text; results are smaller
_WIDE = re.compile(r"\d{3}")  # a width or a precision; messages have one digit


class _Extent(NamedTuple):
    size: int  # parts and characters
    depth: int


def check(tree: Mapping[str, Any], length: int) -> None:
    """Refuse a tree that takes too much memory or time; ``length`` is that of its text.

    Shared objects count wherever they are used, figures of a message as often as its template has them.

    >>> check({"value": {"message": ["{n:>400000000}", {"n": 1}, ""]}, "objects": []}, 70)
    Traceback (most recent call last):
    ValueError: too wide
    """
    known: dict[int, _Extent] = {}

    def extent(node: Any, level: int) -> _Extent:
        if level > _DEEPEST:
            raise ValueError("too deep")
        if isinstance(node, str):
            return _Extent(1 + len(node), 0)
        if not isinstance(node, dict | list):
            return _Extent(1, 0)
        if isinstance(node, dict) and "at" in node:
            at = node["at"]
            known[at] = known.get(at) or extent(tree["objects"][at], level)
            if level + known[at].depth > _DEEPEST:
                raise ValueError("too deep")
            return known[at]
        if isinstance(node, dict) and "message" in node:
            template, figures, _ = node["message"]
            parts = {name: extent(figure, level + 1) for name, figure in figures.items()}
            size = _message_size(template, {name: part.size for name, part in parts.items()})
            return _Extent(size, _above(parts.values()))
        inner = [extent(part, level + 1) for part in (node.values() if isinstance(node, dict) else node)]
        return _Extent(1 + sum(part.size for part in inner), _above(inner))

    if extent(tree["value"], 0).size > _TIMES * length:
        raise ValueError("too large")


def _above(parts: Iterable[_Extent]) -> int:
    return 1 + max((part.depth for part in parts), default=0)


def _message_size(template: str, figures: Mapping[str, int]) -> int:
    used = [(name, form or "") for _, name, form, _ in Formatter().parse(template) if name] if figures else []
    if any(_WIDE.search(form) for _, form in used):
        raise ValueError("too wide")
    size = 1 + len(template) + sum(figures.values()) + sum(figures[name] for name, _ in used)
    if size > _LONGEST:
        raise ValueError("too long")
    return size
