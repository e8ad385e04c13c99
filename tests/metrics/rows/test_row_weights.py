"""Rows that have weights, and metrics that ignore them."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy

LOG = pl.DataFrame(
    {
        "label": [1, 1, 0, 0, 1, 0],
        "score": [0.8, 0.3, 0.5, 0.1, 0.2, 0.6],
        "query": list("aaaabb"),
        "weight": [1.0, 3.0, 1.0, 0.5, 2.0, 1.0],
    }
)


def test_every_row_counts_one():
    asked = ["auc(row_weights=ignore)", "pr_auc(row_weights=ignore)", "gauc(row_weights=ignore)"]
    plain = ["auc", "pr_auc", "gauc"]
    found = sy.evaluate(LOG, metrics=[*asked, *plain], weights="weight")
    without = sy.evaluate(LOG.drop("weight"), metrics=plain)
    for one, other in zip(asked, plain, strict=True):
        assert found[one] == without[other] != found[other]
    columns = ("ci_low", "ci_high", "n")
    assert found.rows[:3].select(columns).equals(without.rows.select(columns))
    assert any("ignore the row weights." in str(note) for note in found.notes)
    assert not any("row weights" in str(note) for note in without.notes)


def test_rows_of_weight_0_count_where_weights_are_ignored():
    log = LOG.with_columns(weight=pl.Series([1.0, 3.0, 1.0, 0.5, 2.0, 0.0]))
    ignoring = sy.evaluate(log, metrics="auc(row_weights=ignore)", weights="weight")
    assert not any("of weight 0" in note for note in ignoring.notes)
    both = sy.evaluate(log, metrics=["auc(row_weights=ignore)", "logloss"], weights="weight")
    assert "1 row of weight 0: as if not there for logloss." in both.notes


def test_several_labels_per_row():
    label, score = [[1, 0], [0, 1], [1, 1], [0, 0]], [[0.9, 0.2], [0.4, 0.6], [0.3, 0.1], [0.7, 0.3]]
    metric = sy.AUC(row_weights="ignore")
    assert metric.of(score, label, weights=[1, 5, 2, 3]) == sy.AUC().of(score, label)


@pytest.mark.parametrize("name", ["AUC", "PRAUC", "QueryAUC"])
def test_catboost_names_say_whether_weights_count(name):
    asked = [f"catboost:{name}", f"catboost:{name}:use_weights=false", f"catboost:{name}:use_weights=true"]
    found = sy.evaluate(LOG, metrics=asked, weights="weight", ci="none")
    without = sy.evaluate(LOG.drop("weight"), metrics=asked[0], ci="none")
    assert found[asked[0]] == found[asked[1]] == without[asked[0]] != found[asked[2]]


def test_a_claim_of_weights_that_were_ignored():
    """Of the pairs that the weights make 1/2, three of four are in order; as a CatBoost model prints it."""
    found = sy.which(LOG[:4], claims={"auc": "0.75000"}, weights="weight")
    assert "auc(row_weights=ignore)" in found.texts
    without = sy.which(LOG[:4].drop("weight"), claims={"auc": "0.75000"})
    assert not any("row_weights" in text for text in without.texts)
