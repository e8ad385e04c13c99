"""The curves behind numbers that were measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.engine.classified import Classified
from steelyard.engine.kept import DroppedRows, binary_scores
from steelyard.engine.ranked import Ranked
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.metrics.curves import Curve, canonical, curve, names
from steelyard.metrics.registry import parse
from steelyard.read.table import apart
from steelyard.stats.measured import Measured, of_state
from steelyard.text.errors import MetricError, writing

OF_RANKINGS = ("precision_recall_at",)


def curve_of(
    name: str | Metric,
    measured: Sequence[Measured],
    *,
    sliced: bool = False,
    **options: Any,
) -> Curve:
    """A curve by its name, or a ranking metric at every cutoff, from measured states.

    With ``sliced`` there is one curve per slice, named in its columns.
    """
    if not isinstance(name, str | Metric):
        raise writing.unknown_curve(name, names())
    name = name if isinstance(name, Metric) else canonical(name)
    if isinstance(name, Metric) or name not in names():
        return _at_k(name, measured, options)
    if name in OF_RANKINGS:
        return curve(name, _ranking(name, measured).state, **options)
    for metric in measured:
        if (state := binary_scores(metric.state)) is None:
            continue
        parts = binary_scores(metric.parts)
        if not sliced or parts is None or metric.slices is None:
            return curve(name, state, **options)
        whole = curve(name, parts, **options)
        by = apart(metric.slices.columns, whole.frame.columns)
        slices = metric.slices.rename(dict(zip(metric.slices.columns, by, strict=True)))
        numbered = slices.with_row_index("segment").with_columns(pl.col("segment").cast(pl.Int64))
        frame = whole.frame.join(numbered, on="segment", how="left", maintain_order="left")
        return replace(whole, frame=frame, by=tuple(by))
    if of_state(measured, Classified):
        raise writing.several_classes(name=name)
    _check_kept(name, measured, {"scores", "classes"})
    raise writing.rows_not_measured(name=name)


def _at_k(name: str | Metric, measured: Sequence[Measured], options: dict[str, Any]) -> Curve:
    request = MetricRequest.of(name) if isinstance(name, Metric) else _request(name)
    ranking = _ranking(str(name), measured)
    changes = {field: value for field, value in options.items() if field != "ks"}
    metric = request.metric.replace(**changes)
    # the conventions of the ranking that was measured; only the cutoff varies
    need = ranking.metric.need()
    shared = {**vars(need.align), **vars(need.rank)}
    known = {field: value for field, value in shared.items() if field not in request.stated | set(changes)}
    at_k = curve(metric.replace(**known), ranking.state, ks=options.get("ks"))
    return replace(at_k, name=f"{str(metric).partition('@')[0]}@k")


def _request(name: str) -> MetricRequest:
    text = name.removesuffix("@k")
    for form in (f"{text}@1" if name.endswith("@k") else text, f"{text}@1"):
        with suppress(MetricError):
            request = parse(form)[0]
            if request.metric.reads == "hits":
                return request
    raise writing.unknown_curve(name, names())


def _ranking(name: str, measured: Sequence[Measured]) -> Measured:
    if rankings := of_state(measured, Ranked):
        return rankings[0]
    _check_kept(name, measured, {"hits"})
    raise writing.ranking_not_measured(name=name)


def _check_kept(name: str, measured: Sequence[Measured], reads: Collection[str]) -> None:
    if any(one.metric.reads in reads for one in of_state(measured, DroppedRows)):
        raise writing.curve_not_kept(name=name)
