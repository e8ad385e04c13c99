"""`labels` refuses what a library's name does not take: many classes, or several labels per row."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy

from ...tables import each_row

TWO = ([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6])
MANY = (["a", "b", "c", "a"], np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.4, 0.5, 0.1]]))
SEVERAL = (
    np.array([[1, 0], [0, 1], [1, 1], [0, 0]]),
    np.array([[0.9, 0.2], [0.3, 0.7], [0.8, 0.4], [0.1, 0.6]]),
)
TAKEN = {
    "any": (True, True, True),
    "one_per_row": (True, True, False),
    "not_many": (True, False, True),
    "two_classes": (True, False, False),
}


@each_row("choice", TAKEN)
@each_row("metric", ["auc", "pr_auc", "accuracy"])
@each_row("at", range(3))
def test_what_is_taken(metric, choice, at):
    labels, said = (TWO, MANY, SEVERAL)[at]
    classes = ["a", "b", "c"] if at == 1 else None
    text = f"{metric}(labels={choice})"
    if TAKEN[choice][at]:
        usual = sy.evaluate(said, labels, metric, classes=classes)[metric]
        assert sy.evaluate(said, labels, text, classes=classes)[text] == usual
        return
    needs = "two classes; here are 3" if at == 1 else "one label per row; here a row may have several"
    for call in (
        lambda: sy.evaluate(said, labels, text, classes=classes),
        lambda: sy.metric(text).of(
            predictions=said, truth=labels, **({"classes": classes} if classes else {})
        ),
    ):
        with pytest.raises(sy.SteelyardError, match=needs):
            call()


@pytest.mark.parametrize("name", ["torchmetrics:BinaryAUROC", "lightgbm:auc", "recbole:auc", "catboost:AUC"])
def test_a_binary_name_of_a_library_takes_two_classes(name):
    assert sy.evaluate(TWO[1], TWO[0], name)[name] == 0.75  # 3 of 4 pairs
    with pytest.raises(sy.SteelyardError, match="takes two classes; here are 3"):
        sy.evaluate(MANY[1], MANY[0], name, classes=["a", "b", "c"])
    with pytest.raises(sy.SteelyardError, match="takes one label per row"):
        sy.evaluate(SEVERAL[1], SEVERAL[0], name)
