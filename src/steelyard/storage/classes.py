"""The classes that a file may hold, each under a name that never changes."""

from __future__ import annotations

from steelyard.align import RowTally, Tally
from steelyard.ask import Profile, Request
from steelyard.conventions import Align, Rank
from steelyard.engines import Ranking
from steelyard.inputs import Names
from steelyard.measure import Measured, RowSlices, Slices
from steelyard.metrics.asked import Asked
from steelyard.rank import Ranked, ShownList
from steelyard.rank.ranked import Hits
from steelyard.states import Classified, Rated, Scored
from steelyard.states.confusion_table import Cells, ConfusionTable
from steelyard.states.group_table import GroupTable
from steelyard.states.reduced import Reduced
from steelyard.states.score_table import ScoreTable
from steelyard.states.spread import Spread
from steelyard.states.sums import Sums
from steelyard.states.twofold import Twofold
from steelyard.storage.tree import Classes

HELD: Classes = {
    "align": Align,
    "asked": Asked,
    "cells": Cells,
    "classified": Classified,
    "confusion table": ConfusionTable,
    "group table": GroupTable,
    "hits": Hits,
    "measured": Measured,
    "names": Names,
    "profile": Profile,
    "rank": Rank,
    "ranked": Ranked,
    "ranking": Ranking,
    "rated": Rated,
    "reduced": Reduced,
    "request": Request,
    "row slices": RowSlices,
    "row tally": RowTally,
    "score table": ScoreTable,
    "scored": Scored,
    "shown list": ShownList,
    "slices": Slices,
    "spread": Spread,
    "sums": Sums,
    "tally": Tally,
    "twofold": Twofold,
}
