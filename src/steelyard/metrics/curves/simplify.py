"""Fewer points for drawing, without moving the area under the curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.metrics.curves.rows import not_negative, whole
from steelyard.text import Message, say
from steelyard.text.errors import writing

_POOL = 20_000  # the least that longer curves are first thinned to
_SAMPLE = 50_000


class Simplified(NamedTuple):
    """The rows kept, how far the area moved, and a note if more rows were needed than asked."""

    frame: pl.DataFrame
    moved: float
    note: Message | None


def simplify(frame: pl.DataFrame, x: str, y: str, points: int = 1000, tolerance: float = 1e-4) -> Simplified:
    """Turn a curve of millions of points into one that a page can draw and nobody can tell apart.

    Points are joined by straight lines. Those that matter least go first: the ones that span the smallest
    triangle with their neighbours (Visvalingam and Whyatt 1993), all over the curve at once. Then points come
    back where that balances the area. The first and the last always stay, and every row kept is a row of
    ``frame``. At most ``points`` rows are kept, unless the area, in units of the axes, would move by more
    than ``tolerance``: then more, and ``note`` says so.

    The middle of a straight line goes, its corner stays:

    >>> frame = pl.DataFrame({"x": [0.0, 0.5, 1.0, 1.0], "y": [0.0, 0.5, 1.0, 2.0]})
    >>> simplify(frame, "x", "y", points=3).frame.rows()
    [(0.0, 0.0), (1.0, 1.0), (1.0, 2.0)]

    Two points cannot hold this area, 1/2 and not 0:

    >>> peak = pl.DataFrame({"x": [0.0, 0.5, 1.0], "y": [0.0, 1.0, 0.0]})
    >>> simplify(peak, "x", "y", points=2).note
    'kept 3 points instead of 2: fewer would move the area by more than 0.0001.'
    """
    points = whole("simplify", "points", points, above=1)
    tolerance = not_negative("simplify", "tolerance", tolerance)
    if frame.height <= points:
        return Simplified(frame, 0.0, None)
    line = _Line(_finite(frame, x), _finite(frame, y))
    kept = line.within(points, tolerance)
    note = None
    if len(kept) > points:
        note = say(
            "kept {n:,} points instead of {points:,}: fewer would move the area by more than {tolerance:g}.",
            key="more_points",
            n=len(kept),
            points=points,
            tolerance=tolerance,
        )
    return Simplified(frame[kept], line.area(kept) - line.whole, note)


def area(x: Floats, y: Floats) -> float:
    """The area under straight lines between points, from the first x to the last.

    >>> area(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    0.5
    """
    return float((np.diff(x) * ((y[1:] + y[:-1]) / 2)).sum())


class _Line:
    """A line through points, and what leaving some of them out does to its area."""

    def __init__(self, x: Floats, y: Floats) -> None:
        self.x, self.y = x, y
        self.whole = area(x, y)

    def area(self, kept: Ints) -> float:
        return area(self.x[kept], self.y[kept])

    def within(self, points: int, tolerance: float) -> Ints:
        """The points to keep: as many as asked, doubled until the area is within the tolerance."""
        everything = np.arange(len(self.x))
        pool = self._thinned(everything, max(20 * points, _POOL))
        budget = points
        while budget < len(everything):
            kept = self._attempt(pool, budget, tolerance)
            if kept is not None:
                return kept
            if budget < len(pool):
                budget *= 2
            elif len(pool) < len(everything):
                pool = everything
        return everything

    def _attempt(self, pool: Ints, budget: int, tolerance: float) -> Ints | None:
        """At most ``budget`` points of the pool whose area is within the tolerance; None if not found."""
        # the fewer points are chosen by shape, the more are left to balance the area
        for reserve in (0, max(budget // 10, 1), budget // 2):
            if budget - reserve >= 2:
                kept = self._balanced(self._thinned(pool, budget - reserve), pool, budget, tolerance)
                if kept is not None:
                    return kept
        return None

    def _thinned(self, kept: Ints, target: int) -> Ints:
        """Drop the points that matter least, about a quarter or more at a time."""
        x, y = self.x[kept], self.y[kept]
        while (spare := len(kept) - target) > 0:
            cost = np.abs(_triangle(x[:-2], y[:-2], x[1:-1], y[1:-1], x[2:], y[2:]))
            leave = np.flatnonzero(_every_other(~(cost > _middle(cost))))
            if len(leave) > spare:
                leave = leave[np.argpartition(cost[leave], spare - 1)[:spare]]
            stays = np.ones(len(kept), bool)
            stays[leave + 1] = False
            kept, x, y = kept[stays], x[stays], y[stays]
        return kept

    def _balanced(self, kept: Ints, pool: Ints, budget: int, tolerance: float) -> Ints | None:
        """Add points of the pool until the area is within the tolerance."""
        x, y = self.x, self.y
        while not abs(missing := self.whole - self.area(kept)) <= tolerance:
            out = np.setdiff1d(pool, kept, assume_unique=True)
            room = budget - len(kept)
            if room < 1 or not len(out):
                return None
            gap = np.searchsorted(kept, out)
            a, c = kept[gap - 1], kept[gap]
            gain = -_triangle(x[a], y[a], x[out], y[out], x[c], y[c])
            nearest = int(np.argmin(np.abs(missing - gain)))
            if abs(missing - gain[nearest]) <= tolerance:
                back = out[[nearest]]
            else:
                size = np.where(gain * missing > 0, np.abs(gain), 0.0)
                best = _best_of_each(size, gap, abs(missing))
                best = best[np.argsort(-size[best], kind="stable")][:room]
                back = out[best[np.cumsum(size[best]) <= abs(missing)]]
            if not len(back):
                return None
            kept = np.sort(np.concatenate([kept, back]))
        return kept


def _triangle(ax: Floats, ay: Floats, bx: Floats, by: Floats, cx: Floats, cy: Floats) -> Floats:
    """How the area changes without ``b``, between ``a`` and ``c``."""
    return ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2


def _middle(cost: Floats) -> float:
    """About the median of the costs, from a sample if there are many."""
    sample = cost[:: len(cost) // _SAMPLE + 1]
    place = max(len(sample) // 2, 1) - 1
    middle = float(np.partition(sample, place)[place])
    if 4 * np.count_nonzero(cost <= middle) < len(cost):  # a sample out of step with the curve
        return float(np.median(cost))
    return middle


def _every_other(chosen: Flags) -> Flags:
    """The first, third, fifth … place of each run of chosen places."""
    place = np.arange(len(chosen))
    before = np.maximum.accumulate(np.where(chosen, -1, place))
    odd: Flags = (place - before) % 2 == 1
    return chosen & odd


def _best_of_each(size: Floats, gap: Ints, at_most: float) -> Ints:
    """The point of each gap with the greatest size up to ``at_most``."""
    fitting = np.where(size <= at_most, size, 0.0)
    starts = np.flatnonzero(np.diff(gap, prepend=-1))
    best = np.repeat(np.maximum.reduceat(fitting, starts), np.diff(np.append(starts, len(gap))))
    chosen = np.flatnonzero((fitting == best) & (fitting > 0))
    return chosen[np.unique(gap[chosen], return_index=True)[1]]


def _finite(frame: pl.DataFrame, column: str) -> Floats:
    values = frame[column].cast(pl.Float64).fill_null(np.nan).to_numpy()
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise writing.point_not_finite(column=column, row=int(bad[0]) + 1)
    return values
