"""Order once, ties by policy: what comes out is the hits with their places."""

from __future__ import annotations

from steelyard.rank.order import Counted, blocks, count, order_matters, settle, strength_of, touched_by_ties
from steelyard.rank.ranked import Hits, Ranked, TieGroups, best_first, places
from steelyard.rank.shown import ShownList, alone, rank_texts, with_zeros

__all__ = [
    "Counted",
    "Hits",
    "Ranked",
    "ShownList",
    "TieGroups",
    "alone",
    "best_first",
    "blocks",
    "count",
    "order_matters",
    "places",
    "rank_texts",
    "settle",
    "strength_of",
    "touched_by_ties",
    "with_zeros",
]
