"""What a reader must know to trust the numbers, one sentence each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from steelyard.aggregate.summary import Measured
from steelyard.align import Tally
from steelyard.arrays import Floats
from steelyard.conventions import plain
from steelyard.metrics import RankingMetric
from steelyard.rank import Counted, Ranked, settle

SHOWN = 3


def all_notes(measured: Sequence[Measured], counted: Callable[[RankingMetric], Counted]) -> list[str]:
    """Every note that the measured metrics give rise to, the weightiest first."""
    by_ranking: dict[int, list[Measured]] = {}
    for one in measured:
        by_ranking.setdefault(id(one.ranked), []).append(one)
    notes = undefined_notes(measured) + coverage_notes(measured)
    if len(by_ranking) > 1:
        shown = " | ".join(", ".join(one.label for one in group) for group in by_ranking.values())
        notes.append(f"the lists were ranked under {len(by_ranking)} conventions: {shown}.")
    for group in by_ranking.values():
        metric = group[0].metric
        whole = counted(metric)
        notes += tally_notes(whole.tally, metric)
        notes += short_notes(group)
        notes += grade_notes([one.metric for one in group], whole)
        notes += tie_notes(group, whole)
    return list(dict.fromkeys(notes))


def undefined_notes(measured: Sequence[Measured]) -> list[str]:
    """Which queries a metric leaves out; one sentence for metrics that leave out the same."""
    left_out: dict[tuple[int, bytes], list[Measured]] = {}
    for one in measured:
        undefined = np.isnan(one.values)
        if undefined.any():
            left_out.setdefault((id(one.ranked.queries), undefined.tobytes()), []).append(one)
    return [_undefined(group, len(measured)) for group in left_out.values()]


def coverage_notes(measured: Sequence[Measured]) -> list[str]:
    """Said once where the metrics of one call are means over different queries."""
    counts = {one.label: int((~np.isnan(one.values)).sum()) for one in measured}
    differ = "different numbers of queries"
    if len(set(counts.values())) < 2:
        first, *others = (one.ranked.queries.filter(pl.Series(~np.isnan(one.values))) for one in measured)
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


def tie_notes(measured: Sequence[Measured], counted: Counted) -> list[str]:
    """How many rows are tied, and how far their order alone moves the first metric that shows it."""
    tally = counted.tally
    if not tally.tied_hits:
        return []
    share = f"{tally.tied / max(tally.retrieved, 1):.1%} of rows are tied with another row of their query"
    if measured[0].metric.ties == "expected":
        return [f"{share}: each value is the mean over their orders."]
    convention = measured[0].metric.rank()
    worst, best = settle(counted, convention, "pessimistic"), settle(counted, convention, "optimistic")
    for one in measured:
        if not one.metric.monotone:
            continue
        low, high = _whole(one, worst), _whole(one, best)
        if f"{high:.4f}" != f"{low:.4f}":
            return [f"{share}; their order alone moves {one.label} within {low:.4f} – {high:.4f}."]
    return [f"{share}; their order moves no value by 0.0001."]


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
        notes.append(
            f"{counted(tally.doubled_predictions, 'prediction')} and "
            f"{counted(tally.doubled_judgements, 'judgement')} name a (query, item) again: one counts."
        )
    if tally.unjudged and convention.unjudged == "drop":
        notes.append(f"{counted(tally.unjudged, 'row')} without judgement: removed before ranking.")
    if tally.masked:
        notes.append(f"{counted(tally.masked, 'row')} with a score of -inf: not retrieved.")
    if tally.excluded:
        notes.append(f"{counted(tally.excluded, 'row')} excluded.")
    if tally.self_matched:
        notes.append(f"{counted(tally.self_matched, 'row')} whose item is the query itself: removed.")
    return notes


def _undefined(group: Sequence[Measured], asked: int) -> str:
    queries: pl.Series = group[0].ranked.queries
    at = np.flatnonzero(np.isnan(group[0].values))
    shown = ", ".join(str(query) for query in queries.gather(at[:SHOWN]).to_list())
    shown += ", …" if len(at) > SHOWN else ""
    names = ", ".join(one.label for one in group)
    if len(group) == asked > 1:
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


def _whole(one: Measured, ranked: Ranked) -> float:
    everything = np.zeros(ranked.n_queries, np.int64)
    return float(one.metric.summarise(ranked, one.metric.measure(ranked), everything, 1, one.weights)[0])
