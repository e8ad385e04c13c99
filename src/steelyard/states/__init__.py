"""What rows are reduced to before a metric sees them: sums, exact pair counts, score tables."""

from __future__ import annotations

from steelyard.states.class_values import Class
from steelyard.states.classified import Classified, Counts
from steelyard.states.confusion_table import ConfusionTable
from steelyard.states.group_table import Groups, GroupTable
from steelyard.states.mergeable import Mergeable
from steelyard.states.rated import Rated
from steelyard.states.reduced import RatedRows, Reduced, ScoredRows
from steelyard.states.score_table import ScoreTable
from steelyard.states.scored import Scored
from steelyard.states.segmented import Segmented
from steelyard.states.sums import Sums, Term

__all__ = [
    "Class",
    "Classified",
    "ConfusionTable",
    "Counts",
    "GroupTable",
    "Groups",
    "Mergeable",
    "Rated",
    "RatedRows",
    "Reduced",
    "ScoreTable",
    "Scored",
    "ScoredRows",
    "Segmented",
    "Sums",
    "Term",
]
