"""The curves behind numbers that were measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.curves import Curve, curve, names
from steelyard.curves.curve import canonical
from steelyard.measure.measured import Measured
from steelyard.messages.errors import MetricError, showing
from steelyard.metrics import Metric, RankingMetric
from steelyard.metrics.asked import Asked
from steelyard.metrics.grammar import parse
from steelyard.rank import Ranked
from steelyard.read.table import apart
from steelyard.states import Classified
from steelyard.states.binned import ByScore, Gone

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
        if (state := _scores(each.state)) is None:
            continue
        parts = _scores(each.parts)
        if not sliced or parts is None or each.slices is None:
            return curve(name, state, **options)
        return _labelled(curve(name, parts, **options), each.slices)
    if any(isinstance(each.state, Classified) for each in measured):
        raise showing.several_classes(name=name)
    _check_kept(name, measured, {"scores", "classes"})
    raise showing.rows_not_measured(name=name)


def _scores(state: Any) -> ByScore | None:
    """Labels of 0 and 1 with scores; of two classes the second is the positive one."""
    if isinstance(state, Classified) and state.probability is not None and len(state.classes) == 2:
        return state.one_against_rest(1)
    return state if isinstance(state, ByScore) else None


def _labelled(drawn: Curve, slices: pl.DataFrame) -> Curve:
    names = apart(slices.columns, drawn.frame.columns)
    labels = slices.rename(dict(zip(slices.columns, names, strict=True))).with_row_index("segment")
    numbered = labels.with_columns(pl.col("segment").cast(pl.Int64))
    frame = drawn.frame.join(numbered, on="segment", how="left", maintain_order="left")
    return replace(drawn, frame=frame, by=tuple(names))


def _at_k(name: str | Metric, measured: Sequence[Measured], options: dict[str, Any]) -> Curve:
    asked = Asked.of(name) if isinstance(name, Metric) else _asked(name)
    one = _ranking(str(name), measured)
    changes = {field: value for field, value in options.items() if field != "ks"}
    like = asked.metric.replace(**changes)
    # the conventions of the ranking that was measured; the cutoff is what varies
    need = one.metric.need()
    shared = {**vars(need.align), **vars(need.rank)}
    known = {field: value for field, value in shared.items() if field not in asked.stated | set(changes)}
    drawn = curve(like.replace(**known), one.state, ks=options.get("ks"))
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


def _ranking(name: str, measured: Sequence[Measured]) -> Measured:
    for one in measured:
        if isinstance(one.state, Ranked):
            return one
    _check_kept(name, measured, {"hits"})
    raise showing.ranking_not_measured(name=name)


def _check_kept(name: str, measured: Sequence[Measured], reads: Collection[str]) -> None:
    if any(isinstance(one.state, Gone) and one.metric.reads in reads for one in measured):
        raise showing.curve_not_kept(name=name)
