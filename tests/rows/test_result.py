"""What a result of rows holds: one tidy table, its words, curves and readings, in every form."""

from __future__ import annotations

import csv
import io
import json
from math import isnan, nan
from math import log as ln

import polars as pl
import pytest

import steelyard as sy

from .given import ANIMALS, CLICKS, GUESSES, LOG, drawn, peer

NUMBERS = ["value", "ci_low", "ci_high", "tie_low", "tie_high", "n", "of", "undefined"]
ANIMAL_TABLE = {"animal": ANIMALS, "guess": GUESSES, "shop": ["x", "x", "y", "y", "y"]}
COLUMNS = {"label": "animal", "predicted": "guess"}


@pytest.fixture(scope="module")
def animals():
    metrics = ["accuracy", "precision(average=none)", "confusion"]
    return sy.evaluate(ANIMAL_TABLE, metrics=metrics, columns=COLUMNS, by="shop")


def test_the_table_of_clicks():
    table = sy.evaluate(LOG, metrics=["auc", "gauc"]).table()
    assert table.columns == ["metric", *NUMBERS]
    assert table["n"].to_list() == [6, 2]
    assert table["of"].to_list() == ["rows", "groups"]
    assert table["undefined"].to_list() == [0, 1]
    assert table["value"].to_list() == pytest.approx([CLICKS["auc"], CLICKS["gauc"]])


def test_values_of_classes_are_rows_with_a_class(animals):
    """cow was never called: its precision is undefined, and no call of it counts."""
    table = animals.table()
    assert table.columns == ["shop", "metric", "class", "predicted", *NUMBERS]
    each = table.filter(pl.col("metric") == "precision(average=none)")
    assert each["class"].to_list() == ["cat", "cow", "dog"] * 3
    assert each["shop"].to_list() == ["(all)"] * 3 + ["x"] * 3 + ["y"] * 3
    assert each["predicted"].null_count() == 9
    assert each["value"].to_list() == pytest.approx(
        [2 / 3, nan, 1 / 2, 1 / 2, nan, nan, 1.0, nan, 1 / 2], nan_ok=True
    )


def test_the_confusion_matrix_is_rows_with_both_classes(animals):
    table = animals.table().filter(pl.col("metric") == "confusion", pl.col("shop") == "(all)")
    cells = {(row["class"], row["predicted"]): row["value"] for row in table.to_dicts()}
    expected = {(true, said): 0.0 for true in ("cat", "cow", "dog") for said in ("cat", "cow", "dog")}
    for pair in zip(ANIMALS, GUESSES, strict=True):
        expected[pair] += 1
    assert cells == expected
    assert animals.table().filter(pl.col("metric") == "confusion").height == 9 * 3


def test_metrics_of_one_number_are_the_mapping(animals):
    assert list(animals) == ["accuracy"]
    assert dict(animals) == {"accuracy": 3 / 5}
    assert "confusion" not in animals  # it is no one number
    with pytest.raises(sy.SteelyardError, match="confusion has 9 values") as caught:
        animals["confusion"]
    assert "result.table()" in caught.value.remedy


def test_as_json(animals):
    data = json.loads(animals.to_json())
    rows = data["results"]
    assert len(rows) == 3 * (1 + 3 + 9)
    whole = [row for row in rows if not row["slice"]]
    assert [row["metric"] for row in whole] == ["accuracy"] + ["precision(average=none)"] * 3 + [
        "confusion"
    ] * 9
    assert [row.get("class") for row in whole[:4]] == [None, "cat", "cow", "dog"]
    assert whole[2]["value"] is None
    assert (whole[4]["class"], whole[4]["predicted"], whole[4]["value"]) == ("cat", "cat", 2.0)
    assert {row["unit"] for row in rows} == {"rows"}
    assert whole[0]["spec"]["unlabelled"] == "error"
    assert data["tally"] == {
        "rows": 5,
        "unlabelled": 0,
        "unmatched_predictions": 0,
        "unmatched_truth": 0,
        "weightless": 0,
    }
    assert (data["predictions"], data["truth"], data["rankings"]) == ("predictions", None, [])


def test_as_csv_markdown_latex_and_text(animals):
    read = list(csv.DictReader(io.StringIO(animals.to_csv())))
    assert len(read) == animals.table().height
    (cow,) = (row for row in read if (row["shop"], row["class"], row["predicted"]) == ("(all)", "cow", ""))
    assert (cow["metric"], cow["value"]) == ("precision(average=none)", "")
    for text in (animals.to_markdown(), animals.to_latex(), animals.to_text(), animals._repr_html_()):
        for word in ("accuracy", "confusion", "cow", "(all)", "0.6000"):
            assert word in text
    assert animals.to_text().splitlines()[0].split() == [
        "shop",
        "metric",
        "class",
        "predicted",
        "value",
        "95%",
        "interval",
        "rows",
        "undefined",
    ]
    assert animals.to_pandas().shape == animals.table().shape


def test_rows_groups_and_queries_are_told_apart():
    result = sy.evaluate(LOG, metrics=["auc", "gauc", "mrr"])
    assert result.to_text().splitlines()[0].split() == [
        "metric",
        "value",
        "95%",
        "interval",
        "n",
        "of",
        "undefined",
    ]
    assert [row["unit"] for row in result.to_dict()["results"]] == ["rows", "groups", "queries"]
    assert "6 labelled rows" in repr(result)


def test_groups_are_given_one_by_one():
    each = sy.evaluate(LOG, metrics=["auc", "gauc"]).per_query()
    assert each.columns == ["query", "metric", "value"]
    assert each["query"].to_list() == ["u1", "u2", "u3"]
    assert each["value"].to_list() == pytest.approx([1 / 2, 1.0, nan], nan_ok=True)


def test_groups_and_queries_one_by_one():
    each = sy.evaluate(LOG, metrics=["mrr", "gauc"]).per_query()
    assert each["metric"].to_list() == ["mrr"] * 3 + ["gauc"] * 3


def test_the_groups_that_gauc_rests_on():
    """In x user u has both classes and v one click; in y user u has no click, and v has both."""
    log = {
        "query": ["u", "u", "v", "u", "v", "v", "v"],
        "label": [1, 0, 1, 0, 0, 0, 1],
        "score": [0.9, 0.1, 0.5, 0.3, 0.2, 0.4, 0.8],
        "shop": ["x", "x", "x", "y", "y", "y", "y"],
    }
    result = sy.evaluate(log, metrics=["auc", "gauc", "gauc(single_class=half)"], by="shop")
    found = result.group_coverage()
    assert found.columns == ["shop", "metric", "used", "all_positive", "all_negative", "share_of_rows"]
    dropped, half = (found.filter(pl.col("metric") == label).drop("metric").rows() for label in [*result][1:])
    assert dropped == [("(all)", 2, 0, 0, 1.0), ("x", 1, 1, 0, 2 / 3), ("y", 1, 0, 1, 3 / 4)]
    assert half == [("(all)", 2, 0, 0, 1.0), ("x", 2, 0, 0, 1.0), ("y", 2, 0, 0, 1.0)]
    for rows in (dropped, half):  # each of the two groups of a slice is in one column
        assert [used + positive + negative for _, used, positive, negative, _ in rows] == [2, 2, 2]
    of_json = [row.get("groups") for row in result.to_dict()["results"]]
    assert of_json[:3] == [None] * 3
    assert of_json[4] == {"used": 1, "all_positive": 1, "all_negative": 0, "share_of_rows": 2 / 3}
    assert [one["used"] for one in of_json[3:]] == [2, 1, 1, 2, 2, 2]
    table = result.table().filter(pl.col("metric") != "auc")
    assert table["n"].to_list() == found["used"].to_list()


def test_without_gauc_there_are_no_groups():
    with pytest.raises(sy.SteelyardError, match="auc, f1: no mean over groups"):
        sy.evaluate(LOG, metrics=["auc", "f1"]).group_coverage()


def test_rows_have_no_values_of_queries():
    with pytest.raises(sy.SteelyardError, match="auc, f1: computed from all rows or lists together"):
        sy.evaluate(LOG, metrics=["auc", "f1"]).per_query()


def test_curves():
    result = sy.evaluate(LOG, metrics="auc")
    roc = result.curve("roc")
    assert roc.area() == pytest.approx(CLICKS["auc"], rel=1e-12)
    assert roc.frame.select("fpr", "tpr").rows()[0] == (0.0, 0.0)
    with pytest.raises(sy.SteelyardError, match="there are no slices of rows to draw roc for"):
        result.curve("roc", sliced=True)
    with pytest.raises(sy.SteelyardError, match="needs a ranking, which this result"):
        result.curve("ndcg")


def test_curves_of_slices():
    frame = drawn(3)
    drawn_curves = sy.evaluate(frame, metrics="auc", by="country").curve("roc", sliced=True)
    parts = {country: part for (country,), part in frame.group_by("country")}
    theirs = {country: peer("auc", part["label"], part["score"]) for country, part in parts.items()}
    theirs = {country: area for country, area in theirs.items() if not isnan(area)}
    assert len(theirs) > 1
    assert set(drawn_curves.frame["country"]) == set(theirs)
    for country, area in theirs.items():
        assert drawn_curves.of(country).area() == pytest.approx(area, rel=1e-10)


def test_readings_rest_on_the_numbers():
    """7 of 9 pairs within all, 0.7 within users: the difference is 0.0778."""
    readings = sy.evaluate(LOG, metrics=["auc", "gauc", "accuracy"]).readings()
    assert [reading.text for reading in readings if "users" in reading.text] == [
        "most of the AUC comes from differences between users, not within users"
    ]
    assert "auc 0.7778 − gauc 0.7000 = 0.0778 > 0.05" in str(readings[-1])
    data = sy.evaluate(LOG, metrics=["auc", "gauc"]).to_dict()["readings"]
    assert data[-1]["text"] == "most of the AUC comes from differences between users, not within users"


def test_notes_tell_which_class_is_positive_and_what_counts_0():
    columns = {"label": "animal", "predicted": "guess"}
    two = {"animal": ["a", "b", "a"], "guess": ["a", "b", "b"]}
    result = sy.evaluate(two, metrics="f1", columns=columns)
    assert "f1: the positive class is 'b', the second of 'a' and 'b'." in result.notes
    macro = sy.evaluate(ANIMAL_TABLE, metrics="precision(average=macro)", columns=columns)
    note = "class 'cow' is undefined and counts 0 in the average (undefined_class=zero)"
    assert f"precision(average=macro): {note}." in macro.notes
    assert macro["precision(average=macro)"] == pytest.approx((2 / 3 + 0 + 1 / 2) / 3, rel=1e-15)


def test_the_groups_that_gauc_uses_are_shown():
    (note,) = sy.evaluate(LOG, metrics="gauc", ci="none").notes
    assert note == (
        "gauc uses 2 of 3 groups (83.3% of rows); groups with only one class are skipped: "
        "1 all positive, 0 all negative."
    )


def test_an_infinite_loss_is_told():
    log = {"label": [1, 0], "score": [0.0, 0.5]}
    result = sy.evaluate(log, metrics=["logloss(clip=none)", "logloss"])
    assert result["logloss(clip=none)"] == float("inf")
    assert "1 row was certain and wrong: logloss(clip=none) is infinite." in result.notes
    assert result.to_dict()["results"][0]["value"] is None
    weighted = sy.evaluate(log | {"w": [0, 1]}, metrics="logloss(clip=none)", weights="w", ci="none")
    assert weighted["logloss(clip=none)"] == pytest.approx(ln(2), rel=1e-15)
    assert weighted.notes == ("1 row of weight 0: as if not there.",)


def test_conventions_are_told():
    text = repr(sy.evaluate(LOG | {"w": [1] * 6}, metrics=["gauc", "f1", "logloss"], weights="w"))
    for phrase in (
        "weight=impressions (gauc)",
        "threshold=0.5 (f1)",
        "clip=1e-15 (logloss)",
        "rows weighted by column 'w'",
    ):
        assert phrase in text
