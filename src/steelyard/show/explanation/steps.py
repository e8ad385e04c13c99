"""Which steps lead to a value: one function per family of metrics, found by the metric's class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from steelyard.messages import Message, say
from steelyard.metrics import Metric
from steelyard.rank import ShownList
from steelyard.show.explanation.explanation import Line, Steps
from steelyard.show.explanation.listed import list_steps, read_notes


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The tables, the lines of arithmetic and what else must be said of one value."""

    steps: tuple[Steps, ...] = ()
    lines: tuple[Line, ...]
    notes: tuple[Message, ...] = ()


@singledispatch
def steps(metric: Metric, state: Any) -> Parts:
    """The steps of a metric's value.

    ``state`` is a ``ShownList`` for a metric of rankings, and for one of rows the state that it measures. A
    family of metrics registers its own function: ``@steps.register``, annotated with its class. Others get
    what they were measured on and their value.
    """
    values = np.atleast_1d(_measured(metric, state)).tolist()
    lines = tuple(
        Line(expression="{result}", operands={"result": value}, result=len(values) > 1) for value in values
    )
    note = say(
        "no steps are known for {metric}: what it was measured on and its value are all that can be shown.",
        key="no_steps",
        metric=metric.name,
    )
    if not isinstance(state, ShownList):
        return Parts(lines=lines, notes=(note,))
    k = getattr(metric, "k", None)
    table = list_steps(state, k, (), important=np.nan_to_num(state.grade) != 0)
    return Parts(steps=(table,), lines=lines, notes=(note, *read_notes(state, k)))


def _measured(metric: Any, state: Any) -> Any:
    return metric.each(state.ranked)[0] if isinstance(state, ShownList) else metric.measure(state)[0]
