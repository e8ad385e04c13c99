"""The catalogue: one file per metric, and nothing but its being here makes it known."""

from __future__ import annotations

from steelyard.lazily import names_of

__getattr__, __dir__ = names_of("steelyard.metrics")
