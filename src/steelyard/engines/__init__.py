"""Where the work is done; here, on this machine."""

from __future__ import annotations

from steelyard.engines.lists import shown_lists
from steelyard.engines.local import Local, Ranking
from steelyard.engines.rows import LocalMatrices, LocalRows

__all__ = ["Local", "LocalMatrices", "LocalRows", "Ranking", "shown_lists"]
