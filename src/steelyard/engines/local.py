"""The engine of one machine: every distinct convention is aligned and ranked once, then shared."""

from __future__ import annotations

from dataclasses import dataclass, field

from steelyard.align import (
    Aligned,
    Encoded,
    EncodedGrid,
    Tally,
    align,
    align_grid,
    encode,
    encode_labelled,
)
from steelyard.conventions import Align, Order, Rank
from steelyard.messages import Message, say
from steelyard.metrics import RankingMetric
from steelyard.rank import Counted, Ranked, count, settle
from steelyard.read import Grid, Table

Convention = tuple[Align, Rank]


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One convention under which lists were ranked, and what it decided."""

    align: Align
    rank: Rank
    tally: Tally


@dataclass(frozen=True)
class Local:
    """Two tables or two matrices in memory, ranked on demand."""

    encoded: Encoded | EncodedGrid
    max_grade: float
    _aligned: dict[tuple[Align, str], Aligned] = field(default_factory=dict)
    _counted: dict[Convention, Counted] = field(default_factory=dict)
    _ranked: dict[Convention, Ranked] = field(default_factory=dict)

    @classmethod
    def of(cls, predictions: Table, truth: Table, exclude: Table | None) -> Local:
        """Encode the ids; one table that is its own truth needs no item ids."""
        alone = predictions is truth and "item" not in predictions.frame.columns
        encoded = encode_labelled(predictions) if alone else encode(predictions, truth, exclude)
        return cls(encoded, float(truth.frame["relevance"].to_numpy().max(initial=0.0)))

    @classmethod
    def of_grid(cls, grid: Grid, exclude: Table | None) -> Local:
        """Matrices stay as they are: the numbers of rows and columns are the ids."""
        return cls(EncodedGrid.of(grid, exclude), float(grid.grade.max(initial=0.0)))

    def counted(self, metric: RankingMetric) -> Counted:
        """The hits with their counts, ties open, under the conventions of a metric."""
        convention = (metric.align(), metric.rank())
        if convention not in self._counted:
            meeting = (convention[0], convention[1].order)
            if meeting not in self._aligned:
                self._aligned[meeting] = self._align(*meeting)
            self._counted[convention] = count(self._aligned[meeting], convention[1], self.max_grade)
        return self._counted[convention]

    def _align(self, convention: Align, order: Order) -> Aligned:
        if isinstance(self.encoded, EncodedGrid):
            return align_grid(self.encoded, convention, order)
        return align(self.encoded, convention, order)

    def ranked(self, metric: RankingMetric) -> Ranked:
        """The hits in their places, under the conventions of a metric."""
        convention = (metric.align(), metric.rank())
        if convention not in self._ranked:
            self._ranked[convention] = settle(self.counted(metric), convention[1])
        return self._ranked[convention]

    def notes(self) -> list[Message]:
        """Said where no retrieved item has a judgement, which is seldom meant."""
        if isinstance(self.encoded, EncodedGrid):  # columns have one name on both sides
            return []
        sides = (self.encoded.predictions, self.encoded.truth)
        if (self.encoded.judgement >= 0).any() or any(side.items is None for side in sides):
            return []
        predicted, judged = (side.items[0] for side in sides if side.items is not None)
        said = say(
            "no item of {predictions} has a judgement in {truth}: items such as '{predicted}' against "
            "'{judged}'; check that both name items the same way.",
            key="nothing_judged",
            predictions=sides[0].table.name,
            truth=sides[1].table.name,
            predicted=str(predicted),
            judged=str(judged),
        )
        return [said]

    def rankings(self) -> tuple[Ranking, ...]:
        """Every convention that was ranked, with its tally."""
        return tuple(
            Ranking(align=meeting, rank=order, tally=one.tally)
            for (meeting, order), one in self._counted.items()
        )
