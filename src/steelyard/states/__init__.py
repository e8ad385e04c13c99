"""What rows are reduced to before a metric sees them: sums, exact pair counts, score tables."""

from __future__ import annotations

from steelyard.states.class_values import Class
from steelyard.states.classified import Classified, Counts
from steelyard.states.rated import Rated
from steelyard.states.score_table import ScoreTable
from steelyard.states.scored import Scored
from steelyard.states.segmented import Segmented
from steelyard.states.sums import Term

__all__ = ["Class", "Classified", "Counts", "Rated", "ScoreTable", "Scored", "Segmented", "Term"]
