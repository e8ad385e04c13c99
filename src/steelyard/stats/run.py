"""The metrics of a plan on an engine: their values, their conventions in words, and notes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.conventions import Certainty, plain
from steelyard.engine.influence import Segmented
from steelyard.engine.memory import Lists, Memory
from steelyard.engine.protocol import Tally
from steelyard.engine.ranked import Ranked, touched_by_ties
from steelyard.engine.top_lists import TopLists
from steelyard.metrics import LabelledMetric, Metric, RankingMetric
from steelyard.metrics.base import MetricRequest
from steelyard.metrics.classes.influence import LEAST
from steelyard.stats.intervals import Limits
from steelyard.stats.measured import Measured, extremes, of_state
from steelyard.stats.notes import all_notes, grouped, row_notes
from steelyard.text import Message, listed, say, sentences, term


def measured(one: MetricRequest, engine: Memory, certainty: Certainty) -> Measured:
    metric, need = one.metric.for_truth(engine.max_grade), one.need
    reader = engine.reader(need)
    state = reader.state(need)
    labels, parts = (None, None) if reader.slices is None else reader.split(need, state)
    thresholded = need.threshold is not None and reader.thresholded(need)
    moved = reader.moved(need) if need.reads == "scores" else None
    made = Measured.of(
        one.label, metric, state, labels, parts, certainty, thresholded=thresholded, moved=moved
    )
    if need.reads != "hits" or not metric.monotone:
        return made
    counted = reader.counted(need)
    if not (counted.ranked.hits.tied > 1).any():
        return made
    touched = touched_by_ties(counted, need.convention[1])
    return made.with_ties(lambda ties: reader.ordered(need, ties), touched) if touched.any() else made


def value_of(one: MetricRequest, engine: Memory) -> Floats:
    whole: Floats = one.metric.for_truth(engine.max_grade).measure(engine.reader(one.need).state(one.need))[0]
    return whole


def notes_of(made: Sequence[Measured], engine: Memory) -> list[Message]:
    """Every note on the tables and on what was measured, each sentence once."""
    notes: list[Message] = []
    ranked = [one for one in made if isinstance(one.state, Ranked | TopLists)]
    if engine.lists is not None:
        hits, lists = of_state(ranked, Ranked), of_state(ranked, TopLists)
        graded = bool(hits) or any("truth" in one.need.tables for one in lists)
        notes += engine.lists.notes([one.state for one in ranked], graded=graded)
        if hits:
            notes += engine.lists.nothing_judged()
        tally, every = engine.lists.listed_tally, len(ranked) == len(made)
        notes += all_notes(hits, engine.lists.counted, lists, tally, every=every)
    if engine.rows is not None:
        of_rows = [one for one in made if one not in ranked]
        notes += engine.rows.notes()
        notes += row_notes(of_rows, engine.rows)
        without = [one.label for one in of_rows if not one.need.weighted]
        if without and engine.rows.weighted:
            notes.append(
                say("{labels} {labels:ignores|ignore} the row weights.", key="row_weights", labels=without)
            )
        notes += [note for one in of_rows for note in engine.rows.state_notes(one.need, one.state)]
    return list(dict.fromkeys(notes))


def kept_lists(made: Sequence[Measured], engine: Memory) -> Lists | None:
    """The lists themselves; of very many rows only those of the best and worst queries."""
    if engine.lists is None or engine.lists.encoded is None:
        return None
    lists = Lists(encoded=engine.lists.encoded, max_grade=engine.max_grade, some=engine.lists.some)
    return lists.kept(lambda: best_and_worst(made))


def best_and_worst(made: Sequence[Measured]) -> list[object]:
    """The queries with the lowest and the highest values of the first metric of rankings."""
    for first in of_state(made, Ranked):
        queries: pl.Series = first.state.queries
        return queries.gather(np.concatenate(extremes(first))).to_list()
    return []


FEW = 10  # effective units below which an interval is rough
_UNEQUAL = 1.5  # times an equal share; below that the units are few, not unequal
_HEAVY = 0.05  # share of a denominator above which a unit is named
_ROUNDED = 1e-9
_SHOWN = 3
_KINDS = {"score": ("score",), "t": ("t",), "influence": ("t", "log", "log_rest", "logit"), "bca": ("bca",)}

_note = sentences(
    no_interval="{labels}: no interval, since the value depends on the number of users.",
    # without the metrics, so that several systems share the sentence
    rows_are_units="intervals assume independent rows; pass unit=NAME if rows share a user.",
    not_resampled="{labels}: no interval, since resampling so many rows takes long; ask for it with "
    "ci=bootstrap.",
    one_unit="{labels}: no interval, since only one unit (query, user or group) has data for it.",
    rare_class="{labels}: no interval, since a class has fewer than {least} effective units.",
    short_median="{labels}: no interval, since a median of so few values has none.",
    equal_units="{labels}: all units have the same value, so there is no interval.",
    few_units="{labels}: effective sample size below {few}; the interval is approximate.",
    biased_upwards="{labels}: biased upward, so the interval is too optimistic.",
    other_interval="{labels}: there is no interval of the kind {asked}; the one that suits the metric is "
    "given.",
    empty_draws="{label}: {n:,} of {of:,} resamples are empty and are skipped.",
    buckets="intervals put units into {n:,} groups by a hash; the standard error of a standard error is "
    "{share:.1%}.",
    tolerance="{label} is exact to within {bound:.2g}: scores are kept to their leading {bits} bits.",
    unnamed_units="{n:,} {n:row or query has|rows or queries have} no unit; each counts as a unit.",
    heavy_unit="unit {unit} contributes {share:.1%} of {label}; "
    "effective sample size {effective:,.1f} of {n:,}.",
)


def certainty_notes(measured: Sequence[Measured], certainty: Certainty) -> list[Message]:
    """The notes on the intervals of the whole, one sentence for all metrics that it is true of."""
    asked = certainty.ci
    if asked == "none":
        return []
    labels: dict[str, list[str]] = {"no_interval": []}
    for one in measured:
        for key, holds in _holding(one, asked).items():
            labels.setdefault(key, []).extend([one.label] if holds else [])
    notes = [
        _note(key, labels=listed(names, _SHOWN), least=LEAST, few=FEW, asked=asked)
        for key, names in labels.items()
        if names
    ]
    return notes + _of_units([(one, one.limits) for one in measured if one.limits is not None])


def _holding(one: Measured, asked: str) -> dict[str, bool | np.bool_]:
    limits = one.limits
    finite = np.isfinite(one.whole.reshape(-1))
    if one.metric.interval() == "none":
        return {"no_interval": one.metric.biased and finite.any()}
    if limits is None:
        return {}
    unknown, effective = np.isnan(limits.low), limits.effective
    known, without = not unknown.all(), finite & unknown
    return {
        "rows_are_units": known and one.drawn == "rows" and (one.sampled or (one.state,))[0].drawn.are_rows,
        "not_resampled": limits.left_out,
        # 0 where there are no units
        "one_unit": (without & (effective > 0) & (effective < 1 + 1e-9)).any(),
        "rare_class": limits.scarce.any(),
        # too few queries for an interval of the median
        "short_median": limits.kind == "order" and (without & (effective > 1)).any(),
        "equal_units": (unknown & np.isfinite(limits.error) & ~limits.scarce).any(),
        "few_units": known and np.nanmin(limits.fewest) < FEW - 1e-6,
        "biased_upwards": one.metric.biased and known,
        "other_interval": known and asked in _KINDS and limits.kind not in _KINDS[asked],
    }


def tolerance_note(label: str, bound: float, bits: int | None) -> Message:
    """How exact a value from ranges of scores is."""
    return _note("tolerance", label=label, bound=bound, bits=bits)


def _of_units(measured: Sequence[tuple[Measured, Limits]]) -> list[Message]:
    """Notes on units: empty draws, rows without a unit, and a unit with a large share."""
    notes: dict[str, Message] = {}
    most = 0
    for one, limits in measured:
        if np.isnan(limits.low).all():
            continue
        units = (one.sampled or (one.state,))[0].drawn
        n = 0 if limits.empty is None else int(limits.empty.max(initial=0))
        if n > most:  # of the metric that has most of them
            most = n
            notes["empty"] = _note("empty_draws", label=one.label, n=n, of=limits.draws)
        if units.buckets:
            n = int(limits.units.max())
            notes["buckets"] = _note("buckets", n=n, share=1 / (2 * n) ** 0.5)
        if units.unnamed and "unnamed" not in notes:
            notes["unnamed"] = _note("unnamed_units", n=units.unnamed)
        share = np.nan_to_num(limits.share)
        at = int(share.argmax())
        heavy = share[at] > (1 + _ROUNDED) * max(_HEAVY, _UNEQUAL * limits.equal[at])
        if heavy and limits.kind != "order" and not units.buckets and "heavy" not in notes:
            number = int(limits.largest[at])
            notes["heavy"] = _note(
                "heavy_unit",
                unit=str(number if units.names is None else units.names[number]),
                share=float(share[at]),
                label=one.label,
                n=int(limits.units[at]),
                effective=float(limits.effective[at]),
            )
    return [notes[name] for name in ("empty", "buckets", "unnamed", "heavy") if name in notes]


def facts_of(measured: Sequence[Measured], tally: Tally, *, two_tables: bool) -> tuple[Message, ...]:
    """How much was read, in a few words."""
    facts = []
    if "queries" in tally.held:
        facts.append(say("{n:,} {n:query|queries}", key="queries", n=tally.queries))
        facts.append(say("{n:,} {n:prediction|predictions}", key="predictions", n=tally.predictions))
        if two_tables:
            facts.append(say("{n:,} {n:judgement|judgements}", key="judgements", n=tally.judgements))
        if tally.unjudged:
            hits = [one.need for one in measured if one.metric.reads == "hits"]
            if hits and hits[0].convention[0].unjudged == "nonrelevant":
                share = tally.unjudged / tally.retrieved
                facts.append(say("{share:.1%} of ranked rows unjudged", key="unjudged", share=share))
        if "rows" in tally.held:
            facts.append(say("{n:,} {n:labelled row|labelled rows}", key="rows", n=tally.rows))
    else:
        facts.append(say("{n:,} {n:row|rows}", key="rows", n=tally.rows))
    for one in measured:
        if isinstance(one.state, Segmented) and (of_rows := one.state.facts()):
            return (*facts, *of_rows)
    return tuple(facts)


_EVERY_METRIC = {field.name for kind in (RankingMetric, LabelledMetric) for field in dataclasses.fields(kind)}


def conventions_of(
    profiles: Sequence[str],
    measured: Sequence[Measured],
    defaults: Callable[[Metric], Mapping[str, Any]],
    weights: str | None,
    exclude: str | None,
) -> Message:
    """The profiles, ties and missing queries, and every choice that differs from the default.

    A choice that does not hold for all metrics names those that it holds for.
    """
    choices = grouped(
        (phrase, one.label)
        for one in measured
        for phrase in _choices(one.metric, defaults(one.metric), one.thresholded)
    )
    parts = [
        phrase if len(labels) == len(measured) else say("{said} ({labels})", said=phrase, labels=labels)
        for phrase, labels in choices.items()
    ]
    if weights:
        weighted = {one.metric.weighs for one in measured}
        if len(weighted) > 1:
            parts.append(say("queries and rows weighted by {weights}", weights=weights))
        elif "queries" in weighted:
            parts.append(say("queries weighted by {weights}", weights=weights))
        else:
            parts.append(say("rows weighted by {weights}", weights=weights))
    if exclude:
        parts.append(say("without the items of {exclude}", exclude=exclude))
    return say("{parts:·}", parts=[*profiles, *parts])


def _choices(metric: Metric, defaults: Mapping[str, Any], thresholded: bool) -> list[Message]:
    """In words: the fields that the metric always states, and those that differ from the defaults."""
    stated = {*metric.told_fields(), *(("threshold",) if thresholded else ())}
    if getattr(metric, "order", "") == "given":
        stated -= {"ties"}
    stated.update(metric.differing(metric.normalised(defaults)))
    phrases = []
    for name, value in metric.values().items():
        if name == "k" or name not in stated:
            continue
        meaning = metric.meaning(name) if name in _EVERY_METRIC else None
        setting = say("{field}={value}", field=name, value=plain(value))
        phrases.append(term(meaning) if meaning else setting)
    return phrases
