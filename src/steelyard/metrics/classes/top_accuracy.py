"""Top-k accuracy."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.conventions import choice, number
from steelyard.engine.classified import Classified
from steelyard.engine.influence import Influence
from steelyard.engine.scored import RowSums, RowTerm, Scored
from steelyard.kernels.means import ratio
from steelyard.metrics.classes.base import ClassMetric
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import Rows, of_mean
from steelyard.metrics.steps import Parts
from steelyard.metrics.steps.rows import RowValues, summed
from steelyard.text import say
from steelyard.text.errors import measuring


class Places(NamedTuple):
    """For each row: the probability of its class, the classes above and level with it, and its value."""

    own: Floats
    above: Floats
    level: Floats
    share: Floats


@register("top_accuracy", zh="前 K 准确率")
class TopAccuracy(ClassMetric):
    """How often the right class is among the k most probable ones.

    ``mean(1 if the class is in the top k)``. Where classes are equally probable at the border, ``class_ties``
    decides; by default the right one counts its expected share: the places left, divided by the classes that
    compete for them. Undefined without rows.

    Examples
    --------
    The right class is second, so it counts from k = 2 on; a tie for one place counts half:

    >>> TopAccuracy(k=1).of([[0.6, 0.3, 0.1]], ["b"], classes=["a", "b", "c"])
    0.0
    >>> TopAccuracy(k=2).of([[0.6, 0.3, 0.1]], ["b"], classes=["a", "b", "c"])
    1.0
    >>> TopAccuracy(k=1).of([[0.4, 0.4, 0.2]], ["b"], classes=["a", "b", "c"])
    0.5
    >>> TopAccuracy(k=1, class_ties="first").of([[0.4, 0.4, 0.2]], ["b"], classes=["a", "b", "c"])
    0.0
    """

    k: int | None = number(
        default=None,
        meaning="how many of the most probable classes count",
        above=0,
        words={"all": "all classes"},
        whole=True,
        tries=(1, 3, 5, None),
    )

    class_ties: Literal["expected", "first", "last", "optimistic", "pessimistic", "error"] = choice(
        default="expected",
        about="Equally probable classes at the border of the top k.",
        meaning={
            "expected": "the right class counts its expected share",
            "first": "the first classes in order stand above the others",
            "last": "the last classes in order stand above the others",
            "optimistic": "the right class stands above the others",
            "pessimistic": "the right class stands below the others",
            "error": "a tie with the right class at the border is an error",
        },
    )

    at = "required"
    limits = "logit"
    undefined_when = "there is no row"

    def view(self, rows: Rows) -> Classified:
        if isinstance(rows, Scored) or (rows.probability is None and rows.condensed is None):
            raise measuring.needs_probabilities(metric=str(self))
        return rows

    def per_segment(self, classified: Classified) -> Floats:
        return ratio(classified.total(self.share.each(classified)), classified.total())

    def influence(self, rows: Classified, values: Floats, each: Floats | None = None) -> Influence:
        return of_mean(rows, self.share.each(rows), values)

    def reduced_to(self, state: Rows) -> RowSums | None:
        return RowSums(terms=(self.share,)) if isinstance(state, Classified) and state.one_label else None

    @property
    def share(self) -> RowTerm:
        """How much each row counts."""
        return RowTerm(f"counted by {self}", lambda rows: self.places(rows).share)

    def places(self, classified: Classified) -> Places:
        probability = classified.probability
        assert probability is not None
        own = probability[np.arange(classified.n_rows), classified.truth]
        above, level = np.zeros(len(own)), np.zeros(len(own))
        for column in probability.T:
            above += column > own
            level += column == own
        left = (len(classified.classes) if self.k is None else self.k) - above
        share: NDArray[Any]
        match self.class_ties:
            case "expected":
                share = np.clip(ratio(left, level), 0.0, 1.0)
            case "first":
                share = _level_before(probability, own, classified.truth) < left
            case "last":
                share = level - 1 - _level_before(probability, own, classified.truth) < left
            case "optimistic":
                share = left > 0
            case "pessimistic":
                share = level <= left
            case "error":
                shared = (left > 0) & (left < level)
                if shared.any():
                    raise measuring.tied_classes(metric=str(self), n=int(shared.sum()))
                share = left > 0
        return Places(own, above, level, share.astype(np.float64))

    def steps(self, state: Classified) -> Parts:
        places = self.places(state)
        leading = [
            RowValues(say("label"), state.truth, kind="rank", names=state.classes),
            RowValues(say("p(label)"), places.own),
            RowValues(say("classes above"), places.above),
            RowValues(say("classes level"), places.level),
        ]
        counted = RowValues(say("counted"), places.share)
        return summed(state, leading, counted, worst=1 - places.share).mean_parts()


def _level_before(probability: Floats, own: Floats, truth: Ints) -> Floats:
    """How many equally probable classes stand before the right one in order."""
    before = np.zeros(len(own))
    for at, column in enumerate(probability.T):
        before += (column == own) & (at < truth)
    return before
