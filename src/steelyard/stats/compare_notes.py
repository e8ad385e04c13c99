"""What a reader of a comparison must know before trusting it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steelyard.stats.compare import Contrast
from steelyard.stats.p_values import STATISTICS
from steelyard.stats.run import FEW
from steelyard.stats.testing import CORRECTIONS, Procedure
from steelyard.text import Message, listed, say, sentences
from steelyard.text.labels import named

_SHOWN = 3
_ENOUGH = 200  # units below which bootstrap tests find too much
_SAID = sentences(
    compared_on_one_unit="{labels}: neither interval nor test, since one unit alone says nothing of chance.",
    compared_on_few_units="{labels}: the comparison rests on fewer than {few} effective units and is rough.",
    equal_differences="{labels}: the difference is the same for every unit, so the interval has no width.",
    infinite_difference="{labels}: a value is infinite, so there is neither an interval nor a test.",
    bootstrap_of_few_units="{labels}: with fewer than {enough} units the bootstrap test finds too many "
    "differences.",
    not_tested="{labels}: the difference is not tested, since it cannot be told unit by unit.",
    ties_turn_difference="{labels}: another order of tied scores could turn the difference round.",
    compared_on_common_units="{label}: {one} and {other} share {n:,} units; {m:,} that only one of them has "
    "a value for {m:is|are} left out.",
)


def compare_notes(contrasts: Sequence[Contrast]) -> tuple[Message, ...]:
    """What is to be said of the whole, each sentence once for all metrics it holds for."""
    whole = [one for one in contrasts if one.places is None]
    found = []
    for key, holds in _HOLDS.items():
        if labels := list(dict.fromkeys(one.label for one in whole if holds(one))):
            found.append(_SAID(key, labels=listed(labels, _SHOWN), few=FEW, enough=_ENOUGH))
    return (*found, *_left_out(whole))


def _one_unit(one: Contrast) -> bool:
    units = one.units
    if units is None:
        return False
    alone = np.isnan(units.variance) & ~units.scarce & np.isfinite(units.difference)
    return bool(np.any(alone & np.isfinite(one.value)))


def _few_units(one: Contrast) -> bool:
    units = one.units
    return units is not None and bool((np.isfinite(units.variance) & (units.effective < FEW - 1e-6)).any())


def _all_equal(one: Contrast) -> bool:
    """Whether every unit differs by the same, so that nothing says what chance would do."""
    units = one.units
    if units is None or one.test == "mcnemar":  # whose interval has a width
        return False
    return bool(((units.variance == 0) & (units.difference != 0)).any())


def _ties_matter(one: Contrast) -> bool:
    """Whether another order of tied rows could turn the sign of the difference."""
    mine, its = (side.ties for side in one.sides)
    with np.errstate(invalid="ignore"):  # of infinite ones
        low = (one.value if mine is None else mine.low) - (one.against if its is None else its.high)
        high = (one.value if mine is None else mine.high) - (one.against if its is None else its.low)
    return bool(((one.difference != 0) & (low <= 0) & (high >= 0)).any()) and (mine or its) is not None


_HOLDS: dict[str, Callable[[Contrast], bool]] = {
    "compared_on_one_unit": _one_unit,
    "compared_on_few_units": _few_units,
    "equal_differences": _all_equal,
    "infinite_difference": lambda one: bool((np.isinf(one.value) | np.isinf(one.against)).any()),
    "bootstrap_of_few_units": lambda one: (
        one.test == "bootstrap" and one.n is not None and bool((one.n < _ENOUGH).any())
    ),
    "not_tested": lambda one: not one.test,
    "ties_turn_difference": _ties_matter,
}


def _left_out(contrasts: Sequence[Contrast]) -> list[Message]:
    """How many units only one of two systems has, for the first metric of each pair."""
    found: dict[tuple[str, str], Message] = {}
    for one in contrasts:
        units = one.units
        if units is None or not units.left_out.any() or one.pair in found:
            continue
        at = int(units.left_out.argmax())
        found[one.pair] = _SAID(
            "compared_on_common_units",
            label=one.label,
            one=one.pair[0],
            other=one.pair[1],
            n=int(units.n[at]),
            m=int(units.left_out[at]),
        )
    return list(found.values())


def tested(testing: Procedure, tests: Mapping[str, str], n: int, in_slices: int) -> Message:
    """By which tests, how corrected, in a few words; ``tests`` has that of each metric."""
    kinds: dict[str, list[str]] = {}
    for label, test in tests.items():
        kinds.setdefault(test, []).append(label)
    titles = {test: STATISTICS[test].title for test in kinds}
    parts = [
        titles[test] if len(kinds) == 1 else named(titles[test], listed(labels))
        for test, labels in kinds.items()
    ]
    of = say("{correction} over {n:,} {n:test|tests}", correction=CORRECTIONS[testing.correct], n=n)
    if in_slices:
        of = say("{said}, and over {m:,} {m:test|tests} in slices", said=of, m=in_slices)
    return say("{parts:;}", parts=[*parts, of])
