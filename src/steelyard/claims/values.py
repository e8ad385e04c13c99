"""The values of many conventions on tables that were read once: each distinct one is measured once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from steelyard.claims.facts import Facts
from steelyard.engine.memory import Memory
from steelyard.engine.protocol import Need
from steelyard.measure.run import value_of
from steelyard.messages.errors import SteelyardError, comparing
from steelyard.metrics import Metric
from steelyard.metrics.base import Asked

Key = tuple[Metric, bool]  # whether a threshold was stated decides what it acts on


@dataclass(frozen=True)
class Values:
    """What was measured so far; what refuses the data has no value, and is kept with its reason."""

    engine: Memory
    facts: Facts
    found: dict[Key, float] = field(default_factory=dict)
    refused: dict[Key, SteelyardError] = field(default_factory=dict)

    def measure(self, asked: Iterable[Asked]) -> None:
        """Measure what was not measured yet, those that share an alignment together; then let go of it."""
        new = {key: one for one in asked if (key := self.key(one)) not in self.found}
        steps = {key: _steps(one.need) for key, one in new.items()}
        before = ("", "")
        for key in sorted(new, key=steps.__getitem__):
            if steps[key] != before:
                self.engine.clear_caches(aligned=steps[key][0] != before[0])
                before = steps[key]
            self.found[key] = self._value(key, new[key])
        self.engine.clear_caches()

    def settled(self, one: Asked) -> Metric:
        """The same metric with one value for all that a field may have where nothing depends on it.

        What an undefined value of rows becomes makes no difference to one that is defined.
        """
        metric = self.facts.settled(one)
        if metric.weighs != "rows" or metric.undefined == "nan":
            return metric
        as_it_is = replace(one, metric=metric.replace(undefined="nan"))
        self.measure([as_it_is])
        return metric if math.isnan(self.of(as_it_is)) else as_it_is.metric

    def of(self, one: Asked) -> float:
        """A value that was measured; NaN where it is undefined or refused."""
        return self.found[self.key(one)]

    def why_refused(self, one: Asked) -> SteelyardError | None:
        return self.refused.get(self.key(one))

    def key(self, one: Asked) -> Key:
        """What tells conventions apart on this data."""
        return one.metric, one.states("threshold", "strict")

    def _value(self, key: Key, one: Asked) -> float:
        try:
            value = value_of(one, self.engine)
        except SteelyardError as error:
            error.__context__ = None  # either would keep all that was read for it
            self.refused[key] = error.with_traceback(None)
            return math.nan
        if value.ndim:
            self.refused[key] = comparing.claimed_of_classes(metric=str(one.metric))
            return math.nan
        return float(value)


def _steps(need: Need) -> tuple[str, str]:
    """What is aligned anew where it differs, and what is only put in order anew."""
    if need.align is None or need.rank is None:
        return "", ""
    return f"{need.align} {need.rank.order} {need.judged_zeros}", f"{need.rank.scores} {need.rank}"
