"""What metrics of labelled rows share: one value per slice, straight from the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.conventions import Labelled
from steelyard.engine.influence import Influence
from steelyard.engine.need import Need
from steelyard.engine.scored import Scored
from steelyard.engine.segmented import Segmented
from steelyard.kernels.means import ratio
from steelyard.messages.errors import measuring
from steelyard.metrics.base import FILL, Cutoff, Metric, Weighs
from steelyard.metrics.formula import checked_values
from steelyard.steps.arithmetic import Parts, no_steps


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class LabelledMetric(Metric, Labelled):
    """A metric of rows with a label: clicks, classes or ratings."""

    at: ClassVar[Cutoff] = "never"
    weighs: ClassVar[Weighs | None] = "rows"

    def need(self, stated: Collection[str] = ()) -> Need:
        return Need(reads=self.reads, metric=str(self), unlabelled=self.unlabelled, labels=self.labels)

    def covered(self, rows: Segmented, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        counts = rows.rows if values.ndim == 1 else rows.rows[:, None]
        undefined = np.isnan(values)
        return np.where(undefined, 0, counts), np.where(undefined, counts, 0)

    def steps(self, state: Any) -> Parts:
        """The steps that lead to the value of all rows; of a metric that has none, its value."""
        return no_steps(self.name, self.measure(state)[0])


def filled(metric: Metric, given: Any, n: int, *, rows: bool = False) -> Floats:
    """One value for each of ``n`` segments, or a row of them, the undefined ones as the convention says."""
    values = checked_values(
        given,
        n,
        lambda found: measuring.wrong_segments(label=str(metric), found=found, n=n),
        dimensions=(1, 2) if rows else (1,),
    )
    undefined = np.isnan(values)
    if metric.undefined == "nan" or not undefined.any():
        return values + 0.0  # a zero has no sign
    if metric.undefined == "error":
        raise measuring.undefined_rows(label=str(metric), why=metric.undefined_when)
    return np.where(undefined, FILL[metric.undefined], values) + 0.0


def of_mean(rows: Segmented, each: Floats, values: Floats) -> Influence:
    """The influence on a weighted mean over rows."""
    return Influence.of_ratio(rows.cells, rows.per_cell(each), rows.cell_weight, values)


def of_moves(rows: Segmented, each: Floats) -> Influence:
    """The influence of rows that move a value by ``each`` times their weight; units share by weight."""
    cells, weight = rows.cells, rows.cell_weight
    return Influence.of_cells(
        cells, (rows.per_cell(each),), (ratio(weight, cells.spread(cells.totals(weight))),)
    )


def effective_units(rows: Segmented, those: Any) -> Floats:
    """Kish's effective number of units among some rows of each segment."""
    cells, weight = rows.cells, rows.per_cell(those)
    found = ratio(cells.totals(weight) ** 2, cells.totals(weight**2))
    return np.nan_to_num(found)


def by_rarer_class(scored: Scored, found: Influence) -> Influence:
    """The same, with the units of the rarer class: most of the loss may come from these few."""
    rarest = np.minimum(*(effective_units(scored, scored.label == label) for label in (0, 1)))
    return dataclasses.replace(found, rarest=rarest)


def by_class(scored: Scored, each: Floats) -> Influence:
    """The same where positives and negatives are a denominator each."""
    cells = scored.cells
    moves, share = [], []
    for mine in (scored.label == 1, scored.label == 0):
        weight = scored.per_cell(mine)
        moves.append(scored.per_cell(np.where(mine, each, 0.0)))
        share.append(ratio(weight, cells.spread(cells.totals(weight))))
    return Influence.of_cells(cells, tuple(moves), tuple(share))


def by_positives(scored: Scored, each: Floats) -> Influence:
    """The same where the positives alone are the denominator."""
    cells, weight = scored.cells, scored.per_cell(scored.label)
    return Influence.of_cells(
        cells, (scored.per_cell(each),), (ratio(weight, cells.spread(cells.totals(weight))),)
    )
