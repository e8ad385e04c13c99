"""Several tests at once: p-values corrected for how many there are."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Floats

Correction = Literal["holm", "bonferroni", "bh", "none"]


def corrected(p: Floats, correction: Correction) -> Floats:
    """The p-values of one family of tests, corrected; NaN stays NaN and counts as no test.

    ``holm`` and ``bonferroni`` bound the chance of one false alarm or more, ``bh`` (Benjamini and Hochberg)
    the share of false ones among the alarms.

    >>> p = np.array([0.01, 0.04, np.nan, 0.03, 0.005])
    >>> corrected(p, "holm")
    array([0.03, 0.06,  nan, 0.06, 0.02])
    >>> corrected(p, "bh")
    array([0.02, 0.04,  nan, 0.04, 0.02])
    """
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    rising, n = p[order], len(order)
    rank = np.arange(1, n + 1)
    if correction == "bonferroni":
        rising = n * rising
    elif correction == "holm":
        rising = np.maximum.accumulate((n - rank + 1) * rising)
    elif correction == "bh":
        rising = np.minimum.accumulate((n * rising / rank)[::-1])[::-1]
    found = np.full(p.shape, np.nan)
    found[order] = np.minimum(rising, 1.0)
    return found
