"""What metrics of labelled rows share: one value per slice, straight from the rows."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.conventions import Labelled
from steelyard.messages import Message
from steelyard.messages.errors import measuring
from steelyard.metrics.base import FILL, Cutoff, Metric
from steelyard.states import Class, Reduced, Segmented
from steelyard.states.class_values import is_null
from steelyard.steps.arithmetic import Parts, no_steps


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class LabelledMetric(Metric, Labelled):
    """A metric of rows with a label: clicks, classes or ratings.

    ``unit`` is what a value runs over: rows, or groups of them.
    """

    at: ClassVar[Cutoff] = "never"
    unit: ClassVar[str] = "rows"

    def measure(self, rows: Any) -> Floats:
        """A value, or a row of values, per segment."""
        raise NotImplementedError(f"{type(self).__name__} must define measure")

    def entries(self, rows: Any) -> list[tuple[Class, ...]]:
        """What each value of a row of values stands for; empty where there is one value per slice."""
        return []

    def facts(self, rows: Any, label: str = "") -> list[Message]:
        """What a reader should know beside the value; ``label`` is how the metric is called there."""
        return []

    def covered(self, rows: Segmented | Reduced, values: Floats) -> tuple[Ints, Ints]:
        """How many rows each value rests on, and how many belong to no value, as it is undefined."""
        counts = rows.rows if values.ndim == 1 else rows.rows[:, None]
        undefined = np.isnan(values)
        return np.where(undefined, 0, counts), np.where(undefined, counts, 0)

    def steps(self, state: Any) -> Parts:
        """The steps that lead to the value of all rows; of a metric that has none, its value."""
        return no_steps(self.name, self.measure(state)[0])

    def labelled(self, labels: NDArray[Any], *columns: NDArray[Any] | None) -> list[Any]:
        """Labels and further columns without the rows whose label is null, where that is the convention."""
        if self.unlabelled == "error" or labels.ndim != 1:
            return [labels, *columns]
        kept = ~is_null(labels)
        return [labels[kept], *(None if column is None else column[kept] for column in columns)]


def filled(metric: Metric, values: Floats) -> Floats:
    """Values with the undefined ones as the metric's convention says."""
    undefined = np.isnan(values)
    if metric.undefined == "nan" or not undefined.any():
        return values + 0.0  # a zero has no sign
    if metric.undefined == "error":
        raise measuring.undefined_rows(str(metric), metric.undefined_when)
    return np.where(undefined, FILL[metric.undefined], values) + 0.0
