"""Curves as data: exact on all rows, in tidy frames, simplified only for drawing."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl

from steelyard import processes
from steelyard.arguments import is_of_slice, is_one_of, number_of
from steelyard.arrays import Copied, Floats, Ints, numbers_of
from steelyard.engine.kept import Binned, ByScore
from steelyard.engine.ranked import Ranked
from steelyard.kernels.means import is_weight
from steelyard.metrics import Metric
from steelyard.metrics.curves.rows import (
    calibration,
    cutoffs,
    gain_and_lift,
    not_negative,
    precision_recall,
    roc,
    score_histogram,
    scored,
    wilson,
)
from steelyard.metrics.curves.simplify import Simplified, area, simplify
from steelyard.metrics.steps import applying
from steelyard.read.table import exactly
from steelyard.text import Message, say
from steelyard.text.errors import asking, reading, writing
from steelyard.text.errors.forms import number_in

__all__ = [
    "Curve",
    "Simplified",
    "calibration",
    "curve",
    "gain_and_lift",
    "metric_at_k",
    "names",
    "precision_recall",
    "precision_recall_at",
    "roc",
    "score_histogram",
    "scored",
    "simplify",
    "wilson",
]


def metric_at_k(
    metric: Metric, ranked: Ranked, ks: Iterable[int] | None = None, *, weights: Floats | None = None
) -> pl.DataFrame:
    """How a metric changes as people look further down the list.

    ``value`` is the metric with each cutoff k, over all queries as the metric says (its mean, its pooling);
    ``n`` counts the queries in it and ``undefined`` those left out. Without ``ks`` every k from 1 to the
    longest list; each k is measured by itself, so give ``ks`` for lists of many thousands. ``weights`` are
    those of the queries.

    The first hit stands at rank 2:

    >>> from steelyard.metrics import HitRate
    >>> metric_at_k(HitRate(), Ranked.of_lists([0, 1, 0])).select("k", "value").rows()
    [(1, 0.0), (2, 1.0), (3, 1.0)]
    """
    if getattr(metric, "reads", None) != "hits":
        raise asking.not_a_metric(metric)
    if metric.at == "never":
        raise asking.takes_no_cutoff(name=metric.name)
    wanted = range(1, int(ranked.retrieved.max(initial=0)) + 1) if ks is None else cutoffs(metric.name, ks)
    weighted = ranked if weights is None else replace(ranked, weight=weights)
    rows = []
    for k in wanted:
        cut = metric.replace(k=k).for_truth(ranked.max_grade)
        per_query = cut.each(weighted)
        whole = cut.measure(weighted, per_query)
        (n,), (undefined,) = cut.covered(weighted, whole, per_query)
        rows.append((k, float(whole[0]), int(n), int(undefined)))
    schema = {"k": pl.Int64, "value": pl.Float64, "n": pl.Int64, "undefined": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def precision_recall_at(ranked: Ranked, rel: float = 1.0, *, weights: Floats | None = None) -> pl.DataFrame:
    """How much longer lists find, and what they cost in quality: one row for every length.

    For each k from 1 to the longest list, the means of ``precision@k`` (over all queries) and ``recall@k``
    (over queries with a relevant item) under the default denominators. ``weights`` are those of the queries.
    Computed from the hits alone, all k at once. Empty where no query has a relevant item.

    Lists with hits at ranks 1 and 3, and at rank 2:

    >>> frame = precision_recall_at(Ranked.of_lists([[1, 0, 1], [0, 1]]))
    >>> frame["recall"].to_list()  # (1/2 + 0)/2, (1/2 + 1)/2, (1 + 1)/2
    [0.25, 0.75, 1.0]
    >>> frame["precision"].to_list()  # (1 + 0)/2, (1/2 + 1/2)/2, (2/3 + 1/3)/2
    [0.5, 0.5, 0.5]
    """
    least = number_of(rel)
    if least is None or not 0 < least < np.inf:
        raise asking.bad_value("precision_recall_at", "rel", rel, number_in(above=0))
    weighted = ranked.weight if weights is None else weights
    weight = (
        np.ones(ranked.n_queries) if weighted is None else numbers_of("weight", weighted).astype(np.float64)
    )
    for value in weight[~is_weight(weight)][:1]:
        raise reading.weight_negative(place="precision_recall_at", value=float(value))
    relevant = ranked.n_relevant(least)
    recall_weight = weight * (relevant > 0)
    longest = int(ranked.retrieved.max(initial=0)) if recall_weight.any() else 0
    k = np.arange(1, longest + 1)
    groups = ranked.groups(least)
    hit_weight = groups.relevant * weight[groups.query]
    hits = _in_first_places(hit_weight, groups.before, groups.tied, longest)
    recalled = _in_first_places(hit_weight / relevant[groups.query], groups.before, groups.tied, longest)
    return pl.DataFrame(
        {
            "k": k,
            "recall": recalled / (recall_weight.sum() or 1.0),
            "precision": hits / k / (weight.sum() or 1.0),
        }
    )


def _in_first_places(amount: Floats, before: Ints, tied: Ints, longest: int) -> Floats:
    """The amount in the first k places, for each k; a tie spreads its amount over its places."""
    alone = tied == 1
    at_rank = np.bincount(before[alone], amount[alone], minlength=longest).astype(np.float64, copy=False)
    if not alone.all():
        part, first, size = amount[~alone] / tied[~alone], before[~alone], tied[~alone]
        length = max(len(at_rank), int((first + size).max())) + 1
        change = np.bincount(first, part, minlength=length) - np.bincount(
            first + size, part, minlength=length
        )
        at_rank = np.cumsum(change) + np.pad(at_rank, (0, length - len(at_rank)))
    return np.cumsum(at_rank)[:longest]


Joined = Literal["line", "step", "no"]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """A curve: exact points in a tidy frame, which columns to draw, and what a reader should know.

    ``joined`` says what runs between points: a ``line``, a ``step`` (each y holds from the x before, the
    first from 0), or nothing, as between the bins of a calibration curve.
    """

    name: str
    frame: Copied[pl.DataFrame] = Copied()
    x: str
    y: str
    joined: Joined = "line"
    notes: tuple[Message, ...] = ()
    by: tuple[str, ...] = ()  # the columns that name the slice of a segment

    def area(self) -> float:
        """The area under the curve; NaN where it has no points or they are not joined.

        >>> from steelyard.metrics.curves import curve, scored
        >>> curve("roc", scored([0.8, 0.5, 0.5, 0.1], [1, 1, 0, 0])).area()
        0.875
        """
        if len(self.segments) > 1:
            raise writing.several_curves(self.name, list(self._named()))
        if self.joined == "no" or not self.frame.height:
            return float("nan")
        line = self.as_line()
        x, y = (line.frame[name].cast(pl.Float64).to_numpy() for name in (self.x, self.y))
        return area(x, y)

    def points(self, points: int = 1000, tolerance: float = 1e-4) -> pl.DataFrame:
        """The points to draw, to be joined by straight lines; see ``simplified``."""
        return self.simplified(points, tolerance).frame

    def simplified(self, points: int = 1000, tolerance: float = 1e-4) -> Curve:
        """The same curve as a line of at most ``points`` points, its area moved by at most ``tolerance``.

        Where the axis is longer than 1 (a cutoff k), ``tolerance`` is a share of its length. A note says
        where more points had to be kept. With several segments, ``points`` are those of each. A curve whose
        points are not joined stays as it is.
        """
        tolerance = not_negative("simplify", "tolerance", tolerance)
        if self.joined == "no":
            return self
        line = self.as_line()
        split = "segment" in line.frame.columns and line.frame.height > 0
        parts = line.frame.partition_by("segment", maintain_order=True) if split else [line.frame]
        simplified = [
            simplify(part, self.x, self.y, points, tolerance * _width(part[self.x])) for part in parts
        ]
        notes = dict.fromkeys(
            say("{curve}: {said}", key=part.note.key, curve=self.name, said=part.note)
            for part in simplified
            if part.note is not None
        )
        frame = pl.concat([part.frame for part in simplified])
        return dataclasses.replace(line, frame=frame, notes=(*self.notes, *notes))

    def as_line(self) -> Curve:
        """The same curve with the corners of its steps as points, so that straight lines join them.

        The corner of a step has the y of its end and the x of its start, 0 for the first.

        >>> from steelyard.metrics.curves import curve, scored
        >>> steps = curve("precision_recall", scored([0.9, 0.8, 0.7], [1, 0, 1]))
        >>> steps.as_line().frame.select("recall", "precision").rows()
        [(0.0, 1.0), (0.5, 1.0), (0.5, 0.5), (0.5, 0.66...), (1.0, 0.66...)]
        """
        if self.joined != "step":
            return self
        before = pl.col(self.x).shift(1, fill_value=0.0)
        if "segment" in self.frame.columns:
            before = before.over("segment")
        corner = self.frame.with_columns(before.alias("_before"))
        at = np.repeat(np.arange(self.frame.height), 1 + (corner["_before"] != corner[self.x]).to_numpy())
        first = np.append(at[:-1] == at[1:], False) if len(at) else np.zeros(0, bool)
        wide = corner[at]
        x = pl.Series(self.x, np.where(first, wide["_before"].to_numpy(), wide[self.x].to_numpy()))
        return dataclasses.replace(self, frame=wide.with_columns(x).drop("_before"), joined="line")

    @property
    def segments(self) -> list[int]:
        """The segments that have a curve; empty where rows are not in segments."""
        if "segment" not in self.frame.columns:
            return []
        return self.frame["segment"].unique(maintain_order=True).to_list()

    def of(self, *names: object) -> Curve:
        """The curve of one slice, by its name in each slice column; of a segment without one, by its number.

        ``None`` is the slice of what has no value.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.6, 0.7], "country": ["DE", "DE", "JP", "JP"]}
        >>> roc = sy.evaluate(log, metrics="auc", by="country").curve("roc", sliced=True)
        >>> roc.of("DE").area(), roc.of("JP").area()
        (1.0, 0.0)
        """
        numbers = self._named()
        for segment, number in numbers.items():
            if len(segment) == len(names) and all(map(is_of_slice, names, segment)):
                return dataclasses.replace(self, frame=self.frame.filter(pl.col("segment") == number))
        raise writing.unknown_segment(self.name, names, list(numbers))

    def _named(self) -> dict[tuple[str, ...], int]:
        if not self.by:
            return {(str(number),): number for number in self.segments}
        rows = self.frame.select(exactly(["segment", *self.by])).unique(maintain_order=True).rows()
        return {tuple(names): number for number, *names in rows}


@dataclasses.dataclass(frozen=True)
class _Kind:
    make: Callable[..., pl.DataFrame]
    x: str
    y: str
    joined: Joined
    of: Any = ByScore


_KINDS = {
    "roc": _Kind(roc, "fpr", "tpr", "line"),
    "precision_recall": _Kind(precision_recall, "recall", "precision", "step"),
    "calibration": _Kind(calibration, "mean_score", "mean_label", "no"),
    "gain": _Kind(gain_and_lift, "taken", "found", "line"),
    "lift": _Kind(lambda state: gain_and_lift(state).filter(pl.col("taken") > 0), "taken", "lift", "line"),
    "score_histogram": _Kind(score_histogram, "low", "positives", "no"),
    "precision_recall_at": _Kind(precision_recall_at, "recall", "precision", "line", Ranked),
}


ALIASES = {
    **{"pr": "precision_recall", "pr_curve": "precision_recall", "prc": "precision_recall"},
    **{"roc_curve": "roc", "reliability": "calibration", "calibration_curve": "calibration"},
    **{"cumulative_gain": "gain", "gains": "gain", "histogram": "score_histogram"},
}


def canonical(name: str) -> str:
    """The name of a curve that people call otherwise.

    >>> canonical("pr"), canonical("roc")
    ('precision_recall', 'roc')
    """
    return ALIASES[name] if is_one_of(name, ALIASES) else name


def names() -> list[str]:
    """The curves that ``curve`` knows by name.

    >>> "roc" in names()
    True
    """
    return sorted(_KINDS)


def curve(name: str | Metric, state: ByScore | Ranked, **options: Any) -> Curve:
    """Any curve by its name, or a ranking metric at every cutoff, with notes for the reader.

    ``options`` are those of the curve's own function: ``bins`` and ``binning``, ``rel``, ``ks``, ``weights``.

    >>> from steelyard.metrics.curves import scored
    >>> from steelyard.metrics import HitRate
    >>> curve("precision_recall", scored([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])).area()  # 1/2·1 + 1/2·2/3
    0.8333333333333333
    >>> curve("roc", scored([0.3, 0.4], [1, 1])).notes
    ('roc is undefined: no negative.',)
    >>> at_k = curve(HitRate(), Ranked.of_lists([0, 1, 0]))
    >>> at_k.name, at_k.frame["value"].to_list()
    ('hit_rate@k', [0.0, 1.0, 1.0])
    """
    processes.check()
    if isinstance(name, Metric):
        text = str(name)
        at_k = f"{text.rpartition('@')[0] or text}@k"
        if not isinstance(state, Ranked):
            raise writing.needs_ranking(name=at_k)
        return Curve(name=at_k, frame=metric_at_k(name, state, **options), x="k", y="value")
    name = canonical(name)
    if not is_one_of(name, _KINDS):
        raise writing.unknown_curve(name, names())
    kind = _KINDS[name]
    if not isinstance(state, kind.of):
        raise writing.needs_rows(name=name) if kind.of is ByScore else writing.needs_ranking(name=name)
    allowed = list(inspect.signature(kind.make).parameters)[1:]
    for option in options:
        if option not in allowed:
            raise writing.unknown_option(say("the curve '{name}'", name=name), option, allowed)
    frame = kind.make(state, **options)
    notes = _notes(name, frame, state)
    return Curve(name=name, frame=frame, x=kind.x, y=kind.y, joined=kind.joined, notes=notes)


def _notes(name: str, frame: pl.DataFrame, state: ByScore | Ranked) -> tuple[Message, ...]:
    if isinstance(state, Ranked):
        none = say("no query has a relevant item", key="no_relevant")
        return applying((not frame.height, _undefined(name, none)))
    present = frame["segment"].n_unique() if "segment" in frame.columns else int(frame.height > 0)
    positive, negative = (bool((part[:1] > 0).any()) for part in (state.positives, state.negatives))
    lacking = say("no positive") if negative else say("no negative") if positive else say("no row")
    in_some = say(
        "{curve} is undefined for {n:,} of {every:,} segments.",
        key="curve_undefined_in_segments",
        curve=name,
        n=state.n_segments - present,
        every=state.n_segments,
    )
    bins = say(
        "of {n:,} rows the result keeps narrow bins of scores: the curve is drawn from these.",
        key="from_bins",
        n=state.n_rows,
    )
    bands = say("the calibration bands use the effective sample size, (Σw)² / Σw².", key="weighted_bands")
    return applying(
        (present < state.n_segments, in_some if state.sliced else _undefined(name, lacking)),
        (isinstance(state, Binned), bins),
        (name == "calibration" and state.weighted, bands),
    )


def _undefined(name: str, why: Message) -> Message:
    return say("{curve} is undefined: {why}.", key="curve_undefined", curve=name, why=why)


def _width(x: pl.Series) -> float:
    return max(1.0, float(x[-1]) - float(x[0])) if len(x) else 1.0
