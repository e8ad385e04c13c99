"""The curves behind numbers that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.curves import Curve, curve, names
from steelyard.curves.curve import canonical
from steelyard.measure.slices import RowSlices
from steelyard.measure.summary import Measured, RowMeasured
from steelyard.messages.errors import MetricError, showing
from steelyard.metrics import Metric, RankingMetric
from steelyard.metrics.asked import Asked
from steelyard.metrics.grammar import parse
from steelyard.states import Classified, Scored, Segmented

OF_RANKINGS = ("precision_recall_at",)


def curve_of(
    name: str | Metric,
    measured: Sequence[Measured | RowMeasured],
    slices: RowSlices | None = None,
    **options: Any,
) -> Curve:
    """A curve by its name, or a ranking metric at every cutoff, read from what was measured.

    With ``slices`` there is one curve per slice, and its columns say which.
    """
    if not isinstance(name, str | Metric):
        raise showing.unknown_curve(name, names())
    name = name if isinstance(name, Metric) else canonical(name)
    if isinstance(name, Metric) or name not in names():
        return _at_k(name, measured, options)
    if name in OF_RANKINGS:
        one = _ranking(name, measured)
        return curve(name, one.ranked, weights=one.weights, **options)
    for each in measured:
        state = _scores(each.state) if isinstance(each, RowMeasured) else None
        if isinstance(each, RowMeasured) and state is not None:
            if slices is None or each.sliced is None:
                return curve(name, state, **options)
            segmented = _scores(each.sliced[0])
            assert segmented is not None
            return _labelled(curve(name, segmented, **options), slices)
    if any(isinstance(each, RowMeasured) and isinstance(each.state, Classified) for each in measured):
        raise showing.several_classes(name=name)
    raise showing.rows_not_measured(name=name)


def _scores(state: Segmented) -> Scored | None:
    """Labels of 0 and 1 with scores; of two classes the second is the positive one."""
    if isinstance(state, Classified) and state.probability is not None and len(state.classes) == 2:
        return state.one_against_rest(1)
    return state if isinstance(state, Scored) else None


def _labelled(drawn: Curve, slices: RowSlices) -> Curve:
    labels = slices.labels.with_row_index("segment").with_columns(pl.col("segment").cast(pl.Int64))
    frame = drawn.frame.join(labels, on="segment", how="left", maintain_order="left")
    return replace(drawn, frame=frame, by=slices.columns)


def _at_k(name: str | Metric, measured: Sequence[Measured | RowMeasured], options: dict[str, Any]) -> Curve:
    asked = Asked.of(name) if isinstance(name, Metric) else _asked(name)
    one = _ranking(str(name), measured)
    changes = {field: value for field, value in options.items() if field != "ks"}
    like = asked.metric.replace(**changes)
    # the conventions of the ranking that was measured; the cutoff is what varies
    shared = {**one.metric.align().__dict__, **one.metric.rank().__dict__}
    known = {field: value for field, value in shared.items() if field not in asked.stated | set(changes)}
    drawn = curve(like.replace(**known), one.ranked, weights=one.weights, ks=options.get("ks"))
    return replace(drawn, name=f"{str(like).partition('@')[0]}@k")


def _asked(name: str) -> Asked:
    text = name.removesuffix("@k")
    for form in (f"{text}@1" if name.endswith("@k") else text, f"{text}@1"):
        try:
            found = parse(form)[0]
        except MetricError:
            continue
        if isinstance(found.metric, RankingMetric):
            return found
    raise showing.unknown_curve(name, names())


def _ranking(name: str, measured: Sequence[Measured | RowMeasured]) -> Measured:
    for one in measured:
        if isinstance(one, Measured):
            return one
    raise showing.ranking_not_measured(name=name)
