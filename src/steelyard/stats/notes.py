"""Notes on what was measured: on rankings, on lists as a whole, and on rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import polars as pl

from steelyard.arrays import Flags
from steelyard.conventions import plain
from steelyard.engine.protocol import Need, Tally
from steelyard.engine.ranked import Counted, settle, touched_by_ties
from steelyard.engine.rows import Rows
from steelyard.engine.scored import Scored
from steelyard.engine.slices import slice_names
from steelyard.printable import Shown
from steelyard.stats.measured import Measured, TieRange
from steelyard.text import Message, listed, say, sentences, some, term

_K = TypeVar("_K")
_V = TypeVar("_V")
SHOWN = 3  # labels, queries or slices of a sentence
_FIRST = 1000  # scores, which decide most cases
# what becomes of queries without predictions, and of those without truth
_FATES = {
    ("missing", "keep"): say("counted as empty lists", key="keep"),
    ("missing", "skip"): say("left out", key="skip"),
    ("unexpected", "lists"): say("their lists count", key="keep"),
    ("unexpected", "keep"): say("counted as having nothing relevant", key="keep"),
    ("unexpected", "ignore"): say("left out", key="ignore"),
}
_note = sentences(
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
    "them are in the list.",
    # the counts, without a full stop
    queries_missing="{n:,} {n:query has|queries have} no predictions: {fate}",
    queries_emptied="{n:,} {n:query has|queries have} predictions, but every row of them is masked, excluded "
    "or removed",
    queries_unexpected="{n:,} predicted {n:query has|queries have} no ground truth: {fate}",
    queries_unmixed="{n:,} {n:list has|lists have} only relevant items or none: left out",
    doubled=(
        "{predictions:,} duplicate {predictions:prediction|predictions} and {judgements:,} duplicate "
        "{judgements:judgement|judgements}: one of each (query, item) is kept",
        "{predictions:,} duplicate {predictions:prediction|predictions}: one of each (query, item) is kept",
        "{judgements:,} duplicate {judgements:judgement|judgements}: one of each (query, item) is kept",
    ),
    unjudged_removed="{n:,} {n:row|rows} without judgement: removed before ranking",
    unjudged_or_negative="{n:,} {n:row|rows} without judgement, or with a grade below 0: removed before "
    "ranking",
    masked="{n:,} {n:row|rows} with a score of -inf: not retrieved",
    excluded="{n:,} {n:row|rows} excluded",
    self_matched="{n:,} {n:row|rows} whose item is the query itself: removed",
    short_lists="{n:,} {n:list is|lists are} shorter than the cutoff {cutoff}: read to the end",
    # of the order of ties
    ties_averaged=(
        "{share:.1%} of rows are tied with another row of their query: each value of {labels} is the mean "
        "over their orders.",
        "{share:.1%} of rows are tied with another row of their query: each value is the mean over their "
        "orders.",
    ),
    ties_move="{share:.1%} of rows are tied with another row of their query; {moves:;}.",
    ties_change_nothing="{share:.1%} of rows are tied with another row of their query; {moves:;}.",
    # what their order does
    unknown="how far their order moves {labels} is not known",
    nothing=(
        "tie order changes {labels} by less than 0.0001",
        "tie order changes no metric by 0.0001 or more",
    ),
    values="their order alone moves {ranges}",
    slices="tie order changes no overall value by 0.0001 or more, but {label} in slices: {ranges}",
    range="{name} within {low} – {high}",
    orders="{name} is {falling} by item_desc and {rising} by item_asc",
    by_item="{orders}, and other orders may lie beyond",
    # of rows
    empty_slices="{n:,} {n:slice|slices} ({slices}) {n:has|have} no row with a label and a weight.",
    undefined_rows="{labels} {labels:is|are} undefined: {why}.",
    undefined_slices="{labels} {labels:is|are} undefined in {n:,} {n:slice|slices} ({slices}), where {why}.",
    lowest="{n:,} {n:row|rows} with a score of -inf: the lowest score there is.",
    two_scores=(
        "the scores (column '{column}') have two values only, {low} and {high}: if they are predicted "
        "classes, give the scores behind them for {labels}; if those are column '{other}', "
        "--columns score={other}.",
        "the scores (column '{column}') have two values only, {low} and {high}: if they are predicted "
        "classes, give the scores behind them for {labels}.",
        "the scores have two values only, {low} and {high}: if they are predicted classes, give the "
        "scores behind them for {labels}.",
    ),
    unlabelled_rows="{n:,} {n:row|rows} without a label: left out.",
    weightless_rows=(
        "{n:,} {n:row|rows} of weight 0: as if not there for {labels:and}.",
        "{n:,} {n:row|rows} of weight 0: as if not there.",
    ),
    unmatched_predictions="{n:,} {n:prediction|predictions} without a label in the truth: left out.",
    unmatched_truth="{n:,} {n:row|rows} of the truth without a prediction: left out.",
)


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
    groups = grouped([(metric.need, metric) for metric in measured])
    of_lists = grouped([(metric.need, metric) for metric in lists]) if lists else {}
    notes = _undefined_notes(measured, groups, every=every and not lists)
    if lists:
        means = [metric for metric in lists if metric.each is not None]
        notes += _undefined_notes(means, of_lists, every=every and not measured and len(means) == len(lists))
        notes += _undefined_lists(lists)
    notes += _coverage_notes(measured) if len(measured) > 1 else []
    for kind in (groups, of_lists):
        if len(kind) > 1 and len({need.convention for need in kind}) > 1:
            rankings = grouped((need.convention, metric.label) for need in kind for metric in kind[need])
            names = [say("{items}", items=labels) for labels in rankings.values()]
            notes.append(_note("several_rankings", n=len(rankings), groups=names))
    counts = {need: counted(need) for need in groups}
    tallies = {need: tally(need) for need in of_lists}
    every_tally = {**{need: ranked.tally for need, ranked in counts.items()}, **tallies}
    counted_notes: dict[Message, list[str]] = {}
    for need, group in [*groups.items(), *of_lists.items()]:
        for note in _tally_notes(every_tally[need], need, group):
            counted_notes.setdefault(note, []).extend([metric.label for metric in group])
    for note, labels in counted_notes.items():  # a note that some rankings do not share names its metrics
        if len(labels) < len(measured) + len(lists):
            notes.append(say("{said} ({labels}).", key=note.key, said=note, labels=labels))
        else:
            notes.append(say("{said}.", key=note.key, said=note))
    for need, group in groups.items():
        levels = {metric.metric.rel for metric in group if hasattr(metric.metric, "rel")}
        if levels:
            notes += _grade_notes(sorted(levels), counts[need])
        if (counts[need].ranked.hits.tied > 1).any():
            notes += tie_notes(group, counts[need], alone=len(groups) == 1)
    notes += _list_facts(lists) if lists else []
    notes += [
        _note("ties_decide", share=known.tied / known.retrieved, ties=need.convention[1].ties)
        for need, known in tallies.items()
        if known.tied
    ]
    return list(dict.fromkeys(notes))


def grouped(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, list[_V]]:
    groups: dict[_K, list[_V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _undefined_notes(
    measured: Sequence[Measured], groups: Mapping[Need, Sequence[Measured]], *, every: bool
) -> list[Message]:
    """Which queries a metric skips; one sentence for metrics that skip the same."""
    number = {metric.label: at for at, group in enumerate(groups.values()) for metric in group}
    alike: dict[tuple[int, bytes], list[Measured]] = {}
    for metric in measured:
        skipped = metric.state.counts & np.isnan(np.asarray(metric.each))
        if skipped.any():
            alike.setdefault((number[metric.label], skipped.tobytes()), []).append(metric)
    notes = []
    for (_, flags), group in alike.items():
        at = np.flatnonzero(np.frombuffer(flags, bool))
        shown = [str(query) for query in group[0].state.queries.gather(at[:SHOWN]).to_list()]
        labels = None if every and 1 < len(group) == len(measured) else [metric.label for metric in group]
        queries = some(shown, SHOWN, len(at))
        notes.append(_note("undefined_queries", labels=labels, n=len(at), queries=queries))
    return notes


def _coverage_notes(measured: Sequence[Measured]) -> list[Message]:
    """A note where the metrics of one call are means over different queries."""
    queries = [
        metric.state.queries.filter(pl.Series(metric.state.counts & ~np.isnan(metric.values)))
        for metric in measured
    ]
    if all(queries[0].equals(other) for other in queries[1:]):
        return []
    key = "queries_differ" if len(set(map(len, queries))) == 1 else "numbers_of_queries_differ"
    shown = [
        _note("covered", label=of.label, n=len(names)) for of, names in zip(measured, queries, strict=True)
    ]
    return [_note(key, counts=shown)]


def _grade_notes(levels: Sequence[float], counted: Counted) -> list[Message]:
    """A note where ``rel`` makes everything or nothing relevant."""
    grades = counted.ranked.judged_grade
    if len(grades) < counted.ranked.judged.sum():
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
            # the least grade above rel that at most half of the judged items reach
            known, counts = np.unique(grades, return_counts=True)
            reached = np.cumsum(counts[::-1])[::-1]
            fitting = known[(reached <= len(grades) / 2) & (known > rel)]
            figures["likely"] = float(fitting[0] if len(fitting) else known[-1])
        else:
            continue
        shown = {name: Shown(value, plain(value)) for name, value in figures.items()}
        notes.append(_note(which, key=key, **shown))
    return notes


def _tally_notes(tally: Tally, need: Need, measured: Sequence[Measured]) -> list[Message]:
    """What was skipped or read as empty, and how many lists are short, without a full stop."""
    convention, _ = need.convention
    unexpected = "lists" if need.reads == "lists" else convention.unexpected
    predictions, judgements = tally.doubled_predictions or None, tally.doubled_judgements or None
    cutoff = max([getattr(metric.metric, "k", None) or 0 for metric in measured])
    retrieved = measured[0].state.retrieved
    short = int(np.count_nonzero((retrieved > 0) & (retrieved < cutoff)))
    removed = {"drop": "unjudged_removed", "drop_negative": "unjudged_or_negative"}.get(convention.unjudged)
    rows: tuple[tuple[str, Any, dict[str, Any]], ...] = (
        ("queries_missing", tally.queries_missing, {"fate": _FATES.get(("missing", convention.missing))}),
        ("queries_emptied", tally.queries_emptied, {}),
        ("queries_unexpected", tally.queries_unexpected, {"fate": _FATES.get(("unexpected", unexpected))}),
        ("queries_unmixed", tally.queries_unmixed, {}),
        ("doubled", predictions or judgements, {"predictions": predictions, "judgements": judgements}),
        (removed or "", removed and tally.unjudged, {"key": "unjudged_removed"}),
        ("masked", tally.masked, {}),
        ("excluded", tally.excluded, {}),
        ("self_matched", tally.self_matched, {}),
        ("short_lists", short, {"cutoff": cutoff}),
    )
    return [_note(which, n=n, **figures) for which, n, figures in rows if n]  # without its fate refused


def _list_facts(measured: Sequence[Measured]) -> list[Message]:
    """The facts of metrics; where cutoffs or figures differ, with the labels of the metrics."""
    facts = grouped(
        (fact, metric.label)
        for metric in measured
        for fact in metric.metric.facts(metric.state, metric.label)
    )
    one_cutoff = len({getattr(metric.metric, "k", None) for metric in measured}) == 1
    times = Counter(fact.key for fact in facts)
    return [
        fact
        if one_cutoff and times[fact.key] == 1
        else say("{labels}: {said}", key=fact.key, labels=listed(labels, SHOWN), said=fact)
        for fact, labels in facts.items()
    ]


def _undefined_lists(measured: Sequence[Measured]) -> list[Message]:
    """Where metrics of lists as a whole have no value: at all, for some groups of items, in some slices."""
    wholes = [metric for metric in measured if metric.each is None]
    notes = _undefined_everywhere("undefined_lists", wholes)
    for metric in wholes:
        label, why = metric.label, term(metric.metric.undefined_when)
        without = np.isnan(metric.whole[0]) if metric.entries else np.zeros(0, bool)
        if without.any() and not without.all():
            names = [str(metric.entries[at][0]) for at in np.flatnonzero(without)]
            n, every, groups = len(names), len(metric.entries), listed(names, SHOWN)
            notes.append(_note("undefined_groups", label=label, n=n, every=every, groups=groups, why=why))
        if metric.sliced is not None and not np.isnan(metric.whole).all():
            slices = np.isnan(metric.sliced).reshape(len(metric.sliced), -1).min(axis=1)
            if slices.any():
                n, every = int(slices.sum()), len(slices)
                notes.append(_note("undefined_in_slices", label=label, n=n, every=every, why=why))
    return notes


def tie_notes(measured: Sequence[Measured], counted: Counted, *, alone: bool = True) -> list[Message]:
    """How many rows are tied, and how much their order changes the metrics of one ranking.

    ``alone`` says that there is no other ranking, so that the metrics need no names.
    """
    tally, convention = counted.tally, measured[0].need.rank
    if convention is None:
        return []
    share = tally.tied / max(tally.retrieved, 1)
    share = share if share >= 0.0005 else Shown(share, say("less than 0.1%"))
    labels = None if alone else listed([metric.label for metric in measured], SHOWN)
    if convention.ties == "expected":
        return [_note("ties_averaged", share=share, labels=labels)]
    bounded = [metric for metric in measured if metric.ties is not None]
    matters = bool(touched_by_ties(counted, convention).any())
    unbounded = [metric for metric in measured if not metric.metric.monotone and matters]
    ranges = [
        _range(metric.label, metric.ties.low[0], metric.ties.high[0])
        for metric in bounded
        if metric.ties is not None and _moved(metric.ties).any()
    ]
    moves = [_note("values", ranges=listed(ranges, SHOWN))] if ranges else []
    if unbounded and not counted.has_items:
        moves.append(_note("unknown", labels=listed([metric.label for metric in unbounded], SHOWN)))
    elif unbounded:
        falling, rising = (
            measured[0].state if ties == convention.ties else settle(counted, convention, ties)
            for ties in ("item_desc", "item_asc")
        )
        orders = [
            _note(
                "orders",
                name=metric.label,
                falling=_number(metric.in_order(falling)[0]),
                rising=_number(metric.in_order(rising)[0]),
            )
            for metric in unbounded[:SHOWN]
        ]
        moves.append(_note("by_item", orders=listed(orders, SHOWN, len(unbounded))))
    if not moves and matters:
        moves = _sliced_tie_ranges(bounded)
    key = "ties_move" if moves else "ties_change_nothing"
    return [_note(key, share=share, moves=moves or [_note("nothing", labels=labels)])]


def _sliced_tie_ranges(measured: Sequence[Measured]) -> list[Message]:
    """The slices of the first metric that ties move in a slice, though not on the whole."""
    for metric in measured:
        ties = metric.sliced_ties
        if metric.slices is None or ties is None or not _moved(ties).any():
            continue
        moved = np.flatnonzero(_moved(ties))
        widest = moved[np.argsort(ties.low[moved] - ties.high[moved], kind="stable")]
        names = slice_names(metric.slices, widest[:SHOWN])
        ranges = [
            _range(name, ties.low[at], ties.high[at]) for name, at in zip(names, widest[:SHOWN], strict=True)
        ]
        return [_note("slices", label=metric.label, ranges=listed(ranges, SHOWN, len(widest)))]
    return []


def _range(name: str, low: float, high: float) -> Message:
    return _note("range", name=name, low=_number(low), high=_number(high))


def _moved(ties: TieRange) -> Flags:
    """Where a value moves by 0.0001 or more, or is undefined in one order only."""
    moved: Flags = (ties.high - ties.low >= 0.0001) | (np.isnan(ties.low) != np.isnan(ties.high))
    return moved


def _number(value: float) -> Shown:
    return Shown(value, say("undefined") if np.isnan(value) else "")


def row_notes(measured: Sequence[Measured], rows: Rows) -> list[Message]:
    """Every note on metrics of rows, the most important first."""
    tally = rows.tally
    notes = _undefined_rows(measured)
    for metric in measured:
        notes += map(term, metric.metric.facts(metric.state, metric.label))
    notes += _score_notes([metric for metric in measured if isinstance(metric.state, Scored)], rows)
    weighted = [metric.label for metric in measured if metric.need.weighted]
    labels = weighted if len(weighted) < len(measured) else None
    dropping = any(metric.need.unlabelled == "drop" for metric in measured)
    counts = (
        ("unlabelled_rows", tally.unlabelled if dropping else 0),
        ("weightless_rows", tally.weightless if weighted else 0),
        ("unmatched_predictions", tally.unmatched_predictions),
        ("unmatched_truth", tally.unmatched_truth),
    )
    notes += [_note(key, n=n, labels=labels) for key, n in counts if n]
    for metric in measured:  # slices that have rows, but none that counts
        if metric.slices is not None and len(at := np.flatnonzero(metric.parts.rows == 0)):
            slices = some(slice_names(metric.slices, at[:SHOWN]), SHOWN, len(at))
            notes.append(_note("empty_slices", n=len(at), slices=slices))
    return list(dict.fromkeys(notes))


def _undefined_rows(measured: Sequence[Measured]) -> list[Message]:
    frames = [metric.slices for metric in measured if metric.slices is not None]
    places = []
    for metric in measured:
        if metric.sliced is not None and not np.isnan(metric.whole).all():
            undefined = np.isnan(metric.sliced).reshape(len(metric.sliced), -1).all(axis=1)
            at = tuple(np.flatnonzero(undefined & (metric.parts.rows > 0)).tolist())
            places += [((metric.metric.undefined_when, at), metric.label)] if at else []
    notes = _undefined_everywhere("undefined_rows", measured)
    for (why, at), labels in grouped(places).items():
        named = some(slice_names(frames[0], at[:SHOWN]), SHOWN, len(at))
        notes.append(_note("undefined_slices", labels=labels, n=len(at), slices=named, why=term(why)))
    return notes


def _undefined_everywhere(key: str, measured: Sequence[Measured]) -> list[Message]:
    undefined = grouped(
        (metric.metric.undefined_when, metric.label) for metric in measured if np.isnan(metric.whole).all()
    )
    return [_note(key, labels=labels, why=term(why)) for why, labels in undefined.items()]


def _score_notes(measured: Sequence[Measured], rows: Rows) -> list[Message]:
    """Notes on scores with two values only, and on scores of -inf."""
    of_scores = [metric for metric in measured if metric.metric.reads == "scores"]
    readers = grouped((metric.need.unlabelled, metric) for metric in of_scores)
    notes = []
    for group in readers.values():
        if values := _two_values(group[0].state):
            labels = [metric.label for metric in group]
            low, high = (Shown(value, f"{value:g}") for value in values)
            column, other = rows.score_column, rows.likely_score()
            notes.append(_note("two_scores", column=column, other=other, low=low, high=high, labels=labels))
    for metric in measured:
        if n := metric.state.n_lowest:  # such rows count, unlike in a ranking
            notes.append(_note("lowest", n=n))
            break
    return notes


def _two_values(rows: Scored) -> tuple[float, float] | None:
    """The two values of three or more scores, if there are no others."""
    if rows.condensed is not None:
        known = rows.condensed.scores.tolist()
        return (known[0], known[1]) if len(known) == 2 and rows.condensed.n_rows > 2 else None
    score = rows.score
    if len(score) < 3 or len(np.unique(score[:_FIRST])) > 2:
        return None
    low, high = float(score.min()), float(score.max())
    return (low, high) if low < high and bool(((score == low) | (score == high)).all()) else None
