"""A column of classes is never the score while a column of probabilities stands beside it."""

from __future__ import annotations

from math import log

import pandas as pd
import polars as pl
import pytest

import steelyard as sy
from steelyard.read.roles import Finder
from steelyard.read.table import Source

from ..tables import each_row

LABELS = [1, 0, 1, 0]
CLASSES = [1, 0, 0, 0]
SCORES = [0.9, 0.2, 0.4, 0.3]
# 0.9 and 0.4 stand above 0.2 and 0.3; as scores the classes would tie one click with both others: 3/4
AUC = 4 / 4
LOGLOSS = -(log(0.9) + log(0.8) + log(0.4) + log(0.7)) / 4
# of the classes: one click found, one missed, none called wrongly
F1 = 2 * 1 / (2 * 1 + 0 + 1)
NAMES = [
    *("y_prob", "y_score", "pred_proba", "proba", "p_click", "pctr", "predicted_ctr", "pcvr", "prob_1"),
    *("y_pred_proba", "predict_proba", "predicted_probability", "y_proba", "p", "Predicted-CTR"),
]


def rows(score: str = "y_prob", called: str = "y_pred", classes=CLASSES) -> pl.DataFrame:
    return pl.DataFrame({"label": LABELS, called: classes, score: SCORES})


def check(source, **options) -> sy.Result:
    result = sy.evaluate(source, metrics=["auc", "logloss", "f1"], **options)
    assert dict(result) == pytest.approx({"auc": AUC, "logloss": LOGLOSS, "f1": F1}, abs=1e-12)
    return result


@each_row("score", NAMES)
def test_scores_by_the_names_people_use(score):
    check(rows(score))


@each_row("called", ["y_pred", "pred", "prediction", "predicted", "yHat"])
def test_classes_by_the_names_people_use(called):
    check(rows(called=called))


@pytest.mark.parametrize("kind", [int, bool, float])
def test_whatever_type_the_classes_have(kind):
    check(rows(classes=[kind(one) for one in CLASSES]))


def test_on_every_door(tmp_path, monkeypatch):
    frame = rows()
    monkeypatch.chdir(tmp_path)
    frame.write_csv("log.csv")
    frame.write_parquet("log.parquet")
    frame.write_ndjson("log.jsonl")
    frame.write_csv("log.tsv", separator="\t")
    of_columns = frame.to_dict(as_series=False)
    paths = ["log.csv", "log.parquet", "log.jsonl", "log.tsv"]
    for source in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(), of_columns, *paths):
        check(source)
    check(["log.parquet"])


def test_on_two_tables():
    said = rows().drop("label").with_columns(item_id=pl.Series([1, 2, 3, 4]))
    true = pl.DataFrame({"item_id": [4, 3, 2, 1], "label": LABELS[::-1]})
    result = sy.evaluate(said, true, ["auc", "logloss", "f1"])
    assert dict(result) == pytest.approx({"auc": AUC, "logloss": LOGLOSS, "f1": F1}, abs=1e-12)


def test_on_the_command_line(steelyard, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows().write_csv("log.csv")
    piped = (tmp_path / "log.csv").read_bytes()
    (tmp_path / "run.toml").write_text('predictions = "log.csv"\nmetric = ["auc", "f1"]\nformat = "csv"\n')
    asked = ("-m", "auc", "-m", "f1", "--format", "csv")
    for done in (
        steelyard("evaluate", "log.csv", *asked),
        steelyard("evaluate", "-", *asked, stdin=piped),
        steelyard("evaluate", "--run-file", "run.toml"),
    ):
        assert done.code == 0, done.err
        assert f"auc,{AUC}," in done.out
        assert f"f1,{F1}," in done.out


@each_row("metric", ["auc", "f1"])
@each_row("score", ["score", "similarity", "logit", "model_score", "predicted_rating"])
def test_whole_numbers_beside_what_is_no_probability_may_be_scores(score, metric):
    with pytest.raises(sy.SteelyardError, match=f"two columns of predictions could be the score: '{score}'"):
        sy.evaluate(rows(score), metrics=metric)


@each_row("score", ["p", "y_prob", "y_proba", "similarity", "logit"])
@each_row("predicted", [[3.0, 2.0, 5.0, 1.0], [3, 2, 5, 1], [3.5, 2.0, 5.0, 1.0]])
@each_row("metrics", ["rmse", ["rmse", "f1"]])
def test_a_predicted_rating_is_no_class_whatever_its_values(score, predicted, metrics):
    rated = pl.DataFrame({"rating": [4.0, 2.0, 5.0, 1.0], score: SCORES, "prediction": predicted})
    for source in (rated, rated.to_pandas(), rated.to_dict(as_series=False)):
        with pytest.raises(sy.SteelyardError, match=f"could be the score: '{score}' and 'prediction'"):
            sy.evaluate(source, metrics=metrics)
    named = sy.evaluate(rated, metrics="mae", columns={"score": "prediction"})
    assert named["mae"] == (4 - predicted[0]) / 4


@each_row("score", ["y_prob", "pctr", "similarity", "logit"])
@each_row("predicted", [CLASSES, [0.5, 0, 0, 0]])
def test_what_orders_a_ranking_is_named_by_the_user(score, predicted):
    said = {"query": ["q"] * 4, "item": ["a", "b", "c", "d"], "prediction": predicted, score: SCORES}
    ranked = pl.DataFrame({**said, "label": LABELS}, strict=False)
    for given in ((ranked,), (ranked.drop("label"), {"q": {"a": 1, "c": 1}})):
        with pytest.raises(sy.SteelyardError, match=f"could be the score: '{score}' and 'prediction'"):
            sy.evaluate(*given, metrics="map")
        # by score a, c, d, b: both clicks first
        named = sy.evaluate(*given, metrics="map", columns={"score": score})
        assert named["map"] == (1 / 1 + 2 / 2) / 2


def test_no_ranking_by_classes_while_their_probabilities_are_there():
    ranked = {"query": ["q"] * 2, "item": ["a", "b"], "label": [2, 0], "y_pred": [2, 0]}
    family = {"prob_0": [0.1, 0.8], "prob_1": [0.2, 0.1], "prob_2": [0.7, 0.1]}
    with pytest.raises(sy.SteelyardError, match="could be the score: 'y_pred', 'prob_0', 'prob_1' and"):
        sy.evaluate(ranked | family, metrics="mrr")
    assert sy.evaluate(ranked | family, metrics="mrr", columns={"score": "y_pred"})["mrr"] == 1


def test_a_fraction_among_the_first_rows_is_seen_before_the_rest_is_loaded():
    def load(wanted):
        raise AssertionError(f"{wanted} was loaded")

    table = rows(classes=[0.5, 0.0, 1.0, 0.0])
    source = Source(
        name="log",
        columns=tuple(table.columns),
        load=load,
        peek=lambda wanted, rows: table.select(wanted).head(rows),
    )
    finder = Finder(source, "predictions", None, alone=True, classes=True)
    with pytest.raises(sy.SteelyardError, match="could be the score: 'y_prob' and 'y_pred'"):
        finder.find("score")


def test_a_fraction_far_below_is_seen_too():
    long = {"label": [1, 0] * 1500, "y_prob": [0.9, 0.1] * 1500, "y_pred": [*[1, 0] * 1499, 1, 0.5]}
    with pytest.raises(sy.SteelyardError, match="could be the score: 'y_prob' and 'y_pred'"):
        sy.evaluate(long, metrics="auc")


def test_a_note_says_what_was_told_by_the_values():
    assert check(rows(), ci="none").notes == (
        "predictions: 'y_pred' holds classes and is what was predicted; 'y_prob' is the score.",
    )
    assert sy.evaluate(rows(), metrics="auc", ci="none").notes == (
        "predictions: 'y_pred' holds classes; 'y_prob' is the score.",
    )


def test_two_columns_of_scores_are_an_error():
    with pytest.raises(sy.SteelyardError, match="could be the score: 'y_prob' and 'y_pred'"):
        sy.evaluate(rows(classes=[0.7, 0.1, 0.2, 0.3]), metrics="auc")
    with pytest.raises(sy.SteelyardError, match="could be the score: 'pctr' and 'pcvr'"):
        sy.evaluate(rows("pctr").with_columns(pcvr=pl.col("pctr") / 2), metrics="auc")


def test_two_columns_of_classes_are_an_error():
    with pytest.raises(sy.SteelyardError, match="could be the predicted class: 'y_pred' and 'pred'"):
        sy.evaluate(rows().with_columns(pred=pl.col("y_pred")), metrics="f1")


def test_a_score_that_was_named_is_the_one_that_a_threshold_acts_on():
    # at 0.35 the scores call both clicks and nothing else; the classes miss one
    called = rows(classes=[1, 1, 0, 0])
    assert sy.evaluate(called, metrics="f1")["f1"] == 2 / 4
    named = {"columns": {"score": "y_prob"}}
    assert sy.evaluate(called, metrics="f1", **named)["f1"] == F1
    assert sy.evaluate(called, metrics="f1", threshold=0.35, **named)["f1"] == 1


def test_a_threshold_acts_on_scores_though_classes_are_there():
    # at 0.25 three rows are called: both clicks and one other
    asked = sy.evaluate(rows(), metrics=["f1", "f1(threshold=0.25)"])
    assert asked["f1"] == F1
    assert asked["f1(threshold=0.25)"] == 4 / 5
    clear = rows(called="predicted_class")
    assert sy.evaluate(clear, metrics="f1(threshold=0.25)")["f1(threshold=0.25)"] == 4 / 5


def test_classes_alone_are_all_there_is():
    # one click above both others, one tied with both: (2 + 2/2) / 4
    assert sy.evaluate(rows().drop("y_prob"), metrics="auc")["auc"] == 3 / 4


@each_row("far", [2**53 + 1, 2**60, 2**60 + 1, 2**63 - 1, -(2**62)])
@each_row("name", ["predicted", "y_pred"])
def test_a_class_as_large_as_numbers_go(far, name):
    # of three rows the last is called by a class that no label has
    rows = pl.DataFrame({"label": [1, 0, 1], name: [1, 0, far]})
    for source in (rows, rows.to_pandas(), rows.to_dict(as_series=False)):
        assert sy.evaluate(source, metrics="accuracy")["accuracy"] == 2 / 3
    assert sy.evaluate(rows, metrics="accuracy", columns={"predicted": name})["accuracy"] == 2 / 3
    assert sy.evaluate(predictions=rows[name], truth=rows["label"], metrics="accuracy")["accuracy"] == 2 / 3


def test_a_large_class_in_a_file_without_types(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(f"label,predicted\n1,1\n0,0\n1,{2**60}\n")
    assert sy.evaluate(path, metrics="accuracy")["accuracy"] == 2 / 3
    path.write_text(f"label,predicted\n1,1\n0,0\n1,{2**60 + 1}\n")
    with pytest.raises(sy.SteelyardError, match="too large an integer to be exact"):
        sy.evaluate(path, metrics="accuracy")


@pytest.mark.parametrize("name", ["predicted", "y_pred", "prediction", "predicted_class"])
def test_whole_numbers_are_the_classes_that_were_named(name, tmp_path):
    """Of classes 1 and 0 the second is positive: a 1 still says class 1, and no score of class 0."""
    rows = pl.DataFrame({"label": [1, 0, 0], name: [1, 0, 1]})
    rows.write_csv(tmp_path / "rows.csv")
    for source in (rows, rows.to_pandas(), rows.to_dict(as_series=False), tmp_path / "rows.csv"):
        for classes in ([1, 0], [0, 1], ["1", "0"]):
            assert sy.evaluate(source, metrics="accuracy", classes=classes)["accuracy"] == 2 / 3
        # class 0 is there twice, and once it was called
        assert sy.evaluate(source, metrics="recall()", classes=[1, 0])["recall()"] == 1 / 2
        assert sy.evaluate(source, metrics="recall()", classes=[0, 1])["recall()"] == 1 / 1
    plain = sy.evaluate(
        predictions=rows[name].to_numpy(), truth=rows["label"].to_numpy(), metrics="accuracy", classes=[1, 0]
    )
    assert plain["accuracy"] == 2 / 3


def test_a_threshold_acts_on_whole_numbers_though_the_classes_are_named():
    # 1 is a score of at least 0.5 for the second class, which is 0
    rows = {"label": [1, 0, 0], "predicted": [1, 0, 1]}
    asked = sy.evaluate(rows, metrics="accuracy(threshold=0.5)", classes=[1, 0])
    assert asked["accuracy(threshold=0.5)"] == 1 / 3


def test_text_classes_beside_lists_of_probabilities():
    table = {
        "label": ["cat", "dog"],
        "y_pred": ["cat", "cat"],
        "probabilities": [[0.3, 0.7], [0.2, 0.8]],
    }
    asked = sy.evaluate(table, metrics=["accuracy", "logloss"])
    assert asked["accuracy"] == 1 / 2  # cat is right and dog is not; the more probable are dog and dog
    assert asked["logloss"] == pytest.approx(-(log(0.3) + log(0.8)) / 2)


class TestColumnsOfClasses:
    def test_the_second_of_two_is_the_score(self):
        table = pl.DataFrame({"label": LABELS, "prob_0": [1 - p for p in SCORES], "prob_1": SCORES})
        assert sy.evaluate(table, metrics=["auc", "pr_auc"])["auc"] == AUC
        assert sy.evaluate(table.to_pandas(), metrics="logloss")["logloss"] == pytest.approx(LOGLOSS)

    def test_the_first_alone_is_none(self):
        with pytest.raises(sy.SteelyardError) as caught:
            sy.evaluate({"label": LABELS, "prob_0": SCORES}, metrics="auc")
        assert "score=NAME" in caught.value.remedy  # never the probability of the other class

    def test_three_are_the_probabilities_of_three_classes(self):
        table = {"label": [0, 1, 2], "proba_0": [0.7, 0.1, 0.2], "proba_2": [0.1, 0.3, 0.5]}
        table["proba_1"] = [0.2, 0.6, 0.3]
        asked = sy.evaluate(pd.DataFrame(table), metrics=["accuracy", "logloss"])
        assert asked["accuracy"] == 1
        assert asked["logloss"] == pytest.approx(-(log(0.7) + log(0.6) + log(0.5)) / 3)

    def test_a_part_of_them_is_not_taken_for_a_score(self):
        with pytest.raises(sy.SteelyardError, match="no column that could be the score"):
            sy.evaluate({"label": LABELS, "prob_1": SCORES, "prob_2": SCORES}, metrics="auc")


RARE = [
    *("p_1", "p1", "prob_pos", "prob_positive", "prob_yes", "positive_prob", "p_hat", "phat", "confidence"),
    *("pred_probability", "prediction_probability", "ctr_pred", "cvr_pred", "pconv", "p_conversion"),
    *("y_hat_prob", "score_1"),
]


@each_row("score", RARE)
def test_probabilities_by_rarer_names(score):
    check(rows(score))


@pytest.mark.parametrize("pair", [("p_0", "p_1"), ("prob_no", "prob_yes")])
def test_a_pair_of_probabilities(pair):
    frame = rows(pair[1]).with_columns((1 - pl.col(pair[1])).alias(pair[0]))
    check(frame)


def test_a_rarer_name_leaves_the_score_alone():
    frame = rows("score", "confidence", classes=[0.5, 0.6, 0.7, 0.8])
    assert sy.evaluate(frame, metrics="auc")["auc"] == AUC


def test_scores_of_two_values_name_the_column_that_may_be_meant():
    (note,) = [one for one in sy.evaluate(rows("chance_v7"), metrics="auc").notes if "two values" in one]
    assert note.startswith("the scores (column 'y_pred') have two values only")
    assert "column 'chance_v7', --columns score=chance_v7" in note
    check_named = sy.evaluate(rows("chance_v7"), metrics="auc", columns={"score": "chance_v7"})
    assert check_named["auc"] == AUC


def test_of_two_predictions_the_one_with_fractions_is_offered():
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(rows("y_hat"), metrics="auc")
    assert "score=y_hat" in caught.value.remedy


def test_a_probability_for_each_class_is_offered(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("label,pred,prob_a,prob_b,prob_c\na,a,.7,.2,.1\nb,c,.2,.3,.5\nc,c,.1,.1,.8\n")
    for options in ({}, {"classes": ["a", "b", "c"]}):
        with pytest.raises(sy.SteelyardError) as caught:
            sy.evaluate(path, metrics="auc", **options)
        assert "--columns 'probability=prob_a,prob_b,prob_c'" in caught.value.remedy
    # each class has the highest probability of its column in its own row: every area is 1
    assert sy.evaluate(path, metrics="auc", columns={"probability": "prob_a,prob_b,prob_c"})["auc"] == 1
