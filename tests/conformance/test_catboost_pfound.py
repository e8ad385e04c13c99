"""pFound and ERR of chances between 0 and 1; the numbers are what CatBoost 1.2.10 printed."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy

PRINTED = {
    "ERR": 0.515625,
    "ERR:top=2": 0.4375,
    "PFound": 0.7516328125,
    "PFound:top=2": 0.56875,
    "PFound:decay=0.5": 0.484375,
}


def test_chances_to_satisfy():
    grade, score = [0.5, 0, 0.25, 1, 0, 0.75, 0.25], [4.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0]
    log = pl.DataFrame({"query": list("aaaabbb"), "label": grade, "score": score})
    found = sy.evaluate(log, metrics=list(PRINTED), profile="catboost")
    assert dict(found.items()) == pytest.approx(PRINTED, rel=1e-12)
    with pytest.raises(sy.SteelyardError, match="above max_grade=1") as caught:
        sy.evaluate(log.with_columns(label=pl.lit(2)), metrics="catboost:PFound")
    assert caught.value.remedy.startswith("give grades from 0 to 1, or set max_grade=2")
    with pytest.raises(sy.SteelyardError, match="'PFound' is a name of catboost") as caught:
        sy.evaluate(log, metrics="PFound")
    assert "err(stop=linear, max_grade=1, decay=0.85)@all" in caught.value.remedy
