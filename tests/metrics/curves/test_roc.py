"""The ROC curve: worked by hand, against scikit-learn, at the edges."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import roc_curve

from steelyard.metrics import AUC
from steelyard.metrics.curves import curve, roc, scored

from ...tables import each_row
from .drawn import TOLERANCE, in_segments, random_rows, rows

COLUMNS = ["threshold", "fpr", "tpr", "positives", "negatives"]
LABELS = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505]
SCORES += [0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.3, 0.1]


def test_twenty_rows():
    frame = roc(scored(predictions=SCORES, truth=LABELS))
    assert frame.columns == COLUMNS
    assert frame.select("threshold", "fpr", "tpr").rows()[:5] == [
        (math.inf, 0, 0),
        (0.9, 0, 1 / 10),
        (0.8, 0, 2 / 10),
        (0.7, 1 / 10, 2 / 10),
        (0.6, 1 / 10, 3 / 10),
    ]
    assert frame.height == 1 + 20
    assert frame.row(-1) == (0.1, 1, 1, 10, 10)


def test_the_example_of_the_specification(shared):
    examples = json.loads((shared / "spec" / "worked_examples.json").read_text())["examples"]
    (one,) = (example for example in examples if example["id"] == "roc, first points")
    given = one["given"]
    frame = roc(scored(predictions=given["scores"], truth=given["labels"]))
    wanted = [float(threshold) for threshold in given["thresholds"]]
    found = frame.filter(frame["threshold"].is_in(wanted)).select("fpr", "tpr").rows()
    assert [list(point) for point in found] == one["value"]


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_agrees_with_scikit_learn(ties, weighted, dtype):
    label, score, weight = random_rows(5_000, ties=ties, weighted=weighted)
    score = score.astype(dtype)
    fpr, tpr, threshold = roc_curve(label, score, sample_weight=weight, drop_intermediate=False)
    frame = roc(scored(predictions=score, truth=label, weights=weight))
    np.testing.assert_array_equal(frame["threshold"], threshold)
    np.testing.assert_allclose(frame["fpr"], fpr, atol=TOLERANCE)
    np.testing.assert_allclose(frame["tpr"], tpr, atol=TOLERANCE)


@given(drawn=rows())
def test_rises_from_0_to_1_with_the_area_of_auc(drawn):
    label, score, weight = drawn
    state = scored(predictions=score, truth=label, weights=weight)
    drawn_curve = curve("roc", state)
    frame = drawn_curve.frame
    auc = AUC().of(predictions=score, truth=label, weights=weight)
    if math.isnan(auc):
        assert frame.columns == COLUMNS
        assert frame.height == 0
        assert math.isnan(drawn_curve.area())
        assert len(drawn_curve.notes) == 1
        return
    assert drawn_curve.area() == pytest.approx(auc, abs=TOLERANCE)
    assert frame.select("fpr", "tpr").row(0) == (0, 0)
    assert frame.select("fpr", "tpr").row(-1) == (1, 1)
    assert frame["threshold"].is_sorted(descending=True)
    assert frame["threshold"].n_unique() == frame.height
    for name in ("fpr", "tpr"):
        assert frame[name].is_sorted()


@given(drawn=rows(weighted=True))
def test_a_row_of_weight_0_is_no_row(drawn):
    label, score, weight = (np.array(part) for part in drawn)
    kept = weight > 0
    assert roc(scored(predictions=score, truth=label, weights=weight)).equals(
        roc(scored(predictions=score[kept], truth=label[kept], weights=weight[kept]))
    )


def test_a_whole_weight_is_so_many_rows():
    label, score, weight = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.3], [3, 1, 2, 5]
    copies = (np.repeat(part, weight) for part in (score, label))
    assert roc(scored(predictions=score, truth=label, weights=weight)).equals(roc(scored(*copies)))


def test_a_constant_score_is_one_step():
    state = scored(predictions=[0.5] * 3, truth=[1, 0, 0])
    assert roc(state).select("fpr", "tpr").rows() == [(0, 0), (1, 1)]
    assert curve("roc", state).area() == 0.5


@each_row(
    ("label", "why"),
    [([1], "no negative"), ([0], "no positive"), ([1, 1, 1], "no negative"), ([], "no row")],
)
def test_one_class_only_is_empty_with_a_note(label, why):
    found = curve("roc", scored(predictions=np.linspace(0, 1, len(label)), truth=np.array(label, np.uint8)))
    assert found.frame.height == 0
    assert found.frame.columns == COLUMNS
    assert found.notes == (f"roc is undefined: {why}.",)
    assert found.points().height == 0


def test_each_segment_has_the_curve_of_its_rows():
    label, score, weight = random_rows(300, ties=True, weighted=True)
    segment = np.random.default_rng(1).integers(0, 4, 300)
    segment[segment == 2] = 3  # an empty segment
    label = label | (segment == 1)  # and one of one class
    found = curve("roc", in_segments(label, score, weight, segment, 4))
    assert found.segments == [0, 3]
    assert found.notes == ("roc is undefined for 2 of 4 segments.",)
    for one in found.segments:
        mine = segment == one
        alone = roc(scored(predictions=score[mine], truth=label[mine], weights=weight[mine]))
        assert found.of(one).frame.select("threshold").equals(alone.select("threshold"))
        for name in ("fpr", "tpr", "positives", "negatives"):
            np.testing.assert_allclose(found.of(one).frame[name], alone[name], atol=1e-11)
        assert found.of(one).area() == pytest.approx(
            AUC().of(predictions=score[mine], truth=label[mine], weights=weight[mine]), abs=TOLERANCE
        )
