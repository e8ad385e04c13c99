"""What a reader must know to trust the numbers, one sentence each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from steelyard.aggregate.slices import Slices
from steelyard.aggregate.summary import Measured
from steelyard.aggregate.tie_notes import SHOWN, tie_notes
from steelyard.align import Tally
from steelyard.arrays import Floats
from steelyard.conventions import plain
from steelyard.metrics import RankingMetric
from steelyard.rank import Counted


def all_notes(
    measured: Sequence[Measured],
    counted: Callable[[RankingMetric], Counted],
    slices: Slices | None = None,
    *,
    every: bool = True,
) -> list[str]:
    """Every note that the measured metrics give rise to, the weightiest first.

    ``every`` says that the call asked for no others, such as metrics of rows.
    """
    by_ranking: dict[int, list[Measured]] = {}
    for one in measured:
        by_ranking.setdefault(id(one.ranked), []).append(one)
    notes = undefined_notes(measured, every=every) + coverage_notes(measured)
    groups = list(by_ranking.values())
    if len(groups) > 1:
        shown = " | ".join(_labels(group) for group in groups)
        notes.append(f"the lists were ranked under {len(groups)} conventions: {shown}.")
    said: dict[str, list[Measured]] = {}
    for group in groups:
        tally = counted(group[0].metric).tally
        for note in (*tally_notes(tally, group[0].metric), *short_notes(group)):
            said.setdefault(note, []).extend(group)
    # what does not hold of every ranking names the metrics it holds of
    notes += [
        note if len(held) == len(measured) else f"{note[:-1]} ({_labels(held)})."
        for note, held in said.items()
    ]
    for group in groups:
        whole = counted(group[0].metric)
        notes += grade_notes([one.metric for one in group], whole)
        notes += tie_notes(group, whole, slices, alone=len(groups) == 1)
    return list(dict.fromkeys(notes))


def undefined_notes(measured: Sequence[Measured], *, every: bool = True) -> list[str]:
    """Which queries a metric leaves out; one sentence for metrics that leave out the same."""
    left_out: dict[tuple[int, bytes], list[Measured]] = {}
    for one in measured:
        undefined = one.counted & np.isnan(one.values)
        if undefined.any():
            left_out.setdefault((id(one.ranked.queries), undefined.tobytes()), []).append(one)
    return [
        _undefined(group, all_of_them=every and len(group) == len(measured)) for group in left_out.values()
    ]


def coverage_notes(measured: Sequence[Measured]) -> list[str]:
    """Said once where the metrics of one call are means over different queries."""
    covered = {one.label: one.counted & ~np.isnan(one.values) for one in measured}
    counts = {label: int(defined.sum()) for label, defined in covered.items()}
    differ = "different numbers of queries"
    if len(set(counts.values())) < 2:
        first, *others = (one.ranked.queries.filter(pl.Series(covered[one.label])) for one in measured)
        if all(first.equals(other) for other in others):
            return []
        differ = "different queries"
    shown = ", ".join(f"{label} {count:,}" for label, count in counts.items())
    return [f"the metrics cover {differ} ({shown}): compare them with care."]


def grade_notes(metrics: Sequence[RankingMetric], counted: Counted) -> list[str]:
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
        if highest < rel:
            remedy = f"; set rel, for example rel={plain(highest)}" if highest > 0 else ""
            notes.append(
                f"no judged item is relevant: the highest grade is {plain(highest)} and rel is {plain(rel)}"
                f"{remedy}."
            )
        elif lowest >= rel and lowest < highest:
            likely = plain(_upper_half(grades, rel))
            notes.append(
                f"every judged item is relevant: grades are {plain(lowest)} to {plain(highest)} and rel is "
                f"{plain(rel)}; did you mean rel={likely}?"
            )
    return notes


def _upper_half(grades: Floats, rel: float) -> float:
    """The least grade above ``rel`` that at most half of the judged items reach."""
    levels, counts = np.unique(grades, return_counts=True)
    reached = np.cumsum(counts[::-1])[::-1]
    fitting = levels[(reached <= len(grades) / 2) & (levels > rel)]
    return float(fitting[0] if len(fitting) else levels[-1])


def short_notes(measured: Sequence[Measured]) -> list[str]:
    """How many lists end before the deepest cutoff that is asked of them."""
    deepest = max((getattr(one.metric, "k", None) or 0 for one in measured), default=0)
    retrieved = measured[0].ranked.retrieved
    short = int(np.count_nonzero((retrieved > 0) & (retrieved < deepest)))
    return (
        [f"{counted(short, 'list is', 'lists are')} shorter than the cutoff {deepest}: read to the end."]
        if short
        else []
    )


def tally_notes(tally: Tally, convention: RankingMetric) -> list[str]:
    """What was left out or read as empty."""
    notes = []
    if tally.queries_missing:
        fate = {"keep": "counted as empty lists", "skip": "left out"}[convention.missing]
        notes.append(f"{_queries(tally.queries_missing)} of the truth without predictions: {fate}.")
    if tally.queries_unexpected:
        fate = {"ignore": "left out", "keep": "counted as having nothing relevant"}[convention.unexpected]
        notes.append(f"{_queries(tally.queries_unexpected)} of the predictions without truth: {fate}.")
    if tally.doubled_predictions or tally.doubled_judgements:
        doubled = {"prediction": tally.doubled_predictions, "judgement": tally.doubled_judgements}
        which = " and ".join(counted(number, name) for name, number in doubled.items() if number)
        verb = "names" if sum(doubled.values()) == 1 else "name"
        notes.append(f"{which} {verb} a (query, item) again: one counts.")
    if tally.unjudged and convention.unjudged == "drop":
        notes.append(f"{counted(tally.unjudged, 'row')} without judgement: removed before ranking.")
    if tally.masked:
        notes.append(f"{counted(tally.masked, 'row')} with a score of -inf: not retrieved.")
    if tally.excluded:
        notes.append(f"{counted(tally.excluded, 'row')} excluded.")
    if tally.self_matched:
        notes.append(f"{counted(tally.self_matched, 'row')} whose item is the query itself: removed.")
    return notes


def _labels(group: Sequence[Measured]) -> str:
    return ", ".join(one.label for one in group)


def _undefined(group: Sequence[Measured], *, all_of_them: bool) -> str:
    queries: pl.Series = group[0].ranked.queries
    at = np.flatnonzero(group[0].counted & np.isnan(group[0].values))
    shown = ", ".join(str(query) for query in queries.gather(at[:SHOWN]).to_list())
    shown += ", …" if len(at) > SHOWN else ""
    names = _labels(group)
    if all_of_them and len(group) > 1:
        names = "all metrics"
    verb = "are" if len(group) > 1 else "is"
    leave = "leave" if len(group) > 1 else "leaves"
    them = "it" if len(at) == 1 else "them"
    return f"{names} {verb} undefined for {_queries(len(at))} ({shown}) and {leave} {them} out."


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "query", "queries"), counted(1200, "row")
    ('1 query', '1,200 rows')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def _queries(number: int) -> str:
    return counted(number, "query", "queries")
