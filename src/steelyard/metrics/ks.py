"""The Kolmogorov-Smirnov statistic."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.kernels.means import ratio
from steelyard.metrics.registry import register
from steelyard.metrics.row import RowMetric
from steelyard.states import ScoredRows


@register("ks", zh="KS统计量")
class KS(RowMetric):
    """How far apart the best threshold keeps positives and negatives.

    The largest ``TPR - FPR`` over all thresholds, 0 at least. Undefined where only one class is there.

    Examples
    --------
    At 0.7 two of three positives are found and none of two negatives:

    >>> KS().of([1, 1, 0, 1, 0], [0.9, 0.7, 0.6, 0.5, 0.1])
    0.6666666666666666
    """

    undefined_when: ClassVar[str] = "only one class is there"

    def per_segment(self, scored: ScoredRows) -> Floats:
        table = scored.table
        owner, tpr, fpr = self.rates(scored)
        best = np.zeros(scored.n_segments)
        np.maximum.at(best, owner, np.nan_to_num(tpr - fpr))
        return np.where((table.total_positives > 0) & (table.total_negatives > 0), best, np.nan)

    def rates(self, scored: ScoredRows) -> tuple[Ints, Floats, Floats]:
        """For each distinct score its segment, and the share of both classes at that score or above."""
        table = scored.table
        owner, above_p, above_n = table.falling()
        tpr, fpr = ratio(above_p, table.total_positives[owner]), ratio(above_n, table.total_negatives[owner])
        return owner, tpr, fpr
