"""Probabilities of several classes: what the metrics of clicks mean there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from operator import attrgetter
from typing import Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.errors import classes as errors
from steelyard.kernels.means import ratio
from steelyard.states import Classified, Scored

MulticlassAverage = Literal["ovr_macro", "ovr_weighted", "ovo_macro"]

MULTICLASS_AVERAGES = {
    "ovr_macro": "each class against the rest, then the plain mean over classes",
    "ovr_weighted": "each class against the rest, then the mean by the classes' share of the rows",
    "ovo_macro": "each two classes against each other, both ways, then the mean (Hand and Till 2001)",
}


def multiclass_logloss(classified: Classified, clip: float | None) -> Floats:
    """``-mean ln p`` of each segment, in nats, ``p`` being the probability of the right class."""
    if classified.probability is None:
        raise errors.needs_probabilities("logloss")
    right = classified.probability[np.arange(classified.n_rows), classified.truth].astype(np.float64)
    with np.errstate(divide="ignore"):
        loss = -np.log(np.maximum(right, clip or 0.0))
    return ratio(classified.total(loss), classified.total())


def multiclass_auc(
    classified: Classified,
    average: MulticlassAverage,
    area: Callable[[Scored], Floats] = attrgetter("auc"),
) -> Floats:
    """The mean area under the ROC curves of each segment.

    A class without a row in the segment has no curve and is left out; with fewer than two classes the
    value is undefined. ``area`` gives the area of one curve.
    """
    if classified.probability is None:
        raise errors.needs_probabilities("auc")
    n = len(classified.classes)
    total, weight = np.zeros(classified.n_segments), np.zeros(classified.n_segments)
    if average == "ovo_macro":
        for one, other in combinations(range(n), 2):
            there = area(classified.one_against_other(one, other))
            back = area(classified.one_against_other(other, one))
            _add(total, weight, (there + back) / 2, np.ones(classified.n_segments))
        return ratio(total, weight)
    for at in range(n):
        scored = classified.one_against_rest(at)
        share = scored.positives if average == "ovr_weighted" else np.ones(classified.n_segments)
        _add(total, weight, area(scored), share)
    return ratio(total, weight)


def absent_classes(classified: Classified) -> int:
    """In how many segments with rows some class has none."""
    seen = classified.counts.support > 0
    return int((seen.any(axis=1) & ~seen.all(axis=1)).sum())


def _add(total: Floats, weight: Floats, value: Floats, share: Floats) -> None:
    defined = ~np.isnan(value)
    total[defined] += (value * share)[defined]
    weight[defined] += share[defined]
