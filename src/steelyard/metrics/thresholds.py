"""Where to put a threshold: the best one for a metric, and what a wanted recall costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arrays import Floats
from steelyard.errors import classes as errors
from steelyard.kernels.means import ratio
from steelyard.metrics.classes import ThresholdMetric
from steelyard.metrics.grammar import parse
from steelyard.metrics.row import binary, floats, weights_of
from steelyard.states import Counts, Scored
from steelyard.states.class_values import BINARY


class BestThreshold(NamedTuple):
    """A threshold and the value of the metric there."""

    threshold: float
    value: float


class PrecisionAtRecall(NamedTuple):
    """The best precision that still reaches a recall, the recall it has, and its threshold."""

    precision: float
    recall: float
    threshold: float


def best_threshold(
    metric: ThresholdMetric | str,
    labels: ArrayLike,
    scores: ArrayLike,
    weights: ArrayLike | None = None,
) -> BestThreshold:
    """The threshold at which a metric is best, tried at every distinct score.

    Of equally good thresholds the highest counts; NaN where the metric is undefined at all of them. The
    metric's own ``threshold`` does not matter, its ``strict`` does.

    >>> best_threshold("f1", [1, 1, 0, 0], [0.9, 0.6, 0.7, 0.1])
    BestThreshold(threshold=0.6, value=0.8)
    """
    asked = parse(metric)[0] if isinstance(metric, str) else metric
    if not isinstance(asked, ThresholdMetric) or type(asked).value is ThresholdMetric.value:
        raise errors.cannot_choose_threshold(str(asked))
    threshold, counts = _sweep(_scored(labels, scores, weights), strict=asked.strict)
    values = asked.value(counts)
    if values.ndim != 1:
        raise errors.cannot_choose_threshold(str(asked))
    at = _best(values if asked.higher_is_better else -values)
    return BestThreshold(np.nan, np.nan) if at is None else BestThreshold(*_plain(threshold[at], values[at]))


def precision_at_recall(
    labels: ArrayLike, scores: ArrayLike, recall: float, weights: ArrayLike | None = None
) -> PrecisionAtRecall:
    """The best precision of all thresholds that find at least the wanted share of the positives.

    Of equally good thresholds the highest counts; NaN without a positive.

    >>> precision_at_recall([1, 1, 0, 0], [0.9, 0.6, 0.7, 0.1], recall=0.8)
    PrecisionAtRecall(precision=0.6666666666666666, recall=1.0, threshold=0.6)
    """
    if not 0 < recall <= 1:
        raise errors.bad_recall(recall)
    threshold, counts = _sweep(_scored(labels, scores, weights), strict=False)
    positive = counts.only(1)
    reached = ratio(positive.tp, positive.support)
    precision = ratio(positive.tp, positive.tp + positive.fp)
    at = _best(np.where(reached >= recall, precision, np.nan))
    if at is None:
        return PrecisionAtRecall(np.nan, np.nan, np.nan)
    return PrecisionAtRecall(*_plain(precision[at], reached[at], threshold[at]))


def _scored(labels: ArrayLike, scores: ArrayLike, weights: ArrayLike | None) -> Scored:
    label, score = binary(np.asarray(labels)), floats(np.asarray(scores))
    if len(label) != len(score):
        raise errors.lengths_differ(len(label), len(score))
    weight = weights_of(weights, len(label))
    if weight is None:
        return Scored.of(label, score)
    kept = weight > 0
    return Scored.of(label[kept], score[kept], weight=weight[kept])


def _sweep(scored: Scored, *, strict: bool) -> tuple[Floats, Counts]:
    """Every distinct score as a threshold, rising, and the counts of both classes there."""
    table = scored.table
    below_p, below_n = table.below(table.positives), table.below(table.negatives)
    if strict:
        below_p, below_n = below_p + table.positives, below_n + table.negatives
    # what stands above is summed from above: nothing is left where there is nothing
    tp, fp = (_above(part, strict=strict) for part in (table.positives, table.negatives))
    right, missed, false = (np.stack(pair, axis=1) for pair in ((below_n, tp), (fp, below_p), (below_p, fp)))
    return table.score, Counts(
        tp=right,
        fp=false,
        fn=missed,
        tn=right[:, ::-1],
        exists=(right + missed + false) > 0,
        classes=BINARY,
    )


def _above(part: Floats, *, strict: bool) -> Floats:
    rising = np.cumsum(part[::-1])[::-1]
    return np.append(rising[1:], 0.0)[: len(part)] if strict else rising


def _best(values: Floats) -> int | None:
    """The last place of the largest value, NaN apart."""
    if np.isnan(values).all():
        return None
    return int(np.flatnonzero(values == np.nanmax(values))[-1])


def _plain(*values: np.float64) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
