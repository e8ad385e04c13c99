"""Which cases of a product of parameters `make test` runs; the others are marked `long`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

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
    """Every parameter changed alone, and every pair of values of three parameters or more at least once.

    Of two parameters, each value of the one is kept with the first of the other and with one more.
    """
    cases = list(product(*map(range, sizes)))
    found = {case for case in cases if sum(value > 0 for value in case) <= 1}
    if len(sizes) == 2:
        shorter = min(sizes)
        return found | {case for case in cases if case[0] % shorter == case[1] % shorter}
    missing = {pair for case in cases for pair in pairs(case)} - {
        pair for case in found for pair in pairs(case)
    }
    used = Counter(entry for case in found for entry in enumerate(case))
    while missing:
        # of those with most pairs that are missing, the one whose values were used least
        best = max(
            cases,
            key=lambda case: (len(missing & pairs(case)), -sum(used[entry] for entry in enumerate(case))),
        )
        found.add(best)
        missing -= pairs(best)
        used.update(enumerate(best))
    return found


def pairs(case: Case) -> set[tuple[tuple[int, int], ...]]:
    return set(combinations(enumerate(case), 2))
