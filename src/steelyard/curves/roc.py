"""The ROC curve."""

from __future__ import annotations

import polars as pl

from steelyard.curves.falling import Falling
from steelyard.states import Scored


def roc(scored: Scored) -> pl.DataFrame:
    """How many good rows you catch for the bad ones you let in, as you lower the bar.

    One row per distinct score, thresholds falling; the first stands at infinity, where nothing is taken.
    ``tpr`` is the share of positives with ``score >= threshold``, ``fpr`` that of negatives; ``positives``
    and ``negatives`` are their weights. Rows joined by straight lines have exactly the area ``auc``. With
    one class only the curve is undefined and the frame is empty; where rows are in segments there is one
    curve per segment, named in a column ``segment``.

    Examples
    --------
    Two positives, two negatives; 0.5 is a tie of one each:

    >>> from steelyard.curves import scored
    >>> roc(scored([1, 1, 0, 0], [0.8, 0.5, 0.5, 0.1])).select("threshold", "fpr", "tpr").rows()
    [(inf, 0.0, 0.0), (0.8, 0.0, 0.5), (0.5, 0.5, 1.0), (0.1, 1.0, 1.0)]
    """
    falling = Falling.of(scored, both_classes=True)
    return falling.frame(
        scored,
        fpr=falling.share(falling.negatives),
        tpr=falling.share(falling.positives),
        positives=scored.shown(falling.positives, falling.segment),
        negatives=scored.shown(falling.negatives, falling.segment),
    )
