"""What rows are reduced to before a metric sees them: sums, exact pair counts, score tables."""

from __future__ import annotations

from steelyard.states.scored import Scored, ScoreTable
from steelyard.states.segmented import Segmented

__all__ = ["ScoreTable", "Scored", "Segmented"]
