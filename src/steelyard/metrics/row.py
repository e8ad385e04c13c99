"""Metrics of rows: one value per slice, straight from the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steelyard.arrays import UNFIT_OBJECT, Flags, Floats, Ints, array_of, numbers_of
from steelyard.kernels.group import distinct
from steelyard.messages import Message
from steelyard.messages.errors import measuring, measuring_classes, reading
from steelyard.metrics.labelled import LabelledMetric, filled
from steelyard.states import Class, Classified, Scored
from steelyard.states.class_values import is_null

Needs = Literal["score", "probability"]


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class RowMetric(LabelledMetric):
    """A metric of rows with a label and a score, such as clicks with predicted probabilities.

    A subclass gives ``per_segment``: a value for each slice, NaN where it is undefined.
    """

    needs: ClassVar[Needs] = "score"
    needs_groups: ClassVar[bool] = False

    def per_segment(self, scored: Scored) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define per_segment")

    def per_class_segment(self, classified: Classified) -> Floats:
        """The same for probabilities of several classes, where the metric has a meaning there."""
        raise measuring_classes.only_binary(metric=str(self))

    def measure(self, scored: Scored | Classified) -> Floats:
        """One value per segment, with undefined values as the convention says."""
        if isinstance(scored, Classified):
            return filled(self, self.per_class_segment(scored))
        return filled(self, self.per_segment(scored))

    def facts(self, rows: Scored | Classified, label: str = "") -> list[Message]:
        """What a reader should know beside the value; ``label`` is how the metric is called there."""
        label = label or str(self)
        return (
            self.class_facts(rows, label) if isinstance(rows, Classified) else self.score_facts(rows, label)
        )

    def score_facts(self, scored: Scored, label: str) -> list[Message]:
        """What a reader should know beside the value of labels and scores."""
        return []

    def class_facts(self, classified: Classified, label: str) -> list[Message]:
        """The same for probabilities of several classes."""
        return []

    def of(
        self,
        labels: ArrayLike,
        scores: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
        classes: Sequence[Class] | None = None,
    ) -> float:
        """The value for labels of 0 and 1 and their scores.

        For several classes, ``scores`` is a 2-D array of probabilities with a column per class, in the
        order of ``classes``.

        >>> from steelyard.metrics import AUC
        >>> AUC().of([1, 1, 0, 0], [0.8, 0.5, 0.5, 0.1])
        0.875
        """
        said = numbers_of("score", scores)
        if said.ndim == 2:
            return float(self.measure(self._classified(labels, said, weights, classes))[0])
        return float(self.measure(self._scored(labels, said, groups, weights))[0])

    def _classified(
        self,
        labels: ArrayLike,
        probability: NDArray[Any],
        weights: ArrayLike | None,
        classes: Sequence[Class] | None,
    ) -> Classified:
        truth = array_of("label", labels)
        if len(truth) != len(probability):
            raise measuring.counts_differ("scores", len(truth), len(probability))
        weight = weights_of(weights, len(truth))
        truth, probability, weight = self.labelled(truth, probability, weight)
        return Classified.of_probabilities(truth, probability, classes=classes, weight=weight)

    def _scored(
        self, labels: ArrayLike, scores: ArrayLike, groups: ArrayLike | None, weights: ArrayLike | None
    ) -> Scored:
        truth, said = array_of("label", labels), numbers_of("score", scores)
        if truth.ndim != 1:
            raise measuring_classes.not_one_column("label", truth.shape)
        if len(truth) != len(said):
            raise measuring.counts_differ("scores", len(truth), len(said))
        weight = weights_of(weights, len(truth))
        if self.needs_groups and groups is None:
            raise measuring_classes.needs(str(self), "groups")
        given = None if groups is None else array_of("group", groups)
        if given is not None and given.shape != truth.shape:
            raise measuring.counts_differ("groups", len(truth), given.size)
        truth, said, weight, given = self.labelled(truth, said, weight, given)
        label, score = binary(truth), floats(said)
        self.check(score)
        if given is None:
            return Scored.of(label, score, weight=weight)
        group, n_groups = numbered(given)
        return Scored.of(label, score, weight=weight, group=group, n_groups=n_groups)

    def check(self, score: NDArray[Any]) -> None:
        """Refuse scores that this metric cannot take."""
        if self.needs != "probability" or not len(score):
            return
        low, high = float(score.min()), float(score.max())
        if low < 0 or high > 1:
            at = int(np.flatnonzero((score < 0) | (score > 1))[0])
            raise measuring.not_a_probability(str(self), at, float(score[at]), low, high)


def numbered(groups: NDArray[Any]) -> tuple[Ints, int]:
    """A number for each group; whole numbers that lie close together are their own.

    >>> numbered(np.array([7, 9, 7])), numbered(np.array(["b", "a", "b"]))
    ((array([0, 2, 0]), 3), (array([1, 0, 1]), 2))
    """
    if groups.dtype.kind in "iu" and len(groups):
        high = int(groups.view(f"u{groups.itemsize}").max())  # without its sign what is below 0 is huge
        if high < len(groups):
            return groups.astype(np.int64, copy=False), high + 1
        if groups.dtype != np.uint64:
            codes = groups.astype(np.int64, copy=False)
            low, high = int(codes.min()), int(codes.max())
            if high - low < len(groups):
                return codes - low, high - low + 1
            found, group = distinct(codes)
            return group, len(found)
    try:
        names, group = np.unique(groups, return_inverse=True)
    except UNFIT_OBJECT:
        raise reading.unlike_groups() from None
    return group.reshape(-1).astype(np.int64), len(names)


def binary(label: NDArray[Any]) -> NDArray[np.uint8]:
    """Labels as 0 and 1; booleans and 0.0 / 1.0 are fine, anything else is an error."""
    if label.ndim != 1:
        raise measuring_classes.not_one_column("label", label.shape)
    if label.dtype.kind in "Of":
        nulls = np.flatnonzero(is_null(label))
        if len(nulls):
            raise measuring.unlabelled(int(nulls[0]), len(nulls))
    if label.dtype.kind in "bui":
        fits = not len(label) or bool(label.min() >= 0 and label.max() <= 1)
    else:
        fits = label.dtype.kind in "fO" and not _unlike_0_and_1(label).any()
    if fits:
        return label.astype(np.uint8, copy=False)
    row = int(np.flatnonzero(_unlike_0_and_1(label))[0])
    value = label[row : row + 1].tolist()[0]
    if label.dtype.kind == "O":
        # lists and sets have no hash, and a caller's own objects no order: they are told apart by their looks
        given = [*{repr(one): one for one in label.tolist()}.values()]
        raise measuring.labels_not_binary(row, value, given)
    found = np.unique(label)
    raise measuring.labels_not_binary(row, value, found[:5].tolist(), len(found))


def _unlike_0_and_1(label: NDArray[Any]) -> Flags:
    if label.dtype.kind in "USMm":
        return np.ones(len(label), bool)
    try:
        unlike: Flags = (label != 0) & (label != 1)
    except UNFIT_OBJECT:  # an object that will not be compared
        return np.array([not isinstance(one, int | float) or one not in (0, 1) for one in label.tolist()])
    return unlike


def floats(score: NDArray[Any]) -> NDArray[Any]:
    """Scores as floats of the precision they have; -0.0 becomes 0.0 and NaN is an error."""
    kept = score if score.dtype in (np.float16, np.float32, np.float64) else score.astype(np.float64)
    lowest = kept.min(initial=np.inf)  # NaN where there is one
    if np.isnan(lowest):
        raise measuring.score_is_nan(*map(int, np.argwhere(np.isnan(kept))[0]))
    return kept if lowest > 0 else kept + kept.dtype.type(0)


def weights_of(weights: ArrayLike | None, n: int) -> Floats | None:
    """One weight of 0 or more per row, if there are any."""
    if weights is None:
        return None
    weight = numbers_of("weight", weights).astype(np.float64, copy=False)
    if weight.shape != (n,):
        raise measuring.counts_differ("weights", n, weight.size)
    return checked_weights(weight)


def checked_weights(weight: Floats) -> Floats:
    """Weights of 0 or more, all finite."""
    bad = np.flatnonzero(~(weight >= 0) | np.isinf(weight))
    if len(bad):
        raise measuring.bad_weight(int(bad[0]), float(weight[bad[0]]))
    return weight
