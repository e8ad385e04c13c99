"""Gains position by position: CG, DCG, the ideal, nDCG."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.messages import Message, say
from steelyard.metrics import CG, DCG, IDCG, NDCG, GainMetric
from steelyard.metrics.gains import BestOrder, summed_discounts
from steelyard.rank import ShownList, rank_texts, with_zeros
from steelyard.show.explanation.explanation import Column, Line, Of, Steps
from steelyard.show.explanation.listed import LIST, inside, limited, list_steps, read, read_notes
from steelyard.show.explanation.steps import Parts, steps

IDEAL = say("best order", key="ideal")
_DCG = Of(LIST, "contribution", named=say("DCG"))
_IDEAL_DCG = Of(IDEAL, "contribution", named=say("ideal DCG"))
_FULL_ROWS = 1000  # of an ideal of equal items; the others are one row


@steps.register
def _cg(metric: CG, shown: ShownList) -> Parts:
    some = read(shown, metric.k)
    gain, share = metric.gains(some.known), inside(some, metric.k)
    worth = metric.contributions(some.hits, some.within(metric.k), "none")
    if (share == 1).all():
        columns, added = [Column.of(say("gain"), gain)], "gain"
    else:
        columns = [
            Column.of(say("gain"), gain),
            Column.of(say("in first k"), share),
            Column.of(say("gain × share", key="gain_share"), worth),
        ]
        added = "gain_share"
    table = list_steps(
        shown,
        metric.k,
        (*columns, Column.of(say("running"), np.cumsum(worth))),
        important=metric.gains(shown.known) > 0,
        total=(added,),
    )
    line = Line(expression="{sum}", operands={"sum": Of(LIST, added)})
    return Parts(steps=(table,), lines=(line,), notes=read_notes(shown, metric.k))


@steps.register
def _dcg(metric: DCG, shown: ShownList) -> Parts:
    return Parts(
        steps=(_discounted(metric, shown, metric.discount),),
        lines=(Line(expression="{dcg}", operands={"dcg": _DCG}),),
        notes=read_notes(shown, metric.k),
    )


@steps.register
def _idcg(metric: IDCG, shown: ShownList) -> Parts:
    best = metric.best_order(metric.discount, metric.ideal_items(with_zeros(shown.ranked)))
    line = Line(expression="{ideal}", operands={"ideal": _IDEAL_DCG})
    return Parts(steps=(_best(best),), lines=(line,), notes=tuple(_judged_notes(shown)))


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
        said = say("the best order is worth 0, so that the value is undefined.", key="undefined_ideal")
        notes.append(said)
    value = Line(expression="{dcg} / {ideal}", operands={"dcg": _DCG, "ideal": _IDEAL_DCG})
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
            *_products(
                metric.gains(some.known), summed_discounts(some.before, within, discount) / some.tied, worth
            ),
            Column.of(say("running"), np.cumsum(worth), "decimal"),
        ),
        important=metric.gains(shown.known) > 0,
        total=("contribution",),
        total_name=_DCG.named,
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
            Column.of(say("rank"), rank_texts(before, tied), "rank"),
            Column.of(say("grade"), grade),
            *_products(gain, discount, gain * discount),
        ),
        total=("contribution",),
        total_name=_IDEAL_DCG.named,
        beside=True,
        spare=("discount",),  # the list beside it has them
    )
    return limited(table, gain > 0)


def _products(gain: Floats, discount: Floats, worth: Floats) -> list[Column]:
    return [
        Column.of(say("gain"), gain),
        Column.of(say("discount"), discount, "decimal"),
        Column.of(say("gain × discount", key="contribution"), worth, "decimal"),
    ]


def _judged_notes(shown: ShownList) -> list[Message]:
    """Said where graded items were not shown: the ideal has them."""
    missing = len(shown.ranked.judged_grade) - int((shown.known != 0).sum())
    said = say("graded items that were judged but not shown: {n:,}.", key="not_retrieved", n=missing)
    return [said] if missing > 0 else []
