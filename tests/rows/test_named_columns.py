"""Columns of probabilities that are called by their classes, and groups whatever else a process holds."""

import pandas as pd
import polars as pl
import pytest

import steelyard as sy

PERFECT = {"label": ["Yes", "No", "Yes"], "p_yes": [0.8, 0.1, 0.7], "p_no": [0.2, 0.9, 0.3]}


def accuracy(rows, columns, **further):
    return sy.evaluate(rows, metrics="accuracy", columns={"probability": columns}, **further)["accuracy"]


def test_case_does_not_matter():
    assert accuracy(PERFECT, ["p_yes", "p_no"]) == 1.0
    assert accuracy(PERFECT, ["p_no", "p_yes"]) == 1.0


def test_labels_that_pandas_made_floats():
    rows = pd.DataFrame({"label": [1, 0, None, 0], "p_1": [0.9, 0.1, 0.8, 0.2], "p_0": [0.1, 0.9, 0.2, 0.8]})
    assert accuracy(rows, ["p_1", "p_0"], unlabelled="drop") == 1.0


@pytest.mark.parametrize("names", [["p_true", "p_false"], ["p_1", "p_0"], ["p1", "p0"]])
def test_labels_of_true_and_false(names):
    rows = {"label": [True, False], names[0]: [0.9, 0.2], names[1]: [0.1, 0.8]}
    assert accuracy(rows, names) == 1.0


def test_numbers_that_end_alike():
    rows = {"label": [1, 10, 10], "p_10": [0.1, 0.9, 0.8], "p_1": [0.9, 0.1, 0.2]}
    assert accuracy(rows, ["p_10", "p_1"]) == 1.0


def test_a_class_without_rows_is_called_as_its_column():
    rows = {"label": ["cat", "dog"], "p_bird": [0.1, 0.1], "p_cat": [0.8, 0.1], "p_dog": [0.1, 0.8]}
    result = sy.evaluate(rows, metrics="confusion", columns={"probability": ["p_bird", "p_cat", "p_dog"]})
    assert result.table()["class"].unique(maintain_order=True).to_list() == ["bird", "cat", "dog"]


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["cat", "dog", "cow"], ["p_cat", "p_dog", "p_bird"]),
        (["low", "mid", "high"], ["p_low", "p_mid", "phigh"]),
    ],
)
def test_names_of_some_classes_only_are_for_the_caller_to_settle(labels, names):
    rows = {"label": labels, names[0]: [1.0] * 3, names[1]: [0.0] * 3, names[2]: [0.0] * 3}
    with pytest.raises(sy.SteelyardError, match="name only some of the classes"):
        accuracy(rows, names)
    assert 0 <= accuracy(rows, names, classes=sorted(labels)) <= 1


def test_names_that_say_nothing_stand_in_sorted_order():
    rows = {"label": ["b", "a"], "first": [0.1, 0.9], "second": [0.9, 0.1]}
    assert accuracy(rows, ["first", "second"]) == 1.0


def test_whole_numbers_that_do_not_begin_at_0_need_names():
    rows = {"label": [1, 2], "x": [0.1, 0.1], "y": [0.8, 0.1], "z": [0.1, 0.8]}
    with pytest.raises(sy.SteelyardError, match="3 columns for the 2 classes"):
        accuracy(rows, ["x", "y", "z"])


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical])
def test_groups_keep_their_names_whatever_categories_there_are(kind):
    rows = pl.DataFrame(
        {
            "country": ["b", "b", "a", "a"],
            "user": ["a", "a", "b", "b"],
            "label": [1, 0, 1, 0],
            "score": [0.9, 0.1, 0.1, 0.9],
        },
        schema_overrides={"country": kind},
    )
    assert sy.evaluate(rows, metrics="gauc").per_query().rows() == [("a", "gauc", 1.0), ("b", "gauc", 0.0)]


def test_a_threshold_that_is_stated_acts_though_it_is_the_usual_one():
    rows = {"label": [1, 0, 1, 0], "prediction": [3, 0, 7, 2]}
    # at 0.5: 3, 7 and 2 are positive, so three of four are right
    assert sy.evaluate(rows, metrics="accuracy(threshold=0.5)")["accuracy(threshold=0.5)"] == 0.75
    with pytest.raises(sy.SteelyardError, match="no scores to apply it to"):
        sy.evaluate({"label": [1, 0], "predicted_class": [1, 1]}, metrics="accuracy(threshold=0.5)")


def test_weights_of_0_are_counted_and_all_0_refused():
    rows = {"label": [1, 0, 1, None], "score": [0.9, 0.1, 0.2, 0.5], "w": [1, 1, 0, 0]}
    result = sy.evaluate(rows, metrics="auc", weights="w", unlabelled="drop")
    assert result.tally.weightless == 2
    assert "2 rows of weight 0: as if not there." in result.notes
    with pytest.raises(sy.SteelyardError, match="all rows with a label have weight 0"):
        sy.evaluate({**rows, "w": [0, 0, 0, 1]}, metrics="auc", weights="w", unlabelled="drop")


def test_text_labels_beside_scores_ask_for_their_names():
    rows = {"label": ["yes", "no"], "score": [0.9, 0.2]}
    with pytest.raises(sy.SteelyardError, match="--classes no,yes"):
        sy.evaluate(rows, metrics="f1")
    assert sy.evaluate(rows, metrics="f1", classes=["no", "yes"])["f1"] == 1.0
