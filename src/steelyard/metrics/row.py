"""Metrics of rows: one value per slice, straight from the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike

from steelyard.arrays import Floats
from steelyard.engine.class_values import Class
from steelyard.engine.classified import Classified
from steelyard.engine.need import Need, Reads
from steelyard.engine.row_states import states_of_arrays
from steelyard.engine.scored import Scored
from steelyard.messages import Message
from steelyard.messages.errors import measuring
from steelyard.metrics.formula import left_open
from steelyard.metrics.labelled import LabelledMetric, filled
from steelyard.read.row_arrays import predictions_first

Needs = Literal["score", "probability"]


def unweighted(row_weights: str, state: Any) -> set[str]:
    """The field ``row_weights``, where there are no weights to use."""
    return {"row_weights"} if row_weights == "use" and not state.weighted else set()


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class RowMetric(LabelledMetric):
    """A metric of rows with a label and a score, such as clicks with predicted probabilities.

    A subclass gives ``per_segment``: a value for each slice, NaN where it is undefined.
    """

    reads: ClassVar[Reads] = "scores"
    needs: ClassVar[Needs] = "score"
    needs_groups: ClassVar[bool] = False
    several_labels: ClassVar[bool] = False  # whether a row may have several labels

    def need(self, stated: Collection[str] = ()) -> Need:
        return dataclasses.replace(
            super().need(stated),
            groups=self.needs_groups,
            probabilities=self.needs == "probability",
            several_labels=self.several_labels,
        )

    @left_open("measure")
    def per_segment(self, scored: Scored) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define per_segment")

    def per_class_segment(self, classified: Classified) -> Floats:
        """The same for probabilities of several classes, where the metric has a meaning there."""
        raise measuring.only_binary(metric=str(self))

    def measure(self, scored: Scored | Classified, each: Floats | None = None) -> Floats:
        """One value per segment, with undefined values as the convention says."""
        if isinstance(scored, Classified):
            return filled(self, self.per_class_segment(scored), scored.n_segments, rows=True)
        return filled(self, self.per_segment(scored), scored.n_segments)

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

    @predictions_first
    def of(
        self,
        predictions: ArrayLike,
        truth: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
        classes: Sequence[Class] | None = None,
    ) -> float:
        """The value for scores and their labels of 0 and 1.

        For several classes, ``predictions`` is a 2-D array of probabilities with a column per class, in the
        order of ``classes``.

        >>> from steelyard.metrics import AUC
        >>> AUC().of([0.8, 0.5, 0.5, 0.1], [1, 1, 0, 0])
        0.875
        """
        return float(self._measured(predictions, truth, groups, weights, classes))

    def _measured(
        self,
        predictions: ArrayLike,
        truth: ArrayLike,
        groups: ArrayLike | None,
        weights: ArrayLike | None,
        classes: Sequence[Class] | None,
    ) -> Floats:
        """The value of plain arrays, or one for each class."""
        if self.needs_groups and groups is None:
            raise measuring.needs(str(self), "groups")
        states = states_of_arrays(
            predictions, truth, groups=groups, weights=weights, classes=classes, numbers=True
        )
        values: Floats = self.measure(states.state(self.need()))[0]
        return values
