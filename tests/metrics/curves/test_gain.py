"""Gain and lift."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from steelyard.metrics import AUC
from steelyard.metrics.curves import curve, gain_and_lift, scored

from .drawn import TOLERANCE, rows


def test_ties_and_weights_by_hand():
    # from the top: a positive of weight 1; a tie of positive 1 and negative 2; a negative of 4
    frame = gain_and_lift(scored([0.9, 0.5, 0.5, 0.1], [1, 1, 0, 0], weights=[1, 1, 2, 4]))
    assert frame.columns == ["threshold", "taken", "found", "lift"]
    assert frame.rows()[1:] == [
        (0.9, 1 / 8, 1 / 2, 4.0),
        (0.5, 4 / 8, 2 / 2, 2.0),
        (0.1, 8 / 8, 2 / 2, 1.0),
    ]
    assert frame.row(0)[:3] == (math.inf, 0, 0)
    assert math.isnan(frame["lift"][0])


@given(drawn=rows())
def test_its_area_follows_from_auc(drawn):
    """The gain curve is the ROC curve with the positives mixed in: area = base/2 + (1 - base)·auc."""
    label, score, weight = drawn
    found = curve("gain", scored(predictions=score, truth=label, weights=weight))
    auc = AUC().of(predictions=score, truth=label, weights=weight)
    if math.isnan(auc):
        return
    base = np.average(label, weights=weight)
    assert found.area() == pytest.approx(base / 2 + (1 - base) * auc, abs=TOLERANCE)
    assert found.frame.select("taken", "found", "lift").row(-1) == (1, 1, 1)


def test_edges():
    assert gain_and_lift(scored([0.1, 0.2], [0, 0])).height == 0
    assert gain_and_lift(scored([0.1], [1])).select("taken", "found").rows() == [(0, 0), (1, 1)]
    constant = curve("lift", scored([0.1, 0.1], [1, 0]))
    assert constant.frame.rows() == [(0.1, 1, 1, 1)]
    assert curve("gain", scored([0.1], [0])).notes == ("gain is undefined: no positive.",)
