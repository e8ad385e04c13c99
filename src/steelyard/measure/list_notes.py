"""What a reader must know of metrics of lists as a whole, one sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.engine.protocol import Need, Tally
from steelyard.measure.measured import Measured
from steelyard.measure.tie_notes import SHOWN
from steelyard.messages import Message, listed, say, sentences, term

_SAID = sentences(
    undefined_lists="{labels} {labels:is|are} undefined: {why}.",
    undefined_groups="{label} is undefined for {n:,} of {every:,} groups ({groups}): {why}.",
    undefined_in_slices="{label} is undefined in {n:,} of {every:,} slices: {why}.",
    ties_decide="{share:.1%} of rows are tied with another row of their query; ties={ties} decides which of "
    "them lists show.",
)


def list_facts(measured: Sequence[Measured]) -> list[Message]:
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


def undefined_lists(measured: Sequence[Measured]) -> list[Message]:
    """Which metrics of all lists together have no value, and why."""
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


def tied_lists(tallies: Mapping[Need, Tally]) -> list[Message]:
    """How many rows are tied, where their order decides what the lists show."""
    return [
        _SAID("ties_decide", share=tally.tied / tally.retrieved, ties=need.convention[1].ties)
        for need, tally in tallies.items()
        if tally.tied
    ]
