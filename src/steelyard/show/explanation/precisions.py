"""The precision at every hit: average precision."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.messages import say
from steelyard.metrics import MAP
from steelyard.rank import ShownList
from steelyard.show.explanation.counts import ACHIEVABLE, RELEVANT
from steelyard.show.explanation.explanation import UNDEFINED, Column, Line, Number, Of, Operand, Steps
from steelyard.show.explanation.listed import (
    HITS,
    LIST,
    NO_HIT,
    NO_RELEVANT,
    inside,
    limited,
    list_steps,
    read,
    read_notes,
)
from steelyard.show.explanation.steps import Parts, steps

CUT = say("how many hits there may be", key="cut")
_CUT_TIE = say(
    "the cutoff divides a tie, so that the number of hits depends on its order.", key="uncertain_hits"
)
_DIVISORS = {
    "relevant": RELEVANT,
    "achievable": ACHIEVABLE,
    "k": "k",
    "shown": say("relevant items, at most those shown"),
}


@steps.register
def _map(metric: MAP, shown: ShownList) -> Parts:
    table, notes = _precisions(metric, shown), list(read_notes(shown, metric.k))
    if not shown.ranked.n_relevant(metric.rel)[0]:
        notes.append(NO_RELEVANT)
        return Parts(steps=(table,), lines=(UNDEFINED,), notes=tuple(notes))
    precisions = Of(LIST, "precision_here")
    if metric.denominator != "hits":
        uncut = metric.k is None and metric.denominator == "achievable"
        named = RELEVANT if uncut else _DIVISORS[metric.denominator]
        divisor = Number(metric.divisor(shown.ranked)[0], named)
        operands: dict[str, Operand] = {"sum": precisions, "divisor": divisor}
        value = Line(expression="{sum} / {divisor}", operands=operands)
        return Parts(steps=(table,), lines=(value,), notes=tuple(notes))
    owner, chance, total, n_hits = metric.cut(shown.ranked)
    if len(owner):
        notes.append(_CUT_TIE)
        line = Line(expression="{sum}", operands={"sum": Of(CUT, "chance_mean")})
        return Parts(steps=(table, _cut(chance, total, n_hits)), lines=(line,), notes=tuple(notes))
    some = metric.uncut(shown.ranked)[1][0] > 0
    value = Line(
        expression="{sum} / {hits}" if some else "0",
        operands={"sum": precisions, "hits": HITS} if some else {},
    )
    notes += [] if some else [NO_HIT]
    return Parts(steps=(table,), lines=(value,), notes=tuple(notes))


def _precisions(metric: MAP, shown: ShownList) -> Steps:
    """Each position with the hits so far and, where there is a hit, the precision of the list up to it."""
    some = read(shown, metric.k)
    hit = (some.known >= metric.rel) * inside(some, metric.k)
    groups = shown.ranked.groups(metric.rel)
    each = metric.terms(shown.ranked) / groups.relevant
    # the relevant items of one tie share its sum of precisions
    added = np.zeros(len(some))
    relevant = some.known >= metric.rel
    added[relevant] = each[np.searchsorted(groups.before, some.before[relevant])]
    cells = [value if hit else None for value, hit in zip(added.tolist(), relevant, strict=True)]
    return list_steps(
        shown,
        metric.k,
        (
            Column.of(say("hit"), hit),
            Column.of(say("hits so far"), np.cumsum(hit)),
            Column.of(say("precision here", key="precision_here"), cells, "decimal"),
            Column.of(say("running"), np.cumsum(added), "decimal"),
        ),
        important=shown.known >= metric.rel,
        total=("hit", "precision_here"),
    )


def _cut(chance: Floats, total: Floats, hits: Floats) -> Steps:
    """A tie that the cutoff divides: each number of hits that there may be, with its chance."""
    mean = np.divide(total, hits, out=np.zeros(len(hits)), where=hits > 0)
    table = Steps(
        name=CUT,
        columns=(
            Column.of(say("hits"), hits),
            Column.of(say("sum of precisions"), total, "decimal"),
            Column.of(say("average precision"), mean, "decimal"),
            Column.of(say("chance // a probability"), chance, "decimal"),
            Column.of(say("chance × average precision", key="chance_mean"), chance * mean, "decimal"),
        ),
        total=("chance_mean",),
    )
    return limited(table, chance > 0)
