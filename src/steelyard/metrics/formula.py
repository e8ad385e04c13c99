"""The formula of a metric: which method has to hold it, and what it has to give."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import numpy as np

from steelyard.arrays import Floats
from steelyard.messages import Message, say

OPEN_METHODS: dict[str, None] = {}  # the names of methods that some base class leaves open, in order

F = TypeVar("F", bound=Callable[..., Any])


def left_open(*others: str) -> Callable[[F], F]:
    """Mark a method that every metric must define, unless it defines one of ``others`` anew."""

    def mark(method: F) -> F:
        OPEN_METHODS[method.__name__] = None
        method.instead = others  # type: ignore[attr-defined]
        return method

    return mark


def checked_values(
    given: Any, n: int, refuse: Callable[[Message | str], Exception], *, dimensions: Collection[int] = (1,)
) -> Floats:
    """What the formula of a metric gave, if that is ``n`` numbers; else ``refuse`` says what it was."""
    if np.ma.is_masked(given):
        raise refuse(say("masked values"))
    try:
        values = np.asarray(given)
        if values.dtype.kind != "c":
            values = values.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise refuse(type(given).__name__) from None
    if values.dtype.kind == "c":
        raise refuse(say("complex numbers"))
    if values.ndim not in dimensions or len(values) != n:
        raise refuse(say("shape {shape}", shape=str(values.shape)))
    return values
