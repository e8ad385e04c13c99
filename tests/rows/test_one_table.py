"""One table with the labels inside, in every form that people keep one in."""

from __future__ import annotations

import gzip
import json
from math import log, log2

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy

from ..tables import each_row
from .given import ANIMALS, CHANCES, CLICKS, GUESSES, LOG, check, sk

METRICS = list(CLICKS)
TEXT = pl.DataFrame(LOG).write_csv()


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lines(table):
    return "".join(
        json.dumps(dict(zip(table, row, strict=True))) + "\n" for row in zip(*table.values(), strict=True)
    )


def parquet(path):
    pl.DataFrame(LOG).write_parquet(path)
    return path


def arrow(path):
    pl.DataFrame(LOG).write_ipc(path)
    return path


NULLABLE = {"user_id": "string", "clicked": "Int64", "p": "Float64"}

SOURCES = {
    "csv": lambda folder: write(folder / "log.csv", TEXT),
    "csv with spaces and quotes": lambda folder: write(
        folder / "log.csv", TEXT.replace(",", ", ").replace("u1", '"u1"')
    ),
    "csv.gz": lambda folder: write(folder / "log.csv.gz", gzip.compress(TEXT.encode())),
    "tsv": lambda folder: write(folder / "log.tsv", TEXT.replace(",", "\t")),
    "jsonl": lambda folder: write(folder / "log.jsonl", lines(LOG)),
    "parquet": lambda folder: parquet(folder / "log.parquet"),
    "arrow": lambda folder: arrow(folder / "log.arrow"),
    "dict of lists": lambda folder: LOG,
    "dict of arrays": lambda folder: {name: np.array(values) for name, values in LOG.items()},
    "dict of series": lambda folder: {name: pl.Series(values) for name, values in LOG.items()},
    "polars": lambda folder: pl.DataFrame(LOG),
    "lazy": lambda folder: pl.LazyFrame(LOG),
    "pandas": lambda folder: pd.DataFrame(LOG),
    "pandas nullable": lambda folder: pd.DataFrame(LOG).astype(NULLABLE),
    "pandas categories": lambda folder: pd.DataFrame(LOG).astype({"user_id": "category"}),
    "pandas with an index": lambda folder: pd.DataFrame(LOG, index=[5, 4, 3, 2, 1, 0]),
    "pyarrow": lambda folder: pa.table(LOG),
    "a stream": lambda folder: pa.table(LOG).to_reader(),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_form_gives_the_same_numbers(kind, tmp_path):
    check(sy.evaluate(SOURCES[kind](tmp_path), metrics=METRICS))


@pytest.mark.parametrize("kind", SOURCES)
def test_every_form_is_read_once_for_rankings_and_once_for_rows(kind, tmp_path):
    """ndcg of u1: the click at rank 2 of 3; u2 and u3 have theirs at rank 1."""
    result = sy.evaluate(SOURCES[kind](tmp_path), metrics=["ndcg@10", "auc", "gauc"])
    assert result["ndcg@10"] == pytest.approx((1 / log2(3) + 1 + 1) / 3, rel=1e-12)
    assert (result["auc"], result["gauc"]) == pytest.approx((CLICKS["auc"], CLICKS["gauc"]), rel=1e-12)
    assert result.table()["n"].to_list() == [3, 6, 2]


def test_parts_of_a_table_need_not_agree_on_the_type_of_numbers(tmp_path):
    """0 and 1 in one file, 0.0 and 1.0 in the next, true and false in the last."""
    rows = list(zip(*LOG.values(), strict=True))
    for at, shown in enumerate([("0", "1"), ("0.0", "1.0"), ("false", "true")]):
        part = "".join(f"{user},{shown[label]},{p}\n" for user, label, p in rows[2 * at : 2 * at + 2])
        write(tmp_path / f"part-{at}.csv", "user_id,clicked,p\n" + part)
    check(sy.evaluate(tmp_path / "part-*.csv", metrics=METRICS))


LABELS = {
    "whole numbers": [1, 0, 0, 1, 0, 1],
    "small numbers": pl.Series([1, 0, 0, 1, 0, 1], dtype=pl.Int8),
    "floats": [1.0, 0.0, 0.0, 1.0, 0.0, 1.0],
    "booleans": [True, False, False, True, False, True],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=list(LABELS))
def test_labels_of_0_and_1_in_every_type(labels):
    check(sy.evaluate({**LOG, "clicked": labels}, metrics=METRICS))


@pytest.mark.parametrize(
    "words", [("0", "1"), ("0.0", "1.0"), ("false", "true"), (" 0", "1 "), ("False", "TRUE")]
)
def test_labels_of_0_and_1_as_a_file_without_types_has_them(words, tmp_path):
    table = pl.DataFrame({**LOG, "clicked": [words[label] for label in LOG["clicked"]]})
    check(sy.evaluate(write(tmp_path / "log.csv", table.write_csv()), metrics=METRICS))


NAMED = {
    "text": pl.Series(["yes", "no", "no", "yes", "no", "yes"]),
    "categories": pl.Series(["yes", "no", "no", "yes", "no", "yes"], dtype=pl.Categorical),
    "an enum": pl.Series(["yes", "no", "no", "yes", "no", "yes"], dtype=pl.Enum(["yes", "no"])),
}


@pytest.mark.parametrize("labels", NAMED.values(), ids=list(NAMED))
def test_of_two_named_classes_the_last_is_positive(labels):
    metrics = ["auc", "logloss", "f1", "accuracy"]
    result = sy.evaluate({**LOG, "clicked": labels}, metrics=metrics, classes=["no", "yes"])
    check(result, {name: CLICKS[name] for name in metrics})
    turned = sy.evaluate({**LOG, "clicked": labels}, metrics="auc", classes=["yes", "no"])
    assert turned["auc"] == pytest.approx(1 - CLICKS["auc"], rel=1e-12)


@pytest.mark.parametrize("classes", [["0", "1"], [0, 1], [0.0, 1.0], [False, True], np.array([0, 1])])
def test_classes_of_numbers_are_named_as_text_or_as_numbers(classes):
    assert sy.evaluate(LOG, metrics="auc", classes=classes)["auc"] == pytest.approx(CLICKS["auc"], rel=1e-12)


def test_booleans_are_named_as_a_command_line_names_them():
    labels = {**LOG, "clicked": LABELS["booleans"]}
    turned = sy.evaluate(labels, metrics="auc", classes=["true", "false"])
    assert turned["auc"] == pytest.approx(1 - CLICKS["auc"], rel=1e-12)


def test_predicted_classes():
    """Right: cat, dog, cat. cat has one false call, dog one right of two, cow is never called."""
    table = {"animal": ANIMALS, "guess": GUESSES}
    columns = {"label": "animal", "predicted": "guess"}
    result = sy.evaluate(table, metrics=["accuracy", "f1(average=macro)"], columns=columns)
    assert result["accuracy"] == 3 / 5
    assert result["f1(average=macro)"] == pytest.approx(
        (2 * 2 / (4 + 1) + 0 + 2 * 1 / (2 + 1 + 1)) / 3, rel=1e-15
    )
    assert result["f1(average=macro)"] == pytest.approx(
        sk.f1_score(ANIMALS, GUESSES, average="macro"), rel=1e-12
    )


def test_predicted_classes_of_a_file_may_be_numbers_and_words(tmp_path):
    """Labels that all are numbers are words beside a word: 1 right of 3."""
    path = write(tmp_path / "log.csv", "label,predicted_class\n1,1\n2,none\n3,1\n")
    assert sy.evaluate(path, metrics="accuracy")["accuracy"] == 1 / 3


def test_whole_numbers_in_a_column_of_predictions_are_classes():
    """2 is another class than 1, unless it is called a score, or a threshold is stated for it."""
    table = {"label": [0, 1, 1, 0], "pred": [0, 2, 1, 1]}
    result = sy.evaluate(table, metrics=["accuracy", "accuracy(threshold=1)", "auc"])
    assert dict(result) == {"accuracy": 2 / 4, "accuracy(threshold=1)": 3 / 4, "auc": (2 + 1 + 1 / 2) / 4}
    named = sy.evaluate(table, metrics="accuracy", columns={"score": "pred"})
    called = sy.evaluate({"label": table["label"], "score": table["pred"]}, metrics="accuracy")
    floats = sy.evaluate({**table, "pred": [0.0, 2.0, 1.0, 1.0]}, metrics="accuracy")
    assert named["accuracy"] == called["accuracy"] == floats["accuracy"] == 3 / 4


@pytest.mark.parametrize(("pred", "value"), [("2", 2 / 4), ("2.0", 3 / 4)])
def test_whole_numbers_of_a_file_without_types(pred, value, tmp_path):
    path = write(tmp_path / "log.csv", f"label,pred\n0,0\n1,{pred}\n1,1\n0,1\n")
    assert sy.evaluate(path, metrics="accuracy")["accuracy"] == value


def test_one_probability_for_each_row_is_a_score():
    table = {"label": [1, 0, 1, 0], "probs": [0.8, 0.2, 0.4, 0.6]}
    assert dict(sy.evaluate(table, metrics=["auc", "f1"])) == {"auc": 3 / 4, "f1": 1 / 2}
    other = {**table, "score": [0.1, 0.2, 0.3, 0.4]}
    with pytest.raises(sy.SteelyardError, match="two columns of predictions could be the score"):
        sy.evaluate(other, metrics="auc")
    assert sy.evaluate(other, metrics="auc", columns={"probability": "probs"})["auc"] == 3 / 4
    assert sy.evaluate(other, metrics="auc", columns={"score": "score"})["auc"] == 1 / 4


FRAME = pl.DataFrame(
    {
        "label": ANIMALS,
        **{f"p_{c}": row for c, row in zip(("cat", "cow", "dog"), zip(*CHANCES, strict=True), strict=True)},
    }
)
SEVERAL = {"probability": ["p_cat", "p_cow", "p_dog"]}
PROBABILITIES = {
    "columns": (FRAME, SEVERAL),
    "columns named with commas": (FRAME, {"probability": "p_cat, p_cow,p_dog"}),
    "columns in another order": (FRAME, {"probability": ["p_dog", "p_cat", "p_cow"]}),
    "a column of lists": (pl.DataFrame({"label": ANIMALS, "probs": CHANCES}), None),
    "a column of arrays": (
        pl.DataFrame(
            {"label": ANIMALS, "probs": CHANCES}, schema_overrides={"probs": pl.Array(pl.Float64, 3)}
        ),
        None,
    ),
    "a score that is a list": (pl.DataFrame({"label": ANIMALS, "score": CHANCES}), None),
    "pandas": (FRAME.to_pandas(), SEVERAL),
}
OF_CHANCES = {
    "logloss": -(log(0.7) + log(0.3) + log(0.7) + log(0.3) + log(0.6)) / 5,
    "auc": sk.roc_auc_score(ANIMALS, CHANCES, multi_class="ovr"),
    "auc(average=ovo_macro)": sk.roc_auc_score(ANIMALS, CHANCES, multi_class="ovo"),
    "accuracy": 3 / 5,
    "top_accuracy@2": 5 / 5,
    "f1(average=macro)": sk.f1_score(ANIMALS, GUESSES, average="macro"),
}


@each_row(("table", "columns"), PROBABILITIES.values(), ids=list(PROBABILITIES))
def test_probabilities_of_several_classes(table, columns):
    result = sy.evaluate(table, metrics=list(OF_CHANCES), columns=columns)
    assert dict(result) == pytest.approx(OF_CHANCES, rel=1e-12)


def test_probabilities_in_single_precision():
    chances = pl.Series(CHANCES, dtype=pl.List(pl.Float32))
    result = sy.evaluate({"label": ANIMALS, "probs": chances}, metrics=list(OF_CHANCES))
    assert dict(result) == pytest.approx(OF_CHANCES, rel=1e-6)


def test_columns_are_classes_by_their_names_or_by_their_order():
    said = "the columns of probabilities belong to classes: p_dog = dog, p_cat = cat, p_cow = cow."
    assert (
        said in sy.evaluate(FRAME, metrics="auc", columns={"probability": ["p_dog", "p_cat", "p_cow"]}).notes
    )
    unnamed = FRAME.rename({"p_cat": "a", "p_cow": "b", "p_dog": "c"})
    result = sy.evaluate(unnamed, metrics="logloss", columns={"probability": ["a", "b", "c"]})
    assert result["logloss"] == pytest.approx(OF_CHANCES["logloss"], rel=1e-12)
    assert "the columns of probabilities belong to classes: a = cat, b = cow, c = dog." in result.notes
    named = sy.evaluate(
        unnamed,
        metrics="logloss",
        columns={"probability": "c,a,b"},
        classes=["dog", "cat", "cow"],
        ci="none",
    )
    assert named["logloss"] == pytest.approx(OF_CHANCES["logloss"], rel=1e-12)
    assert not named.notes


def test_a_threshold_is_compared_in_the_precision_of_the_scores(tmp_path):
    """0.7 in single precision is 0.699999988 in double, and meets the threshold 0.7 all the same."""
    label, score = [1, 1, 0], [0.7, 0.9, 0.2]
    pl.DataFrame({"label": label, "score": pl.Series(score, dtype=pl.Float32)}).write_parquet(
        tmp_path / "log.parquet"
    )
    metrics = ["recall(threshold=0.7)", "recall(threshold=0.7, strict=true)"]
    for table in (
        tmp_path / "log.parquet",
        pd.DataFrame({"label": label, "score": np.array(score, np.float32)}),
    ):
        assert list(dict(sy.evaluate(table, metrics=metrics)).values()) == [2 / 2, 1 / 2]


CHINESE = {
    "ROC 曲线下面积": "auc",
    "分组 AUC": "gauc",
    "对数损失": "logloss",
    "F1值": "f1",
    "准确率": "accuracy",
    "均方根误差": "rmse",
}


def test_chinese_names():
    result = sy.evaluate(LOG, metrics=list(CHINESE))
    check(result, {name: CLICKS[name] for name in CHINESE.values()})
    for chinese, name in CHINESE.items():
        assert result[chinese] == result[name]
