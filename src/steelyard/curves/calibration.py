"""The calibration curve, with a band for chance."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arguments import is_one_of
from steelyard.arrays import Floats
from steelyard.curves.falling import tidy
from steelyard.curves.options import whole
from steelyard.engine.binned import ByScore
from steelyard.messages.errors import asking, measuring
from steelyard.metrics.ece import MOST_BINS, bin_sums

Binning = Literal["mass", "width"]

_BINNING = ("mass", "width")
_Z = 1.959963984540054  # 95 %, two sides


def calibration(scored: ByScore, bins: int = 15, binning: Binning = "mass") -> pl.DataFrame:
    """Whether things said to be 10 % likely happen one time in ten.

    Rows are put into bins by their probability: ``mass`` makes bins of equal weight, equal scores never
    split; ``width`` bins of equal width from 0 to 1, each with its upper border (the bins of ``ece``). Bins
    without rows are left out. ``low`` and ``high`` are the lowest and highest score of a bin (``mass``) or
    its edges (``width``), ``n`` its rows, ``weight`` their weight, ``mean_score`` what was said and
    ``mean_label`` what happened.

    ``wilson_low`` and ``wilson_high`` are the 95 % Wilson score interval of ``mean_label``. Its count is
    ``(Σw)² / Σw²``, the effective number of rows (Kish): n where all weights are equal. So a weight says how
    much a row stands for; it does not make n copies of it, and bands do not narrow by scaling weights.

    Examples
    --------
    Two bins: of the two rows near 0.2 one was clicked, of the two near 0.8 both

    >>> from steelyard.curves import scored
    >>> frame = calibration(scored([0.1, 0.3, 0.7, 0.9], [0, 1, 1, 1]), bins=2)
    >>> frame.select("bin", "low", "high", "n", "mean_score", "mean_label").rows()
    [(0, 0.1, 0.3, 2, 0.2, 0.5), (1, 0.7, 0.9, 2, 0.8, 1.0)]

    With z = 1.96, one of two: 1/2 ± z/(1 + z²/2)·√(1/8 + z²/16)

    >>> frame.select("wilson_low", "wilson_high").row(0)
    (0.0945, 0.9055)
    """
    bins = whole("calibration", "bins", bins, above=0, at_most=MOST_BINS)
    _check(scored.score, binning)
    found = bin_sums(scored, bins, binning)
    mean_label = np.clip(found.happened / found.weight, 0.0, 1.0)
    count, squares = found.rows(scored)
    low, high = found.edges(scored, bins, binning)
    wilson_low, wilson_high = wilson(mean_label, found.weight * found.weight / squares)
    return tidy(
        scored,
        found.segment,
        bin=found.place,
        low=low,
        high=high,
        n=count.astype(np.int64),
        weight=found.weight,
        mean_score=found.said / found.weight,
        mean_label=mean_label,
        wilson_low=wilson_low,
        wilson_high=wilson_high,
    )


def wilson(share: Floats, n: Floats) -> tuple[Floats, Floats]:
    """The 95 % score interval (Wilson 1927) of a share of ``n``.

    Ten of ten: the lower end is n / (n + z²) = 10 / 13.84

    >>> wilson(np.array([1.0]), np.array([10.0]))
    (array([0.7225]), array([1.]))
    """
    z2 = _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * np.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # the interval holds the share itself, whatever rounding does
    return np.clip(middle - half, 0.0, share), np.clip(middle + half, share, 1.0)


def _check(score: NDArray[Any], binning: str) -> None:
    if not is_one_of(binning, _BINNING):
        raise asking.bad_choice("calibration", "binning", binning, _BINNING)
    if len(score) and (score.min() < 0 or score.max() > 1):
        at = int(np.flatnonzero((score < 0) | (score > 1))[0])
        raise measuring.not_a_probability(
            "calibration", at, float(score[at]), float(score.min()), float(score.max())
        )
