"""Predictions and labels in two tables: the rows that match, and a tally of the rest."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy

from .given import ANIMALS, CLICKS, GUESSES, LOG, check

SAID = pl.DataFrame(LOG).with_columns(item=pl.Series([1, 2, 3, 1, 2, 1])).select("user_id", "item", "p")
TRUE = pl.DataFrame(LOG).with_columns(item=pl.Series([1, 2, 3, 1, 2, 1])).select("user_id", "item", "clicked")
MATCHED = [name for name in CLICKS if name != "f1"]  # f1 of a ranking needs a cutoff
VALUES = {name: CLICKS[name] for name in MATCHED}


def written(frame, path):
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[path.suffix[1:]](
        path
    )
    return path


@pytest.mark.parametrize("said", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("true", ["csv", "parquet", "jsonl"])
def test_rows_are_matched_by_query_and_item(said, true, tmp_path):
    """Whatever the order of the rows, and whether or not a file has types."""
    result = sy.evaluate(
        written(SAID, tmp_path / f"said.{said}"), written(TRUE.reverse(), tmp_path / f"true.{true}"), MATCHED
    )
    check(result, VALUES)
    assert result.tally.to_dict() == {
        "rows": 6,
        "unlabelled": 0,
        "unmatched_predictions": 0,
        "unmatched_truth": 0,
        "weightless": 0,
    }


@pytest.mark.parametrize("key", ["query", "item"])
def test_rows_are_matched_by_the_key_that_both_have(key):
    """With one key alone these are no rankings, so that f1 is of the rows."""
    said = pl.DataFrame({"id": range(6), "score": LOG["p"]})
    true = pl.DataFrame({"id": range(6), "label": LOG["clicked"]}).reverse()
    values = {name: value for name, value in CLICKS.items() if name != "gauc"}
    check(sy.evaluate(said, true, list(values), columns={key: "id"}), values)


def test_the_key_of_one_table_may_have_another_name_in_the_other():
    true = TRUE.rename({"user_id": "who", "item": "what"})
    columns = {"truth.query": "who", "truth.item": "what"}
    check(sy.evaluate(SAID, true, MATCHED, columns=columns), VALUES)


def test_groups_may_be_in_either_table():
    said = pl.DataFrame({"item_id": range(6), "p": LOG["p"]})
    true = pl.DataFrame({"item_id": range(6), "clicked": LOG["clicked"], "user_id": LOG["user_id"]})
    assert sy.evaluate(said, true, "gauc")["gauc"] == pytest.approx(CLICKS["gauc"], rel=1e-12)
    said, true = said.with_columns(true["user_id"]), true.drop("user_id")
    assert sy.evaluate(said, true, "gauc")["gauc"] == pytest.approx(CLICKS["gauc"], rel=1e-12)


def test_what_has_no_partner_is_tallied_and_told():
    said = pl.concat([pl.DataFrame({"user_id": ["x", "u1"], "item": [1, 9], "p": [0.5, 0.5]}), SAID])
    true = pl.concat([TRUE, pl.DataFrame({"user_id": ["y"], "item": [1], "clicked": [1]})])
    result = sy.evaluate(said, true, MATCHED)
    check(result, VALUES)
    assert result.tally.to_dict() == {
        "rows": 6,
        "unlabelled": 0,
        "unmatched_predictions": 2,
        "unmatched_truth": 1,
        "weightless": 0,
    }
    assert "2 predictions without a label in the truth: left out." in result.notes
    assert "1 row of the truth without a prediction: left out." in result.notes


def test_dicts_of_queries():
    """a is 1 and scores 0.9, b is 0 and scores 0.3; c has no label, d no score."""
    run = {"q": {"a": 0.9, "b": 0.3, "c": 0.4}}
    result = sy.evaluate(run, {"q": {"a": 1, "b": 0, "d": 1}}, ["auc", "brier"])
    assert result["auc"] == 1.0
    assert result["brier"] == pytest.approx((0.1**2 + 0.3**2) / 2, rel=1e-15)


def test_rankings_and_rows_of_the_same_tables():
    """The ranking also sees what is not judged: for u1 it stands between 0.85 and the click at 0.8."""
    said = pl.concat([SAID, pl.DataFrame({"user_id": ["u1"], "item": [7], "p": [0.82]})])
    result = sy.evaluate(said, TRUE, ["mrr", "auc"])
    assert result["mrr"] == pytest.approx((1 / 3 + 1 + 1) / 3, rel=1e-15)
    assert result["auc"] == pytest.approx(CLICKS["auc"], rel=1e-12)
    tally = result.to_dict()["tally"]
    assert (tally["unjudged"], tally["unmatched_predictions"]) == (1, 1)


@pytest.mark.parametrize("name", ["recall", "precision", "f1", "fbeta(beta=2)", "召回率"])
def test_a_ranking_needs_a_cutoff(name):
    short = sy.metric(name).text().partition("(")[0]
    with pytest.raises(sy.SteelyardError, match=f"did you mean {short}@100 or {short}@all?") as caught:
        sy.evaluate(SAID, TRUE, ["auc", name])
    assert f"{short}@10" in caught.value.remedy


def test_classes_of_two_tables():
    said = pl.DataFrame({"doc": range(5), "predicted_label": GUESSES})
    true = pl.DataFrame({"doc": range(5), "class": ANIMALS}).reverse()
    result = sy.evaluate(said, true, ["accuracy", "recall(average=none)"])
    assert result["accuracy"] == 3 / 5
    recalls = result.table().filter(pl.col("class").is_not_null()).select("class", "value", "n").rows()
    assert recalls == [("cat", 1.0, 2), ("cow", 0.0, 1), ("dog", 1 / 2, 2)]


def test_classes_of_a_file_without_types_meet_text(tmp_path):
    said = written(pl.DataFrame({"id": [1, 2, 3], "predicted_label": [10, 20, 10]}), tmp_path / "said.csv")
    true = pl.DataFrame({"id": [1, 2, 3], "label": ["10", "20", "20"]})
    assert sy.evaluate(said, true, "accuracy", columns={"query": "id"})["accuracy"] == 2 / 3


@pytest.mark.parametrize("side", ["said", "true"])
def test_slices_and_weights_stand_in_either_table(side):
    """Weights 2 for item 1, else 1, so that clicks of weight 6 meet three others."""
    extra = [pl.col("item").is_in([1, 2]).alias("top"), pl.when(item=1).then(2).otherwise(1).alias("w")]
    said = SAID.with_columns(extra) if side == "said" else SAID
    true = TRUE.with_columns(extra).reverse() if side == "true" else TRUE.reverse()
    result = sy.evaluate(said, true, ["auc", "mae"], by="top", weights="w")
    values = result.table().filter(pl.col("metric") == "mae").select("top", "value", "n").rows()
    assert values == [
        ("(all)", pytest.approx((2 * (0.2 + 0.6 + 0.1) + 0.3 + 0.85 + 0.1) / 9, rel=1e-12), 6),
        ("false", pytest.approx(0.85, rel=1e-12), 1),
        ("true", pytest.approx((2 * (0.2 + 0.6 + 0.1) + 0.3 + 0.1) / 8, rel=1e-12), 5),
    ]
    assert result["auc"] == pytest.approx(2 * (2 + 2 + 3) / (6 * 3), rel=1e-12)


def test_slices_by_the_key_itself():
    table = sy.evaluate(SAID, TRUE.reverse(), "accuracy", by="user_id").table()
    assert table.select("user_id", "value").rows() == [
        ("(all)", 4 / 6),
        ("u1", 2 / 3),
        ("u2", 1 / 2),
        ("u3", 1.0),
    ]


def test_a_column_of_both_tables_that_agrees_on_the_matched_rows():
    said = SAID.with_columns(w=pl.lit(2))
    true = pl.concat([TRUE, pl.DataFrame({"user_id": ["y"], "item": [1], "clicked": [1]})])
    true = true.with_columns(w=pl.when(user_id="y").then(5).otherwise(2))
    assert sy.evaluate(said, true, "auc", weights="w")["auc"] == pytest.approx(CLICKS["auc"], rel=1e-12)


def test_a_column_that_differs_is_not_chosen_from_two():
    said, true = SAID.with_columns(day=pl.lit(1)), TRUE.with_columns(day=pl.lit(2))
    with pytest.raises(sy.SteelyardError, match="both predictions and truth have a column 'day' to slice by"):
        sy.evaluate(said, true, "auc", by="day")


def test_unlabelled_rows_of_the_truth_are_left_out_if_asked():
    true = TRUE.with_columns(clicked=pl.when(item=3).then(None).otherwise(pl.col("clicked")))
    result = sy.evaluate(SAID, true, ["auc", "mae(unlabelled=drop)"], unlabelled="drop")
    assert result["auc"] == (2 + 2 + 2) / 6
    assert result["mae"] == pytest.approx((0.2 + 0.3 + 0.6 + 0.1 + 0.1) / 5, rel=1e-12)
    assert result.tally.to_dict()["unlabelled"] == 1
    assert "1 row without a label: left out." in result.notes
