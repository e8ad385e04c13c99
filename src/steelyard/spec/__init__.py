"""Plans: text and objects become metrics; profiles and editions fill the other fields."""

from __future__ import annotations

from steelyard.metrics.base import EDITION, MetricRequest
from steelyard.spec.libraries import Profile, profile, profiles
from steelyard.spec.plan import Plan, ask, ask_in_words, metric, metrics, with_task

__all__ = [
    "EDITION",
    "MetricRequest",
    "Plan",
    "Profile",
    "ask",
    "ask_in_words",
    "metric",
    "metrics",
    "profile",
    "profiles",
    "with_task",
]
