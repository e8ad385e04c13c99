"""A slice's value, by the values of its columns."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
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
    assert refused.value.sentence.render("zh") == "没有分组 country=DEE；是否想写 'DE'？"


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


DAY, HOUR = dt.timedelta(days=1), dt.timedelta(hours=1)
NOON = dt.datetime(2026, 1, 2, 12)
TOKYO = dt.timezone(9 * HOUR)


@pytest.mark.parametrize(
    ("values", "kind", "also"),
    [
        ([dt.date(2026, 1, 2), dt.date(2026, 1, 3)], pl.Date, dt.datetime(2026, 1, 2)),
        ([NOON, NOON + HOUR], pl.Datetime("us"), np.datetime64("2026-01-02T12:00:00")),
        ([NOON, NOON + HOUR], pl.Datetime("ms"), "2026-01-02 12:00:00.000"),
        ([NOON, NOON + dt.timedelta(microseconds=1)], pl.Datetime("ns"), pd.Timestamp(NOON)),
        ([dt.datetime(2026, 1, 2), NOON], pl.Datetime("us"), dt.date(2026, 1, 2)),
        (
            [NOON.replace(tzinfo=TOKYO), (NOON + HOUR).replace(tzinfo=TOKYO)],
            pl.Datetime("us", "Asia/Tokyo"),
            dt.datetime(2026, 1, 2, 3, tzinfo=dt.UTC),  # noon in Tokyo
        ),
        ([dt.time(12), dt.time(12, 0, 0, 5)], pl.Time, "12:00:00"),
        ([DAY, HOUR], pl.Duration("us"), "1d"),
        ([dt.timedelta(0, 1, 2), HOUR], pl.Duration("ns"), pd.Timedelta(dt.timedelta(0, 1, 2))),
    ],
)
def test_by_dates_and_times(values, kind, also, tmp_path):
    """The slice of the first value has its positive above, that of the second below."""
    day = pl.Series("day", [one for one in values for _ in range(2)], kind)
    log = pl.DataFrame({"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6]}).with_columns(day)
    result = sy.evaluate(log, metrics="auc", by="day")
    result.save(tmp_path / "run.steelyard")
    for one in (result, sy.load(tmp_path / "run.steelyard")):
        assert [one["auc", {"day": value}] for value in values] == [1.0, 0.0]
        assert one["auc", {"day": also}] == 1.0
        curve = one.curve("roc", sliced=True)
        assert [curve.of(value).area() for value in values] == [1.0, 0.0]
        assert one.table()["day"].n_unique() == 3  # with the whole
        with pytest.raises(sy.SteelyardError, match="there is no slice day="):
            one["auc", {"day": values[0] + 5 * DAY if not isinstance(values[0], dt.time) else dt.time(3)}]
    rankings = sy.evaluate(
        {"a": ["x", "y"], "b": ["y"]}, {"a": ["y"], "b": ["y"]}, "mrr", by=_known(values, kind)
    )
    assert [rankings["mrr", {"day": value}] for value in values] == [1 / 2, 1.0]


def _known(values, kind):
    return pl.DataFrame({"query": ["a", "b"], "day": pl.Series(values, dtype=kind)})


def test_nanoseconds_tell_moments_apart():
    moments = [pd.Timestamp(2026, 1, 2) + pd.Timedelta(n, "ns") for n in (0, 1)]
    log = pd.DataFrame({"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6], "at": np.repeat(moments, 2)})
    result = sy.evaluate(log, metrics="auc", by="at")
    assert [result["auc", {"at": one}] for one in moments] == [1.0, 0.0]
    assert result["auc", {"at": dt.datetime(2026, 1, 2)}] == 1.0


def test_the_text_none_is_not_the_slice_of_nothing():
    log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6], "c": ["None", "None", None, None]}
    result = sy.evaluate(log, metrics="auc", by="c")
    assert (result["auc", {"c": "None"}], result["auc", {"c": None}]) == (1.0, 0.0)
