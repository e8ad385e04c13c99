"""Gain and lift."""

from __future__ import annotations

import polars as pl

from steelyard.curves.falling import Falling
from steelyard.kernels.means import ratio
from steelyard.states import Scored


def gain_and_lift(scored: Scored) -> pl.DataFrame:
    """How many of the buyers you reach by calling only the most promising part of the list.

    One row per distinct score, thresholds falling; the first stands at infinity, where nothing is taken.
    ``taken`` is the share of rows with ``score >= threshold``, ``found`` the share of positives among them,
    ``lift = found / taken`` how many times better than chance that is (NaN at infinity). Without a positive
    the frame is empty; where rows are in segments there is one curve per segment.

    Examples
    --------
    One positive in four, in second place: half the rows find all of it, twice what chance would find

    >>> from steelyard.curves import scored
    >>> frame = gain_and_lift(scored([0, 1, 0, 0], [0.9, 0.8, 0.7, 0.1]))
    >>> frame.select("taken", "found", "lift").row(2)
    (0.5, 1.0, 2.0)
    """
    falling = Falling.of(scored, both_classes=False)
    taken, found = falling.share(falling.taken), falling.share(falling.positives)
    return falling.frame(scored, taken=taken, found=found, lift=ratio(found, taken))
