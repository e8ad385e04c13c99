"""What a reader must know to trust the numbers: how much was read, the conventions, and notes on rankings."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.conventions import plain
from steelyard.engine.align import Counted
from steelyard.engine.protocol import Need, Tally
from steelyard.engine.segmented import Segmented
from steelyard.metrics import LabelledMetric, Metric, RankingMetric
from steelyard.printable import Shown
from steelyard.stats.measured import Measured
from steelyard.stats.tie_notes import SHOWN, tie_notes
from steelyard.text import Message, listed, say, sentences, some, term

_EVERY_METRIC = {field.name for kind in (RankingMetric, LabelledMetric) for field in dataclasses.fields(kind)}
_MISSING = {"keep": say("counted as empty lists", key="keep"), "skip": say("left out", key="skip")}
_UNEXPECTED = {
    "lists": say("their lists count", key="keep"),
    "keep": say("counted as having nothing relevant", key="keep"),
    "ignore": say("left out", key="ignore"),
}
_SAID = sentences(
    several_rankings="the lists were ranked under {n} conventions: {groups:/}.",
    undefined_queries=(
        "{labels} {labels:is|are} undefined for {n:,} {n:query|queries} ({queries}) and "
        "{labels:leaves|leave} {n:it|them} out.",
        "all metrics are undefined for {n:,} {n:query|queries} ({queries}) and leave {n:it|them} out.",
    ),
    covered="{label} {n:,}",
    numbers_of_queries_differ="the metrics cover different numbers of queries ({counts}): compare them with "
    "care.",
    queries_differ="the metrics cover different queries ({counts}): compare them with care.",
    nothing_relevant="no judged item is relevant: the highest grade is {highest} and rel is {rel}.",
    rel_too_high="no judged item is relevant: the highest grade is {highest} and rel is {rel}; set rel, for "
    "example rel={highest}.",
    everything_relevant="every judged item is relevant: grades are {lowest} to {highest} and rel is {rel}; "
    "did you mean rel={likely}?",
    # of lists as a whole
    undefined_lists="{labels} {labels:is|are} undefined: {why}.",
    undefined_groups="{label} is undefined for {n:,} of {every:,} groups ({groups}): {why}.",
    undefined_in_slices="{label} is undefined in {n:,} of {every:,} slices: {why}.",
    ties_decide="{share:.1%} of rows are tied with another row of their query; ties={ties} decides which of "
    "them lists show.",
    # the counts, without a full stop
    queries_missing="{n:,} {n:query|queries} of the truth without predictions: {fate}",
    queries_emptied="{n:,} {n:query has|queries have} predictions, but every row of them is masked, excluded "
    "or removed",
    queries_unexpected="{n:,} {n:query|queries} of the predictions without truth: {fate}",
    queries_unmixed="{n:,} {n:list has|lists have} only relevant items or none: left out",
    doubled=(
        "{predictions:,} {predictions:prediction|predictions} and {judgements:,} "
        "{judgements:judgement|judgements} name a (query, item) again: one counts",
        "{predictions:,} {predictions:prediction names|predictions name} a (query, item) again: one counts",
        "{judgements:,} {judgements:judgement names|judgements name} a (query, item) again: one counts",
    ),
    unjudged_removed="{n:,} {n:row|rows} without judgement: removed before ranking",
    unjudged_or_negative="{n:,} {n:row|rows} without judgement, or with a grade below 0: removed before "
    "ranking",
    masked="{n:,} {n:row|rows} with a score of -inf: not retrieved",
    excluded="{n:,} {n:row|rows} excluded",
    self_matched="{n:,} {n:row|rows} whose item is the query itself: removed",
    short_lists="{n:,} {n:list is|lists are} shorter than the cutoff {cutoff}: read to the end",
)


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


def all_notes(
    measured: Sequence[Measured],
    counted: Callable[[Need], Counted],
    lists: Sequence[Measured],
    tally: Callable[[Need], Tally],
    *,
    every: bool,
) -> list[Message]:
    """Every note on rankings and on lists as a whole, the most important first.

    ``lists`` are metrics of lists as a whole, and ``tally`` is what was counted for each of their needs.
    ``every`` says that the call asked for no others, such as metrics of rows.
    """
    groups, of_lists = _by_need(measured), _by_need(lists) if lists else {}
    notes = _undefined_notes(measured, groups, every=every and not lists)
    if lists:
        means = [one for one in lists if one.each is not None]
        notes += _undefined_notes(means, of_lists, every=every and not measured and len(means) == len(lists))
        notes += _undefined_lists(lists)
    if len(measured) > 1:
        notes += _coverage_notes(measured)
    for kind in (groups, of_lists):
        if len(kind) > 1:
            notes += _conventions(kind)
    counts = [counted(need) for need in groups]
    holding: dict[Message, list[str]] = {}
    tallies = [one.tally for one in counts] + [tally(need) for need in of_lists]
    for found, (need, group) in zip(tallies, [*groups.items(), *of_lists.items()], strict=True):
        for note in _counted_notes(found, need, group):
            holding.setdefault(note, []).extend([one.label for one in group])
    for note, labels in holding.items():  # what does not hold of every ranking names its metrics
        if len(labels) < len(measured) + len(lists):
            notes.append(say("{said} ({labels}).", key=note.key, said=note, labels=labels))
        else:
            notes.append(say("{said}.", key=note.key, said=note))
    for ranked, group in zip(counts, groups.values(), strict=True):
        levels = {one.metric.rel for one in group if hasattr(one.metric, "rel")}
        if levels:
            notes += _grade_notes(sorted(levels), ranked)
        if (ranked.hits.tied > 1).any():
            notes += tie_notes(group, ranked, alone=len(groups) == 1)
    if lists:
        notes += _list_facts(lists) + _tied_lists({need: tally(need) for need in of_lists})
    return list(dict.fromkeys(notes))


def _by_need(measured: Sequence[Measured]) -> dict[Need, list[Measured]]:
    found: dict[Need, list[Measured]] = {}
    for one in measured:
        found.setdefault(one.need, []).append(one)
    return found


def _conventions(groups: Mapping[Need, Sequence[Measured]]) -> list[Message]:
    found: dict[object, list[str]] = {}
    for need, group in groups.items():
        found.setdefault(need.convention, []).extend(one.label for one in group)
    if len(found) < 2:
        return []
    return [
        _SAID(
            "several_rankings",
            n=len(found),
            groups=[say("{items}", items=labels) for labels in found.values()],
        )
    ]


def _undefined_notes(
    measured: Sequence[Measured], groups: Mapping[Need, Sequence[Measured]], *, every: bool
) -> list[Message]:
    """Which queries a metric leaves out; one sentence for metrics that leave out the same."""
    number = {one.label: at for at, group in enumerate(groups.values()) for one in group}
    alike: dict[tuple[int, bytes], list[Measured]] = {}
    for one in measured:
        assert one.each is not None
        undefined = one.state.counts & np.isnan(one.each)
        if undefined.any():
            alike.setdefault((number[one.label], undefined.tobytes()), []).append(one)
    notes = []
    for (_, undefined), group in alike.items():
        at = np.flatnonzero(np.frombuffer(undefined, bool))
        shown = [str(query) for query in group[0].state.queries.gather(at[:SHOWN]).to_list()]
        queries = some(shown, SHOWN, len(at))
        labels = None if every and 1 < len(group) == len(measured) else [one.label for one in group]
        notes.append(_SAID("undefined_queries", labels=labels, n=len(at), queries=queries))
    return notes


def _coverage_notes(measured: Sequence[Measured]) -> list[Message]:
    """Said once where the metrics of one call are means over different queries."""
    covered = [one.state.counts & ~np.isnan(one.values) for one in measured]
    counts = [int(defined.sum()) for defined in covered]
    key = "numbers_of_queries_differ"
    if len(set(counts)) == 1:
        queries = [one.state.queries.filter(pl.Series(at)) for one, at in zip(measured, covered, strict=True)]
        if all(queries[0].equals(other) for other in queries[1:]):
            return []
        key = "queries_differ"
    shown = [_SAID("covered", label=one.label, n=n) for one, n in zip(measured, counts, strict=True)]
    return [_SAID(key, counts=shown)]


def _grade_notes(levels: Sequence[float], counted: Counted) -> list[Message]:
    """Said where `rel` makes everything or nothing relevant."""
    grades = counted.judged_grade
    if len(grades) < counted.judged.sum():
        grades = np.append(grades, 0.0)
    if not len(grades):
        return []
    lowest, highest = float(grades.min()), float(grades.max())
    notes = []
    for rel in levels:
        figures = {"lowest": lowest, "highest": highest, "rel": rel}
        if highest < rel:
            which, key = "rel_too_high" if highest > 0 else "nothing_relevant", "nothing_relevant"
        elif rel <= lowest < highest:
            which = key = "everything_relevant"
            figures["likely"] = _upper_half(grades, rel)
        else:
            continue
        shown = {name: Shown(value, plain(value)) for name, value in figures.items()}
        notes.append(_SAID(which, key=key, **shown))
    return notes


def _upper_half(grades: Floats, rel: float) -> float:
    """The least grade above ``rel`` that at most half of the judged items reach."""
    levels, counts = np.unique(grades, return_counts=True)
    reached = np.cumsum(counts[::-1])[::-1]
    fitting = levels[(reached <= len(grades) / 2) & (levels > rel)]
    return float(fitting[0] if len(fitting) else levels[-1])


def _counted_notes(tally: Tally, need: Need, measured: Sequence[Measured]) -> list[Message]:
    """What was left out or read as empty, and how many lists are short, without a full stop."""
    convention, _ = need.convention
    unexpected = _UNEXPECTED.get("lists" if need.reads == "lists" else convention.unexpected)
    predictions, judgements = tally.doubled_predictions or None, tally.doubled_judgements or None
    cutoff = max([getattr(one.metric, "k", None) or 0 for one in measured])
    retrieved = measured[0].state.retrieved
    short = int(np.count_nonzero((retrieved > 0) & (retrieved < cutoff)))
    removed = {"drop": "unjudged_removed", "drop_negative": "unjudged_or_negative"}.get(
        convention.unjudged, ""
    )
    rows: tuple[tuple[str, Any, dict[str, Any]], ...] = (
        ("queries_missing", tally.queries_missing, {"fate": _MISSING.get(convention.missing)}),
        ("queries_emptied", tally.queries_emptied, {}),
        ("queries_unexpected", tally.queries_unexpected, {"fate": unexpected}),
        ("queries_unmixed", tally.queries_unmixed, {}),
        ("doubled", predictions or judgements, {"predictions": predictions, "judgements": judgements}),
        (removed, removed and tally.unjudged, {"key": "unjudged_removed"}),
        ("masked", tally.masked, {}),
        ("excluded", tally.excluded, {}),
        ("self_matched", tally.self_matched, {}),
        ("short_lists", short, {"cutoff": cutoff}),
    )
    return [_SAID(which, n=n, **figures) for which, n, figures in rows if n]


def _list_facts(measured: Sequence[Measured]) -> list[Message]:
    """The facts of metrics; where cutoffs or figures differ, with the labels of the metrics."""
    said: dict[Message, list[str]] = {}
    for one in measured:
        for fact in one.metric.facts(one.state, one.label):
            said.setdefault(fact, []).append(one.label)
    alike = len({getattr(one.metric, "k", None) for one in measured}) == 1
    times = Counter(fact.key for fact in said)
    return [
        fact
        if alike and times[fact.key] == 1
        else say("{labels}: {said}", key=fact.key, labels=listed(labels, SHOWN), said=fact)
        for fact, labels in said.items()
    ]


def _undefined_lists(measured: Sequence[Measured]) -> list[Message]:
    nowhere: dict[str, list[str]] = {}
    for one in measured:
        if one.each is None and np.isnan(one.whole).all():
            nowhere.setdefault(one.metric.undefined_when, []).append(one.label)
    notes = [_SAID("undefined_lists", labels=labels, why=term(why)) for why, labels in nowhere.items()]
    for one in measured:
        if one.each is None:
            notes += _undefined_parts(one)
    return notes


def _undefined_parts(one: Measured) -> list[Message]:
    """Which groups of items, and how many slices, have no value where others have."""
    said, why = [], term(one.metric.undefined_when)
    without = np.isnan(one.whole[0]) if one.entries else np.zeros(0, bool)
    if without.any() and not without.all():
        gone = [str(one.entries[at][0]) for at in np.flatnonzero(without)]
        n, every, groups = len(gone), len(one.entries), listed(gone, SHOWN)
        said.append(_SAID("undefined_groups", label=one.label, n=n, every=every, groups=groups, why=why))
    if one.sliced is not None and not np.isnan(one.whole).all():
        slices = np.isnan(one.sliced).reshape(len(one.sliced), -1).min(axis=1)
        if slices.any():
            n, every = int(slices.sum()), len(slices)
            said.append(_SAID("undefined_in_slices", label=one.label, n=n, every=every, why=why))
    return said


def _tied_lists(tallies: Mapping[Need, Tally]) -> list[Message]:
    return [
        _SAID("ties_decide", share=tally.tied / tally.retrieved, ties=need.convention[1].ties)
        for need, tally in tallies.items()
        if tally.tied
    ]


def conventions_of(
    profiles: Sequence[str],
    measured: Sequence[Measured],
    usual: Callable[[Metric], Mapping[str, Any]],
    weights: str | None,
    exclude: str | None,
) -> Message:
    """The profiles, ties and missing queries, and every choice that differs from the default.

    Where metrics differ, each choice names the metrics it holds for. ``usual`` gives the defaults.
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
    """In words: the fields that the metric always states, and those that differ from the edition."""
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
