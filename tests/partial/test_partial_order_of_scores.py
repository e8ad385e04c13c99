"""Parts without their scores: ranges of scores within a tolerance, and a second pass with all scores."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy

from ..examples import examples
from ..rows.given import drawn as clicks
from .agreement import assert_agree, bytes_of
from .drawn import rows, split_of_rows, split_rows

BY_SCORE = ["auc", "pr_auc", "ks"]
WHOLE = ("units", "rows")


@pytest.mark.parametrize("whole", WHOLE)
@examples(40)
@given(data=st.data())
def test_two_passes(whole, data):
    frame, options = data.draw(rows("binary", keyed=True, zeros=False))
    parts = data.draw(split_of_rows(frame, options, whole))
    check_two_passes(parts, [*BY_SCORE, "logloss", "f1"], whole=whole, **options)


def test_two_passes_with_a_row_of_weight_0():
    log = {"label": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.5], "w": [1.0, 1.0, 1.0, 0.0]}
    check_two_passes([pl.DataFrame(log)], ["auc"], whole="rows", weights="w")


def check_two_passes(parts, metrics, **options):
    """Sums of a second pass give the numbers of all rows; notes on a first pass are not compared."""
    call = {name: value for name, value in options.items() if name != "whole"}
    right = sy.evaluate(pl.concat(parts), metrics=metrics, **call)
    first = [sy.partial(part, metrics=metrics, ci="none", **options) for part in parts]
    totals = bytes_of(first[0].merge(*first[1:]))
    second = [sy.partial(part, metrics=metrics, totals=totals, **options) for part in parts]
    merged = sy.merge([bytes_of(part) for part in second], totals=totals)
    assert_agree(merged, right, fingerprints=False)


@pytest.mark.parametrize("metric", BY_SCORE)
@pytest.mark.parametrize("tolerance", [0.1, 1e-3, 1e-6])
@pytest.mark.parametrize("weights", [None, "w"])
def test_a_tolerance_is_kept(metric, tolerance, weights):
    frame = clicks(11)
    chance = np.random.default_rng(1).random(
        frame.height
    )  # equal scores would count as scores not told apart
    frame = frame.with_columns(score=(pl.col("score") + chance) / 2)
    options = {"metrics": metric, "by": "country", "weights": weights}
    parts = [
        sy.partial(part, whole="rows", tolerance=tolerance, **options)
        for part in split_rows(frame, [number % 3 for number in range(frame.height)])
    ]
    merged, right = sy.merge([bytes_of(part) for part in parts]), sy.evaluate(frame, **options)
    for one, other in zip(merged.table().rows(named=True), right.table().rows(named=True), strict=True):
        assert one["country"] == other["country"]
        assert one["value"] == pytest.approx(other["value"], abs=tolerance, nan_ok=True)
        assert (one["n"], one["undefined"]) == (other["n"], other["undefined"])
    notes = [
        note for note in merged.notes if note.key == "tolerance"
    ]  # none where all bits tell scores apart
    assert all(note.figures["bound"] <= tolerance for note in notes)
    assert notes or merged[metric] == pytest.approx(right[metric], rel=1e-12)


def test_a_tolerance_that_scores_do_not_allow_is_refused():
    """All scores lie closer together than single precision tells apart."""
    frame = clicks(11).with_columns(score=0.5 + clicks(11)["score"] * 1e-9)
    with pytest.raises(sy.SteelyardError) as caught:
        sy.partial(frame, metrics="auc", whole="rows", tolerance=1e-4).result()
    assert "auc" in caught.value.sentence


@pytest.mark.parametrize("tolerance", [0, 1, -0.1, "much", True, float("nan")])
def test_a_tolerance_lies_between_0_and_1(tolerance):
    with pytest.raises(sy.SteelyardError, match="^tolerance must be a number between 0 and 1"):
        sy.partial(clicks(1), metrics="auc", whole="rows", tolerance=tolerance)


def test_parts_of_other_tolerances():
    one, other = (
        sy.partial(clicks(seed), metrics="auc", whole="rows", tolerance=tolerance)
        for seed, tolerance in ((1, 1e-3), (2, 1e-4))
    )
    with pytest.raises(sy.SteelyardError, match="^parts differ in tolerance: "):
        sy.merge([one, other])


def test_a_second_pass_of_other_totals():
    def totals(seed):
        return sy.partial(clicks(seed), metrics="auc", whole="rows", ci="none")

    part = sy.partial(clicks(1), metrics="auc", whole="rows", totals=totals(1))
    with pytest.raises(sy.SteelyardError):
        sy.merge([part], totals=totals(2))
    with pytest.raises(sy.SteelyardError):
        sy.merge([part])
