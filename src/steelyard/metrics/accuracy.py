"""Accuracy."""

from __future__ import annotations

from typing import ClassVar

from steelyard.arrays import Flags, Floats
from steelyard.kernels.means import ratio
from steelyard.metrics.classes import ThresholdMetric
from steelyard.metrics.registry import register
from steelyard.states import Classified, Counts


@register("accuracy", zh="准确率")
class Accuracy(ThresholdMetric):
    """What share of rows was called by its right class.

    ``right / rows``. Where a row has several labels, it is right when all of them are. Undefined without
    rows.

    Examples
    --------
    Two of three are right:

    >>> Accuracy().of(["cat", "dog", "dog"], ["cat", "cat", "dog"])
    0.6666666666666666

    With one positive in a hundred, calling all negative looks good:

    >>> Accuracy().of_counts(tp=0, fp=0, fn=1, tn=99)
    0.99
    """

    undefined_when: ClassVar[str] = "there is no row"

    def value(self, counts: Counts) -> Floats:
        return ratio(counts.tp.sum(axis=1), counts.support.sum(axis=1))

    def per_segment(self, classified: Classified) -> Floats:
        if classified.one_label:
            return self.value(classified.counts)
        return ratio(classified.total(self.all_right(classified)), classified.total())

    def all_right(self, classified: Classified) -> Flags:
        """Which rows of several labels have all of them right."""
        right: Flags = (classified.truth == classified.called).all(axis=1)
        return right
