"""Calibration error by bins."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.conventions import choice, number
from steelyard.kernels.means import segment_sum
from steelyard.metrics.base import Direction
from steelyard.metrics.registry import register
from steelyard.metrics.row import Needs, RowMetric
from steelyard.states import Classified, Scored

MOST_BINS = 1_000_000


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class BinnedCalibration(RowMetric):
    """What the binned calibration errors share: the gap between mean label and mean probability by bin."""

    bins: int = number(default=15, meaning="how many bins", above=0, at_most=MOST_BINS, whole=True)
    binning: Literal["mass", "width"] = choice(
        default="mass",
        meaning={
            "mass": "bins of equal weight; equal scores are never split",
            "width": "bins of equal width from 0 to 1; a bin owns its upper border, the first one 0 too",
        },
    )

    needs: ClassVar[Needs] = "probability"
    direction: ClassVar[Direction] = "lower"
    always_told: ClassVar[tuple[str, ...]] = ("bins", "binning")
    undefined_when: ClassVar[str] = "there is no row"

    def per_class_segment(self, classified: Classified) -> Floats:
        """With several classes: how sure the most probable class was, and how often it was right."""
        return self.per_segment(classified.top_label())

    def gaps(self, scored: Scored) -> tuple[Floats, Floats, Ints]:
        """Of each bin with weight its share of the segment's, the gap, and the segment."""
        table = scored.table
        weight = table.positives + table.negatives
        total = segment_sum(weight, table.owner, scored.n_segments)
        owner, _, of_entry = table.in_bins(self.bins, self.binning)
        inside, happened, said = (
            segment_sum(part, of_entry, len(owner))
            for part in (weight, table.positives, weight * table.score)
        )
        used = inside > 0
        owner, inside = owner[used], inside[used]
        return inside / total[owner], np.abs(happened[used] / inside - said[used] / inside), owner


@register("ece", zh="期望校准误差")
class ECE(BinnedCalibration):
    """How far predicted probabilities are from what happened, on average over bins.

    ``Σ (n_bin / n)·|mean y - mean p|``. Undefined without rows.

    Examples
    --------
    One bin: the mean label is 1/2, the mean probability 0.6

    >>> ECE(bins=1).of([1, 0], [0.8, 0.4])
    0.1
    """

    def per_segment(self, scored: Scored) -> Floats:
        share, gap, owner = self.gaps(scored)
        value = segment_sum(share * gap, owner, scored.n_segments)
        return np.where(scored.total() > 0, value, np.nan)


@register("mce", zh="最大校准误差")
class MCE(BinnedCalibration):
    """How far predicted probabilities are from what happened in the worst bin.

    The largest ``|mean y - mean p|`` of all bins. Undefined without rows.

    Examples
    --------
    >>> MCE(bins=2, binning="width").of([1, 0], [0.8, 0.4])
    0.4
    """

    def per_segment(self, scored: Scored) -> Floats:
        _, gap, owner = self.gaps(scored)
        worst = np.zeros(scored.n_segments)
        np.maximum.at(worst, owner, gap)
        return np.where(scored.total() > 0, worst, np.nan)
