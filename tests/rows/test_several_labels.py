"""Rows of several labels by every door: matrices, lists, fields, several columns; files and frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row

near = pytest.approx

NAMES = ["news", "sport"]
LABELS = [[1, 0], [1, 1], [0, 0], [0, 1]]
SCORES = [[0.9, 0.2], [0.4, 0.6], [0.5, 0.7], [0.1, 0.3]]
CALLED = [[1, 0], [0, 1], [1, 0], [0, 0]]

# news: 0.9 and 0.4 above 0.5 and 0.1; sport: 0.6 and 0.3 above 0.2 and 0.7
AUC = (3 / 4 + 2 / 4) / 2
# from 0.5 on: news right, missed, wrong; sport right, wrong, missed
F1_OF_SCORES = 1 / 2
# news right, missed, wrong; sport right and missed
F1_OF_CALLED = (2 / (2 + 1 + 1) + 2 / (2 + 1)) / 2


def texts(matrix):
    """The classes of each row by their names."""
    return [[name for name, one in zip(NAMES, row, strict=True) if one] for row in matrix]


def fields(matrix):
    return [dict(zip(NAMES, row, strict=True)) for row in matrix]


def wide(*, seen=int):
    """One column for each class of labels, scores and calls, and one to slice by."""
    columns = {}
    for prefix, matrix, kind in (("is", LABELS, seen), ("p", SCORES, float), ("said", CALLED, seen)):
        for at, name in enumerate(NAMES):
            columns[f"{prefix}_{name}"] = [kind(row[at]) for row in matrix]
    return pl.DataFrame({**columns, "part": ["a", "a", "b", "b"], "user": [1, 2, 3, 4]})


WIDE = {"label": ["is_news", "is_sport"], "probability": ["p_news", "p_sport"]}
TABLES = {
    "matrices": {"label": LABELS, "probs": SCORES, "predicted": CALLED},
    "truths": {"label": np.array(LABELS, bool).tolist(), "probs": SCORES, "predicted": CALLED},
    "lists of text": {"label": texts(LABELS), "probs": SCORES, "predicted": texts(CALLED)},
    "fields": {"label": fields(LABELS), "probs": SCORES, "predicted": fields(CALLED)},
}


@pytest.mark.parametrize("form", list(TABLES))
def test_columns_of_lists(form, tmp_path):
    frame = pl.DataFrame(TABLES[form])
    frame.write_parquet(tmp_path / "rows.parquet")
    frame.write_ndjson(tmp_path / "rows.jsonl")
    given = [frame, frame.lazy(), frame.to_arrow(), tmp_path / "rows.parquet", tmp_path / "rows.jsonl"]
    if form != "fields":
        given += [TABLES[form], pd.DataFrame(TABLES[form])]
    for one in given:
        result = sy.evaluate(one, metrics=["auc", "pr_auc"])
        assert result["auc"] == near(AUC)
        result = sy.evaluate(one, metrics=["f1(average=macro)", "accuracy", "f1(average=samples)"])
        assert result["f1(average=macro)"] == near(F1_OF_CALLED)
        assert result["accuracy"] == 1 / 4
        # of the rows: both right, one of two, one wrongly, one missed
        assert result["f1(average=samples)"] == near((1 + 2 / 3 + 0 + 0) / 4)
        result = sy.evaluate(one, metrics="f1(average=macro, threshold=0.5)")
        assert result["f1(average=macro)"] == near(F1_OF_SCORES)


@pytest.mark.parametrize("seen", [int, bool])
def test_a_column_for_each_class(seen, tmp_path):
    frame = wide(seen=seen)
    frame.write_csv(tmp_path / "rows.csv")
    for one in (frame, tmp_path / "rows.csv", frame.to_pandas()):
        result = sy.evaluate(one, metrics=["auc", "f1(average=none)"], columns=WIDE, by=["part"])
        assert result["auc"] == near(AUC)
        assert result["auc", {"part": "a"}] == 1.0
        rows = result.table().filter(pl.col("metric") == "f1(average=none)", pl.col("part") == "(all)")
        assert rows.select("class", "value").rows() == [("is_news", 0.5), ("is_sport", 0.5)]
        said = "the columns of probabilities belong to classes: p_news = is_news, p_sport = is_sport."
        assert said in map(str, result.notes)
        called = {"label": "is_news,is_sport", "predicted": "said_news,said_sport"}
        result = sy.evaluate(one, metrics="f1(average=macro)", columns=called)
        assert result["f1(average=macro)"] == near(F1_OF_CALLED)


def test_the_command_line(steelyard, tmp_path):
    wide().write_csv(tmp_path / "rows.csv")
    columns = ["--columns", "label=is_news,is_sport", "--columns", "probability=p_news,p_sport"]
    done = steelyard("evaluate", str(tmp_path / "rows.csv"), "-m", "auc", "--format", "csv", *columns)
    assert done.code == 0, done.err
    assert f"auc,{AUC}" in done.out


def test_two_tables_meet_by_their_key():
    said = pl.DataFrame({"user": [4, 3, 2, 1], "probs": SCORES[::-1]})
    true = pl.DataFrame({"user": [1, 2, 3, 4, 5], "label": [*texts(LABELS), ["news"]]})
    result = sy.evaluate(said, true, "auc")
    assert result["auc"] == near(AUC)
    assert result.tally.unmatched_truth == 1
    several = sy.evaluate(
        wide().select("user", "p_news", "p_sport"),
        wide().select("user", "is_news", "is_sport"),
        "auc",
        columns=WIDE,
    )
    assert several["auc"] == near(AUC)


def test_classes_are_named():
    table = {"label": texts(LABELS), "probs": [row[::-1] for row in SCORES]}
    assert sy.evaluate(table, metrics="auc", classes=["sport", "news"])["auc"] == near(AUC)
    table = {"label": texts(LABELS), "predicted": texts(CALLED)}
    # one class is right, missed and wrong once each, the other was named and never seen
    named = sy.evaluate(table, metrics="f1(average=macro, unnamed=other)", classes=["news", "art"])
    assert named["f1(average=macro, unnamed=other)"] == near((1 / 2 + 0) / 2)
    with pytest.raises(
        sy.SteelyardError, match="row 2: label 'sport' is none of the classes 'news' and 'art'"
    ):
        sy.evaluate(table, metrics="f1(average=macro)", classes=["news", "art"])


def test_weights_and_rows_without_labels():
    table = {"label": [*texts(LABELS), None], "probs": [*SCORES, [0.1, 0.1]], "w": [1, 2, 1, 2, 5]}
    with pytest.raises(sy.SteelyardError, match="label"):
        sy.evaluate(table, metrics="auc")
    result = sy.evaluate(table, metrics="auc", weights="w", unlabelled="drop")
    # news: 0.9 twice, 0.4 twice of pairs 3·3; 0.4 weighs 2, 0.1 and 0.5 together 3
    news = (1 * 3 + 2 * 2) / (3 * 3)
    sport = (2 * 1 + 2 * 1) / (4 * 2)
    assert result["auc"] == near((news + sport) / 2)


@each_row(
    ("table", "metric", "options", "said"),
    [
        (
            {"label": [[1, 0], [1]], "probs": [[0.1, 0.2]] * 2},
            "auc",
            {},
            "holds 1 numbers, and the first row",
        ),
        ({"label": [[1, 3], [1, 0]], "probs": [[0.1, 0.2]] * 2}, "auc", {}, "row 1: the truth matrix has 3"),
        ({"label": [[1, 0], [1, None]], "probs": [[0.1, 0.2]] * 2}, "auc", {}, "row 2: label is missing"),
        ({"label": [["a"], ["b"]], "probs": [[0.1, 0.2, 0.3]] * 2}, "auc", {}, "3 columns for the 2 classes"),
        (
            {"label": [[1, 0]] * 2, "probs": [[0.1, 0.2, 0.3]] * 2},
            "auc",
            {},
            "the truth is a matrix of 2 × 2",
        ),
        (
            {"label": [["a"], ["b"]], "probs": [[0.1, 0.2]] * 2},
            "logloss",
            {},
            "logloss needs one label per row",
        ),
        ({"label": [["a"], ["b"]], "predicted": [["a"]] * 2}, "f1", {}, "f1 needs one label per row"),
        (
            {"label": ["a", "b"], "predicted": [["a"]] * 2},
            "mcc",
            {},
            "only one of labels and predicted classes",
        ),
        (
            {"label": [["a"], ["b"]], "predicted": ["a", "b"]},
            "accuracy",
            {},
            "only one of labels and predicted classes",
        ),
        ({"label": [["a"], ["b"]], "predicted": [["a"]] * 2}, "mcc", {}, "mcc needs one class per row"),
        (
            {"label": [["a"]] * 2, "predicted": [["a"]] * 2},
            "f1(threshold=0.2)",
            {},
            "has a threshold, and there",
        ),
        ({"label": [[1, 0]] * 2, "score": [0.1, 0.2]}, "auc", {}, "auc needs a probability for each class"),
        (
            {"label": [[1, 0]] * 2, "score": [0.1, 0.2]},
            "accuracy",
            {},
            "accuracy needs a probability for each",
        ),
        ({"label": [[0.5j, 1]] * 2, "probs": [[0.1, 0.2]] * 2}, "auc", {}, "label"),
    ],
)
def test_what_is_refused(table, metric, options, said):
    with pytest.raises(sy.SteelyardError, match=said):
        sy.evaluate(table, metrics=metric, **options)


def test_columns_that_are_not_there_or_have_no_use():
    frame = wide()
    with pytest.raises(sy.SteelyardError, match="'is_art'"):
        sy.evaluate(frame, metrics="auc", columns=WIDE | {"label": ["is_news", "is_art"]})
    with pytest.raises(sy.SteelyardError, match="'is_news' .*twice|'is_news' and 'is_news'"):
        sy.evaluate(frame, metrics="auc", columns=WIDE | {"label": ["is_news", "is_news"]})
    ranking = {"user": [1, 1], "item": ["a", "b"], "score": [0.2, 0.1], "one": [1, 0], "two": [0, 1]}
    with pytest.raises(
        sy.SteelyardError, match="'one' and 'two' are named as labels, and an item of a ranking"
    ):
        sy.evaluate(pl.DataFrame(ranking), metrics="ndcg@5", columns={"label": ["one", "two"]})


def test_a_column_whose_name_has_a_comma_is_one():
    rows = pl.DataFrame({"clicked, at last": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1]})
    assert sy.evaluate(rows, metrics="auc", columns={"label": "clicked, at last"})["auc"] == 3 / 4


def test_a_result_is_stored_shown_and_explained(tmp_path):
    result = sy.evaluate(
        TABLES["lists of text"], metrics=["auc(average=none)", "pr_auc", "f1(average=macro)"]
    )
    result.save(tmp_path / "kept.steelyard")
    assert sy.load(tmp_path / "kept.steelyard").table().equals(result.table())
    assert "news" in str(result)
    assert result.explain("pr_auc").value == near(result["pr_auc"])
    result.report(tmp_path / "page.html")
    assert "sport" in (tmp_path / "page.html").read_text("utf-8")


def test_systems_are_compared_on_labels():
    rng = np.random.default_rng(5)
    labels = (rng.random((300, 3)) < 0.4).astype(int).tolist()
    runs = {name: 0.3 * np.array(labels) + rng.random((300, 3)) for name in ("old", "new")}
    compared = sy.compare(
        {name: pl.DataFrame({"user": range(300), "probs": scores}) for name, scores in runs.items()},
        pl.DataFrame({"user": range(300), "label": labels}),
        ["auc", "pr_auc(average=ovr_micro)"],
    )
    rows = compared.table().filter(pl.col("metric") == "auc", pl.col("system") == "new")
    values = {name: sy.evaluate(scores, np.array(labels), "auc")["auc"] for name, scores in runs.items()}
    assert rows["difference"].item() == near(values["new"] - values["old"])
    assert 0 <= rows["p"].item() <= 1
