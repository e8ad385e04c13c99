"""The classes that a file may hold, each under a name that never changes."""

from __future__ import annotations

from steelyard.align import Encoded, EncodedGrid, Tally
from steelyard.align.coding import Doubled, Side
from steelyard.align.units import Units
from steelyard.ask import Profile, Request
from steelyard.conventions import Align, Rank
from steelyard.engines.call import Names
from steelyard.engines.lists import Lists
from steelyard.engines.rankings import Ranking
from steelyard.measure.certainty import Certainty
from steelyard.measure.intervals import Limits
from steelyard.measure.measured import Measured, TieRange
from steelyard.measure.readings import InSlice, Reading
from steelyard.metrics.asked import Asked
from steelyard.rank import Ranked
from steelyard.rank.ranked import Hits
from steelyard.read import Grid, Table
from steelyard.states import Classified, Rated, Scored
from steelyard.states.background import Background, History
from steelyard.states.binned import Binned, Gone, GroupValues
from steelyard.states.features import Features
from steelyard.states.influence import Influence
from steelyard.states.list_summary import ListSummary
from steelyard.states.score_table import ScoreTable
from steelyard.states.top_lists import TopLists
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
    "request": Request,
    "score table": ScoreTable,
    "scored": Scored,
    "side": Side,
    "table": Table,
    "tally": Tally,
    "tie range": TieRange,
    "top lists": TopLists,
    "units": Units,
}
