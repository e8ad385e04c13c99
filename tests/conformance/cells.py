"""Our answers and the recorded ones of a library, compared once for all tests of a process."""

from __future__ import annotations

from functools import cache

from conformance.judged import Cell, Explained, judged
from conformance.recorded import Answers


@cache
def cells_of(name: str) -> tuple[list[Cell], list[Explained]]:
    """Every answer of a library beside ours, and the explanations that explain nothing."""
    return judged(Answers.read(name))
