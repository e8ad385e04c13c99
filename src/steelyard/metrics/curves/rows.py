"""The curves of rows: all are read from the distinct scores, or from bins of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from steelyard.arguments import is_one_of, number_of, whole_of
from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.kept import ByScore
from steelyard.engine.rows import scored_arrays
from steelyard.engine.scored import Scored, ScoreTable
from steelyard.kernels.means import ratio, running_sums, segment_sum
from steelyard.metrics.rows.ece import MOST_BINS, bin_sums
from steelyard.read.sources import predictions_first
from steelyard.text import say
from steelyard.text.errors import asking, measuring
from steelyard.text.errors.forms import number_in

_LONGEST_LIST = 10**15


def whole(owner: str, name: str, value: float, *, above: int, at_most: int | None = None) -> int:
    """A whole number greater than ``above`` and not beyond ``at_most``, or an error that says so.

    >>> whole("calibration", "bins", 15, above=0)
    15
    """
    number = whole_of(value)
    if number is None or number <= above or (at_most is not None and number > at_most):
        raise asking.bad_value(owner, name, value, number_in(whole=True, above=above, at_most=at_most))
    return number


def not_negative(owner: str, name: str, value: float) -> float:
    number = number_of(value)
    if number is None or not 0 <= number < math.inf:
        raise asking.bad_value(owner, name, value, say("0 or more"))
    return number


def cutoffs(owner: str, ks: Iterable[float]) -> list[int]:
    try:
        several = None if isinstance(ks, str | bytes) else list(ks)
    except TypeError:
        several = None
    if several is None:
        raise asking.bad_value(owner, "ks", ks, say("a list of whole numbers above 0"))
    return [whole(owner, "k", k, above=0, at_most=_LONGEST_LIST) for k in several]


@predictions_first
def scored(predictions: ArrayLike, truth: ArrayLike, *, weights: ArrayLike | None = None) -> Scored:
    """Scores with their labels of 0 and 1, ready for every curve of rows.

    >>> scored([0.9, 0.2], [1, 0]).n_rows
    2
    """
    return scored_arrays("scored", predictions, truth, weights)


@dataclass(frozen=True, kw_only=True)
class Falling:
    """Thresholds from infinity down, by segment, and the weight of each class at or above them."""

    segment: Ints
    threshold: Floats
    positives: Floats
    negatives: Floats

    @classmethod
    def of(cls, scored: ByScore, *, both_classes: bool) -> Falling:
        """One entry at infinity and one per distinct score, for segments with a positive (and a negative)."""
        table = scored.table
        defined = table.total_positives > 0
        if both_classes:
            defined &= table.total_negatives > 0
        kept = np.flatnonzero(weighs(table) & defined[table.owner])
        owner = table.owner[kept]
        # within each segment from the last entry to the first
        first, last = np.searchsorted(owner, owner), np.searchsorted(owner, owner, side="right")
        place = np.arange(len(owner)) - first
        at, start = kept[last - 1 - place], np.flatnonzero(place == 0)
        negatives = np.maximum(table.negatives[at], 0.0)  # a difference that rounding may leave just below 0
        return cls(
            segment=np.insert(owner, start, owner[start]),
            threshold=np.insert(table.score[at].astype(np.float64), start, np.inf),
            positives=np.insert(running_sums(table.positives[at].astype(np.float64), place), start, 0.0),
            negatives=np.insert(running_sums(negatives, place), start, 0.0),
        )

    @cached_property
    def taken(self) -> Floats:
        return self.positives + self.negatives

    def share(self, part: Floats) -> Floats:
        """``part`` as a share of its last value in the segment."""
        last = np.searchsorted(self.segment, self.segment, side="right") - 1
        return ratio(part, part[last])


def tidy(scored: ByScore, segment: Ints, **columns: NDArray[Any]) -> pl.DataFrame:
    """Columns as a frame, with the segment in front if rows are in segments."""
    front = {"segment": segment} if scored.sliced else {}
    return pl.DataFrame({**front, **columns})


def weighs(table: ScoreTable) -> Flags:
    return table.positives + table.negatives > 0


def roc(scored: ByScore) -> pl.DataFrame:
    """How many good rows you catch for the bad ones you let in, as you lower the bar.

    One row per distinct score, thresholds falling; the first stands at infinity, where nothing is taken.
    ``tpr`` is the share of positives with ``score >= threshold``, ``fpr`` that of negatives; ``positives``
    and ``negatives`` are their weights. Rows joined by straight lines have exactly the area ``auc``. With
    one class only the curve is undefined and the frame is empty; where rows are in segments there is one
    curve per segment, named in a column ``segment``.

    Two positives, two negatives; 0.5 is a tie of one each:

    >>> from steelyard.metrics.curves import scored
    >>> roc(scored([0.8, 0.5, 0.5, 0.1], [1, 1, 0, 0])).select("threshold", "fpr", "tpr").rows()
    [(inf, 0.0, 0.0), (0.8, 0.0, 0.5), (0.5, 0.5, 1.0), (0.1, 1.0, 1.0)]
    """
    falling = Falling.of(scored, both_classes=True)
    return tidy(
        scored,
        falling.segment,
        threshold=falling.threshold,
        fpr=falling.share(falling.negatives),
        tpr=falling.share(falling.positives),
        positives=falling.positives,
        negatives=falling.negatives,
    )


def precision_recall(scored: ByScore) -> pl.DataFrame:
    """How clean your picks stay as you pick up more of everything worth having.

    One row per distinct score, thresholds falling: of the rows with ``score >= threshold``, ``precision`` is
    the share that is positive; ``recall`` is the share of all positives among them. ``base_rate`` is the
    precision of taking every row. The area of the steps ``(recall - recall before)·precision`` is exactly
    ``pr_auc``. There is no row at recall 0, where precision is undefined. Without a positive the frame is
    empty; where rows are in segments there is one curve per segment.

    The positives come first and third of four:

    >>> from steelyard.metrics.curves import scored
    >>> frame = precision_recall(scored([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0]))
    >>> frame["recall"].to_list(), frame["precision"].to_list()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.6666666666666666, 0.5])
    """
    falling = Falling.of(scored, both_classes=False)
    drawn = falling.taken > 0
    precision = ratio(falling.positives, falling.taken)[drawn]
    segment = falling.segment[drawn]
    last = np.searchsorted(segment, segment, side="right") - 1
    return tidy(
        scored,
        segment,
        threshold=falling.threshold[drawn],
        recall=falling.share(falling.positives)[drawn],
        precision=precision,
        base_rate=precision[last],
    )


def gain_and_lift(scored: ByScore) -> pl.DataFrame:
    """How many of the buyers you reach by calling only the most promising part of the list.

    One row per distinct score, thresholds falling; the first stands at infinity, where nothing is taken.
    ``taken`` is the share of rows with ``score >= threshold``, ``found`` the share of positives among them,
    ``lift = found / taken`` how many times better than chance that is (NaN at infinity). Without a positive
    the frame is empty; where rows are in segments there is one curve per segment.

    One positive in four, in second place: half the rows find all of it, twice what chance would find

    >>> from steelyard.metrics.curves import scored
    >>> frame = gain_and_lift(scored([0.9, 0.8, 0.7, 0.1], [0, 1, 0, 0]))
    >>> frame.select("taken", "found", "lift").row(2)
    (0.5, 1.0, 2.0)
    """
    falling = Falling.of(scored, both_classes=False)
    taken, found = falling.share(falling.taken), falling.share(falling.positives)
    lift = ratio(found, taken)
    return tidy(scored, falling.segment, threshold=falling.threshold, taken=taken, found=found, lift=lift)


Binning = Literal["mass", "width"]

_BINNING = ("mass", "width")
_Z = 1.959963984540054  # 95 %, two sides


def calibration(scored: ByScore, bins: int = 15, binning: Binning = "mass") -> pl.DataFrame:
    """Whether events predicted at 10 % happen one time in ten.

    Rows are put into bins by their probability: ``mass`` makes bins of equal weight, equal scores never
    split; ``width`` bins of equal width from 0 to 1, each with its upper border (the bins of ``ece``). Bins
    without rows are left out. ``low`` and ``high`` are the lowest and highest score of a bin (``mass``) or
    its edges (``width``), ``n`` its rows, ``weight`` their weight, ``mean_score`` the mean
    prediction and ``mean_label`` the mean label.

    ``wilson_low`` and ``wilson_high`` are the 95 % Wilson score interval of ``mean_label``. Its count is
    ``(Σw)² / Σw²``, the effective number of rows (Kish): n where all weights are equal. So a weight says how
    much a row stands for; it does not make n copies of it, and bands do not narrow by scaling weights.

    Two bins: of the two rows near 0.2 one was clicked, of the two near 0.8 both

    >>> from steelyard.metrics.curves import scored
    >>> frame = calibration(scored([0.1, 0.3, 0.7, 0.9], [0, 1, 1, 1]), bins=2)
    >>> frame.select("bin", "low", "high", "n", "mean_score", "mean_label").rows()
    [(0, 0.1, 0.3, 2, 0.2, 0.5), (1, 0.7, 0.9, 2, 0.8, 1.0)]

    With z = 1.96, one of two: 1/2 ± z/(1 + z²/2)·√(1/8 + z²/16)

    >>> frame.select("wilson_low", "wilson_high").row(0)
    (0.0945, 0.9055)
    """
    bins = whole("calibration", "bins", bins, above=0, at_most=MOST_BINS)
    score = scored.score
    if not is_one_of(binning, _BINNING):
        raise asking.bad_choice("calibration", "binning", binning, _BINNING)
    if len(score) and (score.min() < 0 or score.max() > 1):
        at = int(np.flatnonzero((score < 0) | (score > 1))[0])
        raise measuring.not_a_probability(
            "calibration", at, float(score[at]), float(score.min()), float(score.max())
        )
    sums = bin_sums(scored, bins, binning)
    mean_label = np.clip(sums.labels / sums.weight, 0.0, 1.0)
    count, squares = sums.rows(scored)
    low, high = sums.edges(scored, bins, binning)
    wilson_low, wilson_high = wilson(mean_label, sums.weight * sums.weight / squares)
    return tidy(
        scored,
        sums.segment,
        bin=sums.place,
        low=low,
        high=high,
        n=count.astype(np.int64),
        weight=sums.weight,
        mean_score=sums.predicted / sums.weight,
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


MOST_ROWS = 25_000_000  # of a frame: every segment has every bin


def score_histogram(scored: ByScore, bins: int = 50) -> pl.DataFrame:
    """Where the model puts good rows and bad ones: the less they overlap, the better it tells them apart.

    ``bins`` bins of equal width from the lowest score to the highest (``scale`` ``linear``); where all scores
    are probabilities also bins of equal width in log10, from the lowest score above 0 (``scale`` ``log10``),
    with zeros in the first bin. ``positives`` and ``negatives`` are the weights of rows with
    ``low <= score < high``; the last bin holds its upper edge. One bin where all scores are equal; infinite
    scores stand in the outer bins. Segments share their bins. Empty without rows.

    >>> from steelyard.metrics.curves import scored
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
    return tidy(
        scored,
        np.repeat(np.arange(n_segments), bins),
        scale=np.full(size, scale),
        bin=at,
        low=edges[at],
        high=edges[at + 1],
        positives=segment_sum(table.positives[kept], code, size),
        negatives=segment_sum(table.negatives[kept], code, size),
    )
