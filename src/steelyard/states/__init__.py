"""What rows are reduced to before a metric sees them: sums, exact pair counts, score tables."""

from __future__ import annotations

from steelyard.states.classified import Class, Classified, Counts
from steelyard.states.rated import Rated
from steelyard.states.scored import Scored, ScoreTable
from steelyard.states.segmented import Segmented

__all__ = ["Class", "Classified", "Counts", "Rated", "ScoreTable", "Scored", "Segmented"]
