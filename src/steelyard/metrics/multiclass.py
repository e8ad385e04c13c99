"""Probabilities of several classes: what the metrics of clicks mean there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from operator import attrgetter
from typing import Literal, NamedTuple

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.kernels.means import ratio
from steelyard.messages import Message, say
from steelyard.messages.errors import measuring_classes
from steelyard.metrics.labelled import of_moves
from steelyard.states import Classified, Scored
from steelyard.states.influence import Influence

MulticlassAverage = Literal["ovr_macro", "ovr_weighted", "ovo_macro"]

MULTICLASS_AVERAGES = {
    "ovr_macro": "each class against the rest, then the plain mean over classes",
    "ovr_weighted": "each class against the rest, then the mean by the classes' share of the rows",
    "ovo_macro": "each two classes against each other, both ways, then the mean (Hand and Till 2001)",
}


def multiclass_logloss(classified: Classified, clip: float | None) -> Floats:
    """``-mean ln p`` of each segment, in nats, ``p`` being the probability of the right class."""
    return ratio(classified.total(class_losses(classified, clip)), classified.total())


def class_losses(classified: Classified, clip: float | None) -> Floats:
    """``-ln`` of the probability of each row's right class, clipped from below."""
    with np.errstate(divide="ignore"):
        return 0.0 - np.log(np.maximum(right_probability(classified), clip or 0.0))  # no -0.0


def right_probability(classified: Classified) -> Floats:
    """The probability given to the right class of each row."""
    if classified.probability is None:
        raise measuring_classes.needs("logloss", "probabilities")
    right: Floats = classified.probability[np.arange(classified.n_rows), classified.truth].astype(np.float64)
    return right


class ClassCurve(NamedTuple):
    """The area under one curve in each segment, NaN where there is none, and how much it weighs.

    ``at`` is the class, or the two of them.
    """

    at: tuple[int, ...]
    area: Floats
    weight: Floats


def multiclass_auc(
    classified: Classified,
    average: MulticlassAverage,
    area: Callable[[Scored], Floats] = attrgetter("auc"),
) -> Floats:
    """The mean area under the ROC curves of each segment.

    A class without a row in the segment has no curve and is left out; with fewer than two classes the
    value is undefined. ``area`` gives the area of one curve.
    """
    total, weight = np.zeros(classified.n_segments), np.zeros(classified.n_segments)
    for curve in class_curves(classified, average, area):
        defined = ~np.isnan(curve.area)
        total[defined] += (curve.area * curve.weight)[defined]
        weight[defined] += curve.weight[defined]
    return ratio(total, weight)


def multiclass_influence(
    classified: Classified,
    average: MulticlassAverage,
    area: Callable[[Scored], Floats],
    row_moves: Callable[[Scored, Floats], Floats],
    values: Floats,
) -> Influence:
    """That of a mean of curves: the mean of their influences, and what rows of a class add to its weight."""
    n, segments = len(classified.classes), classified.segments
    curves: list[tuple[Scored, Ints | slice, float]] = []
    if average == "ovo_macro":
        for one, other in permutations(range(n), 2):
            there = np.flatnonzero((classified.truth == one) | (classified.truth == other))
            curves.append((classified.one_against_other(one, other), there, 0.5))
    else:
        curves += [(classified.one_against_rest(at), slice(None), 1.0) for at in range(n)]
    total, moves = np.zeros(classified.n_segments), np.zeros(classified.n_rows)
    for scored, kept, part in curves:
        found = area(scored)
        weighted = average == "ovr_weighted"
        weight = scored.positives if weighted else np.full(classified.n_segments, part)
        weight = np.where(np.isnan(found), 0.0, weight)
        total += weight
        at = segments[kept]
        moves[kept] += np.where(weight[at] > 0, weight[at] * row_moves(scored, found), 0.0)
        if weighted:
            moves[kept] += np.where(weight[at] > 0, (found - values)[at] * scored.label, 0.0)
    return of_moves(classified, ratio(moves, total[segments]))


def class_curves(
    classified: Classified,
    average: MulticlassAverage,
    area: Callable[[Scored], Floats] = attrgetter("auc"),
) -> Iterator[ClassCurve]:
    """Each class against the rest, or each two against each other, both ways."""
    if classified.probability is None:
        raise measuring_classes.needs("auc", "probabilities")
    n, ones = len(classified.classes), np.ones(classified.n_segments)
    if average == "ovo_macro":
        for one, other in combinations(range(n), 2):
            there = area(classified.one_against_other(one, other))
            back = area(classified.one_against_other(other, one))
            yield ClassCurve((one, other), (there + back) / 2, ones)
        return
    for at in range(n):
        scored = classified.one_against_rest(at)
        yield ClassCurve((at,), area(scored), scored.positives if average == "ovr_weighted" else ones)


def absent_classes(classified: Classified) -> int:
    """In how many segments with rows some class has none."""
    seen = classified.counts.support > 0
    return int((seen.any(axis=1) & ~seen.all(axis=1)).sum())


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
