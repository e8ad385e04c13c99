"""Gains position by position: CG, DCG, the ideal, nDCG."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.explain.explanation import VALUE, Column, Line, Note, Of, Steps
from steelyard.explain.listed import LIST, inside, limited, list_steps, read, read_notes
from steelyard.explain.steps import Parts, steps
from steelyard.metrics import CG, DCG, IDCG, NDCG, GainMetric
from steelyard.metrics.gains import BestOrder, summed_discounts
from steelyard.rank import ShownList, rank_texts, with_zeros

IDEAL = "ideal"
_FULL_ROWS = 1000  # of an ideal of equal items; the others are one row


@steps.register
def _cg(metric: CG, shown: ShownList) -> Parts:
    some = read(shown, metric.k)
    gain, share = metric.gains(some.known), inside(some, metric.k)
    worth = metric.contributions(some.hits, some.within(metric.k), "none")
    if (share == 1).all():
        columns, added = [Column.of("gain", gain)], "gain"
    else:
        columns = [Column.of("gain", gain), Column.of("share", share), Column.of("gain_share", worth)]
        added = "gain_share"
    table = list_steps(
        shown,
        metric.k,
        (*columns, Column.of("running", np.cumsum(worth))),
        important=metric.gains(shown.known) > 0,
        total=(added,),
    )
    line = Line(name=VALUE, expression="{sum}", operands={"sum": Of(LIST, added)})
    return Parts(steps=(table,), lines=(line,), notes=read_notes(shown, metric.k))


@steps.register
def _dcg(metric: DCG, shown: ShownList) -> Parts:
    return Parts(
        steps=(_discounted(metric, shown, metric.discount),),
        lines=(_sum(LIST),),
        notes=read_notes(shown, metric.k),
    )


@steps.register
def _idcg(metric: IDCG, shown: ShownList) -> Parts:
    best = metric.best_order(metric.discount, metric.ideal_items(with_zeros(shown.ranked)))
    return Parts(steps=(_best(best),), lines=(_sum(IDEAL),), notes=tuple(_judged_notes(shown)))


@steps.register
def _ndcg(metric: NDCG, shown: ShownList) -> Parts:
    notes = [*read_notes(shown, metric.k)]
    if metric.ideal == "full":
        ideal = _full(metric, shown)
    else:
        ideal = _best(metric.best_order(metric.discount, metric.ideal_items(with_zeros(shown.ranked))))
    if metric.ideal in ("judged", "judged_uncut", "judged_shown"):
        notes += _judged_notes(shown)
    if not any(ideal.column("contribution").cells):
        notes.append(Note(key="undefined_ideal"))
    value = Line(
        name=VALUE,
        expression="{dcg} / {ideal_dcg}",
        operands={"dcg": Of(LIST, "contribution"), "ideal_dcg": Of(IDEAL, "contribution")},
    )
    return Parts(
        steps=(_discounted(metric, shown, metric.discount), ideal), lines=(value,), notes=tuple(notes)
    )


def _discounted(metric: GainMetric, shown: ShownList, discount: str) -> Steps:
    """Each position with its gain, its discount, their product and the running sum."""
    some = read(shown, metric.k)
    within = some.within(metric.k)
    worth = metric.contributions(some.hits, within, discount)
    return list_steps(
        shown,
        metric.k,
        (
            Column.of("gain", metric.gains(some.known)),
            Column.of("discount", summed_discounts(some.before, within, discount) / some.tied, "decimal"),
            Column.of("contribution", worth, "decimal"),
            Column.of("running", np.cumsum(worth), "decimal"),
        ),
        important=metric.gains(shown.known) > 0,
        total=("contribution",),
        total_name="dcg",
    )


def _best(best: BestOrder) -> Steps:
    """The items that count in their best order."""
    counted = best.discount > 0
    place = np.arange(int(counted.sum()))
    return _ideal(place, np.ones_like(place), best.grade[counted], best.gain[counted], best.discount[counted])


def _full(metric: NDCG, shown: ShownList) -> Steps:
    """The highest grade k times; items far down are one row."""
    assert metric.k is not None
    before = np.arange(min(metric.k, _FULL_ROWS))
    tied = np.ones_like(before)
    if metric.k > _FULL_ROWS:
        before, tied = np.append(before, _FULL_ROWS), np.append(tied, metric.k - _FULL_ROWS)
    grade = np.full(len(before), metric.highest(shown.ranked))
    discount = summed_discounts(before, tied, metric.discount)
    return _ideal(before, tied, grade, metric.gains(grade), discount)


def _ideal(before: Ints, tied: Ints, grade: Floats, gain: Floats, discount: Floats) -> Steps:
    table = Steps(
        name=IDEAL,
        columns=(
            Column.of("rank", rank_texts(before, tied), "rank"),
            Column.of("grade", grade),
            Column.of("gain", gain),
            Column.of("discount", discount, "decimal"),
            Column.of("contribution", gain * discount, "decimal"),
        ),
        total=("contribution",),
        total_name="ideal_dcg",
        beside=True,
        spare=("discount",),  # the list beside it has them
    )
    return limited(table, gain > 0)


def _sum(table: str) -> Line:
    name = "dcg" if table == LIST else "ideal_dcg"
    return Line(name=VALUE, expression=f"{{{name}}}", operands={name: Of(table, "contribution")})


def _judged_notes(shown: ShownList) -> list[Note]:
    """Said where graded items were not shown: the ideal has them."""
    shown_grades = int((shown.known != 0).sum())
    missing = len(shown.ranked.judged_grade) - shown_grades
    return [Note(key="not_retrieved", values={"items": missing})] if missing > 0 else []
