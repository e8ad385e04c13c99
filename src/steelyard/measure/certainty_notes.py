"""What a reader of intervals must know: how few units they rest on, and what they leave out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from steelyard.measure.certainty import Certainty
from steelyard.measure.measured import Measured
from steelyard.messages import Message, listed, say
from steelyard.metrics.class_influence import LEAST

FEW = 10  # effective units below which an interval is rough
UNEQUAL = 1.5  # times an equal part: below that no unit is heavier than others, only the units are few
HEAVY = 0.05  # of a denominator: what one unit may hold before it is named
_SHOWN = 3


def certainty_notes(measured: Sequence[Measured], certainty: Certainty) -> list[Message]:
    """What is to be said of the intervals of the whole, each sentence once for all metrics it holds for."""
    if certainty.ci == "none":
        return []
    told = [one for one in measured if one.limits is not None and one.metric.interval() != "none"]
    found = [
        _of_metrics(measured, _never_has_one, _no_interval),
        _of_metrics(told, _without_units, _rows_are_units),
        _of_metrics(told, lambda one: one.limits is not None and one.limits.left_out, _not_resampled),
        _of_metrics(told, _one_unit, _alone),
        _of_metrics(told, _rare_class, _too_few_of_class),
        _of_metrics(told, _short_median, _too_few_for_median),
        _of_metrics(told, _all_equal, _equal),
        _of_metrics(told, _few_units, _few),
        _of_metrics(told, lambda one: one.metric.biased and _has_interval(one), _biased),
        _of_metrics(
            told, lambda one: _otherwise(one, certainty), lambda labels: _other_kind(labels, certainty.ci)
        ),
    ]
    kept = (note for note in found if note is not None)
    return [*kept, *_emptied(told), *_unnamed(told), *_heavy(told)]


def _of_metrics(
    measured: Sequence[Measured], holds: Callable[[Measured], bool], note: Callable[[Message], Message]
) -> Message | None:
    labels = [one.label for one in measured if holds(one)]
    return note(listed(labels, _SHOWN)) if labels else None


def _has_interval(one: Measured) -> bool:
    return one.limits is not None and not np.isnan(one.limits.low).all()


def _never_has_one(one: Measured) -> bool:
    return one.metric.biased and one.metric.interval() == "none" and bool(np.isfinite(one.whole).any())


def _without_units(one: Measured) -> bool:
    return _has_interval(one) and bool(one.state.drawn.are_rows)


def _one_unit(one: Measured) -> bool:
    assert one.limits is not None
    defined, effective = np.isfinite(one.whole.reshape(-1)), one.limits.effective
    alone = (effective > 0) & (effective < 1 + 1e-9)  # 0 where nothing is there to rest on
    return bool((defined & np.isnan(one.limits.low) & alone).any())


def _short_median(one: Measured) -> bool:
    """Whether so few queries have a value that none of them bounds the median."""
    assert one.limits is not None
    without = np.isnan(one.limits.low) & np.isfinite(one.whole.reshape(-1)) & (one.limits.effective > 1)
    return one.limits.kind == "order" and bool(without.any())


def _rare_class(one: Measured) -> bool:
    return one.limits is not None and bool(one.limits.scarce.any())


def _all_equal(one: Measured) -> bool:
    return one.limits is not None and bool(one.limits.all_equal.any())


def _few_units(one: Measured) -> bool:
    return _has_interval(one) and one.limits is not None and bool(np.nanmin(one.limits.fewest) < FEW - 1e-6)


def _otherwise(one: Measured, certainty: Certainty) -> bool:
    """Whether an interval is not of the kind that was asked for, as the metric has none of that kind."""
    assert one.limits is not None
    wanted = {
        "score": ("score",),
        "t": ("t",),
        "influence": ("t", "log", "log_rest", "logit"),
        "bca": ("bca",),
    }
    return certainty.ci in wanted and _has_interval(one) and one.limits.kind not in wanted[certainty.ci]


def _rows_are_units(_labels: Message) -> Message:
    # without the metrics, so that several systems say it once
    return say(
        "intervals assume independent rows; pass unit=NAME if rows share a user.", key="rows_are_units"
    )


def _no_interval(labels: Message) -> Message:
    return say(
        "{labels}: no interval, since the value depends on the number of users.",
        key="no_interval",
        labels=labels,
    )


def _not_resampled(labels: Message) -> Message:
    return say(
        "{labels}: no interval, since resampling so many rows takes long; ask for it with ci=bootstrap.",
        key="not_resampled",
        labels=labels,
    )


def _alone(labels: Message) -> Message:
    return say(
        "{labels}: no interval, since all of it, or all of one class, comes from one unit.",
        key="one_unit",
        labels=labels,
    )


def _too_few_of_class(labels: Message) -> Message:
    return say(
        "{labels}: no interval, since a class has fewer than {least} effective units.",
        key="rare_class",
        labels=labels,
        least=LEAST,
    )


def _too_few_for_median(labels: Message) -> Message:
    return say(
        "{labels}: no interval, since a median of so few values has none.", key="short_median", labels=labels
    )


def _equal(labels: Message) -> Message:
    return say(
        "{labels}: all units have the same value, so there is no interval.", key="equal_units", labels=labels
    )


def _few(labels: Message) -> Message:
    return say(
        "{labels}: effective sample size below {few}; the interval is approximate.",
        key="few_units",
        labels=labels,
        few=FEW,
    )


def _biased(labels: Message) -> Message:
    return say(
        "{labels}: chance alone makes the value larger, and the interval covers the truth less often than "
        "it states.",
        key="biased_upwards",
        labels=labels,
    )


def _other_kind(labels: Message, kind: str) -> Message:
    return say(
        "{labels}: there is no interval of the kind {asked}; the one that suits the metric is given.",
        key="other_interval",
        labels=labels,
        asked=kind,
    )


def _emptied(measured: Sequence[Measured]) -> list[Message]:
    """How many draws of units left nothing to measure, for the metric that had most of them."""
    counts = {
        one.label: (int(one.limits.empty.max(initial=0)), one.limits.draws)
        for one in measured
        if one.limits is not None and one.limits.empty is not None and _has_interval(one)
    }
    label = max(counts, key=lambda one: counts[one][0], default=None)
    if label is None or not counts[label][0]:
        return []
    n, of = counts[label]
    return [
        say(
            "{label}: {n:,} of {of:,} draws of units left nothing to measure, and are left out.",
            key="empty_draws",
            label=label,
            n=n,
            of=of,
        )
    ]


def _unnamed(measured: Sequence[Measured]) -> list[Message]:
    """How many rows or queries have no unit."""
    for one in measured:
        n = one.state.drawn.unnamed
        if n and _has_interval(one):
            return [
                say(
                    "{n:,} {n:row or query has|rows or queries have} no unit, and {n:is one|are units} of "
                    "{n:its|their} own.",
                    key="unnamed_units",
                    n=n,
                )
            ]
    return []


def _heavy(measured: Sequence[Measured]) -> list[Message]:
    """The unit that holds more than its part, for the first metric in which it does."""
    for one in measured:
        limits = one.limits
        if limits is None or not _has_interval(one) or limits.kind == "order":
            continue
        share = np.nan_to_num(limits.share)
        at = int(share.argmax())
        if share[at] > HEAVY and share[at] > UNEQUAL * limits.equal[at]:
            said = say(
                "unit {unit} holds {share:.1%} of what {label} rests on: {n:,} units count like "
                "{effective:,.1f}.",
                key="heavy_unit",
                unit=_name(one, int(limits.largest[at])),
                share=float(share[at]),
                label=one.label,
                n=int(limits.units[at]),
                effective=float(limits.effective[at]),
            )
            return [said]
    return []


def _name(one: Measured, number: int) -> str:
    names: pl.Series | None = one.state.drawn.names
    return str(number) if names is None else str(names[number])
