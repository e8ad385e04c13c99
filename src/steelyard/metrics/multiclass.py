"""Probabilities of several classes: what the metrics of clicks mean there."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats
from steelyard.engine.classified import Classified
from steelyard.engine.precision import Precision
from steelyard.kernels.means import ratio
from steelyard.messages import Message, say
from steelyard.messages.errors import measuring

Clip: TypeAlias = float | Literal["epsilon"] | None


def multiclass_logloss(classified: Classified, clip: Clip) -> Floats:
    """``-mean ln p`` of each segment, in nats, ``p`` being the probability of the right class."""
    return ratio(classified.total(class_losses(classified, clip)), classified.total())


def class_losses(classified: Classified, clip: Clip) -> Floats:
    """``-ln`` of the probability of each row's right class, clipped from below."""
    given = right_probability(classified)
    least = least_probability(clip, checked_probability(classified, "logloss").dtype.name)
    with np.errstate(divide="ignore"):
        return 0.0 - np.log(np.maximum(given, least))  # no -0.0


def least_probability(clip: Clip, precision: Precision) -> float:
    """From where on probabilities are clipped: a number, or the machine epsilon of their precision."""
    return float(np.finfo(precision).eps) if clip == "epsilon" else float(clip or 0.0)


def right_probability(classified: Classified, metric: str = "logloss") -> Floats:
    """The probability given to the right class of each row."""
    given = checked_probability(classified, metric)
    right: Floats = given[np.arange(classified.n_rows), classified.truth].astype(np.float64)
    return right


def checked_probability(classified: Classified, metric: str) -> NDArray[Any]:
    """A probability for each row and class, without which a metric has no meaning."""
    if classified.probability is None:
        raise measuring.needs(metric, "probabilities")
    return classified.probability


def absent_notes(label: str, slices: int, of: int) -> list[Message]:
    """Said where a metric leaves out classes without rows, in so many of its segments."""
    if not slices:
        return []
    if of > 1:
        return [
            say(
                "{metric}: a class without a row in the truth is left out in {slices:,} slices.",
                key="absent_classes",
                metric=label,
                slices=slices,
            )
        ]
    said = say(
        "{metric}: a class without a row in the truth is left out.", key="absent_classes", metric=label
    )
    return [said]
