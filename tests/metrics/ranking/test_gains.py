"""What the gain metrics share: gains of grades, discounts of ranks, and cg, dcg and idcg by hand."""

from __future__ import annotations

import math
from math import log2

import pytest

import steelyard as sy
from steelyard import CG, DCG, IDCG, NDCG

from ...tables import each_row
from ..worked import check, tables

GAINS = [CG, DCG, IDCG, NDCG]


@each_row("cls", GAINS)
@each_row(
    ("given", "text"),
    [
        ({1: 3, 2: 9}, "1:3/2:9"),
        ({2: 9.0, 1.0: 3}, "1:3/2:9"),
        ("2:9/1:3", "1:3/2:9"),
        ("1:3.0/2.0:9", "1:3/2:9"),
        ({0.5: 0.25}, "0.5:0.25"),
        ({1: 0}, "1:0"),
    ],
)
def test_a_mapping_has_one_text(cls, given, text):
    metric = cls(k=5, gain=given)
    assert metric.gain == text
    assert metric == cls(k=5, gain=text)
    assert str(metric) == f"{cls.name}(gain={text})@5"
    assert sy.metric(str(metric)) == metric
    assert hash(metric) == hash(sy.metric(str(metric)))


@each_row(
    "gain",
    [
        {},
        {0: 1},
        {-1: 1},
        {1: -1},
        {1: math.nan},
        {1: math.inf},
        {math.nan: 1},
        "1:",
        ":",
        "1:2:3",
        "1:2/1:3",
        "a:b",
    ],
)
def test_a_mapping_has_grades_above_0_and_gains_of_0_or_more(gain):
    with pytest.raises(sy.SteelyardError, match="dcg: gain must be 'linear', 'exp2', 'binary' or a mapping"):
        DCG(gain=gain)


@each_row("gain", ["exp", "log", 2, None, ["linear"]])
def test_an_unknown_gain(gain):
    with pytest.raises(sy.SteelyardError, match="dcg: gain must be one of 'linear'"):
        DCG(gain=gain)


@pytest.mark.parametrize("cls", GAINS)
def test_a_grade_that_the_mapping_lacks_is_an_error(cls):
    with pytest.raises(
        sy.SteelyardError, match="the truth has grade 3, which the gain mapping lacks"
    ) as caught:
        cls(gain={1: 3, 2: 9}).of([1, 3, 2])
    assert "3:GAIN" in caught.value.remedy
    with pytest.raises(sy.SteelyardError, match="the truth has grade 0.5"):
        sy.evaluate(*tables([0.5, 1]), cls(gain={1: 3, 2: 9}))


@pytest.mark.parametrize("cls", GAINS)
def test_gains_beyond_what_a_number_holds_are_an_error(cls):
    with pytest.raises(sy.SteelyardError, match="grades up to 1024 the sum of gains is above 1e150"):
        cls(gain="exp2").of([1024, 1])
    # values of up to 1e150 have an interval; a share of the ideal is never large
    assert cls(gain="exp2").of([1000 if cls is NDCG else 400]) > 0


@pytest.mark.parametrize("cls", GAINS)
def test_gain_metrics_take_no_rel(cls):
    with pytest.raises(sy.SteelyardError, match=f"{cls.name} has no field 'rel'"):
        cls(rel=2)


@pytest.mark.parametrize("gain", [{1: 3, 2: 3, 3: 9}, {1: 0}, "linear", "exp2"])
def test_gains_that_never_fall_are_monotone(gain):
    assert DCG(gain=gain).monotone


def test_gains_that_fall_are_not_monotone_and_the_ideal_goes_by_gain():
    odd = {1: 9, 2: 3}
    assert not DCG(gain=odd).monotone
    check(DCG(gain=odd), [2, 1], None, 3 + 9 / log2(3))
    check(IDCG(gain=odd), [2, 1], None, 9 + 3 / log2(3))
    check(NDCG(gain=odd), [2, 1], None, (3 + 9 / log2(3)) / (9 + 3 / log2(3)))
    check(NDCG(k=1, gain=odd, ideal="retrieved"), [2, 1], None, 3 / 9)


BINARY = [  # metric, grades as ranked, judged grades, value by hand
    (CG(gain="binary"), [3, 0, 2, -1, 0.5], None, 1 + 1 + 1),
    (DCG(gain="binary", k=3), [3, 0, 2, 1], None, 1 + 1 / 2),
    (DCG(gain="binary", discount="jarvelin"), [3, 2, 1], None, 1 + 1 + 1 / log2(3)),
    (IDCG(gain="binary", k=2), [0], [1, 3, 2], 1 + 1 / log2(3)),
    # grades 3 and 1 are worth the same: only where the first zero stands matters
    (NDCG(gain="binary", k=3), [1, 0, 3], None, (1 + 1 / 2) / (1 + 1 / log2(3))),
    (NDCG(gain="binary"), [1, 3], [3, 1], 1.0),
    (NDCG(gain="binary", k=2), [1, 0], [3, 2, 1], 1 / (1 + 1 / log2(3))),
    (NDCG(gain="binary", ideal="full", max_grade=5, k=2), [1, 0], [1], 1 / (1 + 1 / log2(3))),
    (NDCG(gain="binary"), [-1, 0], None, math.nan),
]


@each_row(("metric", "shown", "judged", "value"), BINARY, ids=lambda one: str(one)[:40])
def test_a_binary_gain_by_hand(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_a_binary_gain_in_ties():
    """Three tied items, one of them relevant: its discount is the mean of three."""
    metric = sy.metric("ndcg(gain=binary, ties=expected)")
    found = sy.evaluate({"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"b": 3}}, metric)[metric]
    assert found == pytest.approx((1 + 1 / log2(3) + 1 / 2) / 3, abs=1e-15)


@pytest.mark.parametrize(("slip", "meant"), [("binry", "binary"), ("exp", "exp2"), ("linera", "linear")])
def test_a_slip_of_a_gain(slip, meant):
    with pytest.raises(sy.SteelyardError, match=f"did you mean gain={meant}?"):
        sy.metric(f"ndcg(gain={slip})@10")
