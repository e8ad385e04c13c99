"""Conventions by name: the house's edition, and other libraries'."""

from __future__ import annotations

from steelyard.profiles.profile import HOUSE, Profile, profile, profiles
from steelyard.profiles.resolve import Asked, metric, metrics, resolve

__all__ = ["HOUSE", "Asked", "Profile", "metric", "metrics", "profile", "profiles", "resolve"]
