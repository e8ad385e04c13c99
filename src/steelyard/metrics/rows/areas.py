"""How much each row moves an area under a curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.scored import Scored, ScoreTable
from steelyard.kernels.means import ratio, running_sums


class Slopes(NamedTuple):
    """The derivatives of a strip under a curve by the counts at its end and at its start.

    ``hits`` and ``misses`` are the positives and negatives down to the strip's score, the others those above.
    """

    hits: Floats
    misses: Floats
    hits_before: Floats
    misses_before: Floats


def row_slopes(scored: Scored, slopes: Slopes) -> Floats:
    """How much a row moves the sum of all strips that end at its score or below."""
    table = scored.table
    of_class = [
        running_sums(np.nan_to_num(end), table.place) + table.below(np.nan_to_num(begin))
        for end, begin in ((slopes.hits, slopes.hits_before), (slopes.misses, slopes.misses_before))
    ]
    at = scored.entry
    return np.where(scored.label == 1, of_class[0][at], of_class[1][at])


def precision_slopes(table: ScoreTable, rule: str) -> Slopes:
    """The slopes of hits times precision, by the rule that joins the points."""
    _, hits, misses = table.falling()
    hits_before, misses_before = hits - table.positives, misses - table.negatives
    every, every_before = hits + misses, hits_before + misses_before
    precision = ratio(hits, every)
    by_hits, by_misses = ratio(misses, every * every), -ratio(hits, every * every)
    step, none = table.positives, np.zeros(len(hits))
    if rule == "step":
        return Slopes(precision + step * by_hits, step * by_misses, -precision, none)
    if rule == "davis":
        return _davis_slopes(hits, hits_before, misses, misses_before)
    first = every_before <= 0
    before = np.where(first, 1.0 if rule == "trapezoid" else precision, ratio(hits_before, every_before))
    height = (precision + before) / 2
    twice = np.where(first & (rule != "trapezoid"), 2.0, 1.0)  # level with the first: both ends move
    square = np.where(first, 0.0, every_before * every_before)
    return Slopes(
        height + step / 2 * twice * by_hits,
        step / 2 * twice * by_misses,
        step / 2 * np.nan_to_num(ratio(misses_before, square)) - height,
        -step / 2 * np.nan_to_num(ratio(hits_before, square)),
    )


def _davis_slopes(hits: Floats, hits_before: Floats, misses: Floats, misses_before: Floats) -> Slopes:
    """The slopes of the integral of x / (a·x + b), with x from the hits before to the hits after."""
    step = hits - hits_before
    slope = np.nan_to_num(ratio(misses - misses_before, step))
    a, b = 1.0 + slope, misses_before - slope * hits_before
    every, every_before = hits + misses, hits_before + misses_before
    first = every_before <= 0
    b = np.where(first, 0.0, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(first, 0.0, np.log1p((every - every_before) / every_before))
        apart = np.where(first, 0.0, 1 / every - 1 / every_before)
    linear = (logs + b * apart) / a**2  # the integral of x / (a·x + b)²
    square = (every - every_before - 2 * b * logs - b * b * apart) / a**3  # and of x² over the same
    by_slope = hits_before * linear - square
    slopes = Slopes(
        ratio(hits, every) - by_slope * ratio(slope, step),
        by_slope * ratio(np.ones(len(step)), step),
        slope * linear - ratio(hits_before, every_before) + by_slope * ratio(slope, step),
        -linear - by_slope * ratio(np.ones(len(step)), step),
    )
    return Slopes(*(np.where(step > 0, part, 0.0) for part in slopes))


def partial_slopes(table: ScoreTable, limit: float) -> tuple[Slopes, Floats]:
    """The slopes of hits over misses up to a share of all misses, and each segment's hits there."""
    owner, hits, misses = table.falling()
    hits_before, misses_before = hits - table.positives, misses - table.negatives
    width, rise, end = table.negatives, table.positives, limit * table.total_negatives[owner]
    inside = np.clip(end - misses_before, 0.0, width)
    part = np.nan_to_num(ratio(inside, width))
    cut = (misses >= end) & (misses_before < end)
    height = hits_before + part * rise / 2
    by_part = np.where(cut, inside * rise / 2, 0.0)
    whole = misses < end
    slopes = Slopes(
        inside * part / 2,
        np.where(whole, height, -by_part * np.nan_to_num(ratio(part, width))),
        inside * (1 - part / 2),
        np.where(misses_before < end, -height, 0.0) - by_part * np.nan_to_num(ratio(1 - part, width)),
    )
    reached = np.zeros(table.n_segments)
    reached[owner[cut]] = (hits_before + part * rise)[cut]
    return slopes, reached
