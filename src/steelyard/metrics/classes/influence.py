"""How much each row moves a metric of classes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.classified import Classified, Counts
from steelyard.engine.influence import Cells, Influence
from steelyard.kernels.means import ratio
from steelyard.metrics.rows.base import of_mean, of_moves

if TYPE_CHECKING:
    from steelyard.metrics.classes.base import AveragedMetric

_TP, _FP, _FN, _TN = range(4)
_MOST_CELLS = 1 << 23  # rows times classes
LEAST = 5  # units of a class below which a mean over classes has no interval


class Adds(NamedTuple):
    """What a row of each kind (tp, fp, fn, tn) adds to what is divided, and to what it is divided by."""

    over: Floats
    under: Floats

    @classmethod
    def of(cls, metric: AveragedMetric, counts: Counts) -> Adds | None:
        """None if the parts of the metric are not sums over rows."""
        unit = np.eye(4)
        alone = Counts(
            tp=unit[_TP], fp=unit[_FP], fn=unit[_FN], tn=unit[_TN], exists=np.ones(4, bool), classes=()
        )
        adds = cls(*metric.parts(alone))
        kinds = np.stack((counts.tp, counts.fp, counts.fn, counts.tn), axis=-1)
        parts = zip(adds, metric.parts(counts), strict=True)
        if not all(np.allclose(kinds @ add, part, rtol=1e-9, atol=0.0) for add, part in parts):
            return None
        return adds


def averaged_influence(metric: AveragedMetric, rows: Classified, values: Floats) -> Influence | None:
    if metric.average == "samples":
        return metric.influence_of_rows(rows, values)
    adds = Adds.of(metric, rows.counts)
    if adds is None:
        return None
    if metric.average == "binary":
        positive = rows.counts.positive
        if positive is None:
            return of_mean(rows, np.full(rows.n_rows, np.nan), values)
        kind = _kinds(rows.truth == positive, rows.called == positive)
        return _of_ratio(rows, adds.over[kind], adds.under[kind], values)
    if metric.average == "micro":
        over, under = (_row_moves(rows, add[:, None, None] * rows.counts.exists) for add in adds)
        return _of_ratio(rows, over, under, values)
    if metric.average == "none":
        return _by_class(rows, adds, values)
    return _mean(metric, rows, adds, values)


def _of_ratio(rows: Classified, over: Floats, under: Floats, values: Floats) -> Influence:
    return Influence.of_ratio(rows.cells, rows.per_cell(over), rows.per_cell(under), values)


def _kinds(true: Flags, called: Flags) -> Ints:
    return np.where(true, np.where(called, _TP, _FN), np.where(called, _FP, _TN))


def _mean(metric: AveragedMetric, rows: Classified, adds: Adds, values: Floats) -> Influence:
    """The influence on a mean over classes, by their values and, if weighted, by their rows."""
    counts = rows.counts
    each = metric.by_class(counts)
    weighted = metric.average == "weighted"
    filled, inside = metric.inside(each)
    weight = (counts.support if weighted else counts.exists.astype(np.float64)) * inside
    total = weight.sum(axis=1, keepdims=True)
    under = np.where(np.isnan(each), 0.0, metric.parts(counts)[1])
    # of each kind, segment and class
    slopes = np.stack(
        [
            np.nan_to_num(ratio(weight * (over - each * beneath), total * under))
            for over, beneath in zip(*adds, strict=True)
        ]
    )
    if weighted:
        slopes[[_TP, _FN]] += ratio(filled - values[:, None], total) * inside
    influence = of_moves(rows, _row_moves(rows, slopes))
    return influence if weighted else by_classes(rows, adds, each, weight, influence)


def by_classes(rows: Classified, adds: Adds, each: Floats, weight: Floats, influence: Influence) -> Influence:
    """The influence on a mean over classes, with the units of the rarest class.

    A class whose rows are all right, or all wrong, shows no spread. Its spread is then what one more unit
    of the opposite outcome would change: ``1 / (n + 1)`` for recall.
    """
    apart = _by_class(rows, adds, each)
    if apart is None:
        return influence
    units, exists = apart.effective.reshape(each.shape), rows.counts.exists
    equal = apart.equal.reshape(each.shape)
    lift = np.where(each > 0, 1.0, adds.under.max() / adds.under[[_FP, _FN]].max())
    moved = ratio(weight, weight.sum(axis=1, keepdims=True)) * lift / (units + lift)
    return replace(
        influence,
        rarest=np.where(exists.sum(axis=1) < 2, 0.0, np.where(exists, units, np.inf).min(axis=1)),
        least=LEAST,
        added=np.where(equal, moved**2, 0.0).sum(axis=1),
    )


def _row_moves(rows: Classified, slopes: Floats) -> Floats:
    at = rows.segments
    if not rows.one_label:
        moves = np.zeros(rows.n_rows)
        for place in range(len(rows.classes)):
            moves += slopes[_kinds(rows.truth[:, place] == 1, rows.called[:, place] == 1), at, place]
        return moves
    rest = slopes[_TN].sum(axis=1)[at]
    apart = slopes - slopes[_TN]  # every row is a true negative of all classes but one or two
    if rows.others:
        apart = np.pad(apart, ((0, 0), (0, 0), (0, 1)))
    hit = apart[_TP][at, rows.truth]
    miss = apart[_FN][at, rows.truth] + apart[_FP][at, rows.called]
    total: Floats = rest + np.where(rows.truth == rows.called, hit, miss)
    return total


def _by_class(rows: Classified, adds: Adds, values: Floats) -> Influence | None:
    """One value per class, from the rows that count for it."""
    n = len(rows.classes)
    every = bool(adds.over[_TN] or adds.under[_TN])
    if every and rows.n_rows * n > _MOST_CELLS:
        return None
    if rows.one_label and not every:
        missed = np.flatnonzero(rows.truth != rows.called)
        row = np.concatenate((np.arange(rows.n_rows), missed))
        place = np.concatenate((rows.truth, rows.called[missed]))
        kind = np.full(len(row), _FP)
        kind[: rows.n_rows] = np.where(rows.truth == rows.called, _TP, _FN)
        if rows.others:
            there = place < n
            row, place, kind = row[there], place[there], kind[there]
    else:
        places = np.arange(n)
        true = rows.truth[:, None] == places if rows.one_label else rows.truth == 1
        called = rows.called[:, None] == places if rows.one_label else rows.called == 1
        kinds = _kinds(true, called)
        row, place = np.nonzero(np.ones(kinds.shape, bool) if every else kinds != _TN)
        kind = kinds[row, place]
    cells = Cells.of(rows.drawn.only(row), rows.segments[row] * n + place, rows.n_segments * n)
    weight = rows.weights[row]
    over, under = (cells.sums(weight * add[kind]) for add in adds)
    return Influence.of_ratio(cells, over, under, values.reshape(-1))
