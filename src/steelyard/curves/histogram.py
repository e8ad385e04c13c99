"""Where the scores lie, by label."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.curves.falling import tidy, weighs
from steelyard.curves.options import whole
from steelyard.engine.binned import ByScore
from steelyard.kernels.means import segment_sum
from steelyard.metrics.ece import MOST_BINS

MOST_ROWS = 25_000_000  # of a frame: every segment has every bin


def score_histogram(scored: ByScore, bins: int = 50) -> pl.DataFrame:
    """Where the model puts good rows and bad ones: the less they overlap, the better it tells them apart.

    ``bins`` bins of equal width from the lowest score to the highest (``scale`` ``linear``); where all scores
    are probabilities also bins of equal width in log10, from the lowest score above 0 (``scale`` ``log10``),
    with zeros in the first bin. ``positives`` and ``negatives`` are the weights of rows with
    ``low <= score < high``; the last bin holds its upper edge. One bin where all scores are equal; infinite
    scores stand in the outer bins. Segments share their bins. Empty without rows.

    Examples
    --------
    >>> from steelyard.curves import scored
    >>> frame = score_histogram(scored([-1.0, 0.0, 0.5, 3.0], [0, 0, 1, 1]), bins=2)
    >>> frame.rows()
    [('linear', 0, -1.0, 1.0, 1.0, 2.0), ('linear', 1, 1.0, 3.0, 1.0, 0.0)]
    """
    most = max(MOST_ROWS // max(scored.n_segments, 1), 1)
    bins = whole("score_histogram", "bins", bins, above=0, at_most=min(most, MOST_BINS))
    score = scored.table.score[weighs(scored.table)]
    finite = score[np.isfinite(score)]
    frames = [_counts(scored, "linear", _edges(score, finite, bins))]
    above = finite[finite > 0]
    if len(above) and score.min() >= 0 and score.max() <= 1:
        edges = 10.0 ** _between(np.log10(above.min()), np.log10(above.max()), bins)
        edges[0], edges[-1] = score.min() if score.min() == 0 else above.min(), above.max()
        frames.append(_counts(scored, "log10", np.maximum.accumulate(edges)))
    return pl.concat(frames)


def _edges(score: Floats, finite: Floats, bins: int) -> Floats:
    if not len(score):
        return np.zeros(0)
    if not len(finite):
        return np.array([score.min(), score.max()])
    edges = _between(float(finite.min()), float(finite.max()), bins)
    edges[0], edges[-1] = score.min(), score.max()
    return edges


def _between(low: float, high: float, bins: int) -> Floats:
    part = np.arange(bins + 1) / bins if high > low else np.array([0.0, 1.0])
    edges = low * (1 - part) + high * part  # no difference that could overflow
    edges[0], edges[-1] = low, high
    return np.maximum.accumulate(edges)


def _counts(scored: ByScore, scale: str, edges: Floats) -> pl.DataFrame:
    table = scored.table
    edges = table.rounded(edges)
    kept = weighs(table)
    bins = max(len(edges) - 1, 0)
    place = np.clip(np.searchsorted(edges, table.score[kept], side="right") - 1, 0, max(bins - 1, 0))
    code = table.owner[kept] * bins + place
    n_segments = scored.n_segments if bins else 0
    size = n_segments * bins
    at = np.tile(np.arange(bins), n_segments)
    segment = np.repeat(np.arange(n_segments), bins)
    frame = tidy(
        scored,
        segment,
        bin=at,
        low=edges[at],
        high=edges[at + 1],
        positives=segment_sum(table.positives[kept], code, size),
        negatives=segment_sum(table.negatives[kept], code, size),
    )
    columns = [name for name in frame.columns if name != "segment"]
    front = [name for name in frame.columns if name == "segment"]
    return frame.select(*front, pl.lit(scale).alias("scale"), *columns)
