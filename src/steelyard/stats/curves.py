"""The curves behind numbers that were measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.engine.binned import Gone, binary_scores
from steelyard.engine.classified import Classified
from steelyard.engine.ranked import Ranked
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.metrics.curves import Curve, curve, names
from steelyard.metrics.curves.curve import canonical
from steelyard.metrics.registry import parse
from steelyard.read.table import apart
from steelyard.stats.measured import Measured, of_state
from steelyard.text.errors import MetricError, showing

OF_RANKINGS = ("precision_recall_at",)


def curve_of(
    name: str | Metric,
    measured: Sequence[Measured],
    *,
    sliced: bool = False,
    **options: Any,
) -> Curve:
    """A curve by its name, or a ranking metric at every cutoff, read from what was measured.

    With ``sliced`` there is one curve per slice, and its columns say which.
    """
    if not isinstance(name, str | Metric):
        raise showing.unknown_curve(name, names())
    name = name if isinstance(name, Metric) else canonical(name)
    if isinstance(name, Metric) or name not in names():
        return _at_k(name, measured, options)
    if name in OF_RANKINGS:
        one = _ranking(name, measured)
        return curve(name, one.state, **options)
    for each in measured:
        if (state := binary_scores(each.state)) is None:
            continue
        parts = binary_scores(each.parts)
        if not sliced or parts is None or each.slices is None:
            return curve(name, state, **options)
        return _labelled(curve(name, parts, **options), each.slices)
    if of_state(measured, Classified):
        raise showing.several_classes(name=name)
    _check_kept(name, measured, {"scores", "classes"})
    raise showing.rows_not_measured(name=name)


def _labelled(drawn: Curve, slices: pl.DataFrame) -> Curve:
    names = apart(slices.columns, drawn.frame.columns)
    labels = slices.rename(dict(zip(slices.columns, names, strict=True))).with_row_index("segment")
    numbered = labels.with_columns(pl.col("segment").cast(pl.Int64))
    frame = drawn.frame.join(numbered, on="segment", how="left", maintain_order="left")
    return replace(drawn, frame=frame, by=tuple(names))


def _at_k(name: str | Metric, measured: Sequence[Measured], options: dict[str, Any]) -> Curve:
    asked = MetricRequest.of(name) if isinstance(name, Metric) else _asked(name)
    one = _ranking(str(name), measured)
    changes = {field: value for field, value in options.items() if field != "ks"}
    like = asked.metric.replace(**changes)
    # the conventions of the ranking that was measured; the cutoff is what varies
    need = one.metric.need()
    shared = {**vars(need.align), **vars(need.rank)}
    known = {field: value for field, value in shared.items() if field not in asked.stated | set(changes)}
    drawn = curve(like.replace(**known), one.state, ks=options.get("ks"))
    return replace(drawn, name=f"{str(like).partition('@')[0]}@k")


def _asked(name: str) -> MetricRequest:
    text = name.removesuffix("@k")
    for form in (f"{text}@1" if name.endswith("@k") else text, f"{text}@1"):
        try:
            found = parse(form)[0]
        except MetricError:
            continue
        if found.metric.reads == "hits":
            return found
    raise showing.unknown_curve(name, names())


def _ranking(name: str, measured: Sequence[Measured]) -> Measured:
    for one in of_state(measured, Ranked):
        return one
    _check_kept(name, measured, {"hits"})
    raise showing.ranking_not_measured(name=name)


def _check_kept(name: str, measured: Sequence[Measured], reads: Collection[str]) -> None:
    if any(one.metric.reads in reads for one in of_state(measured, Gone)):
        raise showing.curve_not_kept(name=name)
