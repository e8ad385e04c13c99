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
from steelyard.measure.measured import Measured
from steelyard.measure.tie_notes import SHOWN
from steelyard.messages import Message, say, some, term
from steelyard.printable import Shown
from steelyard.read import Table

_FIRST = 1000


def row_notes(measured: Sequence[Measured], tally: Tally, said: Table | None = None) -> list[Message]:
    """Every note on metrics of rows, the most important first; ``said`` has the scores."""
    notes = _undefined_notes(measured)
    for one in measured:
        notes += map(term, one.metric.facts(one.state, one.label))
    scored = [one for one in measured if isinstance(one.state, Scored)]
    if scored:
        notes += _score_notes(scored, said)
    notes += _tally_notes(tally, measured)
    for one in measured:  # slices that have rows, but none that counts
        at = np.flatnonzero(one.parts.rows == 0).tolist() if one.slices is not None else []
        if one.slices is not None and at:
            notes.append(
                say(
                    "{n:,} {n:slice|slices} ({slices}) {n:has|have} no row with a label and a weight.",
                    key="empty_slices",
                    n=len(at),
                    slices=_named(one.slices, at),
                )
            )
    return list(dict.fromkeys(notes))


def _undefined_notes(measured: Sequence[Measured]) -> list[Message]:
    """Which metrics are undefined, on the whole or in which slices, and why."""
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
    notes = [
        say("{labels} {labels:is|are} undefined: {why}.", key="undefined_rows", labels=labels, why=term(why))
        for why, labels in whole.items()
    ]
    for (why, at), labels in some_slices.items():
        assert slices is not None
        notes.append(
            say(
                "{labels} {labels:is|are} undefined in {n:,} {n:slice|slices} ({slices}), where {why}.",
                key="undefined_slices",
                labels=labels,
                n=len(at),
                slices=_named(slices, at),
                why=term(why),
            )
        )
    return notes


def _score_notes(measured: Sequence[Measured], said: Table | None) -> list[Message]:
    """Said where scores have two values only, as predicted classes have, and where some are -inf."""
    asked: dict[str, tuple[Scored, list[str]]] = {}
    for one in measured:
        if one.metric.reads == "scores":
            asked.setdefault(one.need.unlabelled, (one.state, []))[1].append(one.label)
    notes = []
    for state, labels in asked.values():
        values = _two_values(state.score)
        if values:
            notes.append(_two_valued(values, labels, said))
    for one in measured:
        if one.state.n_rows and np.isneginf(one.state.score.min()):  # no row is left out, as from a ranking
            n = int(np.isneginf(one.state.score).sum())
            notes.append(
                say("{n:,} {n:row|rows} with a score of -inf: the lowest score there is.", key="lowest", n=n)
            )
            break
    return notes


def _two_valued(values: tuple[float, float], labels: list[str], said: Table | None) -> Message:
    """With the column that the scores were read from, and the one that they may be meant to come from."""
    low, high = (Shown(value, f"{value:g}") for value in values)
    figures = {"low": low, "high": high, "labels": labels}
    if said is None or "score" not in said.roles:
        return say(
            "the scores have two values only, {low} and {high}: if they are predicted classes, give the "
            "scores behind them for {labels}.",
            key="two_scores",
            **figures,
        )
    other = likely_probability(said)
    if not other:
        return say(
            "the scores (column '{column}') have two values only, {low} and {high}: if they are predicted "
            "classes, give the scores behind them for {labels}.",
            key="two_scores",
            column=said.roles["score"],
            **figures,
        )
    return say(
        "the scores (column '{column}') have two values only, {low} and {high}: if they are predicted "
        "classes, give the scores behind them for {labels}; if those are column '{other}', "
        "--columns score={other}.",
        key="two_scores",
        column=said.roles["score"],
        other=other,
        **figures,
    )


def _two_values(score: NDArray[Any]) -> tuple[float, float] | None:
    """The two values that three or more scores share, if there are no others."""
    if len(score) < 3 or len(np.unique(score[:_FIRST])) > 2:  # most scores are told by the first of them
        return None
    low, high = float(score.min()), float(score.max())
    return (low, high) if low < high and bool(((score == low) | (score == high)).all()) else None


def _tally_notes(tally: Tally, measured: Sequence[Measured]) -> list[Message]:
    """What was left out on the way to the rows."""
    notes = []
    if tally.unlabelled and any(one.need.unlabelled == "drop" for one in measured):
        n = tally.unlabelled
        notes.append(say("{n:,} {n:row|rows} without a label: left out.", key="unlabelled_rows", n=n))
    n = tally.weightless
    weighted = [one.label for one in measured if one.need.weighted] if n else []
    if n and len(weighted) == len(measured):
        notes.append(say("{n:,} {n:row|rows} of weight 0: as if not there.", key="weightless_rows", n=n))
    elif weighted:
        notes.append(
            say(
                "{n:,} {n:row|rows} of weight 0: as if not there for {labels:and}.",
                key="weightless_rows",
                n=n,
                labels=weighted,
            )
        )
    if n := tally.unmatched_predictions:
        notes.append(
            say(
                "{n:,} {n:prediction|predictions} without a label in the truth: left out.",
                key="unmatched_predictions",
                n=n,
            )
        )
    if n := tally.unmatched_truth:
        notes.append(
            say("{n:,} {n:row|rows} of the truth without a prediction: left out.", key="unmatched_truth", n=n)
        )
    return notes


def _named(slices: pl.DataFrame, at: Sequence[int]) -> Message:
    return some(slice_names(slices, at[:SHOWN]), SHOWN, len(at))
