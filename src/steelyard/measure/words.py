"""What is told beside the numbers: how much was read, and under which conventions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steelyard.conventions import plain
from steelyard.engine.protocol import Tally
from steelyard.engine.segmented import Segmented
from steelyard.measure.measured import Measured, of_state
from steelyard.messages import Message, say, term
from steelyard.metrics import LabelledMetric, Metric, RankingMetric

_EVERY_METRIC = {field.name for kind in (RankingMetric, LabelledMetric) for field in dataclasses.fields(kind)}


def facts_of(measured: Sequence[Measured], tally: Tally, *, two_tables: bool) -> tuple[Message, ...]:
    """How much was read, in a few words."""
    facts = []
    if "queries" in tally.held:
        facts.append(say("{n:,} {n:query|queries}", key="queries", n=tally.queries))
        facts.append(say("{n:,} {n:prediction|predictions}", key="predictions", n=tally.predictions))
        if two_tables:
            facts.append(say("{n:,} {n:judgement|judgements}", key="judgements", n=tally.judgements))
        needs = (one.metric.need() for one in measured)
        hits = next((need.convention[0] for need in needs if need.reads == "hits"), None)
        if tally.unjudged and hits is not None and hits.unjudged == "nonrelevant":
            share = tally.unjudged / tally.retrieved
            facts.append(say("{share:.1%} of ranked rows unjudged", key="unjudged", share=share))
        if "rows" in tally.held:
            facts.append(say("{n:,} {n:labelled row|labelled rows}", key="rows", n=tally.rows))
    else:
        facts.append(say("{n:,} {n:row|rows}", key="rows", n=tally.rows))
    of_rows = (one.state.facts() for one in of_state(measured, Segmented))
    return (*facts, *next(filter(None, of_rows), []))


def conventions_of(
    profiles: Sequence[str],
    measured: Sequence[Measured],
    usual: Callable[[Metric], Mapping[str, Any]],
    weights: str | None,
    exclude: str | None,
) -> Message:
    """The profiles, ties and missing queries, and every choice that differs from the house's.

    Where metrics differ, each choice names the metrics it holds for. ``usual`` gives the house's choices.
    """
    said: dict[Message, list[str]] = {}
    for one in measured:
        for phrase in _choices(one.metric, usual(one.metric), one.thresholded):
            said.setdefault(phrase, []).append(one.label)
    parts = [
        phrase if len(labels) == len(measured) else say("{said} ({labels})", said=phrase, labels=labels)
        for phrase, labels in said.items()
    ]
    if weights:
        weighed = {one.metric.weighs for one in measured}
        if len(weighed) > 1:
            parts.append(say("queries and rows weighted by {weights}", weights=weights))
        elif "queries" in weighed:
            parts.append(say("queries weighted by {weights}", weights=weights))
        else:
            parts.append(say("rows weighted by {weights}", weights=weights))
    if exclude:
        parts.append(say("without the items of {exclude}", exclude=exclude))
    return say("{parts:·}", parts=[*profiles, *parts])


def _choices(metric: Metric, usual: Mapping[str, Any], thresholded: bool) -> list[Message]:
    """In words: what the metric always tells, and every field that is not as the edition has it."""
    phrases = []
    told = {*metric.told_fields(), *(("threshold",) if thresholded else ())}
    if getattr(metric, "order", "") == "given":
        told -= {"ties"}
    differing = metric.differing(metric.normalised(usual))
    for name, value in metric.values().items():
        if name == "k" or not (name in told or name in differing):
            continue
        meaning = metric.meaning(name) if name in _EVERY_METRIC else None
        setting = say("{field}={value}", field=name, value=plain(value))
        phrases.append(term(meaning) if meaning else setting)
    return phrases
