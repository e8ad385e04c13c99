"""Texts that stand for a missing label: never a class of their own unless they are named as one."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steelyard as sy

MISSING = ["NA", "N/A", "null", "NULL", "None", "\\N"]
# without the third row: 0.7 and 0.5 above 0.4; at 0.5 all are called rightly
VALUES = {"auc": 1.0, "f1": 1.0, "rmse": sqrt((0.5**2 + 0.4**2 + 0.3**2) / 3)}


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text: str, *labels: str, name: str = "log.csv") -> str:
        shown = labels or ("1", "0", text, "1")
        scores = ("0.5", "0.4", "0.2", "0.7")
        lines = [f"{label},{score}\n" for label, score in zip(shown, scores, strict=True)]
        (tmp_path / name).write_text("label,score\n" + "".join(lines))
        return name

    return write


def refused(source, metrics, **options) -> sy.SteelyardError:
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(source, metrics=metrics, **options)
    return caught.value


@pytest.mark.parametrize("text", MISSING)
@pytest.mark.parametrize("metric", VALUES)
def test_a_missing_label_is_named(text, metric, written):
    error = refused(written(text), metric)
    assert error.message == f"log.csv, row 3: label is '{text}', a missing label"
    assert "pass unlabelled=drop (--unlabelled drop) to leave such rows out, counted" in error.remedy


@pytest.mark.parametrize("text", [*MISSING, "nan", "NaN", "", " NA "])
def test_dropped_and_counted(text, written):
    result = sy.evaluate(written(text), metrics=list(VALUES), unlabelled="drop")
    assert dict(result) == pytest.approx(VALUES, abs=1e-12)
    assert (result.tally.rows, result.tally.unlabelled) == (4, 1)
    assert "1 row without a label: left out." in result.notes


def test_several_are_counted(written):
    error = refused(written("", "NA", "1", "0", "NA"), "auc")
    assert error.message == "log.csv, row 1: label is 'NA', a missing label, as in 1 further row"


def test_true_and_false(written):
    path = written("", "true", "false", "NA", "true")
    assert sy.evaluate(path, metrics="auc", unlabelled="drop")["auc"] == 1


CLASSES = pl.DataFrame({"label": ["cat", "NA", "dog", "NA"], "predicted": ["cat", "cat", "cat", "dog"]})


def test_text_classes_on_every_door(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CLASSES.write_csv("log.csv")
    CLASSES.write_parquet("log.parquet")
    CLASSES.write_ndjson("log.jsonl")
    categories = CLASSES.with_columns(pl.col("label").cast(pl.Categorical))
    of_columns = CLASSES.to_dict(as_series=False)
    sources = (CLASSES, categories, CLASSES.lazy(), CLASSES.to_pandas(), CLASSES.to_arrow(), of_columns)
    for source in (*sources, "log.csv", "log.parquet", "log.jsonl"):
        error = refused(source, "accuracy")
        assert "row 2: label is 'NA', a missing label, as in 1 further row" in error.message
        assert 'name it with the others: classes=["NA", …], --classes NA,…' in error.remedy
        # cat is right, dog is called cat
        dropped = sy.evaluate(source, metrics="accuracy", unlabelled="drop")
        assert (dropped["accuracy"], dropped.tally.unlabelled) == (1 / 2, 2)
        # of all four rows one is right
        named = sy.evaluate(source, metrics="accuracy", classes=["cat", "dog", "NA"])
        assert (named["accuracy"], named.tally.unlabelled) == (1 / 4, 0)


@pytest.mark.parametrize("made", [np.array, pl.Series, pd.Series])
def test_arrays(made):
    labels, said = made(CLASSES["label"].to_list()), made(CLASSES["predicted"].to_list())
    with pytest.raises(sy.SteelyardError, match="row 2: label is 'NA', a missing label"):
        sy.evaluate(predictions=said, truth=labels, metrics="accuracy")
    assert (
        sy.evaluate(predictions=said, truth=labels, metrics="accuracy", unlabelled="drop")["accuracy"]
        == 1 / 2
    )
    assert (
        sy.evaluate(predictions=said, truth=labels, metrics="accuracy", classes=["cat", "dog", "NA"])[
            "accuracy"
        ]
        == 1 / 4
    )


def test_two_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "said.csv").write_text("item,p\na,0.9\nb,0.2\nc,0.4\n")
    (tmp_path / "true.csv").write_text("item,label\nc,NA\nb,0\na,1\n")
    with pytest.raises(sy.SteelyardError, match="true.csv, row 1: label is 'NA', a missing label"):
        sy.evaluate("said.csv", "true.csv", "auc")
    assert sy.evaluate("said.csv", "true.csv", "auc", unlabelled="drop")["auc"] == 1


def test_a_class_that_only_looks_like_one():
    rows = {"label": ["none", "Na", "a"], "predicted": ["none", "Na", "none"]}
    assert sy.evaluate(rows, metrics="accuracy")["accuracy"] == 2 / 3


def test_a_predicted_class_that_is_missing():
    rows = {"label": ["a", "b"], "predicted": ["a", "None"]}
    error = refused(rows, "accuracy")
    assert error.message == "predictions, row 2: score (column 'predicted') is 'None', a missing value"
    assert 'classes=["None", …], --classes None,…' in error.remedy
    assert sy.evaluate(rows, metrics="accuracy", classes=["a", "b", "None"])["accuracy"] == 1 / 2


def test_grades_of_a_ranking(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.csv").write_text("query,item,rel\nq,a,1\nq,b,NA\n")
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate({"q": {"a": 0.5}}, "truth.csv", "mrr")
    assert caught.value.message == "truth.csv, row 2: relevance (column 'rel') is 'NA', a missing value"


def test_on_the_command_line(written, steelyard):
    path = written("", "NA", "cat", "cat", "NA")
    done = steelyard("evaluate", path, "-m", "auc")
    assert (done.code, "row 1: label is 'NA', a missing label" in done.err) == (2, True)
    # 0.5 and 0.7 are of the class NA, 0.4 and 0.2 of cat: no pair is in order
    done = steelyard("evaluate", path, "-m", "auc", "--classes", "NA,cat", "--format", "csv")
    assert (done.code, "auc,0.0," in done.out) == (0, True)
    done = steelyard(
        "evaluate", "-", "-m", "auc", "--unlabelled", "drop", stdin=b"label,p\n1,0.9\nNA,1\n0,0.2\n"
    )
    assert done.code == 0
    assert "1 row without a label: left out." in done.err
