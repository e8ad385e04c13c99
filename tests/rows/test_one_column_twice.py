"""A label cannot foretell itself; scores of two values may be classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steelyard as sy

LOG = {"user": [1, 1, 2], "label": [1, 0, 1], "score": [0.3, 0.4, 0.5], "item": [1, 2, 1]}
ONE = "predictions and truth are one object: every value is its own prediction."
TWO = "the scores have two values only, 0 and 1: if they are predicted classes, give the scores behind them"


def refused(message: str, source, truth=None, **options) -> None:
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(source, truth, **options)
    assert caught.value.message == message
    assert "name another column for one of the two" in caught.value.remedy


@pytest.mark.parametrize("role", ["score", "predicted", "probability", "weight", "query"])
def test_a_label_with_a_second_role(role, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame(LOG)
    frame.write_csv("log.csv")
    frame.write_parquet("log.parquet")
    columns = {"label": "label", role: "label"}
    metrics = ["accuracy", "gauc"] if role != "probability" else "logloss"
    said = f"is both the label and the {'predicted class' if role == 'predicted' else role}"
    for source in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(), LOG):
        refused(f"column 'label' of predictions {said}", source, metrics=metrics, columns=columns)
    for path in ("log.csv", "log.parquet"):
        refused(f"column 'label' of {path} {said}", path, metrics=metrics, columns=columns)


@pytest.mark.parametrize("role", ["score", "weight"])
def test_a_grade_with_a_second_role(role):
    columns = {"label": "label", role: "label"}
    message = f"column 'label' of predictions is both the relevance and the {role}"
    refused(message, pl.DataFrame(LOG), metrics="mrr", columns=columns)


def test_weights_that_are_the_label():
    message = "column 'label' of predictions is both the label and the weight"
    refused(message, LOG, metrics="auc", weights="label")
    said, true = pl.DataFrame(LOG).drop("label"), pl.DataFrame(LOG).drop("score")
    message = "column 'label' of truth is both the label and the weight"
    refused(message, said, true, metrics="auc", weights="label")
    message = "column 'label' of truth is both the relevance and the weight"
    refused(message, said, true, metrics="mrr", weights="label")


@pytest.mark.parametrize(
    ("role", "what"), [("weight", "weight"), ("predicted", "predicted class"), ("score", "score")]
)
def test_a_label_that_was_given_away(role, what):
    message = f"column 'label' of predictions is named as the {what}, and no other column could be the label"
    refused(message, LOG, metrics=["accuracy", "auc"], columns={role: "label"})


def test_one_file_as_predictions_and_truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(LOG).select("user", "item", "score").write_csv("run.csv")
    for metric, label in (("mrr", "relevance"), ("auc", "label")):
        message = f"column 'score' of run.csv is both the {label} and the score"
        refused(message, "run.csv", tmp_path / "run.csv", metrics=metric)


def test_one_table_as_both_with_a_column_for_each():
    frame = pl.DataFrame(LOG)
    # user 1 has the other item first, user 2 has one item only
    assert sy.evaluate(frame, frame, "mrr")["mrr"] == (1 / 2 + 1) / 2


@pytest.mark.parametrize("made", [np.array, list, pl.Series, pd.Series])
def test_one_array_as_both(made):
    values = made([1, 0, 1])
    assert sy.evaluate(predictions=values, truth=values, metrics="accuracy").notes[0] == ONE
    assert ONE not in sy.evaluate(predictions=values, truth=[0, 0, 1], metrics="accuracy").notes


def test_one_mapping_or_matrix_as_both():
    run = {"q": {"a": 1, "b": 0}}
    assert sy.evaluate(run, run, "mrr").notes[0] == ONE
    assert ONE not in sy.evaluate(run, dict(run), "mrr").notes
    matrix = np.eye(2, dtype=int)
    assert sy.evaluate(matrix, matrix, "mrr").notes[0] == ONE
    assert sy.evaluate(matrix, matrix, "accuracy").notes[0] == ONE


def test_classes_given_as_scores():
    log = {"user": [1, 1, 1, 1], "label": [1, 0, 1, 0], "y_pred": [1, 0, 0, 0]}
    notes = sy.evaluate(log, metrics=["auc", "gauc", "pr_auc", "ks", "logloss", "f1"]).notes
    of_column = TWO.replace("scores", "scores (column 'y_pred')", 1)
    assert f"{of_column} for auc, gauc, pr_auc, ks, logloss." in notes
    assert f"{TWO} for auc." in sy.evaluate(predictions=[1, 0, 0, 0], truth=log["label"], metrics="auc").notes


def test_two_values_beyond_the_first_thousand():
    score = np.tile([0.0, 1.0], 1000)
    label = np.tile([1, 0, 0, 1], 500)
    assert f"{TWO} for auc." in sy.evaluate(predictions=score, truth=label, metrics="auc").notes
    score[-1] = 0.5
    assert sy.evaluate(score, label, "auc", ci="none").notes == ()


def test_scores_with_more_values_or_fewer():
    for scores in ([0.1, 0.5, 0.9], [0.5, 0.5, 0.5]):
        assert sy.evaluate(scores, [1, 0, 1], "auc", ci="none").notes == ()
    assert sy.evaluate([0.1, 0.9], [1, 0], "auc", ci="none").notes == ()  # two rows have two scores


def test_a_metric_of_classes_may_well_have_two_values():
    assert sy.evaluate(predictions=[1, 0, 0, 0], truth=[1, 0, 1, 0], metrics="f1", ci="none").notes == ()
