"""Intervals of resampled units: on how many they rest, what draws leave nothing, and which kind is made."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy


def log(sizes, seed=0):
    """A log of users with as many rows each."""
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    return {
        "user": np.repeat(np.arange(len(sizes)), sizes),
        "label": rng.integers(0, 2, n),
        "score": rng.random(n),
        "weight": np.ones(n),
    }


def keys(result):
    return [note.key for note in result.notes]


class TestEffectiveUnits:
    SIZES = (40, *[4] * 15)  # 100 rows: 1 / (0.4² + 15 · 0.04²) = 5.43

    def test_ece_by_the_rows_of_each_user(self):
        result = sy.evaluate(log(self.SIZES), metrics="ece", columns={"query": "user"}, unit="user")
        row = result.certainty().row(0, named=True)
        assert row["units"] == 16
        assert row["effective_units"] == pytest.approx(1 / (0.4**2 + 15 * 0.04**2))
        assert {"few_units", "heavy_unit"} <= set(keys(result))

    def test_by_the_weights_of_the_rows(self):
        given = log([1] * 20)
        given["weight"] = np.array([21.0, *[1.0] * 19])  # of 40
        result = sy.evaluate(given, metrics="mce", columns={"query": "user", "weight": "weight"}, unit="user")
        row = result.certainty().row(0, named=True)
        assert row["effective_units"] == pytest.approx(1600 / (21**2 + 19))
        assert "heavy_unit" in keys(result)

    def test_equal_users(self):
        result = sy.evaluate(log([5] * 20), metrics="ece", columns={"query": "user"}, unit="user")
        assert result.certainty()["effective_units"][0] == pytest.approx(20)
        assert not {"few_units", "heavy_unit"} & set(keys(result))


class TestDrawsOfNothing:
    LOG = {"user": list("aabbcc"), "label": [1, 0, 1, 0, 0, 0], "score": [0.9, 0.8, 0.4, 0.3, 0.2, 0.1]}  # noqa: RUF012

    def evaluated(self, text):
        return sy.evaluate(self.LOG, metrics=text, columns={"query": "user"}, unit="user", ci="bootstrap")

    @pytest.mark.parametrize("undefined", ["nan", "zero", "one"])
    def test_they_are_left_out_and_told(self, undefined):
        """Users a and b alone have a positive; neither is drawn in a share of 1/e²."""
        result = self.evaluated(f"recall(undefined={undefined})")
        (note,) = [note for note in result.notes if note.key == "empty_draws"]
        assert note.figures["of"] == 1000
        assert note.figures["n"] == pytest.approx(1000 / np.e**2, abs=45)
        left_out = self.evaluated("recall").certainty()
        assert result.certainty()["value"][0] == 1 / 2
        assert result.certainty()["standard_error"].equals(left_out["standard_error"])

    @pytest.mark.parametrize("undefined", ["nan", "zero", "one"])
    def test_auc_of_one_class_is_no_draw(self, undefined):
        found = self.evaluated(f"auc(undefined={undefined})")
        assert "empty_draws" in keys(found)
        assert found.table()["value"][0] == (4 + 3) / (2 * 4)
        left_out = self.evaluated("auc").certainty()
        assert found.certainty()["standard_error"].equals(left_out["standard_error"])

    def test_no_draw_is_empty_of_many(self):
        found = sy.evaluate(log([5] * 20), metrics="ece", columns={"query": "user"}, unit="user")
        assert "empty_draws" not in keys(found)


def test_bca_needs_to_know_what_units_add():
    given = log([5] * 20)
    asked = {"columns": {"query": "user"}, "unit": "user"}
    known = sy.evaluate(given, metrics="logloss", ci="bca", **asked)
    assert known.certainty()["interval"].to_list() == ["bca"]
    assert "other_interval" not in keys(known)
    result, plain = (sy.evaluate(given, metrics="ece", ci=ci, **asked) for ci in ("bca", "bootstrap"))
    assert result.certainty()["interval"].to_list() == ["basic"]
    assert "other_interval" in keys(result)
    assert result.table().equals(plain.table())
