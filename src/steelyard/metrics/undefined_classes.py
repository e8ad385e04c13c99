"""What a reader is told of classes and rows that are undefined inside an average."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.arrays import Flags
from steelyard.engine.class_values import Class
from steelyard.messages import Message, in_quotes, say
from steelyard.metrics.base import FILL

_SHOWN = 5


def class_notes(
    label: str, classes: Sequence[Class], undefined: Flags, rule: str, fate: str = ""
) -> list[Message]:
    """Which classes are undefined, by segment and class, and what becomes of them by the rule.

    ``fate`` is the rule that says it, if not the same.
    """
    if not undefined.any():
        return []
    if len(undefined) > 1:
        said = say(
            "{metric}: in {slices:,} {slices:slice|slices} at least one class is undefined and {fate} "
            "(undefined_class={rule}).",
            key="undefined_classes",
            metric=label,
            slices=int(undefined.any(axis=1).sum()),
            fate=_fate(1, fate or rule),
            rule=rule,
        )
        return [said]
    names = [in_quotes(str(classes[at])) for at in np.flatnonzero(undefined[0]).tolist()]
    said = say(
        "{metric}: {n:class|classes} {classes} {n:is|are} undefined and {fate} (undefined_class={rule}).",
        key="undefined_classes",
        metric=label,
        n=len(names),
        classes=say("{items:and}", items=names)
        if len(names) <= _SHOWN
        else say("{items:and} and {n:,} more", items=names[:_SHOWN], n=len(names) - _SHOWN),
        fate=_fate(len(names), fate or rule),
        rule=rule,
    )
    return [said]


def row_notes(label: str, n: int, rule: str) -> list[Message]:
    """How many rows of several labels are undefined, and what becomes of them by the rule."""
    said = say(
        "{metric}: {n:,} {n:row is|rows are} undefined and {fate} (undefined_class={rule}).",
        key="undefined_in_average",
        metric=label,
        n=n,
        fate=_fate(n, rule),
        rule=rule,
    )
    return [said] if n else []


def _fate(n: int, rule: str) -> Message:
    """What becomes of undefined classes or rows in the average; ``undefined`` is for the whole value."""
    if rule == "skip":
        left_out = say("is left out of the average", key=rule)
        return left_out if n == 1 else say("are left out of the average", key=rule)
    if rule == "nan":
        spoils = say("makes the average undefined", key=rule)
        return spoils if n == 1 else say("make the average undefined", key=rule)
    if n == 1:
        return say("counts {value:g} in the average", key=rule, value=FILL[rule])
    return say("count {value:g} in the average", key=rule, value=FILL[rule])
