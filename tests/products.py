"""Which cases of a product of parameters `make test` runs; the others are marked `long`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest

Case = tuple[int, ...]


def mark_long(items: Sequence[pytest.Item]) -> None:
    """Of a test with several ``parametrize``, keep the cases of `kept`; mark the others as long."""
    products: dict[str, list[tuple[Case, Any]]] = defaultdict(list)
    for item in items:
        marks = list(item.iter_markers("parametrize"))
        if len(marks) > 1 and hasattr(item, "callspec"):
            values = item.callspec.params
            # what stands nearest to the function comes last, as in its name
            case = tuple(id_of(mark.args[0], values) for mark in reversed(marks))
            products[item.nodeid.partition("[")[0]].append((case, item))
    for cases in products.values():
        # tests are shuffled by now
        cases.sort(key=lambda entry: list(entry[1].callspec.indices.values()))
        numbers: list[dict[int, int]] = [{} for _ in cases[0][0]]
        numbered = [
            tuple(known.setdefault(value, len(known)) for value, known in zip(case, numbers, strict=True))
            for case, _ in cases
        ]
        wanted = kept(numbered)
        for case, (_, item) in zip(numbered, cases, strict=True):
            if case not in wanted:
                item.add_marker("long")


def id_of(names: str | Sequence[str], values: dict[str, object]) -> int:
    """A number for the values of one ``parametrize``: they are the same objects in every case."""
    split = names.replace(",", " ").split() if isinstance(names, str) else names
    return hash(tuple(id(values[name]) for name in split))


def kept(cases: Sequence[Case]) -> set[Case]:
    """Every parameter changed alone, and every pair of values of three parameters or more at least once.

    Of two parameters, each value of the one is kept with the first of the other and with one more.
    """
    sizes = [max(values) + 1 for values in zip(*cases, strict=True)]
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
