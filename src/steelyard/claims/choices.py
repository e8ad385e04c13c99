"""The choices that are tried: every word of every field, and numbers where some are usual."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

from steelyard import conventions
from steelyard.claims.facts import STRICT, Facts
from steelyard.claims.starts import Change
from steelyard.metrics import Metric

_DEPTHS = (100, 1000)
_MOST_GRADES = 20
_UNTRIED = ("k", "floor")


def choices(metric: Metric, fixed: Collection[str], facts: Facts) -> list[Change]:
    """Every other value of each field that may change, but for those that refuse data or change nothing."""
    found, idle = [], facts.idle_of(metric)
    for field in dataclasses.fields(metric):
        if field.name in fixed or field.name in _UNTRIED or field.name in idle:
            continue
        now = getattr(metric, field.name)
        found += [(field.name, value) for value in _values(metric, field, facts) if value != now]
    return found


def takes(metric: Metric, change: Change) -> bool:
    """Whether a metric has such a field, and such a choice of it."""
    name, value = change
    field = next((field for field in dataclasses.fields(metric) if field.name == name), None)
    if field is None:
        return False
    words = field.metadata.get("meaning")
    return words is None or conventions.plain(value) in words


def _values(metric: Metric, field: dataclasses.Field[Any], facts: Facts) -> list[Any]:
    if field.name == "rel":
        return list(facts.grades[:_MOST_GRADES])
    if field.name == "depth":
        depths = sorted({*_DEPTHS, *([metric.values()["k"]] if metric.values().get("k") else [])})
        return [None, *(depth for depth in depths if facts.longest is None or depth < facts.longest)]
    if field.name == "order":
        return ["given"]
    if callable(field.metadata.get("tries")):
        return []
    tried = conventions.tries(field, None)
    return [value for value in tried if value not in ("error", *STRICT.get(field.name, ()))]
