"""Of rows: what is told beside the value, which fields say nothing there, and what else might be chosen."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

from steelyard.messages import Message, say
from steelyard.metrics import AUC, AveragedMetric, LogLoss, Metric, ThresholdMetric, TopAccuracy
from steelyard.metrics.ece import BinnedCalibration
from steelyard.metrics.multiclass import MULTICLASS_AVERAGES
from steelyard.show.explanation.others import Change, changes, own_fields
from steelyard.show.explanation.rows_curves import ROC
from steelyard.states import Classified, Scored, Segmented

_CLIPS = (None, 1e-15, 1e-7)
_BINS = (10, 15, 20)
_PARTS = (None, 0.1)
_TOPS = (1, 3, 5, None)


@singledispatch
def idle(_metric: Metric, _state: Any) -> set[str]:
    """The fields of a metric that nothing of these rows depends on."""
    return set()


@idle.register
def _(metric: AUC, state: Any) -> set[str]:
    found = set() if isinstance(state, Classified) else {"average"}
    return found if metric.is_partial else found | {"partial"}


@idle.register
def _(metric: ROC, _state: Any) -> set[str]:
    return {field.name for field in own_fields(metric)}


@idle.register
def _(_metric: ThresholdMetric, state: Any) -> set[str]:
    return {"threshold", "strict"} if isinstance(state, Classified) else set()


@idle.register
def _(metric: AveragedMetric, state: Any) -> set[str]:
    found = {"threshold", "strict"} if isinstance(state, Classified) else set()
    return found if metric.is_mean else found | {"undefined_class"}


@changes.register
def _(metric: AUC, state: Any) -> list[Change]:
    found: list[Change] = [("max_fpr", one) for one in _PARTS]
    if isinstance(state, Classified):
        found += [("average", one) for one in MULTICLASS_AVERAGES]
    if metric.is_partial:
        found += [("partial", one) for one in ("standardised", "raw")]
    return _other(metric, [*found, ("tolerance", None)])


@changes.register
def _(_metric: ROC, _state: Any) -> list[Change]:
    return []


@changes.register
def _(metric: LogLoss, _state: Any) -> list[Change]:
    return _other(metric, [*(("clip", one) for one in _CLIPS), *(("base", one) for one in ("e", "2"))])


@changes.register
def _(metric: BinnedCalibration, _state: Any) -> list[Change]:
    binnings = [("binning", one) for one in ("mass", "width")]
    return _other(metric, [*(("bins", one) for one in _BINS), *binnings])


@changes.register
def _(metric: TopAccuracy, _state: Any) -> list[Change]:
    ties = [("class_ties", one) for one in ("expected", "first", "pessimistic")]
    return _other(metric, [*(("k", one) for one in _TOPS), *ties])


def _other(metric: Metric, found: Iterable[Change]) -> list[Change]:
    return [(name, value) for name, value in found if value != getattr(metric, name)]


def row_facts(state: Segmented) -> list[Message]:
    """How many rows there are, and of what."""
    rows = int(state.rows[0])
    if isinstance(state, Scored):
        positive = int(((state.label == 1) & (state.weights > 0)).sum())
        facts = say(
            "rows {rows:,} · positives {positives:,} · negatives {negatives:,}",
            key="scored_facts",
            rows=rows,
            positives=positive,
            negatives=rows - positive,
        )
    elif isinstance(state, Classified):
        n_classes = len(state.classes)
        facts = say("rows {rows:,} · classes {n:,}", key="classified_facts", rows=rows, n=n_classes)
    else:
        facts = say("rows {rows:,}", key="rated_facts", rows=rows)
    if state.weight is None:
        return [facts]
    weight = float(state.shown(state.total())[0])
    return [facts, say("total weight {weight:g}", key="weight_fact", weight=weight)]
