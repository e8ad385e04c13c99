"""The first hit and where it stands: MRR and the hit rate."""

from __future__ import annotations

import numpy as np

from steelyard.kernels.ties import hit_chance
from steelyard.messages import say
from steelyard.metrics import MRR, HitRate
from steelyard.rank import ShownList
from steelyard.show.explanation.counts import RELEVANT, counted, hit_steps
from steelyard.show.explanation.explanation import UNDEFINED, Column, Line, Number, Of, Steps
from steelyard.show.explanation.listed import (
    HITS,
    LIST,
    NO_HIT,
    NO_RELEVANT,
    limited,
    list_steps,
    read,
    read_notes,
)
from steelyard.show.explanation.steps import Parts, steps

FIRST = say("where the first hit may stand", key="first")


@steps.register
def _hit_rate(metric: HitRate, shown: ShownList) -> Parts:
    relevant = shown.ranked.n_relevant(metric.rel)[0]
    if metric.pooled:
        return counted(shown, metric.k, metric.rel, Number(relevant, RELEVANT))
    table, notes = hit_steps(shown, metric.k, metric.rel), read_notes(shown, metric.k)
    if not relevant:
        return Parts(steps=(table,), lines=(UNDEFINED,), notes=(*notes, NO_RELEVANT))
    where = _open_tie(metric, shown)
    if where is not None:
        chance = Line(expression="{sum}", operands={"sum": Of(FIRST, "chance")})
        return Parts(steps=(table, where), lines=(chance,), notes=notes)
    value = Line(expression="min({hits}, 1)", operands={"hits": HITS})
    return Parts(steps=(table,), lines=(value,), notes=notes)


@steps.register
def _mrr(metric: MRR, shown: ShownList) -> Parts:
    some = read(shown, metric.k)
    settled = (some.known >= metric.rel) & (some.tied == 1)
    rank = [place + 1 if hit else None for place, hit in zip(some.before.tolist(), settled, strict=True)]
    table = list_steps(
        shown,
        metric.k,
        (
            Column.of(say("hit"), (some.known >= metric.rel).astype(np.int64)),
            Column.of(say("rank of hit", key="hit_rank"), rank),
        ),
        important=shown.known >= metric.rel,
    )
    notes = list(read_notes(shown, metric.k))
    where = _open_tie(metric, shown)
    tables: tuple[Steps, ...] = (table,)
    if not shown.ranked.n_relevant(metric.rel)[0]:
        line = UNDEFINED
        notes.append(NO_RELEVANT)
    elif where is not None:
        tables = (table, where)
        line = Line(expression="{sum}", operands={"sum": Of(FIRST, "chance_reciprocal")})
    elif settled.any():
        first = Of(LIST, "hit_rank", "first", named=say("rank of the first hit"))
        line = Line(expression="1 / {rank}", operands={"rank": first})
    elif metric.empty == "zero":
        line = Line(expression="0")
        notes.append(NO_HIT)
    else:
        line = UNDEFINED
        notes.append(
            say("no hit among what is read: the query is left out (empty=skip).", key="no_hit_skipped")
        )
    return Parts(steps=tables, lines=(line,), notes=tuple(notes))


def _open_tie(metric: MRR | HitRate, shown: ShownList) -> Steps | None:
    """Where the first hit may stand, with the chance of each rank, if it is in a tie that stands open."""
    first = shown.ranked.first_groups(metric.rel)
    if not len(first.query) or first.tied[0] == 1:
        return None
    tied, relevant, before = int(first.tied[0]), int(first.relevant[0]), int(first.before[0])
    places = min(int(first.within(shown.ranked.limit(metric.k))[0]), tied - relevant + 1)
    place = np.arange(1, places + 1)
    reached = hit_chance(np.full(places, tied), np.full(places, relevant), place)
    chance = np.diff(reached, prepend=0.0)
    columns = [
        Column.of(say("rank"), [str(before + j) for j in place.tolist()], "rank"),
        Column.of(say("chance // a probability"), chance, "decimal"),
    ]
    total = ["chance"]
    if isinstance(metric, MRR):
        reciprocal = 1 / (before + place)
        columns += [
            Column.of(say("1 / rank"), reciprocal, "decimal"),
            Column.of(say("chance / rank", key="chance_reciprocal"), chance * reciprocal, "decimal"),
        ]
        total = ["chance_reciprocal"]
    return limited(Steps(name=FIRST, columns=tuple(columns), total=tuple(total)), np.zeros(places, bool))
