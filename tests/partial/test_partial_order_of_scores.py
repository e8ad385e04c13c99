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
    frame, options = data.draw(rows("binary", keyed=True))
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
    chance = np.random.default_rng(1).random(frame.height)  # so that no score comes twice
    frame = frame.with_columns(score=(pl.col("score") + chance) / 2)
    options = {"metrics": metric, "by": "country", "weights": weights, "ci": "none"}
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
        sy.partial(frame, metrics="auc", whole="rows", tolerance=1e-4, ci="none").result()
    assert caught.value.sentence.startswith("auc is known to within ")


@pytest.mark.parametrize("tolerance", [0, 1, -0.1, "much", True, float("nan")])
def test_a_tolerance_lies_between_0_and_1(tolerance):
    with pytest.raises(sy.SteelyardError, match="^tolerance must be a number between 0 and 1"):
        sy.partial(clicks(1), metrics="auc", whole="rows", tolerance=tolerance)


def test_parts_of_other_tolerances():
    one, other = (
        sy.partial(clicks(seed), metrics="auc", whole="rows", tolerance=tolerance, ci="none")
        for seed, tolerance in ((1, 1e-3), (2, 1e-4))
    )
    with pytest.raises(sy.SteelyardError, match="^parts differ in tolerance: "):
        sy.merge([one, other])


def test_a_second_pass_of_other_totals():
    def totals(seed):
        return sy.partial(clicks(seed), metrics="auc", whole="rows", ci="none")

    part = sy.partial(clicks(1), metrics="auc", whole="rows", totals=totals(1))
    with pytest.raises(sy.SteelyardError, match="^the parts were made with the totals of another first pass"):
        sy.merge([part], totals=totals(2))
    with pytest.raises(sy.SteelyardError, match="^auc needs the parts of its first pass"):
        sy.merge([part])


def test_a_crowded_range_bounds_every_order_of_pr_auc():
    """50 negatives stand above 4,000 positives, all within one range: their order moves pr_auc by 0.04."""
    scores = np.concatenate([0.5 + 1e-9 + np.arange(50) * 1e-12, 0.5 + np.linspace(0, 5e-10, 4000)])
    log = pl.DataFrame({"label": [0] * 50 + [1] * 4000, "score": scores})
    part = sy.partial(log, metrics="pr_auc", whole="rows", ci="none", tolerance=1e-6)
    with pytest.raises(sy.SteelyardError, match="^pr_auc is known to within "):
        part.result()


def test_a_tolerance_keeps_no_users():
    with pytest.raises(sy.SteelyardError, match="^tolerance keeps no users, and ci=auto needs them"):
        sy.partial(clicks(1), metrics="auc", whole="rows", tolerance=0.01)


def test_a_tolerance_does_not_count_its_ranges_as_scores():
    """Two ranges hold many scores: nothing says that there are two."""
    chance = np.random.default_rng(2).random(400) * 1e-7
    log = pl.DataFrame(
        {"label": [0, 1] * 200, "score": np.where(np.arange(400) % 4 < 2, 0.25, 0.75) + chance}
    )
    result = sy.partial(log, metrics="auc", whole="rows", ci="none", tolerance=0.5).result()
    assert not [note for note in result.notes if note.key == "two_scores"]


def test_a_second_pass_of_some_rows_or_of_others_is_refused():
    log = clicks(3).with_row_index("number")
    halves = [log.filter(pl.col("number") % 2 == half).drop("number") for half in (0, 1)]
    first = [sy.partial(half, metrics="auc", whole="rows", ci="none") for half in halves]
    totals = first[0].merge(first[1])
    with pytest.raises(sy.SteelyardError, match="^the parts hold "):
        sy.merge([sy.partial(halves[0], metrics="auc", whole="rows", totals=totals)], totals=totals)
    flipped = [half.with_columns(label=1 - pl.col("label")) for half in halves]
    second = [sy.partial(half, metrics="auc", whole="rows", totals=totals) for half in flipped]
    with pytest.raises(sy.SteelyardError, match="^the parts hold other labels or scores"):
        sy.merge(second, totals=totals)


def test_rows_without_users_are_compared_in_the_order_of_their_parts():
    log = clicks(4).select("label", "score", other=pl.col("score") / 2 + 0.1)
    halves = [log[: log.height // 2], log[log.height // 2 :]]

    def merged(score, order):
        options = {"metrics": "logloss", "whole": "rows", "columns": {"score": score}}
        parts = [sy.partial(half.select("label", score), **options) for half in halves]
        return sy.merge([parts[at] for at in order])

    old, new = merged("score", (0, 1)), merged("other", (0, 1))
    right = sy.compare(log, metrics="logloss", columns={"score": ["score", "other"], "label": "label"})
    found = sy.compare({"score": old, "other": new})
    for name in ("difference", "ci_low", "ci_high", "p"):
        assert found.table()[name].to_list() == pytest.approx(right.table()[name].to_list(), rel=1e-9)
    with pytest.raises(sy.SteelyardError, match="different truth"):
        sy.compare({"score": old, "other": merged("other", (1, 0))})
