"""A metric as it was asked for: the value, and beside it what was stated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from steelyard.engine.protocol import Need
from steelyard.metrics.base import Metric


@dataclass(frozen=True)
class Asked:
    """A metric, the fields that were stated for it, and the label it goes by.

    What was stated wins over the conventions of a call, of a profile and of an edition. A text states the
    fields that it names; a metric that is given as a value states those that are not as the house has them,
    so that equal metrics are the same wish. ``fixed`` are fields that the name itself means: f1 is fbeta
    with beta 1. ``profile`` is that of this metric alone, which wins over the call, and ``called`` the name
    that its library has for it.

    >>> from steelyard.metrics import NDCG
    >>> Asked.of(NDCG(k=10, gain="exp2", ties="item_desc")).stated == {"k", "gain"}
    True
    """

    metric: Metric
    stated: frozenset[str]
    label: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict, compare=False)
    profile: str = ""
    called: str = ""

    @classmethod
    def of(cls, metric: Metric) -> Asked:
        """A metric that was given as a value."""
        return cls(metric, frozenset(metric.differing()), str(metric))

    @property
    def heading(self) -> str:
        """The label where a library is named in it or its name for the metric; nothing otherwise."""
        return self.label if self.profile or self.called else ""

    @cached_property
    def need(self) -> Need:
        """What the metric reads."""
        return self.metric.need(self.stated)

    def states(self, *fields: str) -> bool:
        """Whether any of these fields was stated."""
        return not self.stated.isdisjoint(fields)
