"""What a reader must know of metrics of rows, one sentence each."""

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
from steelyard.stats.tie_notes import SHOWN
from steelyard.text import Message, sentences, some, term

_FIRST = 1000
_SAID = sentences(
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


def row_notes(measured: Sequence[Measured], tally: Tally, said: Table | None = None) -> list[Message]:
    """Every note on metrics of rows, the most important first; ``said`` has the scores."""
    notes = _undefined_notes(measured)
    for one in measured:
        notes += map(term, one.metric.facts(one.state, one.label))
    scored = [one for one in measured if isinstance(one.state, Scored)]
    notes += _score_notes(scored, said)
    notes += _tally_notes(tally, measured)
    for one in measured:  # slices that have rows, but none that counts
        at = np.flatnonzero(one.parts.rows == 0).tolist() if one.slices is not None else []
        if one.slices is not None and at:
            notes.append(_SAID("empty_slices", n=len(at), slices=_named(one.slices, at)))
    return list(dict.fromkeys(notes))


def _undefined_notes(measured: Sequence[Measured]) -> list[Message]:
    whole: dict[str, list[str]] = {}
    some_slices: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    slices = next((one.slices for one in measured if one.slices is not None), None)
    for one in measured:
        why = one.metric.undefined_when
        if np.isnan(one.whole).all():
            whole.setdefault(why, []).append(one.label)
        elif one.sliced is not None:
            nowhere = np.isnan(one.sliced) if one.sliced.ndim == 1 else np.isnan(one.sliced).all(axis=1)
            at = tuple(np.flatnonzero(nowhere & (one.parts.rows > 0)).tolist())
            if at:
                some_slices.setdefault((why, at), []).append(one.label)
    notes = [_SAID("undefined_rows", labels=labels, why=term(why)) for why, labels in whole.items()]
    for (why, at), labels in some_slices.items():
        assert slices is not None
        named = _named(slices, at)
        notes.append(_SAID("undefined_slices", labels=labels, n=len(at), slices=named, why=term(why)))
    return notes


def _score_notes(measured: Sequence[Measured], said: Table | None) -> list[Message]:
    """Said where scores that metrics of scores read have two values only, or some are -inf."""
    asked: dict[str, tuple[Scored, list[str]]] = {}
    for one in measured:
        if one.metric.reads == "scores":
            asked.setdefault(one.need.unlabelled, (one.state, []))[1].append(one.label)
    notes = []
    for state, labels in asked.values():
        values = _two_values(state.score)
        if values:
            low, high = (Shown(value, f"{value:g}") for value in values)
            column = None if said is None else said.roles.get("score")
            other = None if said is None or column is None else likely_probability(said)
            notes.append(_SAID("two_scores", column=column, other=other, low=low, high=high, labels=labels))
    for one in measured:
        if one.state.n_rows and np.isneginf(one.state.score.min()):  # no row is left out, as from a ranking
            notes.append(_SAID("lowest", n=int(np.isneginf(one.state.score).sum())))
            break
    return notes


def _two_values(score: NDArray[Any]) -> tuple[float, float] | None:
    """The two values that three or more scores share, if there are no others."""
    if len(score) < 3 or len(np.unique(score[:_FIRST])) > 2:  # most scores are told by the first of them
        return None
    low, high = float(score.min()), float(score.max())
    return (low, high) if low < high and bool(((score == low) | (score == high)).all()) else None


def _tally_notes(tally: Tally, measured: Sequence[Measured]) -> list[Message]:
    dropping = any(one.need.unlabelled == "drop" for one in measured)
    weighted = [one.label for one in measured if one.need.weighted]
    counts = {
        "unlabelled_rows": tally.unlabelled if dropping else 0,
        "weightless_rows": tally.weightless if weighted else 0,
        "unmatched_predictions": tally.unmatched_predictions,
        "unmatched_truth": tally.unmatched_truth,
    }
    labels = weighted if len(weighted) < len(measured) else None
    return [_SAID(key, n=n, labels=labels) for key, n in counts.items() if n]


def _named(slices: pl.DataFrame, at: Sequence[int]) -> Message:
    return some(slice_names(slices, at[:SHOWN]), SHOWN, len(at))
