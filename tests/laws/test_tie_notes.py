"""What the note on ties says, against every order of every tie."""

from __future__ import annotations

import math
import re
from itertools import product

import pytest

import steelyard as sy
from steelyard import read
from steelyard.conventions import Align, Rank
from steelyard.engine.align import align
from steelyard.engine.coding import encode
from steelyard.engine.ranked import count
from steelyard.stats.notes import tie_notes

from . import reference
from .drawn import Query, fits, tables
from .variants import NAMES, variants

BANKS = [
    [Query(((1,), (0,), (1, 0)), ()), Query(((1, 0, None), (2,)))],
    [Query(((0,), (1, 1, 0, None)), (1, 0))],
    [Query(((1,), (1, 1, 0, 0)))],
    [Query(((1, 1), (2, 2), (0, None))), Query(((3,),))],
    [Query(((3, -1, 0), (2, -1)), (2,)), Query(((1, 2),))],
]
RANGE = re.compile(r"; their order alone moves (?P<label>.*) within (?P<low>\S+) – (?P<high>\S+)\.$")
BY_ITEM = re.compile(
    r"; (?P<label>.*) is (?P<falling>\S+) by item_desc and (?P<rising>\S+) by item_asc, "
    r"and other orders may lie beyond\.$"
)


def possible(metric, drawn):
    """The mean over queries for every order of every tie."""
    spec = metric.spec()
    highest = max(max(query.grades) for query in drawn)
    each = [
        [reference.value(spec, order, query.judged, highest) for order in reference.orders(query.groups)]
        for query in drawn
    ]
    if metric.pooled:
        parts = [
            [reference.parts(spec, order, query.judged) for order in reference.orders(query.groups)]
            for query in drawn
        ]
        return [
            reference.ratio(sum(h for h, _ in chosen), sum(of for _, of in chosen))
            for chosen in product(*parts)
        ]
    return [reference.mean(spec, chosen) for chosen in product(*each)]


def shown(value):
    if math.isnan(value):
        return "undefined"
    return f"{value:.4e}" if 0 < value < 5e-5 else f"{value:.4f}"


def check(metric, drawn, note):
    values = possible(metric, drawn)
    defined = [value for value in values if not math.isnan(value)]
    still = len(defined) in (0, len(values)) and (not defined or max(defined) - min(defined) < 1e-4)
    if note.endswith("; tie order changes no metric by 0.0001 or more."):
        assert still, (str(metric), note, sorted(set(values)))
    elif found := RANGE.search(note):
        assert (found["low"], found["high"]) == (shown(min(values)), shown(max(values))), (str(metric), note)
    else:
        found = BY_ITEM.search(note)
        assert found, note
        assert not metric.monotone, str(metric)
        assert {found["falling"], found["rising"]} <= {shown(value) for value in values}, (str(metric), note)


@pytest.mark.parametrize("mean", ["arithmetic", "geometric", "median"])
@pytest.mark.parametrize("name", NAMES)
def test_the_note_on_ties_says_what_all_orders_say(name, mean):
    for drawn in BANKS:
        grades = set().union(*(query.grades for query in drawn))
        metrics = [metric for metric in variants(name, (None, 1, 3), mean=mean) if fits(metric, grades)]
        said, true = tables(drawn)
        # the tables are read once, and each metric asked for its note as if it stood alone
        first, *others = sy.evaluate(said, true, metrics).measured
        counted = count(
            align(encode(read.predictions(said), read.truth(true)), Align(), "score"),
            Rank(),
            0.0,
            zeros=first.metric.needs_judged_zeros,
        )
        [note] = tie_notes([first], counted)
        assert note in sy.evaluate(said, true, metrics[0]).notes
        check(metrics[0], drawn, note)
        for metric, one in zip(metrics[1:], others, strict=True):
            [note] = tie_notes([one], counted)
            check(metric, drawn, note)


@pytest.mark.parametrize("pooling", ["query", "pooled"])
@pytest.mark.parametrize("weights", [(1, 1), (1, 3), (0.25, 2)])
def test_expected_is_the_mean_over_all_orders_of_weighted_and_of_pooled_values_too(pooling, weights):
    drawn = BANKS[0]
    said, true = tables(drawn)
    metric = sy.metric(f"recall(pooling={pooling})@2")
    values = []
    for orders in product(*(reference.orders(query.groups) for query in drawn)):
        parts = [
            reference.parts(metric.spec(), order, query.judged)
            for order, query in zip(orders, drawn, strict=True)
        ]
        if pooling == "pooled":
            over, under = (sum(w * part[at] for w, part in zip(weights, parts, strict=True)) for at in (0, 1))
        else:
            over = sum(w * h / of for w, (h, of) in zip(weights, parts, strict=True))
            under = sum(weights)
        values.append(over / under)
    result = sy.evaluate(
        said, true, metric, ties="expected", weights=dict(zip(["q00", "q01"], weights, strict=True))
    )
    assert result[metric] == pytest.approx(math.fsum(values) / len(values), abs=1e-12)
