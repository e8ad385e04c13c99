"""What a reader must know to trust the numbers, one sentence each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.conventions import plain
from steelyard.engine.order import Counted
from steelyard.engine.protocol import Need, Tally
from steelyard.measure.list_notes import list_facts, tied_lists, undefined_lists
from steelyard.measure.measured import Measured
from steelyard.measure.tie_notes import SHOWN, tie_notes
from steelyard.messages import Message, say, some
from steelyard.metrics import Metric
from steelyard.printable import Shown


def all_notes(
    measured: Sequence[Measured],
    counted: Callable[[Metric], Counted],
    lists: Sequence[Measured],
    tally: Callable[[Need], Tally],
    *,
    every: bool,
) -> list[Message]:
    """Every note that the measured metrics give rise to, the weightiest first.

    ``lists`` are metrics of lists as a whole, and ``tally`` is what was counted for each of their needs.
    ``every`` says that the call asked for no others, such as metrics of rows.
    """
    of_each = [one for one in lists if one.each is not None]
    notes = undefined_notes(measured, every=every and not lists)
    notes += undefined_notes(of_each, every=every and not measured and len(of_each) == len(lists))
    notes += undefined_lists(lists)
    notes += coverage_notes(measured) if measured else []
    groups, of_lists = list(by_need(measured).values()), by_need(lists)
    for kind in (groups, list(of_lists.values())):
        notes += _conventions(kind)
    said: dict[Message, list[str]] = {}
    for group in groups:
        found = counted(group[0].metric).tally
        for note in (*tally_notes(found, group[0].metric), *short_notes(group)):
            said.setdefault(note, []).extend(_labels(group))
    for need, group in of_lists.items():
        for note in (*tally_notes(tally(need), need.align, lists=True), *short_notes(group)):
            said.setdefault(note, []).extend(_labels(group))
    n = len(measured) + len(lists)
    notes += [_held(note, labels if len(labels) < n else []) for note, labels in said.items()]
    for group in groups:
        whole = counted(group[0].metric)
        notes += grade_notes([one.metric for one in group], whole)
        notes += tie_notes(group, whole, alone=len(groups) == 1)
    return list(dict.fromkeys([*notes, *list_facts(lists), *tied_lists(of_lists, tally)]))


def _conventions(groups: Sequence[Sequence[Measured]]) -> list[Message]:
    """Said where lists were ranked under more than one convention."""
    found: dict[object, list[Measured]] = {}
    for group in groups:
        found.setdefault(group[0].metric.need().convention, []).extend(group)
    if len(found) < 2:
        return []
    return [
        say(
            "the lists were ranked under {n} conventions: {groups:/}.",
            key="several_rankings",
            n=len(found),
            groups=[say("{items}", items=_labels(group)) for group in found.values()],
        )
    ]


def by_need(measured: Iterable[Measured]) -> dict[Need, list[Measured]]:
    """The metrics that read the same ranking, by what they need."""
    found: dict[Need, list[Measured]] = {}
    for one in measured:
        found.setdefault(one.metric.need(), []).append(one)
    return found


def _held(said: Message, labels: Sequence[str]) -> Message:
    """A sentence of what was said; what does not hold of every ranking names the metrics it holds of."""
    if labels:
        return say("{said} ({labels}).", key=said.key, said=said, labels=labels)
    return say("{said}.", key=said.key, said=said)


def undefined_notes(measured: Sequence[Measured], *, every: bool = True) -> list[Message]:
    """Which queries a metric leaves out; one sentence for metrics that leave out the same."""
    left_out: dict[tuple[Need, bytes], list[Measured]] = {}
    for one in measured:
        undefined = one.left_out
        if undefined.any():
            left_out.setdefault((one.metric.need(), undefined.tobytes()), []).append(one)
    return [
        _undefined(group, all_of_them=every and len(group) == len(measured)) for group in left_out.values()
    ]


def coverage_notes(measured: Sequence[Measured]) -> list[Message]:
    """Said once where the metrics of one call are means over different queries."""
    covered = {one.label: one.state.counts & ~one.left_out for one in measured}
    counts = {label: int(defined.sum()) for label, defined in covered.items()}
    shown = [say("{label} {n:,}", key="covered", label=label, n=n) for label, n in counts.items()]
    if len(set(counts.values())) > 1:
        return [
            say(
                "the metrics cover different numbers of queries ({counts}): compare them with care.",
                key="numbers_of_queries_differ",
                counts=shown,
            )
        ]
    first, *others = (one.state.queries.filter(pl.Series(covered[one.label])) for one in measured)
    if all(first.equals(other) for other in others):
        return []
    return [
        say(
            "the metrics cover different queries ({counts}): compare them with care.",
            key="queries_differ",
            counts=shown,
        )
    ]


def grade_notes(metrics: Sequence[Metric], counted: Counted) -> list[Message]:
    """Said where `rel` makes everything or nothing relevant."""
    grades = counted.judged_grade
    if len(grades) < counted.judged.sum():
        grades = np.append(grades, 0.0)
    levels = sorted({metric.rel for metric in metrics if hasattr(metric, "rel")})
    if not len(grades):
        return []
    lowest, highest = float(grades.min()), float(grades.max())
    notes = []
    for rel in levels:
        if 0 < highest < rel:
            notes.append(
                say(
                    "no judged item is relevant: the highest grade is {highest} and rel is {rel}; "
                    "set rel, for example rel={highest}.",
                    key="nothing_relevant",
                    highest=_grade(highest),
                    rel=_grade(rel),
                )
            )
        elif highest < rel:
            notes.append(
                say(
                    "no judged item is relevant: the highest grade is {highest} and rel is {rel}.",
                    key="nothing_relevant",
                    highest=_grade(highest),
                    rel=_grade(rel),
                )
            )
        elif lowest >= rel and lowest < highest:
            notes.append(
                say(
                    "every judged item is relevant: grades are {lowest} to {highest} and rel is {rel}; "
                    "did you mean rel={likely}?",
                    key="everything_relevant",
                    lowest=_grade(lowest),
                    highest=_grade(highest),
                    rel=_grade(rel),
                    likely=_grade(_upper_half(grades, rel)),
                )
            )
    return notes


def _grade(grade: float) -> Shown:
    return Shown(grade, plain(grade))


def _upper_half(grades: Floats, rel: float) -> float:
    """The least grade above ``rel`` that at most half of the judged items reach."""
    levels, counts = np.unique(grades, return_counts=True)
    reached = np.cumsum(counts[::-1])[::-1]
    fitting = levels[(reached <= len(grades) / 2) & (levels > rel)]
    return float(fitting[0] if len(fitting) else levels[-1])


def short_notes(measured: Sequence[Measured]) -> list[Message]:
    """How many lists end before the deepest cutoff that is asked of them."""
    deepest = max((getattr(one.metric, "k", None) or 0 for one in measured), default=0)
    retrieved: Ints = measured[0].state.retrieved
    short = int(np.count_nonzero((retrieved > 0) & (retrieved < deepest)))
    if not short:
        return []
    return [
        say(
            "{n:,} {n:list is|lists are} shorter than the cutoff {cutoff}: read to the end",
            key="short_lists",
            n=short,
            cutoff=deepest,
        )
    ]


_MISSING = {"keep": say("counted as empty lists", key="keep"), "skip": say("left out", key="skip")}
_UNEXPECTED = {
    "keep": say("counted as having nothing relevant", key="keep"),
    "ignore": say("left out", key="ignore"),
}


def tally_notes(tally: Tally, convention: Any, *, lists: bool = False) -> list[Message]:
    """What was left out or read as empty, without a full stop; ``lists`` says that lists are read whole."""
    notes = []
    if n := tally.queries_missing:
        said = say(
            "{n:,} {n:query|queries} of the truth without predictions: {fate}",
            key="queries_missing",
            n=n,
            fate=_MISSING[convention.missing],
        )
        notes.append(said)
    if n := tally.queries_emptied:
        notes.append(
            say(
                "{n:,} {n:query has|queries have} predictions, but every row of them is masked, excluded "
                "or removed",
                key="queries_emptied",
                n=n,
            )
        )
    if n := tally.queries_unexpected:
        said = say(
            "{n:,} {n:query|queries} of the predictions without truth: {fate}",
            key="queries_unexpected",
            n=n,
            fate=say("their lists count", key="keep") if lists else _UNEXPECTED[convention.unexpected],
        )
        notes.append(said)
    if n := tally.queries_unmixed:
        notes.append(
            say(
                "{n:,} {n:list has|lists have} only relevant items or none: left out",
                key="queries_unmixed",
                n=n,
            )
        )
    if tally.doubled_predictions or tally.doubled_judgements:
        notes.append(_doubled(tally.doubled_predictions, tally.doubled_judgements))
    if (n := tally.unjudged) and convention.unjudged == "drop":
        notes.append(
            say("{n:,} {n:row|rows} without judgement: removed before ranking", key="unjudged_removed", n=n)
        )
    if (n := tally.unjudged) and convention.unjudged == "drop_negative":
        notes.append(
            say(
                "{n:,} {n:row|rows} without judgement, or with a grade below 0: removed before ranking",
                key="unjudged_removed",
                n=n,
            )
        )
    if n := tally.masked:
        notes.append(say("{n:,} {n:row|rows} with a score of -inf: not retrieved", key="masked", n=n))
    if n := tally.excluded:
        notes.append(say("{n:,} {n:row|rows} excluded", key="excluded", n=n))
    if n := tally.self_matched:
        notes.append(
            say("{n:,} {n:row|rows} whose item is the query itself: removed", key="self_matched", n=n)
        )
    return notes


def _doubled(predictions: int, judgements: int) -> Message:
    if predictions and judgements:
        return say(
            "{predictions:,} {predictions:prediction|predictions} and {judgements:,} "
            "{judgements:judgement|judgements} name a (query, item) again: one counts",
            key="doubled",
            predictions=predictions,
            judgements=judgements,
        )
    if predictions:
        return say(
            "{predictions:,} {predictions:prediction names|predictions name} a (query, item) again: "
            "one counts",
            key="doubled",
            predictions=predictions,
        )
    return say(
        "{judgements:,} {judgements:judgement names|judgements name} a (query, item) again: one counts",
        key="doubled",
        judgements=judgements,
    )


def _labels(group: Sequence[Measured]) -> list[str]:
    return [one.label for one in group]


def _undefined(group: Sequence[Measured], *, all_of_them: bool) -> Message:
    queries: pl.Series = group[0].state.queries
    at = np.flatnonzero(group[0].left_out)
    shown = some([str(query) for query in queries.gather(at[:SHOWN]).to_list()], SHOWN, len(at))
    if all_of_them and len(group) > 1:
        return say(
            "all metrics are undefined for {n:,} {n:query|queries} ({queries}) and leave {n:it|them} out.",
            key="undefined_queries",
            n=len(at),
            queries=shown,
        )
    return say(
        "{labels} {labels:is|are} undefined for {n:,} {n:query|queries} ({queries}) and "
        "{labels:leaves|leave} {n:it|them} out.",
        key="undefined_queries",
        labels=_labels(group),
        n=len(at),
        queries=shown,
    )
