"""Errors for partial results that do not fit together."""

from __future__ import annotations

from steelyard.text.errors.forms import Refusal, declared


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
