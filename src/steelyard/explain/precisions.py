"""The precision at every hit: average precision."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.explain.explanation import VALUE, Column, Line, Note, Of, Operand, Steps, undefined
from steelyard.explain.listed import LIST, inside, limited, list_steps, read, read_notes
from steelyard.explain.steps import Parts, steps
from steelyard.metrics import MAP
from steelyard.rank import ShownList

CUT = "cut"
_DIVISORS = {"relevant": "relevant", "achievable": "achievable", "k": "k", "shown": "relevant_shown"}


@steps.register
def _map(metric: MAP, shown: ShownList) -> Parts:
    table, notes = _precisions(metric, shown), list(read_notes(shown, metric.k))
    if not shown.ranked.n_relevant(metric.rel)[0]:
        notes.append(Note(key="undefined_relevant"))
        return Parts(steps=(table,), lines=(undefined(),), notes=tuple(notes))
    precisions, hits = Of(LIST, "precision_here"), Of(LIST, "hit")
    if metric.denominator != "hits":
        name = "relevant" if metric.k is None and metric.denominator == "achievable" else ""
        name = name or _DIVISORS[metric.denominator]
        operands: dict[str, Operand] = {"sum": precisions, name: float(metric.divisor(shown.ranked)[0])}
        value = Line(name=VALUE, expression=f"{{sum}} / {{{name}}}", operands=operands)
        return Parts(steps=(table,), lines=(value,), notes=tuple(notes))
    owner, chance, total, n_hits = metric.cut(shown.ranked)
    if len(owner):
        notes.append(Note(key="uncertain_hits"))
        line = Line(name=VALUE, expression="{sum}", operands={"sum": Of(CUT, "chance_mean")})
        return Parts(steps=(table, _cut(chance, total, n_hits)), lines=(line,), notes=tuple(notes))
    some = metric.uncut(shown.ranked)[1][0] > 0
    value = Line(
        name=VALUE,
        expression="{sum} / {hits}" if some else "0",
        operands={"sum": precisions, "hits": hits} if some else {},
    )
    notes += [] if some else [Note(key="no_hit_zero")]
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
            Column.of("hit", hit),
            Column.of("hits_so_far", np.cumsum(hit)),
            Column.of("precision_here", cells, "decimal"),
            Column.of("running", np.cumsum(added), "decimal"),
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
            Column.of("hits", hits),
            Column.of("precisions", total, "decimal"),
            Column.of("mean", mean, "decimal"),
            Column.of("chance", chance, "decimal"),
            Column.of("chance_mean", chance * mean, "decimal"),
        ),
        total=("chance_mean",),
    )
    return limited(table, chance > 0)
