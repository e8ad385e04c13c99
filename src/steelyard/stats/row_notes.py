"""Notes on metrics of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.engine.labelled import likely_probability
from steelyard.engine.protocol import Tally
from steelyard.engine.scored import Scored
from steelyard.engine.slices import slice_names
from steelyard.printable import Shown
from steelyard.read import Table
from steelyard.stats.measured import Measured
from steelyard.stats.notes import SHOWN
from steelyard.text import Message, sentences, some, term

_FIRST = 1000
_note = sentences(
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


def row_notes(measured: Sequence[Measured], tally: Tally, scores: Table | None = None) -> list[Message]:
    """Every note on metrics of rows, the most important first."""
    notes = _undefined_notes(measured)
    for metric in measured:
        notes += map(term, metric.metric.facts(metric.state, metric.label))
    notes += _score_notes([metric for metric in measured if isinstance(metric.state, Scored)], scores)
    weighted = [metric.label for metric in measured if metric.need.weighted]
    labels = weighted if len(weighted) < len(measured) else None
    dropping = any(metric.need.unlabelled == "drop" for metric in measured)
    rows = (
        ("unlabelled_rows", tally.unlabelled if dropping else 0),
        ("weightless_rows", tally.weightless if weighted else 0),
        ("unmatched_predictions", tally.unmatched_predictions),
        ("unmatched_truth", tally.unmatched_truth),
    )
    notes += [_note(key, n=n, labels=labels) for key, n in rows if n]
    for metric in measured:  # slices that have rows, but none that counts
        if metric.slices is not None and len(at := np.flatnonzero(metric.parts.rows == 0)):
            notes.append(_note("empty_slices", n=len(at), slices=_named(metric.slices, at.tolist())))
    return list(dict.fromkeys(notes))


def _undefined_notes(measured: Sequence[Measured]) -> list[Message]:
    nowhere: dict[str, list[str]] = {}
    some_slices: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    slices = next((metric.slices for metric in measured if metric.slices is not None), None)
    for metric in measured:
        why = metric.metric.undefined_when
        if np.isnan(metric.whole).all():
            nowhere.setdefault(why, []).append(metric.label)
        elif metric.sliced is not None:
            nan = np.isnan(metric.sliced)
            undefined = nan if nan.ndim == 1 else nan.all(axis=1)
            at = tuple(np.flatnonzero(undefined & (metric.parts.rows > 0)).tolist())
            if at:
                some_slices.setdefault((why, at), []).append(metric.label)
    notes = [_note("undefined_rows", labels=labels, why=term(why)) for why, labels in nowhere.items()]
    for (why, at), labels in some_slices.items():
        assert slices is not None
        named = _named(slices, at)
        notes.append(_note("undefined_slices", labels=labels, n=len(at), slices=named, why=term(why)))
    return notes


def _score_notes(measured: Sequence[Measured], scores: Table | None) -> list[Message]:
    """Notes on scores with two values only, and on scores of -inf."""
    readers: dict[str, tuple[Scored, list[str]]] = {}
    for metric in measured:
        if metric.metric.reads == "scores":
            readers.setdefault(metric.need.unlabelled, (metric.state, []))[1].append(metric.label)
    notes = []
    for state, labels in readers.values():
        if values := _two_values(state.score):
            low, high = (Shown(value, f"{value:g}") for value in values)
            column = None if scores is None else scores.roles.get("score")
            other = None if scores is None or column is None else likely_probability(scores)
            notes.append(_note("two_scores", column=column, other=other, low=low, high=high, labels=labels))
    for metric in measured:
        score = metric.state.score
        if metric.state.n_rows and np.isneginf(score.min()):  # such rows count, unlike in a ranking
            notes.append(_note("lowest", n=int(np.isneginf(score).sum())))
            break
    return notes


def _two_values(score: NDArray[Any]) -> tuple[float, float] | None:
    """The two values of three or more scores, if there are no others."""
    if len(score) < 3 or len(np.unique(score[:_FIRST])) > 2:  # the first scores decide most cases
        return None
    low, high = float(score.min()), float(score.max())
    return (low, high) if low < high and bool(((score == low) | (score == high)).all()) else None


def _named(slices: pl.DataFrame, at: Sequence[int]) -> Message:
    return some(slice_names(slices, at[:SHOWN]), SHOWN, len(at))
