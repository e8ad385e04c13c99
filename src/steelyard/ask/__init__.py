"""What was asked for: text and objects become metrics, profiles and editions fill what they leave open."""

from __future__ import annotations

from steelyard.ask.data import HOUSE, Profile, profile, profiles
from steelyard.ask.plan import Plan, ask, ask_in_words, metric, metrics, with_task
from steelyard.metrics.base import Asked

__all__ = [
    "HOUSE",
    "Asked",
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
