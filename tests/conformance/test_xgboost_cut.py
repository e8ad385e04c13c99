"""XGBoost cuts lists at 32 where its name has no cutoff; the numbers are what XGBoost 3.2.0 printed."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy

PRINTED = {
    "ndcg": 0.49927381106033386,
    "ndcg-": 0.49927381106033386,
    "ndcg@40": 0.6485981356821441,
    "map": 0.29545454545454547,
    "map@40": 0.3433149058149058,
    "pre": 0.0625,
    "pre@40": 0.1,
}


def test_a_list_of_40_with_relevant_items_beyond_32():
    label = [int(place in (0, 10, 35, 36)) for place in range(40)]
    log = pl.DataFrame({"query": 1, "label": label, "score": [float(-place) for place in range(40)]})
    result = sy.evaluate(log, metrics=list(PRINTED), profile="xgboost")
    assert dict(result.items()) == pytest.approx(PRINTED, rel=1e-6)
    assert "xgboost: ndcg is ndcg@32 there." in [str(note) for note in result.notes]
