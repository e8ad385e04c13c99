"""How many examples Hypothesis draws for a test."""

from __future__ import annotations

from hypothesis import settings


def examples(number: int) -> settings:
    """So many examples, or as many fewer as the profile asks for fewer than a hundred."""
    return settings(max_examples=max(1, number * settings.default.max_examples // 100))
