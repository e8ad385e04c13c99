"""The limits of a difference at any level: Student's t, percentiles of replicates, and beyond them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import steelyard as sy
from steelyard.stats.compare import contrasts, pairs_of
from steelyard.stats.significance import limits, replicated
from steelyard.stats.testing import Procedure

LEVELS = (0.9, 0.95, 0.99, 0.9999, 1 - 1e-7)


def log(n=300, seed=0):
    rng = np.random.default_rng(seed)
    chance = rng.beta(2, 3, n)
    return {
        "user": np.arange(n) % 60,
        "country": np.where(np.arange(n) % 60 < 6, "JP", "DE"),
        "label": (rng.random(n) < chance).astype(int),
        "old": np.clip(chance + rng.normal(0, 0.2, n), 0.01, 0.99),
        "new": np.clip(chance + rng.normal(0, 0.1, n), 0.01, 0.99),
    }


def found(metric, **options):
    results = sy.evaluate(
        log(), metrics=metric, columns={"query": "user", "score": ["old", "new"]}, **options
    )
    testing = Procedure(test="auto")
    measured = {name: one.measured for name, one in results.items()}
    return replicated(contrasts(measured, pairs_of(["old", "new"], "old"), testing), testing)


@pytest.mark.parametrize("level", LEVELS)
def test_by_influence(level):
    (one,) = found("logloss")
    low, high = limits(one, level)
    wide = stats.t.ppf((1 + level) / 2, one.units.freedom) * np.sqrt(one.units.variance)
    assert low == pytest.approx(one.difference - wide)
    assert high == pytest.approx(one.difference + wide)


@pytest.mark.parametrize("level", LEVELS)
def test_by_replicates(level):
    (one,) = found("ece")
    low, high = limits(one, level)
    drawn = one.replicates[:, 0]
    wanted = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    if level > 0.99:
        wide = stats.t.ppf((1 + level) / 2, 60 - 1) * np.std(drawn, ddof=1)
        wanted = one.difference[0] - wide, one.difference[0] + wide
    assert (low[0], high[0]) == pytest.approx(tuple(wanted))


def test_a_higher_level_is_wider_in_every_slice():
    for one in found(["ece", "logloss"], by="country"):
        ends = [limits(one, level) for level in LEVELS]
        for (low, high), (lower, higher) in itertools.pairwise(ends):
            assert (lower < low).all()
            assert (high < higher).all()


def test_slices_of_resampled_metrics_count_their_units():
    compared = sy.compare(
        log(), scores=["old", "new"], metrics="ece", columns={"query": "user"}, by="country"
    ).table()
    assert compared["n"].to_list() == [60, 54, 6]
