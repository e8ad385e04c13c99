"""What rows are reduced to before a metric sees them: sums, exact pair counts, score tables."""

from __future__ import annotations

from steelyard.states.scored import Scored, ScoreTable

__all__ = ["ScoreTable", "Scored"]
