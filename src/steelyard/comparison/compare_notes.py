"""What a reader of a comparison must know before trusting it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from steelyard.comparison.compare import Contrast
from steelyard.measure.run import FEW
from steelyard.messages import Message, listed, say

_SHOWN = 3
_ENOUGH = 200  # units below which bootstrap tests find too much


def compare_notes(contrasts: Sequence[Contrast]) -> tuple[Message, ...]:
    """What is to be said of the whole, each sentence once for all metrics it holds for."""
    whole = [one for one in contrasts if one.places is None]
    found = []
    for holds, note in _NOTES:
        if labels := list(dict.fromkeys(one.label for one in whole if holds(one))):
            found.append(note(listed(labels, _SHOWN)))
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


_NOTES: tuple[tuple[Callable[[Contrast], bool], Callable[[Message], Message]], ...] = (
    (
        _one_unit,
        lambda labels: say(
            "{labels}: neither interval nor test, since one unit alone says nothing of chance.",
            key="compared_on_one_unit",
            labels=labels,
        ),
    ),
    (
        _few_units,
        lambda labels: say(
            "{labels}: the comparison rests on fewer than {few} effective units and is rough.",
            key="compared_on_few_units",
            labels=labels,
            few=FEW,
        ),
    ),
    (
        _all_equal,
        lambda labels: say(
            "{labels}: the difference is the same for every unit, so the interval has no width.",
            key="equal_differences",
            labels=labels,
        ),
    ),
    (
        lambda one: bool((np.isinf(one.value) | np.isinf(one.against)).any()),
        lambda labels: say(
            "{labels}: a value is infinite, so there is neither an interval nor a test.",
            key="infinite_difference",
            labels=labels,
        ),
    ),
    (
        lambda one: one.test == "bootstrap" and one.n is not None and bool((one.n < _ENOUGH).any()),
        lambda labels: say(
            "{labels}: with fewer than {enough} units the bootstrap test finds too many differences.",
            key="bootstrap_of_few_units",
            labels=labels,
            enough=_ENOUGH,
        ),
    ),
    (
        lambda one: not one.test,
        lambda labels: say(
            "{labels}: the difference is not tested, since it cannot be told unit by unit.",
            key="not_tested",
            labels=labels,
        ),
    ),
    (
        _ties_matter,
        lambda labels: say(
            "{labels}: another order of tied scores could turn the difference round.",
            key="ties_turn_difference",
            labels=labels,
        ),
    ),
)


def _left_out(contrasts: Sequence[Contrast]) -> list[Message]:
    """How many units only one of two systems has, for the first metric of each pair."""
    found: dict[tuple[str, str], Message] = {}
    for one in contrasts:
        units = one.units
        if units is None or not units.left_out.any() or one.pair in found:
            continue
        at = int(units.left_out.argmax())
        found[one.pair] = say(
            "{label}: {one} and {other} share {n:,} units; {m:,} that only one of them has a value for "
            "{m:is|are} left out.",
            key="compared_on_common_units",
            label=one.label,
            one=one.pair[0],
            other=one.pair[1],
            n=int(units.n[at]),
            m=int(units.left_out[at]),
        )
    return list(found.values())
