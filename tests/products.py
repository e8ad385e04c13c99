"""Which cases of a product of parameters `make test` runs; the others are marked `long`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import pytest

Case = tuple[int, ...]
PARAM = type(pytest.param())


def mark_long(items: Sequence[pytest.Item], arguments: Sequence[str]) -> None:
    """Mark as long what `kept` leaves out of each test with several ``parametrize``.

    It goes by declared values, so a selection of tests does not change which cases are kept.
    Nothing is marked if the command line names a case.
    """
    if any("[" in argument for argument in arguments):
        return
    for item in items:
        marks = list(item.iter_markers("parametrize"))
        if len(marks) > 1 and isinstance(item, pytest.Function):
            case = tuple(position(mark, item.callspec.params) for mark in marks)
            if case not in kept(tuple(len(mark.args[1]) for mark in marks)):
                item.add_marker("long")


def position(mark: pytest.Mark, params: dict[str, object]) -> int:
    """Which of the values of a ``parametrize`` a case has; pytest numbers only whole cases."""
    names, declared = mark.args[:2]
    alone = isinstance(names, str) and "," not in names
    names = names.replace(",", " ").split() if isinstance(names, str) else names
    for number, entry in enumerate(declared):
        values = entry.values if isinstance(entry, PARAM) else (entry,) if alone else entry
        if all(params[name] is value for name, value in zip(names, values, strict=True)):
            return number
    raise ValueError(f"{mark} does not have {params}")


@cache
def kept(sizes: tuple[int, ...]) -> set[Case]:
    """Every value of every parameter at least once, and each next to changing values of the others.

    Of three parameters or more, each is also changed alone.
    """
    turns = {tuple((turn + place) % size for place, size in enumerate(sizes)) for turn in range(max(sizes))}
    if len(sizes) == 2:
        return turns | {(0, 0)}
    return turns | {case for case in product(*map(range, sizes)) if sum(value > 0 for value in case) <= 1}
