"""The classes that a file may hold, each under a name that never changes."""

from __future__ import annotations

from steelyard.ask import Plan, Profile
from steelyard.conventions import Align, Rank
from steelyard.engine.background import Background, History
from steelyard.engine.binned import Binned, Gone, GroupValues
from steelyard.engine.classified import Classified
from steelyard.engine.coding import Doubled, Encoded, Side
from steelyard.engine.features import Features
from steelyard.engine.grid import EncodedGrid
from steelyard.engine.influence import Influence, Units
from steelyard.engine.list_summary import ListSummary
from steelyard.engine.memory import Lists
from steelyard.engine.protocol import Names, Ranking, Tally
from steelyard.engine.ranked import Hits, Ranked
from steelyard.engine.rated import Rated
from steelyard.engine.score_table import ScoreTable
from steelyard.engine.scored import Scored
from steelyard.engine.top_lists import TopLists
from steelyard.measure.certainty import Certainty
from steelyard.measure.intervals import Limits
from steelyard.measure.measured import Measured, TieRange
from steelyard.measure.readings import InSlice, Reading
from steelyard.metrics.base import Asked
from steelyard.read import Grid, Table
from steelyard.storage.tree import Classes

HELD: Classes = {
    "align": Align,
    "asked": Asked,
    "background": Background,
    "binned": Binned,
    "certainty": Certainty,
    "classified": Classified,
    "doubled": Doubled,
    "encoded": Encoded,
    "encoded grid": EncodedGrid,
    "features": Features,
    "gone": Gone,
    "grid": Grid,
    "group values": GroupValues,
    "history": History,
    "hits": Hits,
    "in slice": InSlice,
    "influence": Influence,
    "limits": Limits,
    "list summary": ListSummary,
    "lists": Lists,
    "measured": Measured,
    "names": Names,
    "profile": Profile,
    "rank": Rank,
    "ranked": Ranked,
    "ranking": Ranking,
    "rated": Rated,
    "reading": Reading,
    "plan": Plan,
    "score table": ScoreTable,
    "scored": Scored,
    "side": Side,
    "table": Table,
    "tally": Tally,
    "tie range": TieRange,
    "top lists": TopLists,
    "units": Units,
}
