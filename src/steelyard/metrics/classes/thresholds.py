"""Where to put a threshold: the best one for a metric, and what a wanted recall costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arguments import number_of
from steelyard.arrays import Floats
from steelyard.engine.classified import Counts
from steelyard.engine.columns import BINARY
from steelyard.engine.rows import scored_arrays
from steelyard.engine.scored import Scored
from steelyard.kernels.means import ratio
from steelyard.metrics.classes.base import ThresholdMetric
from steelyard.metrics.registry import parse
from steelyard.read.sources import predictions_first
from steelyard.text import say
from steelyard.text.errors import measuring
from steelyard.text.errors.forms import must_be


class BestThreshold(NamedTuple):
    """A threshold and the value of the metric there."""

    threshold: float
    value: float


class PrecisionAtRecall(NamedTuple):
    """The best precision that still reaches a recall, the recall it has, and its threshold."""

    precision: float
    recall: float
    threshold: float


@predictions_first
def best_threshold(
    metric: ThresholdMetric | str,
    predictions: ArrayLike,
    truth: ArrayLike,
    weights: ArrayLike | None = None,
) -> BestThreshold:
    """The threshold at which a metric is best, tried at every distinct score.

    Infinity is tried too (nothing is positive), and minus infinity for a ``strict`` metric (everything is).
    Of equally good thresholds the highest wins. The result is NaN if the metric is undefined at all of them.
    The metric's own ``threshold`` does not matter, its ``strict`` does.

    >>> best_threshold("f1", [0.9, 0.6, 0.7, 0.1], [1, 1, 0, 0])
    BestThreshold(threshold=0.6, value=0.8)

    Where the positive stands last, it is best to call nothing positive:

    >>> best_threshold("accuracy", [0.2, 0.3, 0.9, 0.1], [0, 0, 0, 1])
    BestThreshold(threshold=inf, value=0.75)
    """
    asked = parse(metric)[0].metric if isinstance(metric, str) else metric
    if not isinstance(asked, ThresholdMetric):
        raise measuring.no_threshold(metric=str(asked))
    if type(asked).value is ThresholdMetric.value:
        raise measuring.not_one_number(metric=str(asked))
    rows = scored_arrays(str(asked), predictions, truth, weights)
    if asked.scores == "float32":
        rows = rows.in_single()
    threshold, counts = _sweep(rows, strict=asked.strict)
    values = asked.value(counts)
    if values.ndim != 1:
        raise measuring.not_one_number(metric=str(asked))
    at = _best(-values if asked.direction == "lower" else values)
    return (
        BestThreshold(np.nan, np.nan)
        if at is None
        else BestThreshold(float(threshold[at]), float(values[at]))
    )


@predictions_first
def precision_at_recall(
    predictions: ArrayLike, truth: ArrayLike, recall: float, weights: ArrayLike | None = None
) -> PrecisionAtRecall:
    """The best precision of all thresholds that find at least the wanted share of the positives.

    Of equally good thresholds the highest counts; NaN without a positive.

    >>> precision_at_recall([0.9, 0.6, 0.7, 0.1], [1, 1, 0, 0], recall=0.8)
    PrecisionAtRecall(precision=0.6666666666666666, recall=1.0, threshold=0.6)
    """
    wanted = number_of(recall)
    if wanted is None or not 0 < wanted <= 1:
        raise must_be("recall", say("above 0 and at most 1"), recall)
    scored = scored_arrays("precision_at_recall", predictions, truth, weights)
    threshold, counts = _sweep(scored, strict=False)
    positive = counts.only(1)
    reached = ratio(positive.tp, positive.support)
    precision = ratio(positive.tp, positive.tp + positive.fp)
    at = _best(np.where(reached >= wanted, precision, np.nan))
    if at is None:
        return PrecisionAtRecall(np.nan, np.nan, np.nan)
    return PrecisionAtRecall(float(precision[at]), float(reached[at]), float(threshold[at]))


def _sweep(scored: Scored, *, strict: bool) -> tuple[Floats, Counts]:
    """Every distinct score and an infinity as rising thresholds, and the counts of both classes there."""
    if scored.weight is not None:  # the score of a row of weight 0 is no threshold
        kept = scored.weight > 0
        scored = Scored.of(scored.label[kept], scored.score[kept], weight=scored.weight[kept])
    table = scored.table
    # one cut before each score and one after the last: a strict threshold is the score below the cut
    threshold = np.append(-np.inf, table.score) if strict else np.append(table.score, np.inf)
    below_p, below_n = (np.append(0.0, np.cumsum(part)) for part in (table.positives, table.negatives))
    # summed from above, so that an empty sum is exactly 0
    tp, fp = (np.append(np.cumsum(part[::-1])[::-1], 0.0) for part in (table.positives, table.negatives))
    # without rows there is no threshold; an infinite score equals the added infinity
    differs = threshold[1:] != threshold[:-1]  # from its neighbour on the side of the rows
    kept = np.append(differs, True) if strict else np.append(True, differs)
    kept &= len(table.score) > 0
    threshold, below_p, below_n, tp, fp = (part[kept] for part in (threshold, below_p, below_n, tp, fp))
    right, missed, false = (np.stack(pair, axis=1) for pair in ((below_n, tp), (fp, below_p), (below_p, fp)))
    return threshold, Counts(
        tp=right,
        fp=false,
        fn=missed,
        tn=right[:, ::-1],
        exists=(right + missed + false) > 0,
        classes=BINARY,
    )


def _best(values: Floats) -> int | None:
    if np.isnan(values).all():
        return None
    return int(np.flatnonzero(values == np.nanmax(values))[-1])
