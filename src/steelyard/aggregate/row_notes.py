"""What a reader must know of metrics of rows, one sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.aggregate.notes import counted
from steelyard.aggregate.slices import RowSlices, slice_names
from steelyard.aggregate.summary import RowMeasured
from steelyard.aggregate.tie_notes import SHOWN
from steelyard.align import RowTally
from steelyard.align.unclaimed import likely_probability
from steelyard.metrics import NE, LogLoss, RowMetric, ThresholdMetric
from steelyard.read import Table
from steelyard.states import Classified, Scored

_FIRST = 1000


def row_notes(
    measured: Sequence[RowMeasured], slices: RowSlices | None, tally: RowTally, said: Table | None = None
) -> list[str]:
    """Every note that the metrics of rows give rise to, the weightiest first; ``said`` has the scores."""
    notes = undefined_notes(measured, slices)
    for one in measured:
        # a fact calls the metric by its full text, the table by its label
        notes += [fact.replace(str(one.metric), one.label, 1) for fact in one.metric.facts(one.state)]
    notes += hard_notes(measured, said)
    notes += masked_notes(measured)
    notes += tally_notes(tally, [one.metric.unlabelled for one in measured])
    notes += empty_notes(measured, slices)
    return list(dict.fromkeys(notes))


def undefined_notes(measured: Sequence[RowMeasured], slices: RowSlices | None) -> list[str]:
    """Which metrics are undefined, on the whole or in which slices, and why."""
    whole: dict[str, list[str]] = {}
    some: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for one in measured:
        why = one.metric.undefined_when
        if np.isnan(one.whole).all():
            whole.setdefault(why, []).append(one.label)
        elif one.sliced is not None:
            state, values = one.sliced
            nowhere = np.isnan(values) if values.ndim == 1 else np.isnan(values).all(axis=1)
            at = tuple(np.flatnonzero(nowhere & (state.rows > 0)).tolist())
            if at:
                some.setdefault((why, at), []).append(one.label)
    notes = [f"{_are(labels)} undefined: {why}." for why, labels in whole.items()]
    for (why, at), labels in some.items():
        assert slices is not None
        places = counted(len(at), "slice")
        notes.append(f"{_are(labels)} undefined in {places} ({_named(slices, at)}), where {why}.")
    return notes


def hard_notes(measured: Sequence[RowMeasured], said: Table | None = None) -> list[str]:
    """Said where scores have two values only, as predicted classes have."""
    asked: dict[int, tuple[Scored, list[str]]] = {}
    for one in measured:
        if isinstance(one.metric, RowMetric) and isinstance(one.state, Scored):
            asked.setdefault(id(one.state), (one.state, []))[1].append(one.label)
    notes = []
    for state, names in asked.values():
        values = _two_values(state.score)
        if values:
            labels = ", ".join(names)
            column, other = _columns_of_scores(said)
            notes.append(
                f"the scores{column} have two values only, {values[0]:g} and {values[1]:g}: if they are "
                f"predicted classes, give the scores behind them for {labels}{other}."
            )
    return notes


def _columns_of_scores(said: Table | None) -> tuple[str, str]:
    """The column that the scores were read from, and the one that they may be meant to come from."""
    if said is None or "score" not in said.roles:
        return "", ""
    other = likely_probability(said)
    hint = f"; if those are column '{other}', --columns score={other}" if other else ""
    return f" (column '{said.roles['score']}')", hint


def _two_values(score: NDArray[Any]) -> tuple[float, float] | None:
    """The two values that three or more scores share, if there are no others."""
    if len(score) < 3 or len(np.unique(score[:_FIRST])) > 2:  # most scores are told by the first of them
        return None
    low, high = float(score.min()), float(score.max())
    return (low, high) if low < high and bool(((score == low) | (score == high)).all()) else None


def masked_notes(measured: Sequence[RowMeasured]) -> list[str]:
    """Said where a score is -inf: no row is left out, as it would be from a ranking."""
    for one in measured:
        if isinstance(one.state, Scored) and one.state.n_rows and np.isneginf(one.state.score.min()):
            number = int(np.isneginf(one.state.score).sum())
            return [f"{counted(number, 'row')} with a score of -inf: the lowest score there is."]
    return []


def tally_notes(tally: RowTally, unlabelled: Sequence[str]) -> list[str]:
    """What was left out on the way to the rows."""
    notes = []
    if tally.unlabelled and "drop" in unlabelled:
        notes.append(f"{counted(tally.unlabelled, 'row')} without a label: left out.")
    if tally.weightless:
        notes.append(f"{counted(tally.weightless, 'row')} of weight 0: as if not there.")
    if tally.unmatched_predictions:
        notes.append(
            f"{counted(tally.unmatched_predictions, 'prediction')} without a label in the truth: left out."
        )
    if tally.unmatched_truth:
        notes.append(f"{counted(tally.unmatched_truth, 'row')} of the truth without a prediction: left out.")
    return notes


def empty_notes(measured: Sequence[RowMeasured], slices: RowSlices | None) -> list[str]:
    """Slices that have rows, but none that counts."""
    notes: dict[str, None] = {}
    for one in measured:
        if one.sliced is not None and slices is not None:
            at = np.flatnonzero(one.sliced[0].rows == 0).tolist()
            if at:
                places = counted(len(at), "slice")
                has = "has" if len(at) == 1 else "have"
                notes[f"{places} ({_named(slices, at)}) {has} no row with a label and a weight."] = None
    return list(notes)


def row_facts(measured: Sequence[RowMeasured]) -> list[str]:
    """How many classes there are and how rare the positive one is, in a few words."""
    for one in measured:
        state = one.state
        if isinstance(state, Scored):
            share = state.positives[0] / max(state.positives[0] + state.negatives[0], 1e-300)
            return [f"{share:.2%} positive"]
        if isinstance(state, Classified):
            return [counted(len(state.classes), "class", "classes")]
    return []


def base_figures(measured: Sequence[RowMeasured]) -> dict[str, float]:
    """What readings rest on beside the metrics asked for: ne, from the rows that logloss was measured on."""
    for one in measured:
        if isinstance(one.metric, LogLoss) and isinstance(one.state, Scored):
            return {"ne": float(NE().measure(one.state)[0])}
    return {}


def majority(measured: Sequence[RowMeasured]) -> float | None:
    """The share of the most frequent class, where classes were measured."""
    for one in measured:
        if isinstance(one.metric, ThresholdMetric) and isinstance(one.state, Scored | Classified):
            classified = one.metric.view(one.state)
            support = classified.counts.support[0]
            if classified.one_label and support.sum() > 0:
                return float(support.max() / support.sum())
    return None


def _are(labels: Sequence[str]) -> str:
    return f"{', '.join(labels)} {'is' if len(labels) == 1 else 'are'}"


def _named(slices: RowSlices, at: Sequence[int]) -> str:
    return ", ".join(slice_names(slices.labels, at[:SHOWN])) + (", …" if len(at) > SHOWN else "")
