"""What the gain metrics share: gains of grades, discounts of ranks, and cg, dcg and idcg by hand."""

from __future__ import annotations

import math
from math import log2

import pytest

import steelyard as sy
from steelyard import CG, DCG, IDCG, NDCG

from .worked import check, tables

GAINS = [CG, DCG, IDCG, NDCG]


@pytest.mark.parametrize("cls", GAINS)
@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
    with pytest.raises(sy.SteelyardError, match="dcg: gain must be 'linear', 'exp2' or a mapping"):
        DCG(gain=gain)


@pytest.mark.parametrize("gain", ["exp", "log", 2, None, ["linear"]])
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
    with pytest.raises(
        sy.SteelyardError, match="grades up to 1024 the gains add up to more than a number can hold"
    ):
        cls(gain="exp2").of([1024, 1])
    assert cls(gain="exp2").of([1000]) > 0


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
