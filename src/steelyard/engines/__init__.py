"""Where the work is done; here, on this machine."""

from __future__ import annotations

from steelyard.engines.local import Local, Ranking

__all__ = ["Local", "Ranking"]
