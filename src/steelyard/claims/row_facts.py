"""What labelled rows leave without effect: choices about classes that are not there."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from steelyard.engine.classified import Classified
from steelyard.engine.protocol import Need
from steelyard.engine.rows import Rows
from steelyard.messages.errors import SteelyardError
from steelyard.metrics import Metric
from steelyard.metrics.asked import Asked

_DECIDING = {"threshold", "strict"}  # to state one decides what is read, whether or not it then acts


@dataclass(frozen=True)
class RowFacts:
    """The states of rows that metrics read, None where one is refused."""

    reader: Rows
    _states: dict[tuple[Need, str, bool], Any] = field(default_factory=dict)

    def settled(self, one: Asked, *, for_good: bool) -> Metric:
        """The same metric with one value for all that a field may have where nothing depends on it."""
        metric, state = one.metric, self._state(one)
        if state is None:
            return metric
        idle = _of_two_classes(metric, state) if for_good else metric.without_effect(state) - _DECIDING
        defaults = {field.name: field.default for field in dataclasses.fields(metric) if field.name in idle}
        return metric.replace(**defaults, labels="any")  # labels that are not refused are as any others

    def _state(self, one: Asked) -> Any:
        need = one.metric.need(one.stated)
        key = need, need.labels, need.several_labels
        if key not in self._states:
            try:
                self._states[key] = self.reader.state(need)
            except SteelyardError:
                self._states[key] = None
        return self._states[key]


def _of_two_classes(metric: Metric, state: Any) -> set[str]:
    """How curves of several classes become one, where there is one curve."""
    return set() if isinstance(state, Classified) else metric.idle(state) & {"average", "undefined_class"}
