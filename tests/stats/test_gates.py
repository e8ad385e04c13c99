"""Rules and verdicts, by plain numbers."""

from __future__ import annotations

import math

import pytest

import steelyard as sy
from steelyard.metrics.base import gained
from steelyard.stats.gates import MODES, Gate, Rule, Values, in_order
from steelyard.stats.significance import DropLimits

from ..tables import each_row

NAN = math.nan


def values(direction="higher", unit="queries", label="ndcg@10", **at):
    """One metric: ``whole`` and slices of the column country, each a value over ten units."""
    return Values(
        label=label,
        direction=direction,
        unit=unit,
        at={((None,) if name == "whole" else (name,)): (value, 10) for name, value in at.items()},
    )


def judged(rule, mine, base=None, **options):
    gate = Gate(mine=mine, base=base, by=("country",), **options)
    return [(one.outcome, str(one.sentence)) for one in gate.judge(rule)]


DROPS = [  # direction, value, baseline, limit, outcome, what is said
    (
        "higher", 0.412, 0.417, "0.5%", "failed",
        "ndcg@10 is 0.4120, 1.2 % below the baseline's 0.4170; at most 0.5 % is allowed",
    ),
    (
        "higher", 0.415, 0.417, "0.5%", "passed",
        "ndcg@10 is 0.4150, 0.48 % below the baseline's 0.4170; at most 0.5 % is allowed",
    ),
    ("higher", 0.42, 0.417, "0.5%", "passed", "ndcg@10 is 0.4200, 0.7 % above the baseline's 0.4170"),
    ("higher", 0.417, 0.417, 0, "passed", "ndcg@10 is 0.4170, as the baseline's is"),
    (
        "higher", 0.41, 0.42, 0.01, "passed",  # in binary 0.42 - 0.41 is a little more than 0.01
        "ndcg@10 is 0.4100, 0.0100 below the baseline's 0.4200; at most 0.01 is allowed",
    ),
    (
        "higher", 0.41698, 0.417, 0, "failed",
        "ndcg@10 is 0.41698, 0.00002 below the baseline's 0.41700; nothing worse is allowed",
    ),
    (
        "lower", 0.31, 0.30, "1%", "failed",
        "ndcg@10 is 0.3100, 3.3 % above the baseline's 0.3000; at most 1 % is allowed",
    ),
    ("lower", 0.29, 0.30, 0, "passed", "ndcg@10 is 0.2900, 0.0100 below the baseline's 0.3000"),
    (
        "nearest_1", 0.8, 1.1, 0.05, "failed",  # 0.2 from 1, where the baseline is 0.1 from it
        "ndcg@10 is 0.8000, 0.1000 further from 1 than the baseline's 1.1000; at most 0.05 is allowed",
    ),
    ("nearest_1", 0.95, 1.1, 0, "passed", "ndcg@10 is 0.9500, 0.0500 nearer to 1 than the baseline's 1.1000"),
    (
        "nearest_1", 1.3, 1.25, "4%", "passed",  # 0.05 further, which is 4 % of 1.25
        "ndcg@10 is 1.3000, 4.0 % further from 1 than the baseline's 1.2500; at most 4 % is allowed",
    ),
]  # fmt: skip


@each_row(("direction", "value", "base", "limit", "outcome", "said"), DROPS)
def test_a_drop_is_how_much_worse_a_value_is(direction, value, base, limit, outcome, said):
    rule = Rule.of("max_drop", "ndcg@10", limit)
    found = judged(rule, values(direction, whole=value), values(direction, whole=base))
    assert found == [(outcome, said)]


LIMITS = [
    ("min", 0.7, 0.7, "passed", "auc is 0.7000; at least 0.7 is wanted"),
    ("min", 0.7, 0.69999, "failed", "auc is 0.69999; at least 0.7 is wanted"),
    ("min", "0.75", 0.7, "failed", "auc is 0.7000; at least 0.75 is wanted"),
    ("min", 0.3, 0.1 + 0.2, "passed", "auc is 0.3000; at least 0.3 is wanted"),
    ("max", 0.31, 0.31, "passed", "auc is 0.3100; at most 0.31 is wanted"),
    ("max", 0.31, 0.32, "failed", "auc is 0.3200; at most 0.31 is wanted"),
    ("max", -1, math.inf, "failed", "auc is ∞; at most -1 is wanted"),
]


@each_row(("kind", "limit", "value", "outcome", "said"), LIMITS)
def test_a_least_and_a_greatest_value(kind, limit, value, outcome, said):
    assert judged(Rule.of(kind, "auc", limit), values(label="auc", whole=value)) == [(outcome, said)]


def test_every_slice_is_judged_as_the_whole_is():
    mine, base = values(whole=0.5, DE=0.4, JP=0.6), values(whole=0.5, DE=0.5, JP=0.6)
    found = judged(Rule.of("max_drop", "ndcg@10", 0.05), mine, base)
    assert found == [
        ("passed", "ndcg@10 is 0.5000, as the baseline's is"),
        (
            "failed",
            "DE (10 queries): ndcg@10 is 0.4000, 0.1000 below the baseline's 0.5000; at most 0.05 is allowed",
        ),
        ("passed", "JP (10 queries): ndcg@10 is 0.6000, as the baseline's is"),
    ]


def test_slices_without_a_value_are_said():
    """What has no value on one side, or on both, cannot be decided."""
    mine = values(whole=0.5, DE=NAN, FR=0.5, JP=NAN)
    base = values(whole=0.5, DE=NAN, JP=0.5, US=0.25)
    assert judged(Rule.of("max_drop", "ndcg@10", 0), mine, base)[1:] == [
        (
            "failed",
            "DE (10 queries): ndcg@10 has no value here and in the baseline, so nothing can be decided",
        ),
        (
            "failed",
            "FR (10 queries): ndcg@10 is 0.5000; the baseline has no value here, so nothing can be decided",
        ),
        ("failed", "JP (10 queries): ndcg@10 has no value here; the baseline's is 0.5000"),
        ("failed", "US (0 queries): ndcg@10 has no value here; the baseline's is 0.2500"),
    ]
    assert judged(Rule.of("min", "ndcg@10", 0.1), mine)[1] == (
        "failed",
        "DE (10 queries): ndcg@10 has no value here, so no rule on it can pass",
    )


def test_a_percentage_of_0_in_a_slice_allows_nothing():
    rule = Rule.of("max_drop", "ndcg@10", "5%")
    mine, base = values("lower", whole=0.5, DE=0.1, JP=0.0), values("lower", whole=0.5, DE=0.0, JP=0.0)
    assert judged(rule, mine, base)[1:] == [
        (
            "failed",
            "DE (10 queries): ndcg@10 is 0.1000, 0.1000 above the baseline's 0.0000; "
            "nothing worse is allowed",
        ),
        ("passed", "JP (10 queries): ndcg@10 is 0.0000, as the baseline's is"),
    ]


def test_modes_judge_the_interval_of_the_drop():
    """DE may be 0.02 to 0.18 worse, FR has too few units, JP lies within the limit, KR has no interval."""
    rule = Rule.of("max_drop", "ndcg@10", 0.05)
    mine = values(whole=0.4, DE=0.4, FR=0.4, JP=0.49, KR=0.4)
    base = values(whole=0.5, DE=0.5, FR=0.5, JP=0.5, KR=0.5)
    limits = {
        (None,): DropLimits(0.06, 0.14, 90, 90, 0, 0.05),
        ("DE",): DropLimits(0.02, 0.18, 30, 30, 0, 0.0125, 4),
        ("FR",): DropLimits(0.09, 0.11, 9, 7.4, 0, 0.0125, 4),  # 2⁻⁷·⁴ > 0.0125 / 2
        ("JP",): DropLimits(0.0, 0.02, 30, 30, 0, 0.0125, 4),
    }
    harm = judged(rule, mine, base, mode="harm", limits=limits)
    assert [outcome for outcome, _ in harm] == ["failed", "passed", "failed", "passed", "failed"]
    ends = [said.partition("at most 0.05 is allowed; ")[2] for _, said in harm]
    assert ends == [
        "95 % interval of the drop 0.0600 to 0.1400; a drop beyond the limit is shown",
        "98.75 % interval of the drop 0.0200 to 0.1800; about 77 units would decide; "  # 30 (0.08 / 0.05)²
        "no drop beyond the limit is shown",
        "cannot be decided: the effective sample size is 7.4; 4 tests together need 8 or more",
        "",
        "cannot be decided: it is unknown how the difference varies between units",
    ]
    safe = judged(rule, mine, base, mode="non_inferior", limits=limits)
    assert [outcome for outcome, _ in safe] == ["failed", "failed", "failed", "passed", "failed"]
    assert safe[1][1].endswith("about 77 units would decide; a drop beyond the limit is not ruled out")
    assert safe[3][1].endswith("0.0000 to 0.0200; a drop beyond the limit is ruled out")
    point = judged(rule, mine, base, limits=limits)
    assert [outcome for outcome, _ in point] == ["failed", "failed", "failed", "passed", "failed"]


def test_units_of_one_side_and_infinite_values_decide_nothing():
    rule, limits = Rule.of("max_drop", "ndcg@10", 0.05), {(None,): DropLimits(-0.1, 0.0, 40, 40, 10, 0.05)}
    for mode in MODES:
        ((outcome, said),) = judged(rule, values(whole=0.6), values(whole=0.5), mode=mode, limits=limits)
        assert outcome == "failed"
        assert "cannot be decided: 10 units are measured on one side only; use missing=keep" in said
    mine = values("lower", whole=0.5, DE=math.inf)
    (_, (outcome, said)) = judged(rule, mine, values("lower", whole=0.5, DE=math.inf))
    assert (outcome, said.partition(": ")[2]) == (
        "failed", "ndcg@10 is ∞, and the baseline's is ∞, so nothing can be decided",
    )  # fmt: skip


def test_what_failed_stands_first():
    mine, base = values(whole=0.5, DE=0.4, FR=NAN), values(whole=0.5, DE=0.5, FR=NAN)
    gate = Gate(mine=mine, base=base, by=("country",))
    found = in_order(gate.judge(Rule.of("max_drop", "ndcg@10", 0)))
    assert [one.outcome for one in found] == ["failed", "failed", "passed"]
    assert found[0].slice == {"country": "DE"}
    assert found[0].to_dict()["drop"] == pytest.approx(0.1)
    assert found[1].to_dict()["value"] is None
    assert str(found[0].name) == "ndcg@10 max_drop 0 · DE"


BAD = [
    ("max_drop", "abc", "max_drop of auc must be a number, or a percentage such as 0.5%; got 'abc'"),
    ("max_drop", "", "max_drop of auc must be a number, or a percentage such as 0.5%; got ''"),
    ("max_drop", "%", "max_drop of auc must be a number, or a percentage such as 0.5%; got '%'"),
    ("max_drop", -0.1, "max_drop of auc must be 0 or more; got -0.1"),
    ("max_drop", "-1%", "max_drop of auc must be 0 or more; got -1%"),
    ("max_drop", "1_0", "max_drop of auc must be a number, or a percentage such as 0.5%; got '1_0'"),
    ("max_drop", "nan", "max_drop of auc must be a number, or a percentage such as 0.5%; got 'nan'"),
    ("min", "70%", "min of auc is a value, not a percentage; got 70%"),
    ("min", True, "min of auc must be a number; got True"),
    ("max", math.inf, "max of auc must be a number; got inf"),
    ("max", None, "max of auc must be a number; got None"),
]


@each_row(("kind", "limit", "said"), BAD)
def test_limits_that_are_none(kind, limit, said):
    with pytest.raises(sy.SteelyardError) as caught:
        Rule.of(kind, "auc", limit)
    assert caught.value.message == said


@each_row(
    ("rule", "mine", "base", "said"),
    [
        (("max_drop", "5%"), values(whole=0.1), values(whole=0.0), "ndcg@10 is 0, and 5 % of 0 is 0"),
        (("max_drop", 0.1), values(whole=0.1), values(whole=NAN), "the baseline is –, so its drop"),
        (("max_drop", 0.1), values("lower", whole=0.1), values("lower", whole=math.inf), "the baseline is ∞"),
        (("max_drop", 0.1), values(whole=NAN), values(whole=0.1), "no value in the checked result"),
        (("min", 0.1), values(whole=NAN), None, "ndcg@10 has no value in the checked result"),
        (("max_drop", 0.1), values("none", whole=1), values("none", whole=1), "no better or worse value"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged(rule, mine, base, said):
    with pytest.raises(sy.SteelyardError, match=said) as caught:
        judged(Rule.of(rule[0], "ndcg@10", rule[1]), mine, base)
    assert caught.value.remedy


def test_what_is_gained_has_the_sign_of_the_direction():
    assert gained(0.5, 0.75, "higher") == -gained(0.5, 0.75, "lower") == -0.25
    assert gained(0.5, 1.25, "nearest_1") == gained(1.5, 0.75, "nearest_1") == -0.25
    assert math.isnan(gained(0.5, 0.75, "none"))
