"""The families of cases by name."""

from __future__ import annotations

from collections.abc import Callable

from . import grammar, objects, options, readers
from .case import Case

FAMILIES: dict[str, Callable[[int], Case]] = {
    "grammar": grammar.draw,
    "readers": readers.draw,
    "objects": objects.draw,
    "options": options.draw,
}
