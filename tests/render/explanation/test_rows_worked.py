"""Rows, classes and ratings worked by hand, and the examples of the specification."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import steelyard as sy

from .reading import arithmetic
from .test_rows import same

EXAMPLES = Path(__file__).parents[3].parent / "shared" / "spec" / "worked_examples.json"


@pytest.mark.skipif(not EXAMPLES.exists(), reason="no specification beside the project")
def test_the_examples_of_the_specification():
    found = 0
    for example in json.loads(EXAMPLES.read_text("utf-8"))["examples"]:
        given = example["given"]
        if "@" in example["metric"] or not {"labels", "truth"} & set(given) or "thresholds" in given:
            continue
        if not {"scores", "predicted", "probabilities"} & set(given):
            continue
        labels = given.get("labels", given.get("truth"))
        said = {
            "scores": given.get("scores", given.get("probabilities")),
            "predicted": given.get("predicted"),
        }
        if "truth" in given:
            said = {"scores": given["predicted"], "predicted": None}
        made = sy.explain(
            example["metric"], labels=labels, **said, groups=given.get("groups"), classes=given.get("classes")
        )
        wanted = example["value"] if isinstance(example["value"], list) else [example["value"]]
        assert all(map(same, made.values, wanted)), example["id"]
        assert all(map(same, made.recomputed_values(), wanted)), example["id"]
        found += 1
    assert found > 15


def last(metric, **rows):
    return arithmetic(sy.explain(metric, **rows).to_text())[-1]


CLICKS = {"labels": [1, 1, 0, 0], "scores": [0.8, 0.5, 0.5, 0.1]}
ANIMALS = {"labels": list("aaaaabbbcc"), "predicted": list("aaabcbbacc")}
RATINGS = {"labels": [3, 5, 2, 7], "scores": [2.5, 5, 4, 8]}


def test_worked_by_hand():
    # above the tie both negatives lose, in it one loses and one is tied
    assert last("auc", **CLICKS) == ("auc", "(3 + 1 / 2) / (2 × 2)", f"{3.5 / 4:.4f}")
    assert last("auc", **CLICKS, weights=[1, 2, 1, 1])[1] == "(4 + 2 / 2) / (3 × 2)"
    # up to a false positive rate of 1/2 the curve rises from 1/2 to 1
    area = 1 / 2 * (1 / 2 + 1) / 2
    raw = sy.explain("auc(max_fpr=0.5, partial=raw)", **CLICKS)
    assert raw.value == area
    assert last("auc(max_fpr=0.5)", **CLICKS)[2] == f"{(1 + (area - 1 / 8) / (1 / 2 - 1 / 8)) / 2:.4f}"
    cost = -math.log(0.8) - 2 * math.log(0.5) - math.log(0.9)
    assert last("logloss", **CLICKS) == ("logloss", f"{cost:.4f} / 4", f"{cost / 4:.4f}")
    bits = cost / math.log(2)
    assert last("logloss(base=2)", **CLICKS)[1] == f"{bits:.4f} / 4"
    assert last("ne", **CLICKS) == (
        "ne",
        f"{cost / 4:.4f} / {math.log(2):.4f}",
        f"{cost / 4 / math.log(2):.4f}",
    )
    assert last("rig", **CLICKS)[2] == f"{1 - cost / 4 / math.log(2):.4f}"
    brier = 0.2**2 + 0.5**2 + 0.5**2 + 0.1**2
    assert last("brier", **CLICKS) == ("brier", f"{brier:.4f} / 4", f"{brier / 4:.4f}")
    assert last("calibration", **CLICKS)[1:] == ("1.9000 / 2", "0.9500")
    assert last("copc", **CLICKS)[1:] == ("2 / 1.9000", f"{2 / 1.9:.4f}")
    # half of the positives and none of the negatives, or all positives and half of the negatives
    assert last("ks", **CLICKS) == ("ks", None, "0.5000")
    assert last("ece(bins=1)", **CLICKS) == ("ece", None, f"{0.5 - 1.9 / 4:.4f}")


def test_classes_worked_by_hand():
    assert last("f1(average=micro)", **ANIMALS)[1] == "2 × 7 / (2 × 7 + 3 + 3)"
    each = (2 * 3 / (2 * 3 + 1 + 2), 2 * 2 / (2 * 2 + 1 + 1), 2 * 2 / (2 * 2 + 1 + 0))
    macro = arithmetic(sy.explain("f1(average=macro)", **ANIMALS).to_text())
    assert macro == [
        ("f1(a)", "2 × 3 / (2 × 3 + 1 + 2)", f"{each[0]:.4f}"),
        ("f1(b)", "2 × 2 / (2 × 2 + 1 + 1)", f"{each[1]:.4f}"),
        ("f1(c)", "2 × 2 / (2 × 2 + 1 + 0)", f"{each[2]:.4f}"),
        ("f1", f"{sum(each):.4f} / 3", f"{sum(each) / 3:.4f}"),
    ]
    weighted = 5 * each[0] + 3 * each[1] + 2 * each[2]
    assert last("f1(average=weighted)", **ANIMALS)[1:] == (f"{weighted:.4f} / 10", f"{weighted / 10:.4f}")
    assert last("accuracy", **ANIMALS)[1] == "7 / 10"
    assert last("balanced_accuracy", **ANIMALS)[1] == f"{3 / 5 + 2 / 3 + 2 / 2:.4f} / 3"
    assert last("mcc", **ANIMALS)[1] == "35 / sqrt(62 × 66)"
    one = {"labels": [1, 0, 1, 0, 0], "predicted": [1, 1, 0, 0, 0]}
    assert last("precision", **one)[1] == "1 / (1 + 1)"
    assert last("recall", **one)[1] == "1 / (1 + 1)"
    assert last("specificity", **one)[1] == "2 / (2 + 1)"
    assert last("fpr", **one)[1] == "1 / (2 + 1)"
    assert last("mcc", **one)[1] == "(1 × 2 - 1 × 1) / sqrt((1 + 1) × (1 + 1) × (2 + 1) × (2 + 1))"
    assert last("fbeta(beta=2)", **one)[1] == "(1 + 2^2) × 1 / ((1 + 2^2) × 1 + 2^2 × 1 + 1)"
    text = sy.explain("confusion", **ANIMALS).to_text().splitlines()
    assert [line.split() for line in text[-5:]] == [
        ["class", "→", "a", "→", "b", "→", "c"],
        ["a", "3", "1", "1"],
        ["b", "1", "2", "0"],
        ["c", "0", "0", "2"],
        ["sum", "4", "3", "3"],
    ]


def test_ratings_worked_by_hand():
    squares = 0.5**2 + 0 + 2**2 + 1**2
    assert last("mse", **RATINGS)[1:] == (f"{squares:.4f} / 4", f"{squares / 4:.4f}")
    assert last("rmse", **RATINGS)[1:] == (f"sqrt({squares:.4f} / 4)", f"{math.sqrt(squares / 4):.4f}")
    assert last("mae", **RATINGS)[1:] == ("3.5000 / 4", "0.8750")
    # the mean of the truth is 17/4
    spread = sum((truth - 17 / 4) ** 2 for truth in (3, 5, 2, 7))
    assert last("r2", **RATINGS)[1:] == (f"1 - {squares:.4f} / {spread:.4f}", f"{1 - squares / spread:.4f}")
    rows = sy.explain("mae", **RATINGS).steps[0]
    assert rows.column("row").cells == (3, 4, 1, 2)
    assert rows.column("miss").cells == (-2.0, -1.0, 0.5, 0.0)
