"""A slice's value, by the values of its columns."""

from __future__ import annotations

import pytest

import steelyard as sy

LOG = {
    "label": [1, 0, 1, 0, 1, 0],
    "score": [0.8, 0.2, 0.3, 0.6, 0.5, 0.5],
    "country": ["JP", "JP", "DE", "DE", None, None],
    "day": [1, 1, 2, 2, 1, 1],
}


@pytest.fixture(scope="module")
def result():
    return sy.evaluate(LOG, metrics=["auc", "logloss"], by="country")


def test_by_the_value_of_its_column(result):
    assert result["auc", {"country": "JP"}] == 1.0  # the positive stands above
    assert result[sy.AUC(), {"country": "DE"}] == 0.0
    assert result["auc", {"country": None}] == 0.5  # a tie


def test_by_several_columns():
    both = sy.evaluate(LOG, metrics="auc", by=["country", "day"])
    assert both["auc", {"day": 2, "country": "DE"}] == 0.0
    with pytest.raises(
        sy.SteelyardError, match="the slice must be a mapping of country and day to their values"
    ):
        both["auc", {"country": "DE"}]
    with pytest.raises(sy.SteelyardError, match="there is no slice day=2") as refused:
        both["auc", {"country": "JP", "day": 2}]
    assert refused.value.remedy == "there are: 1"


def test_a_slice_that_there_is_not(result):
    with pytest.raises(
        sy.SteelyardError, match="there is no slice country=DEE; did you mean 'DE'"
    ) as refused:
        result["auc", {"country": "DEE"}]
    assert refused.value.remedy == "there are: (none), DE, JP"
    assert refused.value.said.told("zh") == "没有切片 country=DEE；是否想写 'DE'？"


@pytest.mark.parametrize("at", [{"city": "JP"}, {}, "JP", None, 3])
def test_what_is_no_slice(result, at):
    with pytest.raises(sy.SteelyardError, match="the slice must be a mapping of country to its value"):
        result["auc", at]


def test_a_result_without_slices():
    whole = sy.evaluate(LOG, metrics="auc")
    with pytest.raises(sy.SteelyardError, match="this result has no slices") as refused:
        whole["auc", {"country": "JP"}]
    assert "by=" in refused.value.remedy


def test_as_a_mapping_is_asked(result):
    assert result.get("auc") == result["auc"]
    assert result.get("ndcg@10") is None
    assert result.get("ndcg@10", 0.0) == 0.0
    assert result.items() == [("auc", result["auc"]), ("logloss", result["logloss"])]
    assert dict(result) == dict(result.items())


@pytest.mark.parametrize(
    ("called", "name"),
    [("pr", "precision_recall"), ("roc_curve", "roc"), ("reliability", "calibration"), ("gains", "gain")],
)
def test_curves_by_the_names_that_people_use(result, called, name):
    assert result.curve(called).frame.equals(result.curve(name).frame)
    assert result.curve(called).name == name
